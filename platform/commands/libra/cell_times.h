// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "platform/commands/libra/difference.h"
#include "platform/commands/study/cell_runner.h"

namespace wafertlm::model_gap {

/// Times of cells that are runs of an experiment; results are kept in folder/cells, as in studies.
class CellTimes {
 public:
  CellTimes(const std::string& experiment, const std::filesystem::path& folder, SweepOptions engine);
  /// `what` is for the line that says how far it is. A cell that cannot be run has an error.
  std::vector<Run> of(const std::vector<Cell>& cells, const std::string& what);

 private:
  config::StudySpec study_;
  std::unique_ptr<CellRunner> runner_;
};

/// @throws config::ConfigError: the run of this cell would refuse its configuration.
void require_sound(const Cell& cell);
/// Of a link in the cell's fabric of dimensions: packets need "1 ps", else "0 ps".
std::string least_latency(Cell cell);

}  // namespace wafertlm::model_gap
