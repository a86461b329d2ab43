// SPDX-License-Identifier: Apache-2.0
// Results are made of what was measured, not of the modules that have counted.
#include "platform/machine/measurements.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/machine/machine.h"
#include "platform/results/results.h"
#include "platform/run/job.h"
#include "platform/spec/load.h"

namespace wafertlm {
namespace {

/// A run in which links, compute units and memories all count something; by settings.
class MeasuredRun : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(MeasuredRun, GivesTheSameResultsWhenItsMeasurementsComeFromAnotherProcess) {
  std::vector<std::string> settings = GetParam();
  settings.insert(settings.end(), {"iterations=1", "npu.endpoint.memory=hbm"});
  const config::ExperimentSpec experiment = config::load_experiment(
      WAFERTLM_SOURCE_DIR "/configs/experiments/resnet50_dp20_mesh_5x4.yaml", settings);
  const Job job = load_job(experiment);
  Machine machine(experiment.platform);
  JobRun run(machine, job, experiment);
  run.run();
  const Measurements measured = measure(machine);
  const HostCost host{1.5, 1000};
  const nlohmann::ordered_json results = results_json(experiment, run, machine, measured, host);
  EXPECT_GT(results["simulation"]["packet_hops"], 0);
  EXPECT_GT(results["links"][0]["bytes"], 0);
  EXPECT_GT(results["memories"][0]["bytes_read"], 0);
  EXPECT_GT(results["host"]["scheduler_events"], 0);
  Measurements sum;
  add(sum, unpack(pack(measured)));
  EXPECT_EQ(results_json(experiment, run, machine, sum, host).dump(1), results.dump(1));
  // Everything that was counted comes from there: twice as much of it is told as twice as much.
  add(sum, measured);
  const nlohmann::ordered_json twice = results_json(experiment, run, machine, sum, host);
  for (const char* field : {"bytes", "wire_bytes", "packets"})
    EXPECT_EQ(twice["links"][0][field], 2 * results["links"][0][field].get<std::uint64_t>()) << field;
  EXPECT_EQ(twice["memories"][0]["bytes_read"],
            2 * results["memories"][0]["bytes_read"].get<std::uint64_t>());
  EXPECT_EQ(twice["compute"]["told_by"]["duration"]["computations"],
            2 * results["compute"]["told_by"]["duration"]["computations"].get<std::uint64_t>());
  ASSERT_EQ(results.contains("reliability"), experiment.platform.wafer.fabric.bit_error_rate > 0);
  if (results.contains("reliability")) {
    EXPECT_EQ(twice["reliability"]["acks"], 2 * results["reliability"]["acks"].get<std::uint64_t>());
  }
  EXPECT_EQ(twice["simulation"]["packet_hops"],
            2 * results["simulation"]["packet_hops"].get<std::uint64_t>());
}
using Settings = std::vector<std::string>;
const Settings kByRows{"npu.hbm.generation=hbm3", "npu.hbm.level=burst", "npu.hbm.stacks=4",
                       "npu.hbm.capacity=64 GB"};
const Settings kByEfficiency{"npu.hbm.generation=hbm3", "npu.hbm.stacks=4", "npu.hbm.capacity=64 GB",
                             "npu.hbm.efficiency=" WAFERTLM_SOURCE_DIR "/configs/memory/hbm3.yaml"};
const Settings kWithBitErrors{"wafer.fabric.bit_error_rate=1e-10"};
INSTANTIATE_TEST_SUITE_P(Settings, MeasuredRun,
                         testing::Values(Settings{}, kByRows, kByEfficiency, kWithBitErrors));

TEST(Measurements, OfSeveralProcessesAreToldByProcessAndInAll) {
  const config::ExperimentSpec experiment = config::load_experiment(
      WAFERTLM_SOURCE_DIR "/configs/experiments/resnet50_dp20_mesh_5x4.yaml", {"iterations=1"});
  const Job job = load_job(experiment);
  Machine machine(experiment.platform);
  JobRun run(machine, job, experiment);
  run.run();
  const Measurements measured = measure(machine);
  HostCost host{1.5, 4000};
  EXPECT_FALSE(results_json(experiment, run, machine, measured, host)["host"].contains("processes"));
  host.processes = {{{0, 1}, 1.25, 1.0, 0.25, 100, 4000}, {{2}, 1.25, 0.5, 0.125, 10, 3000}};
  host.windows = 7;
  host.critical_work_s = 1.125;
  EXPECT_EQ(results_json(experiment, run, machine, measured, host)["host"]["processes"],
            nlohmann::ordered_json::parse(R"({
              "windows": 7, "bytes_exchanged": 110, "work_s": 1.5, "critical_work_s": 1.125,
              "each": [{"wafers": [0, 1], "windows_wall_s": 1.25, "work_s": 1.0, "around_s": 0.25, "bytes_sent": 100,
                        "peak_rss_bytes": 4000},
                       {"wafers": [2], "windows_wall_s": 1.25, "work_s": 0.5, "around_s": 0.125, "bytes_sent": 10,
                        "peak_rss_bytes": 3000}]})"));
}

}  // namespace
}  // namespace wafertlm
