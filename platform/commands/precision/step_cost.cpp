// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/precision/step_cost.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm::precision {
namespace {

constexpr std::uint64_t kUpdateOperations = 10, kMoments = 2;

/// Of a product's weights, or the rows of an embedding that are looked up.
std::uint64_t weights_read(const model::Layer& layer, std::uint64_t batch) {
  if (layer.gemms.empty()) return std::min(layer.parameters(), layer.output_elements * batch);
  std::uint64_t of_products = 0;  // more than the parameters where two layers share a matrix
  for (const model::Gemm& gemm : layer.gemms)
    if (gemm.operand == model::Gemm::Operand::weights) of_products += gemm.n * gemm.k * gemm.count;
  return std::max(layer.parameters(), of_products);
}

/// What one pass over a layer does.
struct PassWork {
  double matrix = 0, matrix_s = 0, vector = 0, scale = 0;
  ClassBytes traffic;
};

class StepAccount {
 public:
  StepAccount(const Formats& formats, const Machine& machine, std::uint64_t batch)
      : formats_(formats), machine_(machine), batch_(batch) {}

  void forward(const model::Layer& layer) {
    PassWork work;
    products(work, layer, 1, formats_.weights, 1, formats_.activations);
    const std::uint64_t weights = weights_read(layer, batch_);
    const std::uint64_t outputs = layer.output_elements * batch_, inputs = layer.input_elements * batch_;
    work.traffic.weights += bytes(weights, formats_.weights);
    work.traffic.activations += bytes(inputs, formats_.activations);
    operands(work, weights, formats_.weights, inputs, formats_.activations, outputs);
    result(work, outputs, formats_.activations, work.traffic.activations);
    close(work);
  }

  void backward(const model::Layer& layer) {
    const std::uint64_t outputs = layer.output_elements * batch_, inputs = layer.input_elements * batch_;
    if (layer.needs_input_gradient) {
      PassWork work;
      products(work, layer, 1, formats_.weights, 2, formats_.gradients);
      const std::uint64_t weights = weights_read(layer, batch_);
      work.traffic.weights += bytes(weights, formats_.weights);
      work.traffic.gradients += bytes(outputs, formats_.gradients);
      operands(work, weights, formats_.weights, outputs, formats_.gradients, inputs);
      result(work, inputs, formats_.gradients, work.traffic.gradients);
      close(work);
    }
    if (layer.parameters() == 0) return;
    PassWork work;
    products(work, layer, 1, formats_.activations, 0, formats_.gradients);
    work.traffic.activations += bytes(inputs, formats_.activations);
    work.traffic.gradients += bytes(outputs, formats_.gradients);
    operands(work, inputs, formats_.activations, outputs, formats_.gradients, layer.parameters());
    result(work, layer.parameters(), formats_.gradients, work.traffic.gradients);
    close(work);
  }

  void update(std::uint64_t parameters) {
    PassWork work;
    const std::uint64_t states = kMoments + (has_master() ? 1 : 0);
    work.traffic.gradients += bytes(parameters, formats_.gradients);
    work.traffic.optimizer += 2 * states * bytes(parameters, formats_.optimizer);
    work.traffic.weights += bytes(parameters, formats_.weights) * (has_master() ? 1 : 2);
    work.vector += static_cast<double>(kUpdateOperations * parameters);
    work.scale +=
        static_cast<double>(quantise_operations(parameters, formats_.weights, formats_.scaling) +
                            dequantise_operations(parameters, formats_.gradients) +
                            states * (quantise_operations(parameters, formats_.optimizer, formats_.scaling) +
                                      dequantise_operations(parameters, formats_.optimizer)));
    close(work);
  }

  void all_reduce(std::uint64_t parameters) {
    if (machine_.ranks < 2) return;
    const std::uint64_t full = bytes(parameters, formats_.wire);
    cost_.wire_bytes = 2 * (machine_.ranks - 1) * full / machine_.ranks;
    cost_.wire_s = static_cast<double>(cost_.wire_bytes) / machine_.link_bandwidth;
    cost_.time_s += cost_.wire_s;
    if (formats_.wire == formats_.gradients) return;
    PassWork work;
    work.traffic.gradients = 2 * (bytes(parameters, formats_.gradients) + full);
    work.scale = static_cast<double>(dequantise_operations(parameters, formats_.gradients) +
                                     quantise_operations(parameters, formats_.wire, formats_.scaling) +
                                     dequantise_operations(parameters, formats_.wire) +
                                     quantise_operations(parameters, formats_.gradients, formats_.scaling));
    close(work);
  }

  void memory(const model::Model& model, Pass pass) {
    std::uint64_t largest = 0, inputs = 0;
    ClassBytes& held = cost_.memory;
    for_each_layer(model, [&](const model::Layer& layer, bool) {
      const std::uint64_t in = bytes(layer.input_elements * batch_, formats_.activations);
      largest = std::max(largest, in + bytes(layer.output_elements * batch_, formats_.activations));
      inputs += in;
      held.weights += bytes(layer.parameters(), formats_.weights);
      if (pass != Pass::training) return;
      held.gradients += bytes(layer.parameters(), formats_.gradients);
      held.optimizer += (kMoments + (has_master() ? 1 : 0)) * bytes(layer.parameters(), formats_.optimizer);
    });
    held.activations = pass == Pass::training ? inputs : largest;
  }

  const StepCost& cost() const { return cost_; }

 private:
  /// TF32 is stored as FP32.
  bool has_master() const {
    const auto stored = [](NumberFormat of) { return of == NumberFormat::tf32 ? NumberFormat::fp32 : of; };
    return stored(formats_.weights) != stored(formats_.optimizer);
  }

  std::uint64_t bytes(std::uint64_t elements, NumberFormat format) const {
    return tensor_bytes(elements, format, formats_.scaling);
  }

  /// Products with weights so many times, in the formats `a` and `b`; those of two activations in that of
  /// activations and `b`.
  void products(PassWork& work, const model::Layer& layer, std::uint64_t of_weights, NumberFormat a,
                std::uint64_t of_activations, NumberFormat b) const {
    for (const model::Gemm& gemm : layer.gemms) {
      const bool has_weights = gemm.operand == model::Gemm::Operand::weights;
      const std::uint64_t times = batch_ * (has_weights ? of_weights : of_activations);
      if (times == 0) continue;
      const double operations = static_cast<double>(gemm.operations()) * static_cast<double>(times);
      const NumberFormat format = product_format(has_weights ? a : formats_.activations, b);
      work.matrix += operations;
      work.matrix_s += operations / peak_of(machine_.peaks, format);
    }
  }

  /// Two scaled operands: their sums are scaled back. One: it is scaled back before the product.
  static void operands(PassWork& work, std::uint64_t a, NumberFormat a_format, std::uint64_t b,
                       NumberFormat b_format, std::uint64_t results) {
    if (work.matrix == 0) return;
    if (has_scale(a_format) && has_scale(b_format))
      work.scale += static_cast<double>(results);
    else
      work.scale +=
          static_cast<double>(dequantise_operations(a, a_format) + dequantise_operations(b, b_format));
  }

  void result(PassWork& work, std::uint64_t elements, NumberFormat format, std::uint64_t& traffic) const {
    traffic += bytes(elements, format);
    work.scale += static_cast<double>(quantise_operations(elements, format, formats_.scaling));
    if (has_scale(format) && formats_.scaling.is_dynamic) traffic += 2 * bytes(elements, NumberFormat::fp32);
  }

  void close(const PassWork& work) {
    const double compute = work.matrix_s + (work.vector + work.scale) / machine_.vector_rate;
    const double memory = static_cast<double>(work.traffic.total()) / machine_.memory_bandwidth;
    cost_.time_s += std::max(compute, memory);
    cost_.compute_s += compute;
    cost_.memory_s += memory;
    cost_.matrix_operations += work.matrix;
    cost_.scale_operations += work.scale;
    cost_.traffic.weights += work.traffic.weights;
    cost_.traffic.activations += work.traffic.activations;
    cost_.traffic.gradients += work.traffic.gradients;
    cost_.traffic.optimizer += work.traffic.optimizer;
  }

  const Formats& formats_;
  const Machine& machine_;
  std::uint64_t batch_;
  StepCost cost_;
};

}  // namespace

StepCost step_cost(const model::Model& model, const Formats& formats, const Machine& machine, Pass pass,
                   std::uint64_t batch) {
  if (batch == 0) throw std::invalid_argument("the batch is 0");
  if (!(machine.vector_rate > 0) || !(machine.memory_bandwidth > 0) || !(machine.link_bandwidth > 0) ||
      machine.ranks == 0)
    throw std::invalid_argument("a rate of the machine, or its ranks, is 0");
  StepAccount account(formats, machine, batch);
  for_each_layer(model, [&](const model::Layer& layer, bool) { account.forward(layer); });
  if (pass == Pass::training) {
    for_each_layer(model, [&](const model::Layer& layer, bool) { account.backward(layer); });
    for_each_layer(model, [&](const model::Layer& layer, bool) {
      if (layer.parameters() > 0) account.update(layer.parameters());
    });
    account.all_reduce(parameters(model));
  }
  account.memory(model, pass);
  return account.cost();
}

}  // namespace wafertlm::precision
