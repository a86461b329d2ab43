// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/describe/node.h"
#include "platform/spec/experiment_spec.h"
#include "platform/spec/study_spec.h"

namespace wafertlm::config {

/// The entry points. All throw ConfigError, whose what() is one line with the place and the way out.
/// An override is "wafer.fabric.link_bandwidth=1.5 TB/s", as given to `--set`.
PlatformSpec load_platform(const std::string& path, const std::vector<std::string>& overrides = {});
WorkloadSpec load_workload(const std::string& path, const std::vector<std::string>& overrides = {});
ModelSpec load_model(const std::string& path, const std::vector<std::string>& overrides = {});
/// Loads the platform and the workload too. Overrides: wafer.…, npu.…, collectives.… and run.… change the
/// platform, workload.… the workload, the rest the experiment.
ExperimentSpec load_experiment(const std::string& path, const std::vector<std::string>& overrides = {});
/// The same of a map that is in no file of ours; its values have their places.
ExperimentSpec load_experiment(Node root, const std::vector<std::string>& overrides);

/// A file of key npu (configs/accelerators/).
NpuSpec load_npu(const std::string& path, const std::vector<std::string>& overrides = {});
/// A file of key npu.hbm.efficiency.
EfficiencySpec load_efficiency(const std::string& path);
StudySpec load_study(const std::string& path, const std::vector<std::string>& overrides = {});

/// Every value in canonical units, defaults included, with provenances and where it was written. Loading the
/// text gives an equal spec; that of an experiment holds its platform and workload.
std::string resolved_yaml(const PlatformSpec& spec);
std::string resolved_yaml(const WorkloadSpec& spec);
std::string resolved_yaml(const ModelSpec& spec);
std::string resolved_yaml(const ExperimentSpec& spec);
/// The same as resolved.yaml with its large tables (of a memory's efficiency: 180 KB) in files of their own
/// beside it, which it names: {name, text}.
struct ResolvedFiles {
  std::string yaml;
  std::vector<std::pair<std::string, std::string>> tables;
};
ResolvedFiles resolved_files(const ExperimentSpec& spec);
std::string resolved_yaml(const StudySpec& spec);

}  // namespace wafertlm::config
