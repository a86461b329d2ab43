// SPDX-License-Identifier: Apache-2.0
// Traces that other tools wrote; the expected numbers were counted with a separate decoder.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "tests/support/shared_traces.h"
#include "tests/unit/workloads/chakra/trace_files.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::chakra::test {
namespace {

class SampleTraces : public wafertlm::test::WithSampleTraces<testing::Test> {
 protected:
  /// Opens all ranks of a job.
  std::vector<NodeSource*> open(const std::string& prefix) {
    std::vector<NodeSource*> ranks;
    for (const std::string& file : find_rank_files(trace(prefix))) {
      readers_.push_back(std::make_unique<EtReader>(file));
      ranks.push_back(readers_.back().get());
    }
    return ranks;
  }

  std::vector<TraceSummary> check(const std::string& prefix) {
    const auto ranks = open(prefix);
    return validate_job(ranks, CommGroups(static_cast<std::uint32_t>(ranks.size())));
  }

  /// Unpacks the PyTorch sample and returns its path.
  std::string pytorch() {
    const std::string archive = trace("pytorch/feeder_tests_trace.tar.gz");
    EXPECT_EQ(std::system(("tar -xzf '" + archive + "' -C '" + folder_.file("") + "'").c_str()), 0);
    return folder_.file("tests/data/chakra.0.et");
  }

  const TemporaryFolder folder_;

 private:
  std::vector<std::unique_ptr<EtReader>> readers_;
};

TEST_F(SampleTraces, Microbenchmarks) {
  const std::pair<std::string, CollectiveType> kinds[] = {{"all_reduce", CollectiveType::AllReduce},
                                                          {"all_gather", CollectiveType::AllGather},
                                                          {"reduce_scatter", CollectiveType::ReduceScatter},
                                                          {"all_to_all", CollectiveType::AllToAll}};
  for (const auto& [kind, type] : kinds) {
    for (const std::size_t count : {4U, 8U, 16U}) {
      const std::string prefix = "microbenchmarks/" + kind + "/" + std::to_string(count) + "npus_1MB/" + kind;
      EXPECT_EQ(check(prefix).size(), count);
      for (NodeSource* rank : open(prefix)) {
        const auto nodes = read_all(*rank);
        ASSERT_EQ(nodes.size(), 1U);
        EXPECT_EQ(nodes[0].comm_type, type);
        EXPECT_EQ(nodes[0].comm_size, 1U << 20U);
      }
    }
  }
}

TEST_F(SampleTraces, ResNet50) {
  const auto summaries = check("Resnet50_DataParallel/Resnet50_DataParallel");
  ASSERT_EQ(summaries.size(), 64U);
  for (const TraceSummary& summary : summaries) {
    EXPECT_EQ(summary.nodes, 215U);
    EXPECT_EQ(summary.collectives, 54U);
  }
  EXPECT_EQ(summaries[0].comp_duration_ps, 1'082'450'000'000U);  // 1,082,450,000 ns
}

TEST_F(SampleTraces, Mlp) {
  const auto summaries = check("MLP_HybridParallel_Data_Model/MLP_HybridParallel_Data_Model");
  ASSERT_EQ(summaries.size(), 64U);
  EXPECT_EQ(summaries[0].nodes, 35U);
  EXPECT_EQ(summaries[0].collectives, 17U);
  EXPECT_EQ(summaries[0].comp_duration_ps, 236'649'000'000U);
}

TEST_F(SampleTraces, CustomRing) {
  const auto summaries = check("custom_ring_allreduce_8npus_1MB/custom_allreduce");
  ASSERT_EQ(summaries.size(), 8U);
  for (const TraceSummary& summary : summaries) {
    EXPECT_EQ(summary.by_type[static_cast<std::size_t>(NodeType::CommSend)], 14U);
    EXPECT_EQ(summary.by_type[static_cast<std::size_t>(NodeType::CommRecv)], 14U);
    EXPECT_EQ(summary.by_type[static_cast<std::size_t>(NodeType::Comp)], 7U);
  }
}

TEST_F(SampleTraces, PyTorchRunsOnItsDataDependenciesAlone) {
  const std::string path = pytorch();
  EtReader reader(path);
  const TraceSummary summary = validate(reader, 0, CommGroups(1), {Dependencies::data});
  EXPECT_EQ(summary.by_type[static_cast<std::size_t>(NodeType::Comp)], 3643U);
  EXPECT_EQ(summary.by_type[static_cast<std::size_t>(NodeType::CommColl)], 21U);
  EXPECT_EQ(summary.collectives, 7U);
  EXPECT_EQ(summary.launches, 14U);
  EXPECT_EQ(summary.cpu_ops, 2434U + 14U);
  EXPECT_EQ(summary.comp_duration_ps, 343'769'000'000U);
  EXPECT_EQ(summary.missing_data_deps, 0U);
  EXPECT_EQ(summary.missing_ctrl_deps, 1277U);
  EXPECT_EQ(summary.left_out_ctrl_deps, 3664U);
}

TEST_F(SampleTraces, PyTorchControlDependenciesAreMissingOrCyclic) {
  const std::string path = pytorch();
  EtReader reader(path);
  expect_error([&] { validate(reader, 0, CommGroups(1)); },
               {path, "1277 dependencies", "node 216 \"aten::flatten_dense_tensors(0)\" needs 3"});
  const ValidateOptions accept{Dependencies::existing};
  reader.rewind();
  int self = 0;
  for (const Node& node : read_all(reader))
    self += std::count(node.ctrl_deps.begin(), node.ctrl_deps.end(), node.id) > 0 ? 1 : 0;
  EXPECT_EQ(self, 383);
  expect_error([&] { validate(reader, 0, CommGroups(1), accept); }, {path, "needs"});
}

TEST_F(SampleTraces, WrittenAgainTheyReadEqual) {
  for (const std::string& path : {pytorch(), trace("Resnet50_DataParallel/Resnet50_DataParallel.63.et"),
                                  trace("custom_ring_allreduce_8npus_1MB/custom_allreduce.3.et")}) {
    EtReader original(path);
    write_trace(original, folder_.file("copy.0.et"));
    EtReader copy(folder_.file("copy.0.et"));
    original.rewind();
    EXPECT_EQ(read_all(copy), read_all(original)) << path;
  }
}

}  // namespace
}  // namespace wafertlm::chakra::test
