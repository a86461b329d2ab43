// SPDX-License-Identifier: Apache-2.0
// What the command line makes of a file, what a study's axes become, and LIBRA's model of it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "platform/commands/optimize/libra_fidelity.h"
#include "platform/commands/optimize/request.h"
#include "platform/commands/optimize/spec.h"
#include "platform/describe/document.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::optimize {
namespace {

using Lines = std::vector<std::string>;

/// An experiment, a study of it with an axis that is fixed, and a file of its own.
class OptimizeRequests : public testing::Test {
 protected:
  OptimizeRequests() {
    folder_.write("e.yaml", "experiment: small\n");
    folder_.write(
        "s.yaml",
        "study: grid\nfile: e.yaml\naxes:\n"
        "  - {axis: bw, values: ['20', '80'], set: 'link={} GB/s'}\n"
        "  - {axis: alg, values: [{name: ring, set: [alg=ring, n=1]}, {name: tree, set: alg=tree}]}\n"
        "  - {axis: batch, values: ['32'], set: 'batch={}'}\n"
        "except: [{bw: '80', alg: tree}]\nset: [last=1]\n"
        "columns: [{column: t, read: iteration_time_s}]\n");
    folder_.write("o.yaml",
                  "optimize: own\nexperiment: e.yaml\nvariables: [{variable: a, key: k, from: 1, to: 5}]\n"
                  "constraints: [a <= 4]\nset: [x=1]\nevaluations: 7\n");
    folder_.write("w1.yaml", "");
    folder_.write("w2.yaml", "");
  }
  std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
  OptimizeSpec spec(const std::string& name, const OptimizeRequest& request) const {
    return load_optimize(optimize_document(file(name), request));
  }
  std::string refusal(const std::string& name, const OptimizeRequest& request) const {
    return test::refusal_of<std::exception>([&] { spec(name, request); });
  }

  test::TempFolder folder_;
};

TEST_F(OptimizeRequests, MakeAFileOfAnExperiment) {
  OptimizeRequest request;
  EXPECT_EQ(refusal("e.yaml", request),
            "nothing says what of the experiment may vary; give --vary, for instance --vary "
            "'wafer.fabric.link_bandwidth=50..1500 GB/s'");
  request.vary = {"link=10..90:10 GB/s", "alg=ring,tree"};
  request.prices = {"link=2.5"};
  request.constraints = {"link <= 80"};
  request.goals = {"cost", "energy"};
  request.set = {"a=1"};
  request.coarse = {"b=2"};
  request.method = "direct";
  request.most_cost = 12;
  request.most_power = 13;
  request.fixed_price = 14;
  request.limit = "15 s";
  request.evaluations = 16;
  request.coarse_evaluations = 17;
  request.seed = 18;
  request.predictions = true;
  const OptimizeSpec made = spec("e.yaml", request);
  EXPECT_EQ(made.name, "small");
  EXPECT_EQ(made.base.file, file("e.yaml"));
  ASSERT_EQ(made.variables.size(), 2U);
  EXPECT_EQ(made.variables[0].text(30), "30 GB/s");
  EXPECT_EQ(made.variables[0].step, 10);
  EXPECT_EQ(made.variables[0].price, 2.5);
  EXPECT_EQ(made.variables[1].values, (Lines{"ring", "tree"}));
  EXPECT_EQ(made.constraints, Lines{"link <= 80"});
  EXPECT_EQ(made.goals, (std::vector<Goal>{Goal::cost, Goal::energy}));
  EXPECT_EQ(made.method, Method::direct);
  EXPECT_EQ(std::tie(made.most_cost, made.most_power, made.fixed_price, made.host_seconds),
            std::tuple(12.0, 13.0, 14.0, 15.0));
  EXPECT_EQ(std::tie(made.evaluations, made.coarse_evaluations, made.seed), std::tuple(16U, 17U, 18U));
  EXPECT_TRUE(made.predictions);
  EXPECT_EQ(made.cell({30, 1}, 0, true).overrides, (Lines{"link=30 GB/s", "alg=tree", "a=1", "b=2"}));
}

TEST_F(OptimizeRequests, GoOnTopOfAFile) {
  OptimizeRequest request;
  const OptimizeSpec plain = spec("o.yaml", request);
  EXPECT_EQ(plain.evaluations, 7U);
  EXPECT_EQ(plain.constraints, Lines{"a <= 4"});
  request.vary = {"a:k=2..9", "b=1..3"};
  request.constraints = {"a >= 3"};
  request.set = {"y=2"};
  request.evaluations = 3;
  const OptimizeSpec made = spec("o.yaml", request);
  ASSERT_EQ(made.variables.size(), 2U);
  EXPECT_EQ(made.variables[0].to, 9);  // in place of the file's
  EXPECT_EQ(made.variables[1].name, "b");
  EXPECT_EQ(made.constraints, (Lines{"a <= 4", "a >= 3"}));
  EXPECT_EQ(made.set, (Lines{"x=1", "y=2"}));
  EXPECT_EQ(made.evaluations, 3U);
}

TEST_F(OptimizeRequests, TakeAStudysAxes) {
  const OptimizeSpec made = spec("s.yaml", {});
  ASSERT_EQ(made.variables.size(), 2U);  // one is fixed
  EXPECT_EQ(made.variables[0].name, "bw");
  EXPECT_EQ(made.variables[0].values, (Lines{"20", "80"}));
  EXPECT_EQ(made.cell({1, 0}, 0, false).overrides,
            (Lines{"batch=32", "link=80 GB/s", "alg=ring", "n=1", "last=1"}));
  EXPECT_TRUE(made.is_excepted({1, 1}));
  EXPECT_FALSE(made.is_excepted({1, 0}));
  OptimizeRequest range;
  range.vary = {"bw=20..220"};
  const OptimizeSpec wider = spec("s.yaml", range);
  EXPECT_EQ(wider.variables[0].axis, "bw");
  EXPECT_EQ(wider.cell({100, 1}, 0, false).overrides,
            (Lines{"batch=32", "link=100 GB/s", "alg=tree", "last=1"}));
}

TEST_F(OptimizeRequests, RunEveryCaseOfAnAxisOrEveryWorkload) {
  OptimizeRequest request;
  request.over = "alg";
  request.costs = file("costs.yaml");
  const OptimizeSpec over = spec("s.yaml", request);
  ASSERT_EQ(over.variables.size(), 1U);
  ASSERT_EQ(over.cases.size(), 2U);
  EXPECT_EQ(over.cell({0}, 1, false).overrides,
            (Lines{"batch=32", "alg=tree", "link=20 GB/s", "last=1", "costs=" + file("costs.yaml")}));
  OptimizeRequest workloads;
  workloads.workloads = {file("w1.yaml"), file("w2.yaml")};
  const OptimizeSpec several = spec("o.yaml", workloads);
  ASSERT_EQ(several.cases.size(), 2U);
  EXPECT_EQ(several.cases[1].name, "w2");
  EXPECT_EQ(several.cell({3}, 1, false).overrides, (Lines{"workload=" + file("w2.yaml"), "k=3", "x=1"}));
  request.costs = "";
  request.workloads = workloads.workloads;
  EXPECT_EQ(refusal("s.yaml", request), "give 'over' or 'workloads', not both");
}

TEST_F(OptimizeRequests, AreRefusedByOption) {
  OptimizeRequest prices, axis, value, range, over;
  prices.prices = {"c=3"};
  EXPECT_EQ(refusal("o.yaml", prices), "--price c=3: expected VARIABLE=NUMBER; variables: a");
  prices.prices = {"a"};
  EXPECT_EQ(refusal("o.yaml", prices).rfind("--price a: expected VARIABLE=NUMBER", 0), 0U);
  axis.vary = {"bandwidth=1..3"};
  EXPECT_EQ(refusal("s.yaml", axis).rfind("the study has no axis 'bandwidth'", 0), 0U)
      << refusal("s.yaml", axis);
  value.vary = {"alg=ring,star"};
  EXPECT_EQ(refusal("s.yaml", value), "the axis 'alg' of the study has no value 'star'");
  range.vary = {"alg=1..3"};
  EXPECT_EQ(refusal("s.yaml", range),
            "the axis 'alg' cannot be a range: it has no 'set' with {} for the value");
  over.over = "algs";
  EXPECT_EQ(refusal("s.yaml", over).rfind("the study has no axis 'algs'; did you mean 'alg'?", 0), 0U);
}

/// A layer of 60 us of computation, twice 4 MiB over 2 NPUs and 8 MiB over 4.
class OptimizeLibra : public testing::Test {
 protected:
  OptimizeLibra() {
    spec_.name = "libra";
    spec_.libra = LibraModelSpec{
        folder_.write("n.yml", "Topology: [Ring, Switch]\nNpusCount: [2, 4]\nCostDimension: [A, B]\n"),
        folder_.write("w.txt",
                      "one -1 20000 ALLREDUCE 4194304 20000 ALLREDUCE 4194304 20000 ALLREDUCE 8388608 0\n"),
        folder_.write("c.yml", "Forward: [2, -1]\nInputGrad: [2, -1]\nWeightGrad: [-1, 4]\n"),
        {"ring", "switch"}};
    for (const char* name : {"switch", "ring"}) {  // in another order than the dimensions
      VariableSpec variable;
      variable.name = name;
      variable.from = 1;
      variable.to = 300;
      variable.price = 2;
      spec_.variables.push_back(variable);
    }
  }
  test::TempFolder folder_;
  OptimizeSpec spec_;
};

// A ring of n moves 2 (n - 1) / n of the bytes: 4 MiB each of two, 12 MiB of four; 1 GB/s is a byte per ns.
double libra_time_s(double ring, double switched) {
  return (60'000 + 2 * 4'194'304 / ring + 12'582'912 / switched) * 1e-9;
}

TEST_F(OptimizeLibra, TakesBandwidthsByTheirNames) {
  const LibraFidelity libra(spec_);
  for (const auto& [switched, ring] : {std::pair(100.0, 200.0), {250.0, 50.0}, {1.0, 300.0}})
    EXPECT_NEAR(libra.time_s({switched, ring}), libra_time_s(ring, switched),
                1e-9 * libra_time_s(ring, switched));
  EXPECT_FALSE(libra.optimum());  // nothing bounds the bandwidths
  EXPECT_FALSE(libra.bound_s());
  EXPECT_TRUE(libra.front(3).empty());
}

TEST_F(OptimizeLibra, HasTheOptimumOfABudgetAndCheaperOnes) {
  spec_.constraints = {"ring + switch = 300"};
  const LibraFidelity libra(spec_);
  ASSERT_TRUE(libra.optimum());
  // By Lagrange: in the ratio of the roots.
  const double ratio = std::sqrt(2 * 4'194'304 / 12'582'912.0), switched = 300 / (1 + ratio);
  EXPECT_NEAR((*libra.optimum())[0], switched, 0.1);
  EXPECT_NEAR((*libra.optimum())[1], 300 - switched, 0.1);
  const double least = libra_time_s(300 - switched, switched);
  EXPECT_LE(*libra.bound_s(), least * (1 + 1e-9));
  EXPECT_NEAR(*libra.bound_s(), least, 1e-4 * least);
}

TEST_F(OptimizeLibra, FrontsGoDownFromTheDearest) {
  spec_.constraints = {"ring + switch <= 300"};
  const auto front = LibraFidelity(spec_).front(4);
  ASSERT_EQ(front.size(), 4U);
  for (std::size_t i = 0; i < front.size(); ++i)
    EXPECT_NEAR(spec_.cost(front[i]), 600 * std::pow(0.05, static_cast<double>(i) / 4), 0.5) << i;
}

TEST_F(OptimizeLibra, NeedsAVariableForEachDimension) {
  spec_.libra->dimensions = {"ring"};
  EXPECT_EQ(test::refusal_of([&] { const LibraFidelity libra(spec_); }),
            "libra.dimensions names 1 variables for the 2 dimensions of " + folder_.path() + "/n.yml");
}

}  // namespace
}  // namespace wafertlm::optimize
