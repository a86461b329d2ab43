// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tlm/cores/core_program.h"

namespace wafertlm::cores {

/// A program that these cores cannot run: its parts wait for each other, or it needs more colours than
/// routers have.
class CoreProgramError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// What a run of a program found; times in cycles from the start of the earliest core.
struct CoreRun {
  std::vector<Cycle> ends;            ///< of each core
  std::vector<std::uint64_t> values;  ///< of each core's blocks, one after the other
  Cycle cycles = 0;                   ///< the last core's end
  std::uint64_t wavelet_hops = 0;     ///< of all wavelets over all links
  Cycle busiest_link = 0;             ///< wavelets over the link that carries most
  Cycle busiest_core = 0;             ///< cycles that a core computes and takes in, or sends, the most of all
  std::uint64_t operations = 0;       ///< that were simulated
};

/// Runs a program core by core. Exact to the cycle for what it models: a core takes in one wavelet a cycle; a
/// wavelet leaves a core a cycle after it was read or summed, needs T_R to the router, a cycle a hop, T_R to
/// the core. Wavelets that a core does not take yet stand still on their route and leave links to others;
/// their sender goes on meanwhile. Routes that share a link follow one another on it. `starts`: of each core,
/// or empty: all at 0. `values`: one number for each core and block; a sum's parts are added as wavelets
/// would be.
/// @throws CoreProgramError: a deadlock, with the cores that wait; too many colours.
CoreRun run_cores(const CoreProgram& program, const CoreParams& params, const std::vector<Cycle>& starts = {},
                  std::vector<std::uint64_t> values = {});

}  // namespace wafertlm::cores
