// SPDX-License-Identifier: Apache-2.0
// Somebody else's plain TLM-2.0 memory in place of the HBM of every NPU of a wafer and of its remote memory,
// in four styles of the base protocol: collectives, loads and stores go through it, with checkers on every
// socket.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "platform/machine/collective_run.h"
#include "platform/machine/machine.h"
#include "platform/spec/load.h"
#include "tests/support/at_memory.h"
#include "tests/support/program_run.h"
#include "tlm/checking/checking.h"
#include "tlm/operation/operation_port.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kNpus = 20, kVectorElements = 20 * 64;

config::PlatformSpec proving_platform(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.end(), {"run.checkers=true", "run.functional=true", "npu.endpoint.memory=hbm"});
  return config::load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml", overrides);
}

/// A ring of all NPUs, each with the values npu + 1, npu + 2, ...; returns how long it took.
TimePs prove_ring(Machine& machine) {
  Group group;
  std::vector<std::vector<std::byte>> values;
  for (std::uint32_t npu = 0; npu < kNpus; ++npu) {
    group.push_back(static_cast<NpuId>(npu));
    std::vector<std::int32_t> of(kVectorElements);
    for (std::uint32_t i = 0; i < kVectorElements; ++i) of[i] = static_cast<std::int32_t>(npu + 1 + i);
    const auto* const bytes = reinterpret_cast<const std::byte*>(of.data());
    values.emplace_back(bytes, bytes + of.size() * sizeof of[0]);
  }
  const auto program =
      plan_collective({CollectiveType::all_reduce, group, kVectorElements * sizeof(std::int32_t), "ring", 1},
                      machine.traits());
  const test::ProgramResult result = test::run_program(machine, program, "dp", std::move(values));
  for (const std::vector<std::byte>& buffer : result.buffers)
    for (std::uint32_t i = 0; i < kVectorElements; ++i) {
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
  Machine machine(proving_platform(), false, [&](NpuId npu, MemoryInitiatorSocket& socket) {
    connect(socket, memories[index_of(npu)].socket);
  });
  return prove_ring(machine);
}

// 40 ns for every access, and one at a time: without END_REQ the response is what ends the request (IEEE
// 1666-2011, 15.2.6.3). So 19 steps read, send, read twice and write, 19 read, send and write, over 20 ns
// of latency and 256 B at 750 GB/s (collectives.md).
constexpr TimePs kAccess = 40'000, kStep = 20'000 + 342;
constexpr TimePs kClosed = 19 * (4 * kAccess + kStep) + 19 * (2 * kAccess + kStep);

TEST(ThirdPartyHbm, EarlyCompletion) { EXPECT_EQ(ring_through<third_party::EarlyCompletion>(), kClosed); }
TEST(ThirdPartyHbm, BeginRespWithoutEndReq) {
  EXPECT_EQ(ring_through<third_party::SkippedEndReq>(), kClosed);
}
TEST(ThirdPartyHbm, BeginRespAsTheAnswer) { EXPECT_EQ(ring_through<third_party::ResponseFirst>(), kClosed); }
TEST(ThirdPartyHbm, AllFourPhasesAtRandomTimes) { EXPECT_GT(ring_through<third_party::FourPhases>(7U), 0U); }

/// A whole wafer with somebody else's memories in place of the HBMs and of the pool: one for each NPU or,
/// with engines, for each of two providers.
template <typename Memory, typename... Args>
std::vector<TimePs> loads_and_stores(bool engines, const std::vector<std::pair<NpuId, Operation>>& operations,
                                     Args... arguments) {
  std::vector<std::string> keys = {"remote_memory.kind=shared", "remote_memory.capacity=1280KiB",
                                   "remote_memory.bandwidth=100GB/s", "remote_memory.request_bytes=4KiB"};
  if (engines) keys.push_back("remote_memory.engine.providers=2");
  std::deque<Memory> locals, pools;
  for (std::uint32_t n = 0; n < kNpus; ++n) {
    locals.emplace_back(("memory_of_" + std::to_string(n)).c_str(), arguments...);
    if (!engines || n < 2) pools.emplace_back(("pool_of_" + std::to_string(n)).c_str(), arguments...);
  }
  Machine machine(
      proving_platform(keys), false,
      [&](NpuId npu, MemoryInitiatorSocket& socket) { connect(socket, locals[index_of(npu)].socket); },
      [&](std::uint32_t number, MemoryInitiatorSocket& socket) { connect(socket, pools[number].socket); });
  return test::run_operations(machine, operations);
}

Operation memory_operation(Operation::Kind kind, std::uint64_t bytes) {
  Operation operation;
  operation.kind = kind;
  operation.bytes = bytes;
  return operation;
}

/// Every NPU loads ten chunks, each in 40 ns, one after the other; the last one is then written locally.
template <typename Memory>
void in_place_of_the_pool() {
  std::vector<std::pair<NpuId, Operation>> operations;
  for (std::uint32_t n = 0; n < kNpus; ++n)
    operations.emplace_back(static_cast<NpuId>(n),
                            memory_operation(Operation::Kind::memory_load, std::uint64_t{10} * 4096));
  for (const TimePs end : loads_and_stores<Memory>(false, operations)) EXPECT_EQ(end, 11 * kAccess);
}
TEST(ThirdPartyPool, EarlyCompletion) { in_place_of_the_pool<third_party::EarlyCompletion>(); }
TEST(ThirdPartyPool, BeginRespWithoutEndReq) { in_place_of_the_pool<third_party::SkippedEndReq>(); }
TEST(ThirdPartyPool, BeginRespAsTheAnswer) { in_place_of_the_pool<third_party::ResponseFirst>(); }

/// One page through the engines, as their defaults have it: validate 40 ns each, a link of 12.5 GB/s and a
/// hop of 500 ns, MAC and cipher 1024 + 160 ns each, DMA 400 + 128 ns; the memory has the page and its tag
/// one after the other, and the local one the page.
template <typename Memory>
void behind_engines() {
  constexpr TimePs kPage =
      40'000 + 505'120 + 40'000 + 2 * kAccess + 835'360 + 2 * 1'184'000 + 528'000 + kAccess;
  EXPECT_EQ(
      loads_and_stores<Memory>(true, {{NpuId{7}, memory_operation(Operation::Kind::memory_load, 4096)}}),
      std::vector<TimePs>{kPage});
}
TEST(ThirdPartyPool, BehindEnginesEarlyCompletion) { behind_engines<third_party::EarlyCompletion>(); }
TEST(ThirdPartyPool, BehindEnginesBeginRespWithoutEndReq) { behind_engines<third_party::SkippedEndReq>(); }
TEST(ThirdPartyPool, BehindEnginesBeginRespAsTheAnswer) { behind_engines<third_party::ResponseFirst>(); }

class ThirdPartyFourPhases : public ::testing::TestWithParam<bool> {};
TEST_P(ThirdPartyFourPhases, LoadsAndStoresOfAllNpus) {
  std::vector<std::pair<NpuId, Operation>> operations;
  for (std::uint32_t n = 0; n < kNpus; ++n)
    for (const auto kind : {Operation::Kind::memory_load, Operation::Kind::memory_store})
      operations.emplace_back(static_cast<NpuId>(n), memory_operation(kind, 60'000));
  const auto ends = loads_and_stores<third_party::FourPhases>(GetParam(), operations, 7U);
  EXPECT_EQ(ends.size(), 40U);
  for (const TimePs end : ends) EXPECT_GT(end, 0U);
}
INSTANTIATE_TEST_SUITE_P(Engines, ThirdPartyFourPhases, ::testing::Bool());

}  // namespace
}  // namespace wafertlm
