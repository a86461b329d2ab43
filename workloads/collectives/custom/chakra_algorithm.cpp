// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"
#include "workloads/collectives/custom/algorithm.h"
#include "workloads/collectives/custom/chakra_chunks.h"

namespace wafertlm {
namespace {

using chakra::Node;
using chakra::NodeType;
using Kind = CustomOperation::Kind;
using Buffer = CustomChunks::Buffer;

/// @throws std::invalid_argument or TraceError: no valid job, or nodes that an algorithm does not have.
ChakraCollective read_job(const std::string& prefix, CollectiveType type) {
  ChakraCollective job{prefix, type, {}, {}};
  std::vector<std::unique_ptr<chakra::NodeSource>> sources;
  std::vector<chakra::NodeSource*> list;
  for (const std::string& file : chakra::find_rank_files(prefix)) {
    job.files.push_back(file);
    sources.push_back(chakra::open_trace(file));
    list.push_back(sources.back().get());
    job.nodes.emplace_back();
    for (Node node; sources.back()->next(node);)
      if (node.type != NodeType::Metadata) job.nodes.back().push_back(node);
    sources.back()->rewind();
  }
  chakra::validate_job(list, chakra::CommGroups(job.ranks()));
  const auto fail = [&](std::uint32_t rank, const Node& node, const std::string& what) {
    throw std::invalid_argument(job.files[rank] + ": " + chakra::describe(node) + ": " + what);
  };
  std::uint64_t bytes = 0;  // of a message
  for (std::uint32_t rank = 0; rank < job.ranks(); ++rank)
    for (const Node& node : job.nodes[rank]) {
      if (node.type != NodeType::CommSend && node.type != NodeType::CommRecv && node.type != NodeType::Comp)
        fail(rank, node, "an algorithm consists of sends, receives and computations only");
      if (node.type == NodeType::Comp) continue;
      if (bytes == 0) bytes = node.comm_size.value_or(0);
      if (node.comm_size.value_or(0) != bytes || bytes == 0)
        fail(rank, node,
             "messages of an algorithm are a chunk each, all of one size above 0; give the MSCCL "
             "program that it was made from");
    }
  return job;
}

/// The threads of a rank.
class RankLowering {
 public:
  RankLowering(const ChakraCollective& job, const ChakraChunks& chunks, std::uint32_t rank)
      : job_(job), chunks_(chunks), rank_(rank) {
    for (const auto& [node, receives] : chunks.reduces(rank))
      for (const std::uint64_t receive : receives) add_slot(receive);
    // What an all-to-all passes on lies in scratch, too.
    for (const Node& node : nodes())
      if (node.type == NodeType::CommRecv && job.type == CollectiveType::all_to_all &&
          chunks.goes_on(rank, node.id))
        add_slot(node.id);
  }
  std::uint32_t scratch_chunks() const { return static_cast<std::uint32_t>(slot_of_.size()); }

  /// A thread for each node, and for all-to-all the copy of the own block, which is in place already.
  CustomRank lower() const {
    CustomRank lowered;
    lowered.file = job_.files[rank_];
    std::unordered_map<std::uint64_t, std::uint32_t> thread_of;
    for (std::uint32_t i = 0; i < nodes().size(); ++i) thread_of[nodes()[i].id] = i;
    for (const Node& node : nodes()) {
      CustomThread thread{chakra::describe(node), {}};
      std::uint32_t after = Step::kNone;
      for (const std::uint64_t parent : parents_of(node)) {
        if (after != Step::kNone) thread.operations.push_back(wait(after));
        after = thread_of.at(parent);
      }
      add_operations(node, thread);
      // The last of what it waits for goes to its first operation.
      for (CustomOperation& operation : thread.operations)
        if (operation.after_thread == Step::kNone) {
          operation.after_thread = after;
          break;
        }
      lowered.threads.push_back(std::move(thread));
    }
    for (CustomThread& thread : lowered.threads)
      for (CustomOperation& operation : thread.operations)
        if (operation.after_thread != Step::kNone)
          operation.after_count =
              static_cast<std::uint32_t>(lowered.threads[operation.after_thread].operations.size());
    return lowered;
  }

 private:
  const std::vector<Node>& nodes() const { return job_.nodes[rank_]; }
  void add_slot(std::uint64_t receive) { slot_of_.emplace(receive, scratch_chunks()); }
  CustomChunks slot(std::uint64_t receive) const { return {Buffer::scratch, slot_of_.at(receive), 1}; }

  static CustomOperation wait(std::uint32_t thread) {
    CustomOperation operation;
    operation.delay_ps = 0;
    operation.after_thread = thread;
    return operation;
  }

  void add_operations(const Node& node, CustomThread& thread) const {
    CustomOperation operation;
    operation.channel = node.comm_tag.value_or(0);
    if (node.type == NodeType::Comp) {
      std::optional<TimePs> delay;
      if (node.duration_ps != 0) delay = node.duration_ps;
      const auto found = chunks_.reduces(rank_).find(node.id);
      if (found != chunks_.reduces(rank_).end())
        for (const std::uint64_t receive : found->second) {
          operation.kind = Kind::reduce;
          operation.from = slot(receive);
          operation.to = chunks_.at(rank_, receive, false);
          operation.delay_ps = delay;
          if (delay) delay = 0;  // once
          thread.operations.push_back(operation);
        }
      else {
        operation.delay_ps = delay.value_or(0);
        thread.operations.push_back(operation);
      }
      return;
    }
    if (node.type == NodeType::CommSend) {
      operation.kind = Kind::send;
      operation.peer = *node.comm_dst;
      operation.from = chunks_.at(rank_, node.id, true);
      if (job_.type == CollectiveType::all_to_all && !chunks_.is_fresh(rank_, node.id))
        operation.from = slot(*chunks_.brought_by(rank_, node).begin());
    } else {
      operation.kind = Kind::receive;
      operation.peer = *node.comm_src;
      operation.to = slot_of_.count(node.id) != 0 ? slot(node.id) : chunks_.at(rank_, node.id, false);
    }
    thread.operations.push_back(operation);
  }

  const ChakraCollective& job_;
  const ChakraChunks& chunks_;
  const std::uint32_t rank_;
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of_;  // by receive: its chunk of the scratch buffer
};

}  // namespace

CustomAlgorithm read_chakra_algorithm(const std::string& prefix, CollectiveType type) {
  try {
    const ChakraCollective job = read_job(prefix, type);
    const ChakraChunks chunks(job);
    CustomAlgorithm made;
    made.file = prefix;
    made.type = type;
    made.in_place = type != CollectiveType::all_to_all;
    made.chunks = chunks.count();
    for (std::uint32_t rank = 0; rank < job.ranks(); ++rank) {
      const RankLowering lowering(job, chunks, rank);
      made.scratch_chunks = std::max(made.scratch_chunks, lowering.scratch_chunks());
      made.ranks.push_back(lowering.lower());
    }
    return made;
  } catch (const chakra::TraceError& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace wafertlm
