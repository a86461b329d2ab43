// SPDX-License-Identifier: Apache-2.0
// A fault in one packet must be found, and nothing else: a flipped bit changes exactly the elements that it
// must, a dropped packet is missed by exactly the rank that it was for.
#include <gtest/gtest.h>

#include "models/npu/npu.h"
#include "platform/host/child.h"
#include "platform/machine/collective_run.h"
#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "platform/spec/load.h"
#include "tests/support/program_run.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using Places = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  // rank, element

config::PlatformSpec faulty_platform(const std::string& fault, const std::string& functional = "true") {
  return config::load_platform(
      std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml",
      {"run.checkers=true", "run.functional=" + functional, "run.fault={" + fault + "}"});
}

/// NPUs 5 to 9, rank r at NPU 5 + r; blocks of one packet.
constexpr std::uint32_t kRowRanks = 5, kFirst = 5, kBlockElements = 1024;
const CollectiveRequest kRing{CollectiveType::all_reduce,
                              {NpuId{5}, NpuId{6}, NpuId{7}, NpuId{8}, NpuId{9}},
                              std::uint64_t{4} * kRowRanks* kBlockElements,
                              "ring",
                              1};

nlohmann::json run(const config::PlatformSpec& spec) {
  return run_in_child([&]() -> nlohmann::json {
    try {
      run_collective(spec, kRing, "dp");
    } catch (const WrongValues& wrong) {
      Places places;
      for (const WrongValues::Element& place : wrong.places()) places.emplace_back(place.rank, place.element);
      return {{"wrong", places}, {"text", wrong.what()}};
    }
    return {};
  });
}

std::string error_of(const config::PlatformSpec& spec) {
  try {
    run(spec);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// Packet n from rank r to the next is round n of the ring. In the first four rounds it carries a partial sum
// of block r - n, which all ranks get. In the last four it carries the sum of block r + 1 - (n - 4), which
// those behind get, as many as there are rounds left.
TEST(FlippedBit, ChangesExactlyTheElementsThatItMust) {
  for (const std::uint32_t r : {0U, 1U, 4U})
    for (std::uint32_t n = 1; n <= 8; ++n) {
      const std::uint32_t bit = 32 * (100 + n) + 3 * n;
      const std::uint32_t block = (n <= 4 ? r + kRowRanks - n : r + 2 * kRowRanks + 5 - n) % kRowRanks;
      const std::uint64_t element = std::uint64_t{block} * kBlockElements + bit / 32;
      Places expected;
      for (std::uint32_t rank = 0; rank < kRowRanks; ++rank) {
        const std::uint32_t behind = (rank + kRowRanks - r) % kRowRanks;  // 0: the sender itself
        if (n <= 4 || (behind >= 1 && behind <= 9 - n)) expected.emplace_back(rank, element);
      }
      const auto result =
          run(faulty_platform("kind: flip_bit, from: " + std::to_string(kFirst + r) +
                              ", to: " + std::to_string(kFirst + (r + 1) % kRowRanks) +
                              ", packet: " + std::to_string(n) + ", bit: " + std::to_string(bit)));
      EXPECT_EQ(result["wrong"].get<Places>(), expected) << "rank " << r << ", packet " << n;
      const std::string text = result["text"];
      EXPECT_NE(text.find("rank " + std::to_string(expected[0].first) + ", element " +
                          std::to_string(element) + ":"),
                std::string::npos)
          << text;
      EXPECT_NE(text.find(std::to_string(expected.size()) + " values are wrong, at " +
                          std::to_string(expected.size()) + " of 5 ranks"),
                std::string::npos)
          << text;
      EXPECT_NE(text.find("flipped bit " + std::to_string(bit)), std::string::npos) << text;
    }
}

TEST(DroppedPacket, IsMissedByItsReceiver) {
  for (const std::string functional : {"true", "false"}) {
    const std::string text =
        error_of(faulty_platform("kind: drop_packet, from: 7, to: 8, packet: 6", functional));
    EXPECT_NE(text.find("deadlock"), std::string::npos) << text;
    EXPECT_NE(text.find("dropped packet 6 from NPU 7 to NPU 8"), std::string::npos) << text;
    EXPECT_NE(
        text.find("\n  NPU 8 (rank 3) waits for NPU 7 (rank 2) in collective 1 step 5 of threadblock 1: all "
                  "of the message has left, 0 of 4096 B have arrived"),
        std::string::npos)
        << text;
  }
}

TEST(DroppedPacket, LeavesNoPacketAndNoCreditBehind) {
  Machine machine(faulty_platform("kind: drop_packet, from: 7, to: 8, packet: 1", "false"));
  const auto program = plan_collective(kRing, machine.traits());
  EXPECT_THROW(test::run_program(machine, program, "dp"), std::runtime_error);
  EXPECT_EQ(machine.wafer().packets.in_use(), 0U);
  EXPECT_EQ(machine.wafer().fabric().outstanding_credits(), 0U);
  EXPECT_EQ(machine.npu(NpuId{7}).endpoint().injection_port().outstanding_credits(), 0U);
  std::uint64_t links = 0;
  for (const CheckerTotals& totals : machine.wafer().checkers()->totals()) {
    if (totals.name.find("router") == std::string::npos) continue;
    EXPECT_EQ(totals.begun, totals.finished) << totals.name;
    ++links;
  }
  // Between routers, to and from NPUs, to and from I/O controllers.
  EXPECT_EQ(links, 2U * (4 * 4 + 3 * 5) + 2U * 20 + 2U * 18);
}

TEST(Fault, EndsTheCommandWithOne) {
  const std::string call = "collective " + std::string(WAFERTLM_SOURCE_DIR) +
                           "/configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --npus 5-9 --size 20KiB "
                           "--algorithm ring --set run.functional=true --set 'run.fault={from: 7, to: 8, ";
  const test::ToolResult dropped = test::run_tool(call + "kind: drop_packet}'");
  EXPECT_EQ(dropped.exit_code, 1);
  EXPECT_NE(dropped.error.find("NPU 8 (rank 3) waits for NPU 7 (rank 2)"), std::string::npos)
      << dropped.error;
  const test::ToolResult flipped = test::run_tool(call + "kind: flip_bit, bit: 0}'");
  EXPECT_EQ(flipped.exit_code, 1);
  EXPECT_NE(flipped.error.find("wrong value: all_reduce 1, rank 0, element 1024: "), std::string::npos)
      << flipped.error;
  EXPECT_EQ(test::run_tool(call + "kind: flip_bit}'").exit_code, 2);
}

// The stream of controller k is collective k + 1.
TEST(Fault, OfAStreamNamesItsController) {
  const test::ToolResult flipped =
      test::run_tool("collective " + std::string(WAFERTLM_SOURCE_DIR) +
                     "/configs/platforms/wafer_mesh_5x4.yaml --type gradient_store --size 18KiB --set "
                     "run.functional=true --set 'run.fault={kind: flip_bit, from: 0, to: 1, bit: 5}'");
  EXPECT_EQ(flipped.exit_code, 1);
  const std::string begin = "wrong value: stream of io";
  const std::size_t at = flipped.error.find(begin);
  ASSERT_NE(at, std::string::npos) << flipped.error;
  const std::size_t controller = std::stoul(flipped.error.substr(at + begin.size()));
  EXPECT_NE(flipped.error.find(begin + std::to_string(controller) + ", reduce " +
                               std::to_string(controller + 1) + ", rank 0, element "),
            std::string::npos)
      << flipped.error;
  // 18 streams of 20 NPUs and a controller.
  EXPECT_NE(flipped.error.find("; 1 values are wrong, at 1 of 378 ranks; "), std::string::npos)
      << flipped.error;
}

TEST(Fault, ThatNeverHappensIsAnError) {
  EXPECT_EQ(error_of(faulty_platform("kind: drop_packet, from: 7, to: 8, packet: 9")),
            "run.fault never happened: 8 packets went from NPU 7 to NPU 8, packet 9 was asked for");
  EXPECT_NE(error_of(faulty_platform("kind: drop_packet, from: 8, to: 7")).find(": 0 packets went"),
            std::string::npos);
  EXPECT_NE(
      error_of(faulty_platform("kind: flip_bit, from: 7, to: 8, bit: 32768")).find("its last one is 32767"),
      std::string::npos);
}

}  // namespace
}  // namespace wafertlm
