// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "tlm/kernel/units.h"
#include "workloads/edit/edit.h"
#include "workloads/statistics/trace_statistics.h"

namespace wafertlm::edit {
namespace {

using chakra::Node;

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

/// bytes × to / from, rounded up.
void convert(std::uint64_t& bytes, std::uint32_t from, std::uint32_t to, const Node& node) {
  const auto exact = static_cast<Uint128>(bytes) * to;
  const auto rounded = (exact + from - 1) / from;
  if (rounded > kMostBytes) throw std::invalid_argument(chakra::describe(node) + " has too many bytes then");
  bytes = static_cast<std::uint64_t>(rounded);
}

std::uint32_t new_rank(std::uint32_t peer, const std::vector<std::uint32_t>& new_ranks, const Node& node) {
  if (peer >= new_ranks.size())
    throw std::invalid_argument(chakra::describe(node) + ": rank " + std::to_string(peer) +
                                " gets no new number");
  return new_ranks[peer];
}

}  // namespace

std::uint64_t scale_durations(Nodes& nodes, const std::string& of_class, double factor) {
  std::uint64_t changed = 0;
  for (Node& node : nodes) {
    if (statistics::class_of(node) != of_class) continue;
    const double scaled = std::round(static_cast<double>(node.duration_ps) * factor);
    if (!(scaled >= 0) || scaled >= 0x1p63)
      throw std::invalid_argument(chakra::describe(node) + " takes longer than 106 days then");
    node.duration_ps = static_cast<std::uint64_t>(scaled);
    ++changed;
  }
  return changed;
}

std::uint64_t change_precision(Nodes& nodes, std::uint32_t from_bits, std::uint32_t to_bits) {
  std::uint64_t changed = 0;
  for (Node& node : nodes) {
    if (!node.comm_size && !node.tensor_size) continue;
    for (auto* bytes : {&node.comm_size, &node.tensor_size})
      if (*bytes) convert(**bytes, from_bits, to_bits, node);
    for (auto* list : {&node.send_bytes, &node.receive_bytes})
      for (std::uint64_t& bytes : *list) convert(bytes, from_bits, to_bits, node);
    ++changed;
  }
  return changed;
}

void rename_peers(Nodes& nodes, const std::vector<std::uint32_t>& new_ranks) {
  for (Node& node : nodes) {
    if (node.comm_src) node.comm_src = new_rank(*node.comm_src, new_ranks, node);
    if (node.comm_dst) node.comm_dst = new_rank(*node.comm_dst, new_ranks, node);
  }
}

}  // namespace wafertlm::edit
