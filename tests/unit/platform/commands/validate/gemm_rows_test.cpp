// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "platform/commands/validate/gemm/gemm_row.h"
#include "platform/commands/validate/gemm/pcie.h"
#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/systems.h"
#include "tests/support/measured_row.h"
#include "tests/support/refusal.h"

namespace wafertlm::validate {
namespace {

ValidationRow gemm(const std::string& system, const std::string& operation, const std::string& size,
                   const std::string& unit = "TFLOP/s") {
  return test::measured_row(system, "1", operation, size, unit);
}

MatrixProduct product(const std::string& size) { return product_in(size).value_or(MatrixProduct{}); }

TEST(GemmSize, IsReadAsItIsWritten) {
  const MatrixProduct cube{8192, 8192, 8192, 1};
  for (const char* const text :
       {"m=n=k=8192", "M=N=K=8192", "m = n = k = 8192", "8192^3", "8192³", "8192^3 from DRAM",
        "8192x8192x8192", "8192 × 8192 × 8192", "8192", "8k", "8192 x 8192", "square 8192", "m=n=k=8k",
        "m: 8192, n: 8192, k: 8192", "8192, 8192, 8192", "[8192,8192]x[8192,8192]"})
    EXPECT_EQ(product(text), cube) << text;
  const MatrixProduct oblong{4096, 2048, 8192, 1};
  for (const char* const text : {"m=4096 n=2048 k=8192", "k=8192, m=4096, n=2048", "4096x2048x8192",
                                 "M=4096, N=2048, K=8192", "(4096, 8192) x (8192, 2048)"})
    EXPECT_EQ(product(text), oblong) << text;
  EXPECT_EQ(product("[1,16384]x[16384,512]"), (MatrixProduct{1, 512, 16'384, 1}));
  EXPECT_EQ(product("m=n=k=512, batch=16"), (MatrixProduct{512, 512, 512, 16}));
  EXPECT_EQ(product("16 x 512x512x256"), (MatrixProduct{512, 512, 256, 16}));
  for (const char* const text : {"large", "", "m=4096", "Llama MLP", "m=n=k=0"})
    EXPECT_FALSE(product_in(text)) << text;
}

TEST(GemmPrecision, IsReadAsItIsWritten) {
  using config::Precision;
  using config::Scales;
  const auto read = [](const std::string& operation) {
    return gemm_row(gemm("H100", operation, "m=n=k=512"));
  };
  EXPECT_EQ(read("GEMM cuBLASLt FP16").precision, Precision::fp16);
  EXPECT_EQ(read("GEMM BF16").precision, Precision::bf16);
  EXPECT_EQ(read("GEMM cuBLASLt FP8").precision, Precision::fp8);
  EXPECT_EQ(read("GEMM FP8").scales, Scales::none);
  EXPECT_EQ(read("GEMM FP8, 1x128 scales").scales, Scales::fp32_per_128);
  EXPECT_EQ(read("GEMM MXFP8").scales, Scales::e8m0_per_32);
  EXPECT_EQ(read("GEMM NVFP4").precision, Precision::fp4);
  EXPECT_EQ(read("GEMM NVFP4").scales, Scales::e4m3_per_16);
  EXPECT_EQ(read("GEMM INT8").precision, Precision::int8);
  EXPECT_EQ(read("GEMM TF32").precision, Precision::tf32);
  EXPECT_EQ(read("GEMM BF16 HiFi2, traced").rate, 2);
  EXPECT_EQ(read("GEMM BF16 HiFi4").rate, 1);
  EXPECT_EQ(read("GEMM BFP8 HiFi2").rate, 0.5);  // of LoFi
  EXPECT_EQ(read("GEMM BFP8").scales, Scales::e4m3_per_16);
}

TEST(GemmUnits, AreReadAsTheyAreWritten) {
  for (const char* const text :
       {"TFLOP/s", "TFLOPS", "TFLOPs", "TFLOP/s per device", "Tflops", "TOPS", "TOP/s"}) {
    ASSERT_TRUE(gemm_unit(text)) << text;
    EXPECT_EQ(gemm_unit(text)->base, 1e12) << text;
  }
  EXPECT_EQ(gemm_unit("PFLOP/s")->base, 1e15);
  EXPECT_EQ(gemm_unit("GFLOPS")->base, 1e9);
  EXPECT_EQ(gemm_unit("us")->base, 1e-6);
  EXPECT_EQ(gemm_unit("µs")->base, 1e-6);
  EXPECT_EQ(gemm_unit("ms")->base, 1e-3);
  EXPECT_EQ(gemm_unit("% of peak")->base, 0.01);
  for (const char* const text : {"", "GB/s", "tokens/s", "W", "TB/s"}) EXPECT_FALSE(gemm_unit(text)) << text;
  const RowKind kind = gemm_rows();
  EXPECT_EQ(test::refusal_of([&] { kind.check(gemm("A100", "GEMM FP16", "m=n=k=512", "GB/s")); }),
            "rows.csv:2: r1: 'GB/s' is no unit of a matrix product; expected TFLOP/s, a time such as us, or "
            "% of peak");
}

TEST(GemmRows, AreThoseOfOneDevice) {
  const RowKind kind = gemm_rows();
  EXPECT_TRUE(kind.takes(gemm("A100", "GEMM cuBLASLt FP16", "m=n=k=512")));
  EXPECT_TRUE(kind.takes(gemm("TPU v6e", "matmul BF16", "m=n=k=512")));
  EXPECT_FALSE(kind.takes(gemm("Cerebras WSE-2", "GEMV", "[1,16384]x[16384,16384]")));
  EXPECT_FALSE(kind.takes(gemm("A100", "HBM triad", "large")));
  ValidationRow many = gemm("A100 node", "GEMV, tensor parallel (SGLang)", "[1,32768]x[32768,32768]", "us");
  many.ranks = "8";
  EXPECT_FALSE(kind.takes(many));
  many.operation = "GEMM";
  EXPECT_FALSE(kind.takes(many));
  EXPECT_THROW(kind.answer(gemm("Abacus", "GEMM", "m=n=k=512")), CannotSay);
  EXPECT_THROW(kind.answer(gemm("A100", "GEMM FP16", "a layer")), CannotSay);
  EXPECT_THROW(kind.answer(gemm("A100", "GEMM NVFP4", "m=n=k=512")), CannotSay);  // it has none
}

TEST(Accelerators, AreKnownByWhatTablesCallThem) {
  const std::pair<const char*, const char*> names[] = {{"A100", "a100"},
                                                       {"A100-SXM4 node", "a100"},
                                                       {"DGX-H100", "h100"},
                                                       {"H800 cluster", "h100"},
                                                       {"H200 node (ND H200 v5)", "h200"},
                                                       {"H20", "h20"},
                                                       {"B200 node (p6-b200)", "b200"},
                                                       {"GB200 NVL72", "gb200"},
                                                       {"DGX B300", "b300"},
                                                       {"GB300", "gb300"},
                                                       {"AMD MI300X", "mi300x"},
                                                       {"MI325X", "mi325x"},
                                                       {"MI355X", "mi355x"},
                                                       {"TPU7x", "tpu_v7x"},
                                                       {"TPU v7x", "tpu_v7x"},
                                                       {"TPU v6e", "tpu_v6e"},
                                                       {"TPU v5p", "tpu_v5p"},
                                                       {"TPU v5e", "tpu_v5e"},
                                                       {"TPU v4", "tpu_v4"},
                                                       {"Trainium2", "trainium2"},
                                                       {"Intel Gaudi 3", "gaudi3"},
                                                       {"Gaudi2", "gaudi2"},
                                                       {"Tenstorrent Wormhole N150", "wormhole"},
                                                       {"Tenstorrent Blackhole p150", "blackhole"}};
  for (const auto& [name, preset] : names) {
    const MeasuredSystem* const found = known_system(gemm(name, "GEMM BF16", "m=n=k=4096"));
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(preset_name(found->accelerator), preset) << name;
    const Answer answer = gemm_rows().answer(gemm(name, "GEMM BF16", "m=n=k=4096"));
    EXPECT_GT(answer.simulated, 0.3 * *answer.closed_form) << name;
    EXPECT_LT(answer.simulated, 0.95 * *answer.closed_form) << name;
  }
  EXPECT_EQ(known_system(gemm("Groq TSP", "GEMM", "")), nullptr);
}

struct Published {
  const char *system, *operation, *size;
  double tflops;
  const char* calibrated_by;
};

// Of /shared/reference/hardware_rows.csv; the first of a machine gives its sustained rate.
TEST(GemmRows, AreWithinATenthOfWhatWasMeasured) {
  for (const Published& row :
       {Published{"A100", "GEMM cuBLASLt FP16", "m=n=k=8192", 253.7, "hw236"},
        {"A100", "GEMM cuBLASLt FP16", "m=n=k=1024", 119.4, "hw236"},
        {"H100", "GEMM cuBLASLt FP8", "m=n=k=4096", 1216.9, "hw239"},
        {"TPU7x", "GEMM BF16", "m=n=k=4096", 892.9, "hw205"},
        {"TPU7x", "GEMM BF16", "m=n=k=1024", 349.7, "hw205"},
        {"Tenstorrent Wormhole N150", "GEMM BF16 HiFi2, traced", "1024^3 from DRAM", 31.13, "hw233"}}) {
    const Answer answer = gemm_rows().answer(gemm(row.system, row.operation, row.size));
    EXPECT_NEAR(answer.simulated / row.tflops, 1, 0.1) << row.system << " " << row.size << ": " << answer.how;
    EXPECT_EQ(answer.calibrated_by, row.calibrated_by);
    ASSERT_TRUE(answer.closed_form);
    EXPECT_GT(*answer.closed_form, answer.simulated) << "a roofline is the faster of the two";
  }
}

TEST(GemmRows, UnitsAreOfTheSameTime) {
  const auto say = [](const char* unit) {
    return gemm_rows().answer(gemm("A100", "GEMM FP16", "m=n=k=4096", unit)).simulated;
  };
  const double operations = 2 * std::pow(4096.0, 3);
  EXPECT_NEAR(say("us") * 1e-6 * say("TFLOP/s") * 1e12, operations, operations * 1e-9);
  EXPECT_NEAR(say("% of peak") / 100 * 312, say("TFLOP/s"), 1e-6);
}

ValidationRow memory(const std::string& system, const std::string& operation, const std::string& topology,
                     const std::string& unit) {
  ValidationRow row = gemm(system, operation, "large", unit);
  row.topology = topology;
  return row;
}

TEST(MemoryRows, AreWithinATenthOfWhatWasMeasured) {
  const RowKind kind = memory_rows();
  const ValidationRow a100 = memory("A100", "HBM triad", "HBM2e 2039 GB/s peak", "TB/s");
  const ValidationRow h200 = memory("H200", "HBM triad", "HBM3e 4800 GB/s peak", "TB/s");
  const ValidationRow copy = memory("H200 node", "host to device copy", "PCIe 5 x16 63 GB/s spec", "GB/s");
  for (const ValidationRow& row : {a100, h200, copy}) EXPECT_TRUE(kind.takes(row)) << row.operation;
  EXPECT_NEAR(kind.answer(a100).simulated / 1.7, 1, 0.1);
  EXPECT_NEAR(kind.answer(h200).simulated / 4.15, 1, 0.1);
  EXPECT_NEAR(kind.answer(copy).simulated / 55.43, 1, 0.1);
  EXPECT_NEAR(*kind.answer(copy).closed_form, 63.0, 0.1);
  EXPECT_NEAR(*kind.answer(a100).closed_form, 2.039, 1e-9);
  EXPECT_EQ(kind.answer(a100).calibrated_by, "");
}

TEST(MemoryRows, AreNeitherCollectivesNorProducts) {
  const RowKind kind = memory_rows();
  EXPECT_FALSE(kind.takes(memory("H200 node", "all-reduce (NCCL)", "NVLink", "GB/s busbw")));
  EXPECT_FALSE(kind.takes(memory("A100", "GEMM FP16", "", "TFLOP/s")));
  EXPECT_FALSE(kind.takes(memory("Cerebras CS-3", "initial weights to MemoryX", "", "s")));
  EXPECT_FALSE(kind.takes(memory("Cerebras CS-3", "training step, weight streaming", "", "s/step")));
  EXPECT_EQ(test::refusal_of([&] { kind.check(memory("A100", "HBM triad", "", "tokens/s")); }),
            "rows.csv:2: r1: 'tokens/s' is no unit of a memory's or a copy's rate; expected GB/s, TB/s, or % "
            "of peak");
}

TEST(PcieLink, PaysForHeadersAndLineCoding) {
  const PcieLink gen5{5, 16};
  EXPECT_NEAR(gen5.bytes_per_s(), 32e9 * 16 / 8 * 128 / 130, 1);
  EXPECT_NEAR(gen5.payload_bytes_per_s(PcieCopy::device_to_host), gen5.bytes_per_s() * 256 / 280, 1);
  EXPECT_NEAR(gen5.payload_bytes_per_s(PcieCopy::host_to_device), gen5.bytes_per_s() * 256 / 284, 1);
  const double both = gen5.payload_bytes_per_s(PcieCopy::both);
  EXPECT_LT(both, gen5.payload_bytes_per_s(PcieCopy::device_to_host) +
                      gen5.payload_bytes_per_s(PcieCopy::host_to_device));
  EXPECT_GT(both, 1.6 * gen5.payload_bytes_per_s(PcieCopy::host_to_device));
  const PcieLink half{4, 8};
  EXPECT_NEAR(half.bytes_per_s() * 4, gen5.bytes_per_s(), 1);
}

}  // namespace
}  // namespace wafertlm::validate
