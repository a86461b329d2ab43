// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/dimensional/stages.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <tuple>

#include "tlm/shape/topology.h"

namespace wafertlm {
namespace {

using Kind = ChunkStage::Kind;

bool is_power_of_two(std::uint32_t n) { return (n & (n - 1)) == 0; }

std::uint32_t log2_of(std::uint32_t n) {
  std::uint32_t log = 0;
  while ((1U << (log + 1)) <= n) ++log;
  return log;
}

DimensionAlgorithm algorithm_on(const BoxAxis& axis, CollectiveType type, const FabricTraits& fabric) {
  const HierarchyOptions& options = fabric.hierarchy;
  const std::vector<DimensionAlgorithm>& chosen = type == CollectiveType::all_reduce   ? options.all_reduce
                                                  : type == CollectiveType::all_gather ? options.all_gather
                                                  : type == CollectiveType::reduce_scatter
                                                      ? options.reduce_scatter
                                                      : options.all_to_all;
  const FabricDimension& dimension = fabric.topology->dimensions()[axis.dimension];
  DimensionAlgorithm algorithm = DimensionAlgorithm::automatic;
  if (!chosen.empty()) algorithm = chosen[std::min(axis.dimension, chosen.size() - 1)];
  if (type == CollectiveType::all_to_all) {
    if (algorithm == DimensionAlgorithm::ring) return algorithm;
    if (algorithm != DimensionAlgorithm::automatic && algorithm != DimensionAlgorithm::direct)
      throw std::invalid_argument(std::string("all_to_all does not go by ") + to_string(algorithm) +
                                  " within a dimension; take direct or ring");
    return DimensionAlgorithm::direct;
  }
  if (algorithm == DimensionAlgorithm::automatic) {
    using Wires = FabricDimension::Kind;
    if (dimension.kind == Wires::ring || dimension.kind == Wires::line) return DimensionAlgorithm::ring;
    if (dimension.kind == Wires::switched && is_power_of_two(axis.size))
      return DimensionAlgorithm::halving_doubling;
    return DimensionAlgorithm::direct;
  }
  const bool by_tree = algorithm == DimensionAlgorithm::double_binary_tree;
  if ((is_halving(algorithm) || by_tree) && !is_power_of_two(axis.size))
    throw std::invalid_argument(to_string(algorithm) +
                                std::string(" needs a power of two, but the group has ") +
                                std::to_string(axis.size) + " NPUs in dimension " +
                                std::to_string(axis.dimension) + "; take ring or direct there");
  return algorithm;
}

/// What a chunk holds that goes along a tree.
std::uint64_t held_of_tree(const ChunkStage& stage, std::uint32_t size) {
  return stage.sent_bytes / 2 / (size - 1) * size;
}

/// Of a link in one direction, in the time in which a rank sends `bytes` in the stage.
TimePs busy_ps(const ChunkStage& stage, const BoxAxis& axis, const FabricDimension& dimension,
               std::uint64_t bytes) {
  using Wires = FabricDimension::Kind;
  const bool round = dimension.kind == Wires::ring, row = dimension.kind == Wires::line;
  const std::uint64_t p = axis.size;
  // Of the links of a ring or row, one carries what goes past it; the messages of direct and of halving go
  // past many: those of a round at distance d past d. Half way round a ring they take both ways.
  Uint128 shared = bytes;
  switch (stage.algorithm) {
    case DimensionAlgorithm::direct:
      shared /= p - 1;  // to each peer
      if (dimension.kind == Wires::switched) shared = bytes;
      if (round) shared *= std::max<std::uint64_t>(p * p / 8, 1);
      if (row) shared *= p * p / 4;
      break;
    case DimensionAlgorithm::halving_doubling:
      if (row) shared = shared * p * log2_of(axis.size) / (2 * (p - 1));
      if (round) shared = std::max(shared, shared * p * (2 * log2_of(axis.size) - 1) / (4 * (p - 1)));
      break;
    case DimensionAlgorithm::recursive_halving_doubling:
      if (row) shared = shared * (p + 1) / 3;
      if (round) shared = std::max(shared, shared * (p + 1) / 3 - shared * p * p / (8 * (p - 1)));
      break;
    case DimensionAlgorithm::double_binary_tree:  // an inner NPU sends up once and down twice
      shared = held_of_tree(stage, axis.size) * (dimension.kind == Wires::switched ? 3
                                                 : round || row                    ? log2_of(axis.size)
                                                                                   : 1);
      break;
    case DimensionAlgorithm::bidirectional_ring:
      if (p > 2 && dimension.kind != Wires::switched) shared = (bytes + 1) / 2;
      break;
    case DimensionAlgorithm::ring:
    case DimensionAlgorithm::automatic:
      break;
  }
  return static_cast<TimePs>((shared * kPsPerSecond + dimension.bytes_per_s - 1) / dimension.bytes_per_s);
}

/// Of the steps of a stage, without costs at the endpoints.
TimePs link_latency_ps(const ChunkStage& stage, const BoxAxis& axis, const FabricDimension& dimension) {
  const TimePs hop = dimension.hops(0, 1) * dimension.latency_ps;
  const bool far =
      dimension.kind == FabricDimension::Kind::ring || dimension.kind == FabricDimension::Kind::line;
  TimePs latency = rounds_one_way(stage, axis.size) * hop;
  if (far && stage.algorithm == DimensionAlgorithm::direct)
    latency = dimension.hops(0, axis.size / 2) * dimension.latency_ps;
  const bool by_tree = stage.algorithm == DimensionAlgorithm::double_binary_tree;
  if (far && (is_halving(stage.algorithm) || by_tree)) latency = (axis.size - 1) * hop;
  return latency;
}

/// A reduce-scatter over the axes in this order.
void add_scatter(ChunkRoute& route, const std::vector<std::uint32_t>& order, std::uint32_t& scattered) {
  for (const std::uint32_t axis : order) {
    route.push_back({Kind::reduce_scatter, axis, {}, scattered, 0});
    scattered |= 1U << axis;
  }
}

void add_gather(ChunkRoute& route, const std::vector<std::uint32_t>& order, std::uint32_t& scattered) {
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    route.push_back({Kind::all_gather, *axis, {}, scattered, 0});
    scattered &= ~(1U << *axis);
  }
}

/// Of a chunk whose axes come in this order.
ChunkRoute route_of(CollectiveType type, std::vector<std::uint32_t> order, HierarchyOptions::Order how) {
  ChunkRoute route;
  std::uint32_t scattered = 0;
  switch (type) {
    case CollectiveType::reduce_scatter:
      add_scatter(route, order, scattered);
      return route;
    case CollectiveType::all_gather:
      for (const std::uint32_t axis : order) scattered |= 1U << axis;
      add_gather(route, order, scattered);
      return route;
    case CollectiveType::all_to_all:
      for (const std::uint32_t axis : order) {
        route.push_back({Kind::all_to_all, axis, {}, scattered, 0});
        scattered |= 1U << axis;
      }
      return route;
    default:
      break;
  }
  if (how == HierarchyOptions::Order::per_dimension) {
    for (const std::uint32_t axis : order) route.push_back({Kind::all_reduce, axis, {}, 0, 0});
    return route;
  }
  const std::uint32_t last = order.back();
  const bool merged = how == HierarchyOptions::Order::local_bandwidth_aware;
  if (merged) order.pop_back();
  add_scatter(route, order, scattered);
  if (merged) route.push_back({Kind::all_reduce, last, {}, scattered, 0});
  add_gather(route, order, scattered);
  return route;
}

/// What each rank holds, and sends, of a chunk.
void fill_in(ChunkRoute& route, const CollectiveRequest& request, const GroupBox& box,
             const FabricTraits& fabric) {
  for (ChunkStage& stage : route) {
    const BoxAxis& axis = box.axes[stage.axis];
    stage.algorithm = algorithm_on(axis, request.type, fabric);
    if (stage.algorithm == DimensionAlgorithm::double_binary_tree && stage.kind != Kind::all_reduce)
      throw std::invalid_argument(
          "double_binary_tree does all-reduces only, but dimension " + std::to_string(axis.dimension) +
          " has a reduce-scatter or an all-gather; take halving_doubling there, or collectives.dimensions."
          "order: per_dimension");
    std::uint64_t held = request.bytes / request.chunks;
    if (stage.kind != Kind::all_to_all)
      for (std::size_t a = 0; a < box.axes.size(); ++a)
        if ((stage.scattered >> a & 1) != 0 && a != stage.axis) held /= box.axes[a].size;
    stage.sent_bytes = sent_by_each(stage, held, axis.size);
  }
}

/// The orders of the axes that Themis gives the chunks.
class Themis {
 public:
  Themis(const CollectiveRequest& request, const GroupBox& box, const FabricTraits& fabric)
      : request_(request), box_(box), fabric_(fabric) {
    for (std::uint32_t axis = 0; axis < box.axes.size(); ++axis) {
      ChunkStage stage{Kind::reduce_scatter, axis, algorithm_on(box.axes[axis], request.type, fabric), 0, 0};
      const TimePs steps =
          link_latency_ps(stage, box.axes[axis], fabric.topology->dimensions()[box.axes[axis].dimension]);
      latency_.push_back(request.type == CollectiveType::all_reduce ? 2 * steps : steps);
      stages_.push_back(stage);
    }
    load_ = latency_;
  }

  /// As of a reduce-scatter.
  std::vector<std::uint32_t> next_order() {
    const std::uint64_t chunk = request_.bytes / request_.chunks;
    std::vector<std::uint32_t> order(load_.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto least =
        static_cast<std::uint32_t>(std::min_element(load_.begin(), load_.end()) - load_.begin());
    const TimePs spread = *std::max_element(load_.begin(), load_.end()) - load_[least];
    if (spread >= latency_[least] / 2 + busy(least, chunk / 16)) {
      // A lone all-gather begins with the most loaded one; its order is that of a reduce-scatter backwards.
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return load_[a] < load_[b]; });
    }
    std::uint64_t held = chunk;
    for (const std::uint32_t axis : order) {
      load_[axis] += busy(axis, held);
      held /= box_.axes[axis].size;
    }
    return order;
  }

 private:
  /// A reduce-scatter of `held` bytes.
  TimePs busy(std::uint32_t axis, std::uint64_t held) const {
    const BoxAxis& of = box_.axes[axis];
    return busy_ps(stages_[axis], of, fabric_.topology->dimensions()[of.dimension],
                   held / of.size * (of.size - 1));
  }

  const CollectiveRequest& request_;
  const GroupBox& box_;
  const FabricTraits& fabric_;
  std::vector<ChunkStage> stages_;
  std::vector<TimePs> latency_, load_;
};

}  // namespace

std::uint32_t rounds_one_way(const ChunkStage& stage, std::uint32_t size) {
  if (stage.algorithm == DimensionAlgorithm::direct) return 1;
  if (is_passed_on(stage)) return static_cast<std::uint32_t>(std::uint64_t{size} * (size - 1) / 2);
  const bool by_tree = stage.algorithm == DimensionAlgorithm::double_binary_tree;
  return is_halving(stage.algorithm) || by_tree ? log2_of(size) : size - 1;
}

std::uint32_t turns_one_way(const ChunkStage& stage, std::uint32_t size, std::uint32_t direct_window) {
  const bool has_window =
      stage.algorithm == DimensionAlgorithm::direct && stage.kind != Kind::all_to_all && direct_window != 0;
  return has_window ? (size - 2 + direct_window) / direct_window : rounds_one_way(stage, size);
}

std::uint64_t reduced_bytes(const ChunkStage& stage, std::uint32_t size, HierarchyOptions::Reductions rule) {
  if (stage.kind != Kind::all_reduce && stage.kind != Kind::reduce_scatter) return 0;
  const std::uint64_t received = stage.sent_bytes / (stage.kind == Kind::all_reduce ? 2 : 1);
  const bool as_astra_sim = rule == HierarchyOptions::Reductions::astra_sim;
  if (stage.algorithm == DimensionAlgorithm::direct) return received / (size - 1);
  if (stage.algorithm == DimensionAlgorithm::double_binary_tree)
    return held_of_tree(stage, size) * (as_astra_sim ? 2 * log2_of(size) - 1 : log2_of(size));
  if (as_astra_sim && is_halving(stage.algorithm)) return received - received / (size - 1) * (size / 2);
  return received;
}

std::uint64_t sent_by_each(const ChunkStage& stage, std::uint64_t held, std::uint32_t size) {
  const std::uint64_t blocks = is_passed_on(stage) ? rounds_one_way(stage, size) : size - 1;
  return held / size * blocks * (stage.kind == Kind::all_reduce ? 2 : 1);
}

std::vector<ChunkRoute> chunk_routes(const CollectiveRequest& request, const GroupBox& box,
                                     const FabricTraits& fabric) {
  std::vector<ChunkRoute> routes;
  std::vector<std::uint32_t> ascending(box.axes.size());
  std::iota(ascending.begin(), ascending.end(), 0U);
  if (ascending.empty()) return std::vector<ChunkRoute>(request.chunks);
  const HierarchyOptions::Order how = fabric.hierarchy.order;
  Themis themis(request, box, fabric);
  for (std::uint32_t chunk = 0; chunk < request.chunks; ++chunk) {
    routes.push_back(route_of(request.type,
                              how == HierarchyOptions::Order::themis ? themis.next_order() : ascending, how));
    fill_in(routes.back(), request, box, fabric);
  }
  return routes;
}

StageCost cost_of(const ChunkStage& stage, const GroupBox& box, const FabricTraits& fabric) {
  const BoxAxis& axis = box.axes[stage.axis];
  const FabricDimension& dimension = fabric.topology->dimensions()[axis.dimension];
  const std::uint64_t ways = stage.kind == Kind::all_reduce ? 2 : 1;
  const std::uint64_t rounds = rounds_one_way(stage, axis.size),
                      turns = turns_one_way(stage, axis.size, fabric.hierarchy.direct_window);
  StageCost cost;
  cost.busy_ps = busy_ps(stage, axis, dimension, stage.sent_bytes);
  cost.latency_ps = ways * turns / rounds * link_latency_ps(stage, axis, dimension) +
                    fabric.hierarchy.stage_cost_ps +
                    ways * turns * (fabric.step_cost_ps + fabric.receive_cost_ps);
  if (stage.algorithm == DimensionAlgorithm::double_binary_tree) {
    // Nothing is pipelined within a chunk; two children share the port to a switch.
    const bool shares = dimension.kind == FabricDimension::Kind::switched;
    const std::uint64_t in_a_row = shares ? 2 * rounds - 1 : rounds;
    const TimePs path =
        2 * in_a_row * transfer_time_ps(held_of_tree(stage, axis.size), dimension.bytes_per_s);
    cost.latency_ps += std::max(path, cost.busy_ps) - cost.busy_ps;
  }
  if (fabric.reduction_bytes_per_s != 0)
    cost.latency_ps += transfer_time_ps(3 * reduced_bytes(stage, axis.size, fabric.hierarchy.reductions),
                                        fabric.reduction_bytes_per_s);
  return cost;
}

StageSchedule schedule_stages(const std::vector<ChunkRoute>& routes, const GroupBox& box,
                              const FabricTraits& fabric) {
  const HierarchyOptions& options = fabric.hierarchy;
  struct Waiting {
    std::uint64_t turn, arrival;
    std::uint32_t chunk, stage;
    bool operator>(const Waiting& other) const {
      return std::tie(turn, arrival) > std::tie(other.turn, other.arrival);
    }
  };
  struct Axis {
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    TimePs free_ps = 0;
    std::uint32_t active = 0;
  };
  struct Event {
    TimePs at;
    std::uint64_t order;
    std::uint32_t axis, chunk, stage;  // a stage that ends, or a port that is free
    bool ends;
    bool operator>(const Event& other) const { return std::tie(at, order) > std::tie(other.at, other.order); }
  };
  StageSchedule schedule;
  schedule.order.resize(box.axes.size());
  std::vector<Axis> axes(box.axes.size());
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::uint64_t arrivals = 0, order = 0;
  const auto arrive = [&](std::uint32_t chunk, std::uint32_t stage) {
    if (stage >= routes[chunk].size()) return;
    const ChunkStage& next = routes[chunk][stage];
    const bool fewest = options.within == HierarchyOptions::Within::smallest_first;
    axes[next.axis].waiting.push({fewest ? next.sent_bytes : 0, arrivals++, chunk, stage});
  };
  const auto serve = [&](TimePs now) {
    for (std::uint32_t a = 0; a < axes.size(); ++a) {
      Axis& axis = axes[a];
      while (!axis.waiting.empty() && axis.free_ps <= now &&
             (options.active_chunks == 0 || axis.active < options.active_chunks)) {
        const Waiting next = axis.waiting.top();
        axis.waiting.pop();
        const StageCost cost = cost_of(routes[next.chunk][next.stage], box, fabric);
        schedule.order[a].push_back({next.chunk, next.stage});
        ++axis.active;
        axis.free_ps = now + cost.busy_ps;
        if (axis.free_ps > now) events.push({axis.free_ps, order++, a, 0, 0, false});
        events.push({axis.free_ps + cost.latency_ps, order++, a, next.chunk, next.stage, true});
      }
    }
  };
  for (std::uint32_t chunk = 0; chunk < routes.size(); ++chunk) arrive(chunk, 0);
  serve(0);
  while (!events.empty()) {
    const TimePs now = events.top().at;
    for (; !events.empty() && events.top().at == now; events.pop()) {
      const Event event = events.top();
      if (!event.ends) continue;
      --axes[event.axis].active;
      schedule.end_ps = now;
      arrive(event.chunk, event.stage + 1);
    }
    serve(now);
  }
  return schedule;
}

}  // namespace wafertlm
