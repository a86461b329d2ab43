// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_jobs.h"

#include <filesystem>
#include <functional>
#include <vector>

#include "tests/support/trace_nodes.h"
#include "workloads/chakra/node_source.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm::test {
namespace {

using Nodes = std::vector<chakra::Node>;

std::string write_job(const std::string& path, std::uint32_t ranks,
                      const std::function<Nodes(std::uint32_t rank)>& nodes_of) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    chakra::VectorSource source("rank", nodes_of(rank));
    chakra::write_trace_file(source, path + "." + std::to_string(rank) + ".et");
  }
  return path;
}

}  // namespace

std::string write_collective_job(const std::string& path, chakra::CollectiveType type, std::uint32_t ranks,
                                 std::uint64_t bytes) {
  chakra::Node node = all_reduce(0, 0, {}, bytes);
  node.comm_type = type;
  return write_job(path, ranks, [&](std::uint32_t) { return Nodes{node}; });
}

std::string write_ring_job(const std::string& path, std::uint32_t ranks, std::uint64_t bytes) {
  return write_job(path, ranks, [&](std::uint32_t rank) {
    Nodes nodes;
    const auto add = [&](chakra::Node node) {
      node.id = nodes.size();
      if (!nodes.empty()) node.data_deps = {node.id - 1};
      if (node.comm_size) node.comm_size = bytes / ranks;
      nodes.push_back(std::move(node));
    };
    for (std::uint32_t step = 0; step < 2 * (ranks - 1); ++step) {
      add(send(0, (rank + 1) % ranks, 0, 0));
      add(receive(0, (rank + ranks - 1) % ranks, 0));
      if (step < ranks - 1) add(compute(0, 7'000'000));
    }
    return nodes;
  });
}

}  // namespace wafertlm::test
