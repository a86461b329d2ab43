// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>

#include "platform/commands/libra/ranking.h"

namespace wafertlm::model_gap {
namespace {

/// A machine whose times are a formula, told what to leave out by the settings of a cell.
struct Machine {
  std::vector<double> bandwidths, factors, links;
  const libra::BandwidthProblem& model;
  std::int64_t computing_ps = 0, latency_ps = 0, fill_ps = 0, waiting_ps = 0, themis_ps = 0;
  std::uint32_t chunks = 8;

  Run run(const Cell& cell) const {
    std::map<std::string, std::string> keys;
    for (const std::string& each : cell.overrides)
      keys[each.substr(0, each.find('='))] = each.substr(each.find('=') + 1);
    std::vector<double> speed = bandwidths;
    bool is_all = true, has_latency = true;
    for (std::size_t d = 0; d < speed.size(); ++d) {
      const std::string key = "wafer.fabric.dimensions[" + std::to_string(d) + "].";
      if (keys.count(key + "bandwidth") != 0) {
        EXPECT_EQ(keys[key + "bandwidth"], "9 PB/s");
        speed[d] = 9e6 / links[d];
        is_all = false;
      }
      has_latency = has_latency && keys.count(key + "latency") == 0;
    }
    const std::uint32_t pieces = keys.count("collectives.chunks") != 0
                                     ? static_cast<std::uint32_t>(std::stoul(keys["collectives.chunks"]))
                                     : chunks;
    EXPECT_EQ(has_latency, keys.count("npu.endpoint.launch_cost") == 0);
    double ns = 0;
    for (const libra::Term& term : model.terms) {
      double most = 0, sum = 0;
      for (std::size_t d = 0; d < speed.size(); ++d) {
        const double time = factors[d] * term.amounts[d] / speed[d];
        most = std::max(most, time);
        sum += time;
      }
      ns += term.weight * (pieces == 1 ? sum : most);
    }
    std::int64_t ps = computing_ps + std::llround(ns * 1e3);
    if (is_all) ps += waiting_ps + fill_ps / pieces;
    if (has_latency) ps += latency_ps;
    if (keys["collectives.dimensions.order"] == "themis") ps -= themis_ps;
    return {ps, computing_ps, ""};
  }
  std::vector<Run> all(const std::vector<Cell>& cells) const {
    std::vector<Run> runs;
    for (const Cell& each : cells) runs.push_back(run(each));
    return runs;
  }
};

libra::BandwidthProblem two_dimensions() {
  libra::BandwidthProblem model;
  model.dimensions = 2;
  model.constant = 5e6;
  model.terms = {{3, {4e8, 1e8}}, {1, {0, 3e8}}};
  return model;
}

TEST(Difference, EveryPartIsWhatTheMachineHas) {
  const libra::BandwidthProblem model = two_dimensions();
  Machine machine{{200, 50}, {2, 1.25}, {0.5, 1}, model};
  machine.computing_ps = 5'000'000'000 + 77;
  machine.latency_ps = 123'456;
  machine.fill_ps = 256'000'000;
  machine.waiting_ps = 999'999;
  machine.themis_ps = 5'000;
  std::size_t runs = 0;
  const Difference found =
      difference({{}, model, machine.bandwidths, machine.links, 32}, [&](const std::vector<Cell>& cells) {
        runs += cells.size();
        return machine.all(cells);
      });
  EXPECT_EQ(found.problem, "");
  EXPECT_EQ(runs, 10U);
  std::map<std::string, std::int64_t> parts;
  std::int64_t sum = 0;
  for (const Part& each : found.parts) sum += parts[each.name] = each.ps;
  EXPECT_EQ(sum, found.simulated_ps - found.model_ps);
  EXPECT_EQ(found.model_ps, 5'000'000'000 + 1000 * (3 * 2'000'000LL + 6'000'000));
  EXPECT_EQ(parts["latency"], machine.latency_ps);
  EXPECT_EQ(parts["chunks"], machine.fill_ps / machine.chunks);
  EXPECT_EQ(parts["computing"], 77);
  // Twice the time in the first dimension, which decides the first term; 1.25 of it decides the second.
  EXPECT_NEAR(static_cast<double>(parts["algorithms"]), 1e3 * (3 * 2e6 + 0.25 * 6e6), 2);
  EXPECT_LE(std::abs(parts["contention"] - machine.waiting_ps), 2);
  EXPECT_NEAR(*found.factors[0], 2, 1e-9);
  EXPECT_NEAR(*found.factors[1], 1.25, 1e-9);
  EXPECT_EQ(found.line_misses_ps, 0);
  EXPECT_EQ(found.ascending_ps - found.themis_ps, machine.themis_ps);
  const auto json = difference_json(found);
  EXPECT_EQ(json["parts"][0]["time_ps"], machine.latency_ps);
  EXPECT_EQ(json["difference_ps"], sum);
  EXPECT_NE(difference_text(found).find("B0 2.0000 B1 1.2500"), std::string::npos);
}

/// What the wires of some terms say is no contention.
TEST(Difference, WiresTellWhichTermsTakeLonger) {
  libra::BandwidthProblem model = two_dimensions();
  const Machine machine{{200, 50}, {1, 1}, {0.5, 1}, model};
  libra::BandwidthProblem slower = model;
  slower.terms[0].amounts[0] *= 3;
  Machine as_it_is{{200, 50}, {1, 1}, {0.5, 1}, slower};
  as_it_is.computing_ps = 5'000'000'000;
  const Difference found =
      difference({{}, model, machine.bandwidths, machine.links, 32, "0 ps", {{3, 1}, {1, 1}}},
                 [&](const std::vector<Cell>& cells) { return as_it_is.all(cells); });
  EXPECT_NEAR(*found.factors[0], 3, 1e-9);
  for (const Part& each : found.parts)
    EXPECT_NEAR(static_cast<double>(each.ps), each.name == "algorithms" ? 1e3 * 3 * (6e6 - 2e6) : 0, 2)
        << each.name;
}

/// A line through two runs that do not lie on one goes below what each dimension takes alone.
TEST(Difference, OfAChainTheLineEndsAtTheDimensionsTime) {
  const libra::BandwidthProblem model = two_dimensions();
  Machine machine{{200, 50}, {1, 1}, {0.5, 1}, model};
  machine.computing_ps = 5'000'000'000;
  machine.fill_ps = 256'000'000;
  const auto parts_of = [&](bool is_chain) {
    const Difference found = difference(
        {{}, model, machine.bandwidths, machine.links, 32, "0 ps", {}, is_chain}, [&](const auto& cells) {
          std::vector<model_gap::Run> runs = machine.all(cells);
          runs[4].time_ps -= 1'000'000;  // with 128 chunks
          return runs;
        });
    EXPECT_EQ(found.parts.back().name, "contention");
    EXPECT_EQ(found.line_misses_ps, -2'000'000);
    return std::pair(found.parts[1].ps, std::llround(static_cast<double>(found.parts.back().ps) / 10) * 10);
  };
  EXPECT_EQ(parts_of(false), std::pair(std::int64_t{32'000'000 + 2'000'000}, -2'000'000LL));
  EXPECT_NEAR(static_cast<double>(parts_of(true).first), 32e6, 2);  // ps: of the measured factors
  EXPECT_EQ(parts_of(true).second, 0);
}

TEST(Difference, SaysWhyThereIsNone) {
  const libra::BandwidthProblem model = two_dimensions();
  const Difference found = difference({{}, model, {1, 1}, {1, 1}}, [](const std::vector<Cell>& cells) {
    std::vector<model_gap::Run> runs(cells.size());
    runs[3].error = "no such key";
    return runs;
  });
  EXPECT_EQ(found.problem, "no such key");
  EXPECT_TRUE(found.parts.empty());
  EXPECT_NE(difference_text(found).find("no such key"), std::string::npos);
}

TEST(Swaps, TellWhatFollowingTheModelCosts) {
  //                         model            simulated
  const Swaps found = swaps({1, 2, 3, 3}, {10, 9, 8, 20});
  EXPECT_EQ(found.pairs, 5U);    // the last two are a tie of the model
  EXPECT_EQ(found.swapped, 3U);  // 1–2, 1–3, 2–3
  ASSERT_TRUE(found.worst);
  EXPECT_EQ(*found.worst, (std::pair<std::size_t, std::size_t>{0, 2}));
  EXPECT_DOUBLE_EQ(found.loss, 0.25);
  EXPECT_FALSE(swaps({1, 2, 3}, {4, 5, 6}).worst);
  EXPECT_EQ(swaps({1, 1 + 1e-12}, {2, 1}).pairs, 0U);
}

}  // namespace
}  // namespace wafertlm::model_gap
