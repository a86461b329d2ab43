// SPDX-License-Identifier: Apache-2.0
// What `wafertlm model cores` prints.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "platform/commands/model/cores/grid_runs.h"
#include "platform/describe/fields.h"

namespace wafertlm::core_runs {

struct CollectiveReport {
  std::string wafer, type;
  std::uint32_t columns, rows, wavelets;
  std::uint64_t clock_hz;
  std::vector<CollectiveTime> algorithms;
};
const results::Fields<CollectiveReport>& collective_fields();
std::string text_of(const CollectiveReport& report);

struct KernelReport {
  std::string wafer, what;
  std::uint32_t columns, rows;
  KernelTime time;
  std::uint64_t tokens = 0;  ///< that come out; 0: not of a decoder
  std::uint32_t layers = 0;
  double sample_s = 0;  ///< of training; 0: of none
};
const results::Fields<KernelReport>& kernel_fields();
std::string text_of(const KernelReport& report);

}  // namespace wafertlm::core_runs
