// SPDX-License-Identifier: Apache-2.0
#include "workloads/trace_model/slot_values.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "workloads/trace_model/perturb.h"

namespace wafertlm::trace_model {
namespace {

using chakra::Node;

/// Of ratios whose mean is 1: `count` quantiles, equally spaced and scaled so that what is drawn between them
/// has the mean 1; none if there is no difference.
std::vector<double> quantiles(std::vector<double> ratios, std::size_t count) {
  if (ratios.size() < 2) return {};
  std::sort(ratios.begin(), ratios.end());
  if (ratios.back() - ratios.front() < 1e-4) return {};
  std::vector<double> found;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = static_cast<double>(i * (ratios.size() - 1)) / static_cast<double>(count - 1);
    const auto low = static_cast<std::size_t>(at);
    const double part = at - static_cast<double>(low);
    const double high = ratios[std::min(low + 1, ratios.size() - 1)];
    found.push_back(ratios[low] + part * (high - ratios[low]));
  }
  double area = 0;
  for (std::size_t i = 0; i + 1 < count; ++i) area += (found[i] + found[i + 1]) / 2;
  const double mean = area / static_cast<double>(count - 1);
  if (mean <= 0) return {};
  for (double& each : found) each = std::round(each / mean * 1e5) / 1e5;
  return found;
}

/// Four digits, so that a model is readable; all of them without a bound.
std::uint64_t rounded(double value, bool is_changed) {
  double unit = 1;
  while (is_changed && value / unit >= 1e5) unit *= 10;
  return static_cast<std::uint64_t>(std::round(value / unit) * unit);
}

/// In runs; more than kMostStretches become the means of as many stretches.
Runs<std::uint64_t> runs(const std::vector<std::uint64_t>& values) {
  Runs<std::uint64_t> found;
  for (const std::uint64_t value : values)
    if (!found.empty() && found.back().first == value)
      ++found.back().second;
    else
      found.emplace_back(value, 1);
  if (found.size() <= kMostStretches) return found;
  found.clear();
  for (std::size_t i = 0; i < kMostStretches; ++i) {
    const std::size_t from = i * values.size() / kMostStretches,
                      to = (i + 1) * values.size() / kMostStretches;
    double sum = 0;
    for (std::size_t at = from; at < to; ++at) sum += static_cast<double>(values[at]);
    found.emplace_back(static_cast<std::uint64_t>(std::llround(sum / static_cast<double>(to - from))),
                       static_cast<std::uint32_t>(to - from));
  }
  return found;
}

class SlotValues {
 public:
  SlotValues(const Behaviour& of, const Jobs& jobs, double factor, const Changes& changes)
      : of_(of), jobs_(jobs), factor_(factor), changes_(changes) {}

  void add(std::size_t at) { places_.push_back(at); }
  std::size_t count() const { return places_.size(); }

  /// Durations of each occurrence, on the average of all ranks and jobs, each at the mean pace.
  void fill(Slot& slot, const std::vector<double>& pace) const {
    fill_durations(slot.durations, pace);
    const Node& first = node(0, 0, places_.front());
    const bool computes = first.type == chakra::NodeType::Comp || first.is_launch();
    std::vector<std::uint64_t> bytes, operations, touched;
    for (const std::size_t at : places_) {
      const Node& each = node(0, 0, at);
      bytes.push_back(changes_.bytes(bytes_of(each)));
      operations.push_back(changed(each.num_ops.value_or(0), factor_, changes_.half()));
      touched.push_back(changed(each.tensor_size.value_or(0), factor_, changes_.half()));
      if (each.products.empty()) continue;
      auto products = changed(each.products, factor_, changes_.half());
      if (!slot.products.empty() && slot.products.back().first == products)
        ++slot.products.back().second;
      else
        slot.products.emplace_back(std::move(products), 1);
    }
    if (!computes && (first.comm_size || first.tensor_size)) slot.bytes = runs(bytes);
    if (first.num_ops) slot.operations = runs(operations);
    if (computes && first.tensor_size) slot.touched = runs(touched);
  }

 private:
  const Node& node(std::size_t job, std::size_t member, std::size_t at) const {
    const statistics::TraceGraph& graph = jobs_[job][of_.ranks[member]];
    return graph.nodes[graph.order[at]];
  }

  void fill_durations(Durations& durations, const std::vector<double>& pace) const {
    std::vector<double> means, of_ranks;
    for (const std::size_t at : places_) {
      std::vector<double> all;
      for (std::size_t job = 0; job < jobs_.size(); ++job)
        for (std::size_t member = 0; member < of_.ranks.size(); ++member)
          all.push_back(static_cast<double>(node(job, member, at).duration_ps) / pace[member]);
      means.push_back(std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size()));
      for (const double each : all) of_ranks.push_back(means.back() > 0 ? each / means.back() : 1);
    }
    const std::size_t stretches = std::min(places_.size(), kMostStretches);
    std::vector<double> of_places;
    for (std::size_t i = 0; i < stretches; ++i) {
      const std::size_t from = i * means.size() / stretches, to = (i + 1) * means.size() / stretches;
      double sum = 0;
      for (std::size_t at = from; at < to; ++at) sum += means[at];
      const double mean = sum / static_cast<double>(to - from);
      durations.stretches_ps.push_back(rounded(mean * factor_, changes_.half() > 0));
      for (std::size_t at = from; at < to; ++at) of_places.push_back(mean > 0 ? means[at] / mean : 1);
    }
    const auto& list = durations.stretches_ps;
    if (std::all_of(list.begin(), list.end(), [&](std::uint64_t each) { return each == list.front(); }))
      durations.stretches_ps.resize(1);
    durations.spread = quantiles(std::move(of_places), 5);
    durations.ranks = quantiles(std::move(of_ranks), 9);
  }

  const Behaviour& of_;
  const Jobs& jobs_;
  double factor_;
  const Changes& changes_;
  std::vector<std::size_t> places_;
};

/// The computations of each rank relative to the mean; all 1 if none differs by a thousandth.
std::vector<double> pace_of(const Behaviour& behaviour, const Jobs& jobs) {
  std::vector<double> sums;
  for (const std::uint32_t rank : behaviour.ranks) {
    double sum = 0;
    for (const auto& job : jobs)
      for (const Node& node : job[rank].nodes)
        if (node.type == chakra::NodeType::Comp) sum += static_cast<double>(node.duration_ps);
    sums.push_back(sum);
  }
  const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(sums.size());
  bool differs = false;
  for (double& sum : sums) {
    sum = mean > 0 ? std::round(sum / mean * 1e4) / 1e4 : 1;
    differs = differs || std::abs(sum - 1) > 1e-3;
  }
  if (!differs || std::any_of(sums.begin(), sums.end(), [](double each) { return each <= 0; }))
    sums.assign(sums.size(), 1);
  return sums;
}

}  // namespace

void fill_values(Shape& shape, std::size_t number, const Jobs& jobs, const Changes& changes) {
  Behaviour& behaviour = shape.behaviour;
  const std::vector<double> pace = pace_of(behaviour, jobs);
  std::vector<SlotValues> values;
  const std::size_t main = behaviour.slots.size();
  for (std::uint32_t slot = 0; slot < main + behaviour.side_slots.size(); ++slot)
    values.emplace_back(behaviour, jobs, changes.of_slot(number, slot), changes);
  for (std::size_t at = 0; at < shape.slot_of.size(); ++at) values[shape.slot_of[at]].add(at);
  for (std::size_t slot = 0; slot < values.size(); ++slot)
    values[slot].fill(slot < main ? behaviour.slots[slot] : behaviour.side_slots[slot - main], pace);
  if (std::any_of(pace.begin(), pace.end(), [](double each) { return each != 1; })) behaviour.pace = pace;
}

}  // namespace wafertlm::trace_model
