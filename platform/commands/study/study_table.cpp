// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/study_table.h"

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/predicate.hpp>
#include <cmath>
#include <optional>
#include <set>

#include "platform/commands/study/figures.h"
#include "platform/text/quantity.h"
#include "tlm/input/number.h"

namespace wafertlm {
namespace {

using boost::algorithm::ends_with;
using config::ColumnSpec;
using config::ShownAs;
using nlohmann::json;

struct BaseUnit {
  const config::Dimension& (*dimension)();
  const char* name;
  double (*parse)(const config::Dimension&, std::string_view);
};
double whole_units(const config::Dimension& dimension, std::string_view text) {
  return static_cast<double>(parse_whole(dimension, text));
}
double seconds_in(const config::Dimension& dimension, std::string_view text) {
  return whole_units(dimension, text) / 1e12;
}
const std::vector<BaseUnit> kUnits = {
    {config::bandwidth_dimension, "bytes_per_s", whole_units},
    {config::size_dimension, "bytes", whole_units},
    {config::time_dimension, "s", seconds_in},
    {config::compute_rate_dimension, "operations_per_s", config::parse_real},
    {config::frequency_dimension, "hz", whole_units},
    {config::power_dimension, "w", config::parse_real},
    {config::energy_per_bit_dimension, "j_per_bit", config::parse_real}};

/// Of all texts; none if one is no such quantity.
std::optional<std::vector<double>> quantities(const BaseUnit& unit, const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) try {
      numbers.push_back(unit.parse(unit.dimension(), text));
    } catch (const config::QuantityError&) {
      return std::nullopt;
    }
  return numbers;
}

/// What stands behind the only {} of the only override, "KEY={} GB/s"; none: there is more to it.
std::string unit_of_overrides(const config::AxisSpec& axis) {
  if (axis.overrides.size() != 1) return "";
  const std::string& text = axis.overrides.front();
  const std::size_t at = text.find("={}");
  return at == std::string::npos ? "" : text.substr(at + 3);
}

/// "bytes_per_s" of "links[0].bus_bandwidth_bytes_per_s"; empty: none of ours.
std::string unit_of_path(const std::string& path) {
  for (const char* const unit : {"bytes_per_s", "operations_per_s", "tokens_per_s", "samples_per_s"})
    if (ends_with(path, std::string("_") + unit)) return unit;
  for (const char* const unit : {"bytes", "ps", "s", "j", "w"})
    if (ends_with(path, std::string("_") + unit)) return unit;
  return boost::algorithm::contains(path, "breakdown_s.") ? "s" : "";
}

std::string unit_of(const config::StudySpec& study, const ColumnSpec& column) {
  switch (column.shown_as) {
    case ShownAs::time:
      return "s";
    case ShownAs::bytes:
      return "bytes";
    case ShownAs::bandwidth:
      return "bytes_per_s";
    case ShownAs::rate:
      return "operations_per_s";
    case ShownAs::number:
    case ShownAs::percent:
      break;
  }
  if (column.kind == ColumnSpec::Kind::read) return unit_of_path(column.read);
  if (column.kind != ColumnSpec::Kind::sum) return "";
  const auto first = std::find_if(study.columns.begin(), study.columns.end(),
                                  [&](const ColumnSpec& each) { return each.name == column.terms.front(); });
  return unit_of(study, *first);
}

/// "link", "", "bytes_per_s": "link_bytes_per_s". A name that ends in its unit keeps it at its end.
std::string with_unit(std::string name, const std::string& middle, const std::string& unit) {
  const std::string end = unit.empty() ? "" : "_" + unit;
  if (!end.empty() && (ends_with(name, end) || name == unit))
    name.resize(name.size() - std::min(name.size(), end.size()));
  name += middle;
  return name.empty() ? unit : name + end;
}

/// A whole number as one.
json plain(double number) {
  constexpr double kExact = 9e15;
  if (number == std::floor(number) && std::abs(number) < kExact) return static_cast<std::int64_t>(number);
  return number;
}

class Maker {
 public:
  explicit Maker(const StudyResult& result)
      : result_(result), figures_(result.study, result.cells, result.outcomes) {
    table_.rows.resize(result.cells.size());
  }

  StudyTable make() {
    for (std::size_t axis = 0; axis < result_.study.axes.size(); ++axis) add_axis(axis);
    for (const ColumnSpec& column : result_.study.columns) add_column(column);
    add("status", [&](std::size_t i) { return json(name_of(result_.outcomes[i].status)); });
    add("error", [&](std::size_t i) {
      const std::string& error = result_.outcomes[i].error;
      return error.empty() ? json() : json(error);
    });
    return std::move(table_);
  }

 private:
  template <class Value>
  void add(const std::string& name, const Value& value) {
    std::string own = name;
    for (int number = 2; !taken_.insert(boost::algorithm::to_lower_copy(own)).second; ++number)
      own = name + " " + std::to_string(number);
    table_.columns.push_back(own);
    for (std::size_t i = 0; i < result_.cells.size(); ++i) table_.rows[i].push_back(value(i));
  }

  void add_axis(std::size_t axis) {
    const config::AxisSpec& spec = result_.study.axes[axis];
    const AxisNumbers known = axis_numbers(spec);
    const std::vector<config::AxisValueSpec> values = config::values_of(spec);
    add(with_unit(spec.name, "", known.unit), [&](std::size_t i) {
      const std::string& name = result_.cells[i].values[axis];
      if (known.numbers.empty()) return json(name);
      const auto found =
          std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.name == name; });
      return plain(known.numbers[static_cast<std::size_t>(found - values.begin())]);
    });
  }

  void add_column(const ColumnSpec& column) {
    const std::string unit = unit_of(result_.study, column);
    std::vector<Figure> figures;
    bool is_sampled = false, has_reference = false;
    for (const Cell& cell : result_.cells) {
      figures.push_back(figures_.figure(cell.values, column.name));
      is_sampled |= figures.back().half_width != 0;
      has_reference |= reference_of(result_.study, cell, column.name) != nullptr;
    }
    add(with_unit(column.name, "", unit), [&](std::size_t i) { return figures[i].value; });
    if (is_sampled)
      add(with_unit(column.name, "_half_width", unit),
          [&](std::size_t i) { return json(figures[i].half_width); });
    if (has_reference)
      add(with_unit(column.name, "_reference", unit), [&](std::size_t i) {
        const auto* const reference = reference_of(result_.study, result_.cells[i], column.name);
        return reference == nullptr ? json() : json(reference->value);
      });
  }

  const StudyResult& result_;
  Figures figures_;
  StudyTable table_;
  std::set<std::string> taken_;
};

}  // namespace

AxisNumbers axis_numbers(const config::AxisSpec& axis) {
  std::vector<std::string> names;
  for (const config::AxisValueSpec& value : config::values_of(axis)) names.push_back(value.name);
  std::vector<double> numbers;
  for (const std::string& name : names)
    if (const auto number = finite_number(name)) numbers.push_back(*number);
  const bool are_numbers = numbers.size() == names.size();
  if (const std::string unit = unit_of_overrides(axis); are_numbers && !unit.empty())
    for (std::string& name : names) name += unit;
  for (const BaseUnit& unit : kUnits)
    if (const auto found = quantities(unit, names)) return {unit.name, *found};
  return {"", are_numbers ? numbers : std::vector<double>()};
}

StudyTable study_table(const StudyResult& result) { return Maker(result).make(); }

}  // namespace wafertlm
