// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "workloads/models/transformer.h"

namespace wafertlm::training {
namespace {

model::TransformerSpec transformer() {
  model::TransformerSpec spec;
  spec.name = "GPT";
  spec.layers = 4;
  spec.hidden = 1024;
  spec.heads = 16;
  spec.sequence = 512;
  spec.vocabulary = 1024;
  return spec;
}

Strategy eight_microbatches(std::uint32_t mp, std::uint32_t dp, std::uint32_t pp) {
  Strategy s;
  s.degrees.mp = mp;
  s.degrees.dp = dp;
  s.degrees.pp = pp;
  s.minibatch = std::uint64_t{8} * dp;
  s.microbatches = 8;
  s.effective_rate = 1;
  return s;
}

// Rajbhandari et al. 2020: 2 + 2 + 12 bytes per parameter with Adam; ZeRO divides them one after the other.
TEST(Memory, ZeroDividesOptimizerGradientsParameters) {
  const model::Model model = model::transformer(transformer());
  const std::uint64_t p = model::parameters(model);
  for (std::uint32_t zero = 0; zero <= 3; ++zero) {
    Strategy s = eight_microbatches(1, 4, 1);
    s.zero_stage = zero;
    const Plan plan(model, s);
    const MemoryNeed need = memory_need(plan, 0);
    EXPECT_NEAR(static_cast<double>(need.optimizer), static_cast<double>(12 * p / (zero >= 1 ? 4 : 1)), 20);
    EXPECT_NEAR(static_cast<double>(need.gradients), static_cast<double>(2 * p / (zero >= 2 ? 4 : 1)), 20);
    EXPECT_NEAR(static_cast<double>(need.parameters), static_cast<double>(2 * p / (zero >= 3 ? 4 : 1)), 20);
    EXPECT_EQ(need.gathered, zero == 3 ? 2 * p : 0);
  }
}

/// Bytes that the blocks keep of a microbatch of one sample; the embedding's mask and the head apart.
std::uint64_t of_blocks(const Strategy& s) {
  const Plan plan(model::transformer(transformer()), s);
  const std::uint64_t s_h = 512 * 1024, shared = s.sequence_parallel ? s.degrees.mp : 1;
  const std::uint64_t mask = s_h / shared, head = 2 * 2 * 512 * 1024 / s.degrees.mp + 2 * 2 * s_h / shared;
  return memory_need(plan, 0).activations - mask - head;
}

// Korthikanti et al. 2022, table 2, per layer: sbh(34 + 5as/h); tensor parallel sbh(10 + 24/t + 5as/(ht));
// with sequence parallelism all of it divided by t; selective recomputation sbh·34/t; full 2sbh.
TEST(Memory, Activations) {
  const std::uint64_t sbh = 512 * 1024, scores = 5 * std::uint64_t{16} * 512 * 512, layers = 4, t = 4;
  Strategy s = eight_microbatches(1, 1, 1);
  s.minibatch = s.microbatches = 1;
  EXPECT_EQ(of_blocks(s), layers * (34 * sbh + scores));
  s.recompute = model::Recompute::selective;
  EXPECT_EQ(of_blocks(s), layers * 34 * sbh);
  s.recompute = model::Recompute::full;
  EXPECT_EQ(of_blocks(s), layers * 2 * sbh + 34 * sbh + scores);  // and the block that is recomputed

  s = eight_microbatches(t, 1, 1);
  s.minibatch = s.microbatches = 1;
  s.split_vocabulary = true;
  EXPECT_EQ(of_blocks(s), layers * (10 * sbh + 24 * sbh / t + scores / t));
  s.sequence_parallel = true;
  EXPECT_EQ(of_blocks(s), layers * (34 * sbh + scores) / t);
}

// 1F1B: stage j keeps p − j microbatches, GPipe all.
TEST(Memory, ActivationsFollowTheSchedule) {
  Strategy s = eight_microbatches(1, 1, 4);
  const Plan plan(model::transformer(transformer()), s);
  const std::uint64_t layer = 34 * 512 * 1024 + 5 * std::uint64_t{16} * 512 * 512;
  EXPECT_EQ(memory_need(plan, 1).activations, 3 * layer);
  EXPECT_EQ(memory_need(plan, 2).activations, 2 * layer);
  s.schedule = Schedule::gpipe;
  const Plan gpipe(model::transformer(transformer()), s);
  EXPECT_EQ(memory_need(gpipe, 1).activations, 8 * layer);
}

// A chunk that is there twice needs no second buffer: as many as there are chunks, at most.
TEST(Memory, BuffersOfStreamsAreNoMoreThanChunks) {
  const model::Model model = model::transformer(transformer());
  const std::uint64_t p = model::parameters(model);
  for (const std::uint32_t chunks : {1U, 2U, 4U})
    for (const std::uint32_t buffers : {2U, 3U, 4U}) {
      Strategy s = eight_microbatches(1, 2, 1);
      s.schedule = Schedule::resident_loop;
      s.weights = Weights::streamed;
      s.chunks_per_stage = chunks;
      s.weight_buffers = buffers;
      // The largest chunk: of the blocks its part, and the embedding (V + s)h or, of all, 2h behind them.
      const std::uint64_t first = (1024 + 512) * 1024, last = 2 * 1024, blocks = p - first - last;
      const std::uint64_t largest = 2 * (blocks / chunks + first + (chunks == 1 ? last : 0));
      const MemoryNeed need = memory_need(Plan(model, s), 1);
      EXPECT_EQ(need.streaming, 2 * std::min(buffers, chunks) * largest) << "weights, and gradients";
      EXPECT_EQ(need.parameters + need.gradients + need.optimizer + need.gathered, 0U);
    }
}

// Samples come in on the first stage, with overlap one microbatch ahead.
TEST(Memory, SamplesThatComeIn) {
  Strategy s = eight_microbatches(1, 1, 2);
  s.minibatch = 24;
  s.input = Input::streamed;
  for (const bool overlap : {false, true}) {
    s.overlap_input = overlap;
    const Plan plan(model::transformer(transformer()), s);
    EXPECT_EQ(memory_need(plan, 0).streaming, (overlap ? 2U : 1U) * 3 * 4 * 512);
    EXPECT_EQ(memory_need(plan, 1).streaming, 0U);
  }
}

// Interleaved (Narayanan et al. 2021): before its first backward pass stage j of p does 2(p - j - 1) + (v -
// 1)p passes of v chunks, and one more.
TEST(Memory, ActivationsOfTheInterleavedSchedule) {
  model::TransformerSpec spec = transformer();
  spec.layers = 8;
  Strategy s = eight_microbatches(1, 1, 4);
  s.schedule = Schedule::interleaved;
  s.chunks_per_stage = 2;
  const Plan plan(model::transformer(spec), s);
  const std::uint64_t layer = 34 * 512 * 1024 + 5 * std::uint64_t{16} * 512 * 512;
  EXPECT_EQ(memory_need(plan, 1).activations, (2 * 2 + 4 + 1) * layer);
  EXPECT_EQ(memory_need(plan, 2).activations, (2 * 1 + 4 + 1) * layer);
}

}  // namespace
}  // namespace wafertlm::training
