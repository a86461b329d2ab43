// SPDX-License-Identifier: Apache-2.0
// run.acceleration: what repeats is skipped, and every figure is what it is when all is simulated.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/random_cases.h"
#include "tests/support/random_job.h"
#include "tests/support/trace_jobs.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm::test {
namespace {

class AcceleratedRuns : public ::testing::Test {
 protected:
  nlohmann::json run(const std::string& experiment, const std::string& settings) {
    const std::string folder = folder_.path() + "/out";
    const ToolResult result = run_tool("run " + experiment + " --out " + folder + settings);
    EXPECT_EQ(result.exit_code, 0) << settings << "\n" << result.error;
    if (result.exit_code != 0) return nullptr;
    auto results = nlohmann::json::parse(read_text(folder + "/results.json"));
    skipped_ = results["host"]["accelerated"];
    results.erase("host");
    return results;
  }
  /// How much of this the last run skipped; 0 if it was off.
  std::uint64_t count(const char* by, const char* name) const {
    const auto part = skipped_.find(by);
    return part == skipped_.end() || !part->is_object() ? 0 : part->value(name, std::uint64_t{0});
  }
  nlohmann::json skipped_;
  TempFolder folder_;
};

TEST_F(AcceleratedRuns, EqualThoseInWhichAllIsSimulated) {
  std::uint64_t skipped = 0, skips_verified = 0, played = 0, abandoned = 0, episodes_verified = 0;
  for (int k = 0; k < random_cases(24, 2); ++k) {
    const std::string job =
        write_random_job(folder_.path() + "/" + std::to_string(k), static_cast<std::uint64_t>(k));
    SCOPED_TRACE("job " + std::to_string(k));
    const auto off = run(job, " --set run.acceleration=off");
    EXPECT_EQ(skipped_, nlohmann::json({{"off_because", "run.acceleration is off"}}));
    EXPECT_EQ(run(job, ""), off);
    skipped += count("steady_states", "packets");
    played += count("episodes", "played");
    abandoned += count("episodes", "abandoned");
    EXPECT_EQ(run(job, " --set run.acceleration=verify"), off);
    skips_verified += count("steady_states", "verified");
    episodes_verified += count("episodes", "verified");
  }
  if (kSanitized) return;  // two jobs are too few to say
  EXPECT_GT(skipped, 0U);
  EXPECT_GT(skips_verified, 0U);
  EXPECT_GT(played, 0U);
  EXPECT_GT(abandoned, 0U);
  EXPECT_GT(episodes_verified, 0U);
}

TEST_F(AcceleratedRuns, OfWholeMessagesEqualThoseInWhichAllIsSimulated) {
  std::uint64_t played = 0, abandoned = 0, verified = 0;
  std::set<std::string> reasons;
  for (int k = 0; k < random_cases(20, 2); ++k) {
    const std::string job =
        write_random_job(folder_.path() + "/" + std::to_string(k), static_cast<std::uint64_t>(k), {},
                         write_random_message_platform);
    SCOPED_TRACE("job " + std::to_string(k));
    const auto off = run(job, " --set run.acceleration=off");
    EXPECT_EQ(run(job, ""), off);
    reasons.insert(skipped_.value("off_because", ""));
    played += count("episodes", "played");
    abandoned += count("episodes", "abandoned");
    EXPECT_EQ(run(job, " --set run.acceleration=verify"), off);
    verified += count("episodes", "verified");
  }
  if (kSanitized) return;
  EXPECT_EQ(reasons, (std::set<std::string>{"", "congestion control dctcp remembers earlier messages"}));
  EXPECT_GT(played, 0U);
  EXPECT_GT(abandoned, 0U);
  EXPECT_GT(verified, 0U);
}

// The second iteration repeats the first where nothing remembers it: until a CNP comes, DCQCN is as new, too.
TEST_F(AcceleratedRuns, OfAnEthernetPlayWhatNothingRemembers) {
  const std::string job = WAFERTLM_SOURCE_DIR "/configs/experiments/ethernet_resnet50.yaml";
  const std::string fabric = " --set platform.wafer.fabric.";
  const std::string one_uplink =
      fabric + "network.switch_bandwidth='12.5 GB/s'" + fabric + "network.spines=1";
  const auto dcqcn = [&](const std::string& kmin, const std::string& kmax) {
    return fabric + "nics.congestion_control=dcqcn_connectx" + fabric + "switches.ecn_kmin='" + kmin + "'" +
           fabric + "switches.ecn_kmax='" + kmax + "'";
  };
  const std::string spray = fabric + "nics.repair=selective_repeat" + fabric + "nics.reordering=0" + fabric +
                            "switches.load_balancing=spray";
  struct Case {
    const char* name;
    std::string settings;
    std::uint64_t recorded, played;
  };
  const Case cases[] = {
      {"no control", "", 1, 1},
      {"no CNP", dcqcn("400 kB", "1600 kB"), 1, 1},
      {"CNPs", one_uplink + dcqcn("100 kB", "400 kB"), 0, 0},
      {"pauses", one_uplink + fabric + "switches.buffer='8 MB'", 1, 0},
      {"random numbers", spray, 1, 0},
      {"flowlets", fabric + "switches.load_balancing=flowlet" + fabric + "switches.flowlet_gap='1 us'", 0, 0},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    const std::string settings = " --set barrier=true" + each.settings;
    const auto off = run(job, settings + " --set run.acceleration=off");
    EXPECT_EQ(run(job, settings), off);
    EXPECT_EQ(count("episodes", "recorded"), each.recorded);
    EXPECT_EQ(count("episodes", "played"), each.played);
  }
}

/// While rank 0 sends a long message to rank 2, rank 1 computes and sends a short one there, time and again:
/// always at another place of a period.
void write_disturbed_job(const std::string& path, std::uint64_t disturbances) {
  constexpr std::uint64_t kPacket = 4096;
  std::vector<std::vector<chakra::Node>> nodes(3);
  const auto add = [&](std::uint32_t rank, chakra::NodeType type) -> chakra::Node& {
    chakra::Node& node = nodes[rank].emplace_back();
    node.id = nodes[rank].size();
    node.name = "n";
    node.type = type;
    return node;
  };
  const auto send = [&](std::uint32_t from, std::uint64_t bytes, std::uint64_t tag) -> chakra::Node& {
    chakra::Node& receive = add(2, chakra::NodeType::CommRecv);
    receive.comm_src = from;
    receive.comm_tag = tag;
    receive.comm_size = bytes;
    chakra::Node& sent = add(from, chakra::NodeType::CommSend);
    sent.comm_dst = 2;
    sent.comm_tag = tag;
    sent.comm_size = bytes;
    return sent;
  };
  send(0, 800 * disturbances * kPacket, 1);
  for (std::uint64_t k = 0; k < disturbances; ++k) {
    chakra::Node& compute = add(1, chakra::NodeType::Comp);
    compute.duration_ps = 3'000'000 + 1'237 * k;
    if (k != 0) compute.data_deps = {compute.id - 1};
    const std::uint64_t after = compute.id;
    send(1, (1 + k % 7) * kPacket, 2 + k).data_deps = {after};
  }
  for (std::uint32_t rank = 0; rank < nodes.size(); ++rank) {
    chakra::VectorSource source("rank", nodes[rank]);
    chakra::write_trace(source, path + "." + std::to_string(rank) + ".et");
  }
}

TEST_F(AcceleratedRuns, AStretchThatSomethingComesIntoIsPutBack) {
  constexpr std::uint64_t kDisturbances = 12;
  write_disturbed_job(folder_.path() + "/job", kDisturbances);
  const std::string job = trace_experiment(folder_, "wafer_mesh_5x4", "chakra: job");
  const auto off = run(job, " --set run.acceleration=off");
  EXPECT_EQ(run(job, ""), off);
  EXPECT_EQ(count("steady_states", "put_back"), kDisturbances);
  // All but what comes before and behind a disturbance.
  EXPECT_GT(count("packets", "in_periods"), 600 * kDisturbances);
  EXPECT_EQ(count("packets", "simulated") + count("packets", "in_periods") + count("packets", "in_episodes"),
            800 * kDisturbances + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 1 + 2 + 3 + 4 + 5);
  EXPECT_EQ(count("packets", "of_short_messages"), 43U);
  EXPECT_EQ(run(job, " --set run.acceleration=verify"), off);
}

// The last episode of the second iteration is played, and ACKs are still under way when its last operation
// ends.
TEST_F(AcceleratedRuns, EndWithPacketsOnTheirWayBehindWhatWasPlayed) {
  const std::string job = folder_.write("experiment.yaml",
                                        "experiment: packets on their way\n"
                                        "platform: " WAFERTLM_SOURCE_DIR
                                        "/configs/platforms/ethernet_plain_32.yaml\n"
                                        "workload:\n"
                                        "  workload: five stages\n"
                                        "  model: {model: small, transformer: {layers: 5, hidden: 64, heads: "
                                        "2, sequence: 128, vocabulary: 12800}}\n"
                                        "  parallelism: MP(1)-DP(3)-PP(5)\n"
                                        "  samples_per_replica: 4\n"
                                        "  microbatches: 2\n"
                                        "  schedule: gpipe\n"
                                        "  effective_flops: 200 TFLOPS\n"
                                        "iterations: 2\n"
                                        "barrier: true\n");
  const auto off = run(job, " --set run.acceleration=off");
  EXPECT_EQ(run(job, ""), off);
  EXPECT_GT(count("episodes", "abandoned"), 0U);
}

TEST_F(AcceleratedRuns, SayWhatForbidsIt) {
  write_collective_job(folder_.path() + "/all", chakra::CollectiveType::AllReduce, 20, 1'000'000);
  const std::string job = trace_experiment(folder_, "wafer_mesh_5x4", "chakra: all");
  const std::pair<const char*, const char*> kReasons[] = {
      {"--set run.checkers=true", "protocol checkers follow every packet"},
      {"--set run.functional=true", "functional mode has values in every packet"},
      {"--set wafer.fabric.bit_error_rate=1e-9", "Go-Back-N counts packets"},
      {"--set npu.endpoint.memory=hbm", "messages wait for the memory (npu.endpoint.memory)"}};
  for (const auto& [setting, reason] : kReasons) {
    run(job, " " + std::string(setting));
    EXPECT_EQ(skipped_, nlohmann::json({{"off_because", reason}}));
  }
}

}  // namespace
}  // namespace wafertlm::test
