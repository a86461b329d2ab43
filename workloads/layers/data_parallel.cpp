// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/data_parallel.h"

#include <fmt/core.h>

#include <utility>

#include "tlm/kernel/units.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/models/convolutional.h"

namespace wafertlm::layers {

using chakra::Node;

std::vector<Layer> resnet50() {
  std::vector<Layer> layers;
  const auto add = [&](const model::Layer& layer, bool) {
    layers.push_back({layer.name, layer.parameters(), model::forward_operations(layer)});
  };
  model::for_each_layer(model::convolutional(model::resnet("resnet50", {3, 4, 6, 3})), add);
  return layers;
}

double step_operations(const std::vector<Layer>& layers) {
  double operations = 0;
  for (const Layer& layer : layers) {
    const int passes =
        1 + static_cast<int>(&layer != &layers.front()) + static_cast<int>(layer.parameters != 0);
    operations += passes * static_cast<double>(layer.forward_operations);
  }
  return operations;
}

LayerGenerator::LayerGenerator(DataParallelSpec spec, std::uint32_t rank)
    : spec_(std::move(spec)),
      name_(fmt::format("{}, rank {}", spec_.workload, rank)),
      nodes_(name_, spec_.effective_rate) {
  if (rank >= spec_.data_parallel)
    fail(fmt::format("data_parallel is {}, so there is no such rank", spec_.data_parallel));
  check();
}

void LayerGenerator::check() const {
  if (spec_.layers.empty()) fail("there are no layers");
  if (spec_.batch_per_npu == 0) fail("batch_per_npu is 0");
  if (spec_.bytes_per_element == 0) fail("bytes_per_element is 0");
  if (spec_.bucket_bytes == 0) fail("bucket_bytes is 0");
  if (spec_.effective_rate == 0) fail("effective_rate is 0");
  Uint128 parameters = 0;
  for (const Layer& layer : spec_.layers) parameters += layer.parameters;
  const Uint128 per_parameter =
      Uint128{spec_.bytes_per_element} + Uint128{spec_.optimizer_operations_per_parameter};
  // Both factors are below 2^96 and 2^65: compare by division, the product could pass 128 bits.
  if (parameters > (Uint128{1} << 63) / per_parameter) fail("the model has too many parameters for 64 bits");
}

void LayerGenerator::rewind() {
  step_ = 0;
  nodes_ = {name_, spec_.effective_rate};
  bucket_ = {};
  delayed_.clear();
  all_reduces_.clear();
}

bool LayerGenerator::next(Node& node) {
  const std::size_t steps = 2 * spec_.layers.size() + 1;
  while (nodes_.empty()) {
    if (step_ == steps) return false;
    make_more();
    ++step_;
  }
  node = nodes_.take();
  return true;
}

void LayerGenerator::make_more() {
  const std::size_t layers = spec_.layers.size();
  if (step_ < layers) {
    pass("forward ", spec_.layers[step_]);
    return;
  }
  if (step_ < 2 * layers) return backward(2 * layers - 1 - step_);
  optimizer();
}

void LayerGenerator::backward(std::size_t index) {
  const Layer& layer = spec_.layers[index];
  if (index > 0) pass("input_gradient ", layer);
  if (layer.parameters == 0) return;
  bucket_.gradients.push_back(pass("weight_gradient ", layer));
  bucket_.bytes += layer.parameters * spec_.bytes_per_element;
  if (bucket_.bytes >= spec_.bucket_bytes) close_bucket();
}

void LayerGenerator::close_bucket() {
  Bucket bucket = std::exchange(bucket_, {});
  if (bucket.bytes == 0 || spec_.data_parallel == 1) return;
  if (spec_.overlap)
    all_reduce(bucket);
  else
    delayed_.push_back(std::move(bucket));
}

void LayerGenerator::all_reduce(const Bucket& bucket) {
  all_reduces_.push_back(nodes_.collective(chakra::CollectiveType::AllReduce,
                                           fmt::format("all_reduce bucket {}", all_reduces_.size()), "dp", "",
                                           bucket.bytes, spec_.overlap ? bucket.gradients : nodes_.last()));
}

void LayerGenerator::optimizer() {
  close_bucket();
  for (const Bucket& bucket : delayed_) all_reduce(bucket);
  std::uint64_t parameters = 0;
  for (const Layer& layer : spec_.layers) parameters += layer.parameters;
  nodes_.waits() = all_reduces_;
  compute("optimizer", parameters, spec_.optimizer_operations_per_parameter);
}

/// A layer's part in a pass over the batch.
std::uint64_t LayerGenerator::pass(const std::string& name, const Layer& layer) {
  Node& node = compute(name + layer.name, layer.forward_operations, spec_.batch_per_npu);
  if (layer.activation_bytes == 0) return node.id;
  const Uint128 bytes = Uint128{layer.activation_bytes} * spec_.batch_per_npu +
                        Uint128{layer.parameters} * spec_.bytes_per_element;
  if (bytes >> 63 != 0) fail(name + layer.name + " moves more bytes than 63 bits can count");
  node.tensor_size = static_cast<std::uint64_t>(bytes);
  return node.id;
}

Node& LayerGenerator::compute(const std::string& name, std::uint64_t operations, std::uint64_t times) {
  const Uint128 total = Uint128{operations} * times;
  if (total >> 63 != 0) fail(name + " has more operations than 63 bits can count");
  return nodes_.computation(name, static_cast<std::uint64_t>(total), {});
}

void LayerGenerator::fail(const std::string& text) const { throw chakra::TraceError(name_ + ": " + text); }

}  // namespace wafertlm::layers
