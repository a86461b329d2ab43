// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "platform/describe/document.h"
#include "platform/describe/value_types.h"
#include "platform/describe/yaml_file.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/workload_spec.h"
#include "platform/text/suggest.h"
#include "workloads/astra_text/training_job.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm::config {

namespace {

TypePtr<std::string> built_in_models() { return one_of({"resnet50"}); }

/// The name of a built-in model, the path of a table, or a table.
class Layers : public TypeOf<LayersSpec> {
 public:
  LayersSpec read(const Reader& in) const override {
    LayersSpec layers;
    if (in.node().kind == Node::Kind::map)
      layers.table = model_type()->read(in);
    else
      layers.model = built_in_models()->read(in);
    return layers;
  }
  Node write(const LayersSpec& layers) const override {
    return layers.table ? model_type()->write(*layers.table) : Node::scalar(layers.model);
  }
  bool has_value(const LayersSpec& layers) const override { return layers.table || !layers.model.empty(); }
  std::optional<std::string> locate(const LayersSpec& layers, const void* address) const override {
    return layers.table ? model_type()->locate(*layers.table, address) : std::nullopt;
  }
  const StructType* structure() const override { return model_type().get(); }
  void load_files(Node& value) const override {
    const std::filesystem::path extension = std::filesystem::path(value.text).extension();
    if (value.kind != Node::Kind::scalar || extension == ".yaml" || extension == ".yml")
      load_file_or_map(value, *model_type());
  }
  bool may_be_annotated() const override { return false; }
  Json schema(SchemaStyle, SchemaDefs& defs) const override { return file_or_schema(*model_type(), defs); }
};

void require_file(const std::string& path, const void* culprit, const Check& check) {
  if (!is_readable_file(path))
    check.fail({culprit}, "there is no file {}{}", quoted(path), nearest_file(path));
}

void check_traces(const WorkloadSpec& workload, const Check& check) {
  if (workload.kind != WorkloadKind::traces) return;
  const TraceSpec& traces = workload.traces;
  const bool is_text = astra_text::is_text_workload(traces.path);
  const bool is_file = is_text || chakra::is_trace_file(traces.path);
  if (is_file && !traces.replicate)
    check.fail({&traces.path},
               "{} is one file: give '{}' too, for ranks that all run it, or the common start of the traces "
               "of all ranks "
               "(PREFIX for PREFIX.<rank>.et)",
               quoted(traces.path), check.path(&traces.replicate));
  if (!is_file && traces.replicate)
    check.fail({&traces.replicate}, "goes with one trace file (NAME.et), but {} is a prefix",
               check.path(&traces.path));
  if (is_file || !chakra::has_rank_files(traces.path))
    require_file(is_file ? traces.path : traces.path + ".0.et", &traces.path, check);
  if (!traces.comm_groups.empty()) require_file(traces.comm_groups, &traces.comm_groups, check);
  if (!traces.comm_groups.empty() && is_text)
    check.fail({&traces.comm_groups}, "a text workload has groups of its own; leave it out");
}

void check_placement(const WorkloadSpec& workload, const Check& check) {
  const std::vector<std::string> known = placement_policies();
  const std::string policy = workload.policy();
  if (policy.compare(0, 5, "file:") != 0 && std::find(known.begin(), known.end(), policy) == known.end())
    check.fail({&workload.placement}, "unknown placement {}{}", quoted(policy),
               suggestion(policy, known, "placements"));
}

void check_table(const WorkloadSpec& workload, const Check& check) {
  const LayersSpec& layers = workload.data_parallel.layers;
  if (workload.kind == WorkloadKind::data_parallel && layers.table && layers.table->kind != ModelKind::table)
    check.fail({&layers.table->name},
               "'{}' takes a table of layers; for another model write model: in its place, and parallelism: "
               "DP({}) in place of data_parallel",
               check.path(&layers), workload.data_parallel.data_parallel);
}

std::shared_ptr<const Struct<WorkloadSpec>> make_workload_type(const std::string& type_name,
                                                               bool needs_name) {
  const auto traces = [](auto member) { return at(&WorkloadSpec::traces, member); };
  const auto generated = [](auto member) { return at(&WorkloadSpec::data_parallel, member); };
  using W = WorkloadSpec;
  using T = TraceSpec;
  using D = DataParallelSpec;
  const auto ranks = integer<std::uint32_t>(1, 65'536);
  auto type = std::make_shared<Struct<W>>(type_name);
  type->presets_in("workloads");
  const std::string name_key = "workload", name_meaning = "Name of the workload";
  if (needs_name)
    type->required(name_key, &W::name, text(), name_meaning);
  else
    type->optional(name_key, &W::name, text(), name_meaning);
  type->optional("placement", &W::placement, maybe(text()),
                 "Which NPU each worker gets: paper, contiguous, grid, ring, entwined, row_major, random or "
                 "file:PATH; not given: paper, of traces and layers row_major");
  type->alternative(&W::kind, WorkloadKind::traces)
      .required("chakra", traces(&T::path), file_path("Chakra traces"),
                "Chakra traces, relative to this file: PREFIX for PREFIX.<rank>.et (or .et.gz, .json), or "
                "one such file; or a text workload (.txt) of ASTRA-sim 1.0 or SimAI")
      .optional("replicate", traces(&T::replicate), maybe(ranks), "So many ranks run the one file")
      .optional("dependencies", traces(&T::dependencies),
                one_of<chakra::Dependencies>({"all", "existing", "data"}),
                "Which dependencies count. all: every one, its node must be there; existing: those on nodes "
                "that are not in the trace count as satisfied; data: control dependencies are left out")
      .optional("communication", traces(&T::communication),
                one_of<TraceCommunication>({"simulated", "recorded"}),
                "simulated on the platform's fabric, or recorded: as long as the trace says, whatever the "
                "fabric")
      .optional("comm_groups", traces(&T::comm_groups), file_path("a JSON file"),
                "JSON file with the members of the process groups")
      .optional("placed_as", traces(&T::placed_as), maybe(parallelism_type()),
                "The parallelism of the job whose traces these are, which the placements paper and "
                "contiguous go by; not given: every rank for itself");
  type->alternative(&W::kind, WorkloadKind::data_parallel)
      .required("layers", generated(&D::layers), std::make_shared<const Layers>(),
                "Layers of the model: name of a built-in model, a layer table, or the YAML file of one")
      .required("data_parallel", generated(&D::data_parallel), ranks, "Number of NPUs that share the batch")
      .required("batch_per_npu", generated(&D::batch_per_npu), integer<std::uint64_t>(1, 1'000'000'000),
                "Samples of one NPU in one iteration")
      .required("effective_rate", generated(&D::effective_rate_operations_per_s), any_compute_rate(),
                "Compute rate that an NPU sustains on these layers")
      .optional("bucket_bytes", generated(&D::bucket_bytes), any_size("1 B", "1 PB"),
                "Gradients are reduced in buckets of this size")
      .optional("bytes_per_element", generated(&D::bytes_per_element), integer<std::uint32_t>(1, 8),
                "Bytes of one gradient element")
      .optional("overlap", generated(&D::overlap), boolean(), "Reduce gradients during the backward pass")
      .check(check_placement)
      .check(check_traces)
      .check(check_table);
  add_training_keys(*type);
  return type;
}

}  // namespace

std::shared_ptr<const Struct<WorkloadSpec>> workload_type() {
  static const auto type = make_workload_type("workload_file", true);
  return type;
}

std::shared_ptr<const Struct<WorkloadSpec>> inline_workload_type() {
  static const auto type = make_workload_type("workload", false);
  return type;
}

Parallelism WorkloadSpec::placed_as(std::uint32_t ranks) const {
  if (kind == WorkloadKind::training) return training.strategy.degrees;
  Parallelism degrees;
  degrees.dp = ranks;
  return traces.placed_as.value_or(degrees);
}

}  // namespace wafertlm::config
