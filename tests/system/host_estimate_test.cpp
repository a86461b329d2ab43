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
#include "platform/text/quantity.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/trace_file.h"

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
class HostEstimateOf : public testing::TestWithParam<Case> {};

TEST_P(HostEstimateOf, AreOfTheOrderOfWhatTheRunTakes) {
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
    Runs, HostEstimateOf,
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

/// "wafertlm run: 0.10 s, of processors 0.10 s, 27 MB at most", with -v.
double taken_bytes(const ToolResult& result) {
  const std::size_t end = result.error.rfind(" MB at most"), begin = result.error.rfind(' ', end - 1);
  return end == std::string::npos ? 0 : 1e6 * std::stod(result.error.substr(begin, end - begin));
}
/// That the estimate is within a factor of 3, as it says.
void expect_roughly(std::uint64_t estimated, const ToolResult& result) {
  ASSERT_EQ(result.exit_code, 0) << result.error;
  if (kSanitized) return;
  const double taken = taken_bytes(result);
  EXPECT_GT(static_cast<double>(estimated), taken / 3);
  EXPECT_LT(static_cast<double>(estimated), taken * 3);
}

/// Whole runs, with their results.
TEST(HostEstimates, CountIterationsAndMemories) {
  const struct {
    const char *npus, *more;
  } cases[] = {{"width: 2, height: 1", "iterations=20000"},
               {"width: 2, height: 1", "iterations=3000 list_all_iterations=true"},
               {"width: 6, height: 6", "npu.hbm.generation=hbm3 npu.hbm.level=command npu.hbm.stacks=8"},
               {"width: 6, height: 6", "npu.hbm.generation=hbm3 npu.hbm.level=burst npu.hbm.stacks=8"},
               {"width: 6, height: 6",
                "remote_memory='{kind: shared, capacity: 36 GiB, bandwidth: 100 GB/s, engine: {}}'"}};
  for (const auto& each : cases) {
    const TempFolder folder;
    chakra::VectorSource source("rank", {compute(1, 10'000'000)});
    chakra::write_trace_file(source, folder.path() + "/job.0.et");
    const int npus = each.npus[7] == '2' ? 2 : 36;
    const std::string file = folder.write(
        "e.yaml",
        fmt::format("experiment: e\nplatform: {{platform: p, wafer: {{{}, fabric: {{link_bandwidth: 100 "
                    "GB/s}}}}}}\nworkload: {{workload: w, chakra: job.0.et, replicate: {}}}\n",
                    each.npus, npus));
    const std::string set = std::string(" --set ") + each.more;
    const ToolResult run = run_tool("-v run " + file + " --out " + folder.path() + "/out" + set),
                     checked = run_tool("check " + file + set);
    const std::size_t at = checked.out.find(" and ", checked.out.find("\nhost "));
    ASSERT_NE(at, std::string::npos) << checked.error;
    const std::string said = checked.out.substr(at + 5, checked.out.find(" of memory", at) - at - 5);
    SCOPED_TRACE(std::string(each.more) + ": " + said);
    expect_roughly(config::parse_size(said), run);
  }
}

TEST(HostEstimates, CountPlatformsOfCollectivesAndTraffic) {
  const TempFolder folder;
  const std::string file = folder.write(
      "p.yaml", "platform: p\nwafer: {width: 24, height: 24, fabric: {link_bandwidth: 100 GB/s}}\n");
  const std::uint64_t said = estimated_bytes(config::load_platform(file));
  expect_roughly(said, run_tool("-v collective " + file + " --type all_reduce --size 64KiB"));
  expect_roughly(
      said, run_tool("-v traffic " + file + " --packet 3072B --load 0.01 --measure 100 --warmup-packets 10"));
}

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

TEST(HostLimit, PlatformsThatDoNotFitAreRefused) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer takes all of the address space";
  const TempFolder folder;
  const std::string file = folder.write(
      "p.yaml", "platform: p\nwafer: {width: 256, height: 256, fabric: {link_bandwidth: 100 GB/s}}\n");
  for (const char* const command : {"collective --type all_reduce ", "traffic --jobs 1 --packet 3072B "}) {
    const ToolResult refused = limited(1000, command + file);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.error.substr(0, 30), "wafertlm: this takes about 5.5") << refused.error;
    EXPECT_NE(refused.error.find("fewer NPUs (wafer.width, wafer.height). --force runs it"),
              std::string::npos)
        << refused.error;
  }
}

// Wherever memory runs out, one line says so, and what to change.
TEST(HostLimit, WhatIsForcedEndsWithALine) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer takes all of the address space";
  const TempFolder folder;
  const std::string file = folder.write(
      "p.yaml", "platform: p\nwafer: {width: 64, height: 64, fabric: {link_bandwidth: 100 GB/s}}\n");
  for (const int megabytes : {80, 120, 200}) {
    const ToolResult ended = limited(megabytes, "collective --force --type all_reduce --size 64KiB " + file);
    EXPECT_EQ(ended.exit_code, 1) << megabytes;
    const std::size_t at = ended.error.find("wafertlm: out of memory: ");
    ASSERT_NE(at, std::string::npos) << ended.error;
    EXPECT_NE(ended.error.find(" MB are not allowed (ulimit -v); raise the limit, or take fewer NPUs"),
              std::string::npos)
        << ended.error;
    EXPECT_EQ(ended.error.find('\n', at), ended.error.size() - 1) << ended.error;
  }
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
