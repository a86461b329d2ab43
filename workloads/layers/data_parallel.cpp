// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/data_parallel.h"

#include <fmt/core.h>

#include <utility>

#include "tlm/units.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::layers {

using chakra::Node;
using chakra::NodeType;

LayerGenerator::LayerGenerator(DataParallelSpec spec, std::uint32_t rank)
    : spec_(std::move(spec)), name_(fmt::format("{}, rank {}", spec_.workload, rank)) {
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
  made_.clear();
  next_id_ = 0;
  last_compute_.clear();
  bucket_ = {};
  delayed_.clear();
  all_reduces_.clear();
}

bool LayerGenerator::next(Node& node) {
  const std::size_t steps = 2 * spec_.layers.size() + 1;
  while (made_.empty()) {
    if (step_ == steps) return false;
    make_more();
    ++step_;
  }
  node = std::move(made_.front());
  made_.pop_front();
  return true;
}

void LayerGenerator::make_more() {
  const std::size_t layers = spec_.layers.size();
  if (step_ < layers) return forward(spec_.layers[step_]);
  if (step_ < 2 * layers) return backward(2 * layers - 1 - step_);
  optimizer();
}

void LayerGenerator::forward(const Layer& layer) { pass("forward ", layer); }

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
  Node node;
  node.id = next_id_++;
  node.name = fmt::format("all_reduce bucket {}", all_reduces_.size());
  node.type = NodeType::CommColl;
  node.data_deps = spec_.overlap ? bucket.gradients : last_compute_;
  node.comm_type = chakra::CollectiveType::AllReduce;
  node.comm_size = bucket.bytes;
  node.comm_class = "dp";
  all_reduces_.push_back(node.id);
  made_.push_back(std::move(node));
}

void LayerGenerator::optimizer() {
  close_bucket();
  for (const Bucket& bucket : delayed_) all_reduce(bucket);
  std::uint64_t parameters = 0;
  for (const Layer& layer : spec_.layers) parameters += layer.parameters;
  compute("optimizer", parameters, spec_.optimizer_operations_per_parameter);
  auto& parents = made_.back().data_deps;
  parents.insert(parents.end(), all_reduces_.begin(), all_reduces_.end());
}

/// A layer's part in a pass over the batch.
std::uint64_t LayerGenerator::pass(const std::string& name, const Layer& layer) {
  const std::uint64_t id = compute(name + layer.name, layer.forward_operations, spec_.batch_per_npu);
  if (layer.activation_bytes == 0) return id;
  const Uint128 bytes = Uint128{layer.activation_bytes} * spec_.batch_per_npu +
                        Uint128{layer.parameters} * spec_.bytes_per_element;
  if (bytes >> 63 != 0) fail(name + layer.name + " moves more bytes than 63 bits can count");
  made_.back().tensor_size = static_cast<std::uint64_t>(bytes);
  return id;
}

std::uint64_t LayerGenerator::compute(const std::string& name, std::uint64_t operations,
                                      std::uint64_t times) {
  Node node;
  node.id = next_id_++;
  node.name = name;
  node.type = NodeType::Comp;
  node.data_deps = last_compute_;
  const Uint128 total = Uint128{operations} * times;
  if (total >> 63 != 0) fail(name + " has more operations than 63 bits can count");
  node.num_ops = static_cast<std::uint64_t>(total);
  const Uint128 duration_ps = (total * kPsPerSecond + spec_.effective_rate - 1) / spec_.effective_rate;
  if (duration_ps >> 63 != 0) fail(name + " takes longer than the 106 days that simulated time can hold");
  node.duration_ps = static_cast<std::uint64_t>(duration_ps);
  last_compute_ = {node.id};
  made_.push_back(std::move(node));
  return last_compute_.front();
}

void LayerGenerator::fail(const std::string& text) const { throw chakra::TraceError(name_ + ": " + text); }

}  // namespace wafertlm::layers
