// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/io_cost.h"

#include <algorithm>

#include "workloads/collectives/cost.h"

namespace wafertlm {
namespace {

/// Filling the pipeline may take this part of the time when the chunk is left open.
constexpr std::uint64_t kFillParts = 200;
constexpr std::uint64_t kMinChunk = 4096;

IoPath longest_path(const IoTreePlan& plan, const IoTree& tree, const Topology& topology) {
  IoPath longest;
  for (std::uint32_t rank = 1; rank < tree.parent.size(); ++rank) {
    IoPath path;
    for (std::uint32_t at = rank; tree.parent[at] != plan.root; at = tree.parent[at]) {
      ++path.hops;
      path.head_ps += topology.head_latency_ps(plan.group[tree.parent[at]], plan.group[at]);
    }
    longest.hops = std::max(longest.hops, path.hops);
    longest.head_ps = std::max(longest.head_ps, path.head_ps);
  }
  for (const std::uint32_t first : tree.children[plan.root])
    longest.entry_ps = topology.head_latency_ps(plan.group[plan.root], plan.group[first]);
  return longest;
}

/// Of the first byte, from the controller to the end of the path or back.
TimePs path_ps(const IoPath& path, const FabricTraits& fabric) {
  return fabric.topology->ports().io_latency_ps + path.entry_ps + path.head_ps +
         (1 + path.hops) * fabric.message_cost_ps();
}

TimePs wire_ps(std::uint64_t bytes, std::uint64_t bytes_per_s, const FabricTraits& fabric) {
  return at_least_ps(fabric.format.message_wire_bytes(bytes), bytes_per_s);
}

/// What all trees together put on links and through ports.
class Uses {
 public:
  explicit Uses(const Topology& topology)
      : topology_(topology),
        links_(topology.links()),
        to_children_(topology.npus()),
        to_parent_(topology.npus()) {}

  /// Trees of a stream cross the same links between switches: one `counts`.
  void add(const IoTreePlan& plan, const IoTree& tree, std::uint64_t bytes, bool counts) {
    for (std::uint32_t rank = 1; rank < plan.group.size(); ++rank) {
      to_children_[index_of(plan.group[rank])] += tree.children[rank].size() * bytes;
      to_parent_[index_of(plan.group[rank])] += bytes;
      route_.clear();
      topology_.append_route(plan.group[tree.parent[rank]], plan.group[rank], route_);
      for (const std::size_t link : route_) {
        links_[link].bytes += bytes;
        links_[link].shares += counts ? 1 : 0;
        links_[link].used = true;
      }
    }
  }

  void find_busiest(IoLoads& loads) const {
    loads.link_bytes_per_s = links_.empty() ? topology_.port_bytes_per_s() : topology_.link(0).bytes_per_s;
    for (std::size_t number = 0; number < links_.size(); ++number) {
      const Link& use = links_[number];
      if (!use.used) continue;
      const TopologyLink link = topology_.link(number);
      loads.link_shares = std::max(loads.link_shares, use.shares);
      loads.link_head_ps = std::min(loads.link_head_ps, link.head_ps);
      if (Uint128{use.bytes} * loads.link_bytes_per_s <= Uint128{loads.link_bytes} * link.bytes_per_s)
        continue;
      loads.link_bytes = use.bytes;
      loads.link_bytes_per_s = link.bytes_per_s;
    }
    for (std::uint32_t npu = 0; npu < topology_.npus(); ++npu)
      loads.port_bytes = std::max({loads.port_bytes, to_children_[npu], to_parent_[npu]});
  }

 private:
  struct Link {
    std::uint64_t bytes = 0;
    std::uint32_t shares = 0;
    bool used = false;
  };
  const Topology& topology_;
  std::vector<Link> links_;
  std::vector<std::uint64_t> to_children_, to_parent_;  // by NPU
  std::vector<std::size_t> route_;
};

/// The largest whole number of kMinChunk (of packets, if they are smaller) with which filling the tree takes
/// at most 1/kFillParts of the time: each hop shares its link with as many streams as the busiest link, or
/// the ports of NPUs (Topology::shared_ports). A chunk may be less than a packet: it is passed on as a whole,
/// so packets of its size would fill no sooner.
std::uint64_t fill_chunk(const IoLoads& loads, bool sends_in, const FabricTraits& fabric) {
  const std::uint64_t unit = std::min<std::uint64_t>(fabric.format.packet_bytes, kMinChunk);
  const std::uint64_t port = fabric.port_bytes_per_s();
  const std::uint64_t io = fabric.topology->ports().io_bytes_per_s;
  const auto sharing = fabric.topology->shared_ports(loads.path.hops);
  Uint128 bytes = 0;
  if (!sends_in && sharing.value_or(0) != 0) {
    bytes = Uint128{loads.channel_bytes} * port / (Uint128{kFillParts} * io * *sharing);
  } else {
    const Uint128 link = sharing ? std::min(loads.link_bytes_per_s, port) : loads.link_bytes_per_s;
    const Uint128 shared = Uint128{loads.link_shares} * io;
    bytes = loads.channel_bytes * std::max(link, shared) / (kFillParts * (link + loads.path.hops * shared));
  }
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(bytes / unit), 1) * unit;
}

}  // namespace

IoLoads io_loads(const std::vector<IoTreePlan>& plans, const FabricTraits& fabric) {
  const Topology& topology = *fabric.topology;
  IoLoads loads;
  Uses uses(topology);
  for (const IoTreePlan& plan : plans) {
    loads.channel_bytes = std::max(loads.channel_bytes, plan.bytes);
    TimePs shortest = kNever;
    for (std::size_t number = 0; number < plan.trees.size(); ++number) {
      const IoTree& tree = plan.trees[number];
      const IoPath path = longest_path(plan, tree, topology);
      loads.path.hops = std::max(loads.path.hops, path.hops);
      loads.path.head_ps = std::max(loads.path.head_ps, path.head_ps);
      loads.path.entry_ps = std::max(loads.path.entry_ps, path.entry_ps);
      loads.least_entry_ps = std::min(loads.least_entry_ps, path.entry_ps);
      for (const std::uint32_t first : tree.children[plan.root])
        if (topology.hops(plan.group[plan.root], plan.group[first]) != 0) loads.enters_at_once = false;
      shortest = std::min(shortest, path_ps(path, fabric));
      uses.add(plan, tree, plan.bytes_of(number), number == 0);
    }
    // Shares differ by an element; those without one are in no hurry.
    if (plan.bytes != 0)
      loads.channel_ps =
          std::max(loads.channel_ps, at_least_ps(plan.bytes, topology.ports().io_bytes_per_s) + shortest);
  }
  uses.find_busiest(loads);
  return loads;
}

CollectiveCost io_tree_cost(const IoLoads& loads, std::uint64_t chunk_bytes, bool sends_in,
                            const FabricTraits& fabric) {
  const std::uint64_t port = fabric.port_bytes_per_s();
  const std::uint64_t io = fabric.topology->ports().io_bytes_per_s;
  const TimePs busiest =
      std::max({wire_ps(loads.link_bytes, loads.link_bytes_per_s, fabric),
                wire_ps(loads.port_bytes, port, fabric), wire_ps(loads.channel_bytes, io, fabric)});
  const std::uint64_t whole = std::min(chunk_bytes, loads.channel_bytes);
  const std::uint64_t chunk = fabric.format.message_wire_bytes(whole);
  const std::uint64_t chunks = (loads.channel_bytes + whole - 1) / whole;
  const TimePs chunk_ps = transfer_time_ps(chunk, std::min(loads.link_bytes_per_s, port));
  const auto sharing = fabric.topology->shared_ports(loads.path.hops);
  const TimePs fill_ps =
      sends_in || !sharing ? loads.path.hops * chunk_ps : transfer_time_ps(chunk * *sharing, port);
  // A sender is not ready for its next chunk before, nor a receiver.
  const TimePs pace = std::max({fabric.step_cost_ps + chunk_ps, fabric.receive_cost_ps,
                                sends_in ? fabric.step_cost_ps + transfer_time_ps(chunk, io) : TimePs{0}});
  // What is on the busiest link or port has a part of the path still to go: into the wafer, and a hop. If an
  // entry lies behind links the busiest one may be among them, and the hop is no more than a part of the way
  // in.
  const TimePs entry = path_ps({0, 0, loads.least_entry_ps}, fabric);
  const TimePs hop = loads.enters_at_once ? fabric.message_cost_ps() + loads.link_head_ps : 0;
  const TimePs link =
      loads.link_bytes == 0 ? 0 : at_least_ps(loads.link_bytes, loads.link_bytes_per_s) + entry + hop;
  CollectiveCost cost;
  cost.bound_ps = std::max({link, at_least_ps(loads.port_bytes, port) + entry, loads.channel_ps});
  cost.predicted_ps =
      std::max(std::max(busiest, chunks * pace) + path_ps(loads.path, fabric) + fill_ps, cost.bound_ps);
  return cost;
}

std::uint64_t open_io_chunk(const IoLoads& loads, bool sends_in, const FabricTraits& fabric) {
  std::uint64_t best = fill_chunk(loads, sends_in, fabric);
  if (fabric.step_cost_ps == 0 && fabric.receive_cost_ps == 0) return best;
  TimePs shortest = kNever;
  for (std::uint64_t chunk = best; chunk < 2 * loads.channel_bytes; chunk *= 2)
    if (const TimePs time = io_tree_cost(loads, chunk, sends_in, fabric).predicted_ps; time < shortest) {
      shortest = time;
      best = chunk;
    }
  return best;
}

CollectiveCost io_flow_cost(const IoLoads& loads, std::uint64_t bytes, const FabricTraits& fabric) {
  const Topology& topology = *fabric.topology;
  IoPath far;
  for (std::uint32_t k = 0; k < topology.io_controllers(); ++k)
    for (std::uint32_t npu = 0; npu < topology.npus(); ++npu)
      far.entry_ps = std::max(far.entry_ps,
                              topology.head_latency_ps(topology.io_controller(k), static_cast<NpuId>(npu)));
  const std::uint64_t port = fabric.port_bytes_per_s(), io = topology.ports().io_bytes_per_s;
  CollectiveCost cost;
  cost.bound_ps = path_ps({0, 0, loads.least_entry_ps}, fabric) +
                  std::max({at_least_ps(loads.link_bytes, loads.link_bytes_per_s), at_least_ps(bytes, port),
                            at_least_ps(loads.channel_bytes, io)});
  cost.predicted_ps = std::max(
      cost.bound_ps, path_ps(far, fabric) +
                         std::max({wire_ps(loads.link_bytes, loads.link_bytes_per_s, fabric),
                                   wire_ps(bytes, port, fabric), wire_ps(loads.channel_bytes, io, fabric)}));
  return cost;
}

}  // namespace wafertlm
