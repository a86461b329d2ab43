// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/defects/defect_model.h"

namespace wafertlm::wafer_yield {

class Sampler;

/// A kind of part by formula.
struct PartRow {
  PartKind kind = PartKind::npu;
  std::uint64_t count = 0;
  double area_mm2 = 0, defects = 0;  ///< of all
  double yield = 1;                  ///< of one, away from the edge
};

/// A value by formula, and over the drawn wafers with its standard error (of a probability the formula's).
struct ComparedRow {
  std::string value;
  double formula = 0, drawn = 0, error = 0;
  /// How many standard errors they are apart; 0 if both are equal.
  double sigmas() const;
};

/// Spares, and how many wafers they make whole.
struct RepairRow {
  std::string spares;
  double yield = 0, low = 0, high = 0;  ///< share of drawn wafers, Wilson's interval of 95 %
  std::optional<double> formula;        ///< none: there is no closed form
  double area_cost = 0;                 ///< area of the spares over that of the rest
  /// Yield (by formula if there is one) per area over that of a grid that must be whole; none: that is 0 in
  /// double precision.
  std::optional<double> gain;
};

struct YieldStudy {
  std::uint32_t npus = 0;
  double area_mm2 = 0, defects = 0;  ///< expected
  double yield = 0;                  ///< of a wafer without a defect
  double working_npus = 0;           ///< expected
  std::uint32_t edge_npus = 0;       ///< that edge_factor holds for
  std::vector<PartRow> parts;
  std::vector<ComparedRow> compared;
  std::vector<RepairRow> repairs;
};

YieldStudy yield_study(const YieldSpec& spec, const Sampler& sampler);

/// Probability of at most `most` failures in `trials` independent trials of probability `failure` each.
double at_most(std::uint32_t most, const std::vector<std::pair<std::uint32_t, double>>& trials);

/// Wilson's score interval of 95 % of `hits` in `trials`.
std::pair<double, double> wilson_interval(double hits, double trials);

}  // namespace wafertlm::wafer_yield
