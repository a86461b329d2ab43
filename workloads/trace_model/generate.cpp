// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/generate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "workloads/statistics/duration_grid.h"
#include "workloads/statistics/trace_statistics.h"
#include "workloads/trace_model/perturb.h"
#include "workloads/trace_model/schedule.h"

namespace wafertlm::trace_model {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;

/// The quantile of a part from 0 to 1, in a straight line between those that are known; 1 if there are none.
double quantile(const std::vector<double>& known, double part) {
  if (known.empty()) return 1;
  const double at = part * static_cast<double>(known.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), known.size() - 1);
  const double high = known[std::min(low + 1, known.size() - 1)];
  return known[low] + (at - static_cast<double>(low)) * (high - known[low]);
}

template <typename Value>
const Value& in_runs(const Runs<Value>& runs, std::uint32_t number) {
  for (const auto& [value, count] : runs) {
    if (number < count) return value;
    number -= count;
  }
  return runs.back().first;
}

std::uint64_t times(std::uint64_t value, double factor) {
  if (factor == 1 || value == 0) return value;
  const double exact = std::round(static_cast<double>(value) * factor);
  if (exact > 0x1p62) throw std::invalid_argument("a size or duration would be beyond 2^62");
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(exact));
}

/// Of a slot: the factors of its occurrences' durations. Every part of the spread is there equally often,
/// each is changed once more, and their mean is 1.
std::vector<double> occurrence_factors(const Slot& slot, std::uint32_t count, double half,
                                       std::uint64_t seed) {
  std::vector<double> factors(count, 1);
  const std::uint64_t first = slot.durations.stretches_ps.empty() ? 0 : slot.durations.stretches_ps.front();
  const std::uint64_t key = mixed(
      mixed(seed, slot.kind),
      first == 0 ? 0 : static_cast<std::uint64_t>(std::llround(200 * std::log(static_cast<double>(first)))));
  if (count < 2) return factors;
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[mixed(key, i) % i]);
  for (std::uint32_t i = 0; i < count; ++i)
    factors[i] = quantile(slot.durations.spread, (order[i] + 0.5) / count);
  const auto centre = [&](std::vector<double>& list) {
    const double mean = std::accumulate(list.begin(), list.end(), 0.0) / count;
    for (double& each : list) each /= mean;
  };
  centre(factors);
  std::vector<double> noise(count);
  for (std::uint32_t i = 0; i < count; ++i) noise[i] = 1 + half * (2 * uniform(mixed(~key, i)) - 1);
  centre(noise);
  for (std::uint32_t i = 0; i < count; ++i) factors[i] *= std::clamp(noise[i], 1 - half, 1 + half);
  return factors;
}

/// By what sizes and times are multiplied.
struct Scale {
  double computations = 1, parameters = 1, activations = 1, shares = 1;
};

class RankMaker {
 public:
  RankMaker(const Model& model, const Behaviour& behaviour, const Schedule& schedule,
            const std::vector<std::vector<double>>& factors, const ScaledGroups& groups, const Scale& scale)
      : model_(model),
        behaviour_(behaviour),
        schedule_(schedule),
        factors_(factors),
        groups_(groups),
        scale_(scale) {}

  /// @param member its place in the behaviour's ranks
  std::vector<Node> nodes(std::uint32_t rank, std::size_t member, std::uint64_t seed) {
    made_.assign(model_.kinds.size(), {});
    taken_.assign(model_.kinds.size(), 0);
    const double pace = behaviour_.pace.empty() ? 1 : behaviour_.pace[member];
    std::vector<Node> result;
    result.reserve(schedule_.nodes.size());
    for (const Occurrence& each : schedule_.nodes) {
      const Slot& slot = slot_of(each);
      Node node = node_of(model_.kinds[slot.kind], rank);
      node.id = result.size() + 1;
      add_parents(slot, node);
      const bool computes = node.type == NodeType::Comp || node.is_launch();
      const double of_rank = quantile(slot.durations.ranks,
                                      slot.durations.ranks.empty()
                                          ? 0
                                          : uniform(mixed(mixed(seed, rank), mixed(each.slot, each.number))));
      const double factor =
          factors_[each.slot][each.number] * of_rank * (computes ? pace * scale_.computations : 1);
      node.duration_ps = times(duration(slot, each), factor);
      // Equal durations have given a mean that is on the source's grid, or near to it.
      if (model_.bound > 0 && model_.grid_ps > 1)
        node.duration_ps =
            statistics::off_grid(node.duration_ps, model_.grid_ps, 0, mixed(mixed(seed, rank), node.id));
      add_sizes(slot, each, node);
      made_[slot.kind].push_back(node.id);
      result.push_back(std::move(node));
    }
    return result;
  }

 private:
  const Slot& slot_of(const Occurrence& each) const {
    const std::size_t main = behaviour_.slots.size();
    return each.slot < main ? behaviour_.slots[each.slot] : behaviour_.side_slots[each.slot - main];
  }

  Node node_of(const Kind& kind, std::uint32_t rank) const {
    Node node;
    node.type = kind.type;
    node.comm_type = kind.collective;
    node.is_cpu_op = kind.cpu;
    node.io_stream = kind.io_stream;
    node.unit = kind.unit;
    node.comm_class = kind.traffic_class;
    node.comm_priority = kind.priority;
    node.involved_dim = kind.dims;
    node.name = kind.delay ? "delay" : statistics::class_of(node);
    if (kind.family >= 0) node.pg_name = groups_.name(kind, rank);
    if (kind.type == NodeType::CommSend || kind.type == NodeType::CommRecv) {
      const std::uint32_t peer = groups_.peer(kind, rank);
      node.comm_src = kind.type == NodeType::CommSend ? rank : peer;
      node.comm_dst = kind.type == NodeType::CommSend ? peer : rank;
      node.comm_tag = kind.lane;
    }
    return node;
  }

  void add_parents(const Slot& slot, Node& node) {
    for (const Reference& reference : slot.after) {
      const std::vector<std::uint64_t>& of_kind = made_[reference.kind];
      if (reference.back == Reference::kOpen) {
        std::size_t& taken = taken_[reference.kind];
        node.data_deps.insert(node.data_deps.end(), of_kind.begin() + static_cast<std::ptrdiff_t>(taken),
                              of_kind.end());
        taken = of_kind.size();
      } else if (reference.back <= of_kind.size()) {
        node.data_deps.push_back(of_kind[of_kind.size() - reference.back]);
      }
    }
    if (!slot.after.empty() && node.data_deps.empty() && node.id > 1) node.data_deps.push_back(node.id - 1);
    std::sort(node.data_deps.begin(), node.data_deps.end());
  }

  std::uint64_t duration(const Slot& slot, const Occurrence& each) const {
    const auto& list = slot.durations.stretches_ps;
    if (list.empty()) return 0;
    return list[((each.learned + std::uint64_t{1}) * list.size() - 1) / schedule_.learned[each.slot]];
  }

  void add_sizes(const Slot& slot, const Occurrence& each, Node& node) const {
    if (!slot.bytes.empty()) {
      const std::uint64_t bytes = times(in_runs(slot.bytes, each.learned), of_bytes(node, slot));
      if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore)
        node.tensor_size = bytes;
      else
        node.comm_size = bytes;
    }
    if (!slot.operations.empty())
      node.num_ops = times(in_runs(slot.operations, each.learned), scale_.computations);
    if (!slot.touched.empty())
      node.tensor_size = times(in_runs(slot.touched, each.learned), scale_.activations);
    if (slot.products.empty()) return;
    node.products = in_runs(slot.products, each.learned);
    const double of_each = std::cbrt(scale_.computations);
    for (MatrixProduct& product : node.products)
      for (std::uint64_t* dimension : {&product.m, &product.n, &product.k})
        *dimension = times(*dimension, of_each);
  }

  double of_bytes(const Node& node, const Slot& slot) const {
    if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore) return scale_.parameters;
    const bool is_message = node.type == NodeType::CommSend || node.type == NodeType::CommRecv;
    const std::string name = node.comm_class.empty() ? (is_message ? chakra::kDefaultMessageClass
                                                                   : chakra::kDefaultCollectiveClass)
                                                     : node.comm_class;
    const bool is_share =
        node.comm_type == CollectiveType::AllGather && groups_.is_scaled(model_.kinds[slot.kind].family);
    return (name == "dp" || name == "weights" ? scale_.parameters : scale_.activations) *
           (is_share ? scale_.shares : 1);
  }

  const Model& model_;
  const Behaviour& behaviour_;
  const Schedule& schedule_;
  const std::vector<std::vector<double>>& factors_;
  const ScaledGroups& groups_;
  Scale scale_;
  std::vector<std::vector<std::uint64_t>> made_;  // ids by kind
  std::vector<std::size_t> taken_;                // by kind: how many of them an open reference named
};

/// Collectives get the size that the group's first rank has, receives that of their sends.
void agree(Generated& made) {
  std::map<std::string, std::vector<std::uint64_t>> sizes;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>> sent;
  for (auto& rank : made.ranks) {
    std::map<std::string, std::size_t> number;
    for (Node& node : rank) {
      if (node.type == NodeType::CommSend && node.comm_size)
        sent[{*node.comm_src, *node.comm_dst, *node.comm_tag}].push_back(*node.comm_size);
      if (!node.is_collective() || !node.comm_size) continue;
      auto& known = sizes[node.pg_name];
      const std::size_t i = number[node.pg_name]++;
      if (i == known.size()) known.push_back(*node.comm_size);
      node.comm_size = known[i];
    }
  }
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> received;
  for (auto& rank : made.ranks)
    for (Node& node : rank) {
      if (node.type != NodeType::CommRecv || !node.comm_size) continue;
      const std::tuple channel(*node.comm_src, *node.comm_dst, *node.comm_tag);
      const auto found = sent.find(channel);
      const std::size_t i = received[channel]++;
      if (found != sent.end() && i < found->second.size()) node.comm_size = found->second[i];
    }
}

}  // namespace

Generated generate(const Model& model, const GenerateOptions& options) {
  if (!(options.hidden > 0) || !(options.batch > 0))
    throw std::invalid_argument("width and batch must be above 0");
  std::int64_t more = 0;
  if (options.layers) {
    if (model.layers == 0)
      throw std::invalid_argument("the model has no layers: nothing repeats in what it was learned from");
    more = static_cast<std::int64_t>(*options.layers) - model.layers;
  }
  const std::uint32_t ranks = options.ranks.value_or(model.ranks);
  const ScaledGroups groups(model, ranks);
  Scale scale;
  scale.computations = options.hidden * options.hidden * options.batch;
  scale.parameters = options.hidden * options.hidden;
  scale.activations = options.hidden * options.batch;
  scale.shares = static_cast<double>(model.ranks) / ranks;
  const double half = 0.999 * half_of(model.bound);

  Generated made;
  made.groups = groups.groups();
  made.ranks.resize(ranks);
  made.source.resize(ranks);
  made.source_rank.resize(ranks);
  for (const Behaviour& behaviour : model.behaviours) {
    const Schedule schedule = schedule_of(behaviour, more);
    std::vector<std::vector<double>> factors;
    for (std::size_t slot = 0; slot < schedule.counts.size(); ++slot)
      factors.push_back(occurrence_factors(slot < behaviour.slots.size()
                                               ? behaviour.slots[slot]
                                               : behaviour.side_slots[slot - behaviour.slots.size()],
                                           schedule.counts[slot], half, options.seed));
    RankMaker maker(model, behaviour, schedule, factors, groups, scale);
    for (std::size_t member = 0; member < behaviour.ranks.size(); ++member)
      for (std::uint32_t rank = behaviour.ranks[member]; rank < ranks; rank += model.ranks) {
        made.ranks[rank] = maker.nodes(rank, member, options.seed);
        made.source_rank[rank] = behaviour.ranks[member];
        for (const Occurrence& each : schedule.nodes) made.source[rank].push_back(each.source);
      }
  }
  agree(made);
  return made;
}

}  // namespace wafertlm::trace_model
