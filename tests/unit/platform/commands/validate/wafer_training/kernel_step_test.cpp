// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/wafer_training/kernel_step.h"

#include "tests/support/measured_row.h"

#include <gtest/gtest.h>

namespace wafertlm::validate::wafers {
namespace {

StreamedStep step_of(const char* system, const char* size, const char* ranks = "1") {
  return streamed_step_of(
      test::measured_row(system, ranks, "training step, weight streaming", size, "s/step"));
}

void expect_within_15_percent(const StreamedStep& step, double measured_s, double waits_s = 0) {
  const auto said = kernel_step_s(step, {0, {{"weights", waits_s}}});
  ASSERT_TRUE(said);
  EXPECT_NEAR(*said, measured_s, 0.15 * measured_s);
}

// Rows hw298, hw304, hw310, hw312; no row calibrates these kernels' share of the peak.
TEST(KernelStep, IsNearMeasuredStepsWithoutACalibratedRate) {
  constexpr const char* kLlama = "Llama-2-7B (L32 h4096 heads32 ffn11008 vocab32000), seq 2048, batch ";
  expect_within_15_percent(step_of("Cerebras CS-3", (std::string(kLlama) + "128").c_str()), 3.9457);
  expect_within_15_percent(step_of("Cerebras CS-3", (std::string(kLlama) + "1024").c_str()), 30.974);
  constexpr const char* kGptJ = "GPT-J-6B (L28 h4096 heads16 ffn16384 vocab50257), seq 2048, batch ";
  expect_within_15_percent(step_of("Cerebras CS-3", (std::string(kGptJ) + "120").c_str()), 2.6816);
  expect_within_15_percent(step_of("Cerebras CS-2", (std::string(kGptJ) + "64").c_str(), "2"), 1.3841,
                           0.105);  // four microbatches of 8
}

TEST(KernelStep, WaitsForWeightsAreAdded) {
  const StreamedStep step = step_of("Cerebras CS-3", "GPT-J-6B, seq 2048, batch 120");
  EXPECT_NEAR(*kernel_step_s(step, {0, {{"weights", 0.5}, {"compute", 7}}}), *kernel_step_s(step, {}) + 0.5,
              1e-9);
}

TEST(KernelStep, AChangedPlatformHasNone) {
  StreamedStep step = step_of("Cerebras CS-3", "GPT-J-6B, seq 2048, batch 120");
  step.changes.push_back("npu.peak=1 TFLOPS");
  EXPECT_FALSE(kernel_step_s(step, {}));
}

}  // namespace
}  // namespace wafertlm::validate::wafers
