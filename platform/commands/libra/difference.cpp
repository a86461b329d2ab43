// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace wafertlm::model_gap {
namespace {

constexpr double kPicoseconds = 1e3;
constexpr double kUnlimited = 9e6;  // GB/s, the most that a link may have

std::int64_t rounded_ps(double ns) { return std::llround(ns * kPicoseconds); }

using Settings = std::vector<std::string>;

Settings without_latency(std::size_t dimensions, const std::string& least) {
  Settings settings;
  for (std::size_t d = 0; d < dimensions; ++d)
    settings.push_back(fmt::format("wafer.fabric.dimensions[{}].latency={}", d, least));
  for (const char* const cost : {"launch_cost", "step_cost", "receive_cost", "stage_cost"})
    settings.push_back(fmt::format("npu.endpoint.{}=0 ps", cost));
  return settings;
}

Settings with_chunks(Settings settings, std::uint32_t chunks) {
  settings.push_back(fmt::format("collectives.chunks={}", chunks));
  return settings;
}

/// All dimensions but this one; all: none is left.
Settings only(Settings settings, std::size_t dimensions, std::size_t dimension) {
  for (std::size_t d = 0; d < dimensions; ++d)
    if (d != dimension) settings.push_back(fmt::format("wafer.fabric.dimensions[{}].bandwidth=9 PB/s", d));
  return settings;
}

/// The runs of a question, by what they are for.
class Runs {
 public:
  std::size_t add(const Cell& base, const Settings& settings) {
    cells_.push_back(base);
    cells_.back().overrides.insert(cells_.back().overrides.end(), settings.begin(), settings.end());
    return cells_.size() - 1;
  }
  /// @return why one has failed; empty: none has
  std::string run(const Simulate& simulate) {
    done_ = simulate(cells_);
    for (const Run& each : done_)
      if (!each.error.empty()) return each.error;
    return "";
  }
  std::int64_t time(std::size_t number) const { return done_[number].time_ps; }
  std::int64_t compute(std::size_t number) const { return done_[number].compute_ps; }

 private:
  std::vector<Cell> cells_;
  std::vector<Run> done_;
};

/// Bytes in a dimension that a term counts for, by the wires.
double counted_bytes(const Question& question, std::size_t term, std::size_t dimension) {
  const double bytes = question.model.terms[term].amounts[dimension];
  return question.wires.empty() ? bytes : bytes * question.wires[term][dimension];
}

double sent_in(const Question& question, std::size_t dimension, bool by_wires) {
  double bytes = 0;
  for (std::size_t i = 0; i < question.model.terms.size(); ++i) {
    const libra::Term& term = question.model.terms[i];
    bytes += term.weight * (by_wires ? counted_bytes(question, i, dimension) : term.amounts[dimension]);
  }
  return bytes;
}

/// The time of all collectives in ns: in each dimension as the wires say, times what was measured beyond.
double collectives_ns(const Question& question, const std::vector<double>& beyond) {
  double sum = 0;
  for (std::size_t i = 0; i < question.model.terms.size(); ++i) {
    double slowest = 0;
    for (std::size_t d = 0; d < beyond.size(); ++d)
      slowest = std::max(slowest, beyond[d] * counted_bytes(question, i, d) / question.bandwidths[d]);
    sum += question.model.terms[i].weight * slowest;
  }
  return sum;
}

std::string factors_text(const std::vector<std::optional<double>>& factors) {
  std::string text;
  for (std::size_t d = 0; d < factors.size(); ++d)
    text += fmt::format(" B{} {}", d, factors[d] ? fmt::format("{:.4f}", *factors[d]) : "-");
  return text;
}

}  // namespace

Difference difference(const Question& question, const Simulate& simulate) {
  const std::size_t dimensions = question.model.dimensions;
  const std::uint32_t n = question.chunks;
  const Settings bare = without_latency(dimensions, question.no_latency), one = with_chunks(bare, 1);
  Runs runs;
  const std::size_t whole = runs.add(question.base, {}), idle = runs.add(question.base, bare);
  std::vector<std::size_t> lines, alone;
  for (const std::uint32_t times : {1U, 2U, 4U})
    lines.push_back(runs.add(question.base, with_chunks(bare, times * n)));
  for (std::size_t d = 0; d <= dimensions; ++d)
    alone.push_back(runs.add(question.base, only(one, dimensions, d)));
  const std::size_t ascending =
      runs.add(question.base, {"collectives.dimensions.order=local_bandwidth_aware"});
  const std::size_t themis = runs.add(question.base, {"collectives.dimensions.order=themis"});

  Difference found;
  found.chunks = n;
  found.model_ps = rounded_ps(question.model.value(question.bandwidths));
  found.problem = runs.run(simulate);
  if (!found.problem.empty()) return found;
  found.simulated_ps = runs.time(whole);
  found.ascending_ps = runs.time(ascending);
  found.themis_ps = runs.time(themis);
  // As 1/chunks goes to 0 on the line.
  std::int64_t endless = 2 * runs.time(lines[2]) - runs.time(lines[1]);
  found.line_misses_ps = runs.time(lines[0]) - (endless + 2 * (runs.time(lines[1]) - endless));
  const std::int64_t nothing = runs.time(alone[dimensions]);
  std::vector<double> beyond(dimensions, 1);
  for (std::size_t d = 0; d < dimensions; ++d) {
    found.factors.emplace_back();
    const double bytes = sent_in(question, d, false), unlimited = kUnlimited / question.link_shares[d];
    if (bytes == 0) continue;
    found.factors[d] = static_cast<double>(runs.time(alone[d]) - nothing) /
                       (kPicoseconds * bytes * (1 / question.bandwidths[d] - 1 / unlimited));
    beyond[d] = *found.factors[d] * bytes / sent_in(question, d, true);
  }
  const std::int64_t compute = rounded_ps(question.model.constant), collectives = found.model_ps - compute,
                     measured = rounded_ps(collectives_ns(question, beyond)), computed = runs.compute(whole);
  if (question.is_chain) endless = std::max(endless, computed + measured);
  found.parts = {
      {"latency", found.simulated_ps - runs.time(idle), "of links and endpoints: with it, less without"},
      {"chunks", runs.time(idle) - endless,
       fmt::format("filling and emptying the pipeline: less with any number of chunks (line over 1/chunks "
                   "through {} and {})",
                   2 * n, 4 * n)},
      {"algorithms", measured - collectives,
       "time in each dimension alone, as a part of the model's:" + factors_text(found.factors)},
      {"computing", computed - compute, "as simulated, less the model's"},
      {"contention", endless - computed - measured,
       "the rest: messages and collectives that wait for each other, less what overlaps"}};
  return found;
}

}  // namespace wafertlm::model_gap
