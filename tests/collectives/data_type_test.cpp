// SPDX-License-Identifier: Apache-2.0
// BF16 values through packets: every addition is rounded, in the order in which the ring adds.
#include <gtest/gtest.h>

#include <cstring>

#include "platform/machine/machine.h"
#include "platform/spec/load.h"
#include "tests/support/program_run.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kRanks = 5, kElements = 5 * 3000;

std::uint16_t value(std::uint32_t rank, std::uint32_t element) {
  return bf16_from_float(static_cast<float>(1 + (rank * 7919 + element * 104'729) % 1000) / 7);
}

std::uint16_t read(const std::vector<std::byte>& buffer, std::uint32_t element) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, &buffer[std::size_t{element} * 2], 2);
  return bits;
}

TEST(DataTypes, BF16IsRoundedAtEveryHopOfTheRing) {
  const config::PlatformSpec spec =
      config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml",
                            {"run.checkers=true", "run.functional=true", "run.data_type=bf16"});
  ASSERT_EQ(spec.run.data_type, DataType::bf16);
  Machine machine(spec);
  CollectiveRequest request{CollectiveType::all_reduce,
                            {NpuId{0}, NpuId{1}, NpuId{2}, NpuId{3}, NpuId{4}},
                            kElements * 2,
                            "ring",
                            1};
  request.data_type = spec.run.data_type;
  const auto program = plan_collective(request, machine.traits());
  ASSERT_EQ(program->data_type, DataType::bf16);
  std::vector<std::vector<std::byte>> buffers(kRanks, std::vector<std::byte>(kElements * 2));
  for (std::uint32_t rank = 0; rank < kRanks; ++rank)
    for (std::uint32_t e = 0; e < kElements; ++e) {
      const std::uint16_t bits = value(rank, e);
      std::memcpy(&buffers[rank][std::size_t{e} * 2], &bits, 2);
    }
  const auto after = test::run_program(machine, program, "dp", buffers).buffers;

  std::uint32_t depend_on_order = 0;
  for (std::uint32_t e = 0; e < kElements; ++e) {
    // The sum of block b starts at rank b + 1 and ends at rank b.
    const std::uint32_t block = e / (kElements / kRanks);
    std::uint16_t sum = value((block + 1) % kRanks, e), other = value(0, e);
    for (std::uint32_t k = 2; k <= kRanks; ++k)
      sum = bf16_from_float(bf16_to_float(sum) + bf16_to_float(value((block + k) % kRanks, e)));
    for (std::uint32_t rank = 1; rank < kRanks; ++rank)
      other = bf16_from_float(bf16_to_float(other) + bf16_to_float(value(rank, e)));
    if (sum != other) ++depend_on_order;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank)
      ASSERT_EQ(read(after[rank], e), sum) << "rank " << rank << ", element " << e;
  }
  EXPECT_GT(depend_on_order, kElements / 10);
}

}  // namespace
}  // namespace wafertlm
