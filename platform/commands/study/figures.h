// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/commands/study/cell_runner.h"
#include "platform/commands/study/grid/grid.h"

namespace wafertlm {

/// A value of a column, and its half-width at 95 % where runs were sampled or there are seeds; 0: it is
/// exact.
struct Figure {
  nlohmann::json value;
  double half_width = 0;
  std::optional<std::pair<double, double>> range = {};  ///< least and most over the seeds
};

/// The columns of every cell: what was read, and what is made of it. With axes that have a line_to what is
/// read is on the line, with an axis of seeds all figures are means over them, so all cells that differ in
/// these axes alone have the same figures.
class Figures {
 public:
  Figures(const config::StudySpec& study, const std::vector<Cell>& cells,
          const std::vector<CellOutcome>& outcomes);

  /// Null when a cell that it needs is missing or has failed, or a divisor is 0.
  nlohmann::json value(const std::vector<std::string>& cell, const std::string& column) const {
    return figure(cell, column).value;
  }
  /// With its half-width: of the values for the seeds (Student), and where runs were sampled, sums and
  /// quotients as if all were off in the worst direction, for runs of one seed are not independent.
  Figure figure(const std::vector<std::string>& cell, const std::string& column) const;

  /// Whether the cell stands for those that differ from it in axes with line_to or seeds alone: the first.
  bool is_shown(const Cell& cell) const;
  /// What was read in this very cell.
  bool is_over(const std::vector<std::string>& cell) const;
  nlohmann::json measured(const std::vector<std::string>& cell, const std::string& column) const;
  const config::ColumnSpec& column(const std::string& name) const;
  /// Whether the cell's axes and columns are as the selection says.
  bool is_in(const Cell& cell, const config::Selection& selection) const;
  /// Of the columns' cells; null when there is none.
  Figure summary(const config::SummarySpec& spec) const;

 private:
  Figure of_one_seed(const std::vector<std::string>& cell, const std::string& column) const;
  /// On the lines of the axes from `axis` on.
  Figure on_line(std::vector<std::string> cell, const std::string& column, std::size_t axis) const;
  Figure quotient(const std::vector<std::string>& cell, const config::ColumnSpec& column) const;
  double measured_half_width(const std::vector<std::string>& cell, const std::string& column) const;

  const config::StudySpec& study_;
  const std::vector<Cell>& cells_;
  const std::vector<CellOutcome>& outcomes_;
  std::map<std::vector<std::string>, std::size_t> index_;  // of a cell, by its values
  std::map<std::vector<std::string>, std::size_t> first_;  // by the values without those of lines and seeds
};

/// How far lines miss the cells that they do not go through.
struct Straightness {
  std::size_t axis = 0;
  std::string column, cell;  ///< the worst one; a cell's name
  double off = 0;            ///< line over measured, less 1
  std::size_t checks = 0;    ///< cells that were looked at
};
std::vector<Straightness> straightness(const config::StudySpec& study, const std::vector<Cell>& cells,
                                       const Figures& figures);

/// The cells (values by axis; some may be excepted) whose results the column of a cell is made of.
std::vector<std::vector<std::string>> needed_for(const config::StudySpec& study, const Cell& cell,
                                                 const std::string& column);

}  // namespace wafertlm
