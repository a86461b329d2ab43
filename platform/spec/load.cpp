// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/load.h"

#include <fmt/format.h>

#include <array>
#include <sstream>

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

const std::string kResolvedHeading =
    "# The resolved configuration: every value, with the line that set it.\n";

template <class S>
std::string resolved(const S& spec, const Struct<S>& type) {
  return kResolvedHeading + write_yaml(type.write(spec), spec.origins);
}

/// Maps that may be large and are named by a file as well, and what it is called beside resolved.yaml.
constexpr std::array<std::pair<const char*, const char*>, 1> kTables = {
    {{"platform.npu.hbm.efficiency", "resolved.efficiency.yaml"}}};
constexpr std::size_t kLarge = 16 * 1024;  // bytes of text

Node* below(Node& root, const std::string& path) {
  Node* node = &root;
  std::istringstream keys(path);
  for (std::string key; node != nullptr && std::getline(keys, key, '.');) node = node->find(key);
  return node;
}

}  // namespace

ResolvedFiles resolved_files(const ExperimentSpec& spec) {
  Node root = experiment_type()->write(spec);
  Origins origins = spec.origins;
  ResolvedFiles files;
  for (const auto& [path, name] : kTables) {
    Node* const table = below(root, path);
    if (table == nullptr || table->kind != Node::Kind::map) continue;
    const Origins own = origins.below(path);
    std::string text = write_yaml(*table, own);
    if (text.size() < kLarge) continue;
    files.tables.emplace_back(name, "# Of the resolved configuration beside it.\n" + text);
    if (const Origin* const from = own.find(table->entries.front().key))
      origins.record(path, {from->place, ""});
    *table = Node::string(name);
  }
  files.yaml = kResolvedHeading + write_yaml(root, origins);
  return files;
}

PlatformSpec load_platform(const std::string& path, const std::vector<std::string>& overrides) {
  return load(load_document(path), overrides, *platform_type());
}

WorkloadSpec load_workload(const std::string& path, const std::vector<std::string>& overrides) {
  return load(load_document(path), overrides, *workload_type());
}

ModelSpec load_model(const std::string& path, const std::vector<std::string>& overrides) {
  return load(load_document(path), overrides, *model_type());
}

NpuSpec load_npu(const std::string& path, const std::vector<std::string>& overrides) {
  Node root = load_document(path);
  const Struct<NpuSpec>& type = *npu_type();
  type.load_files(root);
  for (const std::string& text : overrides) {
    apply_override(root, type, text);
    type.load_files(root);
  }
  Origins origins;
  return type.read(Reader(root, "", origins));
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
