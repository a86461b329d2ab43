// SPDX-License-Identifier: Apache-2.0
#include "platform/run/equal_ranks.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "platform/run/job.h"

namespace wafertlm {
namespace {

using chakra::Node;

/// More nodes of a rank are not kept to be compared.
constexpr std::size_t kMostNodes = std::size_t{1} << 20;

/// All of a node but its group and what has numbers of nodes in it.
auto values(const Node& node) {
  const auto& [id, name, type, ctrl_deps, data_deps, duration_ps, is_cpu_op, num_ops, tensor_size, products,
               comm_type, comm_size, send_bytes, receive_bytes, comm_src, comm_dst, comm_tag, comm_priority,
               pg_name, involved_dim, comm_class, io_stream, unit] = node;
  static_cast<void>(std::tie(id, ctrl_deps, data_deps, pg_name));
  return std::tie(name, type, duration_ps, is_cpu_op, num_ops, tensor_size, products, comm_type, comm_size,
                  send_bytes, receive_bytes, comm_src, comm_dst, comm_tag, comm_priority, involved_dim,
                  comm_class, io_stream, unit);
}

/// Equal, but that all numbers of nodes are larger by `offset`.
bool are_equal(const Node& node, const Node& first, std::uint64_t offset) {
  const auto is_behind = [offset](std::uint64_t mine, std::uint64_t of_first) {
    return mine == of_first + offset;
  };
  const auto have_moved = [&](const auto& mine, const auto& of_first) {
    return std::equal(mine.begin(), mine.end(), of_first.begin(), of_first.end(), is_behind);
  };
  return is_behind(node.id, first.id) && have_moved(node.ctrl_deps, first.ctrl_deps) &&
         have_moved(node.data_deps, first.data_deps) && values(node) == values(first);
}

bool is_point_to_point(const Node& node) {
  return node.type == chakra::NodeType::CommSend || node.type == chakra::NodeType::CommRecv;
}

/// Rewinds a source before and after.
class Reading {
 public:
  explicit Reading(chakra::NodeSource& source) : source_(source) { source_.rewind(); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { source_.rewind(); }
  bool next(Node& node) { return source_.next(node); }

 private:
  chakra::NodeSource& source_;
};

/// Rank 0's groups and nodes, and what is in their place at the others.
class Comparison {
 public:
  explicit Comparison(const Job& job) : job_(job), like_(job.groups.count()) {}

  /// Why rank 0 cannot stand for all; empty: it can.
  std::string run() {
    if (std::string why = read_first(); !why.empty()) return why;
    for (std::uint32_t rank = 0; rank < job_.size(); ++rank)
      if (std::string why = compare(rank); !why.empty()) return why;
    return {};
  }
  std::vector<std::vector<std::uint32_t>> groups_like() const {
    std::vector<std::vector<std::uint32_t>> lists;
    for (const auto& each : like_) lists.emplace_back(each.begin(), each.end());
    return lists;
  }

 private:
  std::string read_first() {
    Reading first(*job_.ranks[0]);
    for (Node node; first.next(node);) {
      if (nodes_.size() == kMostNodes) return fmt::format("rank 0 has more than {} nodes", kMostNodes);
      if (is_point_to_point(node))
        return fmt::format("rank 0 has messages of its own ({})", chakra::describe(node));
      if (node.io_stream) return "there are streams through I/O controllers";
      nodes_.push_back(node);
    }
    return {};
  }

  std::string compare(std::uint32_t rank) {
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::vector<std::uint32_t> group_here(job_.groups.count(), kNone);  // by rank 0's
    Reading reading(*job_.ranks[rank]);
    Node node;
    std::optional<std::uint64_t> offset;  // of several runs that end together the lowest node is the cause
    for (const Node& first : nodes_) {
      if (!reading.next(node)) return differs(rank, first);
      if (!offset) offset = node.id - first.id;
      if (node.id < first.id || !are_equal(node, first, *offset)) return differs(rank, first);
      if (!first.is_collective()) continue;
      const std::size_t of_first = job_.groups.number(first.pg_name);
      const auto here = static_cast<std::uint32_t>(job_.groups.number(node.pg_name));
      if (group_here[of_first] == kNone) group_here[of_first] = here;
      if (group_here[of_first] != here) return differs(rank, first);
      like_[of_first].insert(here);
    }
    return reading.next(node) ? fmt::format("rank {} has more nodes than rank 0", rank) : std::string();
  }
  static std::string differs(std::uint32_t rank, const Node& first) {
    return fmt::format("rank {} differs from rank 0 at its {}", rank, chakra::describe(first));
  }

  const Job& job_;
  std::vector<Node> nodes_;  // of rank 0
  std::vector<std::set<std::uint32_t>> like_;
};

/// A rank on each, the first on the first.
bool is_everywhere(const Job& job, const config::PlatformSpec& platform) {
  return job.size() == platform.wafer.npu_count() && job.npus[0] == NpuId{0};
}

}  // namespace

EqualRanks equal_ranks(const config::PlatformSpec& platform, const Job& job) {
  EqualRanks equal;
  if (!has_equal_wiring(platform) || job.size() == 1) return equal;
  equal.places.why_all = why_places_differ(platform);
  if (equal.places.why_all.empty() && !is_everywhere(job, platform))
    equal.places.why_all = "not every NPU has a rank, or the first not rank 0";
  if (!equal.places.why_all.empty()) return equal;
  Comparison comparison(job);
  equal.places.why_all = comparison.run();
  if (!equal.places.why_all.empty()) return equal;
  equal.places.one_for_all = true;
  equal.groups_like = comparison.groups_like();
  return equal;
}

}  // namespace wafertlm
