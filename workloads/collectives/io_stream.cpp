// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/io_stream.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/packets/npu_name.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/basic/in_network.h"
#include "workloads/collectives/cost.h"

namespace wafertlm {
namespace {

/// A tree over the ranks of a collective.
struct IoTree {
  std::vector<std::uint32_t> parent;                 ///< by rank; the root's is the root
  std::vector<std::vector<std::uint32_t>> children;  ///< by rank
};

/// A vector that goes through trees with the same root in chunks: chunk c takes tree c mod their number.
struct IoTreePlan {
  Group group;               ///< the controller, then the NPUs of the trees in the order of their numbers
  std::vector<bool> relays;  ///< by rank: not a member of the stream, only passes it on; empty: nobody
  std::uint32_t root = 0;
  std::vector<IoTree> trees;
  std::uint64_t bytes = 0, chunk_bytes = 1;

  std::uint32_t chunks() const { return static_cast<std::uint32_t>((bytes + chunk_bytes - 1) / chunk_bytes); }
  std::uint32_t chunks_of(std::size_t tree) const {
    const auto count = static_cast<std::uint32_t>(trees.size());
    return (chunks() + count - 1 - static_cast<std::uint32_t>(tree)) / count;
  }
  /// What goes through a tree.
  std::uint64_t bytes_of(std::size_t tree) const {
    if (chunks_of(tree) == 0) return 0;
    const bool has_last = (chunks() - 1) % trees.size() == tree;
    const std::uint64_t full = std::uint64_t{chunks_of(tree)} * chunk_bytes;
    return has_last ? full - (std::uint64_t{chunks()} * chunk_bytes - bytes) : full;
  }
};

/// The trees of a controller, without bytes.
IoTreePlan io_trees_of(std::uint32_t controller, const std::vector<bool>& is_member,
                       const Topology& topology) {
  const NpuId root = topology.io_controller(controller);
  const std::vector<IoParents> trees = topology.io_trees(controller, is_member);
  IoTreePlan plan;
  plan.group.push_back(root);
  plan.relays.push_back(false);
  std::vector<std::uint32_t> rank_of(topology.npus(), 0);
  for (std::uint32_t n = 0; n < topology.npus(); ++n) {
    if (trees.front()[n] == kNoNpu) continue;  // all trees have the same NPUs
    rank_of[n] = static_cast<std::uint32_t>(plan.group.size());
    plan.group.push_back(static_cast<NpuId>(n));
    plan.relays.push_back(!is_member[n]);
  }
  for (const IoParents& parents : trees) {
    IoTree& tree = plan.trees.emplace_back();
    tree.parent.resize(plan.group.size());
    tree.children.resize(plan.group.size());
    for (std::uint32_t rank = 1; rank < plan.group.size(); ++rank) {
      const NpuId from = parents[index_of(plan.group[rank])];
      const std::uint32_t parent = from == root ? plan.root : rank_of[index_of(from)];
      tree.parent[rank] = parent;
      tree.children[parent].push_back(rank);
    }
  }
  return plan;
}

/// One rank's part: per tree a threadblock for the parent and one for each child, a step per chunk.
/// Broadcast: chunks come from the parent and are passed on. Reduce: what children send is added, one behind
/// the other, so that the sum that goes to the parent depends on the last one only; a relay has nothing to
/// add it to.
class IoProgram : public StepSource {
 public:
  IoProgram(std::shared_ptr<const IoTreePlan> plan, std::uint32_t rank, bool reduces);
  std::uint32_t threadblocks() const override { return static_cast<std::uint32_t>(edges_.size()); }
  std::uint32_t steps(std::uint32_t threadblock) const override {
    return plan_->chunks_of(edges_[threadblock].tree);
  }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  /// To the parent or a child in a tree.
  struct Edge {
    std::uint32_t tree;
    Step::Kind kind;
    std::uint32_t peer;
    std::uint32_t after;  ///< threadblock whose step of the same chunk comes first, or kNone
  };
  std::shared_ptr<const IoTreePlan> plan_;
  std::vector<Edge> edges_;  ///< by threadblock
};

IoProgram::IoProgram(std::shared_ptr<const IoTreePlan> plan, std::uint32_t rank, bool reduces)
    : plan_(std::move(plan)) {
  const auto add = [&](std::uint32_t tree, Step::Kind kind, std::uint32_t peer, std::uint32_t after) {
    edges_.push_back({tree, kind, peer, after});
    return static_cast<std::uint32_t>(edges_.size() - 1);
  };
  for (std::uint32_t number = 0; number < plan_->trees.size(); ++number) {
    const IoTree& tree = plan_->trees[number];
    const bool is_root = rank == plan_->root;
    std::uint32_t holds = Step::kNone;  // the threadblock after whose step the chunk can go on
    if (!reduces && !is_root) holds = add(number, Step::Kind::copy, tree.parent[rank], holds);
    for (const std::uint32_t child : tree.children[rank]) {
      const bool has_none = plan_->relays[rank] && holds == Step::kNone;
      const Step::Kind takes = has_none ? Step::Kind::copy : Step::Kind::reduce;
      const std::uint32_t threadblock = add(number, reduces ? takes : Step::Kind::send, child, holds);
      if (reduces) holds = threadblock;
    }
    if (reduces && !is_root) add(number, Step::Kind::send, tree.parent[rank], holds);
  }
}

Step IoProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const Edge& edge = edges_[threadblock];
  const std::uint32_t chunk = index * static_cast<std::uint32_t>(plan_->trees.size()) + edge.tree;
  Step step;
  step.kind = edge.kind;
  step.peer = edge.peer;
  step.offset = chunk * plan_->chunk_bytes;
  step.bytes = std::min(plan_->chunk_bytes, plan_->bytes - step.offset);
  step.tag = chunk;
  if (edge.after != Step::kNone) {
    step.after_threadblock = edge.after;
    step.after_count = index + 1;
  }
  return step;
}

/// From a controller to an NPU of its tree.
struct IoPath {
  std::uint32_t hops = 0;  ///< from NPU to NPU
  TimePs head_ps = 0;      ///< of their heads
  TimePs entry_ps = 0;     ///< of the head between the controller and the first NPU
};

/// Payload that a stream puts on every link and through every NPU's port: the most.
struct IoLoads {
  std::uint64_t link_bytes = 0, link_bytes_per_s = 1;  ///< of the link that takes longest
  std::uint32_t link_shares = 0;                       ///< trees that use a link
  TimePs link_head_ps = kNever;                        ///< the least head latency over a link in use
  std::uint64_t port_bytes = 0, port_bytes_per_s = 1;  // of the busiest port of an NPU
  std::uint64_t channel_bytes = 0;
  IoPath path;                     ///< the longest of each
  TimePs least_entry_ps = kNever;  ///< of the head, into the wafer
  bool enters_at_once = true;      ///< every tree begins at an NPU of the controller's own router or switch
  TimePs channel_ps = 0;           ///< bound: a channel's last byte has all the path to go
};

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

  void find_busiest(bool sends_in, IoLoads& loads) const {
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
    const EndpointPorts& ports = topology_.ports();
    const auto port = [&](std::uint64_t bytes, std::uint64_t bytes_per_s) {
      if (Uint128{bytes} * loads.port_bytes_per_s <= Uint128{loads.port_bytes} * bytes_per_s) return;
      loads.port_bytes = bytes;
      loads.port_bytes_per_s = bytes_per_s;
    };
    for (std::uint32_t npu = 0; npu < topology_.npus(); ++npu) {
      port(sends_in ? to_children_[npu] : to_parent_[npu], ports.injection_bytes_per_s);
      port(sends_in ? to_parent_[npu] : to_children_[npu], ports.ejection_bytes_per_s);
    }
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

IoLoads io_loads(const std::vector<IoTreePlan>& plans, bool sends_in, const FabricTraits& fabric) {
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
  uses.find_busiest(sends_in, loads);
  return loads;
}

/// Through trees of endpoints.
CollectiveCost io_tree_cost(const IoLoads& loads, std::uint64_t chunk_bytes, bool sends_in,
                            const FabricTraits& fabric) {
  const std::uint64_t port = fabric.port_bytes_per_s();
  const std::uint64_t io = fabric.topology->ports().io_bytes_per_s;
  const TimePs busiest = std::max({wire_ps(loads.link_bytes, loads.link_bytes_per_s, fabric),
                                   wire_ps(loads.port_bytes, loads.port_bytes_per_s, fabric),
                                   wire_ps(loads.channel_bytes, io, fabric)});
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
  cost.bound_ps =
      std::max({link, at_least_ps(loads.port_bytes, loads.port_bytes_per_s) + entry, loads.channel_ps});
  cost.predicted_ps =
      std::max(std::max(busiest, chunks * pace) + path_ps(loads.path, fabric) + fill_ps, cost.bound_ps);
  return cost;
}

/// The chunk of a stream that leaves it open: such that filling the trees takes little of the time, and more
/// if else the costs of the messages are too high. `sends_in`: the controllers send.
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

/// As flows that the switches distribute or add up: as much on the links as in the trees, each byte once
/// through the port of an NPU, and no path from NPU to NPU.
CollectiveCost io_flow_cost(const IoLoads& loads, std::uint64_t bytes, bool sends_in,
                            const FabricTraits& fabric) {
  const Topology& topology = *fabric.topology;
  IoPath far;
  for (std::uint32_t k = 0; k < topology.io_controllers(); ++k)
    for (std::uint32_t npu = 0; npu < topology.npus(); ++npu)
      far.entry_ps = std::max(far.entry_ps,
                              topology.head_latency_ps(topology.io_controller(k), static_cast<NpuId>(npu)));
  const EndpointPorts& ports = topology.ports();
  const std::uint64_t port = sends_in ? ports.ejection_bytes_per_s : ports.injection_bytes_per_s;
  const std::uint64_t io = ports.io_bytes_per_s;
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

std::vector<bool> members_of(const IoStreamRequest& request, const FabricTraits& fabric) {
  if (fabric.topology->io_controllers() == 0)
    throw std::invalid_argument(
        "the platform has no I/O controllers; set wafer.io.controllers, for instance to perimeter (of FRED: "
        "to a number)");
  if (request.type != CollectiveType::broadcast && request.type != CollectiveType::reduce)
    throw std::invalid_argument("an I/O stream is a broadcast or a reduce");
  std::vector<bool> is_member(fabric.npus(), request.members.empty());
  for (const NpuId npu : request.members) {
    if (index_of(npu) >= fabric.npus())
      throw std::invalid_argument(npu_name(npu) + " of an I/O stream is not on the wafer");
    is_member[index_of(npu)] = true;
  }
  return is_member;
}

/// A chunk does not cut the vector's elements of 4 bytes, if it has them.
std::uint64_t whole_elements(std::uint64_t chunk_bytes, std::uint64_t vector_bytes) {
  return vector_bytes % 4 == 0 ? (chunk_bytes + 3) / 4 * 4 : chunk_bytes;
}

std::shared_ptr<const CollectiveProgram> channel_of(IoTreePlan plan, const IoStreamRequest& request,
                                                    bool in_network, const FabricTraits& fabric) {
  auto program = std::make_shared<CollectiveProgram>();
  program->type = request.type;
  program->algorithm = in_network ? "in_network" : "io_tree";
  program->data_type = request.data_type;
  program->bytes = program->buffer_bytes = plan.bytes;
  program->group = plan.group;
  program->relays = plan.relays;
  const auto ranks = static_cast<std::uint32_t>(program->group.size());
  if (in_network) {
    program->flow_additions = fabric.flow_additions;
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      program->ranks.push_back(
          std::make_unique<InNetworkProgram>(request.type, ranks, program->bytes, 0, rank));
    return program;
  }
  const auto shared = std::make_shared<const IoTreePlan>(std::move(plan));
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    program->ranks.push_back(
        std::make_unique<IoProgram>(shared, rank, request.type == CollectiveType::reduce));
  return program;
}

}  // namespace

IoStream plan_io_stream(const IoStreamRequest& request, const FabricTraits& fabric) {
  const std::vector<bool> is_member = members_of(request, fabric);
  const std::uint32_t controllers = fabric.topology->io_controllers();
  const Blocks shares(request.bytes, controllers);
  std::vector<IoTreePlan> plans;
  for (std::uint32_t k = 0; k < controllers; ++k) {
    plans.push_back(io_trees_of(k, is_member, *fabric.topology));
    plans.back().bytes = shares.bytes(k);
    plans.back().chunk_bytes = std::max<std::uint64_t>(fabric.format.packet_bytes, shares.bytes(k) >> 20);
  }
  const bool sends_in = request.type == CollectiveType::broadcast;
  IoLoads loads = io_loads(plans, sends_in, fabric);
  IoStream stream;
  stream.chunk_bytes = whole_elements(
      request.chunk_bytes ? *request.chunk_bytes : open_io_chunk(loads, sends_in, fabric), request.bytes);
  if (loads.channel_bytes / stream.chunk_bytes >= Step::kNone)
    throw std::invalid_argument("a stream of " + std::to_string(request.bytes) + " B in chunks of " +
                                std::to_string(stream.chunk_bytes) + " B has too many; raise wafer.io.chunk");
  for (IoTreePlan& plan : plans) plan.chunk_bytes = stream.chunk_bytes;
  loads = io_loads(plans, sends_in, fabric);
  // Whoever asks for chunks gets trees of endpoints.
  const bool in_network = fabric.streams_in_network && !request.chunk_bytes;
  stream.busiest_link_bytes = loads.link_bytes;
  stream.busiest_link_shares = loads.link_shares;
  if (request.bytes != 0)
    stream.cost = in_network ? io_flow_cost(loads, request.bytes, sends_in, fabric)
                             : io_tree_cost(loads, stream.chunk_bytes, sends_in, fabric);
  if (in_network) stream.chunk_bytes = fabric.format.packet_bytes;
  for (IoTreePlan& plan : plans)
    stream.channels.push_back(channel_of(std::move(plan), request, in_network, fabric));
  return stream;
}

}  // namespace wafertlm
