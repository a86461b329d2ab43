// SPDX-License-Identifier: Apache-2.0
// Training loops of text workloads against what ASTRA-sim 1.0's Workload.cc does with two layers.
#include "workloads/astra_text/training_job.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::astra_text {
namespace {

using Names = std::vector<std::string>;
using Ids = std::vector<std::uint64_t>;
using Ranks = std::vector<std::uint32_t>;

const char* const kTwoLayers =
    "a -1 100 ALLREDUCE 64 200 ALLGATHER 8 300 NONE 0 10\n"
    "b -1 1.5 NONE 0 0 AllToAll 16 5 REDUCESCATTER 32 10\n";

TrainingJob job_of(const std::string& header) {
  const test::TempFolder folder;
  return {folder.write("w.txt", header + "\n2\n" + kTwoLayers), 4};
}

Names names_of(const TrainingJob& job) {
  Names names;
  for (const chakra::Node& node : job.nodes(1)) names.push_back(node.name);
  return names;
}

TEST(TrainingJobs, HybridLoopsOverlapGradientCollectives) {
  const TrainingJob job = job_of("HYBRID_TRANSFORMER model_parallel_NPU_group: 2");
  EXPECT_EQ(names_of(job),
            (Names{"a forward", "a forward collective", "b forward", "b input gradient collective",
                   "b weight gradient", "b weight gradient collective", "a input gradient",
                   "a input gradient collective", "a weight gradient"}));
  std::vector<Ids> waits;
  for (const chakra::Node& node : job.nodes(1)) waits.push_back(node.data_deps);
  EXPECT_EQ(waits, (std::vector<Ids>{{}, {0}, {1}, {2}, {2}, {4}, {4, 3}, {6}, {6}}));
  const auto nodes = job.nodes(1);
  const auto groups = job.groups();
  EXPECT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups.at(nodes[1].pg_name), (Ranks{0, 1}));
  EXPECT_EQ(groups.at(nodes[5].pg_name), (Ranks{1, 3}));
  EXPECT_EQ(nodes[1].comm_class, "mp");
  EXPECT_EQ(nodes[5].comm_class, "dp");
}

TEST(TrainingJobs, CheckpointsComputeForwardAgain) {
  EXPECT_EQ(names_of(job_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 "
                            "checkpoint_initiates: 1 1")),
            (Names{"a forward", "a forward collective", "b forward", "a forward", "a forward collective",
                   "b input gradient collective", "b weight gradient", "b weight gradient collective",
                   "a input gradient", "a input gradient collective", "a weight gradient"}));
}

TEST(TrainingJobs, DataAndModelLoops) {
  EXPECT_EQ(names_of(job_of("DATA")), (Names{"a forward", "b forward", "b weight gradient",
                                             "b weight gradient collective", "a weight gradient"}));
  EXPECT_EQ(names_of(job_of("MODEL")),
            (Names{"a forward", "a forward collective", "b forward", "b input gradient collective",
                   "b weight gradient", "a input gradient", "a weight gradient"}));
}

TEST(TrainingJobs, WhatIsNotModelledIsRefused) {
  const auto refused = [](const std::string& header, const std::string& why) {
    const std::string text = test::refusal_of<chakra::TraceError>([&] { job_of(header); });
    EXPECT_NE(text.find("w.txt:1: " + why), std::string::npos) << text;
  };
  const std::string hybrid = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ";
  refused("", "the first line names no training loop");
  refused("DLRM", "training loop 'DLRM' is not modelled");
  refused("HYBRID_TRANSFORMER", "model_parallel_NPU_group is 0, which does not divide the 4 ranks");
  refused("HYBRID_TRANSFORMER model_parallel_NPU_group: 3", "model_parallel_NPU_group is 3");
  refused("HYBRID_TRANSFORMER 3", "expected a key with ':'");
  refused(hybrid + "pp: 2", "pp is 2; only 1 is modelled");
  refused(hybrid + "pp: 1 1", "pp must have one number");
  refused(hybrid + "all_gpus: 8", "it is for 8 ranks, not for 4");
  refused(hybrid + "checkpoints: 2 0", "checkpoints must say how many layers it has");
  refused(hybrid + "checkpoints: 1 2", "checkpoints has layer 2, and there are 2");
  refused(hybrid + "checkpoints: 1 1 checkpoint_initiates: 1 0", "layer 0 computes forward again");
}

}  // namespace
}  // namespace wafertlm::astra_text
