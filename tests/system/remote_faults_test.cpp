// SPDX-License-Identifier: Apache-2.0
// Platforms whose memory engines move real contents: they are proven, and what a provider does to them ends
// as the protection says.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm::test {
namespace {

using nlohmann::json;

constexpr std::uint64_t kBytes = 100'000;

/// A rank stores, loads, stores and loads the same bytes, a millisecond apart, through these engines.
ToolResult life(const TempFolder& folder, const std::string& engine) {
  using chakra::Node;
  std::vector<Node> nodes;
  for (int k = 0; k < 4; ++k) {
    const std::uint64_t id = 2 * static_cast<std::uint64_t>(k) + 1;
    const std::vector<std::uint64_t> after = k == 0 ? std::vector<std::uint64_t>{} : std::vector{id - 1};
    Node move = k % 2 == 0 ? store(id, 0, after) : load(id, 0, after);
    move.tensor_size = kBytes;
    nodes.push_back(move);
    if (k < 3) nodes.push_back(compute(id + 1, 1'000'000'000, {id}));
  }
  chakra::VectorSource source("rank", nodes);
  chakra::write_trace_file(source, folder.path() + "/job.0.et");
  const std::string experiment = folder.write(
      "e.yaml",
      std::string("experiment: e\nplatform: {extends: " WAFERTLM_SOURCE_DIR
                  "/configs/platforms/mesh_memory_engine.yaml, run: {checkers: true}, remote_memory: "
                  "{local: free, engine: {functional: true, ") +
          engine + "}}}\nworkload: {workload: w, chakra: job}\n");
  return run_tool("run " + experiment + " --out " + folder.path() + "/out");
}

std::string outcome(const std::string& engine) {
  const TempFolder folder;
  const ToolResult result = life(folder, engine);
  if (result.exit_code == 0) return "no effect";
  EXPECT_EQ(result.exit_code, 1);
  for (const char* const end :
       {"was refused: tampered", "brought a wrong byte at 20480, and nothing noticed it"})
    if (result.error.find(end) != std::string::npos) return end;
  return result.error;
}

constexpr const char* kPlain = "cipher: none, integrity: none";
constexpr const char* kCipher = "integrity: none";
constexpr const char* kMac = "integrity: mac";
constexpr const char* kTree = "integrity: tree, tree_cached_levels: 1";
const std::string kTampered = "was refused: tampered",
                  kUnnoticed = "brought a wrong byte at 20480, and nothing noticed it";

TEST(RemoteFaults, WithoutOneAllThatIsLoadedIsProven) {
  for (const char* const protection : {kPlain, kCipher, kMac, kTree}) {
    const TempFolder folder;
    const ToolResult result = life(folder, protection);
    ASSERT_EQ(result.exit_code, 0) << result.error;
    const json engines =
        json::parse(read_text(folder.path() + "/out/results.json"))["remote_memory"]["engines"];
    EXPECT_EQ(engines["proven_bytes"], 2 * kBytes);
    EXPECT_EQ(engines["unproven_bytes"], 0);
    EXPECT_EQ(engines["stops"], protection == kTree  ? "tampering, splicing and replay"
                                : protection == kMac ? "tampering and splicing, not replay"
                                                     : "nothing");
  }
}

// Page 5 begins at byte 20480.
TEST(RemoteFaults, EndAsTheProtectionSays) {
  const auto with = [](const char* protection, const std::string& fault) {
    return outcome(std::string(protection) + ", faults: [{npu: 0, page: 5, " + fault + "}]");
  };
  const std::string flip = "kind: flip, bit: 3, at: 500 us", swap = "kind: swap, with: 7, at: 500 us",
                    drop = "kind: drop, at: 1500 us", replay = "kind: replay, from: 1500 us, at: 2700 us";
  for (const std::string& fault : {flip, swap}) {
    EXPECT_EQ(with(kPlain, fault), kUnnoticed);
    EXPECT_EQ(with(kCipher, fault), kUnnoticed);
    EXPECT_EQ(with(kMac, fault), kTampered);
    EXPECT_EQ(with(kTree, fault), kTampered);
  }
  for (const std::string& fault : {drop, replay}) {
    EXPECT_EQ(with(kPlain, fault), kUnnoticed);
    EXPECT_EQ(with(kMac, fault), kUnnoticed);
    EXPECT_EQ(with(kTree, fault), kTampered);
  }
  EXPECT_EQ(outcome(std::string(kPlain) + ", faults: [{npu: 0, page: 50, kind: drop, at: 1500 us}, "
                                          "{npu: 0, page: 5, kind: drop, at: 1500 us}]"),
            kUnnoticed)
      << "both, though the first meets no store";
  EXPECT_EQ(with(kMac, "kind: flip, at: 9 ms"), "no effect") << "after the last load";
  EXPECT_EQ(outcome("faults: [{npu: 0, page: 50, kind: flip, at: 500 us}]"), "no effect")
      << "nobody loads it";
}

TEST(RemoteFaults, ThatMakeNoSenseAreRefused) {
  const TempFolder folder;
  const auto refusal = [&](const std::string& engine) {
    const ToolResult result = life(folder, engine);
    EXPECT_EQ(result.exit_code, 2) << engine;
    return result.error;
  };
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(says(refusal("faults: [{npu: 20, page: 5, kind: flip, at: 1 us}]"), "there is no NPU 20"));
  EXPECT_TRUE(says(refusal("faults: [{npu: 0, page: 8388608, kind: flip, at: 1 us}]"), "only 0 to 8388607"));
  EXPECT_TRUE(
      says(refusal("faults: [{npu: 0, page: 5, kind: flip, bit: 32768, at: 1 us}]"), "bits 0 to 32767"));
  EXPECT_TRUE(
      says(refusal("faults: [{npu: 0, page: 5, kind: swap, with: 5, at: 1 us}]"), "is the page itself"));
  EXPECT_TRUE(
      says(refusal("faults: [{npu: 0, page: 5, kind: replay, from: 2 us, at: 1 us}]"), "must be before"));
  EXPECT_TRUE(
      says(refusal("faults: [{npu: 0, page: 5, kind: drop, bit: 3, at: 1 us}]"), "has no effect without"));
}

}  // namespace
}  // namespace wafertlm::test
