// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/table.h"

#include <fmt/format.h>

#include <boost/algorithm/string/predicate.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>

#include "platform/text/format.h"

namespace wafertlm {
namespace {

using results::Json;

/// Of a value that may be a difference.
template <typename Text>
std::string with_sign(double value, Text text) {
  return (value < 0 ? "-" : "") + text(static_cast<std::uint64_t>(std::llround(std::abs(value))));
}

std::string csv_field(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  return value.is_string() ? csv_text(value.get_ref<const std::string&>()) : value.dump();
}

/// "wait_s" and "queue": "wait_queue_s"; what has a unit of its own keeps that.
std::string inner_name(const std::string& outer, const std::string& inner) {
  using boost::algorithm::ends_with;
  static const std::vector<std::string> units = {"_bytes_per_s", "_bytes", "_s", "_ps", "_j", "_w"};
  for (const std::string& unit : units) {
    if (!ends_with(outer, unit)) continue;
    return outer.substr(0, outer.size() - unit.size()) + '_' + inner + (ends_with(inner, unit) ? "" : unit);
  }
  return outer + '_' + inner;
}

/// Where the values of a path below the rows stand.
struct Place {
  std::string name;
  bool is_column = false;
  std::size_t column = 0;
  std::map<std::string, Place, std::less<>> inner = {};
};

class CsvColumns {
 public:
  explicit CsvColumns(const std::vector<std::string>& first) {
    for (const std::string& name : first) add(name);
  }
  const std::vector<std::string>& names() const { return names_; }
  /// Sets the value of each column that the row has.
  void take(const Json& row, const KeepField& keep, std::vector<const Json*>& values) {
    values.assign(names_.size(), nullptr);
    for (const auto& [key, value] : row.items())
      if (!keep || keep(key, value)) take(at(rows_, key), value, values);
  }

 private:
  std::size_t add(const std::string& name) {
    const auto [known, is_new] = number_.emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return known->second;
  }
  Place& at(Place& outer, const std::string& key) {
    const auto known = outer.inner.find(key);
    if (known != outer.inner.end()) return known->second;
    return outer.inner.emplace(key, Place{&outer == &rows_ ? key : inner_name(outer.name, key), false, 0, {}})
        .first->second;
  }
  void take(Place& place, const Json& value, std::vector<const Json*>& values) {
    if (value.is_structured()) {
      for (const auto& [key, below] : value.items()) take(at(place, key), below, values);
      return;
    }
    if (!place.is_column) {
      place.is_column = true;
      place.column = add(place.name);
    }
    values.resize(names_.size());
    values[place.column] = &value;
  }

  Place rows_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> number_;
};

}  // namespace

namespace shown {

Format text() {
  return {results::schema::text(), "", 'l', 0, [](const Json& value) { return value.dump(); }};
}
Format whole() {
  return {results::schema::count(), "", 'r', 6, [](const Json& value) { return value.dump(); }};
}
Format number(const std::string& pattern) {
  return {{{"type", {"number", "null"}}}, "", 'r', 8, [pattern](const Json& value) {
            return fmt::format(fmt::runtime(pattern), value.get<double>());
          }};
}
Format seconds() {
  return {results::schema::number(), "s", 'r', 8,
          [](const Json& value) { return with_sign(value.get<double>() * 1e12, format_time); }};
}
Format picoseconds() {
  return {results::schema::count(), "ps", 'r', 8,
          [](const Json& value) { return with_sign(value.get<double>(), format_time); }};
}
Format bytes() {
  return {results::schema::count(), "bytes", 'r', 9,
          [](const Json& value) { return with_sign(value.get<double>(), format_bytes); }};
}
Format bandwidth() {
  return {results::schema::number(), "bytes_per_s", 'r', 10,
          [](const Json& value) { return format_bandwidth(value.get<double>()); }};
}
Format percent(int digits) {
  return {results::schema::number(), "", 'r', 8, [digits](const Json& value) {
            return fmt::format("{:.{}f} %", 100 * value.get<double>(), digits);
          }};
}

std::string cell(const Format& format, const Json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : format.text(value);
}

}  // namespace shown

std::string csv_text(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  const bool may_be_formula = !text.empty() && std::strchr("=+-@\t\r", text.front()) != nullptr;
  return (may_be_formula ? "\"'" : "\"") + text + '"';
}

std::string csv(const Json& rows, const std::vector<std::string>& first, const KeepField& keep) {
  CsvColumns columns(first);
  std::vector<std::vector<const Json*>> lines(rows.size());
  for (std::size_t k = 0; k < lines.size(); ++k) columns.take(rows[k], keep, lines[k]);
  const std::size_t count = columns.names().size();
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += (k == 0 ? "" : ",") + csv_text(columns.names()[k]);
  text += '\n';
  for (const std::vector<const Json*>& line : lines) {
    for (std::size_t k = 0; k < count; ++k) {
      if (k != 0) text += ',';
      if (k < line.size() && line[k] != nullptr) text += csv_field(*line[k]);
    }
    text += '\n';
  }
  return text;
}

void require_unit(const std::string& name, const Format& format) {
  const std::string end = '_' + format.unit, whole = '_' + name;
  if (!format.unit.empty() && (whole.size() < end.size() || whole.substr(whole.size() - end.size()) != end))
    throw std::logic_error("the name of column '" + name + "' does not end in its unit, " + format.unit);
}

}  // namespace wafertlm
