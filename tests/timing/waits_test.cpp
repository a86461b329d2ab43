// SPDX-License-Identifier: Apache-2.0
// Where a packet's time went: what it took beyond the idle path is exactly its waits, by cause.
#include <gtest/gtest.h>

#include <cstdio>
#include <ostream>

#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/spec/load.h"
#include "tests/support/traffic_run.h"

namespace wafertlm {
namespace {

struct WaitsCase {
  const char* name;
  const char* rate;  // of all links: with unequal speeds a wait can hide behind a slower link
  double load;
  std::vector<std::string> overrides;

  friend void PrintTo(const WaitsCase& setting, std::ostream* out) { *out << setting.name; }
};

class PacketWaits : public ::testing::TestWithParam<WaitsCase> {};

TEST_P(PacketWaits, SumToTheDelayBeyondTheIdlePath) {
  const WaitsCase param = GetParam();
  std::vector<std::string> overrides = param.overrides;
  for (const char* link : {"link", "injection", "ejection"})
    overrides.push_back("wafer.fabric." + std::string(link) + "_bandwidth=" + param.rate);
  overrides.emplace_back("run.checkers=true");
  const config::PlatformSpec spec = config::load_platform(
      std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml", overrides);
  TrafficRunOptions options;
  options.load = param.load;
  options.stop_ps = 10'000'000;
  TrafficRun run("run", spec, options);
  sc_core::sc_start();
  run.require_rest();

  const MeshParams mesh = mesh_params(run.wafer.spec().wafer);
  const TimePs packet_ps = transfer_time_ps(mesh.format.full_wire_bytes(), mesh.link_bytes_per_s);
  const bool is_whole = mesh.format.full_wire_bytes() * kPsPerSecond % mesh.link_bytes_per_s == 0;
  std::uint64_t exact = 0, waited = 0;
  Waits sum;
  TimePs contention = 0;
  const std::vector<TrafficRun::Delivery> log = run.log();
  for (const TrafficRun::Delivery& entry : log) {
    const TimePs idle = packet_ps + run.wafer.fabric().head_latency_ps(static_cast<NpuId>(entry.source),
                                                                       static_cast<NpuId>(entry.destination));
    const TimePs more = entry.tail_ps - entry.created_ps - idle;
    const TimePs waits = entry.waits.total();
    exact += more == waits;
    waited += waits != 0;
    // A line that carries a fraction of a picosecond can end a packet a picosecond before its ceiling.
    ASSERT_LE(more, waits);
    ASSERT_GE(more + (is_whole ? 0 : 1), waits)
        << entry.source << " to " << entry.destination << ", packet " << entry.sequence;
    sum.queue_ps += entry.waits.queue_ps;
    sum.credit_ps += entry.waits.credit_ps;
    for (const TimePs time : entry.waits.contention_ps) contention += time;
  }
  std::printf(
      "%s: %zu packets, %llu waited, %llu exact; waits in us: queue %.1f, credit %.1f, contention %.1f\n",
      param.name, log.size(), static_cast<unsigned long long>(waited), static_cast<unsigned long long>(exact),
      static_cast<double>(sum.queue_ps) * 1e-6, static_cast<double>(sum.credit_ps) * 1e-6,
      static_cast<double>(contention) * 1e-6);
  EXPECT_GT(waited, log.size() / 10);
  // The outputs counted the same picoseconds.
  EXPECT_EQ(run.total([](const OutputCounters& c) { return c.queue_wait_ps; }), sum.queue_ps);
  EXPECT_EQ(run.total([](const OutputCounters& c) { return c.credit_wait_ps; }), sum.credit_ps);
  EXPECT_EQ(run.total([](const OutputCounters& c) {
    TimePs time = 0;
    for (const TimePs part : c.contention_wait_ps) time += part;
    return time;
  }),
            contention);
}
INSTANTIATE_TEST_SUITE_P(
    Loads, PacketWaits,
    ::testing::Values(WaitsCase{"light", "1 TB/s", 0.1, {}},
                      WaitsCase{"overload", "1 TB/s", 1, {"wafer.fabric.router_pipeline=3 ns"}},
                      WaitsCase{"small_buffers", "1 TB/s", 0.5, {"wafer.fabric.input_buffer=8 KiB"}},
                      WaitsCase{"small_buffers_fifo",
                                "1 TB/s",
                                0.5,
                                {"wafer.fabric.input_buffer=12 KiB", "wafer.fabric.input_queue=fifo"}},
                      WaitsCase{
                          "one_start_at_a_time",
                          "1 TB/s",
                          0.5,
                          {"wafer.fabric.input_buffer=12 KiB", "wafer.fabric.input_start_interval=5 ns"}},
                      WaitsCase{"fractions", "750 GB/s", 0.6, {"wafer.fabric.input_buffer=16 KiB"}}),
    [](const auto& load) { return std::string(load.param.name); });

}  // namespace
}  // namespace wafertlm
