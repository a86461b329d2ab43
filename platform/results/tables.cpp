// SPDX-License-Identifier: Apache-2.0
#include "platform/results/tables.h"

#include <array>
#include <boost/algorithm/string/predicate.hpp>

#include "platform/describe/table.h"

namespace wafertlm {
namespace {

using boost::algorithm::ends_with;
using results::Json;
using Rows = Json (*)(const Json& results);

/// No lists, and nothing that is there in another unit.
bool is_in_tables(const std::string& name, const Json& value) {
  return !value.is_array() && !ends_with(name, "_ps") && !ends_with(name, "_fs");
}

std::size_t number_of(const Json& iteration, std::size_t place) { return iteration.value("number", place); }

Json iterations(const Json& results) {
  Json rows = Json::array();
  const Json& list = results["iterations"];
  for (std::size_t i = 0; i < list.size(); ++i) {
    Json row = {{"iteration", number_of(list[i], i)}};
    for (const auto& [name, value] : list[i].items())
      if (is_in_tables(name, value) && name != "number") row[name] = value;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json breakdown(const Json& results) {
  Json rows = Json::array();
  const Json& list = results["iterations"];
  for (std::size_t i = 0; i < list.size(); ++i)
    for (const Json& rank : list[i]["ranks"])
      for (const auto& [part, time] : rank["breakdown_s"].items()) {
        if (time.get<double>() == 0) continue;
        Json row = {
            {"iteration", number_of(list[i], i)}, {"rank", rank["rank"]}, {"part", part}, {"time_s", time}};
        const Json::json_pointer width("/breakdown_half_width_s/" + part);
        if (list[i].contains(width)) row["time_half_width_s"] = list[i][width];
        rows.push_back(std::move(row));
      }
  return rows;
}

struct ResultTable {
  const char* name;
  Rows rows;  ///< none: those of `list` in results.json
  const char* list;
  std::vector<std::string> columns;  ///< the first ones, which are there without rows, too
};

const std::array<ResultTable, 5>& all_tables() {
  static const std::array<ResultTable, 5> tables{
      {{"iterations.csv", iterations, nullptr, {"iteration", "time_s"}},
       {"breakdown.csv", breakdown, nullptr, {"iteration", "rank", "part", "time_s"}},
       {"collectives.csv",
        nullptr,
        "collectives",
        {"id", "name", "type", "algorithm", "class", "group", "sequence", "group_size", "bytes", "start_s",
         "end_s", "skew_s", "time_s", "predicted_s", "bound_s", "bus_bandwidth_bytes_per_s"}},
       {"links.csv", nullptr, "links", {"name", "bytes", "wire_bytes", "packets", "busy_fraction"}},
       {"memories.csv", nullptr, "memories", {"name", "bytes_read", "bytes_written", "busy_fraction"}}}};
  return tables;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> result_tables(const nlohmann::ordered_json& results) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const ResultTable& table : all_tables()) {
    const Json made = table.rows != nullptr ? table.rows(results) : Json();
    texts.emplace_back(table.name,
                       csv(table.rows != nullptr ? made : results[table.list], table.columns, is_in_tables));
  }
  return texts;
}

std::vector<std::string> names_of_result_tables() {
  std::vector<std::string> names;
  for (const ResultTable& table : all_tables()) names.emplace_back(table.name);
  return names;
}

}  // namespace wafertlm
