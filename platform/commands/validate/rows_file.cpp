// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/rows_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "tlm/input/file.h"

namespace wafertlm::validate {
namespace {

struct Column {
  const char* name;
  std::string ValidationRow::*member;
  bool may_be_empty;
};
constexpr std::array<Column, 10> kColumns = {{{"id", &ValidationRow::id, false},
                                              {"system", &ValidationRow::system, false},
                                              {"ranks", &ValidationRow::ranks, true},
                                              {"topology facts", &ValidationRow::topology, true},
                                              {"operation", &ValidationRow::operation, false},
                                              {"size or model+parallelism", &ValidationRow::size, true},
                                              {"measured", &ValidationRow::measured, false},
                                              {"unit", &ValidationRow::unit, false},
                                              {"source", &ValidationRow::source, true},
                                              {"notes", &ValidationRow::notes, true}}};

/// A record and the line that it begins on.
struct Record {
  std::size_t line = 0;
  std::vector<std::string> cells;
};

/// By RFC 4180; empty lines are none.
std::vector<Record> records_of(const std::string& file, const std::string& text) {
  std::vector<Record> records;
  std::size_t at = 0, line = 1;
  while (at < text.size()) {
    Record record{line, {""}};
    bool quoted = false;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (c == '\n') ++line;
      if (quoted) {
        if (c != '"')
          record.cells.back() += c;
        else if (at + 1 < text.size() && text[at + 1] == '"')
          record.cells.back() += text[++at];
        else
          quoted = false;
      } else if (c == '"' && record.cells.back().empty()) {
        quoted = true;
      } else if (c == ',') {
        record.cells.emplace_back();
      } else if (c == '\n') {
        ++at;
        break;
      } else if (c != '\r') {
        record.cells.back() += c;
      }
    }
    if (quoted) throw std::invalid_argument(fmt::format("{}:{}: a quote is not closed", file, record.line));
    if (record.cells.size() > 1 || !record.cells.front().empty()) records.push_back(std::move(record));
  }
  return records;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// Column by position.
std::vector<const Column*> columns_of(const std::string& file, const Record& head) {
  std::vector<const Column*> columns;
  const std::string place = fmt::format("{}:{}: ", file, head.line);
  for (const std::string& cell : head.cells) {
    const auto* const found = std::find_if(kColumns.begin(), kColumns.end(),
                                           [&](const Column& c) { return trimmed(cell) == c.name; });
    if (found == kColumns.end())
      throw std::invalid_argument(fmt::format("{}'{}' is no column of a table of measurements", place, cell));
    if (std::find(columns.begin(), columns.end(), found) != columns.end())
      throw std::invalid_argument(fmt::format("{}column '{}' is there twice", place, cell));
    columns.push_back(found);
  }
  for (const Column& column : kColumns)
    if (column.member != &ValidationRow::notes &&
        std::find(columns.begin(), columns.end(), &column) == columns.end())
      throw std::invalid_argument(fmt::format("{}column '{}' is missing", place, column.name));
  return columns;
}

void read_value(ValidationRow& row) {
  const char *const begin = row.measured.data(), *const end = begin + row.measured.size();
  const auto [rest, error] = std::from_chars(begin, end, row.value);
  row.is_value = error == std::errc() && rest == end;
  if (row.is_value && !(std::isfinite(row.value) && row.value > 0))
    throw bad_row(row, fmt::format("measured: {} is not above 0", row.measured));
  // "< 3" is a bound; it cannot be hit or missed.
  if (!row.is_value && row.measured.find_first_of("<>~") == std::string::npos)
    throw bad_row(row, fmt::format("measured: '{}' is no number", row.measured));
}

}  // namespace

std::invalid_argument bad_row(const ValidationRow& row, const std::string& what) {
  return std::invalid_argument(fmt::format("{}: {}: {}", row.place, row.id, what));
}

std::vector<ValidationRow> read_rows(const std::string& file) {
  const std::vector<Record> records = records_of(file, read_input(file));
  if (records.empty()) throw std::invalid_argument(file + ": it has no rows");
  const std::vector<const Column*> columns = columns_of(file, records.front());
  std::vector<ValidationRow> rows;
  std::map<std::string, std::size_t> lines;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const Record& record = records[i];
    ValidationRow row;
    row.place = fmt::format("{}:{}", file, record.line);
    if (record.cells.size() != columns.size())
      throw std::invalid_argument(
          fmt::format("{}: {} cells where the head has {}", row.place, record.cells.size(), columns.size()));
    for (std::size_t c = 0; c < columns.size(); ++c) row.*columns[c]->member = trimmed(record.cells[c]);
    for (const Column* column : columns)
      if (!column->may_be_empty && (row.*column->member).empty())
        throw bad_row(row, fmt::format("'{}' is empty", column->name));
    const auto [earlier, is_new] = lines.emplace(row.id, record.line);
    if (!is_new) throw bad_row(row, fmt::format("the id is that of line {}, too", earlier->second));
    read_value(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace wafertlm::validate
