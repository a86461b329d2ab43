// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/commands/precision/inputs.h"
#include "platform/host/presets.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using namespace precision;
using nlohmann::ordered_json;

struct PrecisionOptions {
  std::string file;
  bool json = false;
};

ordered_json bytes_json(const ClassBytes& bytes) {
  return {{"weights", bytes.weights},
          {"activations", bytes.activations},
          {"gradients", bytes.gradients},
          {"optimizer", bytes.optimizer},
          {"total", bytes.total()}};
}

ordered_json setting_json(const SettingSpec& setting, const StepCost& cost, const StepCost& first) {
  return {{"setting", setting.name},
          {"time_s", cost.time_s},
          {"speedup", first.time_s / cost.time_s},
          {"compute_s", cost.compute_s},
          {"memory_s", cost.memory_s},
          {"wire_s", cost.wire_s},
          {"matrix_operations", cost.matrix_operations},
          {"scale_operations", cost.scale_operations},
          {"memory_bytes", bytes_json(cost.memory)},
          {"traffic_bytes", bytes_json(cost.traffic)},
          {"wire_bytes", cost.wire_bytes}};
}

ordered_json report_json(const PrecisionSpec& spec) {
  ordered_json json{{"precision", spec.name},
                    {"pass", spec.pass == Pass::training ? "training" : "inference"},
                    {"batch", spec.batch},
                    {"models", ordered_json::array()}};
  const Machine machine = spec.built_machine();
  for (const std::string& name : spec.models) {
    const model::Model model = model_named(name);
    ordered_json rows{{"model", model.name},
                      {"parameters", parameters(model)},
                      {"forward_operations", forward_operations(model)}};
    const StepCost first = step_cost(model, spec.settings.front().formats, machine, spec.pass, spec.batch);
    for (const SettingSpec& each : spec.settings)
      rows["settings"].push_back(
          setting_json(each, step_cost(model, each.formats, machine, spec.pass, spec.batch), first));
    json["models"].push_back(std::move(rows));
  }
  return json;
}

std::string report_text(const ordered_json& json) {
  std::string text = fmt::format("{}: {} of {}\n", json["precision"].get<std::string>(),
                                 json["pass"].get<std::string>(), counted(json["batch"], "sample"));
  const auto to_ps = [](const ordered_json& of) {
    return static_cast<TimePs>(of.get<double>() * 1e12 + 0.5);
  };
  for (const auto& model : json["models"]) {
    text += fmt::format("\n{}: {} parameters, {} operations of a sample's forward pass\n",
                        model["model"].get<std::string>(), format_count(model["parameters"]),
                        format_count(model["forward_operations"]));
    text += fmt::format("  {:<28}{:>12}{:>9}{:>12}{:>12}{:>12}{:>10}\n", "", "time", "speed-up", "memory",
                        "traffic", "wire", "scaling");
    for (const auto& each : model["settings"])
      text +=
          fmt::format("  {:<28}{:>12}{:>9.2f}{:>12}{:>12}{:>12}{:>8.2f} %\n",
                      each["setting"].get<std::string>(), format_time(to_ps(each["time_s"])),
                      each["speedup"].get<double>(), format_bytes(each["memory_bytes"]["total"]),
                      format_bytes(each["traffic_bytes"]["total"]), format_bytes(each["wire_bytes"]),
                      100 * each["scale_operations"].get<double>() / each["matrix_operations"].get<double>());
  }
  return text +
         "\nA pass of a layer takes the longer of its operations and its bytes; nothing is simulated, and "
         "accuracy is\nno part of it. Scaling: quantise and dequantise operations over those of matrix "
         "products.\n";
}

int run_precision(const PrecisionOptions& options) {
  const ordered_json json = report_json(load_precision(options.file));
  fmt::print("{}", options.json ? json.dump(1) + "\n" : report_text(json));
  return 0;
}

}  // namespace

std::function<int()> add_precision_command(CLI::App& app) {
  auto options = std::make_shared<PrecisionOptions>();
  CLI::App* command = app.add_subcommand("precision", "Time, memory and traffic of a step by number formats");
  command->add_option("FILE", options->file, "Machine, models and formats")
      ->required()
      ->transform(preset_or_file({"studies"}))
      ->type_name("FILE.yaml");
  command->add_flag("--json", options->json, "Print JSON instead");
  command->footer(
      "Formats: fp32, tf32, bf16, fp16, fp8, int8, int4, for weights, activations, gradients, optimizer and "
      "wire each.\n"
      "Example:\n  wafertlm precision configs/studies/precision_inference.yaml");
  return [options] { return run_precision(*options); };
}

}  // namespace wafertlm
