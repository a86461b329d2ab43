// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <ostream>
#include <utility>

#include "platform/commands/comet/cluster.h"
#include "platform/describe/document.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/override.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/describe/yaml_writer.h"
#include "platform/text/quantity.h"

namespace wafertlm::comet {
namespace {

/// A whole quantity, held as a double.
class HeldAsDouble : public config::TypeOf<double> {
 public:
  explicit HeldAsDouble(config::TypePtr<std::uint64_t> type) : type_(std::move(type)) {}
  double read(const config::Reader& in) const override { return static_cast<double>(type_->read(in)); }
  config::Node write(const double& value) const override {
    return type_->write(static_cast<std::uint64_t>(value));
  }
  config::Json schema(config::SchemaStyle style, config::SchemaDefs& defs) const override {
    return type_->schema(style, defs);
  }

 private:
  config::TypePtr<std::uint64_t> type_;
};

std::shared_ptr<const config::Struct<Dlrm>> dlrm_type() {
  using namespace config;
  static const auto type = [] {
    const auto count = integer<std::uint64_t>(1, 1'000'000'000'000);
    const auto widths = list_of<std::uint64_t>(integer<std::uint64_t>(1, 1'000'000), 2, 1000);
    auto made = std::make_shared<Struct<Dlrm>>("comet_dlrm");
    made->required("tables", &Dlrm::tables, count, "Of embeddings")
        .required("rows", &Dlrm::rows, count, "Of a table")
        .required("dimension", &Dlrm::dimension, count, "Values of a row (fp32)")
        .required("pooling", &Dlrm::pooling, count, "Rows of a table that a sample looks up")
        .required("bottom", &Dlrm::bottom, widths, "Widths of the perceptron below, the input first")
        .required("top", &Dlrm::top, widths, "Of that above")
        .required("batch", &Dlrm::batch, count, "Samples of an instance in an iteration");
    return made;
  }();
  return type;
}

std::shared_ptr<const config::Struct<ClusterSpec>> cluster_type() {
  using namespace config;
  using C = ClusterSpec;
  static const auto type = [] {
    auto made = std::make_shared<Struct<C>>("comet");
    const auto count = integer<std::uint32_t>(1, 1'000'000);
    const auto layers = integer<std::uint64_t>(1, 1'000'000);
    const auto bandwidth = std::make_shared<const HeldAsDouble>(any_bandwidth());
    const auto size = std::make_shared<const HeldAsDouble>(any_size("0 B", "1 PB"));
    const auto bit = real_quantity(energy_per_bit_dimension(), "0 J/bit", "1 uJ/bit");
    made->required("comet", &C::name, text(), "Name of the cluster")
        .optional("layers", at(&C::model, &Transformer::layers), layers, "Of the transformer")
        .optional("hidden", at(&C::model, &Transformer::hidden), layers, "Size of a token")
        .optional("heads", at(&C::model, &Transformer::heads), layers, "Of the attention")
        .optional("sequence", at(&C::model, &Transformer::sequence), layers, "Tokens")
        .optional("vocabulary", at(&C::model, &Transformer::vocabulary), layers, "Tokens there are")
        .optional("npus", &C::npus, count, "A power of two")
        .optional("npus_per_node", &C::npus_per_node, count, "A power of two")
        .optional("peak", &C::peak, any_compute_rate(), "Of an NPU")
        .optional("gemm_efficiency", &C::gemm_efficiency, number(0.001, 1), "Calibrated: part of the peak")
        .optional("local_capacity", &C::local_capacity, size, "Memory of an NPU")
        .optional("local_bandwidth", &C::local_bandwidth, bandwidth, "Of that")
        .optional("expanded_capacity", &C::expanded_capacity, size, "More memory; 0 B: none")
        .optional("expanded_bandwidth", &C::expanded_bandwidth, bandwidth, "Of that")
        .optional("streams", &C::streams, one_of<Streams>({"serial", "parallel"}),
                  "Whether local and expanded memory are read at the same time")
        .optional("placement", &C::placement, one_of<Placement>({"interleaved", "optimizer_first"}),
                  "Calibrated: which tensors live in expanded memory")
        .optional("buffer", &C::buffer, any_size("1 B", "1 TB"), "On chip, for operands of products")
        .optional("node_bandwidth", &C::node_bandwidth, bandwidth, "Of an NPU inside its node")
        .optional("network_bandwidth", &C::network_bandwidth, bandwidth, "Of an NPU between nodes")
        .optional("batch", &C::batch, count, "Calibrated: sequences in all")
        .optional("microbatch", &C::microbatch, count, "Calibrated: sequences whose activations are held")
        .optional("recompute", &C::recompute, boolean(), "Calibrated: activations are computed again")
        .optional("dlrm", &C::dlrm, maybe<Dlrm>(dlrm_type()), "In place of the transformer")
        .optional("operation_energy", at(&C::energy, &EnergySpec::operation_j), number(0, 1e-6), "J of one")
        .optional("local_energy", at(&C::energy, &EnergySpec::local_bit_j), bit, "Of local memory")
        .optional("expanded_energy", at(&C::energy, &EnergySpec::expanded_bit_j), bit, "Of expanded memory")
        .optional("node_energy", at(&C::energy, &EnergySpec::node_bit_j), bit, "Inside a node")
        .optional("network_energy", at(&C::energy, &EnergySpec::network_bit_j), bit, "Between nodes")
        .optional("dp_overlap", &C::dp_overlap, number(0, 1),
                  "Calibrated: part of the backward pass behind which gradients are summed")
        .check([](const C& spec, const Check& check) {
          const auto is_power = [](std::uint32_t value) { return (value & (value - 1)) == 0; };
          if (!is_power(spec.npus)) check.fail({&spec.npus}, "must be a power of two");
          if (!is_power(spec.npus_per_node)) check.fail({&spec.npus_per_node}, "must be a power of two");
          if (spec.model.hidden % spec.model.heads != 0)
            check.fail({&spec.model.heads}, "must divide hidden ({})", spec.model.hidden);
          if (spec.batch < spec.npus)
            check.fail({&spec.batch}, "must be {} or more: DP goes up to that", spec.npus);
        });
    return made;
  }();
  return type;
}

}  // namespace

ClusterSpec load_cluster(const std::string& path, const std::vector<std::string>& overrides) {
  config::Node root = config::load_document(path, "comet", "configs/studies/comet_transformer_1t.yaml");
  for (const std::string& text : overrides) config::apply_override(root, *cluster_type(), text);
  config::Origins origins;
  return cluster_type()->read(config::Reader(root, "", origins));
}

config::FileKind cluster_file_kind() {
  return {cluster_type().get(), "comet", "a cluster and a model for COMET's closed forms",
          [](const config::CheckRequest& request, std::ostream& out) {
            out << config::check_line("comet", load_cluster(request.file).name);
          }};
}

std::string resolved_cluster(const ClusterSpec& spec) {
  return config::write_yaml(cluster_type()->write(spec));
}

}  // namespace wafertlm::comet
