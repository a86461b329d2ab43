// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/explanation.h"

#include <utility>

#include "platform/commands/libra/cell_times.h"

namespace wafertlm::optimize {

void explain_difference(const OptimizeSpec& spec, const std::filesystem::path& folder, SweepOptions engine,
                        Outcome& outcome) {
  const Point& point = outcome.best->point;
  const Cell cell = spec.cell(point, 0, false);
  model_gap::Question question = outcome.candidates.libra()->question(point, cell);
  question.no_latency = model_gap::least_latency(cell);
  model_gap::CellTimes times(cell.file, folder, std::move(engine));
  outcome.difference = model_gap::difference(
      question, [&](const std::vector<Cell>& cells) { return times.of(cells, "parts"); });
}

}  // namespace wafertlm::optimize
