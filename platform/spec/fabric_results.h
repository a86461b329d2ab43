// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

class Fabric;

/// Where a rank of an iteration only waited for communication, for `wafertlm explain`.
struct ExposedTime {
  std::vector<std::pair<TimePs, TimePs>> stretches;  ///< in order of time
  TimePs start_ps = 0, end_ps = 0;                   ///< of the iteration
  /// In words: "all_to_all 12"; 0: a message from rank to rank.
  std::function<std::string(std::uint64_t operation)> name_of;
};

/// What a kind of fabric adds to results.json, to the printed table, and to what `explain` says.
struct FabricResults {
  using Json = nlohmann::ordered_json;
  const char* name;  ///< of the field
  Json schema;
  std::function<Json(const Fabric& fabric)> json;
  /// Lines, from what json() made; they begin with an empty one.
  std::function<std::string(const Json& of)> text;
  /// Before a run that `explain` looks at; perhaps nothing. Then what the fabric has to say, lines.
  std::function<void(Fabric& fabric)> watch = {};
  std::function<std::string(const Fabric& fabric, const ExposedTime& exposed)> explain = {};
};

}  // namespace wafertlm
