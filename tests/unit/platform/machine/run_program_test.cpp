// SPDX-License-Identifier: Apache-2.0
// What an sc_main of somebody else runs.
#include "platform/machine/run_program.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/machine/machine.h"
#include "platform/spec/load.h"
#include "tests/support/tool.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {
namespace {

const char* const kWafer = WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml";

/// A ring of the first five NPUs.
std::shared_ptr<CollectiveProgram> ring_of_five(CollectiveType type = CollectiveType::all_reduce) {
  CollectiveRequest request;
  request.type = type;
  for (std::uint32_t npu = 0; npu < 5; ++npu) request.group.push_back(static_cast<NpuId>(npu));
  request.bytes = 1 << 20;
  request.algorithm = "ring";
  return std::const_pointer_cast<CollectiveProgram>(
      plan_collective(request, platform_traits(config::load_platform(kWafer, {}))));
}

TEST(RunProgram, TakesAsLongAsTheSameCollective) {
  const auto tool = test::run_tool(std::string("collective ") + kWafer +
                                   " --type all_reduce --size 1MiB --npus 0-4 --algorithm ring --json");
  ASSERT_EQ(tool.exit_code, 0) << tool.error;
  const auto row = nlohmann::json::parse(tool.out)["rows"][0];
  const ProgramResult result = run_program(kWafer, {"run.functional=true"}, ring_of_five());
  EXPECT_EQ(result.time_ps, row["time_ps"]);
  EXPECT_EQ(result.packet_hops, row["packet_hops"]);
  EXPECT_EQ(result.busiest_link_payload_bytes, row["busiest_link_payload_bytes"]);
  EXPECT_TRUE(result.proven);
}

TEST(RunProgram, ProvesNothingWithoutValues) { EXPECT_FALSE(run_program(kWafer, {}, ring_of_five()).proven); }

TEST(RunProgram, RefusesAnNpuThatThereIsNot) {
  const auto program = ring_of_five();
  program->group.back() = static_cast<NpuId>(20);
  try {
    run_program(kWafer, {}, program);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "the program ring is for NPU 20, and the platform has NPUs 0 to 19");
  }
}

TEST(RunProgram, RefusesARankWithoutSteps) {
  const auto program = ring_of_five();
  program->ranks.pop_back();
  EXPECT_THROW(run_program(kWafer, {}, program), std::invalid_argument);
}

TEST(RunProgram, NamesWrongValues) {
  const auto program = ring_of_five(CollectiveType::reduce_scatter);
  program->type = CollectiveType::all_reduce;  // it would be half of one
  try {
    run_program(kWafer, {"run.functional=true"}, program);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("wrong value: "), std::string::npos) << error.what();
  }
}

TEST(RunProgram, RefusesAClassThatThereIsNot) {
  EXPECT_THROW(run_program(kWafer, {}, ring_of_five(), "no_such"), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
