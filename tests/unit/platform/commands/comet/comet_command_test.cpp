// SPDX-License-Identifier: Apache-2.0
// COMET's files and its command line.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/commands/comet/cluster.h"
#include "tests/support/command_run.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {

std::function<int()> add_comet_command(CLI::App& app);

namespace comet {
namespace {

struct ClusterMistake {
  const char *name, *yaml, *message;
};

class CometFileMistake : public testing::TestWithParam<ClusterMistake> {};

TEST_P(CometFileMistake, IsRefusedAtItsPlace) {
  const test::TempFolder folder;
  const std::string file = folder.write("c.yaml", GetParam().yaml);
  std::string why = test::refusal_of<std::exception>([&] { load_cluster(file); });
  if (why.rfind(file, 0) == 0) why = why.substr(file.size());
  EXPECT_EQ(why, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Keys, CometFileMistake,
    testing::Values(
        ClusterMistake{"None", "comet: c\n", ""},
        ClusterMistake{"NpusNoPower", "comet: c\nnpus: 12\n", ":2:7: npus: must be a power of two"},
        ClusterMistake{"NodeNoPower", "comet: c\nnpus_per_node: 3\n",
                       ":2:16: npus_per_node: must be a power of two"},
        ClusterMistake{"BatchTooSmall", "comet: c\nnpus: 64\nbatch: 63\n",
                       ":3:8: batch: must be 64 or more: DP goes up to that"},
        ClusterMistake{"BatchAsLarge", "comet: c\nnpus: 64\nbatch: 64\n", ""},
        ClusterMistake{"HeadsOfUnequalSize", "comet: c\nheads: 96\n",
                       ":2:8: heads: must divide hidden (25600)"},
        ClusterMistake{"Efficiency", "comet: c\ngemm_efficiency: 1.1\n",
                       ":2:18: gemm_efficiency: '1.1' is out of range; expected a number from 0.001 to 1"},
        ClusterMistake{"Streams", "comet: c\nstreams: both\n",
                       ":2:10: streams: unknown value 'both'; valid values: serial, parallel"},
        ClusterMistake{
            "Unknown", "comet: c\nheadz: 3\n",
            ":2:1: unknown key 'headz' at the top level; did you mean 'heads'? valid keys: comet, layers, "
            "hidden, heads, sequence, vocabulary, npus, npus_per_node, peak, gemm_efficiency, "
            "local_capacity, local_bandwidth, expanded_capacity, expanded_bandwidth, streams, placement, "
            "buffer, node_bandwidth, network_bandwidth, batch, microbatch, recompute, dlrm, "
            "operation_energy, local_energy, expanded_energy, node_energy, network_energy, dp_overlap"},
        ClusterMistake{"DlrmWithoutRows", "comet: c\ndlrm: {tables: 3}\n",
                       ":2:7: missing required key 'rows' in dlrm: Of a table"},
        ClusterMistake{"OneWidth",
                       "comet: c\ndlrm: {tables: 3, rows: 1, dimension: 1, pooling: 1, bottom: "
                       "[1], top: [1, 2], batch: 1}\n",
                       ":2:62: dlrm.bottom: expected a list of 2 to 1000 values, got 1"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(CometFile, EveryValueIsWrittenAndReadAgain) {
  const test::TempFolder folder;
  const std::string text =
      "comet: \"c\"\nlayers: 2\nhidden: 8\nheads: 8\nsequence: 4\nvocabulary: 16\nnpus: 8\nnpus_per_node: 4\n"
      "peak: 100 GFLOPS\ngemm_efficiency: 0.5\nlocal_capacity: 1 GB\nlocal_bandwidth: 2 GB/s\n"
      "expanded_capacity: 3 GB\nexpanded_bandwidth: 4 GB/s\nstreams: parallel\nplacement: optimizer_first\n"
      "buffer: 5 kB\nnode_bandwidth: 6 GB/s\nnetwork_bandwidth: 7 GB/s\nbatch: 16\nmicrobatch: 2\n"
      "recompute: false\ndlrm: {tables: 3, rows: 10, dimension: 2, pooling: 5, bottom: [4, 5], top: [6, 7, "
      "1], "
      "batch: 16}\noperation_energy: 1e-12\nlocal_energy: 2 pJ/bit\nexpanded_energy: 3 pJ/bit\n"
      "node_energy: 4 pJ/bit\nnetwork_energy: 5 pJ/bit\ndp_overlap: 0.25\n";
  const ClusterSpec spec = load_cluster(folder.write("c.yaml", text));
  EXPECT_EQ(spec.model.parameters(), 1904U);
  EXPECT_EQ(std::tie(spec.npus, spec.npus_per_node, spec.batch, spec.microbatch, spec.buffer),
            std::tuple(8U, 4U, 16U, 2U, 5000U));
  EXPECT_EQ(std::tie(spec.peak, spec.gemm_efficiency, spec.local_capacity, spec.local_bandwidth,
                     spec.expanded_capacity, spec.expanded_bandwidth, spec.node_bandwidth,
                     spec.network_bandwidth, spec.dp_overlap),
            std::tuple(100e9, 0.5, 1e9, 2e9, 3e9, 4e9, 6e9, 7e9, 0.25));
  EXPECT_EQ(spec.streams, Streams::parallel);
  EXPECT_EQ(spec.placement, Placement::optimizer_first);
  EXPECT_FALSE(spec.recompute);
  EXPECT_DOUBLE_EQ(spec.energy.operation_j, 1e-12);
  EXPECT_DOUBLE_EQ(spec.energy.local_bit_j, 2e-12);
  EXPECT_DOUBLE_EQ(spec.energy.expanded_bit_j, 3e-12);
  EXPECT_DOUBLE_EQ(spec.energy.node_bit_j, 4e-12);
  EXPECT_DOUBLE_EQ(spec.energy.network_bit_j, 5e-12);
  EXPECT_EQ(spec.dlrm->top, (std::vector<std::uint64_t>{6, 7, 1}));
  const std::string resolved = resolved_cluster(spec);
  EXPECT_EQ(resolved_cluster(load_cluster(folder.write("again.yaml", resolved))), resolved);
  const ClusterSpec changed = load_cluster(folder.path() + "/c.yaml", {"npus=16", "dlrm.rows=11"});
  EXPECT_EQ(changed.npus, 16U);
  EXPECT_EQ(changed.dlrm->rows, 11U);
}

const char* const kSmallCluster =
    "comet: c\nlayers: 2\nhidden: 8\nheads: 8\nsequence: 4\nvocabulary: 16\nnpus: 8\nnpus_per_node: "
    "4\nbatch: 16\n";

struct CometLine {
  const char *name, *more, *options, *refusal;
};

class CometRefusal : public testing::TestWithParam<CometLine> {};

TEST_P(CometRefusal, SaysWhatIsExpected) {
  const test::TempFolder folder;
  const std::string file = folder.write("c.yaml", std::string(kSmallCluster) + GetParam().more);
  std::string why = test::run_command(add_comet_command, "comet " + file + " " + GetParam().options).refusal;
  if (const std::size_t at = why.find(file); at != std::string::npos) why.replace(at, file.size(), "FILE");
  EXPECT_EQ(why, GetParam().refusal);
}

const char* const kDlrm =
    "dlrm: {tables: 3, rows: 10, dimension: 2, pooling: 5, bottom: [4, 5], top: [6, 7, 1], batch: 16}\n";

INSTANTIATE_TEST_SUITE_P(
    Lines, CometRefusal,
    testing::Values(
        CometLine{"Point", "", "--point MP4_DP2", ""},
        CometLine{"NoPower", "", "--point MP3_DP2",
                  "--point MP3_DP2: expected MPm_DPd with m a power of two and m·d = 8"},
        CometLine{"TooMany", "", "--point MP4_DP4",
                  "--point MP4_DP4: expected MPm_DPd with m a power of two and m·d = 8"},
        CometLine{"MoreBehind", "", "--point MP4_DP2x",
                  "--point MP4_DP2x: expected MPm_DPd with m a power of two and m·d = 8"},
        CometLine{"Nothing", "", "--point MP0_DP2",
                  "--point MP0_DP2: expected MPm_DPd with m a power of two and m·d = 8"},
        CometLine{"HeadsDoNotDivide", "", "--set heads=2 --point MP4_DP2",
                  "--point MP4_DP2: MP4 does not divide the 2 heads of FILE; MP1 to MP2 do"},
        CometLine{"HeadsOfTheStudy", "expanded_capacity: 1 GB\n", "--set heads=4",
                  "the study compares MP8, which does not divide the 4 heads of FILE"},
        CometLine{"OfADlrm", "", "--point N8",
                  "--point N8: expected MPm_DPd with m a power of two and m·d = 8"},
        CometLine{"OfATransformer", kDlrm, "--point MP4_DP2",
                  "--point MP4_DP2: expected NPUs of an instance such as N64"},
        CometLine{"NpusNoPower", kDlrm, "--point N6", "--point N6: expected NPUs of an instance such as N64"},
        CometLine{"JsonOfADlrm", kDlrm, "--json", "--json of a DLRM needs a --point such as N64"},
        CometLine{"NoExpansion", "", "", "give expanded_capacity: the study compares with and without it"},
        CometLine{"FewNpus", "expanded_capacity: 1 GB\n", "--set npus=4 --set batch=16",
                  "the study needs 8 NPUs or more"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(CometCommand, APointIsTheEstimate) {
  const test::TempFolder folder;
  const std::string file = folder.write("c.yaml", kSmallCluster);
  const auto json = nlohmann::json::parse(
      test::run_command(add_comet_command, "comet " + file + " --point MP4_DP2 --zero-stage 3").out);
  const Estimate expected = estimate(load_cluster(file), {4, 2, 3});
  EXPECT_EQ(json["point"], "MP4_DP2");
  EXPECT_EQ(json["mp"], 4);
  EXPECT_EQ(json["dp"], 2);
  EXPECT_EQ(json["zero_stage"], 3);
  EXPECT_EQ(json["fits"], true);
  EXPECT_DOUBLE_EQ(json["state_bytes"], 16 * 1904 / 8.0);
  EXPECT_DOUBLE_EQ(json["activation_bytes"], expected.activations);
  EXPECT_DOUBLE_EQ(json["compute_s"], expected.compute_s);
  EXPECT_DOUBLE_EQ(json["exposed_mp_s"], expected.mp_s);
  EXPECT_DOUBLE_EQ(json["exposed_dp_s"], expected.dp_s);
  EXPECT_DOUBLE_EQ(json["optimizer_s"], expected.optimizer_s);
  EXPECT_DOUBLE_EQ(json["time_s"], expected.compute_s + expected.mp_s + expected.dp_s + expected.optimizer_s);
}

// With ZeRO-3 nothing needs expanded memory, and with less local memory its share is all that fits.
TEST(CometCommand, WithoutAStageItIsTheFastestThatFits) {
  const test::TempFolder folder;
  const std::string file = folder.write("c.yaml", kSmallCluster);
  const auto stage_with = [&](double capacity) {
    return nlohmann::json::parse(
               test::run_command(add_comet_command,
                                 fmt::format("comet {} --point MP1_DP8 --set local_capacity={}B", file,
                                             std::llround(capacity)))
                   .out)["zero_stage"]
        .get<int>();
  };
  const ClusterSpec spec = load_cluster(file);
  int fastest = 0;
  for (int stage = 1; stage <= 3; ++stage)
    if (estimate(spec, {1, 8, stage}).time_s() < estimate(spec, {1, 8, fastest}).time_s()) fastest = stage;
  EXPECT_EQ(stage_with(1e9), fastest);
  EXPECT_EQ(stage_with(estimate(spec, {1, 8, 2}).footprint + 1), 2);
  EXPECT_EQ(stage_with(estimate(spec, {1, 8, 3}).footprint + 1), 3);
  EXPECT_EQ(stage_with(1), 3) << "none fits: the smallest";
}

TEST(CometCommand, TheTableHasEveryDivisionAndMarksTheFastest) {
  const test::TempFolder folder;
  const std::string file =
      folder.write("c.yaml", std::string(kSmallCluster) + "local_capacity: 5 kB\nexpanded_capacity: 1 GB\n");
  const std::string text = test::run_command(add_comet_command, "comet " + file + " --zero-stage 0").out;
  EXPECT_EQ(text.rfind("c: 1904 parameters, 8 NPUs, ZeRO-0\n", 0), 0U) << text;
  ClusterSpec spec = load_cluster(file);
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  for (const char* point : {"\n  MP1_DP8 ", "\n  MP2_DP4 ", "\n  MP4_DP2 ", "\n  MP8_DP1 "})
    EXPECT_EQ(count(point), 2) << point;  // with and without expanded memory
  EXPECT_EQ(count(" GB less\n"), 3);
  EXPECT_EQ(count("  <- fastest that fits\n"), 2);
  spec.expanded_capacity = 0;
  EXPECT_EQ(best_point(spec, 0).mp, 8U);  // 3.8 kB of state
}

}  // namespace
}  // namespace comet
}  // namespace wafertlm
