// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/calibration.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "platform/commands/study/figures.h"
#include "platform/text/config_error.h"
#include "tlm/input/number.h"

namespace wafertlm {
namespace {

using config::CalibrationSpec;
using config::quoted;
using config::StudySpec;
using nlohmann::json;

constexpr std::uint32_t kMaxSteps = 100;

/// "1.5 PFLOPS" as 1.5 and " PFLOPS".
std::pair<double, std::string> number_and_unit(const std::string& text) {
  const auto number = leading_number(text);
  if (!number) throw std::invalid_argument("between: " + quoted(text) + " does not start with a number");
  return {number->value, text.substr(number->length)};
}

/// One bisection: which values it wants to know next, and what it makes of the answers.
class Search {
 public:
  Search(const StudySpec& study, const CalibrationSpec& spec, const std::vector<Cell>& cells)
      : study_(study), spec_(spec) {
    result_.spec = &spec;
    const auto low = number_and_unit(spec.between.front()), high = number_and_unit(spec.between.back());
    low_ = low.first;
    high_ = high.first;
    unit_ = low.second;
    if (low.second != high.second || !(low_ < high_))
      throw std::invalid_argument(
          fmt::format("calibration {}: between needs two values with the same unit, the smaller one first",
                      quoted(spec.name)));
    config::Selection one = spec.at;
    one.insert(one.end(), spec.cell.begin(), spec.cell.end());
    const auto target =
        std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) { return is_in(study, cell, one); });
    if (target == cells.end())
      throw std::invalid_argument("calibration " + quoted(spec.name) + ": its cell is left out by 'except'");
    target_ = *target;
    for (const auto& values : needed_for(study, target_, spec.column))
      for (const Cell& cell : cells)
        if (cell.values == values) needed_.push_back(cell);
  }

  bool is_over() const { return !result_.value.empty() || !result_.error.empty(); }
  const Calibrated& result() const { return result_; }

  /// The cells that the next step needs, and how many values of the key they are for.
  std::vector<Cell> wanted() const {
    std::vector<Cell> wanted;
    for (const double value : next_values())
      for (Cell cell : needed_) {
        if (is_in(study_, cell, spec_.at)) cell.overrides.push_back(spec_.key + "=" + text_of(value));
        wanted.push_back(std::move(cell));
      }
    return wanted;
  }

  void take(const std::vector<CellOutcome>& outcomes) {
    ++result_.steps;
    std::vector<double> columns;
    const std::vector<double> values = next_values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto first = outcomes.begin() + static_cast<std::ptrdiff_t>(i * needed_.size());
      const std::vector<CellOutcome> own(first, first + static_cast<std::ptrdiff_t>(needed_.size()));
      for (const CellOutcome& outcome : own)
        if (!outcome.error.empty())
          return fail(
              fmt::format("a run with {}={} failed: {}", spec_.key, text_of(values[i]), outcome.error));
      const json column = Figures(study_, needed_, own).value(target_.values, spec_.column);
      if (!column.is_number()) return fail("the column has no number there");
      columns.push_back(column.get<double>());
    }
    if (values.size() == 2)
      take_ends(columns);
    else
      take_middle(values.front(), columns.front());
  }

 private:
  std::vector<double> next_values() const {
    if (!knows_ends_) return {low_, high_};
    const double middle = low_ > 0 ? std::sqrt(low_ * high_) : (low_ + high_) / 2;
    if (!halved_) return {middle};
    // Where a line between the ends meets the target, over 1/key if keys are positive (what an NPU computes
    // takes work/rate); a little toward the farther end, so that this end, too, comes near the root.
    const auto x = [this](double key) { return low_ > 0 ? 1 / key : key; };
    const double met = x(low_) + (spec_.target - at_low_) / (at_high_ - at_low_) * (x(high_) - x(low_));
    const double far = std::abs(met - x(low_)) > std::abs(met - x(high_)) ? x(low_) : x(high_);
    const double aside = std::copysign(0.3 * spec_.within_percent / 100 * met, far - met);
    const double guess = x(met + aside);
    return {guess > low_ && guess < high_ ? guess : middle};
  }
  std::string text_of(double value) const { return fmt::format("{:.8g}{}", value, unit_); }
  bool is_near(double column) const {
    return std::abs(column - spec_.target) <= std::abs(spec_.target) * spec_.within_percent / 100;
  }
  void fail(const std::string& why) { result_.error = why; }

  void take_ends(const std::vector<double>& columns) {
    rises_ = columns.back() > columns.front();
    if ((columns.front() - spec_.target) * (columns.back() - spec_.target) > 0)
      return fail(fmt::format("{} goes from {:.4g} at {} to {:.4g} at {}, and is never {:.4g}",
                              quoted(spec_.column), columns.front(), text_of(low_), columns.back(),
                              text_of(high_), spec_.target));
    at_low_ = columns.front();
    at_high_ = columns.back();
    knows_ends_ = true;
  }

  void take_middle(double value, double column) {
    const double width = high_ - low_;
    const bool is_low = (column < spec_.target) == rises_;
    (is_low ? low_ : high_) = value;
    (is_low ? at_low_ : at_high_) = column;
    halved_ = high_ - low_ <= width / 2;
    const double scale = std::max(std::abs(low_), std::abs(high_));
    if (high_ - low_ <= scale * spec_.within_percent / 100 && is_near(column)) {
      result_.value = text_of(value);
      result_.column = column;
    } else if (result_.steps >= kMaxSteps || high_ - low_ <= scale * 1e-7) {
      fail(fmt::format("{} jumps past {:.4g} near {}: it is {:.6g} there", quoted(spec_.column), spec_.target,
                       text_of(value), column));
    }
  }

  const StudySpec& study_;
  const CalibrationSpec& spec_;
  Cell target_;
  std::vector<Cell> needed_;
  double low_ = 0, high_ = 0, at_low_ = 0, at_high_ = 0;  // keys, columns
  std::string unit_;
  bool knows_ends_ = false, rises_ = false;
  bool halved_ = true;  // by the last step; otherwise the next one does
  Calibrated result_;
};

}  // namespace

std::vector<Calibrated> calibrate(const StudySpec& study, const std::vector<Cell>& cells,
                                  CellRunner& runner) {
  std::vector<Search> searches;
  for (const CalibrationSpec& spec : study.calibrations) searches.emplace_back(study, spec, cells);
  for (std::uint32_t step = 1;; ++step) {
    std::vector<CellJob> jobs;
    std::vector<std::pair<Search*, std::size_t>> shares;
    for (Search& search : searches) {
      if (search.is_over()) continue;
      const std::vector<Cell> wanted = search.wanted();
      for (const Cell& cell : wanted) jobs.push_back(job_of(study, cell));
      shares.emplace_back(&search, wanted.size());
    }
    if (shares.empty()) break;
    const std::vector<CellOutcome> outcomes = runner.run(jobs, fmt::format("calibration, step {}", step));
    auto first = outcomes.begin();
    for (const auto& [search, count] : shares) {
      const auto last = first + static_cast<std::ptrdiff_t>(count);
      search->take({first, last});
      first = last;
    }
  }
  std::vector<Calibrated> results;
  for (const Search& search : searches) results.push_back(search.result());
  return results;
}

std::vector<std::string> apply(const StudySpec& study, const std::vector<Calibrated>& found,
                               std::vector<Cell>& cells) {
  std::vector<std::string> errors(cells.size());
  for (const Calibrated& each : found)
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!is_in(study, cells[i], each.spec->at)) continue;
      if (each.error.empty())
        cells[i].overrides.push_back(each.spec->key + "=" + each.value);
      else
        errors[i] = fmt::format("calibration {}: {}", quoted(each.spec->name), each.error);
    }
  return errors;
}

}  // namespace wafertlm
