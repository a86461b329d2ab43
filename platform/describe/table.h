// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/describe/fields.h"
#include "platform/text/aligned.h"

namespace wafertlm {

/// What the values of a column are. JSON and CSV have plain numbers of `unit`; the text is for people.
struct Format {
  results::Json schema;
  std::string unit;  ///< that the column's name ends in: time_s; empty: none
  char side;         ///< where its text stands: 'l' or 'r'
  std::size_t most;  ///< characters that its text usually has at most
  std::function<std::string(const results::Json&)> text;
};

/// Formats of columns.
namespace shown {
Format text();
Format whole();                             ///< a count, all digits
Format number(const std::string& pattern);  ///< a real number by a pattern of fmt: "{:.3f}"
Format seconds();                           ///< "1.234 ms"; of a difference "-1.234 ms"
Format picoseconds();                       ///< the same of a whole number of them
Format bytes();                             ///< "16 MiB"
Format bandwidth();                         ///< "712.3 GB/s"
Format percent(int digits = 2);             ///< of a fraction: "12.34 %"

/// A text stands for itself, null is "-".
std::string cell(const Format& format, const results::Json& value);

/// Of rows that are JSON: the value at a path; none: an empty cell.
struct At {
  std::string path;
  template <typename Row>
  results::Json operator()(const Row& row) const {
    const typename Row::json_pointer to(path);
    return row.contains(to) ? results::Json(row.at(to)) : results::Json("");
  }
};
}  // namespace shown

/// A text as a cell of CSV: in quotes, and what a spreadsheet would compute (= + - @) behind an apostrophe.
std::string csv_text(std::string text);

/// Objects as a table: columns in the order in which they come up, behind those of `first`. Of objects in
/// objects outer_inner, the outer's unit last: {wait_s: {queue: 1}} is wait_queue_s. Texts are in quotes,
/// null is empty. Of a row only the fields that `keep` wants; none: all.
using KeepField = std::function<bool(const std::string& name, const results::Json& value)>;
std::string csv(const results::Json& rows, const std::vector<std::string>& first = {},
                const KeepField& keep = {});

/// @throws std::logic_error: the name of a column does not end in its unit.
void require_unit(const std::string& name, const Format& format);

/// The columns of a kind of row, each described once: as text, JSON and CSV, with the JSON Schema. A field
/// that is only added (Fields) is in JSON and CSV alone.
template <typename Row>
class Table : public results::Fields<Row> {
 public:
  using Value = typename results::Fields<Row>::Value;

  Table() = default;
  explicit Table(void (*describe)(Table&)) { describe(*this); }
  /// A field that is shown, too.
  Table& column(const char* name, const std::string& heading, const Format& format, Value value) {
    require_unit(name, format);
    this->add(name, format.schema, value);
    return cell(heading, format, std::move(value));
  }
  /// A column of the text alone.
  Table& cell(const std::string& heading, const Format& format, Value value) {
    headings_.push_back(heading);
    sides_ += format.side;
    least_.push_back(std::max(text_width(heading), format.most));
    cells_.push_back(
        [format, value = std::move(value)](const Row& row) { return shown::cell(format, value(row)); });
    return *this;
  }

  /// Columns without any text are left out.
  template <typename Rows>
  std::string text(const Rows& rows, std::size_t indent = 2) const {
    TextRows texts{headings_};
    for (const Row& row : rows) texts.push_back(cells(row));
    for (std::size_t i = 0; i < headings_.size(); ++i)
      if (texts.size() > 1 &&
          std::all_of(texts.begin() + 1, texts.end(), [i](const auto& row) { return row[i].empty(); }))
        texts[0][i].clear();
    return aligned(texts, sides_, indent);
  }
  /// The headings, and a row, of a table whose rows are not all known yet.
  std::string head(std::size_t indent = 0) const { return aligned({headings_}, sides_, indent, least_); }
  std::string line(const Row& row, std::size_t indent = 0) const {
    return aligned({cells(row)}, sides_, indent, least_);
  }

 private:
  std::vector<std::string> cells(const Row& row) const {
    std::vector<std::string> texts;
    for (const auto& cell : cells_) texts.push_back(cell(row));
    return texts;
  }

  std::vector<std::string> headings_;
  std::string sides_;
  std::vector<std::size_t> least_;
  std::vector<std::function<std::string(const Row&)>> cells_;
};

}  // namespace wafertlm
