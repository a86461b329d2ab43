// SPDX-License-Identifier: Apache-2.0
// Random traffic through the router in SystemVerilog and through the TLM switch, each with sources and sinks
// of its own: mean latencies by load and size of the packets.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "tests/rtl/switch_testbench.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kPorts = 5, kFlitBytes = 32, kRoomFlits = 512;
constexpr std::uint64_t kBytesPerS = 32'000'000'000;  // a flit in each cycle
constexpr TimePs kCycle = 1000, kLatency = 20 * kCycle;
constexpr double kMaxMeanError = 0.01, kMaxThroughputError = 0.02;
/// FIFOs do not carry a load of 0.9: waits only grow there, and a packet that is a cycle late changes all
/// turns.
constexpr double kMaxSaturatedError = 0.1;

/// Other traffic of the same kind: WAFERTLM_RTL_SEED=100; longer: WAFERTLM_RTL_CYCLES=40000.
std::uint64_t setting(const char* name, std::uint64_t usual) {
  const char* const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : usual;
}

using Heads = std::map<std::pair<std::uint32_t, std::uint64_t>, TimePs>;  // by source and number

/// One load and size: the same packets for both.
class Point {
 public:
  Point(int tenths, std::uint32_t flits, const RtlDesign& design, InputQueue queue, const ClassTable& classes,
        Scheduler& scheduler)
      : load_(tenths / 10.0), flits_(flits) {
    SwitchTestbenchParams params;
    params.ports = kPorts;
    params.link = {kBytesPerS, kLatency, std::uint64_t{kRoomFlits} * kFlitBytes};
    params.pipeline_ps = design.latency * kCycle;
    params.input_queue = queue;
    params.design = &design;
    const std::string place = "_" + std::to_string(flits) + "_" + std::to_string(tenths);
    params.name = "tlm" + place;
    params.view = RtlViewMode::tlm;
    tlm_ = std::make_unique<SwitchTestbench>(params, classes, scheduler, nullptr);
    params.name = "rtl" + place;
    params.view = RtlViewMode::rtl;
    rtl_ = std::make_unique<SwitchTestbench>(params, classes, scheduler, nullptr);
    add_packets(classes);
  }

  struct Result {
    double tlm_cycles = 0, rtl_cycles = 0;  // mean latencies
    double throughput_error = 0;            // of all packets
    std::size_t packets = 0;
  };
  Result result() {
    rtl_->view().finish();
    EXPECT_NO_THROW(rtl_->view().require_rest());
    const RtlScoreboard& board = *rtl_->view().scoreboard();
    EXPECT_TRUE(board.passed()) << board.report();
    EXPECT_EQ(board.compared_data(), created_.size());
    const Heads tlm = heads(*tlm_), rtl = heads(*rtl_);
    EXPECT_EQ(tlm.size(), created_.size());
    EXPECT_EQ(rtl.size(), created_.size());
    Result made;
    made.packets = created_.size();
    TimePs tlm_last = 0, rtl_last = 0;
    for (const auto& [key, created_ps] : created_) {
      const TimePs way = created_ps + 2 * kLatency;
      made.tlm_cycles += static_cast<double>(tlm.at(key) - way) / kCycle;
      made.rtl_cycles += static_cast<double>(rtl.at(key) - way) / kCycle;
      tlm_last = std::max(tlm_last, tlm.at(key));
      rtl_last = std::max(rtl_last, rtl.at(key));
    }
    made.tlm_cycles /= static_cast<double>(made.packets);
    made.rtl_cycles /= static_cast<double>(made.packets);
    made.throughput_error = static_cast<double>(tlm_last) / static_cast<double>(rtl_last) - 1;
    return made;
  }
  double load() const { return load_; }
  std::uint32_t flits() const { return flits_; }

 private:
  /// To any other port, of any class, with gaps of 0 to twice the mean.
  void add_packets(const ClassTable& classes) {
    const std::uint64_t cycles = setting("WAFERTLM_RTL_CYCLES", 5'000);
    std::mt19937_64 random(setting("WAFERTLM_RTL_SEED", 1) * 1000 + flits_);
    const double most_gap = 2 * flits_ * (1 / load_ - 1);
    for (std::uint32_t from = 0; from < kPorts; ++from) {
      double at = static_cast<double>(random() % flits_);
      for (std::uint64_t number = 0; at < static_cast<double>(cycles); ++number) {
        const auto to = static_cast<std::uint32_t>((from + 1 + random() % (kPorts - 1)) % kPorts);
        Packet packet;
        packet.traffic_class = static_cast<ClassId>(random() % classes.size());
        const TrafficClass& of = classes[packet.traffic_class];
        packet.vc = static_cast<VcId>(of.first_vc + random() % of.vcs);
        const TimePs created_ps = static_cast<TimePs>(at) * kCycle;
        for (SwitchTestbench* each : {tlm_.get(), rtl_.get()})
          each->add(from, to, number, created_ps, flits_ * kFlitBytes, packet);
        created_[{from, number}] = created_ps;
        at += flits_ + most_gap * static_cast<double>(random() % 1000) / 1000;
      }
    }
  }
  static Heads heads(const SwitchTestbench& of) {
    Heads heads;
    for (std::uint32_t output = 0; output < kPorts; ++output)
      for (const auto& each : of.arrivals(output))
        heads[{static_cast<std::uint32_t>(each.source), each.sequence}] = each.head_ps;
    return heads;
  }

  double load_;
  std::uint32_t flits_;
  std::unique_ptr<SwitchTestbench> tlm_, rtl_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, TimePs> created_;
};

void run_table(const char* name, InputQueue queue, const ClassTable& classes) {
  const RtlDesign& design = find_rtl_design(name, rtl_designs(), rtl_is_built());
  Scheduler scheduler{"scheduler"};
  std::vector<std::unique_ptr<Point>> points;
  for (const std::uint32_t flits : {1U, 4U, 16U, 64U})
    for (int tenths = 1; tenths <= 9; ++tenths)
      points.push_back(std::make_unique<Point>(tenths, flits, design, queue, classes, scheduler));
  scheduler.run();
  std::size_t packets = 0;
  for (const auto& each : points) {
    const Point::Result result = each->result();
    packets += result.packets;
    const double error = result.rtl_cycles / result.tlm_cycles - 1;
    std::printf("%s, %2u flits, load %.1f: %6zu packets, RTL %9.3f cycles, TLM %9.3f (%+.2f %%)\n", name,
                each->flits(), each->load(), result.packets, result.rtl_cycles, result.tlm_cycles,
                100 * error);
    EXPECT_NEAR(error, 0, each->load() < 0.85 ? kMaxMeanError : kMaxSaturatedError);
    EXPECT_NEAR(result.throughput_error, 0, kMaxThroughputError);
  }
  std::printf("%s: %zu packets, data of all equal\n", name, packets);
}

TEST(MeshRouterLoads, QueuesPerOutput) {
  const ClassTable classes{{{"a", 0, 1, 3}, {"b", 1, 1, 2}, {"c", 2, 1, 1}, {"d", 3, 1, 1}}, 4};
  run_table("mesh_router", InputQueue::per_output, classes);
}

TEST(MeshRouterLoads, FifosAndClassesOfTwoChannels) {
  const ClassTable classes{{{"a", 0, 2, 1}, {"b", 2, 2, 0}}, 4};
  run_table("mesh_router_classes", InputQueue::fifo, classes);
}

}  // namespace
}  // namespace wafertlm
