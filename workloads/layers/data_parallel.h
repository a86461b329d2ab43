// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/chakra/node_source.h"
#include "workloads/training/node_builder.h"

namespace wafertlm::layers {

/// A layer of a model as a training step sees it.
struct Layer {
  std::string name;
  std::uint64_t parameters = 0;
  std::uint64_t forward_operations = 0;  ///< per sample; a multiply-add is 2 operations
  std::uint64_t activation_bytes = 0;    ///< per sample, that a pass reads and writes; 0: not known
};

/// ResNet-50 for 224 × 224 images and 1000 classes (He et al. 2015, with the stride in the 3 × 3 convolution
/// as torchvision has it): 53 convolutions and the fully connected layer in forward order, computed from the
/// architecture.
///
/// Parameters: convolutions have no bias; the 2 × channels of the batch normalisation after a convolution are
/// counted with it. Together 25,557,032. Operations: the multiply-adds of convolutions and the fully
/// connected layer, 2 operations each: 4,089,184,256 multiply-adds, 8.18 GFLOP per sample. Normalisation,
/// activation, pooling and the residual additions are left out (below 1 %).
std::vector<Layer> resnet50();

/// Of a training step per sample: forward passes, input gradients (the first layer has none) and weight
/// gradients (a layer without parameters has none).
double step_operations(const std::vector<Layer>& layers);

/// A data-parallel training job: every rank holds the whole model and its own batch.
struct DataParallelSpec {
  std::string workload;  ///< a name for messages
  std::vector<Layer> layers;
  std::uint32_t data_parallel = 1;       ///< ranks
  std::uint64_t batch_per_npu = 1;       ///< samples
  std::uint64_t bytes_per_element = 2;   ///< of a gradient
  std::uint64_t bucket_bytes = 1 << 20;  ///< a bucket is closed as soon as it holds this much
  std::uint64_t effective_rate = 0;      ///< operations per second that a rank sustains
  bool overlap = true;                   ///< all-reduces start during the backward pass
  /// SGD with momentum: two multiply-adds per parameter.
  std::uint64_t optimizer_operations_per_parameter = 4;
};

/// One training iteration of one rank, node after node (memory: one bucket):
///
///   forward of each layer in order; then per layer in reverse its input gradient (the first layer has none)
///   and its weight gradient (a layer without parameters has none), each as many operations as the forward;
///   then the optimizer.
///
/// Each COMP node depends on the one before (an NPU runs its stream in order). Gradients are collected in
/// backward order into buckets, as PyTorch's DDP does: a layer is never split, and a bucket is closed by the
/// layer that fills it to `bucket_bytes`, so it may be larger; the last one may be smaller. A bucket is an
/// ALL_REDUCE of all ranks, class "dp", that depends on the weight gradients in it, or with overlap = false
/// on the last backward node. The optimizer depends on all of them and on the last backward node. One rank
/// alone has nothing to reduce. Durations are operations / effective_rate, rounded up to the picosecond. The
/// nodes of a layer with activation_bytes say what they move, for a roofline: those of the batch and the
/// parameters.
class LayerGenerator : public chakra::NodeSource {
 public:
  /// @throws chakra::TraceError naming what of the specification is out of range (0, empty, rank too high,
  /// a product beyond 64 bits).
  LayerGenerator(DataParallelSpec spec, std::uint32_t rank);

  bool next(chakra::Node& node) override;
  void rewind() override;
  const std::string& name() const override { return name_; }

 private:
  struct Bucket {
    training::NodeIds gradients;  // the nodes that fill it
    std::uint64_t bytes = 0;
  };

  void check() const;
  void make_more();
  void backward(std::size_t index);
  void close_bucket();
  void all_reduce(const Bucket& bucket);
  void optimizer();
  chakra::Node& compute(const std::string& name, std::uint64_t operations, std::uint64_t times);
  std::uint64_t pass(const std::string& name, const Layer& layer);
  [[noreturn]] void fail(const std::string& text) const;

  DataParallelSpec spec_;
  std::string name_;
  std::size_t step_ = 0;  // forward layers, backward layers, the end
  training::NodeBuilder nodes_;
  Bucket bucket_;
  std::vector<Bucket> delayed_;  // overlap = false
  training::NodeIds all_reduces_;
};

}  // namespace wafertlm::layers
