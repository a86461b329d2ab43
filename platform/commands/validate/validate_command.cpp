// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/commands/validate/outcome.h"
#include "platform/commands/validate/row_kind.h"
#include "platform/commands/validate/rows_file.h"
#include "platform/host/child.h"
#include "platform/host/files.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/host/progress.h"
#include "platform/report/report.h"
#include "platform/spec/load.h"

namespace wafertlm {
namespace {

using namespace validate;
using results::Json;

struct ValidateOptions {
  std::string file, json, page;
  std::vector<std::string> only;
  unsigned jobs = 0;
};

Json validation_schema() {
  using namespace results;
  return schema::object({{"rows", outcomes_table().list_schema("Measurements")},
                         {"groups", groups_table().list_schema("Statistics of their errors")}});
}

/// {answer: …} or {reason: …}.
nlohmann::json answered(const RowKind& kind, const ValidationRow& row) {
  try {
    const Answer answer = kind.answer(row);
    nlohmann::json json = {
        {"simulated", answer.simulated}, {"how", answer.how}, {"calibrated_by", answer.calibrated_by}};
    if (answer.closed_form) json["closed_form"] = *answer.closed_form;
    return json;
  } catch (const std::exception& error) {
    return {{"reason", error.what()}};
  }
}

void take(Outcome& outcome, const nlohmann::json& json) {
  if (json.contains("reason")) {
    outcome.reason = json["reason"].get<std::string>();
    return;
  }
  Answer answer;
  answer.simulated = json["simulated"].get<double>();
  answer.how = json["how"].get<std::string>();
  answer.calibrated_by = json["calibrated_by"].get<std::string>();
  if (json.contains("closed_form")) answer.closed_form = json["closed_form"].get<double>();
  outcome.answer = std::move(answer);
}

/// @throws bad_row: it is not there, or the changes are none of it.
void check_preset(const ValidationRow& row) {
  try {
    config::load_platform(row.preset, row.changes);
  } catch (const config::ConfigError& error) {
    throw bad_row(row, error.what());
  }
}

std::vector<Outcome> outcomes_of(const std::vector<ValidationRow>& rows, unsigned jobs) {
  std::vector<Outcome> outcomes;
  std::vector<std::size_t> asked;
  for (const ValidationRow& row : rows) {
    const RowKind* const kind = kind_of(row);
    Outcome& outcome = outcomes.emplace_back(Outcome{row, kind ? kind->group(row) : "other", {}, ""});
    if (!row.is_value)
      outcome.reason = "what was measured is no number above 0";
    else if (!kind)
      outcome.reason = "no model of this operation";
    else
      asked.push_back(outcomes.size() - 1);
    if (kind) kind->check(row);
    if (!row.preset.empty()) check_preset(row);
  }
  ProgressLine progress;
  run_in_children(
      asked.size(), jobs, [&](std::size_t i) { return answered(*kind_of(rows[asked[i]]), rows[asked[i]]); },
      [&](std::size_t i, const nlohmann::json& json) {
        take(outcomes[asked[i]], json);
        progress.show(fmt::format("{} of {} rows", i + 1, asked.size()),
                      static_cast<double>(i + 1) / static_cast<double>(asked.size()));
      });
  return outcomes;
}

/// Those of configs/validation/.
std::vector<std::string> own_tables() {
  std::vector<std::string> files;
  for (const char* name : {"clusters", "training", "devices", "wafers"})
    files.push_back(
        (required_configs_folder({"validation"}) / "validation" / (std::string(name) + ".yaml")).string());
  return files;
}

int run_validate(const ValidateOptions& options) {
  const std::vector<std::string> files =
      options.file.empty() ? own_tables() : std::vector<std::string>{options.file};
  std::vector<ValidationRow> rows;
  for (const std::string& file : files) {
    const std::vector<ValidationRow> more = read_rows(file);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  if (!options.only.empty()) {
    const std::vector<ValidationRow> all = std::move(rows);
    rows.clear();
    for (const std::string& id : options.only) {
      const auto found =
          std::find_if(all.begin(), all.end(), [&](const ValidationRow& row) { return row.id == id; });
      if (found == all.end()) throw std::invalid_argument(fmt::format("--only: there is no row {}", id));
      rows.push_back(*found);
    }
  }
  const std::vector<Outcome> outcomes = outcomes_of(rows, options.jobs);
  const std::vector<GroupStatistics> groups = statistics_of(outcomes);
  const Json answer = {{"rows", outcomes_table().list(outcomes)}, {"groups", groups_table().list(groups)}};
  if (!options.page.empty()) write_file("--out", options.page, report_html({{"validate", answer}}));
  if (!options.json.empty() && write_json(options.json, answer)) return 0;
  fmt::print("{}\n{}", outcomes_table().text(outcomes, 0), groups_table().text(groups, 0));
  if (!options.page.empty()) fmt::print("Written:\n  {}\n", options.page);
  return 0;
}

}  // namespace

std::function<int()> add_validate_command(CLI::App& app) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = app.add_subcommand("validate", "Hold the models against published measurements");
  command
      ->add_option("ROWS", options->file,
                   "Measurements, a CSV or YAML file; those of configs/validation/ if not given")
      ->type_name("ROWS.csv")
      ->transform(preset_or_file([] { return std::vector<std::string>{"validation"}; }));
  command->add_option("--only", options->only, "Rows by id")->delimiter(',')->type_name("ID,...");
  add_jobs_option(*command, options->jobs);
  add_shared_option(*command, "--out", options->page, "a page with the charts; none if not given")
      ->check(names_output(OutputKind::file));
  add_json_option(*command, options->json, validation_schema);
  command->footer(
      "Columns: id, system, ranks, topology facts, operation, size or model+parallelism, measured, unit, "
      "source, notes.\nA row is understood by what it says; one that cannot be counts as missed and says "
      "why.\nExamples:\n  wafertlm validate --out validate.html\n  wafertlm validate rows.csv --json "
      "outcomes.json");
  return [options] { return run_validate(*options); };
}

}  // namespace wafertlm
