// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/validate/validation_row.h"
#include "platform/describe/file_kind.h"
#include "platform/spec/npu_spec.h"
#include "tlm/kernel/units.h"

namespace wafertlm::validate {

/// A machine that tables of measurements name, the presets that stand for it, and what only training steps
/// want to know of it (configs/validation/systems.yaml).
struct MeasuredSystem {
  enum class Kind : std::uint8_t { gpu, tpu };

  std::string name;
  std::string pattern;  ///< of a row's system, else topology facts: a regular expression, whatever the case
  std::string accelerator;  ///< preset of a device
  std::string server;       ///< … of a platform whose first dimension is as large as the group, or a server
  std::string cluster;      ///< … of several servers; empty: none is published
  Kind kind = Kind::gpu;
  std::uint32_t gpus = 8;             ///< of a server
  std::uint32_t domain = 0;           ///< chips that the server's links join at most; 0: a server's
  std::uint64_t nic_bytes_per_s = 0;  ///< of a chip, if the row does not say it
  std::uint32_t devices = 1;          ///< of a chip; the accelerator is one of them
  std::uint32_t pcie = 0;             ///< generation of its 16 lanes to the host; 0: not known
  /// Of the BF16 peak, what an attention's kernel sustains forward and backward, causal; 0: as products.
  double attention_forward = 0, attention_backward = 0;
  std::uint32_t matrix_unit = 1;  ///< rows of a systolic array, which an attention's head fills or not
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
/// Null: none is known.
const MeasuredSystem* known_system(const ValidationRow& row);
/// @throws CannotSay: none is known.
const MeasuredSystem& system_of(const ValidationRow& row);
/// "h100", of the path of a preset.
std::string preset_name(const std::string& path);
/// The device. @throws CannotSay: no preset stands for it.
config::NpuSpec accelerator_of(const MeasuredSystem& system);
/// Payload of all links of a device within a server, each way. @throws CannotSay: no preset of a server.
double server_bytes_per_s(const MeasuredSystem& system);
/// Bytes/s of a GPU's share of the network interfaces that a text tells: "8 x 400 Gb/s NDR per node", "400
/// Gb/s per GPU", "4 x 400 Gb/s per 4-GPU tray"; none: it does not say it. `gpus`: of a server.
std::optional<double> nic_rate(const std::string& text, std::uint32_t gpus);
/// Null: no open row says it; then the preset's own.
const Intercept* intercept_of(const ValidationRow& row, const std::string& library);

}  // namespace wafertlm::validate
