// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/partition/inputs.h"

#include <fmt/core.h>

#include <memory>
#include <ostream>
#include <set>
#include <stdexcept>

#include "platform/describe/document.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/spec/load.h"
#include "platform/text/format.h"

namespace wafertlm::partition {
namespace {

constexpr std::uint64_t kMostNeurons = 65'536;
constexpr double kMostPrice = 1e15, kMostWeight = 1e6;

std::shared_ptr<const config::Struct<Generated>> generated_type() {
  using namespace config;
  using G = Generated;
  auto type = std::make_shared<Struct<G>>("generated_weights");
  type->required("widths", &G::widths, list_of(integer<std::size_t>(1, kMostNeurons), 2, 1000),
                 "Inputs, and the outputs of each layer")
      .optional("seed", &G::seed, integer<std::uint64_t>(0, 1'000'000'000), "Of the weights")
      .optional("groups", &G::groups, integer<std::uint32_t>(1, kMostNeurons), "Hidden groups of neurons")
      .optional("structure", &G::structure, fraction(1),
                "Weights between groups are 1 less this of those within");
  return type;
}

void check_rows(const LayerSpec& layer, const config::Check& check) {
  for (const auto& row : layer.weights)
    if (row.size() != layer.weights.front().size())
      check.fail({&layer.weights}, "all rows need as many weights as the first, {}",
                 layer.weights.front().size());
}

std::shared_ptr<const config::Struct<LayerSpec>> matrix_type() {
  using namespace config;
  using L = LayerSpec;
  auto type = std::make_shared<Struct<L>>("weight_matrix");
  type->required("name", &L::name, text(), "Of the layer")
      .required("weights", &L::weights,
                list_of(list_of(number(-kMostWeight, kMostWeight), 1, kMostNeurons), 1, kMostNeurons),
                "A row for each output")
      .check(check_rows);
  return type;
}

void check_sources(const PartitionSpec& spec, const config::Check& check) {
  const int given = !spec.weights.empty() + !spec.layers.empty() + (spec.generate ? 1 : 0);
  if (given != 1)
    check.fail({&spec.layers, &spec.generate, &spec.weights},
               "give either 'weights' or 'generate' or 'layers'");
  if (spec.weights.empty() && !spec.arrays.empty())
    check.fail({&spec.arrays}, "has no effect without 'weights'");
  if (spec.weights.empty() && spec.rows != Rows::outputs)
    check.fail({&spec.rows}, "has no effect without 'weights'");
}

void check_simulation(const PartitionSpec& spec, const config::Check& check) {
  if (spec.platform_file.empty()) {
    check.require_default(spec, {}, "has no effect without 'platform'", &PartitionSpec::npus,
                          &PartitionSpec::pass, &PartitionSpec::speed, &PartitionSpec::energy_per_operation);
    return;
  }
  if (spec.speed == 0) check.fail({&spec.platform_file}, "needs the 'speed' of a worker");
  if (!spec.npus.empty() && spec.npus.size() != spec.workers)
    check.fail({&spec.npus}, "{} NPUs for {} workers; give one for each", spec.npus.size(), spec.workers);
  if (std::set<std::uint32_t>(spec.npus.begin(), spec.npus.end()).size() != spec.npus.size())
    check.fail({&spec.npus}, "two workers on one NPU; give each its own");
}

std::shared_ptr<const config::Struct<PartitionSpec>> partition_type() {
  using namespace config;
  using P = PartitionSpec;
  static const auto type = [] {
    auto made = std::make_shared<Struct<P>>("partition");
    made->required("partition", &P::name, text(), "Name")
        .optional("weights", &P::weights, file_path("a NumPy archive"), "Trained weights, .npz")
        .optional("arrays", &P::arrays, list_of<std::string>(text(), 1, 1000), "Of the archive, in order")
        .optional("rows", &P::rows, one_of<Rows>({"outputs", "inputs"}),
                  "What a row of an array is: outputs as in PyTorch, inputs as in Keras")
        .optional("generate", &P::generate, maybe<Generated>(generated_type()), "In place of trained ones")
        .optional("layers", &P::layers, list_of<LayerSpec>(matrix_type(), 1, 1000), "Weights as numbers")
        .required("workers", &P::workers, integer<std::uint32_t>(1, 1024), "Each with as many neurons")
        .optional("lambda", &P::lambda, number(0, kMostPrice), "Price of a weight that is kept")
        .required("mu", &P::mu, list_of(number(0, kMostPrice), 1, 1000),
                  "Prices, one after the other, of a kept weight between workers")
        .optional("seed", &P::seed, integer<std::uint64_t>(0, 1'000'000'000), "Of the random order")
        .optional("platform", &P::platform_file, file_path("a platform file", "platforms"), "To simulate on")
        .optional("npus", &P::npus, list_of(integer<std::uint32_t>(0, 1'000'000), 1, 1024), "Of the workers")
        .optional("pass", &P::pass, one_of<Pass>({"inference", "training"}), "What is simulated")
        .optional("batch", &P::batch, integer<std::uint64_t>(1, 1'000'000'000), "Samples")
        .optional("bytes_per_value", &P::bytes_per_value, integer<std::uint64_t>(1, 16),
                  "Of an activation or gradient")
        .optional("speed", &P::speed, number(1, 1e18), "Operations per second of a worker")
        .optional("energy_per_operation", &P::energy_per_operation, number(0, 1), "In joules")
        .check(check_sources)
        .check(check_simulation);
    return made;
  }();
  return type;
}

Chain chain_of(const PartitionSpec& spec) {
  if (!spec.weights.empty()) return read_npz(spec.weights, spec.arrays, spec.rows);
  if (spec.generate) return generated(*spec.generate);
  Chain chain;
  for (const LayerSpec& each : spec.layers) {
    Layer layer{each.name, each.weights.size(), each.weights.front().size(), {}};
    for (const auto& row : each.weights) layer.weights.insert(layer.weights.end(), row.begin(), row.end());
    chain.push_back(std::move(layer));
  }
  return chain;
}

/// What is wrong with the weights is told with the place of the key that gives them.
void load_chain(PartitionSpec& spec, const config::Node& root) {
  try {
    spec.chain = chain_of(spec);
    require_valid(spec.chain, spec.workers);
  } catch (const std::invalid_argument& error) {
    const char* const key = !spec.weights.empty() ? "weights" : spec.generate ? "generate" : "layers";
    throw config::ConfigError(root.find(key)->place, std::string(key) + ": " + error.what());
  }
}

}  // namespace

Placement PartitionSpec::placement() const {
  Placement placement;
  for (std::uint32_t p = 0; p < workers; ++p)
    placement.push_back(static_cast<NpuId>(npus.empty() ? p : npus[p]));
  return placement;
}

PartitionSpec load_partition(const std::string& path, const std::vector<std::string>& overrides) {
  const config::Node root = config::load_document(path, "partition", "configs/studies/partition_small.yaml");
  config::Origins origins;
  PartitionSpec spec = partition_type()->read(config::Reader(root, "", origins));
  load_chain(spec, root);
  if (spec.platform_file.empty()) {
    if (!overrides.empty())
      throw std::invalid_argument("--set has no effect: " + path + " names no 'platform'");
    return spec;
  }
  spec.platform = config::load_platform(spec.platform_file, overrides);
  for (const NpuId npu : spec.placement())
    if (const std::uint32_t count = spec.platform->wafer.npu_count(); index_of(npu) >= count) {
      const char* const key = spec.npus.empty() ? "workers" : "npus";
      throw config::ConfigError(root.find(key)->place,
                                fmt::format("{}: NPU {} is not on {}, which has {} NPUs", key, index_of(npu),
                                            spec.platform->name, count));
    }
  return spec;
}

config::FileKind partition_file_kind() {
  return {partition_type().get(), "partition", "weights of a network and the workers that share them",
          [](const config::CheckRequest& request, std::ostream& out) {
            const PartitionSpec spec = load_partition(request.file);
            out << config::check_line(
                "partition", fmt::format("{}: {}, {}", spec.name, counted(spec.chain.size(), "layer"),
                                         counted(spec.workers, "worker")));
          }};
}

}  // namespace wafertlm::partition
