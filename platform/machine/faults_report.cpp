// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/faults_report.h"

#include <fmt/core.h>

#include "models/npu/npu.h"
#include "platform/describe/fields.h"
#include "platform/machine/machine.h"
#include "platform/machine/run_faults.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using results::Fields;
using results::Json;
namespace schema = results::schema;

struct FaultRow {
  const config::RunFaultSpec& fault;
  RunFaultCounts counts;
  TimePs end_ps;

  bool is_link() const { return !fault.link.empty(); }
  bool changed_nothing() const { return counts.is_nothing() && !fault.dies; }
};

const Fields<FaultRow>& fault_fields() {
  static const Fields<FaultRow> fields([](Fields<FaultRow>& f) {
    using R = const FaultRow&;
    f.add("part", schema::text(), [](R row) { return row.fault.part(); });
    f.add("at_s", schema::seconds(), [](R row) { return seconds(row.fault.at_ps); });
    f.add("for_s", schema::or_null(schema::seconds(), "null: to the end"),
          [](R row) { return row.fault.for_ps ? Json(seconds(*row.fault.for_ps)) : Json(); });
    f.add("percent", schema::count("What was left of the link's bandwidth or of the NPU's speed"),
          [](R row) { return row.fault.rate_percent.value_or(row.fault.speed_percent.value_or(0)); });
    f.add_if([](R row) { return row.is_link(); }, "packets", schema::count("That started on it meanwhile"),
             [](R row) { return row.counts.packets; });
    f.add_if([](R row) { return row.is_link(); }, "wire_bytes", schema::count("Of these"),
             [](R row) { return row.counts.wire_bytes; });
    f.add_if([](R row) { return row.is_link(); }, "down_wait_s",
             schema::seconds("Of all packets that waited for the link that was down; beside "
                             "links[].packet_wait_s"),
             [](R row) { return seconds(row.counts.down_wait_ps); });
    f.add_if([](R row) { return !row.is_link(); }, "computations", schema::count("That started meanwhile"),
             [](R row) { return row.counts.computations; });
    f.add("longer_s",
          schema::number("How much longer all these packets were on the line, or computations took"),
          [](R row) { return row.counts.longer_s; });
    f.add_if([](R row) { return row.changed_nothing(); }, "changed_nothing", schema::text("Why"),
             [](R row) {
               return row.fault.at_ps >= row.end_ps ? "the run was over" : "nothing used the part meanwhile";
             });
  });
  return fields;
}

}  // namespace

Json faults_json(const Machine& machine, TimePs end_ps) {
  Json list = Json::array();
  const RunFaults* const faults = machine.faults();
  for (std::size_t k = 0; faults && k < faults->faults().size(); ++k) {
    const config::RunFaultSpec& fault = faults->faults()[k];
    const ComputeEngine* const compute = fault.npu ? &machine.npu(*fault.npu).compute() : nullptr;
    list.push_back(fault_fields().json({fault, faults->counts(k, compute), end_ps}));
  }
  return list;
}

Json faults_schema() { return fault_fields().list_schema("run.faults, and what they met"); }

std::string faults_text(const Json& faults) {
  std::string text;
  const auto time = [](const Json& value) {
    return format_time(static_cast<TimePs>(value.get<double>() * 1e12 + 0.5));
  };
  for (const Json& row : faults) {
    const std::string until = row["for_s"].is_null() ? "to the end" : "for " + time(row["for_s"]);
    text += fmt::format("Fault: {} at {} % from {} on, {}: ", row["part"].get<std::string>(),
                        row["percent"].get<int>(), time(row["at_s"]), until);
    if (row.contains("changed_nothing"))
      text += "changed nothing, " + row["changed_nothing"].get<std::string>();
    else if (row.contains("computations"))
      text += fmt::format("{} computations, {} longer", row["computations"].get<std::uint64_t>(),
                          time(row["longer_s"]));
    else if (row["percent"] == 0)
      text += fmt::format("packets waited {} for it, all together", time(row["down_wait_s"]));
    else
      text += fmt::format("{} packets, on the line {} longer", row["packets"].get<std::uint64_t>(),
                          time(row["longer_s"]));
    text += "\n";
  }
  return text;
}

}  // namespace wafertlm
