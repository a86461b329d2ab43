// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/basic/in_network.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"

namespace wafertlm {

BlockOrder::BlockOrder(const Group& group, const Topology& topology) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> below;  // ranks, by switch
  for (std::uint32_t rank = 0; rank < group.size(); ++rank)
    below[topology.attached_switch(group[rank])].push_back(rank);
  for (std::size_t round = 0; block.size() < group.size(); ++round)
    for (const auto& [number, ranks] : below)
      if (round < ranks.size()) block.push_back(ranks[round]);
  place_of.resize(block.size());
  for (std::uint32_t place = 0; place < block.size(); ++place) place_of[block[place]] = place;
  parallel = std::min(kMaxParallel, static_cast<std::uint32_t>(below.size()));
}

std::uint32_t InNetworkProgram::steps(std::uint32_t threadblock) const {
  if (ranks_ == 1) return 0;
  const bool sends = threadblock < senders();
  switch (type_) {
    case CollectiveType::broadcast:
      return sends == (rank_ == root_) ? 1 : 0;
    case CollectiveType::reduce:
      return sends || rank_ == root_ ? 1 : 0;
    case CollectiveType::reduce_scatter:
      return sends ? (ranks_ + senders() - 1 - threadblock) / senders() : 1;
    case CollectiveType::all_gather:
      return sends ? 1 : ranks_ - 1;
    default:
      return 1;
  }
}

Step InNetworkProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const bool sends = threadblock < senders();
  Step step;
  step.kind = sends ? Step::Kind::flow_send : Step::Kind::flow_copy;
  step.bytes = bytes_;
  if (!by_blocks()) return step;
  std::uint32_t place = place_of(rank_);
  if (type_ == CollectiveType::reduce_scatter) {
    if (sends) place = threadblock + index * senders();
  } else if (!sends) {
    place = index >= place ? index + 1 : index;  // every block but its own
  }
  const std::uint32_t block = block_at(place);
  step.tag = place;
  step.offset = blocks_.offset(block);
  step.bytes = blocks_.bytes(block);
  return step;
}

FlowMembers InNetworkProgram::flow(std::uint64_t tag) const {
  std::vector<std::uint32_t> all(ranks_);
  std::iota(all.begin(), all.end(), 0U);
  const auto one = by_blocks() ? block_at(static_cast<std::uint32_t>(tag)) : root_;
  std::vector<std::uint32_t> others = all;
  others.erase(others.begin() + one);
  switch (type_) {
    case CollectiveType::broadcast:
    case CollectiveType::all_gather:
      return {{one}, others};
    case CollectiveType::reduce:
    case CollectiveType::reduce_scatter:
      return {all, {one}};
    default:
      return {all, all};
  }
}

Algorithm::Programs in_network_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  Algorithm::Programs programs;
  const auto order = std::make_shared<const BlockOrder>(request.group, *fabric.topology);
  for (std::uint32_t rank = 0; rank < ranks_of(request); ++rank)
    programs.push_back(std::make_unique<InNetworkProgram>(request.type, ranks_of(request), request.bytes,
                                                          request.root, rank, order));
  return programs;
}

TimePs in_network_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::size_t p = request.group.size();
  TimePs latency_ps = 0;
  std::uint64_t rate = fabric.port_bytes_per_s();
  const bool rooted = has_root(request.type);
  for (std::size_t a = 0; a < p; ++a)
    for (std::size_t b = rooted ? request.root : 0; b < (rooted ? request.root + 1 : p); ++b) {
      if (a == b) continue;
      latency_ps = std::max(latency_ps, fabric.latency_ps(request.group[a], request.group[b]));
      rate = std::min(rate, fabric.topology->path_bytes_per_s(request.group[a], request.group[b]));
    }
  if (request.type != CollectiveType::reduce_scatter && request.type != CollectiveType::all_gather)
    return latency_ps + transfer_time_ps(fabric.format.message_wire_bytes(request.bytes), rate);
  // A flow per block. Every port carries all of them, an uplink only those that go beyond it.
  const bool reduces = request.type == CollectiveType::reduce_scatter;
  const Blocks blocks(request.bytes, p);
  const auto links = fabric.topology->link_loads();
  std::uint64_t wire = 0;
  for (std::size_t k = 0; k < p; ++k) {
    if (blocks.bytes(k) == 0) continue;
    const std::uint64_t bytes = fabric.format.message_wire_bytes(blocks.bytes(k));
    const Group one{request.group[k]};
    links->add_flow(reduces ? request.group : one, reduces ? one : request.group, bytes);
    wire += bytes;
  }
  const std::uint64_t port = fabric.port_bytes_per_s();
  return std::max(latency_ps + transfer_time_ps(wire, port), links->busiest_ps());
}

}  // namespace wafertlm
