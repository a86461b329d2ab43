// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/io_tree.h"

#include <algorithm>
#include <stdexcept>

#include "workloads/collectives/blocks.h"

namespace wafertlm {
namespace {

/// Filling the pipeline may take this part of the time when the chunk is left open.
constexpr std::uint64_t kFillParts = 200;
constexpr std::uint64_t kLeastChunk = 4096;

Step chunk_step(const IoTreePlan& plan, Step::Kind kind, std::uint32_t peer, std::uint32_t chunk) {
  Step step;
  step.kind = kind;
  step.peer = peer;
  step.offset = chunk * plan.chunk_bytes;
  step.bytes = std::min(plan.chunk_bytes, plan.bytes - step.offset);
  step.tag = chunk;
  return step;
}

Step after(Step step, std::uint32_t strand, std::uint32_t chunk) {
  step.after_strand = strand;
  step.after_count = chunk + 1;
  return step;
}

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

std::uint32_t rank_of(NpuId npu) { return 1 + static_cast<std::uint32_t>(npu); }

IoTreePlan tree_of(const IoPort& port, const FabricTraits& fabric) {
  IoTreePlan plan;
  plan.parent.resize(1 + fabric.npus());
  plan.children.resize(1 + fabric.npus());
  for (std::uint32_t n = 0; n < fabric.npus(); ++n) {
    const auto npu = static_cast<NpuId>(n);
    const NpuId from = parent_of(npu, port, fabric);
    const std::uint32_t parent = from == npu ? 0 : rank_of(from);
    plan.parent[rank_of(npu)] = parent;
    plan.children[parent].push_back(rank_of(npu));
  }
  return plan;
}

std::uint32_t depth_of(const IoTreePlan& plan) {
  std::uint32_t depth = 0;
  for (std::uint32_t rank = 1; rank < plan.parent.size(); ++rank) {
    std::uint32_t hops = 0;
    for (std::uint32_t at = rank; plan.parent[at] != 0; at = plan.parent[at]) ++hops;
    depth = std::max(depth, hops);
  }
  return depth;
}

/// Payload that a stream puts on every link and through every NPU's port.
struct Loads {
  std::uint64_t link_bytes = 0, port_bytes = 0, channel_bytes = 0;  // most
  std::uint32_t link_shares = 0, depth = 0;
  std::uint64_t deepest_bytes = 0;  ///< of a tree with that depth
};

Loads loads_of(const std::vector<IoTreePlan>& trees, std::uint32_t npus) {
  Loads most;
  // A link is known by its far end and the side it comes from; here by the pair of ranks.
  std::vector<std::vector<std::pair<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>>>> links(1 + npus);
  std::vector<std::uint64_t> to_children(1 + npus), to_parent(1 + npus);
  for (const IoTreePlan& tree : trees) {
    most.channel_bytes = std::max(most.channel_bytes, tree.bytes);
    // Shares differ by an element; those without one are in no hurry.
    if (const std::uint32_t depth = depth_of(tree); tree.bytes != 0 && depth >= most.depth) {
      most.deepest_bytes = depth > most.depth ? tree.bytes : std::max(most.deepest_bytes, tree.bytes);
      most.depth = depth;
    }
    for (std::uint32_t rank = 1; rank <= npus; ++rank) {
      to_children[rank] += tree.children[rank].size() * tree.bytes;
      to_parent[rank] += tree.bytes;
      const std::uint32_t parent = tree.parent[rank];
      if (parent == 0) continue;
      auto& from = links[parent];
      auto link =
          std::find_if(from.begin(), from.end(), [&](const auto& entry) { return entry.first == rank; });
      if (link == from.end()) link = from.insert(from.end(), {rank, {0, 0}});
      link->second.first += tree.bytes;
      most.link_shares = std::max(most.link_shares, ++link->second.second);
      most.link_bytes = std::max(most.link_bytes, link->second.first);
    }
  }
  for (std::uint32_t rank = 1; rank <= npus; ++rank)
    most.port_bytes = std::max({most.port_bytes, to_children[rank], to_parent[rank]});
  return most;
}

/// The largest whole number of kLeastChunk (of packets, if they are smaller) with which filling the tree
/// takes at most 1/kFillParts of the time: each hop shares its link with as many streams as the busiest link.
/// A chunk may be less than a packet: it is passed on as a whole, so packets of its size would fill no
/// sooner.
std::uint64_t fill_chunk(const Loads& loads, const FabricTraits& fabric) {
  const std::uint64_t unit = std::min<std::uint64_t>(fabric.format.packet_bytes, kLeastChunk);
  const Uint128 link = fabric.link_bytes_per_s;
  const Uint128 shared = Uint128{loads.link_shares} * fabric.io_bytes_per_s;
  const Uint128 bytes =
      loads.channel_bytes * std::max(link, shared) / (kFillParts * (link + loads.depth * shared));
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(bytes / unit), 1) * unit;
}

/// A chunk does not cut the vector's elements of 4 bytes, if it has them.
std::uint64_t whole_elements(std::uint64_t chunk_bytes, std::uint64_t vector_bytes) {
  return vector_bytes % 4 == 0 ? (chunk_bytes + 3) / 4 * 4 : chunk_bytes;
}

TimePs at_least_ps(std::uint64_t bytes, std::uint64_t bytes_per_s) {
  return static_cast<TimePs>(Uint128{bytes} * kPsPerSecond / bytes_per_s);
}

/// `sends_in`: the controllers send.
CollectiveCost cost_of_loads(const Loads& loads, std::uint64_t chunk_bytes, bool sends_in,
                             const FabricTraits& fabric) {
  const std::uint64_t port = std::min(fabric.injection_bytes_per_s, fabric.ejection_bytes_per_s);
  const auto wire_ps = [&](std::uint64_t bytes, std::uint64_t bytes_per_s) {
    return at_least_ps(fabric.format.message_wire_bytes(bytes), bytes_per_s);
  };
  const TimePs busiest =
      std::max({wire_ps(loads.link_bytes, fabric.link_bytes_per_s), wire_ps(loads.port_bytes, port),
                wire_ps(loads.channel_bytes, fabric.io_bytes_per_s)});
  const std::uint64_t whole = std::min(chunk_bytes, loads.channel_bytes);
  const std::uint64_t chunk = fabric.format.message_wire_bytes(whole);
  const std::uint64_t chunks = (loads.channel_bytes + whole - 1) / whole;
  // The way of the first byte, from the controller to the farthest NPU or back.
  const TimePs ends = fabric.ends_latency_ps + fabric.step_cost_ps + fabric.receive_cost_ps;
  const TimePs way = fabric.io_latency_ps + ends + loads.depth * (ends + fabric.hop_latency_ps);
  const TimePs chunk_ps = transfer_time_ps(chunk, std::min(fabric.link_bytes_per_s, port));
  // A sender is not ready for its next chunk before, nor a receiver.
  const TimePs pace =
      std::max({fabric.step_cost_ps + chunk_ps, fabric.receive_cost_ps,
                sends_in ? fabric.step_cost_ps + transfer_time_ps(chunk, fabric.io_bytes_per_s) : TimePs{0}});
  CollectiveCost cost;
  // A channel's last byte still has all the way to go, that on the busiest link or port a part of it.
  const TimePs controller = fabric.io_latency_ps + ends;
  const TimePs link = loads.link_bytes == 0 ? 0
                                            : at_least_ps(loads.link_bytes, fabric.link_bytes_per_s) +
                                                  controller + ends + fabric.hop_latency_ps;
  cost.bound_ps = std::max({link, at_least_ps(loads.port_bytes, port) + controller,
                            at_least_ps(loads.deepest_bytes, fabric.io_bytes_per_s) + way});
  cost.predicted_ps =
      std::max(std::max(busiest, chunks * pace) + way + loads.depth * chunk_ps, cost.bound_ps);
  return cost;
}

/// fill_chunk, or as many times as much as makes the costs of the messages small enough.
std::uint64_t open_chunk(const Loads& loads, bool sends_in, const FabricTraits& fabric) {
  std::uint64_t best = fill_chunk(loads, fabric);
  if (fabric.step_cost_ps == 0 && fabric.receive_cost_ps == 0) return best;
  TimePs shortest = kNever;
  for (std::uint64_t chunk = best; chunk < 2 * loads.channel_bytes; chunk *= 2)
    if (const TimePs time = cost_of_loads(loads, chunk, sends_in, fabric).predicted_ps; time < shortest) {
      shortest = time;
      best = chunk;
    }
  return best;
}

}  // namespace

std::uint32_t IoBroadcast::strands() const {
  return (rank_ == plan_->root ? 0 : 1) + static_cast<std::uint32_t>(plan_->children[rank_].size());
}

Step IoBroadcast::step(std::uint32_t strand, std::uint32_t index) const {
  if (rank_ == plan_->root)
    return chunk_step(*plan_, Step::Kind::send, plan_->children[rank_][strand], index);
  if (strand == 0) return chunk_step(*plan_, Step::Kind::copy, plan_->parent[rank_], index);
  return after(chunk_step(*plan_, Step::Kind::send, plan_->children[rank_][strand - 1], index), 0, index);
}

std::uint32_t IoReduce::strands() const {
  return (rank_ == plan_->root ? 0 : 1) + static_cast<std::uint32_t>(plan_->children[rank_].size());
}

Step IoReduce::step(std::uint32_t strand, std::uint32_t index) const {
  const auto& children = plan_->children[rank_];
  const Step step = strand < children.size()
                        ? chunk_step(*plan_, Step::Kind::reduce, children[strand], index)
                        : chunk_step(*plan_, Step::Kind::send, plan_->parent[rank_], index);
  return strand == 0 ? step : after(step, strand - 1, index);
}

IoStream plan_io_stream(const IoStreamRequest& request, const FabricTraits& fabric) {
  if (fabric.io.empty())
    throw std::invalid_argument(
        "the platform has no I/O controllers; set wafer.io.controllers, for instance to perimeter");
  if (request.type != CollectiveType::broadcast && request.type != CollectiveType::reduce)
    throw std::invalid_argument("an I/O stream is a broadcast or a reduce");
  const Blocks shares(request.bytes, fabric.io.size());
  std::vector<IoTreePlan> trees;
  for (const IoPort& port : fabric.io) {
    trees.push_back(tree_of(port, fabric));
    trees.back().bytes = shares.bytes(trees.size() - 1);
  }
  const Loads loads = loads_of(trees, fabric.npus());
  IoStream stream;
  const bool sends_in = request.type == CollectiveType::broadcast;
  stream.chunk_bytes = whole_elements(
      request.chunk_bytes ? *request.chunk_bytes : open_chunk(loads, sends_in, fabric), request.bytes);
  if (loads.channel_bytes / stream.chunk_bytes >= Step::kNone)
    throw std::invalid_argument("a stream of " + std::to_string(request.bytes) + " B in chunks of " +
                                std::to_string(stream.chunk_bytes) + " B has too many; raise wafer.io.chunk");
  stream.busiest_link_bytes = loads.link_bytes;
  stream.busiest_link_shares = loads.link_shares;
  if (request.bytes != 0) stream.cost = cost_of_loads(loads, stream.chunk_bytes, sends_in, fabric);
  for (std::uint32_t k = 0; k < trees.size(); ++k) {
    auto program = std::make_shared<CollectiveProgram>();
    program->type = request.type;
    program->algorithm = "io_tree";
    program->data_type = request.data_type;
    program->bytes = program->buffer_bytes = trees[k].bytes;
    program->group.push_back(fabric.io_controller(k));
    for (std::uint32_t n = 0; n < fabric.npus(); ++n) program->group.push_back(static_cast<NpuId>(n));
    trees[k].chunk_bytes = stream.chunk_bytes;
    const auto plan = std::make_shared<const IoTreePlan>(std::move(trees[k]));
    for (std::uint32_t rank = 0; rank < program->group.size(); ++rank) {
      if (request.type == CollectiveType::broadcast)
        program->ranks.push_back(std::make_unique<IoBroadcast>(plan, rank));
      else
        program->ranks.push_back(std::make_unique<IoReduce>(plan, rank));
    }
    stream.channels.push_back(std::move(program));
  }
  return stream;
}

}  // namespace wafertlm
