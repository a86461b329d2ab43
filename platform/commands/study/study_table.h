// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/commands/study/report.h"

namespace wafertlm {

/// A row per cell, for programs: results.csv and the table `study` of results.sqlite.
struct StudyTable {
  std::vector<std::string> columns;  ///< each once, also without regard to case
  std::vector<std::vector<nlohmann::json>> rows;
};

/// Axes, columns with their half-widths (where something was sampled) and references, status, error. Numbers
/// are in base units (s, bytes, bytes/s, operations/s, Hz, J/bit, W), which the column's name ends in: an
/// axis `link` with "375 GB/s" is link_bytes_per_s. Texts stay texts.
StudyTable study_table(const StudyResult& result);

/// An axis as numbers in base units.
struct AxisNumbers {
  std::string unit;             ///< "bytes_per_s"; empty: none
  std::vector<double> numbers;  ///< by value; empty: they are texts
};
/// Of the names of the axis' values, to which a `set: KEY={} UNIT` may add the unit.
AxisNumbers axis_numbers(const config::AxisSpec& axis);

}  // namespace wafertlm
