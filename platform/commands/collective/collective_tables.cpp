// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/collective/collective_tables.h"

#include "platform/commands/collective/explain_bound.h"
#include "platform/machine/faults_report.h"
#include "platform/text/format.h"

namespace wafertlm {

using Json = nlohmann::json;

namespace {

/// Of a row; what its fabric and the kind of run add is as in results.json.
results::Json row_schema() {
  namespace schema = results::schema;
  results::Json row = {{"algorithm", schema::text()}, {"class", schema::text()}};
  for (const char* name : {"bytes", "time_ps", "predicted_ps", "bound_ps", "busiest_link_payload_bytes",
                           "packet_hops", "scheduler_events", "simulated_npus"})
    row[name] = schema::count();
  for (const char* name : {"time_s", "predicted_s", "bound_s", "skew_s", "time_after_last_entry_s"})
    row[name] = schema::seconds();
  for (const char* name : {"algorithm_bandwidth_bytes_per_s", "bus_bandwidth_bytes_per_s"})
    row[name] = schema::number();
  for (const char* name : {"time_over_bound", "time_over_predicted"})
    row[name] = {{"type", {"number", "null"}}};
  row["values_proven"] = schema::boolean();
  row["starved_link"] = schema::object(
      {{"name", schema::text()}, {"blocked_fraction", schema::object({{"credit", schema::number()}})}});
  row = schema::object(row);
  row.erase("additionalProperties");
  row["properties"]["runner_up"] = schema::text("What the library of GPUs would take next");
  row["properties"]["faults"] = faults_schema();
  row["properties"]["faster"] = schema::object(
      {{"algorithm", schema::text()}, {"chunks", schema::count()}, {"predicted_ps", schema::count()}});
  return row;
}

}  // namespace

Json ratio(TimePs time, TimePs to) { return to == 0 ? Json() : Json(seconds(time) / seconds(to)); }

Table<PlannerChoice> choices_table() {
  namespace schema = results::schema;
  using R = const PlannerChoice&;
  Table<PlannerChoice> t;
  t.column("bytes", "size", shown::bytes(), &PlannerChoice::bytes);
  t.column("group_size", "ranks", shown::whole(), &PlannerChoice::ranks);
  t.column("algorithm", "algorithm", shown::text(), &PlannerChoice::algorithm);
  t.column("chunks", "chunks", shown::whole(), &PlannerChoice::chunks);
  t.column("predicted_ps", "predicted", shown::picoseconds(), &PlannerChoice::predicted_ps);
  t.column("bound_ps", "bound", shown::picoseconds(), &PlannerChoice::bound_ps);
  t.cell("/bound", shown::number("{:.3f}"), [](R of) { return ratio(of.predicted_ps, of.bound_ps); });
  t.add("library_choices",
        schema::list(schema::object({{"algorithm", schema::text()},
                                     {"time_ps", schema::count("By the library's own model")}}),
                     "What the library compares, fastest first"),
        [](R of) {
          auto list = results::Json::array();
          for (const LibraryChoice& each : of.of_library)
            list.push_back({{"algorithm", each.algorithm}, {"time_ps", each.time_ps}});
          return list;
        });
  const auto said = [](R of, std::size_t place) {
    return place < of.of_library.size() ? results::Json(of.of_library[place].algorithm + " " +
                                                        format_time(of.of_library[place].time_ps))
                                        : results::Json("");
  };
  t.cell("by the library's model", shown::text(), [said](R of) { return said(of, 0); });
  t.cell("runner-up", shown::text(), [said](R of) { return said(of, 1); });
  return t;
}

Table<Json> rows_table(bool streams, bool lanes) {
  using shown::At;
  Table<Json> t;
  t.cell("size", shown::bytes(), At{"/bytes"});
  t.cell("time", shown::picoseconds(), At{"/time_ps"});
  t.cell("algbw", shown::bandwidth(), At{"/algorithm_bandwidth_bytes_per_s"});
  t.cell("busbw", shown::bandwidth(), At{"/bus_bandwidth_bytes_per_s"});
  t.cell("predicted", shown::picoseconds(), At{"/predicted_ps"});
  t.cell("bound", shown::picoseconds(), At{"/bound_ps"});
  t.cell("/bound", shown::number("{:.3f}"), At{"/time_over_bound"});
  t.cell("/predict", shown::number("{:.3f}"), At{"/time_over_predicted"});
  if (streams)
    t.cell("of line", shown::number("{:.4f}"), At{"/fraction_of_line_rate"});
  else
    t.cell("first group", shown::picoseconds(), At{"/fastest_group_ps"});
  t.cell("algorithm", shown::text(), [lanes](const Json& row) {
    return row["algorithm"].get<std::string>() +
           (row.contains("chunks") ? ", chunks " + row["chunks"].dump() : "") +
           (lanes ? ", class " + row["class"].get<std::string>() : "") +
           (row.contains("runner_up") ? ", runner-up " + row["runner_up"].get<std::string>() : "");
  });
  return t;
}

results::Json collective_schema() {
  namespace schema = results::schema;
  const results::Json measured = schema::object({{"platform", schema::text()},
                                                 {"type", schema::text()},
                                                 {"algorithm", schema::text()},
                                                 {"class", schema::text()},
                                                 {"group_size", schema::positive()},
                                                 {"notes", schema::list(schema::text())},
                                                 {"rows", schema::list(row_schema())}});
  return {{"oneOf",
           {measured, schema::object({{"rows", choices_table().list_schema()}}), explained_bounds_schema()}}};
}

}  // namespace wafertlm
