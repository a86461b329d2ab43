// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/load.h"

#include <fmt/format.h>

#include "platform/describe/document.h"
#include "platform/describe/override.h"
#include "platform/describe/yaml_writer.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/file_kinds.h"

namespace wafertlm::config {

namespace {

template <class S>
S load(Node root, const std::vector<std::string>& overrides, const Struct<S>& type) {
  const FileKind* const kind = find_kind(root, spec_file_kinds());
  const std::string& own_key = type.keys().front().name;
  if (kind != nullptr && kind->type != &type)
    throw ConfigError(
        root.place,
        fmt::format("this file has the top-level key '{}'; expected a file with '{}'", kind->key(), own_key));
  type.load_files(root);
  std::vector<std::string> before;
  for (const std::string& text : overrides) {
    const std::string changed = apply_override(root, type, text);
    for (const std::string& earlier : before)
      if (earlier.compare(0, changed.size() + 1, changed + ".") == 0)
        throw ConfigError({"--set " + changed, 0, 0}, "it replaces everything below " + changed +
                                                          ", and so what --set " + earlier +
                                                          " changed before it; give it first");
    before.push_back(changed);
    type.load_files(root);  // the override may name a file
  }
  Origins origins;
  S spec = type.read(Reader(root, "", origins));
  spec.origins = std::move(origins);
  return spec;
}

template <class S>
std::string resolved(const S& spec, const Struct<S>& type) {
  return "# The resolved configuration: every value, with the line that set it.\n" +
         write_yaml(type.write(spec), spec.origins);
}

}  // namespace

PlatformSpec load_platform(const std::string& path, const std::vector<std::string>& overrides) {
  return load(load_document(path), overrides, *platform_type());
}

WorkloadSpec load_workload(const std::string& path, const std::vector<std::string>& overrides) {
  return load(load_document(path), overrides, *workload_type());
}

ModelSpec load_model(const std::string& path, const std::vector<std::string>& overrides) {
  return load(load_document(path), overrides, *model_type());
}

EfficiencySpec load_efficiency(const std::string& path) {
  Node root = load_document(path);
  Origins origins;
  return efficiency_type()->read(Reader(root, "", origins));
}

StudySpec load_study(const std::string& path, const std::vector<std::string>& overrides) {
  return load(load_document(path), overrides, *study_type());
}

ExperimentSpec load_experiment(const std::string& path, const std::vector<std::string>& overrides) {
  return load_experiment(load_document(path), overrides);
}

ExperimentSpec load_experiment(Node root, const std::vector<std::string>& overrides) {
  ExperimentSpec spec = load(std::move(root), overrides, *experiment_type());
  for (const Key& key : experiment_type()->keys()) {
    if (key.type->structure() == platform_type().get()) spec.platform.origins = spec.origins.below(key.name);
    if (key.type->structure() == inline_workload_type().get())
      spec.workload.origins = spec.origins.below(key.name);
  }
  return spec;
}

std::string resolved_yaml(const PlatformSpec& spec) { return resolved(spec, *platform_type()); }
std::string resolved_yaml(const WorkloadSpec& spec) { return resolved(spec, *workload_type()); }
std::string resolved_yaml(const ModelSpec& spec) { return resolved(spec, *model_type()); }
std::string resolved_yaml(const ExperimentSpec& spec) { return resolved(spec, *experiment_type()); }
std::string resolved_yaml(const StudySpec& spec) { return resolved(spec, *study_type()); }

}  // namespace wafertlm::config
