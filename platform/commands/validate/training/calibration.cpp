// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/calibration.h"

#include <fmt/core.h>

#include <vector>

#include "platform/commands/validate/rows_file.h"
#include "platform/commands/validate/training/iteration.h"
#include "platform/commands/validate/training/units.h"
#include "platform/host/presets.h"

namespace wafertlm::validate::steps {
namespace {

constexpr double kLeastSustained = 0.01, kMostSustained = 1.5;

double said(const ValidationRow& row, const JobSetup& setup, double sustained) {
  return in_unit(unit_of(row.unit).value_or(Unit::seconds), setup, iteration_of(setup, sustained).time);
}

bool is_lower(Precision precision) { return precision != Precision::bf16; }

/// The more, the nearer.
int nearness(const JobSetup& of, const JobSetup& to) {
  int points = 0;
  if (of.chip.name == to.chip.name) points += 16;
  if (of.framework.group == std::string(to.framework.group)) points += 8;
  if (is_lower(of.precision) == is_lower(to.precision)) points += 20;
  if (of.precision == to.precision) points += 2;
  if (of.chip.is_tpu == to.chip.is_tpu) points += 12;
  if (of.chip.domain == to.chip.domain) points += 1;
  return points;
}

}  // namespace

double sustained_by(const ValidationRow& row, const JobSetup& setup) {
  double low = kLeastSustained, high = kMostSustained;
  const bool rises = said(row, setup, high) > said(row, setup, low);
  if ((said(row, setup, high) > row.value) != rises)
    throw CannotSay(
        fmt::format("{} is faster than products of matrices at {} of the peak", row.id, kMostSustained));
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    ((said(row, setup, middle) > row.value) == rises ? high : low) = middle;
  }
  return (low + high) / 2;
}

Calibration calibration_of(const JobSetup& setup) {
  const auto file = required_configs_folder({"validation"}) / "validation" / "training.yaml";
  const std::vector<ValidationRow> rows = read_rows(file.string());
  const ValidationRow* nearest = nullptr;
  JobSetup its;
  int most = -1;
  for (const ValidationRow& row : rows) {
    if (!row.calibrates) continue;
    const JobSetup other = setup_of(row);
    const int points = nearness(other, setup);
    if (points <= most) continue;
    most = points;
    nearest = &row;
    its = other;
  }
  if (nearest == nullptr) throw CannotSay(file.string() + " has no row that calibrates");
  Calibration calibration = {sustained_by(*nearest, its), nearest->id, ""};
  const bool is_its_own = its.chip.name == setup.chip.name && its.precision == setup.precision &&
                          its.framework.group == std::string(setup.framework.group);
  if (!is_its_own)
    calibration.other = fmt::format("{} {} {}", its.chip.name, its.framework.group, name_of(its.precision));
  return calibration;
}

}  // namespace wafertlm::validate::steps
