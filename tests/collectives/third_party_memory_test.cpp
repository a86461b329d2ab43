// SPDX-License-Identifier: Apache-2.0
// Somebody else's plain TLM-2.0 memory in place of the HBM of every NPU of a wafer, in four styles of the
// base protocol: collectives read, reduce and write through it, with checkers on every socket.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "platform/collective/collective_run.h"
#include "platform/config/load.h"
#include "tests/support/at_memory.h"
#include "tests/support/program_run.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kNpus = 20, kElements = 20 * 64;

config::PlatformSpec platform(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.end(), {"run.checkers=true", "run.functional=true", "npu.endpoint.memory=hbm"});
  return config::load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml", overrides);
}

/// A ring of all NPUs, each with the values npu + 1, npu + 2, ...; returns how long it took.
TimePs prove_ring(Machine& machine) {
  Group group;
  std::vector<std::vector<std::byte>> values;
  for (std::uint32_t npu = 0; npu < kNpus; ++npu) {
    group.push_back(static_cast<NpuId>(npu));
    std::vector<std::int32_t> of(kElements);
    for (std::uint32_t i = 0; i < kElements; ++i) of[i] = static_cast<std::int32_t>(npu + 1 + i);
    const auto* const bytes = reinterpret_cast<const std::byte*>(of.data());
    values.emplace_back(bytes, bytes + of.size() * sizeof of[0]);
  }
  const auto program = plan_collective(
      {CollectiveType::all_reduce, group, kElements * sizeof(std::int32_t), "ring", 1}, machine.traits());
  const test::ProgramResult result = test::run_program(machine, program, "dp", std::move(values));
  for (const std::vector<std::byte>& buffer : result.buffers)
    for (std::uint32_t i = 0; i < kElements; ++i) {
      std::int32_t sum = 0;
      std::memcpy(&sum, buffer.data() + i * sizeof sum, sizeof sum);
      // 1 + 2 + ... + 20, and i from each.
      EXPECT_EQ(sum, static_cast<std::int32_t>(210 + kNpus * i));
    }
  machine.require_rest();
  return result.time_ps;
}

template <typename Memory, typename... Args>
TimePs ring_through(Args... arguments) {
  std::deque<Memory> memories;
  for (std::uint32_t npu = 0; npu < kNpus; ++npu)
    memories.emplace_back(("memory_of_" + std::to_string(npu)).c_str(), arguments...);
  Machine machine(platform(), false, [&](NpuId npu, MemoryInitiatorSocket& socket) {
    connect(socket, memories[index_of(npu)].socket);
  });
  return prove_ring(machine);
}

// 40 ns for every access, and one at a time: without END_REQ the response is what ends the request (IEEE
// 1666-2011, 15.2.6.3). So 19 steps read, send, read twice and write, 19 read, send and write, over 20 ns of
// latency and 256 B at 750 GB/s (collectives.md).
constexpr TimePs kAccess = 40'000, kStep = 20'000 + 342;
constexpr TimePs kClosed = 19 * (4 * kAccess + kStep) + 19 * (2 * kAccess + kStep);

TEST(ThirdPartyHbm, EarlyCompletion) { EXPECT_EQ(ring_through<third_party::EarlyCompletion>(), kClosed); }
TEST(ThirdPartyHbm, BeginRespWithoutEndReq) {
  EXPECT_EQ(ring_through<third_party::SkippedEndReq>(), kClosed);
}
TEST(ThirdPartyHbm, BeginRespAsTheAnswer) { EXPECT_EQ(ring_through<third_party::ResponseFirst>(), kClosed); }
TEST(ThirdPartyHbm, AllFourPhasesAtRandomTimes) { EXPECT_GT(ring_through<third_party::FourPhases>(7U), 0U); }

}  // namespace
}  // namespace wafertlm
