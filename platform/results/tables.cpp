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

/// Without lists, and without what is there in another unit.
Json flat_row(const Json& of) {
  Json row = Json::object();
  for (const auto& [name, value] : of.items())
    if (!value.is_array() && !ends_with(name, "_ps") && !ends_with(name, "_fs")) row[name] = value;
  return row;
}

Json rows_of(const Json& results, const char* list) {
  Json rows = Json::array();
  for (const Json& each : results[list]) rows.push_back(flat_row(each));
  return rows;
}

std::size_t number_of(const Json& iteration, std::size_t place) { return iteration.value("number", place); }

Json iterations(const Json& results) {
  Json rows = Json::array();
  const Json& list = results["iterations"];
  for (std::size_t i = 0; i < list.size(); ++i) {
    Json row = {{"iteration", number_of(list[i], i)}};
    row.update(flat_row(list[i]));
    row.erase("number");
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
  Rows rows;
  std::vector<std::string> columns;  ///< the first ones, which are there without rows, too
};

const std::array<ResultTable, 5>& all_tables() {
  static const std::array<ResultTable, 5> tables{
      {{"iterations.csv", iterations, {"iteration", "time_s"}},
       {"breakdown.csv", breakdown, {"iteration", "rank", "part", "time_s"}},
       {"collectives.csv",
        [](const Json& results) { return rows_of(results, "collectives"); },
        {"id", "name", "type", "algorithm", "class", "group", "sequence", "group_size", "bytes", "start_s",
         "end_s", "skew_s", "time_s", "predicted_s", "bound_s", "bus_bandwidth_bytes_per_s"}},
       {"links.csv",
        [](const Json& results) { return rows_of(results, "links"); },
        {"name", "bytes", "wire_bytes", "packets", "busy_fraction"}},
       {"memories.csv",
        [](const Json& results) { return rows_of(results, "memories"); },
        {"name", "bytes_read", "bytes_written", "busy_fraction"}}}};
  return tables;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> result_tables(const nlohmann::ordered_json& results) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const ResultTable& table : all_tables())
    texts.emplace_back(table.name, csv(table.rows(results), table.columns));
  return texts;
}

std::vector<std::string> names_of_result_tables() {
  std::vector<std::string> names;
  for (const ResultTable& table : all_tables()) names.emplace_back(table.name);
  return names;
}

}  // namespace wafertlm
