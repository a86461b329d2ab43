// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "platform/config/load.h"
#include "platform/config/node.h"

namespace wafertlm::config {

/// JSON Schema (draft 2020-12) of every kind of file, made from the same descriptions as the reader. An
/// editor that is pointed at it completes and checks keys. It says less than the reader: no rules between
/// values.
std::string json_schema();
/// The same for one kind of file.
std::string json_schema(FileKind kind);

/// A written value as JSON: numbers and truth values as such, all else as text.
nlohmann::ordered_json to_json(const Node& node);

}  // namespace wafertlm::config
