// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/describe/file_kind.h"

namespace wafertlm::config {

struct ExperimentSpec;
struct ModelSpec;
struct PlatformSpec;
struct StudySpec;
struct WorkloadSpec;

/// Experiments, platforms, workloads, models, studies, and their parts that may be files of their own. Their
/// `check` only reads.
const std::vector<FileKind>& spec_file_kinds();
/// Its row of this type.
const FileKind& spec_file_kind(const StructType& type);
/// Folders below configs/ whose files commands find by name.
std::vector<std::string> preset_folders();

/// What their `check` says.
std::string check_text(const ExperimentSpec& spec);
std::string check_text(const PlatformSpec& spec);
std::string check_text(const WorkloadSpec& spec);
std::string check_text(const ModelSpec& spec);
std::string check_text(const StudySpec& spec);

}  // namespace wafertlm::config
