// SPDX-License-Identifier: Apache-2.0
// Mean latency against the flit-level reference at equal pipeline, channels, buffers, link and credit delays,
// at 20, 60 and 80 % of the reference's saturation: what cut-through (the service of the wafers) differs by
// is measured and explained in platform/commands/traffic/README.md. Wormhole switching:
// wormhole_reference_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>

#include "tests/support/flit_mesh.h"
#include "tests/timing/traffic/flit_platform.h"

namespace wafertlm::test {
namespace {

struct Comparison {
  int packet_flits, vcs, buffer_flits;
  double saturation;  ///< of the classic reference: what it accepts at a load of 0.9
  /// Largest difference of cut-through at 80 %.
  double fifo_limit, per_output_limit;
};
void PrintTo(const Comparison& c, std::ostream* out) {
  *out << c.packet_flits << " flits, " << c.vcs << " channels of " << c.buffer_flits;
}

class FlitReference : public testing::TestWithParam<Comparison> {
 protected:
  static constexpr double kParts[] = {0.2, 0.6, 0.8};
  /// Every figure is the mean over these: at 80 % of saturation one differs from the next by 5 %.
  static constexpr std::uint64_t kSeeds = 4;

  /// Mean latency in cycles.
  double reference(double load, const FlitMeshVariant& variant) const {
    FlitMeshParams params;
    params.packet_flits = GetParam().packet_flits;
    params.vcs = GetParam().vcs;
    params.buffer_flits = GetParam().buffer_flits;
    params.variant = variant;
    params.load = load;
    params.warmup_cycles = 3'000;
    params.measure_cycles = 12'000;
    double mean = 0;
    for (params.seed = 1; params.seed <= kSeeds; ++params.seed)
      mean += run_flit_mesh(params).mean_cycles / kSeeds;
    return mean;
  }

  /// The engine's means in cycles, one per part of the saturation.
  std::vector<double> engine(const std::string& switching, const std::string& queue) const {
    auto options = flit_mesh_options(fmt::format("{}flits", GetParam().packet_flits),
                                     static_cast<unsigned>(GetParam().vcs), switching);
    options.overrides.push_back("wafer.fabric.input_queue=" + queue);
    options.overrides.push_back(fmt::format("wafer.fabric.input_buffer={}B", 16 * GetParam().buffer_flits));
    options.measure_packets = 50'000;
    std::vector<double> loads, means(std::size(kParts));
    for (const double part : kParts) loads.push_back(part * GetParam().saturation);
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      options.seed = seed;
      const auto results = run_sweep(resolve(options), loads);
      for (std::size_t i = 0; i < means.size(); ++i) means[i] += results[i].mean_cycles() / kSeeds;
    }
    return means;
  }

  /// Fails where the engine's means are further from the reference's than `limit`.
  void expect_near(const std::vector<double>& means, double limit,
                   const FlitMeshVariant& variant = {}) const {
    for (std::size_t i = 0; i < means.size(); ++i) {
      const double load = kParts[i] * GetParam().saturation, expected = reference(load, variant);
      const double difference = means[i] / expected - 1;
      EXPECT_LE(std::abs(difference), limit);
      fmt::print("load {:.3f}: {:.2f} cycles, reference {:.2f}, {:+.1f} %\n", load, means[i], expected,
                 100 * difference);
    }
  }
};

// With the engine's four properties the reference agrees: they are all there is between them.
TEST_P(FlitReference, CutThrough) {
  const std::vector<double> means = engine("cut_through", "fifo");
  expect_near(means, GetParam().fifo_limit);
  expect_near(means, 0.03, {true, true, true, true});
}

TEST_P(FlitReference, CutThroughWithAQueuePerOutput) {
  expect_near(engine("cut_through", "per_output"), GetParam().per_output_limit);
}

// The limits of 5 % are the aim; the others are what is measured, rounded up, so that it does not get worse.
INSTANTIATE_TEST_SUITE_P(
    Mesh8x8, FlitReference,
    testing::Values(Comparison{1, 1, 16, 0.395, 0.05, 0.07}, Comparison{1, 2, 16, 0.404, 0.07, 0.07},
                    Comparison{1, 4, 16, 0.401, 0.07, 0.07}, Comparison{8, 1, 16, 0.340, 0.12, 0.12},
                    Comparison{8, 1, 32, 0.370, 0.05, 0.20}, Comparison{8, 2, 32, 0.410, 0.18, 0.21},
                    Comparison{8, 4, 32, 0.409, 0.29, 0.29}));

// The reference itself: alone, a packet takes the closed form.
TEST(FlitMesh, StartsAtTheClosedForm) {
  for (const int flits : {1, 8}) {
    FlitMeshParams params;
    params.packet_flits = flits;
    params.load = 0.002;
    params.measure_cycles = 200'000;
    EXPECT_NEAR(run_flit_mesh(params).mean_cycles, 5.25 * 3 + 2 + 2 + flits, 0.01 * (5.25 * 3 + 4 + flits));
  }
}

}  // namespace
}  // namespace wafertlm::test
