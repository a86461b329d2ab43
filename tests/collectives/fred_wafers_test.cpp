// SPDX-License-Identifier: Apache-2.0
// Several FRED wafers: within one all takes as long as on one alone; closed forms between them, to the
// picosecond; no deadlock with small buffers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "platform/fabrics/fred/fred_kind.h"
#include "tests/collectives/random_keys.h"
#include "tests/support/random_cases.h"

namespace wafertlm {
namespace {

using test::Overrides;
using test::Random;

constexpr const char* kTopologies[] = {"ring", "switch", "direct"};

/// Keys of a tree: two or three levels, controllers on all L1 switches or on some.
Overrides tree_keys(Random& random) {
  const std::uint64_t l2 = 1 + random() % 3, l1 = l2 * (1 + random() % 3);
  Overrides keys = {fmt::format("wafer.fabric.l1_switches={}", l1),
                    fmt::format("wafer.fabric.l2_switches={}", l2),
                    fmt::format("wafer.fabric.npus_per_l1={}", (l1 == 1 ? 2 : 1) + random() % 3),
                    fmt::format("wafer.io.controllers={}", 1 + random() % (2 * l1))};
  if (l2 > 1) keys.push_back("wafer.fabric.l2_uplink=" + test::rate(test::log_uniform(random, 100, 6)));
  return keys;
}

Overrides together(Overrides keys, const Overrides& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

/// The NPUs of one of several wafers do what they do on one alone.
void expect_same_within(const Overrides& keys, const Overrides& outer, CollectiveRequest request,
                        std::uint32_t wafer) {
  const config::PlatformSpec alone = test::preset("fred_a", keys);
  const config::PlatformSpec wafers = test::preset("wafers_4_fred_a", together(keys, outer));
  const auto one = test::outcome(alone, request);
  for (NpuId& npu : request.group)
    npu = static_cast<NpuId>(index_of(npu) + std::size_t{wafer} * alone.wafer.npu_count());
  const auto of_several = test::outcome(wafers, request);
  EXPECT_TRUE(one["proven"].get<bool>() && of_several["proven"].get<bool>());
  EXPECT_EQ(of_several["time"].get<TimePs>(), one["time"].get<TimePs>());
}

// Rates, latencies, stages, packets, buffers and costs at random. Algorithms whose orders do not depend on
// what a topology says of neighbours.
TEST(FredWafersRun, WithinAWaferAllTakesAsLongAsOnOneAlone) {
  Random random(3);
  for (int number = 0, cases = test::random_cases(60, 10); number < cases; ++number) {
    const Overrides keys = together(together(tree_keys(random), test::fred_keys(random)),
                                    {"wafer.io.latency=20 ns", "run.functional=true", "run.checkers=true"});
    const Overrides outer = {fmt::format("wafer.outer.topology={}", test::pick(random, kTopologies)),
                             fmt::format("wafer.outer.wafers={}", 2 + random() % 3)};
    const std::uint32_t npus = test::preset("fred_a", keys).wafer.npu_count();
    CollectiveRequest request;
    static const std::pair<CollectiveType, const char*> kKinds[] = {
        {CollectiveType::all_to_all, "direct"},     {CollectiveType::all_reduce, "ring"},
        {CollectiveType::all_reduce, "direct"},     {CollectiveType::all_reduce, "halving_doubling"},
        {CollectiveType::all_gather, "ring"},       {CollectiveType::broadcast, "direct"},
        {CollectiveType::reduce_scatter, "direct"}, {CollectiveType::all_gather, "direct"}};
    std::tie(request.type, request.algorithm) = test::pick(random, kKinds);
    request.chunks = 1;
    request.group = test::first_npus(npus);
    request.bytes = 4 * npus * (1 + random() % 20'000);
    SCOPED_TRACE(fmt::format("{}: {} {} of {} B on {}", number, to_string(request.type), request.algorithm,
                             request.bytes, fmt::join(together(keys, outer), " ")));
    expect_same_within(keys, outer, request, static_cast<std::uint32_t>(random() % 2));
  }
}

/// A message on an idle machine whose wafers have one controller, on L1 switch 0.
class LoneMessage {
 public:
  explicit LoneMessage(Random& random)
      : keys_(tree_keys(random)), wafers_(static_cast<std::uint32_t>(2 + random() % 4)) {
    keys_.emplace_back("wafer.io.controllers=1");
    topology_ = random() % 3;
    cable_ns_ = 1 + random() % 3000;
    io_ns_ = 1 + random() % 100;
    switch_ns_ = topology_ == 1 && random() % 2 == 0 ? random() % 700 : 0;
    packets_ = 1 + random() % 20;
    for (const char* const key : {"npu_bandwidth", "l1_uplink"})
      keys_.push_back(fmt::format("wafer.fabric.{}={} GB/s", key, 100 + random() % 3000));
    keys_.push_back(fmt::format("wafer.io.bandwidth={} GB/s", 50 + random() % 500));
    keys_.push_back(fmt::format("wafer.io.latency={} ns", io_ns_));
    keys_.push_back(fmt::format("wafer.fabric.link_latency={} ns", 1 + random() % 60));
    keys_.push_back(fmt::format("wafer.fabric.stage_latency={} ns", random() % 5));
    keys_.push_back(fmt::format("wafer.fabric.packet_bytes={} B", 4 * (75 + random() % 2000)));
    keys_.push_back(
        fmt::format("wafer.outer={{wafers: {}, topology: {}, bandwidth: {} GB/s, latency: {} ns{}}}", wafers_,
                    kTopologies[topology_], 10 + random() % 500, cable_ns_,
                    switch_ns_ == 0 ? "" : fmt::format(", ethernet: {{switch_latency: {} ns}}", switch_ns_)));
    keys_.insert(keys_.end(), {"run.functional=true", "run.checkers=true"});
    const std::uint32_t npus = spec().wafer.npu_count() / wafers_;
    from_wafer_ = static_cast<std::uint32_t>(random() % wafers_);
    to_wafer_ = static_cast<std::uint32_t>((from_wafer_ + 1 + random() % (wafers_ - 1)) % wafers_);
    from_ = static_cast<std::uint32_t>(random() % npus);
    to_ = static_cast<std::uint32_t>(random() % npus);
  }

  config::PlatformSpec spec() const { return test::preset("fred_a", keys_); }
  std::string text() const {
    return fmt::format("{} of wafer {} to {} of wafer {}: {}", from_, from_wafer_, to_, to_wafer_,
                       fmt::join(keys_, " "));
  }
  TimePs simulated_ps() const {
    const config::PlatformSpec of = spec();
    const std::uint32_t npus = of.wafer.npu_count() / wafers_;
    CollectiveRequest request;
    request.type = CollectiveType::broadcast;
    request.algorithm = "direct";
    request.bytes = std::uint64_t{of.wafer.fabric.format.packet_bytes} * packets_;
    request.group = {static_cast<NpuId>(from_wafer_ * npus + from_),
                     static_cast<NpuId>(to_wafer_ * npus + to_)};
    const auto result = test::outcome(of, request);
    EXPECT_TRUE(result["proven"].get<bool>());
    EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
    return result["time"].get<TimePs>();
  }
  /// Latencies of links and switches, and equal packets one behind the other over the slowest link.
  double expected_ps() const {
    const config::PlatformSpec of = spec();
    const FredParams fred = fred_params(of.wafer, true);
    const config::OuterSpec& outer = *of.wafer.outer;
    double rate = static_cast<double>(
        std::min({fred.npu_bytes_per_s, of.wafer.io.bandwidth_bytes_per_s, outer.bandwidth_bytes_per_s}));
    if (outer.ethernet)
      rate = std::min(rate, static_cast<double>(outer.bandwidth_bytes_per_s) * 4096 / (4096 + 82));
    TimePs latency = 2 * 1000 * io_ns_ + cables() * 1000 * cable_ns_ + 1000 * switch_ns_;
    for (const std::uint32_t npu : {from_, to_}) {
      const std::uint32_t level = fred.geometry.turn_level(static_cast<NpuId>(npu), NpuId{0});
      latency += fred.head_latency_ps(level) - fred.link_latency_ps;  // the controller's link is another one
      if (level > 1) rate = std::min(rate, static_cast<double>(fred.l1_uplink_bytes_per_s));
      if (level > 2) rate = std::min(rate, static_cast<double>(fred.l2_uplink_bytes_per_s));
    }
    const std::uint64_t bytes = std::uint64_t{of.wafer.fabric.format.packet_bytes} * packets_;
    return static_cast<double>(latency) + static_cast<double>(bytes) * 1e12 / rate;
  }

 private:
  std::uint64_t cables() const {
    const std::uint64_t up = (to_wafer_ + wafers_ - from_wafer_) % wafers_;
    return topology_ == 0 ? std::min(up, wafers_ - up) : topology_ == 1 ? 2 : 1;
  }

  Overrides keys_;
  std::uint32_t wafers_, from_wafer_, to_wafer_, from_, to_;
  std::uint64_t topology_, cable_ns_, io_ns_, switch_ns_, packets_;
};

TEST(FredWafersRun, RandomMessagesTakeTheTimeOfTheirSlowestLink) {
  Random random(17);
  for (int number = 0, cases = test::random_cases(60, 10); number < cases; ++number) {
    const LoneMessage message(random);
    SCOPED_TRACE(message.text());
    EXPECT_NEAR(static_cast<double>(message.simulated_ps()), message.expected_ps(), 2)
        << "rates and times are whole numbers";
  }
}

// Wafers of two L1 switches with an NPU and a controller each, 1 B/ps and 20 ns but for cables of 1 us and
// 100 GB/s, and 5 ns to the controllers. Halves go up and down between the L1 switches, then quarters to the
// other wafer, and back.
TEST(FredWafersRun, AnAllReduceGoesInsideOutsideInside) {
  const Overrides keys = {"wafer.fabric.l1_switches=2",
                          "wafer.fabric.npus_per_l1=1",
                          "wafer.fabric.npu_bandwidth=1 TB/s",
                          "wafer.fabric.l1_uplink=1 TB/s",
                          "wafer.fabric.packet_bytes=64KiB",
                          "wafer.io={controllers: 2, latency: 5 ns, bandwidth: 1 TB/s}",
                          "run.functional=true",
                          "run.checkers=true"};
  const std::uint64_t bytes = 60'000;
  const TimePs inside = 4 * 20'000 + bytes / 2, outside = 2 * (20'000 + 5000) + 1'000'000 + bytes / 4 * 10;
  for (const char* const topology : {"ring", "direct"}) {
    const config::PlatformSpec spec = test::preset(
        "fred_a", together(keys, {fmt::format("wafer.outer={{wafers: 2, topology: {}, bandwidth: 100 GB/s, "
                                              "latency: 1 us}}",
                                              topology)}));
    CollectiveRequest request;
    request.type = CollectiveType::all_reduce;
    request.algorithm = "dimensional";
    request.chunks = 1;
    request.bytes = bytes;
    request.group = test::first_npus(4);
    const auto result = test::outcome(spec, request);
    EXPECT_TRUE(result["proven"].get<bool>());
    EXPECT_EQ(result["time"].get<TimePs>(), 2 * inside + 2 * outside) << topology;
    EXPECT_EQ(result["predicted"].get<TimePs>(), 2 * inside + 2 * outside) << topology;
  }
}

// Room for two packets behind each link, everybody to everybody. Few controllers, so that what comes in goes
// up and down again, past what goes out.
TEST(FredWafersRun, SmallBuffersDoNotDeadlock) {
  Random random(23);
  for (int number = 0, cases = test::random_cases(12, 4); number < cases; ++number) {
    const Overrides keys =
        together(tree_keys(random),
                 {fmt::format("wafer.io.controllers={}", 1 + random() % 3),
                  fmt::format("wafer.outer.topology={}", test::pick(random, kTopologies)),
                  fmt::format("wafer.outer.wafers={}", 3 + random() % 3), "wafer.fabric.packet_bytes=512 B",
                  "wafer.fabric.input_buffer=1024 B", "run.functional=true", "run.checkers=true"});
    const config::PlatformSpec spec = test::preset("wafers_4_fred_a", keys);
    CollectiveRequest request;
    request.type = CollectiveType::all_to_all;
    request.algorithm = "direct";
    request.group = test::first_npus(spec.wafer.npu_count());
    request.bytes = request.group.size() * 4 * 512;
    SCOPED_TRACE(fmt::format("{}", fmt::join(keys, " ")));
    EXPECT_TRUE(test::outcome(spec, request)["proven"].get<bool>());
  }
}

}  // namespace
}  // namespace wafertlm
