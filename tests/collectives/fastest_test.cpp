// SPDX-License-Identifier: Apache-2.0
// What `fastest` takes for random collectives of 4 KiB to 1 GiB, on all kinds of fabric, also broken ones: in
// 99 % of the cases within 3 % of the best of all algorithms and chunk counts, simulated, and not slower than
// any algorithm that needs no schedule of the links. Packets are a thousandth of large vectors, so that a
// case takes a second. WAFERTLM_CASES=72: a thousand cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "models/mesh/mesh_params.h"
#include "platform/spec/fabric_kind.h"
#include "tests/collectives/random_fabrics.h"
#include "tests/support/random_cases.h"
#include "workloads/collectives/algorithm/failures.h"
#include "workloads/collectives/search.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kLeastBytes = 4096, kMostBytes = std::uint64_t{1} << 30;
/// Of a vector, at most.
constexpr std::uint64_t kMostPackets = 1024;
/// Times that are as near to each other are the same: long runs are predicted by shorter ones.
constexpr TimePs kTie = 1000;

struct RandomFabric {
  const char* name;
  test::MakeFabric make;
};
void PrintTo(const RandomFabric& kind, std::ostream* to) { *to << kind.name; }

/// A router, or a link, has failed.
config::PlatformSpec broken_mesh(test::Random& random, const test::Overrides&) {
  config::PlatformSpec spec = test::platform({"wafer.width=" + std::to_string(3 + random() % 3),
                                              "wafer.height=" + std::to_string(2 + random() % 3)});
  auto& mesh = spec.wafer.fabric.as<MeshParams>();
  if (random() % 2 == 0) {
    mesh.failed_routers = {static_cast<NpuId>(random() % spec.wafer.npu_count())};
  } else {
    const auto npu = static_cast<std::uint32_t>(random() % (spec.wafer.width - 1));
    mesh.failed_links = {{static_cast<NpuId>(npu), static_cast<NpuId>(npu + 1)}};
  }
  return spec;
}

void leave_out_failed(const config::PlatformSpec& spec, CollectiveRequest& request) {
  const std::vector<NpuId> failed = spec.wafer.fabric.kind->failed_npus(spec.wafer.fabric);
  for (const NpuId npu : failed)
    request.group.erase(std::remove(request.group.begin(), request.group.end(), npu), request.group.end());
  if (request.group.size() < 2)
    request.group = failed.front() == NpuId{0} ? Group{NpuId{1}, NpuId{2}} : Group{NpuId{0}, NpuId{1}};
  request.root %= static_cast<std::uint32_t>(request.group.size());
}

/// An algorithm with its chunks, and its time.
struct Timed {
  std::string name;
  std::uint32_t chunks = 0;
  TimePs time = kNever, predicted = kNever;

  std::string text() const {
    return fmt::format("{}, {} chunks, {:.3f} us, predicted {:.3f}", name, chunks,
                       static_cast<double>(time) / 1e6, static_cast<double>(predicted) / 1e6);
  }
};

Timed timed(const config::PlatformSpec& spec, const CollectiveRequest& request) {
  const auto result = test::outcome(spec, request);
  return {request.algorithm, request.chunks, result["time"].get<TimePs>(), result["predicted"].get<TimePs>()};
}

/// What fits and sends nothing over what has failed.
std::vector<std::string> able(const config::PlatformSpec& spec, const CollectiveRequest& request) {
  const FabricTraits fabric = platform_traits(spec);
  return avoid_failures(algorithms_for(request, fabric), request, fabric);
}

/// The best of all algorithms and chunk counts, and the best of those without a schedule, with their
/// defaults.
struct Best {
  Timed of_all, of_plain;
};

Best best_of(const config::PlatformSpec& spec, CollectiveRequest request) {
  Best best;
  const auto take = [](Timed& shortest, const Timed& other) {
    if (other.time < shortest.time) shortest = other;
  };
  for (const std::string& name : able(spec, request)) {
    const Algorithm& row = algorithm_named(name);
    request.algorithm = name;
    request.chunks = 0;
    const Timed by_default = timed(spec, request);
    take(best.of_all, by_default);
    if (!row.is_scheduled && !row.only_by_name) take(best.of_plain, by_default);
    if (row.use_of(request.type)->chunks == Algorithm::Chunks::none) continue;
    TimePs before = kNever;
    for (request.chunks = 1; request.chunks <= kMaxSearchedChunks; request.chunks *= 2) {
      const Timed with = timed(spec, request);
      take(best.of_all, with);
      if (with.time > before + before / 4) break;  // more pieces only cost more
      before = with.time;
    }
  }
  return best;
}

class FastestOf : public testing::TestWithParam<RandomFabric> {};

TEST_P(FastestOf, IsNearTheBestAndNotSlowerThanPlainAlgorithms) {
  const int cases = test::random_cases(2, 1);
  test::Random random(11);
  int near = 0, not_slower = 0;
  double worst = 0;
  for (int number = 0; number < cases; ++number) {
    config::PlatformSpec spec;
    CollectiveRequest request;
    do {
      spec = GetParam().make(random, {});
      request = test::random_request(random, spec.wafer.npu_count(), kMostBytes, kLeastBytes);
      if (GetParam().make == broken_mesh) leave_out_failed(spec, request);
    } while (able(spec, request).empty());
    std::uint32_t& packet = spec.wafer.fabric.format.packet_bytes;
    while (std::uint64_t{packet} * kMostPackets < request.bytes) packet *= 2;
    request.algorithm = kFastest;
    const CollectiveRequest chosen = settled(request, platform_traits(spec));
    const Timed taken = timed(spec, chosen);
    const Best best = best_of(spec, request);
    const double over = static_cast<double>(taken.time) / static_cast<double>(best.of_all.time);
    worst = std::max(worst, over);
    near += over <= 1.03 ? 1 : 0;
    const bool is_slower = taken.time > best.of_plain.time + best.of_plain.time / kTie;
    not_slower += is_slower ? 0 : 1;
    if (over > 1.03 || is_slower)
      std::printf("case %d, %s: %s; best %s; plain %s\n", number, test::describe(spec, request).c_str(),
                  taken.text().c_str(), best.of_all.text().c_str(), best.of_plain.text().c_str());
  }
  std::printf("%d of %d within 3 %% of the best, at worst %.3f of it; %d not slower than plain algorithms\n",
              near, cases, worst, not_slower);
  EXPECT_GE(near, cases * 99 / 100);
  EXPECT_GE(not_slower, cases * 99 / 100);
}

INSTANTIATE_TEST_SUITE_P(
    On, FastestOf,
    testing::Values(RandomFabric{"mesh", test::some_mesh}, RandomFabric{"broken_mesh", broken_mesh},
                    RandomFabric{"fred", test::some_fred}, RandomFabric{"dimensions", test::some_dimensions},
                    RandomFabric{"trees", test::some_tree}, RandomFabric{"grids", test::some_grid},
                    RandomFabric{"graphs", test::some_graph}),
    [](const testing::TestParamInfo<RandomFabric>& kind) { return kind.param.name; });

}  // namespace
}  // namespace wafertlm
