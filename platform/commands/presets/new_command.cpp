// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/host/files.h"
#include "platform/host/output_option.h"
#include "platform/host/presets.h"
#include "platform/host/validators.h"
#include "platform/spec/file_kinds.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string kind, name, out;
  bool force = false;
};

/// Those that have a text to start from.
std::vector<std::string> kinds_to_start() {
  std::vector<std::string> keys;
  for (const config::FileKind& kind : config::spec_file_kinds())
    if (!kind.start.empty()) keys.push_back(kind.key());
  return keys;
}

int write_new(const Options& options) {
  const std::vector<config::FileKind>& kinds = config::spec_file_kinds();
  const config::FileKind& kind = *std::find_if(
      kinds.begin(), kinds.end(), [&](const config::FileKind& each) { return each.key() == options.kind; });
  const bool names_presets = kind.start.find("{configs}") != std::string::npos;
  const fs::path configs = names_presets ? required_configs_folder(config::preset_folders()) : fs::path();
  if (options.out.empty() && options.name.find('/') != std::string::npos)
    throw std::invalid_argument("NAME is no path; give the file with --out FILE");
  const fs::path file = options.out.empty() ? fs::path(options.name + ".yaml") : fs::path(options.out);
  if (fs::exists(file) && !options.force)
    throw std::invalid_argument(file.string() + " is there already; take another name, or --force");
  std::error_code none;
  const fs::path schema = fs::absolute(configs_folder() / "wafertlm.schema.json");
  std::string text;
  if (fs::is_regular_file(schema, none))  // an editor then knows the keys
    text = "# yaml-language-server: $schema=" + schema.string() + "\n";
  text += fmt::format(fmt::runtime(kind.start),
                      fmt::arg("name", nlohmann::json(options.name).dump()),  // as YAML reads it
                      fmt::arg("configs", configs.string()));
  write_file("--out", file, text);
  fmt::print("Written:\n  {}\nNext:\n  wafertlm {} {}\n", file.string(),
             kind.command == "run" ? "run" : "check", file.string());
  return 0;
}

}  // namespace

std::function<int()> add_new_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("new", "Write a commented platform, workload or experiment to start from");
  command->add_option("KIND", options->kind, "What to write")
      ->required()
      ->check(one_of_names(kinds_to_start));
  command->add_option("NAME", options->name, "Its name, and that of the file NAME.yaml")->required();
  command->add_option("--out", options->out, "Another file")
      ->type_name("FILE")
      ->check(names_output(OutputKind::file));
  command->add_flag("--force", options->force, "Also in place of a file that is there");
  command->footer(
      "Examples:\n  wafertlm new platform my_wafer\n  wafertlm new experiment first --out a.yaml");
  return [options] { return write_new(*options); };
}

}  // namespace wafertlm
