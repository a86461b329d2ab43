// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "platform/results/results.h"
#include "platform/results/rows.h"

namespace wafertlm {
namespace {

using results::Column;
using results::Json;

std::string quoted(std::string name) {
  for (std::size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2) name.insert(at, 1, '"');
  return '"' + name + '"';
}

/// The table: rows of any kind, with the columns of all kinds in the order in which they come up.
class Csv {
 public:
  explicit Csv(std::initializer_list<const std::vector<Column>*> kinds) {
    for (const auto* kind : kinds)
      for (const Column& column : *kind)
        if (std::find(columns_.begin(), columns_.end(), column.name) == columns_.end())
          columns_.push_back(column.name);
    text_ = fmt::format("kind,name,{}\n", fmt::join(columns_, ","));
  }
  /// A row of `kind`: of its columns those that are there.
  void add(const char* kind, const std::string& name, const std::vector<Column>& of, const Json& row) {
    text_ += fmt::format("{},{}", kind, name);
    for (const std::string& column : columns_) {
      const auto found =
          std::find_if(of.begin(), of.end(), [&](const Column& each) { return each.name == column; });
      text_ += ',';
      if (found == of.end()) continue;
      const Json& value = row.at(Json::json_pointer(found->path));
      text_ += value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
    }
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::vector<std::string> columns_;
  std::string text_;
};

}  // namespace

std::string results_csv(const Json& results) {
  const auto& of_iteration = results::iteration_fields().columns();
  const auto& of_collective = results::collective_fields().columns();
  const auto& of_link = results::link_fields().columns();
  Csv csv{&of_iteration, &of_collective, &of_link};
  const Json& iterations = results["iterations"];
  for (std::size_t i = 0; i < iterations.size(); ++i)
    csv.add("iteration", std::to_string(i), of_iteration, iterations[i]);
  // Where the time of every rank went: "iteration 0 rank 3 exposed_dp"; the parts sum to the iteration's
  // time.
  for (std::size_t i = 0; i < iterations.size(); ++i)
    for (const Json& rank : iterations[i]["ranks"])
      for (const auto& [part, time] : rank["breakdown_s"].items())
        if (time.get<double>() != 0)
          csv.add("breakdown",
                  fmt::format("iteration {} rank {} {}", i, rank["rank"].get<std::uint32_t>(), part),
                  {{"time_s", ""}}, time);
  for (const Json& row : results["collectives"])
    csv.add("collective", quoted(row["name"].get<std::string>()), of_collective, row);
  for (const Json& row : results["links"])
    csv.add("link", quoted(row["name"].get<std::string>()), of_link, row);
  return csv.text();
}

}  // namespace wafertlm
