// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "platform/commands/validate/validation_row.h"
#include "platform/describe/file_kind.h"
#include "tlm/kernel/units.h"

namespace wafertlm::validate {

/// Systems that tables of measurements name, and the presets that stand for them (configs/validation/).
struct MeasuredSystem {
  std::string pattern;  ///< of the row's system and topology facts: a regular expression, whatever the case
  std::string server;   ///< preset of a server; its first dimension is as large as the group, or a server
  std::string cluster;  ///< … of servers; empty: none is published
  std::uint32_t gpus = 8;             ///< of a server
  std::uint64_t nic_bytes_per_s = 0;  ///< of a GPU, if the row does not say it
};

/// The software's part of a small message, which is not derivable: of one open row of the system.
struct Intercept {
  std::string system;   ///< as the row writes it
  std::string library;  ///< "NCCL", "MSCCL++", "RCCL"
  TimePs launch_cost_ps = 0;
  std::string row;  ///< that says it
};

struct SystemsSpec {
  std::string name;
  std::vector<MeasuredSystem> systems;  ///< the first that matches
  std::vector<Intercept> intercepts;
};

config::FileKind systems_file_kind();
/// configs/validation/systems.yaml.
const SystemsSpec& measured_systems();
/// @throws CannotSay: there is none.
const MeasuredSystem& system_of(const ValidationRow& row);
/// Null: no open row says it; then the preset's own.
const Intercept* intercept_of(const ValidationRow& row, const std::string& library);

}  // namespace wafertlm::validate
