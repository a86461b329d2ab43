// SPDX-License-Identifier: Apache-2.0
// What a run takes of the host is told before, roughly right, and more than there is is refused.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>

#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "platform/run/host_estimate.h"
#include "platform/run/job_run.h"
#include "platform/spec/load.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm::test {
namespace {

std::string three_dimensions(const std::string& transport) {
  return "wafer: {fabric: {kind: dimensional, transport: " + transport +
         ", dimensions: [{topology: ring, size: 16, bandwidth: 100 GB/s, latency: 100 ns}, {topology: "
         "fully_connected, size: 4, bandwidth: 100 GB/s, latency: 100 ns}, {topology: switch, size: 4, "
         "bandwidth: 100 GB/s, latency: 100 ns}]}}";
}
std::string data_parallel(const std::string& platform, int ranks) {
  return fmt::format(
      "experiment: e\nplatform: {{platform: p, {}}}\nworkload: {{workload: w, layers: resnet50, "
      "data_parallel: "
      "{}, batch_per_npu: 1, bytes_per_element: 1, effective_rate: 1 TFLOPS}}\n",
      platform, ranks);
}
std::string of_the_project(const std::string& name) {
  return "extends: " WAFERTLM_SOURCE_DIR "/configs/experiments/" + name + ".yaml\niterations: 1\n";
}

struct Case {
  const char* name;
  std::string text;
};

/// A run by the library, beside what was said before.
class HostEstimates : public testing::TestWithParam<Case> {};

TEST_P(HostEstimates, AreOfTheOrderOfWhatTheRunTakes) {
  const TempFolder folder;
  const config::ExperimentSpec spec = config::load_experiment(folder.write("e.yaml", GetParam().text));
  const Job job = load_job(spec);
  Machine machine(spec.platform);
  JobRun run(machine, job, spec);
  const HostEstimate said = host_estimate(spec, job, run.work());
  run.run();
  const double hops = static_cast<double>(machine.wafer().fabric().packet_hops());
  if (!spec.platform.wafer.fabric.format.by_flit) {  // what a fabric of flits counts is packets
    EXPECT_GT(run.work().hops, hops / 1.5);
    EXPECT_LT(run.work().hops, hops * 1.5);
  }
  EXPECT_GT(said.seconds, 0);
  if (kSanitized) return;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);
  EXPECT_GT(static_cast<double>(said.bytes), bytes / 3);
  EXPECT_LT(static_cast<double>(said.bytes), bytes * 3);
}
INSTANTIATE_TEST_SUITE_P(
    Runs, HostEstimates,
    testing::Values(
        Case{"Mesh", of_the_project("resnet50_dp20_mesh_5x4")},
        Case{"Fred", of_the_project("resnet50_dp20_fred_c")},
        Case{"Flits",
             data_parallel("wafer: {width: 4, height: 4, fabric: {link_bandwidth: 100 GB/s, switching: "
                           "wormhole, flit_bytes: 64 B, packet_bytes: 256 B}}",
                           2)},
        Case{"Packets", data_parallel(three_dimensions("packets"), 64)},
        Case{"Messages", data_parallel(three_dimensions("messages"), 256)}),
    [](const auto& each) { return each.param.name; });

/// With a limit of the address space.
ToolResult limited(int megabytes, const std::string& arguments) {
  return run_tool(
      fmt::format("--version >/dev/null; ulimit -v {}; {} {}", 1000 * megabytes, tool_path(), arguments));
}

TEST(HostLimit, MoreMemoryThanThereIsIsRefusedBeforeAnythingIsBuilt) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer takes all of the address space";
  const TempFolder folder;
  const std::string out = folder.path() + "/out",
                    file = folder.write(
                        "e.yaml", data_parallel("wafer: {fabric: {kind: dimensional, dimensions: [{topology: "
                                                "ring, size: 1024, bandwidth: 100 GB/s, latency: "
                                                "100 ns}]}}",
                                                2));
  const ToolResult run = limited(75, "run " + file + " --out " + out), check = limited(75, "check " + file);
  EXPECT_EQ(run.exit_code, 2) << run.error;
  EXPECT_EQ(run.error.substr(0, 42), "wafertlm: the run takes about 91.00 MB of ") << run.error;
  EXPECT_NE(run.error.find("are available; less of it: wafer.fabric.transport: messages"), std::string::npos)
      << run.error;
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_EQ(check.error.substr(0, 42), run.error.substr(0, 42));
  EXPECT_NE(limited(75, "run " + file + " --out " + out + " --force").exit_code, 2);
}

TEST(HostLimit, CheckPrintsTheEstimate) {
  const ToolResult checked =
      run_tool("check " WAFERTLM_SOURCE_DIR "/configs/experiments/resnet50_dp20_mesh_5x4.yaml");
  EXPECT_NE(checked.out.find("\nhost      a run takes less than 1 s and 27.00 MB"), std::string::npos)
      << checked.out;
  EXPECT_NE(checked.out.find(" MB of memory, within a factor of 3\nok\n"), std::string::npos) << checked.out;
}

}  // namespace
}  // namespace wafertlm::test
