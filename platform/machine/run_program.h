// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/program/program.h"

namespace wafertlm {

/// What a program took on an idle wafer.
struct ProgramResult {
  TimePs time_ps = 0;  ///< until its last rank is done
  std::uint64_t packet_hops = 0;
  std::uint64_t busiest_link_payload_bytes = 0;  ///< of the links between routers
  bool proven = false;                           ///< with run.functional: every value was right
};

/// Builds a platform and runs a program on it, which all ranks enter at time 0. To be called once, from
/// sc_main.
/// @param platform_file YAML; `overrides` as after --set: "run.functional=true"
/// @throws config::ConfigError, std::invalid_argument: bad input; std::runtime_error: it does not finish
/// (what every stuck NPU waits for), or a value is wrong
ProgramResult run_program(const std::string& platform_file, const std::vector<std::string>& overrides,
                          std::shared_ptr<const CollectiveProgram> program,
                          const std::string& traffic_class = "dp");

}  // namespace wafertlm
