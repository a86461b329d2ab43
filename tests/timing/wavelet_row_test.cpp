// SPDX-License-Identifier: Apache-2.0
// Reductions along a row, wavelet by wavelet, against the closed forms of Luczynski et al., "Near-Optimal
// Wafer-Scale Reduce" (HPDC 2024). What differs: tests/README.md.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "platform/host/child.h"
#include "platform/machine/machine.h"
#include "platform/spec/load.h"
#include "tests/support/program_run.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {
namespace {

constexpr TimePs kCyclePs = 1000;
constexpr std::uint32_t kWaveletBytes = 4;

/// Rank P - 1 sends its wavelets to P - 2, which adds its own and sends them on, … to rank 0.
class ChainReduce : public StepSource {
 public:
  ChainReduce(std::uint32_t ranks, std::uint32_t wavelets, std::uint32_t rank)
      : ranks_(ranks), wavelets_(wavelets), rank_(rank) {}
  std::uint32_t threadblocks() const override { return 2; }
  std::uint32_t steps(std::uint32_t threadblock) const override {
    const bool idle = threadblock == 0 ? rank_ + 1 == ranks_ : rank_ == 0;
    return idle ? 0 : wavelets_;
  }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override {
    Step step;
    step.offset = std::uint64_t{index} * kWaveletBytes;
    step.bytes = kWaveletBytes;
    step.tag = index;
    step.kind = threadblock == 0 ? Step::Kind::reduce : Step::Kind::send;
    step.peer = threadblock == 0 ? rank_ + 1 : rank_ - 1;
    if (threadblock == 1 && rank_ + 1 < ranks_) {
      step.after_threadblock = 0;
      step.after_count = index + 1;
    }
    return step;
  }

 private:
  std::uint32_t ranks_, wavelets_, rank_;
};

/// All ranks send all their wavelets to rank 0.
class StarReduce : public StepSource {
 public:
  StarReduce(std::uint32_t ranks, std::uint32_t wavelets, std::uint32_t rank)
      : ranks_(ranks), wavelets_(wavelets), rank_(rank) {}
  std::uint32_t threadblocks() const override { return rank_ == 0 ? ranks_ - 1 : 1; }
  std::uint32_t steps(std::uint32_t) const override { return wavelets_; }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override {
    Step step;
    step.kind = rank_ == 0 ? Step::Kind::reduce : Step::Kind::send;
    step.peer = rank_ == 0 ? threadblock + 1 : 0;
    step.offset = std::uint64_t{index} * kWaveletBytes;
    step.bytes = kWaveletBytes;
    step.tag = index;
    return step;
  }

 private:
  std::uint32_t ranks_, wavelets_, rank_;
};

struct Row {
  std::uint32_t ranks, wavelets;
  TimePs ramp;  // T_R, in cycles
};

std::uint32_t value(std::uint32_t rank, std::uint32_t wavelet) { return (rank + 1) * 7919 + wavelet * 31; }

/// Cycles until rank 0 has added everything, whose sums are checked.
template <typename Source>
TimePs cycles(const Row& row) {
  const nlohmann::json result = run_in_child([&]() -> nlohmann::json {
    const std::string ramp = std::to_string(row.ramp) + "ns";
    const config::PlatformSpec spec = config::load_platform(
        std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wavelet_row.yaml",
        {"wafer.width=" + std::to_string(row.ranks), "wafer.fabric.injection_latency=" + ramp,
         "wafer.fabric.ejection_latency=" + ramp, "run.checkers=true"});
    Machine machine(spec);
    auto program = std::make_shared<CollectiveProgram>();
    program->bytes = program->buffer_bytes = std::uint64_t{row.wavelets} * kWaveletBytes;
    std::vector<std::vector<std::byte>> buffers(row.ranks);
    for (std::uint32_t rank = 0; rank < row.ranks; ++rank) {
      program->group.push_back(static_cast<NpuId>(rank));
      program->ranks.push_back(std::make_unique<Source>(row.ranks, row.wavelets, rank));
      buffers[rank].resize(program->bytes);
      for (std::uint32_t w = 0; w < row.wavelets; ++w) {
        const std::uint32_t own = value(rank, w);
        std::memcpy(&buffers[rank][std::size_t{w} * kWaveletBytes], &own, kWaveletBytes);
      }
    }
    const test::ProgramResult after = test::run_program(machine, program, "data", std::move(buffers));
    for (std::uint32_t w = 0; w < row.wavelets; ++w) {
      std::uint32_t sum = 0, found = 0;
      for (std::uint32_t rank = 0; rank < row.ranks; ++rank) sum += value(rank, w);
      std::memcpy(&found, &after.buffers[0][std::size_t{w} * kWaveletBytes], kWaveletBytes);
      if (found != sum) throw std::runtime_error("wrong sum of wavelet " + std::to_string(w));
    }
    if (after.time_ps % kCyclePs != 0) throw std::runtime_error("not a whole number of cycles");
    return after.time_ps / kCyclePs;
  });
  return result.get<TimePs>();
}

const Row kRows[] = {{2, 1, 2},  {2, 64, 2}, {4, 1, 2},  {4, 16, 0}, {4, 16, 1}, {4, 16, 2},
                     {4, 16, 7}, {8, 5, 2},  {8, 64, 2}, {16, 1, 1}, {16, 32, 2}};

// The published form counts a cycle more than ours: B + (2 T_R + 2)(P - 1) - 1. A hop ends with the wavelet's
// tail, which is its cycle; of the B wavelets the first one's cycle at the last hop is counted in both terms.
TEST(WaveletRow, ChainReduce) {
  for (const Row& row : kRows) {
    const TimePs published = row.wavelets + (2 * row.ramp + 2) * (row.ranks - 1);
    const TimePs ours = cycles<ChainReduce>(row);
    std::printf("chain, P %2u, B %3u, T_R %lu: %4lu cycles, published %4lu\n", row.ranks, row.wavelets,
                row.ramp, ours, published);
    EXPECT_EQ(ours, published - 1);
  }
}

TEST(WaveletRow, StarReduce) {
  for (const Row& row : kRows) {
    const TimePs published = std::uint64_t{row.wavelets} * (row.ranks - 1) + 2 * row.ramp + 1;
    const TimePs ours = cycles<StarReduce>(row);
    std::printf("star,  P %2u, B %3u, T_R %lu: %4lu cycles, published %4lu\n", row.ranks, row.wavelets,
                row.ramp, ours, published);
    EXPECT_EQ(ours, published);
  }
}

/// Of an all-reduce in the ring that goes along the row and back in one message.
TimePs ring_ps(const Row& row, const std::string& platform) {
  const nlohmann::json result = run_in_child([&]() -> nlohmann::json {
    const std::string ramp = std::to_string(row.ramp) + "ns";
    const config::PlatformSpec spec = config::load_platform(
        std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/" + platform + ".yaml",
        {"wafer.width=" + std::to_string(row.ranks), "wafer.fabric.injection_latency=" + ramp,
         "wafer.fabric.ejection_latency=" + ramp, "run.checkers=true"});
    Machine machine(spec);
    CollectiveRequest request;
    request.type = CollectiveType::all_reduce;
    request.algorithm = "ring";
    request.bytes = std::uint64_t{row.wavelets} * kWaveletBytes;
    for (std::uint32_t k = 0; k < row.ranks; ++k) request.group.push_back(static_cast<NpuId>(k));
    const auto program = plan_collective(request, machine.traits());
    std::vector<std::vector<std::byte>> buffers(row.ranks, std::vector<std::byte>(request.bytes));
    return test::run_program(machine, program, "data", std::move(buffers)).time_ps;
  });
  return result.get<TimePs>();
}

// The published ring on a row: 2 (P - 1) B / P + 4 P - 6 + 2 (P - 1) (2 T_R + 1): blocks, hops, and what each
// step costs beyond. Twice round are 4 (P - 1) hops, less two of the 2 P steps.
TEST(WaveletRow, RingAllReduceIsThePublishedFormula) {
  for (const Row& row :
       {Row{4, 4, 2}, Row{4, 64, 0}, Row{8, 8, 2}, Row{8, 64, 1}, Row{8, 256, 7}, Row{16, 32, 2}}) {
    const TimePs p = row.ranks;
    const TimePs published = 2 * (p - 1) * row.wavelets / p + 4 * p - 6 + 2 * (p - 1) * (2 * row.ramp + 1);
    const TimePs ours = ring_ps(row, "wavelet_row_ring"), free = ring_ps(row, "wavelet_row");
    std::printf("ring,  P %2u, B %3u, T_R %lu: %.3f cycles, published %4lu\n", row.ranks, row.wavelets,
                row.ramp, static_cast<double>(ours) / kCyclePs, published);
    EXPECT_EQ(ours, published * kCyclePs);
    EXPECT_EQ(ours - free, 2 * (p - 1) * kCyclePs);  // a cycle for each message that is received in a row
  }
}

}  // namespace
}  // namespace wafertlm
