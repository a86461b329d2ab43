// SPDX-License-Identifier: Apache-2.0
// Figures by hand: a layer of 12 weights, 8 inputs and 6 outputs per sample, 10 samples.
#include "platform/commands/precision/step_cost.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm::precision {
namespace {

using F = NumberFormat;
using model::Gemm;

constexpr std::uint64_t kBatch = 10;

model::Model one_layer() {
  model::Layer layer;
  layer.name = "layer";
  layer.shared_parameters = 12;
  layer.gemms = {Gemm{2, 3, 4}};  // 48 operations
  layer.input_elements = 8;
  layer.output_elements = 6;
  model::Model net;
  net.blocks = {{"block", {layer}}};
  return net;
}

Machine small_machine() { return {{{F::fp32, 10}, {F::int8, 40}, {F::fp16, 20}}, 5, 100, 50, 4}; }

Formats of(F weights, F activations, Scaling scaling = {}) {
  Formats made;
  made.weights = weights;
  made.activations = activations;
  made.scaling = scaling;
  return made;
}

StepCost inference(const Formats& formats, const model::Model& net = one_layer()) {
  return step_cost(net, formats, small_machine(), Pass::inference, kBatch);
}

TEST(PrecisionCost, InferenceInFp32) {
  const StepCost cost = inference({});
  EXPECT_DOUBLE_EQ(cost.matrix_operations, 480);
  EXPECT_DOUBLE_EQ(cost.time_s, 48);
  EXPECT_DOUBLE_EQ(cost.memory_s, 6.08);
  EXPECT_EQ(cost.traffic.weights, 48U);
  EXPECT_EQ(cost.traffic.activations, 320U + 240);
  EXPECT_EQ(cost.memory.weights, 48U);
  EXPECT_EQ(cost.memory.activations, 560U);
  EXPECT_EQ(cost.memory.total(), 608U);
  EXPECT_EQ(cost.scale_operations, 0);
  EXPECT_EQ(cost.wire_bytes, 0U);
}

TEST(PrecisionCost, MemoryMayRule) {
  Machine slow = small_machine();
  slow.memory_bandwidth = 8;
  EXPECT_DOUBLE_EQ(step_cost(one_layer(), {}, slow, Pass::inference, kBatch).time_s, 76);
}

TEST(PrecisionCost, StaticAndDynamicScales) {
  const StepCost fixed = inference(of(F::int8, F::int8));
  EXPECT_DOUBLE_EQ(fixed.scale_operations, 60 + 120);  // sums back, outputs there
  EXPECT_DOUBLE_EQ(fixed.compute_s, 12 + 36);
  EXPECT_EQ(fixed.traffic.weights, 16U);
  EXPECT_EQ(fixed.traffic.activations, 84U + 64);
  const StepCost dynamic = inference(of(F::int8, F::int8, {true, 0}));
  EXPECT_DOUBLE_EQ(dynamic.scale_operations, 60 + 181);
  EXPECT_EQ(dynamic.traffic.activations, 84U + 64 + 480);
  EXPECT_EQ(dynamic.memory.total(), fixed.memory.total());
}

TEST(PrecisionCost, ScaledWeightsBesideOthersAreScaledBackFirst) {
  const StepCost cost = inference(of(F::int4, F::fp16, {false, 4}));
  EXPECT_DOUBLE_EQ(cost.compute_s, 24 + 12 / 5.0);
  EXPECT_EQ(cost.traffic.weights, 6U + 12);
  EXPECT_EQ(cost.traffic.activations, 280U);
}

TEST(PrecisionCost, TrainingInFp32) {
  const StepCost cost = step_cost(one_layer(), {}, small_machine(), Pass::training, kBatch);
  EXPECT_DOUBLE_EQ(cost.matrix_operations, 3 * 480);
  EXPECT_DOUBLE_EQ(cost.time_s, 3 * 48 + 24 + 1.44);
  EXPECT_DOUBLE_EQ(cost.wire_s, 1.44);
  EXPECT_EQ(cost.wire_bytes, 72U);
  EXPECT_EQ(cost.traffic.weights, 48U + 48 + 96);
  EXPECT_EQ(cost.traffic.activations, 560U + 320);
  EXPECT_EQ(cost.traffic.gradients, (240U + 320) + (240 + 48) + 48);
  EXPECT_EQ(cost.traffic.optimizer, 192U);
  EXPECT_EQ(cost.memory.weights, 48U);
  EXPECT_EQ(cost.memory.gradients, 48U);
  EXPECT_EQ(cost.memory.optimizer, 96U);
  EXPECT_EQ(cost.memory.activations, 320U);
}

TEST(PrecisionCost, AMasterCopyAndAScaledWire) {
  Formats formats = of(F::bf16, F::bf16);
  formats.gradients = F::bf16;
  formats.wire = F::int8;
  const StepCost cost = step_cost(one_layer(), formats, small_machine(), Pass::training, kBatch);
  EXPECT_DOUBLE_EQ(cost.time_s, 3 * 48 + 24 + 0.48 + 7.2);  // products in FP32: BF16 has no unit
  EXPECT_EQ(cost.wire_bytes, 24U);
  EXPECT_DOUBLE_EQ(cost.scale_operations, 24 + 12);
  EXPECT_EQ(cost.traffic.optimizer, 288U);
  EXPECT_EQ(cost.traffic.weights, 24U + 24 + 24);
  EXPECT_EQ(cost.traffic.gradients, (120U + 160) + (120 + 24) + 24 + 80);
  EXPECT_EQ(cost.memory.optimizer, 144U);
}

TEST(PrecisionCost, Tf32NeedsNoMasterCopy) {
  Formats formats = of(F::tf32, F::tf32);
  formats.gradients = F::tf32;
  const StepCost cost = step_cost(one_layer(), formats, small_machine(), Pass::training, kBatch);
  const StepCost fp32 = step_cost(one_layer(), {}, small_machine(), Pass::training, kBatch);
  EXPECT_EQ(cost.memory.total(), fp32.memory.total());
  EXPECT_EQ(cost.traffic.optimizer, fp32.traffic.optimizer);
}

TEST(PrecisionCost, ScaledGradientsAndOptimizer) {
  Formats formats = of(F::fp16, F::fp16);
  formats.gradients = formats.optimizer = formats.wire = F::int8;
  const StepCost cost = step_cost(one_layer(), formats, small_machine(), Pass::training, kBatch);
  // Input gradient: 60 back, 80 there; weight gradient: 60 back, 12 there; update: gradients 12 back, three
  // states back and there.
  EXPECT_DOUBLE_EQ(cost.scale_operations, (60 + 160) + (60 + 24) + 12 + 3 * (12 + 24));
  EXPECT_EQ(cost.traffic.optimizer, 2U * 3 * 16);
  EXPECT_EQ(cost.wire_bytes, 24U);
}

TEST(PrecisionCost, NoInputGradientForWhatReadsTheSamples) {
  model::Model net = one_layer();
  net.blocks[0].layers[0].needs_input_gradient = false;
  EXPECT_DOUBLE_EQ(step_cost(net, {}, small_machine(), Pass::training, kBatch).matrix_operations, 2 * 480);
}

TEST(PrecisionCost, ProductsOfTwoActivationsAreInTheirFormat) {
  model::Model net = one_layer();
  model::Layer& layer = net.blocks[0].layers[0];
  layer.shared_parameters = 0;
  layer.gemms[0].operand = Gemm::Operand::activations;
  EXPECT_DOUBLE_EQ(inference(of(F::fp32, F::fp16), net).compute_s, 24);
  EXPECT_EQ(inference(of(F::fp32, F::fp16), net).traffic.weights, 0U);
  EXPECT_DOUBLE_EQ(step_cost(net, {}, small_machine(), Pass::training, kBatch).matrix_operations, 3 * 480);
}

TEST(PrecisionCost, OfAnEmbeddingRowsAreRead) {
  model::Model net = one_layer();
  net.blocks[0].layers[0].gemms.clear();
  net.blocks[0].layers[0].shared_parameters = 1000;
  EXPECT_EQ(inference({}, net).traffic.weights, 4U * 60);
  net.blocks[0].layers[0].shared_parameters = 50;
  EXPECT_EQ(inference({}, net).traffic.weights, 4U * 50);
  EXPECT_EQ(inference(of(F::int8, F::fp32), net).scale_operations, 0);
}

TEST(PrecisionCost, OneRankReducesNothing) {
  Machine alone = small_machine();
  alone.ranks = 1;
  const StepCost cost = step_cost(one_layer(), {}, alone, Pass::training, kBatch);
  EXPECT_DOUBLE_EQ(cost.time_s, 3 * 48 + 24);
  EXPECT_EQ(cost.wire_bytes, 0U);
}

TEST(PrecisionCost, RefusesRatesOfZero) {
  Machine machine = small_machine();
  machine.vector_rate = 0;
  EXPECT_THROW(step_cost(one_layer(), {}, machine, Pass::inference, 1), std::invalid_argument);
  EXPECT_THROW(step_cost(one_layer(), {}, small_machine(), Pass::inference, 0), std::invalid_argument);
  machine = small_machine();
  machine.peaks = {{F::int8, 1}};
  EXPECT_THROW(step_cost(one_layer(), {}, machine, Pass::inference, 1), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm::precision
