// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/planner.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "workloads/collectives/direct.h"
#include "workloads/collectives/ring.h"

namespace wafertlm {
namespace {

struct Rectangle {
  std::uint32_t left, right, top, bottom;
};

Rectangle bounds_of(const Group& group, const FabricTraits& fabric) {
  Rectangle box{fabric.width, 0, fabric.height, 0};
  for (const NpuId npu : group) {
    box.left = std::min(box.left, fabric.column(npu));
    box.right = std::max(box.right, fabric.column(npu));
    box.top = std::min(box.top, fabric.row(npu));
    box.bottom = std::max(box.bottom, fabric.row(npu));
  }
  return box;
}

/// Position along a cycle of neighbours through a w × h rectangle with h even: along the first row to the
/// last column, back in a snake over the columns from 1 on, home along column 0.
std::uint64_t cycle_place(std::uint32_t column, std::uint32_t row, std::uint32_t w, std::uint32_t h) {
  if (column == 0) return row == 0 ? 0 : std::uint64_t{w} * h - row;
  const std::uint64_t along = row % 2 == 0 ? column - 1 : w - 1 - column;
  return 1 + std::uint64_t{row} * (w - 1) + along;
}

bool closes_with_neighbours(const std::vector<std::uint32_t>& order, const Group& group,
                            const FabricTraits& fabric) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (fabric.hops(group[order[i]], group[order[(i + 1) % order.size()]]) != 1) return false;
  return order.size() > 2;
}

void check(const CollectiveRequest& request, const FabricTraits& fabric) {
  if (request.group.empty()) throw std::invalid_argument("a collective needs at least one NPU");
  std::set<NpuId> seen;
  for (const NpuId npu : request.group) {
    if (index_of(npu) >= fabric.npus())
      throw std::invalid_argument("NPU " + std::to_string(index_of(npu)) +
                                  " is not on the wafer, which has NPUs 0 to " +
                                  std::to_string(fabric.npus() - 1));
    if (!seen.insert(npu).second)
      throw std::invalid_argument("NPU " + std::to_string(index_of(npu)) + " is in the group twice");
  }
  if (request.algorithm.empty()) return;
  const auto known = algorithms_for(request.type);
  if (std::find(known.begin(), known.end(), request.algorithm) != known.end()) return;
  std::string text =
      std::string(to_string(request.type)) + " cannot run as '" + request.algorithm + "'; it can as ";
  for (const std::string& name : known) text += name + (name == known.back() ? "" : ", ");
  throw std::invalid_argument(text);
}

}  // namespace

std::vector<std::string> algorithms_for(CollectiveType type) {
  if (type == CollectiveType::all_to_all) return {"direct"};
  return {"ring", "bidirectional_ring"};
}

std::vector<std::uint32_t> ring_order(const Group& group, const FabricTraits& fabric) {
  const Rectangle box = bounds_of(group, fabric);
  const std::uint32_t w = box.right - box.left + 1, h = box.bottom - box.top + 1;
  const bool whole = group.size() == std::size_t{w} * h && w > 1 && h > 1;
  const auto place = [&](std::uint32_t rank) -> std::uint64_t {
    const std::uint32_t column = fabric.column(group[rank]) - box.left,
                        row = fabric.row(group[rank]) - box.top;
    if (whole && h % 2 == 0) return cycle_place(column, row, w, h);
    if (whole && w % 2 == 0) return cycle_place(row, column, h, w);
    return std::uint64_t{row} * w + (row % 2 == 0 ? column : w - 1 - column);
  };
  std::vector<std::uint32_t> order(group.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  return order;
}

std::shared_ptr<const CollectiveProgram> plan_collective(const CollectiveRequest& request,
                                                         const FabricTraits& fabric) {
  check(request, fabric);
  auto program = std::make_shared<CollectiveProgram>();
  program->type = request.type;
  program->group = request.group;
  program->data_type = request.data_type;
  program->bytes = program->buffer_bytes = request.bytes;
  const auto ranks = static_cast<std::uint32_t>(request.group.size());
  if (request.type == CollectiveType::all_to_all) {
    program->algorithm = "direct";
    // The received vector: as many blocks as ranks, each as long as the longest one.
    program->buffer_bytes = request.bytes + ranks * Blocks(request.bytes, ranks).bytes(0);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      program->ranks.push_back(std::make_unique<DirectAllToAll>(ranks, request.bytes, rank));
    return program;
  }
  auto plan = std::make_shared<RingPlan>();
  plan->type = request.type;
  plan->order = ring_order(request.group, fabric);
  plan->place.resize(ranks);
  for (std::uint32_t place = 0; place < ranks; ++place) plan->place[plan->order[place]] = place;
  plan->bytes = request.bytes;
  plan->chunks = request.chunks;
  program->algorithm = request.algorithm;
  if (program->algorithm.empty())
    program->algorithm =
        closes_with_neighbours(plan->order, request.group, fabric) ? "bidirectional_ring" : "ring";
  plan->directions = program->algorithm == "ring" ? 1 : 2;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    program->ranks.push_back(std::make_unique<RingProgram>(plan, rank));
  return program;
}

}  // namespace wafertlm
