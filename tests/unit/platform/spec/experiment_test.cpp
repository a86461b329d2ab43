// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/experiment_spec.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "platform/describe/document.h"
#include "platform/spec/file_kinds.h"
#include "platform/spec/load.h"
#include "tests/support/same_spec.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::config {
namespace {

class Experiment : public ::testing::Test {
 protected:
  Experiment() {
    folder_.write("platforms/p.yaml",
                  "platform: p\nwafer: {width: 5, height: 4, fabric: {link_bandwidth: {value: 1 GB/s, "
                  "provenance: P}}}\n");
    folder_.write("workloads/tiny.yaml",
                  "model: tiny\nlayers:\n- {name: conv, parameters: 9408, forward_operations: 236027904}\n"
                  "- {name: fc, parameters: {value: 2048, provenance: A}, forward_operations: 4096}\n");
    folder_.write("workloads/dp.yaml",
                  "workload: dp\nlayers: tiny.yaml\ndata_parallel: 20\nbatch_per_npu: 16\neffective_rate: "
                  "400 TFLOPS\n");
    folder_.write("traces/job.0.et", "");
    folder_.write("traces/groups.json", "{}");
  }

  std::string write(const std::string& text) const { return folder_.write("experiments/e.yaml", text); }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  void expect_round_trip(const ExperimentSpec& spec) const {
    const ExperimentSpec again = load_experiment(folder_.write("out/resolved.yaml", resolved_yaml(spec)));
    EXPECT_TRUE(spec == again) << resolved_yaml(spec);
    EXPECT_TRUE(spec.platform == again.platform);
    EXPECT_TRUE(spec.workload == again.workload);
  }

  test::TempFolder folder_;
};

const char* const kText =
    "experiment: e\nplatform: ../platforms/p.yaml\nworkload: ../workloads/dp.yaml\niterations: 2\n";

TEST_F(Experiment, LoadsItsPlatformItsWorkloadAndItsLayers) {
  const std::string file = write(kText);
  EXPECT_EQ(kind_of(load_document(file), spec_file_kinds()).key(), "experiment");
  EXPECT_EQ(kind_of(load_document(path("workloads/dp.yaml")), spec_file_kinds()).key(), "workload");
  EXPECT_EQ(kind_of(load_document(path("workloads/tiny.yaml")), spec_file_kinds()).key(), "model");
  const ExperimentSpec spec = load_experiment(file);
  EXPECT_EQ(spec.name, "e");
  EXPECT_EQ(spec.iterations, 2U);
  EXPECT_FALSE(spec.barrier);
  EXPECT_EQ(spec.platform.name, "p");
  EXPECT_TRUE(spec.platform == load_platform(path("platforms/p.yaml")));
  EXPECT_TRUE(spec.workload == load_workload(path("workloads/dp.yaml")));
  ASSERT_EQ(spec.workload.kind, WorkloadKind::data_parallel);
  const DataParallelSpec& dp = spec.workload.data_parallel;
  EXPECT_EQ(dp.data_parallel, 20U);
  EXPECT_EQ(dp.batch_per_npu, 16U);
  EXPECT_EQ(dp.effective_rate_operations_per_s, 4e14);
  EXPECT_EQ(dp.bucket_bytes, 25ULL << 20);
  EXPECT_EQ(dp.bytes_per_element, 2U);
  EXPECT_TRUE(dp.overlap);
  ASSERT_TRUE(dp.layers.table.has_value());
  ASSERT_EQ(dp.layers.table->layers.size(), 2U);
  EXPECT_EQ(dp.layers.table->name, "tiny");
  EXPECT_EQ(dp.layers.table->layers[0].name, "conv");
  EXPECT_EQ(dp.layers.table->layers[0].forward_operations, 236'027'904U);
  EXPECT_EQ(dp.layers.table->layers[1].parameters, 2048U);
  EXPECT_EQ(load_model(path("workloads/tiny.yaml")).layers.size(), 2U);
  expect_round_trip(spec);
}

TEST_F(Experiment, OverridesReachThePlatformTheWorkloadAndTheExperiment) {
  const ExperimentSpec spec = load_experiment(
      write(kText),
      {"wafer.width=6", "run.seed=9", "npu.peak=800 TFLOPS", "collectives.algorithm=ring",
       "platform.wafer.height=5", "workload.bucket_bytes=1 MB", "workload.layers=resnet50", "iterations=3"});
  EXPECT_EQ(spec.platform.wafer.npu_count(), 30U);
  EXPECT_EQ(spec.platform.run.seed, 9U);
  EXPECT_EQ(spec.platform.npu.peak_operations_per_s, 8e14);
  EXPECT_EQ(spec.platform.collectives.algorithm, "ring");
  EXPECT_EQ(spec.workload.data_parallel.bucket_bytes, 1'000'000U);
  EXPECT_EQ(spec.workload.data_parallel.layers.model, "resnet50");
  EXPECT_FALSE(spec.workload.data_parallel.layers.table.has_value());
  EXPECT_EQ(spec.iterations, 3U);
  expect_round_trip(spec);
}

TEST_F(Experiment, AnOverrideMayNameAnotherFile) {
  folder_.write("platforms/q.yaml", "extends: p.yaml\nplatform: q\nwafer: {width: 9}\n");
  const ExperimentSpec spec =
      load_experiment(write(kText), {"platform=" + path("platforms/q.yaml"), "wafer.height=8"});
  EXPECT_EQ(spec.platform.name, "q");
  EXPECT_EQ(spec.platform.wafer.npu_count(), 72U);
}

TEST_F(Experiment, TracesAreNamedRelativeToTheFile) {
  const ExperimentSpec spec = load_experiment(
      write("experiment: e\nplatform: {extends: ../platforms/p.yaml, wafer: {width: 2}}\n"
            "workload: {chakra: ../traces/job, comm_groups: ../traces/groups.json}\nbarrier: true\n"));
  EXPECT_EQ(spec.workload.kind, WorkloadKind::traces);
  EXPECT_EQ(spec.workload.traces.path, path("traces/job"));
  EXPECT_EQ(spec.workload.traces.comm_groups, path("traces/groups.json"));
  EXPECT_FALSE(spec.workload.traces.replicate.has_value());
  EXPECT_TRUE(spec.barrier);
  EXPECT_EQ(spec.platform.wafer.width, 2U);
  expect_round_trip(spec);
}

TEST_F(Experiment, OneTraceMayRunOnManyRanks) {
  const ExperimentSpec spec =
      load_experiment(write("experiment: e\nplatform: ../platforms/p.yaml\nworkload: {chakra: "
                            "../traces/job.0.et, replicate: 20}\n"));
  EXPECT_EQ(spec.workload.traces.replicate, 20U);
  expect_round_trip(spec);
}

}  // namespace
}  // namespace wafertlm::config
