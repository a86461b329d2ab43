// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/planner.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "tlm/packets/npu_name.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/algorithm/box.h"
#include "workloads/collectives/algorithm/failures.h"
#include "workloads/collectives/basic/in_network.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/custom/program.h"
#include "workloads/collectives/gpu_library/choice.h"
#include "workloads/collectives/search.h"

namespace wafertlm {
namespace {

/// " (hierarchical_2d needs …; in_network …)".
std::string what_they_need(const Topology& topology) {
  std::string text;
  for (const Algorithm& row : algorithms())
    if (row.needs)
      text += (text.empty() ? " (" + row.name + " needs " : "; " + row.name + " ") + row.needs(topology);
  return text + ")";
}

void check(const CollectiveRequest& request, const FabricTraits& fabric) {
  if (request.group.empty()) throw std::invalid_argument("a collective needs at least one NPU");
  std::set<NpuId> seen;
  for (const NpuId npu : request.group) {
    if (index_of(npu) >= fabric.npus())
      throw std::invalid_argument(
          fmt::format("{} is not on the wafer, which has NPUs 0 to {}", npu_name(npu), fabric.npus() - 1));
    if (!seen.insert(npu).second) throw std::invalid_argument(npu_name(npu) + " is in the group twice");
  }
  if (request.root >= request.group.size())
    throw std::invalid_argument(fmt::format("root {} is not in the group, which has {} ranks from 0 on",
                                            request.root, request.group.size()));
  if (request.type == CollectiveType::barrier && request.bytes != 0 && request.bytes != kBarrierBytes)
    throw std::invalid_argument(
        fmt::format("a barrier carries no data: its size must be 0, not {} B", request.bytes));
  if (request.custom) {
    request.custom->of(request.group.size(), request.bytes);
    return;
  }
  if (request.algorithm.empty() || request.algorithm == kFastest || request.algorithm == kNccl) return;
  std::vector<std::string> known = algorithms_for(request.type);
  const bool can = std::find(known.begin(), known.end(), request.algorithm) != known.end();
  if (can) known = algorithms_for(request.type, request.group, fabric);
  if (std::find(known.begin(), known.end(), request.algorithm) != known.end()) return;
  std::string text = std::string(to_string(request.type)) + " cannot run as '" + request.algorithm +
                     (can ? "' on this group" : "'") + "; it can as ";
  for (const std::string& name : known) text += name + (name == known.back() ? "" : ", ");
  if (can) text += what_they_need(*fabric.topology);
  throw std::invalid_argument(text);
}

/// A ring of more than two in which all are neighbours.
bool closes_with_neighbours(const std::vector<std::uint32_t>& order, const Group& group,
                            const Topology& topology) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (topology.hops(group[order[i]], group[order[(i + 1) % order.size()]]) != 1) return false;
  return order.size() > 2;
}

/// What moves large vectors of this type on a group of this shape; empty: no rule. Chosen as the baseline of
/// the FRED paper does: hierarchical rings on a rectangle (of a tree of switches: a grid), logical rings on
/// other groups; all-reduce in the switches, where they can.
std::vector<std::string> rule_of(const CollectiveRequest& request, const FabricTraits& fabric) {
  if (request.type != CollectiveType::all_reduce && request.type != CollectiveType::all_gather &&
      request.type != CollectiveType::reduce_scatter)
    return {};
  if (box_of(request.group, fabric.topology->dimensions())) return {"dimensional"};
  if (fabric.in_network) {
    if (request.type == CollectiveType::all_reduce) return {"in_network"};
    return {};
  }
  const bool closes =
      closes_with_neighbours(fabric.topology->ring_order(request.group), request.group, *fabric.topology);
  std::vector<std::string> names;
  if (fabric.topology->group_grid(request.group)) names.emplace_back("hierarchical_2d");
  if (closes) names.emplace_back("bidirectional_ring");
  if (names.empty()) names.emplace_back("ring");
  return names;
}

/// An element per rank, in one piece: what it takes is latency.
CollectiveRequest least_of(CollectiveRequest request) {
  request.bytes = 4 * request.group.size();
  request.chunks = 1;
  return request;
}

/// A quarter of the time or more is latency.
bool is_small(const CollectiveRequest& request, const FabricTraits& fabric) {
  return closed_form_ps(request, fabric) <= 4 * closed_form_ps(least_of(request), fabric);
}

CollectiveCost cost_of_settled(const CollectiveRequest& request, const FabricTraits& fabric) {
  const TimePs bound = bound_ps(request, fabric), predicted = predicted_ps(request, fabric);
  const bool mostly_latency = !request.custom && predicted <= 2 * closed_form_ps(least_of(request), fabric);
  return {std::max(predicted, bound) + fabric.launch_cost_ps, bound, mostly_latency};
}

/// Of a long chain: doubles kMaxSearchedChunks as long as a tenth of the time goes and a message fills a
/// packet.
std::uint32_t more_chunks(CollectiveRequest trial, TimePs shortest, const FabricTraits& fabric) {
  std::uint32_t best = kMaxSearchedChunks;
  for (trial.chunks = 2 * best; trial.chunks <= trial.bytes / fabric.format.packet_bytes; trial.chunks *= 2) {
    const TimePs time = closed_form_ps(trial, fabric);
    if (time > shortest / 10 * 9) break;
    shortest = time;
    best = trial.chunks;
  }
  return best;
}

PlannerChoice choice_of(const CollectiveRequest& full, const FabricTraits& fabric) {
  const CollectiveCost cost = cost_of_settled(full, fabric);
  return {full.bytes, full.group.size(), full.algorithm, full.chunks, cost.predicted_ps, cost.bound_ps};
}

}  // namespace

std::vector<LibraryChoice> nccl_choices(const CollectiveRequest& request, const FabricTraits& fabric) {
  const std::optional<Servers> servers = servers_of(request.group, fabric);
  if (!servers || !fabric.library.is_given())
    throw std::invalid_argument(
        "nccl needs npu.endpoint.library (configs/endpoints/nccl_*.yaml), and servers with equally many NPUs "
        "of the group");
  std::vector<LibraryChoice> choices;
  if (request.group.size() < 2) return choices;
  for (const GpuChoice& each : gpu_choices(request.type, request.bytes, fabric.library, *servers))
    choices.push_back({each.name(), each.time_ps(request.bytes)});
  return choices;
}

std::uint32_t default_chunks(const CollectiveRequest& request, const FabricTraits& fabric) {
  const Algorithm::Use* use = algorithm_named(request.algorithm).use_of(request.type);
  if (!use || use->chunks != Algorithm::Chunks::by_prediction) return 1;
  if (const auto best_chunks = algorithm_named(request.algorithm).best_chunks)
    return best_chunks(request, fabric);
  // On switches all messages of an NPU leave through one port, where those of more chunks delay each other
  // more than is predicted: they must pay.
  const TimePs least_gain_permille = fabric.topology->has_one_port() ? 5 : 0;
  CollectiveRequest trial = request;
  std::uint32_t best = 1;
  TimePs shortest = kNever;
  for (trial.chunks = 1; trial.chunks <= kMaxSearchedChunks; trial.chunks *= 2)
    if (const TimePs time = closed_form_ps(trial, fabric);
        time + time / 1000 * least_gain_permille < shortest) {
      shortest = time;
      best = trial.chunks;
    } else if (time > shortest + shortest / 2) {
      break;  // only costs of messages grow from here on
    }
  return best == kMaxSearchedChunks ? more_chunks(trial, shortest, fabric) : best;
}

CollectiveRequest settled(const CollectiveRequest& request, const FabricTraits& fabric) {
  check(request, fabric);
  CollectiveRequest best = request;
  if (request.type == CollectiveType::barrier) best.bytes = kBarrierBytes;
  if (request.custom) {
    best.algorithm = request.custom->of(request.group.size(), request.bytes)->name;
    best.chunks = std::max(best.chunks, 1U);
    return best;
  }
  if (request.algorithm == kNccl) {
    const std::vector<LibraryChoice> choices = nccl_choices(request, fabric);
    best.algorithm = choices.empty() ? "" : choices.front().algorithm;
    return best.algorithm.empty() ? settled(best, fabric) : with_algorithm(best, best.algorithm, fabric);
  }
  if (!request.algorithm.empty() && request.algorithm != kFastest)
    return with_algorithm(best, request.algorithm, fabric);
  // All-to-all by dimensions moves bytes more than once: only if somebody has asked for it.
  if (fabric.topology->dimensions().count() != 0 && request.algorithm.empty() &&
      request.type == CollectiveType::all_to_all) {
    const std::vector<std::string> able = algorithms_for(best, fabric);
    const bool asked = !fabric.hierarchy.all_to_all.empty() &&
                       std::find(able.begin(), able.end(), "dimensional") != able.end();
    return with_algorithm(best, asked ? "dimensional" : "direct", fabric);
  }
  if (request.algorithm.empty()) {
    const std::vector<std::string> rule = avoid_failures(rule_of(request, fabric), best, fabric);
    if (!rule.empty()) {
      const CollectiveRequest large = shortest_closed_form(rule, best, fabric);
      if (fabric.topology->keeps_rule_when_small() || !is_small(large, fabric)) return large;
    }
  }
  const bool thorough = request.algorithm == kFastest;
  const std::vector<std::string> fitting = algorithms_for(best, fabric);
  std::vector<std::string> names = avoid_failures(fitting, best, fabric);
  if (names.empty()) names = fitting;  // whoever runs it says what has failed
  const auto first_by_name = std::stable_partition(names.begin(), names.end(), [](const std::string& name) {
    return !algorithm_named(name).only_by_name;
  });
  // Where all others cross what has failed.
  if (!thorough && first_by_name != names.begin()) names.erase(first_by_name, names.end());
  return search_fastest(names, best, fabric, thorough ? kThorough : kQuick);
}

std::shared_ptr<const CollectiveProgram> plan_collective(const CollectiveRequest& request,
                                                         const FabricTraits& fabric) {
  const CollectiveRequest full = settled(request, fabric);
  auto program = std::make_shared<CollectiveProgram>();
  program->type = full.type;
  program->algorithm = full.algorithm;
  program->chunks = full.chunks;
  program->group = full.group;
  program->bytes = program->buffer_bytes = full.bytes;
  program->root = full.root;
  program->data_type = full.data_type;
  const auto ranks = static_cast<std::uint32_t>(full.group.size());
  // The received vector: as many blocks as ranks, each as long as the longest one.
  if (full.type == CollectiveType::all_to_all)
    program->buffer_bytes += ranks * Blocks(full.bytes, ranks).bytes(0);
  if (full.custom) {
    const auto plan = custom_plan(full, fabric);
    program->buffer_bytes = plan->buffer_bytes();
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      program->ranks.push_back(std::make_unique<CustomProgram>(plan, rank));
    return program;
  }
  const Algorithm& algorithm = algorithm_named(full.algorithm);
  program->ranks = algorithm.programs(full, fabric);
  if (algorithm.scratch_bytes) program->buffer_bytes += algorithm.scratch_bytes(full, fabric);
  if (!algorithm.in_network) return program;
  program->flow_additions = fabric.flow_additions;
  if (!fabric.flows_decompose || ranks < 2 || full.bytes == 0) return program;
  FabricTraits endpoints = fabric;
  endpoints.in_network = false;
  CollectiveRequest instead = request;
  instead.algorithm.clear();
  instead.chunks = 0;
  if (instead.type == CollectiveType::barrier) instead.bytes = 0;
  program->decomposed = plan_collective(instead, endpoints);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    static_cast<InNetworkProgram&>(*program->ranks[rank])
        .set_endpoint_steps(program->decomposed->ranks[rank].get());
  return program;
}

CollectiveCost cost_of(const CollectiveProgram& program, const CollectiveRequest& request,
                       const FabricTraits& fabric) {
  CollectiveRequest full = request;
  full.algorithm = program.algorithm;
  full.chunks = program.chunks;
  return cost_of_settled(settled(full, fabric), fabric);
}

double bus_factor(CollectiveType type, std::size_t ranks) {
  const auto p = static_cast<double>(ranks);
  switch (type) {
    case CollectiveType::all_reduce:
      return 2 * (p - 1) / p;
    case CollectiveType::broadcast:
    case CollectiveType::reduce:
      return 1;
    case CollectiveType::barrier:
      return 0;
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter:
    case CollectiveType::all_to_all:
    case CollectiveType::gather:
    case CollectiveType::scatter:
      break;
  }
  return (p - 1) / p;
}

std::vector<PlannerChoice> planner_choices(CollectiveRequest request, const std::vector<std::uint64_t>& sizes,
                                           const FabricTraits& fabric) {
  std::vector<PlannerChoice> rows;
  for (const std::uint64_t bytes : sizes) {
    request.bytes = bytes;
    rows.push_back(choice_of(settled(request, fabric), fabric));
    if (request.algorithm == kNccl) rows.back().of_library = nccl_choices(request, fabric);
  }
  return rows;
}

std::optional<PlannerChoice> faster_choice(const CollectiveRequest& request, TimePs planned_ps,
                                           const FabricTraits& fabric) {
  if (request.custom || !request.algorithm.empty() || request.bytes == 0 || request.group.size() < 2 ||
      request.group.size() > kMostAdvisedRanks)
    return std::nullopt;
  const std::vector<std::string> names = avoid_failures(algorithms_for(request, fabric), request, fabric);
  if (names.empty()) return std::nullopt;
  FabricTraits idle = fabric;
  idle.idle_ps = {};  // the search looks at closed forms, only its winner is run
  const PlannerChoice best = choice_of(search_fastest(names, request, idle, kQuick), fabric);
  if (best.predicted_ps > planned_ps / 20 * 19) return std::nullopt;
  return best;
}

}  // namespace wafertlm
