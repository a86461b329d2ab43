// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/commands/precision/inputs.h"
#include "platform/describe/table.h"
#include "platform/host/json_output.h"
#include "platform/host/presets.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using namespace precision;
using results::Fields;
namespace schema = results::schema;

struct PrecisionOptions {
  std::string file;
  bool json = false;
};

const Fields<ClassBytes>& bytes_fields() {
  static const Fields<ClassBytes> fields([](Fields<ClassBytes>& f) {
    f.add("weights", schema::count(), &ClassBytes::weights);
    f.add("activations", schema::count(), &ClassBytes::activations);
    f.add("gradients", schema::count(), &ClassBytes::gradients);
    f.add("optimizer", schema::count(), &ClassBytes::optimizer);
    f.add("total", schema::count(), &ClassBytes::total);
  });
  return fields;
}

/// What a setting of formats costs.
struct SettingRow : StepCost {
  std::string name;
  double first_s;  ///< time of the first setting
};

const Table<SettingRow>& settings_table() {
  static const Table<SettingRow> table([](Table<SettingRow>& t) {
    using R = SettingRow;
    t.column("setting", "", shown::text(), &R::name);
    t.column("time_s", "time", shown::seconds(), &R::time_s);
    t.column("speedup", "speed-up", shown::number("{:.2f}"),
             [](const R& of) { return of.first_s / of.time_s; });
    t.add("compute_s", schema::seconds(), &R::compute_s);
    t.add("memory_s", schema::seconds(), &R::memory_s);
    t.add("wire_s", schema::seconds(), &R::wire_s);
    t.add("matrix_operations", schema::number(), &R::matrix_operations);
    t.add("scale_operations", schema::number(), &R::scale_operations);
    t.add_object("memory_bytes", bytes_fields(), &R::memory);
    t.cell("memory", shown::bytes(), [](const R& of) { return of.memory.total(); });
    t.add_object("traffic_bytes", bytes_fields(), &R::traffic);
    t.cell("traffic", shown::bytes(), [](const R& of) { return of.traffic.total(); });
    t.column("wire_bytes", "wire", shown::bytes(), &R::wire_bytes);
    t.cell("scaling", shown::percent(),
           [](const R& of) { return of.scale_operations / of.matrix_operations; });
  });
  return table;
}

struct ModelRow {
  model::Model model;
  std::vector<SettingRow> settings;
};

const Fields<ModelRow>& model_fields() {
  static const Fields<ModelRow> fields([](Fields<ModelRow>& f) {
    f.add("model", schema::text(), [](const ModelRow& of) { return of.model.name; });
    f.add("parameters", schema::count(), [](const ModelRow& of) { return parameters(of.model); });
    f.add("forward_operations", schema::count(),
          [](const ModelRow& of) { return forward_operations(of.model); });
    f.add_list("settings", settings_table(), &ModelRow::settings);
  });
  return fields;
}

struct Report {
  std::string name, pass;
  std::uint64_t batch;
  std::vector<ModelRow> models;
};

const Fields<Report>& report_fields() {
  static const Fields<Report> fields([](Fields<Report>& f) {
    f.add("precision", schema::text(), &Report::name);
    f.add("pass", schema::text("training or inference"), &Report::pass);
    f.add("batch", schema::count("Samples"), &Report::batch);
    f.add_list("models", model_fields(), &Report::models);
  });
  return fields;
}

Report report_of(const PrecisionSpec& spec) {
  Report report{spec.name, spec.pass == Pass::training ? "training" : "inference", spec.batch, {}};
  const Machine machine = spec.built_machine();
  for (const std::string& name : spec.models) {
    ModelRow& row = report.models.emplace_back(ModelRow{model_named(name), {}});
    for (const SettingSpec& each : spec.settings) {
      const StepCost cost = step_cost(row.model, each.formats, machine, spec.pass, spec.batch);
      row.settings.push_back({cost, each.name, row.settings.empty() ? cost.time_s : row.settings[0].time_s});
    }
  }
  return report;
}

std::string report_text(const Report& report) {
  std::string text = fmt::format("{}: {} of {}\n", report.name, report.pass, counted(report.batch, "sample"));
  for (const ModelRow& each : report.models)
    text += fmt::format("\n{}: {} parameters, {} operations of a sample's forward pass\n{}", each.model.name,
                        format_count(parameters(each.model)), format_count(forward_operations(each.model)),
                        settings_table().text(each.settings));
  return text +
         "\nA pass of a layer takes the longer of its operations and its bytes; nothing is simulated, and "
         "accuracy is\nno part of it. Scaling: quantise and dequantise operations over those of matrix "
         "products.\n";
}

int run_precision(const PrecisionOptions& options) {
  const Report report = report_of(load_precision(options.file));
  fmt::print("{}", options.json ? report_fields().json(report).dump(1) + "\n" : report_text(report));
  return 0;
}

}  // namespace

std::function<int()> add_precision_command(CLI::App& app) {
  auto options = std::make_shared<PrecisionOptions>();
  CLI::App* command = app.add_subcommand("precision", "Time, memory and traffic of a step by number formats");
  add_file(*command, "FILE", options->file, "Machine, models and formats", "studies", "FILE.yaml");
  add_json_flag(*command, options->json, [] { return report_fields().schema(); });
  command->footer(
      "Formats: fp32, tf32, bf16, fp16, fp8, int8, int4, for weights, activations, gradients, optimizer and "
      "wire each.\n"
      "Example:\n  wafertlm precision configs/studies/precision_inference.yaml");
  return [options] { return run_precision(*options); };
}

}  // namespace wafertlm
