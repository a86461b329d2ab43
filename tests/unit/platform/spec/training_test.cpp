// SPDX-License-Identifier: Apache-2.0
// Workloads made from a model and a strategy.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "platform/run/job.h"
#include "platform/spec/load.h"
#include "tests/unit/workloads/chakra/trace_files.h"

namespace wafertlm::config {
namespace {

const std::string kWorkloads = std::string(WAFERTLM_SOURCE_DIR) + "/configs/workloads/";

TEST(TrainingWorkload, PresetsSayWhatTheyTrain) {
  const WorkloadSpec spec = load_workload(kWorkloads + "transformer_17b.yaml");
  EXPECT_EQ(spec.kind, WorkloadKind::training);
  EXPECT_EQ(to_string(spec.training.strategy.degrees), "MP(3)-DP(3)-PP(2)");
  EXPECT_EQ(spec.training.complete_strategy().minibatch, 48U);  // DP x 16
  EXPECT_EQ(spec.training.strategy.stage_transfer, training::StageTransfer::multicast);
  const auto plan = training_plan(spec.training);
  EXPECT_EQ(plan->ranks(), 18U);
  EXPECT_NEAR(static_cast<double>(model::parameters(plan->model())) / 1e9, 17.2, 0.05);
}

TEST(TrainingWorkload, EveryModelFileLoads) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kWorkloads + "models")) {
    const ModelSpec spec = load_model(entry.path().string());
    EXPECT_GT(model::parameters(build_model(spec)), 1'000'000U) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 9U);
}

TEST(TrainingWorkload, ResolvedTextGivesTheSameStrategy) {
  const WorkloadSpec spec = load_workload(kWorkloads + "transformer_17b.yaml",
                                          {"microbatches=4", "dp_collective=reduce_scatter_all_gather"});
  const chakra::test::TemporaryFolder folder;
  const std::string path = folder.file("resolved.yaml");
  std::ofstream(path) << resolved_yaml(spec);
  const WorkloadSpec again = load_workload(path);
  EXPECT_EQ(again.training.strategy.microbatches, 4U);
  EXPECT_EQ(again.training.complete_strategy().minibatch, spec.training.complete_strategy().minibatch);
  EXPECT_TRUE(again.training.strategy.scatters_gradients());
  EXPECT_EQ(again.training.model.transformer.hidden, 4256U);
}

/// The message for transformer_17b.yaml with an override.
std::string error(const std::vector<std::string>& overrides,
                  const std::string& file = "transformer_17b.yaml") {
  try {
    load_workload(kWorkloads + file, overrides);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "";
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}

TEST(TrainingWorkload, AModelThatDoesNotFitIsRefused) {
  const chakra::test::TemporaryFolder folder;
  const std::string path = folder.file("experiment.yaml");
  std::ofstream(path) << "experiment: too large\nplatform: " << WAFERTLM_SOURCE_DIR
                      << "/configs/platforms/wafer_mesh_5x4.yaml\nworkload: " << kWorkloads
                      << "transformer_17b.yaml\n";
  EXPECT_EQ(load_experiment(path).workload.training.strategy.degrees.mp, 3U);
  const auto message = [&](const std::vector<std::string>& overrides) -> std::string {
    try {
      load_experiment(path, overrides);
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "";
  };
  expect_parts(message({"npu.hbm.capacity=40GB"}),
               {"rank 0 needs 40.22 GB", "217.8 MB more than the HBM", "recompute"});
  expect_parts(message({"npu.hbm.capacity=40GB", "workload.zero_stage=0", "workload.recompute=full"}),
               {"optimizer 36.59 GB", "zero_stage 1"});
}

TEST(TrainingWorkload, ErrorsNameKeyAndNearestValues) {
  expect_parts(error({"uneven=error"}), {"transformer_17b.yaml:6", "mp (3) does not divide", "2 or 4"});
  expect_parts(error({"microbatches=0"}), {"microbatches"});
  expect_parts(error({"microbatches=5"}), {"microbatches", "nearest: 45 or 60"});
  expect_parts(error({"minibatch=96"}), {"minibatch", "not both"});
  expect_parts(error({"expert_parallel=2"}), {"expert_parallel", "dp (3) does not divide", "1 or 3"});
  expect_parts(error({"expert_parallel=3"}), {"expert_parallel", "no experts"});
  expect_parts(error({"schedule=gpipe", "chunks_per_stage=3"}), {"chunks_per_stage is 3"});
  expect_parts(error({"parallelism=MP(2)-DQ(3)"}), {"parallelism"});
  expect_parts(error({"model.transformer.heads=27"}), {"heads", "19 or 28"});
  expect_parts(error({"model.transformer.layers=-3"}), {"layers", "-3"});
  expect_parts(error({"sequence_parallel=true"}), {"stage_transfer must be peer"});
  expect_parts(error({"tensor_parallelism=2d", "stage_transfer=peer"}),
               {"tensor_parallelism", "mp is 3; use 4"});
  expect_parts(error({"parallelism=MP(2)-DP(10)"}, "resnet152_dp20.yaml"),
               {"no layer of ResNet-152 can be split"});
}

}  // namespace
}  // namespace wafertlm::config
