// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/io_stream.h"
#include "tlm/npu_name.h"

#include <algorithm>
#include <stdexcept>

#include "workloads/collectives/blocks.h"
#include "workloads/collectives/in_network.h"
#include "workloads/collectives/io_cost.h"
#include "workloads/collectives/io_tree.h"

namespace wafertlm {
namespace {

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
  IoLoads loads = io_loads(plans, fabric);
  IoStream stream;
  stream.chunk_bytes = whole_elements(
      request.chunk_bytes ? *request.chunk_bytes : open_io_chunk(loads, sends_in, fabric), request.bytes);
  if (loads.channel_bytes / stream.chunk_bytes >= Step::kNone)
    throw std::invalid_argument("a stream of " + std::to_string(request.bytes) + " B in chunks of " +
                                std::to_string(stream.chunk_bytes) + " B has too many; raise wafer.io.chunk");
  for (IoTreePlan& plan : plans) plan.chunk_bytes = stream.chunk_bytes;
  loads = io_loads(plans, fabric);
  // Whoever asks for chunks gets trees of endpoints.
  const bool in_network = fabric.streams_in_network && !request.chunk_bytes;
  stream.busiest_link_bytes = loads.link_bytes;
  stream.busiest_link_shares = loads.link_shares;
  if (request.bytes != 0)
    stream.cost = in_network ? io_flow_cost(loads, request.bytes, fabric)
                             : io_tree_cost(loads, stream.chunk_bytes, sends_in, fabric);
  if (in_network) stream.chunk_bytes = fabric.format.packet_bytes;
  for (IoTreePlan& plan : plans)
    stream.channels.push_back(channel_of(std::move(plan), request, in_network, fabric));
  return stream;
}

}  // namespace wafertlm
