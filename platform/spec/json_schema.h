// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/describe/file_kind.h"

namespace wafertlm::config {

/// JSON Schema (draft 2020-12) of these kinds of files, made from the same descriptions as the reader. An
/// editor that is pointed at it completes and checks keys. It says less than the reader: no rules between
/// values.
std::string json_schema(const std::vector<FileKind>& kinds);
/// The same for one kind of file.
std::string json_schema(const FileKind& kind);

}  // namespace wafertlm::config
