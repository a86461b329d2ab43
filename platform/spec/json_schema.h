// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/spec/load.h"

namespace wafertlm::config {

/// JSON Schema (draft 2020-12) of every kind of file, made from the same descriptions as the reader. An
/// editor that is pointed at it completes and checks keys. It says less than the reader: no rules between
/// values.
std::string json_schema();
/// The same for one kind of file.
std::string json_schema(FileKind kind);

}  // namespace wafertlm::config
