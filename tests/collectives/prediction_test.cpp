// SPDX-License-Identifier: Apache-2.0
// Predictions of random collectives against the simulation, on all kinds of fabric: of any algorithm within
// 10 % in 95 % of the cases; the algorithm and chunks that kFastest takes within 5 % of the best of all of
// them in 99 %.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/collectives/random_fabrics.h"
#include "tests/support/sanitized.h"
#include "workloads/collectives/search.h"

namespace wafertlm {
namespace {

struct Kind {
  const char* name;
  test::MakeFabric make;
};
void PrintTo(const Kind& kind, std::ostream* to) { *to << kind.name; }

/// Of many cases those that are near enough, and the worst.
struct Nearness {
  void add(double off, double limit, const std::string& what) {
    if (off <= limit) ++near;
    if (off < worst) return;
    worst = off;
    worst_case = what;
  }
  int near = 0;
  double worst = 0;
  std::string worst_case;
};

class Predictions : public testing::TestWithParam<Kind> {};

TEST_P(Predictions, AreWithin10PercentOfTheTime) {
  constexpr int kCases = test::kSanitized ? 20 : 150;
  test::Random random(7);
  Nearness found;
  for (int number = 0; number < kCases; ++number) {
    const config::PlatformSpec spec = GetParam().make(random);
    CollectiveRequest request = test::random_request(random, spec.wafer.npu_count(), 4 << 20);
    request.algorithm = test::pick(random, algorithms_for(request, platform_traits(spec)));
    const auto result = test::outcome(spec, request);
    const double off = std::abs(result["predicted"].get<double>() / result["time"].get<double>() - 1);
    found.add(off, 0.1, test::describe(spec, request) + " as " + request.algorithm);
  }
  std::printf("%d of %d within 10 %%, at worst %.1f %%: %s\n", found.near, kCases, 100 * found.worst,
              found.worst_case.c_str());
  EXPECT_GE(found.near, kCases * 95 / 100) << found.worst_case;
}

/// The shortest time of all algorithms and chunk counts.
TimePs best_time(const config::PlatformSpec& spec, CollectiveRequest request) {
  TimePs best = kNever;
  for (const std::string& name : algorithms_for(request, platform_traits(spec))) {
    request.algorithm = name;
    const bool pipelines = algorithm_named(name).use_of(request.type)->chunks != Algorithm::Chunks::none;
    for (request.chunks = 1; request.chunks <= (pipelines ? kMaxSearchedChunks : 1); request.chunks *= 2)
      best = std::min(best, test::outcome(spec, request)["time"].get<TimePs>());
  }
  return best;
}

TEST_P(Predictions, ChooseTheFastest) {
  constexpr int kCases = test::kSanitized ? 2 : 12;
  test::Random random(11);
  Nearness found;
  for (int number = 0; number < kCases; ++number) {
    const config::PlatformSpec spec = GetParam().make(random);
    CollectiveRequest request = test::random_request(random, spec.wafer.npu_count(), 1 << 20);
    request.algorithm = kFastest;
    const auto time = test::outcome(spec, request)["time"].get<double>();
    const double ratio = time / static_cast<double>(best_time(spec, request));
    found.add(ratio, 1.05, test::describe(spec, request));
  }
  std::printf("%d of %d within 5 %% of the best, at worst %.3f of it: %s\n", found.near, kCases, found.worst,
              found.worst_case.c_str());
  EXPECT_GE(found.near, kCases * 99 / 100) << found.worst_case;
}

INSTANTIATE_TEST_SUITE_P(On, Predictions,
                         testing::Values(Kind{"mesh", test::some_mesh}, Kind{"fred", test::some_fred},
                                         Kind{"dimensions", test::some_dimensions},
                                         Kind{"trees", test::some_tree}),
                         [](const testing::TestParamInfo<Kind>& kind) { return kind.param.name; });

// A wafer of 5 x 4: seven scattered NPUs, and 1 MiB on all, where a ring of 16 chunks is best.
TEST(Fastest, OnScatteredNpusAndWithChunkedRings) {
  const config::PlatformSpec spec = test::platform();
  for (const CollectiveRequest& request :
       {CollectiveRequest{CollectiveType::all_reduce, test::npus({1, 4, 7, 9, 12, 16, 18}), 4 << 20, kFastest,
                          0},
        CollectiveRequest{CollectiveType::all_reduce, test::whole_wafer(), 1 << 20, kFastest, 0}}) {
    const auto time = test::outcome(spec, request)["time"].get<double>();
    EXPECT_LE(time, 1.05 * static_cast<double>(best_time(spec, request))) << test::describe(spec, request);
  }
}

}  // namespace
}  // namespace wafertlm
