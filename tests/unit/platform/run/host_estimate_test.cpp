// SPDX-License-Identifier: Apache-2.0
// What is said about the machine that simulates, before it does.
#include "platform/run/host_estimate.h"

#include <gtest/gtest.h>

#include "platform/host/host_memory.h"
#include "platform/machine/machine.h"
#include "platform/run/job_run.h"
#include "platform/spec/load.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"
#include "tlm/kernel/simulation_context.h"

namespace wafertlm {
namespace {

config::ExperimentSpec experiment(const std::string& wafer, int iterations = 1) {
  const test::TempFolder folder;
  return config::load_experiment(folder.write(
      "e.yaml", "experiment: e\nplatform: {platform: p, wafer: " + wafer +
                    "}\nworkload: {workload: w, layers: resnet50, data_parallel: 2, batch_per_npu: 1, "
                    "effective_rate: 1 TFLOPS}\niterations: " +
                    std::to_string(iterations) + "\n"));
}
const std::string kMesh = "{width: 4, height: 2, fabric: {link_bandwidth: 100 GB/s}}";
std::string dimensions(const std::string& transport) {
  return "{fabric: {kind: dimensional, transport: " + transport +
         ", dimensions: [{topology: ring, size: 8, bandwidth: 100 GB/s, latency: 100 ns}]}}";
}

constexpr std::uint64_t kGb = 1'000'000'000;

TEST(HostEstimate, MoreMemoryThanThereIsIsRefusedWithWaysOut) {
  const auto said = [](const config::ExperimentSpec& spec, std::uint64_t bytes, std::uint64_t available) {
    return test::refusal_of([&] { require_host_memory(spec, bytes, available); });
  };
  const std::string mesh =
      "; less of it: a larger wafer.fabric.packet_bytes; fewer layers or samples; fewer "
      "NPUs (wafer.width, wafer.height). --force runs it all the same";
  EXPECT_EQ(said(experiment(kMesh), 12 * kGb, 12 * kGb), "");
  EXPECT_EQ(said(experiment(kMesh), 12 * kGb, 8 * kGb),
            "the run takes about 12.00 GB of memory, and 8.000 GB are available" + mesh);
  EXPECT_NE(said(experiment(dimensions("packets")), 12 * kGb, kGb)
                .find("less of it: wafer.fabric.transport: messages, many times as fast; a larger"),
            std::string::npos);
  EXPECT_NE(said(experiment(dimensions("messages"), 2), 12 * kGb, kGb)
                .find("; less of it: iterations: 1; fewer layers or samples; fewer NPUs "
                      "(wafer.fabric.dimensions[0].size)."),
            std::string::npos);
}

TEST(HostEstimate, LongOrLargeRunsAreAnnounced) {
  const auto warning = [](double seconds, std::uint64_t bytes) {
    return host_warning(experiment(kMesh), {seconds, bytes}, 10 * kGb);
  };
  EXPECT_EQ(warning(600, 8 * kGb), "");
  EXPECT_EQ(
      warning(601, kGb).substr(0, 95),
      "warning: the run takes about 10 min and 1.000 GB of memory, within a factor of 3 (10.00 GB are ");
  EXPECT_NE(warning(1, 8 * kGb + 1).find("takes about 1 s and 8.000 GB"), std::string::npos);
}

TEST(HostEstimate, Durations) {
  const auto text = [](double seconds) { return HostEstimate{seconds, kGb}.text(); };
  EXPECT_EQ(text(0.99), "less than 1 s and 1.000 GB of memory");
  EXPECT_EQ(text(119), "about 119 s and 1.000 GB of memory");
  EXPECT_EQ(text(121), "about 2 min and 1.000 GB of memory");
  EXPECT_EQ(text(7199), "about 120 min and 1.000 GB of memory");
  EXPECT_EQ(text(9000), "about 2 h and 1.000 GB of memory");
}

TEST(HostEstimate, ThereIsMemory) {
  EXPECT_GT(available_memory_bytes(), 1'000'000U);
  EXPECT_LT(available_memory_bytes(), std::uint64_t{1} << 50);
}

// 128 collectives that are alike, each of long messages: few packets are new.
TEST(HostEstimate, KnowsWhatRepeats) {
  const auto work = [](const std::string& acceleration) {
    const auto spec =
        config::load_experiment(WAFERTLM_SOURCE_DIR "/configs/experiments/transformer_17b_mesh.yaml",
                                {"workload.model.transformer.layers=8", "run.acceleration=" + acceleration});
    const Job job = load_job(spec);
    const SimulationContext context;
    Machine machine(spec.platform);
    const JobRun run(machine, job, spec);
    const HostEstimate estimate = host_estimate(spec, job, run.work(), machine.not_accelerated().empty());
    return std::tuple(run.work().hops, run.work().new_hops, estimate.seconds);
  };
  const auto [all, new_hops, seconds] = work("exact");
  const auto [all_off, new_off, seconds_off] = work("off");
  EXPECT_EQ(all, all_off);
  EXPECT_EQ(new_off, all_off);
  EXPECT_LT(new_hops, all / 5);
  EXPECT_LT(seconds, seconds_off / 4);
}

}  // namespace
}  // namespace wafertlm
