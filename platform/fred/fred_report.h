// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/fred/fred_phases.h"

namespace wafertlm {

/// What `wafertlm fred routes` is asked for, checked.
struct FredRoutesQuery {
  FredWaferShape shape;
  std::vector<std::uint32_t> ms;
  CollectiveType type = CollectiveType::all_reduce;
  std::string placement = "paper";
  std::uint64_t seed = 1;
  bool print_configurations = false;
};

/// "5 L1 switches of 4 NPUs, …".
std::string shape_text(const FredWaferShape& shape);
nlohmann::json shape_json(const FredWaferShape& shape);

/// The flows of every phase in every switch, and whether they route.
std::string routes_text(const FredRoutesQuery& query, const Parallelism& parallelism);
nlohmann::json routes_json(const FredRoutesQuery& query, const Parallelism& parallelism);

}  // namespace wafertlm
