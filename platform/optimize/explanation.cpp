// SPDX-License-Identifier: Apache-2.0
#include "platform/optimize/explanation.h"

#include <utility>

#include "platform/config/config_error.h"
#include "platform/model_gap/cell_times.h"

namespace wafertlm::optimize {
namespace {

/// Fabrics that move packets have links of 1 ps at least.
std::string least_latency(const model_gap::Question& question) {
  Cell cell = question.base;
  cell.overrides.emplace_back("wafer.fabric.dimensions[0].latency=0 ps");
  try {
    model_gap::require_sound(cell);
    return "0 ps";
  } catch (const config::ConfigError&) {
    return "1 ps";
  }
}

}  // namespace

void explain_difference(const OptimizeSpec& spec, const std::filesystem::path& folder, SweepOptions engine,
                        Outcome& outcome) {
  const Point& point = outcome.best->point;
  const Cell cell = spec.cell(point, 0, false);
  model_gap::Question question = outcome.candidates.libra()->question(point, cell);
  question.no_latency = least_latency(question);
  model_gap::CellTimes times(cell.file, folder, std::move(engine));
  outcome.difference = model_gap::difference(
      question, [&](const std::vector<Cell>& cells) { return times.of(cells, "parts"); });
}

}  // namespace wafertlm::optimize
