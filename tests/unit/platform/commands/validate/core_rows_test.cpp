// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "platform/commands/model/cores/grid_runs.h"
#include "platform/commands/validate/cores/core_wafers.h"
#include "platform/commands/validate/row_kind.h"
#include "tests/support/measured_row.h"
#include "tests/support/refusal.h"

namespace wafertlm::validate {
namespace {

ValidationRow on_cores(const std::string& operation, const std::string& ranks, const std::string& size,
                       const std::string& unit = "tokens/s") {
  return test::measured_row("Cerebras WSE-2", ranks, operation, size, unit);
}

double simulated(const ValidationRow& row) { return kind_of(row)->answer(row).simulated; }

// WaferLLM (He et al., OSDI 2025), tables 2, 3, 4 and 6.
TEST(CoreRows, AreNearWhatWasMeasured) {
  const auto near = [](double measured, double simulated, double within) {
    EXPECT_LT(std::abs(simulated / measured - 1), within) << measured;
  };
  near(25037.2, simulated(on_cores("prefill, 1 request", "600x600", "LLaMA3-8B, 4096 tokens")), 0.02);
  near(17498.3, simulated(on_cores("prefill, 1 request", "720x720", "LLaMA2-13B, 4096 tokens")), 0.1);
  near(2243.3, simulated(on_cores("decode, 1 request", "660x660", "LLaMA3-8B, 4096 context")), 0.1);
  near(824.3, simulated(on_cores("decode, 1 request", "540x540", "QWen2-72B*, 4096 context")), 0.1);
  near(414,
       simulated(
           on_cores("end-to-end, in/out tokens 4096/128", "750x750 prefill, 375x375 decode", "LLaMA2-13B")),
       0.1);
  near(1.2, simulated(on_cores("GEMV", "up to 750x994", "[1,16384]x[16384,16384]", "us")), 0.2);
}

TEST(CoreRows, ATokenSeesThePromptAndInTheMeanHalfOfWhatComesOut) {
  const config::CoresSpec wafer = cores_of(on_cores("decode", "40x40", "LLaMA3-8B"));
  const cores::DecoderShape shape{32, 4096, 14'336};
  const auto pass_s = [&](core_runs::DecoderPass pass, std::uint64_t tokens, std::uint32_t side) {
    return core_runs::decoder_time(pass, shape, tokens, wafer, side, side).seconds;
  };
  const double time = pass_s(core_runs::DecoderPass::prefill, 1000, 240) +
                      3000 * pass_s(core_runs::DecoderPass::decode, 2500, 300);
  EXPECT_NEAR(simulated(on_cores("end-to-end, in/out tokens 1000/3000", "240x240 prefill, 300x300 decode",
                                 "LLaMA3-8B")),
              3000 / time, 1e-6);
}

TEST(CoreRows, AreTakenByTheirWords) {
  EXPECT_STREQ(kind_of(on_cores("decode", "420x420", "LLaMA3-8B"))->name, "decoder on cores");
  EXPECT_STREQ(kind_of(on_cores("GEMM", "420x420", "m=n=k=4096", "us"))->name, "product on cores");
  EXPECT_EQ(kind_of(on_cores("decode", "420x420", "LLaMA3-8B"))->group(on_cores("decode", "1", "")),
            "WSE-2 decode");
  ValidationRow other = on_cores("decode", "420x420", "LLaMA3-8B");
  other.system = "Cerebras CS-2 (WSE-2)";
  EXPECT_EQ(wafer_of(other), "WSE-2");
  other.system = "Tesla Dojo";
  EXPECT_FALSE(wafer_of(other));
}

TEST(CoreRows, WhatCannotBeSaidHasItsReason) {
  const auto reason = [](const ValidationRow& row) {
    return test::refusal_of<CannotSay>([&] { simulated(row); });
  };
  EXPECT_EQ(reason(on_cores("decode, 1 request", "a wafer", "LLaMA3-8B")),
            "'a wafer' tells no rectangle of cores");
  EXPECT_EQ(reason(on_cores("end-to-end", "9x9 prefill, 9x9 decode", "LLaMA3-8B")),
            "the operation tells no tokens in and out: 4096/128");
  EXPECT_EQ(reason(on_cores("decode", "9x9", "Mixtral 8x7B")),
            "mixtures of experts have no kernels on cores here");
  EXPECT_EQ(reason(on_cores("GEMV", "up to 30x30", "[1,16384]x[16384,16384]", "us")),
            "the matrix does not fit into the cores' memories");
  ValidationRow service = on_cores("decode, 1 stream", "wafers in pipeline", "Llama-3.1-8B");
  service.system = "Cerebras inference (CS-3)";
  EXPECT_NE(reason(service), "");
}

TEST(CoreRows, AWrongUnitIsAnErrorWithItsPlace) {
  const ValidationRow row = on_cores("decode", "420x420", "LLaMA3-8B", "GB/s");
  EXPECT_EQ(test::refusal_of([&] { kind_of(row)->check(row); }),
            bad_row(row, "unit: 'GB/s' is none of a decoder's pass; tokens/s, ms are").what());
}

}  // namespace
}  // namespace wafertlm::validate
