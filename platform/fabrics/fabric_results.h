// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace wafertlm {

class Fabric;

/// What a kind of fabric adds to results.json and to the printed table.
struct FabricResults {
  using Json = nlohmann::ordered_json;
  const char* name;  ///< of the field
  Json schema;
  std::function<Json(const Fabric& fabric)> json;
  /// Lines, from what json() made; they begin with an empty one.
  std::function<std::string(const Json& of)> text;
};

}  // namespace wafertlm
