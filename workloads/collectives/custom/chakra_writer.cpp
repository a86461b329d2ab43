// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <stdexcept>

#include "workloads/collectives/custom/writers.h"

namespace wafertlm {
namespace {

using chakra::Node;
using chakra::NodeType;

/// The nodes of one rank, with ids from 0 on.
class RankNodes {
 public:
  RankNodes(const ChunkedProgram& program, std::uint32_t rank) : program_(program), rank_(rank) {}

  std::vector<Node> made() {
    number_steps();
    for (std::uint32_t thread = 0; thread < threads().size(); ++thread)
      for (std::uint32_t step = 0; step < threads()[thread].steps.size(); ++step) add(thread, step);
    return std::move(nodes_);
  }

 private:
  const std::vector<ChunkedProgram::Thread>& threads() const { return program_.ranks[rank_]; }

  /// A step's last node: of a reduction the computation behind its receive.
  void number_steps() {
    std::uint64_t next = 0;
    for (const ChunkedProgram::Thread& thread : threads()) {
      last_node_.emplace_back();
      for (const ChunkedProgram::ChunkStep& step : thread.steps) {
        next += step.kind == Step::Kind::reduce ? 2 : 1;
        last_node_.back().push_back(next - 1);
      }
    }
  }

  Node message(const ChunkedProgram::Thread& thread, const ChunkedProgram::ChunkStep& step) const {
    const std::uint32_t per_block = program_.type == CollectiveType::all_reduce
                                        ? program_.chunks
                                        : program_.chunks / static_cast<std::uint32_t>(program_.ranks.size());
    const bool sends = step.kind == Step::Kind::send;
    Node node;
    node.id = nodes_.size();
    node.type = sends ? NodeType::CommSend : NodeType::CommRecv;
    node.name = fmt::format("{} chunk {}", sends ? "send" : "receive", step.first_chunk);
    node.comm_src = sends ? rank_ : thread.from;
    node.comm_dst = sends ? thread.to : rank_;
    node.comm_size = program_.chunk_bytes;
    node.comm_tag = step.first_chunk % per_block;
    return node;
  }

  void add(std::uint32_t thread, std::uint32_t number) {
    const ChunkedProgram::ChunkStep& step = threads()[thread].steps[number];
    if (step.chunks != 1)
      throw std::invalid_argument("messages of a trace are a chunk each, and this algorithm has longer ones");
    Node node = message(threads()[thread], step);
    if (number != 0) node.ctrl_deps.push_back(last_node_[thread][number - 1]);
    Node sum;
    if (step.kind == Step::Kind::reduce) {
      sum.id = node.id + 1;
      sum.type = NodeType::Comp;
      sum.name = fmt::format("add chunk {}", step.first_chunk);
      sum.data_deps.push_back(node.id);
    }
    if (step.after_thread != Step::kNone)
      (step.kind == Step::Kind::reduce ? sum : node)
          .data_deps.push_back(last_node_[step.after_thread][step.after_step]);
    nodes_.push_back(std::move(node));
    if (step.kind == Step::Kind::reduce) nodes_.push_back(std::move(sum));
  }

  const ChunkedProgram& program_;
  std::uint32_t rank_;
  std::vector<std::vector<std::uint64_t>> last_node_;  // by thread and step
  std::vector<Node> nodes_;
};

}  // namespace

std::vector<std::vector<Node>> chakra_nodes(const ChunkedProgram& program) {
  std::vector<std::vector<Node>> ranks;
  for (std::uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    ranks.push_back(RankNodes(program, rank).made());
  return ranks;
}

}  // namespace wafertlm
