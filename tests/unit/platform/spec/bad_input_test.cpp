// SPDX-License-Identifier: Apache-2.0
// Bad overrides, workloads and experiments.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/describe/document.h"
#include "platform/spec/file_kinds.h"
#include "platform/spec/load.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/platform/spec/bad_input.h"

namespace wafertlm::config {
namespace {

TEST(BadInput, Overrides) {
  struct BadOverride {
    std::string text, place;
    std::vector<std::string> words;
  };
  const std::vector<BadOverride> table = {
      {"wafer.fabric.link_bandwith=1 GB/s",
       "--set wafer.fabric.link_bandwith: ",
       {"no such key", "did you mean 'wafer.fabric.link_bandwidth'?", "valid keys in wafer.fabric: kind, "}},
      {"fabric.link_bandwidth=1 GB/s",
       "--set fabric.link_bandwidth: ",
       {"did you mean 'wafer.fabric.link_bandwidth'?", "valid keys at the top level: platform, wafer"}},
      {"credit_delay=1 ns", "--set credit_delay: ", {"did you mean 'wafer.fabric.credit_delay'?"}},
      {"wafr.width=1", "--set wafr.width: ", {"did you mean 'wafer.width'?"}},
      {"wafer.width.x=1", "--set wafer.width.x: ", {"'wafer.width' has no keys below it"}},
      {"wafer.fabric.classes.mp.vc=1", "--set wafer.fabric.classes.mp.vc: ", {"set it as a whole"}},
      {"extends=other.yaml", "--set extends: ", {"no such key"}},
      {"wafer.width", "--set wafer.width: ", {"expected a path and a value such as"}},
      {"=1", "--set : ", {"expected a path and a value"}},
      {"wafer.width=", "--set wafer.width: ", {"wafer.width: expected a whole number", "got nothing"}},
      {"wafer.width=300", "--set wafer.width: ", {"'300' is out of range"}},
      {"wafer.fabric.link_latency=20", "--set wafer.fabric.link_latency: ", {"has no unit"}},
      {"wafer.fabric.failed_links=[[0, 5]]", "--set wafer.fabric.failed_links: ", {"[0, 5] is no link"}},
      {"wafer.fabric={link_speed: 1 GB/s}",
       "--set wafer.fabric: ",
       {"unknown key 'link_speed'", "valid keys"}},
      {"wafer.io.controllers=edge", "--set wafer.io.controllers: ", {"unknown value 'edge'", "perimeter"}},
      {"wafer.io.controllers={npu: 0}",
       "--set wafer.io.controllers: ",
       {"'perimeter', 'none', a number or a list"}},
      {"wafer.io.controllers=[]", "--set wafer.io.controllers: ", {"a list of 1 to"}},
      {"wafer.io.controllers=[{npu: 0, side: up}]", "--set wafer.io.controllers: ", {"unknown value 'up'"}},
      {"wafer.io.controllers=[{npu: 6, side: west}]", "--set wafer.io.controllers: ", {"there is no NPU 6"}},
      {"wafer.io.controllers=[{npu: 0, side: east}]",
       "--set wafer.io.controllers: ",
       {"NPU 0 has a neighbour on its east side", "on the edge of the 3x2 wafer"}},
      {"wafer.io.controllers=[{npu: 0, side: west}, {npu: 0, side: west}]",
       "--set wafer.io.controllers: ",
       {"already a controller on the west side of NPU 0"}},
      {"wafer.io.bandwidth=128", "--set wafer.io.bandwidth: ", {"has no unit"}},
      {"wafer.width=[1", "--set wafer.width: ", {"YAML syntax"}},
      {"wafer.width=, 1", "--set wafer.width: ", {"YAML syntax"}},
      {"npu.endpoint.step_cost=2 s", "--set npu.endpoint.step_cost: ", {"a time from 0 ps to 1 s"}},
      {"npu.endpoint.memory=hmb", "--set npu.endpoint.memory: ", {"did you mean 'hbm'?", "free, hbm"}},
      {"npu.compute.stragglers=[{npu: 6, slowdown_percent: 150}]",
       "--set npu.compute.stragglers: ",
       {"there is no NPU 6; the wafer has NPUs 0 to 5"}},
      {"npu.compute.stragglers=[{npu: 1, slowdown_percent: 150}, {npu: 1, slowdown_percent: 200}]",
       "--set npu.compute.stragglers: ",
       {"NPU 1 is a straggler already"}},
      {"npu.compute.fp8.peak=1 TFLOPS",
       "--set npu.compute.fp8.peak: ",
       {"has no effect without 'precision: fp8' or 'model: tiled'", "leave this out"}},
      {"npu.compute.fp64.efficiency_percent=50",
       "--set npu.compute.fp64.efficiency_percent: ",
       {"no effect"}},
      {"npu.compute.model=systolic",
       "--set npu.compute.model: ",
       {"needs the array", "npu.compute.systolic: {rows: 128"}},
      {"npu.compute.systolic={rows: 8, columns: 8, clock: 1 GHz}",
       "--set npu.compute.systolic: ",
       {"no effect without 'npu.compute.model: systolic'"}},
      {"npu.compute={model: systolic, systolic: {rows: 8, columns: 8, clock: 1 GHz}, durations: roofline}",
       "--set npu.compute: ",
       {"durations", "use 'model'"}},
      {"npu.compute={model: systolic, systolic: {rows: 0, columns: 8, clock: 1 GHz}}",
       "--set npu.compute: ",
       {"rows"}},
      {"npu.compute={model: systolic, systolic: {rows: 8, columns: 8}}", "--set npu.compute: ", {"'clock'"}},
      {"run.data_type=fp32", "--set run.data_type: ", {"valid values: int32, bf16"}},
      {"run.data_type=bf16", "--set run.data_type: ", {"has no effect without 'run.functional: true'"}},
      {"run.fault.kind=drop_packet", "--set run.fault.kind: ", {"missing required key 'from'"}},
      {"run.fault={kind: drop_packet, from: 0, to: 0}", "--set run.fault: ", {"from an NPU to itself"}},
      {"run.fault={kind: drop_packet, from: 0, to: 6}",
       "--set run.fault: ",
       {"run.fault.to: there is no NPU 6; the wafer has NPUs 0 to 5"}},
      {"run.fault={kind: drop_packet, from: 0, to: 1, packet: 0}", "--set run.fault: ", {"out of range"}},
      {"run.fault={kind: drop_packet, from: 0, to: 1, bit: 3}",
       "--set run.fault: ",
       {"bit: has no effect without 'run.fault.kind: flip_bit' (it is drop_packet)"}},
      {"run.fault={kind: flip_bit, from: 0, to: 1}",
       "--set run.fault: ",
       {"missing required key 'bit' in run.fault, which goes with 'run.fault.kind: flip_bit'"}},
      {"run.fault={kind: flip_bit, from: 0, to: 1, bit: 3}",
       "--set run.fault: ",
       {"only in functional mode; set run.functional to true"}},
  };
  for (const BadOverride& bad : table) {
    const test::TempFolder folder;
    const std::string file = folder.write("x.yaml", kGood);
    expect_error({bad.text, "", bad.words}, bad.place, [&] { load_platform(file, {bad.text}); });
  }
}

TEST(BadInput, Workloads) {
  const std::string dp =
      "workload: w\nlayers: l.yaml\ndata_parallel: 4\nbatch_per_npu: 16\neffective_rate: 1 TFLOPS\n";
  const std::vector<Bad> table = {
      {"workload: w\n", ":1:1:", {"missing key at the top level", "'chakra', 'layers'"}},
      {"workload: w\nchakra: job\nlayers: l.yaml\n", ":3:1:", {"'layers' cannot stand beside 'chakra'"}},
      {"workload: w\nchakra: job\noverlap: true\n",
       ":3:1:",
       {"'overlap'", "goes with 'layers'", "no effect"}},
      {"workload: w\nchakra: jbo\n", ":2:9:", {"there is no file", "jbo.0.et", "did you mean", "job.0.et"}},
      {"workload: w\nchakra: job.0.et\n", ":2:9:", {"is one file", "'replicate'"}},
      {"workload: w\nchakra: job\nreplicate: 3\n", ":3:12:", {"replicate: goes with one trace file"}},
      {"workload: w\nchakra: job\ncomm_groups: none.json\n", ":3:14:", {"there is no file", "none.json"}},
      {"workload: w\nchakra: ''\n", ":2:9:", {"the path of Chakra traces"}},
      {"workload: w\nlayers: l.yaml\n", ":1:1:", {"missing required key 'data_parallel'"}},
      {"workload: w\nlayers: ll.yaml\n", ":2:9:", {"model file", "does not exist", "did you mean", "l.yaml"}},
      {dp + "bytes_per_element: 9\n", ":6:20:", {"from 1 to 8"}},
      {dp + "bucket: 1 MiB\n", ":6:1:", {"did you mean 'bucket_bytes'?"}},
      {"chakra: job\n", ":1:1:", {"missing required key 'workload'"}},
      {"workload: w\nlayers: {model: m, layers: []}\ndata_parallel: 4\nbatch_per_npu: 16\neffective_rate: 1 "
       "TFLOPS\n",
       ":2:28:",
       {"layers.layers", "a list of 1 to"}},
  };
  for (const Bad& bad : table) {
    const test::TempFolder folder;
    folder.write("job.0.et", "");
    folder.write("l.yaml", "model: m\nlayers: [{name: a, parameters: 1, forward_operations: 2}]\n");
    const std::string file = folder.write("x.yaml", bad.text);
    expect_error(bad, file, [&] { load_workload(file); });
  }
}

TEST(BadInput, Experiments) {
  std::vector<Bad> table = {
      {"experiment: e\nplatform: p.yaml\n", ":1:1:", {"missing required key 'workload'"}},
      {"experiment: e\nplatform: q.yaml\nworkload: w.yaml\n",
       ":2:11:",
       {"platform file", "did you mean", "p.yaml"}},
      {"experiment: e\nplatform: w.yaml\nworkload: w.yaml\n",
       "/w.yaml:1:1:",
       {"unknown key 'workload' in platform"}},
      {"experiment: e\nplatform: p.yaml\nworkload: w.yaml\niterations: 0\n", ":4:13:", {"from 1 to 1000000"}},
      {"experiment: e\nplatform: p.yaml\nworkload: w.yaml\niteration: 2\n",
       ":4:1:",
       {"did you mean 'iterations'?"}},
      {"experiment: e\nplatform: p.yaml\nworkload: {chakra: job.0.et, replicate: 7}\n",
       ":3:41:",
       {"7 ranks do not fit on the 3x2 wafer with 6 working NPUs (wafer.width, wafer.height)"}},
      {"experiment: e\nplatform: [p.yaml]\nworkload: w.yaml\n", ":2:11:", {"platform: expected a map"}},
      {"platform: p.yaml\nworkload: w.yaml\n", ":1:1:", {"'experiment'"}},
      {"experiment: e\nplatform: {extends: q.yaml}\nworkload: w.yaml\n",
       ":2:21:",
       {"which is no file", "p.yaml"}},
  };
  const std::string trained =
      "experiment: e\nplatform: p.yaml\nworkload:\n  model: {model: m, layers: [{name: a, parameters: 1, "
      "forward_operations: 2}, {name: b, parameters: 1, forward_operations: 2}]}\n  parallelism: ";
  table.push_back({trained + "DP(7)\n  samples_per_replica: 1\n", ":5:16:", {"fitting: MP(1)-DP(6)-PP(1)"}});
  table.push_back({trained + "DP(2)\n  samples_per_replica: 1\n  placement: contigous\n",
                   ":7:14:",
                   {"unknown placement", "did you mean 'contiguous'?"}});
  table.push_back({trained + "DP(2)\n  samples_per_replica: 1\n  chunks_per_stage: 2\n",
                   ":7:21:",
                   {"only the schedules interleaved and resident_loop"}});
  table.push_back(
      {trained + "PP(2)\n  samples_per_replica: 2\n  schedule: resident_loop\n  chunks_per_stage: 2\n",
       ":8:21:",
       {"2 blocks, fewer than pp times chunks_per_stage, 2 x 2", "values that do: 2"}});
  for (const Bad& bad : table) {
    const test::TempFolder folder;
    folder.write("job.0.et", "");
    folder.write("p.yaml", kGood);
    folder.write("w.yaml", "workload: w\nchakra: job\n");
    const std::string file = folder.write("x.yaml", bad.text);
    const bool elsewhere = bad.place[0] == '/';
    expect_error(bad, elsewhere ? folder.path() : file, [&] { load_experiment(file); });
  }
}

TEST(BadInput, AFileThatReplacesWhatWasSet) {
  const test::TempFolder folder;
  const std::string platform = folder.write("p.yaml", kGood);
  folder.write("job.0.et", "");
  const std::string file =
      folder.write("x.yaml", "experiment: e\nplatform: p.yaml\nworkload: {chakra: job.0.et, replicate: 2}\n");
  const std::string replace = "platform=" + platform, change = "fabric.link_latency=7 ns";
  EXPECT_EQ(load_experiment(file, {replace, "wafer." + change}).platform.wafer.fabric.link_latency_ps, 7000U);
  expect_error({"", "", {"replaces everything below platform", "platform.wafer.fabric.link_latency"}},
               "--set platform: ", [&] {
                 load_experiment(file, {"wafer." + change, replace});
               });
}

TEST(BadInput, KindOfFile) {
  const test::TempFolder folder;
  const std::string typo = folder.write("a.yaml", "# x\nexperimnt: e\n");
  expect_error({"", ":2:1:", {"'experimnt'", "did you mean 'experiment'?"}}, typo,
               [&] { kind_of(load_document(typo), spec_file_kinds()); });
  const std::string none = folder.write("b.yaml", "x: 1\n");
  expect_error({"", ":1:1:", {"experiment, platform, workload, model"}}, none,
               [&] { kind_of(load_document(none), spec_file_kinds()); });
}

}  // namespace
}  // namespace wafertlm::config
