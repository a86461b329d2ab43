// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/io_tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "tlm/npu_name.h"
#include "workloads/collectives/blocks.h"
#include "workloads/collectives/in_network.h"

namespace wafertlm {
namespace {

/// Filling the pipeline may take this part of the time when the chunk is left open.
constexpr std::uint64_t kFillParts = 200;
constexpr std::uint64_t kLeastChunk = 4096;

bool along_row_first(const IoPort& port) { return port.side == Side::east || port.side == Side::west; }

/// The NPU that `npu` gets the stream of `port` from; itself at the entry.
NpuId parent_of(NpuId npu, const IoPort& port, const FabricTraits& fabric) {
  std::uint32_t column = fabric.column(npu), row = fabric.row(npu);
  const std::uint32_t to_column = fabric.column(port.npu), to_row = fabric.row(port.npu);
  const auto towards = [](std::uint32_t& place, std::uint32_t to) {
    if (place != to) place = place < to ? place + 1 : place - 1;
  };
  // The stem runs along the row (column) of the entry, branches leave it at right angles.
  const bool on_stem = along_row_first(port) ? row == to_row : column == to_column;
  if (along_row_first(port) == on_stem)
    towards(column, to_column);
  else
    towards(row, to_row);
  return static_cast<NpuId>(row * fabric.width + column);
}

/// Trees are made over places: 0 is the controller, 1 + n NPU n. `parent` of who is not in the tree: kNobody.
constexpr std::uint32_t kNobody = ~std::uint32_t{0};
std::uint32_t place_of(NpuId npu) { return 1 + static_cast<std::uint32_t>(npu); }

struct Places {
  std::vector<bool> is_member;                      // by NPU
  std::vector<std::vector<std::uint32_t>> parents;  // by tree and place
};

std::vector<std::uint32_t> tree_on_mesh(const IoPort& port, const std::vector<bool>& is_member,
                                        const FabricTraits& fabric) {
  std::vector<std::uint32_t> parents(1 + fabric.npus(), kNobody);
  parents[0] = 0;
  for (std::uint32_t n = 0; n < fabric.npus(); ++n) {
    if (!is_member[n]) continue;
    auto npu = static_cast<NpuId>(n);
    while (parents[place_of(npu)] == kNobody) {
      const NpuId from = parent_of(npu, port, fabric);
      parents[place_of(npu)] = from == npu ? 0 : place_of(from);
      npu = from;
    }
  }
  return parents;
}

/// The stream of controller k in a tree of switches: from one L1 switch with members to the next, beginning
/// at its own and keeping together what hangs on an L2 switch, so that each uplink is crossed at most once in
/// each direction. Each L1 switch has an NPU at which the stream enters and leaves, another one for every
/// stream and lane; from there it goes from NPU to NPU.
std::vector<std::uint32_t> tree_on_fred(std::uint32_t k, std::uint32_t lane,
                                        const std::vector<bool>& is_member, const FabricTraits& fabric) {
  const FredTraits& fred = fabric.fred;
  const std::uint32_t l1_per_l2 = fred.l1_switches / fred.l2_switches, own = fred.io[k];
  std::vector<std::uint32_t> parents(1 + fabric.npus(), kNobody);
  parents[0] = 0;
  std::uint32_t entry = 0;
  for (std::uint32_t i = 0; i < fred.l2_switches; ++i)
    for (std::uint32_t j = 0; j < l1_per_l2; ++j) {
      const std::uint32_t l2 = (own / l1_per_l2 + i) % fred.l2_switches, place = (own + j) % l1_per_l2;
      const std::uint32_t first = (l2 * l1_per_l2 + place) * fred.npus_per_l1;
      std::vector<std::uint32_t> here;
      for (std::uint32_t n = first; n < first + fred.npus_per_l1; ++n)
        if (is_member[n]) here.push_back(place_of(static_cast<NpuId>(n)));
      const auto count = static_cast<std::uint32_t>(here.size());
      for (std::uint32_t step = 0, last = entry; step < count; ++step) {
        const std::uint32_t npu = here[(k + lane + step) % count];
        parents[npu] = last;
        last = npu;
        if (step == 0) entry = npu;
      }
    }
  return parents;
}

/// In a tree of switches a stream has a lane for each NPU of an L1 switch, up to kMostLanes: the NPUs then
/// send equal parts of what crosses an uplink.
constexpr std::uint32_t kMostLanes = 4;

IoTreePlan plan_of(std::uint32_t controller, const std::vector<bool>& is_member, const FabricTraits& fabric) {
  std::vector<std::vector<std::uint32_t>> trees;  // parents by place
  if (fabric.is_mesh())
    trees.push_back(tree_on_mesh(fabric.io[controller], is_member, fabric));
  else
    for (std::uint32_t lane = 0; lane < std::min(kMostLanes, fabric.fred.npus_per_l1); ++lane)
      trees.push_back(tree_on_fred(controller, lane, is_member, fabric));
  IoTreePlan plan;
  plan.group.push_back(fabric.io_controller(controller));
  plan.relays.push_back(false);
  std::vector<std::uint32_t> rank_of(1 + fabric.npus(), 0);
  for (std::uint32_t n = 0; n < fabric.npus(); ++n) {
    const std::uint32_t place = place_of(static_cast<NpuId>(n));
    if (trees.front()[place] == kNobody) continue;  // all trees have the same NPUs
    rank_of[place] = static_cast<std::uint32_t>(plan.group.size());
    plan.group.push_back(static_cast<NpuId>(n));
    plan.relays.push_back(!is_member[n]);
  }
  for (const auto& parents : trees) {
    IoTree& tree = plan.trees.emplace_back();
    tree.parent.resize(plan.group.size());
    tree.children.resize(plan.group.size());
    for (std::uint32_t place = 1; place < parents.size(); ++place) {
      if (parents[place] == kNobody) continue;
      const std::uint32_t rank = rank_of[place], parent = rank_of[parents[place]];
      tree.parent[rank] = parent;
      tree.children[parent].push_back(rank);
    }
  }
  return plan;
}

/// Between a rank and its parent; levels at which the way turns in a tree of switches, where a controller is
/// on an L1 switch as NPUs are.
std::uint32_t l1_of(const IoTreePlan& plan, std::uint32_t rank, const FabricTraits& fabric) {
  return rank == plan.root ? fabric.fred.io[index_of(plan.group[rank]) - fabric.npus()]
                           : fabric.fred.l1_of(plan.group[rank]);
}
std::uint32_t turn_level(const IoTreePlan& plan, std::uint32_t from, std::uint32_t to,
                         const FabricTraits& fabric) {
  const std::uint32_t a = l1_of(plan, from, fabric), b = l1_of(plan, to, fabric);
  return a == b ? 1 : fabric.fred.l2_of_l1(a) == fabric.fred.l2_of_l1(b) ? 2 : 3;
}

/// The longest way from the entry: hops from NPU to NPU, and the latency of their heads; and that of the head
/// between the controller and the entry.
struct Way {
  std::uint32_t hops = 0;
  TimePs head_ps = 0;
  TimePs entry_ps = 0;
};

/// Of the head between a controller and an NPU of its own router or switch: there without one of the NPUs'
/// two links.
TimePs at_once_ps(const FabricTraits& fabric) {
  return fabric.is_mesh() ? fabric.ends_latency_ps
                          : fabric.fred.turn_latency_ps.front() - fabric.fred.npu_link_latency_ps;
}

Way longest_way(const IoTreePlan& plan, const IoTree& tree, const FabricTraits& fabric) {
  Way longest;
  for (std::uint32_t rank = 1; rank < tree.parent.size(); ++rank) {
    Way way;
    for (std::uint32_t at = rank; tree.parent[at] != plan.root; at = tree.parent[at]) {
      ++way.hops;
      way.head_ps += fabric.head_latency_ps(plan.group[tree.parent[at]], plan.group[at]);
    }
    longest.hops = std::max(longest.hops, way.hops);
    longest.head_ps = std::max(longest.head_ps, way.head_ps);
  }
  longest.entry_ps = at_once_ps(fabric);
  if (fabric.is_mesh()) return longest;
  const std::uint32_t level = turn_level(plan, plan.root, tree.children[plan.root].front(), fabric);
  longest.entry_ps += fabric.fred.turn_latency_ps[level - 1] - fabric.fred.turn_latency_ps.front();
  return longest;
}

TimePs at_least_ps(std::uint64_t bytes, std::uint64_t bytes_per_s) {
  return static_cast<TimePs>(Uint128{bytes} * kPsPerSecond / bytes_per_s);
}

/// Of the first byte, from the controller to the end of the way or back.
TimePs way_ps(const Way& way, const FabricTraits& fabric) {
  return fabric.io_latency_ps + way.entry_ps + way.head_ps +
         (1 + way.hops) * (fabric.step_cost_ps + fabric.receive_cost_ps);
}

/// Payload that a stream puts on every link and through every NPU's port: the most.
struct Loads {
  std::uint64_t link_bytes = 0, link_bytes_per_s = 1;  ///< of the link that takes longest
  std::uint32_t link_shares = 0;                       ///< trees that use a link
  std::uint64_t port_bytes = 0, channel_bytes = 0;
  Way way;
  TimePs least_entry_ps = kNever;  ///< of the head, into the wafer
  TimePs channel_ps = 0;           ///< bound: a channel's last byte has all the way to go

  void add_link(std::uint64_t bytes, std::uint32_t shares, std::uint64_t bytes_per_s) {
    link_shares = std::max(link_shares, shares);
    if (Uint128{bytes} * link_bytes_per_s <= Uint128{link_bytes} * bytes_per_s) return;
    link_bytes = bytes;
    link_bytes_per_s = bytes_per_s;
  }
};

struct LinkUse {
  std::uint64_t bytes = 0;
  std::uint32_t shares = 0;
};

/// What trees put on links, by their names: on a mesh the pair of NPUs at their ends, in a tree of switches
/// level, direction and switch.
using LinkUses = std::map<std::array<std::uint32_t, 3>, LinkUse>;

/// Of the way between a rank and its parent.
void add_links(LinkUses& uses, const IoTreePlan& plan, std::uint32_t parent, std::uint32_t rank,
               std::uint64_t bytes, bool counts, const FabricTraits& fabric) {
  const auto add = [&](std::array<std::uint32_t, 3> link) {
    uses[link].bytes += bytes;
    uses[link].shares += counts ? 1 : 0;
  };
  if (fabric.is_mesh()) {
    if (parent != plan.root)
      add({1, static_cast<std::uint32_t>(plan.group[parent]), static_cast<std::uint32_t>(plan.group[rank])});
    return;
  }
  const std::uint32_t level = turn_level(plan, parent, rank, fabric);
  const std::uint32_t from = l1_of(plan, parent, fabric), to = l1_of(plan, rank, fabric);
  if (level > 1) {
    add({1, 0, from});
    add({1, 1, to});
  }
  if (level > 2) {
    add({2, 0, fabric.fred.l2_of_l1(from)});
    add({2, 1, fabric.fred.l2_of_l1(to)});
  }
}

Loads loads_of(const std::vector<IoTreePlan>& plans, const FabricTraits& fabric) {
  Loads most;
  most.link_bytes_per_s = fabric.is_mesh() ? fabric.link_bytes_per_s : fabric.fred.l1_uplink_bytes_per_s;
  LinkUses links;
  std::vector<std::uint64_t> to_children(fabric.npus()), to_parent(fabric.npus());  // by NPU
  for (const IoTreePlan& plan : plans) {
    most.channel_bytes = std::max(most.channel_bytes, plan.bytes);
    TimePs shortest_lane = kNever;
    for (std::size_t lane = 0; lane < plan.trees.size(); ++lane) {
      const IoTree& tree = plan.trees[lane];
      const std::uint64_t bytes = plan.bytes_of(lane);
      const Way way = longest_way(plan, tree, fabric);
      most.way.hops = std::max(most.way.hops, way.hops);
      most.way.head_ps = std::max(most.way.head_ps, way.head_ps);
      most.way.entry_ps = std::max(most.way.entry_ps, way.entry_ps);
      most.least_entry_ps = std::min(most.least_entry_ps, way.entry_ps);
      shortest_lane = std::min(shortest_lane, way_ps(way, fabric));
      for (std::uint32_t rank = 1; rank < plan.group.size(); ++rank) {
        to_children[index_of(plan.group[rank])] += tree.children[rank].size() * bytes;
        to_parent[index_of(plan.group[rank])] += bytes;
        // The lanes of a stream cross the same uplinks.
        add_links(links, plan, tree.parent[rank], rank, bytes, lane == 0, fabric);
      }
    }
    // Shares differ by an element; those without one are in no hurry.
    if (plan.bytes != 0)
      most.channel_ps =
          std::max(most.channel_ps, at_least_ps(plan.bytes, fabric.io_bytes_per_s) + shortest_lane);
  }
  for (const auto& [link, use] : links)
    most.add_link(use.bytes, use.shares,
                  fabric.is_mesh() ? fabric.link_bytes_per_s
                  : link[0] == 1   ? fabric.fred.l1_uplink_bytes_per_s
                                   : fabric.fred.l2_uplink_bytes_per_s);
  for (std::uint32_t npu = 0; npu < fabric.npus(); ++npu)
    most.port_bytes = std::max({most.port_bytes, to_children[npu], to_parent[npu]});
  return most;
}

/// Gradients in a tree of switches: messages with which one of a chunk shares the ports of the NPUs on its
/// way, summed over its hops. At the start every leaf sends as fast as its port allows, for all controllers
/// and lanes in which it is one, then also the NPUs behind the leaves, and so on: at hop i an NPU has a place
/// in the first i of npus_per_l1 in so many trees. Weights come at the controllers' rate and find idle ports.
std::uint64_t sharing_of_first_chunks(const Loads& loads, const FabricTraits& fabric) {
  const std::uint32_t places = fabric.fred.npus_per_l1;
  const std::uint64_t trees = std::uint64_t{fabric.io_controllers()} * std::min(kMostLanes, places);
  std::uint64_t sharing = 0;
  for (std::uint32_t hop = 1; hop <= loads.way.hops; ++hop) sharing += trees * std::min(hop, places) / places;
  return sharing;
}

/// The largest whole number of kLeastChunk (of packets, if they are smaller) with which filling the tree
/// takes at most 1/kFillParts of the time: each hop shares its link with as many streams as the busiest link
/// (gradients in a tree of switches: sharing_of_first_chunks). A chunk may be less than a packet: it is
/// passed on as a whole, so packets of its size would fill no sooner.
std::uint64_t fill_chunk(const Loads& loads, bool sends_in, const FabricTraits& fabric) {
  const std::uint64_t unit = std::min<std::uint64_t>(fabric.format.packet_bytes, kLeastChunk);
  const std::uint64_t port = std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s);
  if (!sends_in && !fabric.is_mesh() && loads.way.hops != 0) {
    const Uint128 bytes =
        Uint128{loads.channel_bytes} * port /
        (Uint128{kFillParts} * fabric.io_bytes_per_s * sharing_of_first_chunks(loads, fabric));
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(bytes / unit), 1) * unit;
  }
  const Uint128 link = fabric.is_mesh() ? loads.link_bytes_per_s : std::min(loads.link_bytes_per_s, port);
  const Uint128 shared = Uint128{loads.link_shares} * fabric.io_bytes_per_s;
  const Uint128 bytes =
      loads.channel_bytes * std::max(link, shared) / (kFillParts * (link + loads.way.hops * shared));
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(bytes / unit), 1) * unit;
}

/// A chunk does not cut the vector's elements of 4 bytes, if it has them.
std::uint64_t whole_elements(std::uint64_t chunk_bytes, std::uint64_t vector_bytes) {
  return vector_bytes % 4 == 0 ? (chunk_bytes + 3) / 4 * 4 : chunk_bytes;
}

/// `sends_in`: the controllers send.
CollectiveCost cost_of_loads(const Loads& loads, std::uint64_t chunk_bytes, bool sends_in,
                             const FabricTraits& fabric) {
  const std::uint64_t port = std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s);
  const auto wire_ps = [&](std::uint64_t bytes, std::uint64_t bytes_per_s) {
    return at_least_ps(fabric.format.message_wire_bytes(bytes), bytes_per_s);
  };
  const TimePs busiest =
      std::max({wire_ps(loads.link_bytes, loads.link_bytes_per_s), wire_ps(loads.port_bytes, port),
                wire_ps(loads.channel_bytes, fabric.io_bytes_per_s)});
  const std::uint64_t whole = std::min(chunk_bytes, loads.channel_bytes);
  const std::uint64_t chunk = fabric.format.message_wire_bytes(whole);
  const std::uint64_t chunks = (loads.channel_bytes + whole - 1) / whole;
  const TimePs chunk_ps = transfer_time_ps(chunk, std::min(loads.link_bytes_per_s, port));
  const TimePs fill_ps = sends_in || fabric.is_mesh()
                             ? loads.way.hops * chunk_ps
                             : transfer_time_ps(chunk * sharing_of_first_chunks(loads, fabric), port);
  // A sender is not ready for its next chunk before, nor a receiver.
  const TimePs pace =
      std::max({fabric.step_cost_ps + chunk_ps, fabric.receive_cost_ps,
                sends_in ? fabric.step_cost_ps + transfer_time_ps(chunk, fabric.io_bytes_per_s) : TimePs{0}});
  CollectiveCost cost;
  // What is on the busiest link or port has a part of the way still to go: into the wafer, and a hop. If an
  // entry lies behind links the busiest one may be among them, and the hop is no more than a part of the way
  // in.
  Way in;
  in.entry_ps = loads.least_entry_ps;
  const TimePs entry = way_ps(in, fabric);
  const bool enters_at_once = loads.way.entry_ps <= at_once_ps(fabric);
  const TimePs hop = enters_at_once ? fabric.step_cost_ps + fabric.head_latency_ps(fabric.is_mesh() ? 1 : 2) +
                                          fabric.receive_cost_ps
                                    : 0;
  const TimePs link =
      loads.link_bytes == 0 ? 0 : at_least_ps(loads.link_bytes, loads.link_bytes_per_s) + entry + hop;
  cost.bound_ps = std::max({link, at_least_ps(loads.port_bytes, port) + entry, loads.channel_ps});
  cost.predicted_ps =
      std::max(std::max(busiest, chunks * pace) + way_ps(loads.way, fabric) + fill_ps, cost.bound_ps);
  return cost;
}

/// fill_chunk, or as many times as much as makes the costs of the messages small enough.
std::uint64_t open_chunk(const Loads& loads, bool sends_in, const FabricTraits& fabric) {
  std::uint64_t best = fill_chunk(loads, sends_in, fabric);
  if (fabric.step_cost_ps == 0 && fabric.receive_cost_ps == 0) return best;
  TimePs shortest = kNever;
  for (std::uint64_t chunk = best; chunk < 2 * loads.channel_bytes; chunk *= 2)
    if (const TimePs time = cost_of_loads(loads, chunk, sends_in, fabric).predicted_ps; time < shortest) {
      shortest = time;
      best = chunk;
    }
  return best;
}

/// The streams as flows that the switches distribute or add up: as much on the uplinks as in the trees, each
/// byte once through the port of an NPU, and no way from NPU to NPU.
CollectiveCost cost_of_flows(const Loads& loads, std::uint64_t bytes, const FabricTraits& fabric) {
  const std::uint64_t port = std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s);
  const auto wire_ps = [&](std::uint64_t payload, std::uint64_t bytes_per_s) {
    return at_least_ps(fabric.format.message_wire_bytes(payload), bytes_per_s);
  };
  TimePs far = 0;
  for (const std::uint32_t l1 : fabric.fred.io)
    for (std::uint32_t other = 0; other < fabric.fred.l1_switches; ++other) {
      const auto first = [&](std::uint32_t of) { return static_cast<NpuId>(of * fabric.fred.npus_per_l1); };
      far = std::max(far, fabric.fred.turn_latency_ps[fabric.fred.turn_level(first(l1), first(other)) - 1]);
    }
  const TimePs way = fabric.io_latency_ps + far - fabric.fred.npu_link_latency_ps + fabric.step_cost_ps +
                     fabric.receive_cost_ps;
  Way in;
  in.entry_ps = loads.least_entry_ps;
  CollectiveCost cost;
  cost.bound_ps = way_ps(in, fabric) +
                  std::max({at_least_ps(loads.link_bytes, loads.link_bytes_per_s), at_least_ps(bytes, port),
                            at_least_ps(loads.channel_bytes, fabric.io_bytes_per_s)});
  cost.predicted_ps = std::max(
      cost.bound_ps, way + std::max({wire_ps(loads.link_bytes, loads.link_bytes_per_s), wire_ps(bytes, port),
                                     wire_ps(loads.channel_bytes, fabric.io_bytes_per_s)}));
  return cost;
}

}  // namespace

std::uint64_t IoTreePlan::bytes_of(std::size_t tree) const {
  if (chunks_of(tree) == 0) return 0;
  const bool has_last = (chunks() - 1) % trees.size() == tree;
  const std::uint64_t full = std::uint64_t{chunks_of(tree)} * chunk_bytes;
  return has_last ? full - (std::uint64_t{chunks()} * chunk_bytes - bytes) : full;
}

IoProgram::IoProgram(std::shared_ptr<const IoTreePlan> plan, std::uint32_t rank, bool reduces)
    : plan_(std::move(plan)) {
  const auto add = [&](std::uint32_t tree, Step::Kind kind, std::uint32_t peer, std::uint32_t after) {
    places_.push_back({tree, kind, peer, after});
    return static_cast<std::uint32_t>(places_.size() - 1);
  };
  for (std::uint32_t number = 0; number < plan_->trees.size(); ++number) {
    const IoTree& tree = plan_->trees[number];
    const bool is_root = rank == plan_->root;
    std::uint32_t holds = Step::kNone;  // the strand after whose step the chunk can go on
    if (!reduces && !is_root) holds = add(number, Step::Kind::copy, tree.parent[rank], holds);
    for (const std::uint32_t child : tree.children[rank]) {
      const bool has_none = plan_->relays[rank] && holds == Step::kNone;
      const Step::Kind takes = has_none ? Step::Kind::copy : Step::Kind::reduce;
      const std::uint32_t strand = add(number, reduces ? takes : Step::Kind::send, child, holds);
      if (reduces) holds = strand;
    }
    if (reduces && !is_root) add(number, Step::Kind::send, tree.parent[rank], holds);
  }
}

Step IoProgram::step(std::uint32_t strand, std::uint32_t index) const {
  const Place& place = places_[strand];
  const std::uint32_t chunk = index * static_cast<std::uint32_t>(plan_->trees.size()) + place.tree;
  Step step;
  step.kind = place.kind;
  step.peer = place.peer;
  step.offset = chunk * plan_->chunk_bytes;
  step.bytes = std::min(plan_->chunk_bytes, plan_->bytes - step.offset);
  step.tag = chunk;
  if (place.after != Step::kNone) {
    step.after_strand = place.after;
    step.after_count = index + 1;
  }
  return step;
}

IoStream plan_io_stream(const IoStreamRequest& request, const FabricTraits& fabric) {
  if (fabric.io_controllers() == 0)
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
  const Blocks shares(request.bytes, fabric.io_controllers());
  std::vector<IoTreePlan> plans;
  for (std::uint32_t k = 0; k < fabric.io_controllers(); ++k) {
    plans.push_back(plan_of(k, is_member, fabric));
    plans.back().bytes = shares.bytes(k);
    plans.back().chunk_bytes = std::max<std::uint64_t>(fabric.format.packet_bytes, shares.bytes(k) >> 20);
  }
  Loads loads = loads_of(plans, fabric);
  IoStream stream;
  const bool sends_in = request.type == CollectiveType::broadcast;
  stream.chunk_bytes = whole_elements(
      request.chunk_bytes ? *request.chunk_bytes : open_chunk(loads, sends_in, fabric), request.bytes);
  if (loads.channel_bytes / stream.chunk_bytes >= Step::kNone)
    throw std::invalid_argument("a stream of " + std::to_string(request.bytes) + " B in chunks of " +
                                std::to_string(stream.chunk_bytes) + " B has too many; raise wafer.io.chunk");
  for (IoTreePlan& plan : plans) plan.chunk_bytes = stream.chunk_bytes;
  loads = loads_of(plans, fabric);
  // Whoever asks for chunks gets trees of endpoints.
  const bool in_network = fabric.streams_in_network && !request.chunk_bytes;
  stream.busiest_link_bytes = loads.link_bytes;
  stream.busiest_link_shares = loads.link_shares;
  if (request.bytes != 0)
    stream.cost = in_network ? cost_of_flows(loads, request.bytes, fabric)
                             : cost_of_loads(loads, stream.chunk_bytes, sends_in, fabric);
  if (in_network) stream.chunk_bytes = fabric.format.packet_bytes;
  for (std::uint32_t k = 0; k < plans.size(); ++k) {
    auto program = std::make_shared<CollectiveProgram>();
    program->type = request.type;
    program->algorithm = in_network ? "in_network" : "io_tree";
    program->data_type = request.data_type;
    program->bytes = program->buffer_bytes = plans[k].bytes;
    program->group = plans[k].group;
    program->relays = plans[k].relays;
    if (in_network) {
      program->flow_additions = fabric.flow_additions;
      const auto ranks = static_cast<std::uint32_t>(program->group.size());
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        program->ranks.push_back(
            std::make_unique<InNetworkProgram>(request.type, ranks, program->bytes, 0, rank));
      stream.channels.push_back(std::move(program));
      continue;
    }
    const auto plan = std::make_shared<const IoTreePlan>(std::move(plans[k]));
    for (std::uint32_t rank = 0; rank < program->group.size(); ++rank)
      program->ranks.push_back(
          std::make_unique<IoProgram>(plan, rank, request.type == CollectiveType::reduce));
    stream.channels.push_back(std::move(program));
  }
  return stream;
}

}  // namespace wafertlm
