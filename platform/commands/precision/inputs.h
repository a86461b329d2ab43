// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/commands/precision/step_cost.h"

namespace wafertlm::config {
struct FileKind;
}

namespace wafertlm::precision {

/// What computes, as a file has it; a peak of 0: there is no unit for it.
struct MachineSpec {
  std::array<double, kFormats.size()> peaks{};
  double vector_rate = 0;
  std::uint64_t memory_bandwidth = 1, link_bandwidth = 0;  ///< bytes per second; link 0: none
  std::uint32_t ranks = 1;
};

struct SettingSpec {
  std::string name;
  Formats formats;
};

/// A file with the top-level key `precision`.
struct PrecisionSpec {
  std::string name;
  MachineSpec machine;
  Pass pass = Pass::inference;
  std::uint64_t batch = 1;
  std::vector<std::string> models;
  std::vector<SettingSpec> settings;

  Machine built_machine() const;
};

/// Names that a file may use: mobilenet_v2, vgg19, densenet121, gpt2_small.
const std::vector<std::string>& model_names();
model::Model model_named(const std::string& name);

/// @throws config::ConfigError.
PrecisionSpec load_precision(const std::string& path);
/// The row of such files.
config::FileKind precision_file_kind();

}  // namespace wafertlm::precision
