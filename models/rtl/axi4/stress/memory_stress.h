// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/rtl/axi4/port.h"
#include "models/rtl/axi4/stress/random_bursts.h"

namespace wafertlm {

struct Axi4StressOptions {
  std::uint64_t seed = 1;            ///< of the first case; the next ones count on
  std::uint32_t cases = 0;           ///< 0: as many as fit into `seconds`
  double seconds = 60;               ///< of processor time; 0: no limit
  std::uint32_t transactions = 300;  ///< of a case
  std::uint32_t shrink_plays = 500;
};

struct Axi4StressResult {
  bool passed() const { return !failure.has_value(); }
  std::uint64_t cases = 0, transactions = 0, beats = 0, cycles = 0;
  std::optional<Axi4Violation> failure;
  std::uint64_t failed_seed = 0;
  std::vector<std::string> stimulus;  ///< what is left of the failing case, a line each
};

using Axi4Progress = std::function<void(const Axi4StressResult& so_far)>;

/// Random bursts and stalls at a slave that is a memory, every byte compared with an Axi4Reference. Bursts
/// that touch the same bytes are not under way together if one of them writes.
/// @param twin a second model of the design (Axi4Bench::set_twin); null: none
/// @throws std::runtime_error: an assertion of the RTL
Axi4StressResult stress_axi4_memory(const RtlDesign& design, RtlModel& model, RtlModel* twin,
                                    const Axi4StressOptions& options, const Axi4Progress& progress = {});

/// Bursts that are issued in their order, and the first rule that breaks. The reset comes first.
struct Axi4Play {
  std::vector<Axi4Transaction> transactions;
  Axi4Stalls stalls;
  std::size_t most_under_way = 16;
};
struct Axi4PlayResult {
  std::optional<Axi4Violation> failure;
  std::uint64_t transactions = 0, beats = 0, cycles = 0;
};
Axi4PlayResult play_axi4(const RtlDesign& design, RtlModel& model, RtlModel* twin, const Axi4Play& play);

}  // namespace wafertlm
