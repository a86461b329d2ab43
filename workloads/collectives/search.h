// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {

constexpr std::uint32_t kMaxSearchedChunks = 64;

/// The request with this algorithm, and its default_chunks if they are open.
CollectiveRequest with_algorithm(CollectiveRequest request, const std::string& name,
                                 const FabricTraits& fabric);

/// The one with the shortest closed form; of those within 2 % of it the first.
CollectiveRequest shortest_closed_form(const std::vector<std::string>& names,
                                       const CollectiveRequest& request, const FabricTraits& fabric);

/// How far a search goes beyond the shortest closed form.
struct SearchEffort {
  bool all_chunks;   ///< open chunks are 1, 2, 4 … kMaxSearchedChunks and default_chunks (best_chunks:
                     ///< twice and half of it); else only these
  unsigned percent;  ///< closed forms up to so much of the shortest prediction are looked at; with
                     ///< simulations also the shortest of each algorithm
  std::size_t predictions;  ///< at most so many
  std::size_t simulations;  ///< of the shortest predictions so many are simulated (simulated_ps)
};
constexpr SearchEffort kQuick{false, 140, 8, 0}, kThorough{true, 170, 24, 3};

/// The one with the shortest prediction (predicted_ps), looked for in the order of the closed forms; of those
/// within 2 % of it the first by name, with the fewest chunks. With simulations the one with the shortest of
/// these. Without FabricTraits::idle_ps predictions are closed forms.
CollectiveRequest search_fastest(const std::vector<std::string>& names, const CollectiveRequest& request,
                                 const FabricTraits& fabric, const SearchEffort& effort);

}  // namespace wafertlm
