// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/rows_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <utility>

#include "platform/describe/document.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/text/format.h"
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
  std::size_t at = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0, line = 1;  // a byte order mark
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
  // "< 3", "1.5 to 2" and a rate rounded to 0.00 are no values: such a row cannot be hit or missed.
  row.is_value = error == std::errc() && rest == end && std::isfinite(row.value) && row.value > 0;
}

struct Measurements {
  std::string name;
  std::vector<ValidationRow> rows;
};

std::shared_ptr<const config::Struct<Measurements>> measurements_type() {
  using namespace config;
  using R = ValidationRow;
  static const auto type = [] {
    auto row = std::make_shared<Struct<R>>("measurement");
    row->required("id", &R::id, text(), "Its name, once in a table")
        .required("system", &R::system, text(), "What was measured")
        .optional("ranks", &R::ranks, text(), "NPUs")
        .optional("topology", &R::topology, text(), "How they are joined")
        .required("operation", &R::operation, text(),
                  "\"all-reduce (NCCL)\", \"GEMM BF16\", \"training step\"")
        .optional("size", &R::size, text(), "Of the message, the matrices; or model and parallelism")
        .required("measured", &R::measured, text(), "A number, without its unit")
        .required("unit", &R::unit, text(), "\"us\", \"GB/s busbw\", \"TFLOP/s\"")
        .required("source", &R::source, text(), "Where it is published")
        .optional("notes", &R::notes, text(), "More about it")
        .optional("calibrates", &R::calibrates, boolean(),
                  "A training step: it gives the sustained rate of its machine, framework and precision")
        .optional("preset", &R::preset, file_path("a platform", "platforms"),
                  "Platform in place of the one that the system's name stands for")
        .optional("set", &R::changes, list_of<std::string>(text(), 0, 100),
                  "Changes of it: wafer.fabric.dimensions[0].size=4");
    auto made = std::make_shared<Struct<Measurements>>("measurements");
    made->presets_in("validation");
    made->required("measurements", &Measurements::name, text(), "Name of the table")
        .required("rows", &Measurements::rows, list_of<R>(row, 1, 10'000), "The measurements");
    return made;
  }();
  return type;
}

std::vector<ValidationRow> read_yaml(const std::string& file) {
  const config::Node root = config::load_document(file, "measurements", "configs/validation/clusters.yaml");
  config::Origins origins;
  std::vector<ValidationRow> rows = measurements_type()->read(config::Reader(root, "", origins)).rows;
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].place = fmt::format("{}: rows[{}]", file, i);
    const auto [earlier, is_new] = numbers.emplace(rows[i].id, i);
    if (!is_new) throw bad_row(rows[i], fmt::format("the id is that of rows[{}], too", earlier->second));
    read_value(rows[i]);
  }
  return rows;
}

}  // namespace

config::FileKind measurements_file_kind() {
  return {measurements_type().get(), "validate", "published measurements",
          [](const config::CheckRequest& request, std::ostream& out) {
            out << config::check_line("rows", counted(read_yaml(request.file).size(), "measurement"));
          }};
}

std::invalid_argument bad_row(const ValidationRow& row, const std::string& what) {
  return std::invalid_argument(fmt::format("{}: {}: {}", row.place, row.id, what));
}

std::vector<ValidationRow> read_rows(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".yaml" || ending == ".yml") return read_yaml(file);
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
