// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <vector>

#include "platform/command/format.h"
#include "platform/results/fields.h"
#include "platform/results/parts.h"

namespace wafertlm {

using Json = nlohmann::ordered_json;

namespace {

struct ModelRow {
  const char* name;
  std::uint64_t computations = 0;
  Uint128 time_ps = 0;
};

const results::Fields<ModelRow>& model_fields() {
  static const results::Fields<ModelRow> fields([](results::Fields<ModelRow>& f) {
    namespace schema = results::schema;
    using R = const ModelRow&;
    f.add("computations", schema::count(), [](R row) { return row.computations; });
    f.add("time_s", schema::seconds(), [](R row) { return static_cast<double>(row.time_ps) / kPsPerSecond; });
  });
  return fields;
}

Json models_json(const Machine& machine) {
  std::vector<ModelRow> rows;
  for (std::uint32_t n = 0; n < machine.wafer().npus(); ++n) {
    const auto& uses = machine.npu(static_cast<NpuId>(n)).compute().uses();
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (rows.size() == i) rows.push_back({uses[i].model->name()});
      rows[i].computations += uses[i].operations;
      rows[i].time_ps += uses[i].time_ps;
    }
  }
  Json models = Json::object();
  for (const ModelRow& row : rows) models[row.name] = model_fields().json(row);
  return models;
}

const results::Fields<Machine>& compute_fields() {
  static const results::Fields<Machine> all([](results::Fields<Machine>& f) {
    namespace schema = results::schema;
    f.add("model", {{"enum", {"roofline", "systolic"}}}, [](const Machine& machine) {
      return machine.wafer().spec().npu.compute.model == config::ComputeModelKind::systolic ? "systolic"
                                                                                            : "roofline";
    });
    f.add("told_by",
          schema::map_of(model_fields().schema(),
                         "Which compute model gave the duration of how many computations"),
          models_json);
  });
  return all;
}

}  // namespace

Json compute_json(const Machine& machine) { return compute_fields().json(machine); }
Json compute_schema() { return compute_fields().schema(); }

std::string compute_text(const Json& results) {
  const Json& compute = results["compute"];
  if (compute["model"] != "systolic") return "";
  std::string text;
  for (const auto& [name, row] : compute["told_by"].items())
    text += fmt::format("{}{} by {} ({})", text.empty() ? "Computations of all NPUs: " : ", ",
                        row["computations"].get<std::uint64_t>(), name,
                        format_time(static_cast<TimePs>(row["time_s"].get<double>() * 1e12)));
  return text + "; what names no matrix product goes by the roofline.\n";
}

}  // namespace wafertlm
