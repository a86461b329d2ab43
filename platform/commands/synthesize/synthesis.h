// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "workloads/collectives/planner.h"

namespace wafertlm {

/// More steps than this are a file of some ten megabytes, unless somebody asks for their chunks.
constexpr std::uint64_t kMostFileSteps = 200'000;

/// A collective that is planned to be written to a file.
struct Synthesis {
  CollectiveRequest request;  ///< algorithm and chunks set
  std::shared_ptr<const CollectiveProgram> program;
  CollectiveCost cost;
  double seconds = 0;             ///< that it took, of the processor
  std::uint32_t best_chunks = 0;  ///< 0: these are
};

/// Plans it. Chunks that are open are as many as the prediction likes, but no more than kMostFileSteps let.
/// @throws std::invalid_argument as plan_collective
Synthesis synthesize(CollectiveRequest request, const FabricTraits& fabric);

/// Trees and their depth (of packed_trees), steps, and what goes over the links, as statistics and text.
nlohmann::ordered_json statistics_of(const Synthesis& synthesis, const FabricTraits& fabric);
/// With what is added of the file.
nlohmann::ordered_json statistics_schema();
std::string statistics_text(const nlohmann::ordered_json& statistics);

}  // namespace wafertlm
