// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/table.h"

#include <fmt/format.h>

#include <boost/algorithm/string/predicate.hpp>
#include <cmath>
#include <cstring>
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
  return value.is_string() ? csv_text(value.get<std::string>()) : value.dump();
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

void flatten(const std::string& name, const Json& value, Json& row) {
  if (!value.is_structured()) {
    row[name] = value;
    return;
  }
  for (const auto& [key, below] : value.items())
    flatten(name.empty() ? key : inner_name(name, key), below, row);
}

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

std::string csv(const Json& rows, const std::vector<std::string>& first) {
  Json columns = Json::object();
  for (const std::string& name : first) columns[name] = name;
  std::vector<Json> flat;
  for (const Json& row : rows) {
    flatten("", row, flat.emplace_back(Json::object()));
    for (const auto& [name, value] : flat.back().items()) columns[name] = name;
  }
  std::string text;
  flat.insert(flat.begin(), columns);
  for (const Json& row : flat) {
    std::string line;
    for (const auto& [name, heading] : columns.items())
      line += ',' + (row.contains(name) ? csv_field(row[name]) : "");
    text += line.substr(std::min<std::size_t>(1, line.size())) + '\n';
  }
  return text;
}

void require_unit(const std::string& name, const Format& format) {
  const std::string end = '_' + format.unit, whole = '_' + name;
  if (!format.unit.empty() && (whole.size() < end.size() || whole.substr(whole.size() - end.size()) != end))
    throw std::logic_error("the name of column '" + name + "' does not end in its unit, " + format.unit);
}

}  // namespace wafertlm
