// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/file_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <utility>

#include "platform/describe/document.h"
#include "platform/spec/cores_spec.h"
#include "platform/spec/cost_spec.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/load.h"
#include "platform/spec/start_texts.h"
#include "platform/text/format.h"

namespace wafertlm::config {
namespace {

template <class S>
using Load = S (*)(const std::string&, const std::vector<std::string>&);

/// A kind that takes overrides and can be resolved.
template <class S>
FileKind whole(const std::shared_ptr<const Struct<S>>& type, Load<S> load, std::string command,
               std::string summary, std::string start = {}) {
  const auto check = [load](const CheckRequest& request, std::ostream& out) {
    const S spec = load(request.file, request.overrides);
    out << (request.resolved ? resolved_yaml(spec) : check_text(spec));
  };
  return {type.get(), std::move(command), std::move(summary), check, true, std::move(start)};
}

/// A part of another file that may be one of its own.
template <class S>
FileKind part(const std::shared_ptr<const Struct<S>>& type, std::string command, std::string summary) {
  const auto check = [type](const CheckRequest& request, std::ostream& out) {
    Origins origins;
    const Node root = load_document(request.file);
    out << check_line(type->keys().front().name, type->read(Reader(root, "", origins)).name);
  };
  return {type.get(), std::move(command), std::move(summary), check};
}

}  // namespace

std::string check_text(const ExperimentSpec& spec) {
  return fmt::format("experiment {}, {}\n", spec.name, counted(spec.iterations, "iteration"));
}

std::string check_text(const PlatformSpec& spec) {
  std::string text = check_line("platform", fmt::format("{}, {} NPUs", spec.name, spec.wafer.npu_count())) +
                     fabric_kind(spec.wafer).describe(spec.wafer);
  for (const std::string& each : spec.leaves_out) text += check_line("left out", each);
  return text;
}

std::string check_text(const WorkloadSpec& spec) { return check_line("workload", spec.name); }
std::string check_text(const StudySpec& spec) { return check_line("study", spec.name); }
std::string check_text(const ModelSpec& spec) {
  const model::Model model = build_model(spec);
  return check_line("model",
                    fmt::format("{}: {} parameters, {} operations forward per sample, {} blocks", model.name,
                                format_count(model::parameters(model)),
                                format_count(model::forward_operations(model)), model.blocks.size()));
}

const std::vector<FileKind>& spec_file_kinds() {
  static const std::vector<FileKind> rows = {
      whole<ExperimentSpec>(experiment_type(), load_experiment, "run", "a platform and what runs on it",
                            kExperimentStart),
      whole<PlatformSpec>(platform_type(), load_platform, "collective", "a wafer, its fabric and its NPUs",
                          kPlatformStart),
      whole<WorkloadSpec>(workload_type(), load_workload, "workload",
                          "traces, layers, or a model and how it is divided", kWorkloadStart),
      whole<ModelSpec>(model_type(), load_model, "", "the layers of a neural network"),
      whole<StudySpec>(study_type(), load_study, "study", "a grid of runs and what is read from them"),
      part<CostSpec>(cost_type(), "check", "prices and powers of a platform's parts"),
      part<NpuSpec>(npu_type(), "", "one NPU: how it computes, and its memory"),
      part<EndpointSpec>(endpoint_type(), "", "what a message costs an NPU"),
      part<EfficiencySpec>(efficiency_type(), "", "what part of its pins' bandwidth a memory delivers"),
      part<DramTimingSpec>(dram_timing_type(), "", "times of a memory's commands"),
      part<CoresSpec>(cores_type(), "model", "a wafer at the grain of its cores")};
  return rows;
}

const FileKind& spec_file_kind(const StructType& type) {
  const std::vector<FileKind>& rows = spec_file_kinds();
  return *std::find_if(rows.begin(), rows.end(), [&](const FileKind& row) { return row.type == &type; });
}

std::vector<std::string> preset_folders() {
  std::vector<std::string> folders;
  for (const FileKind& row : spec_file_kinds())
    if (!row.type->presets().empty()) folders.push_back(row.type->presets());
  return folders;
}

}  // namespace wafertlm::config
