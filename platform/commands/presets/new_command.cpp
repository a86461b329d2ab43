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
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/output_option.h"
#include "platform/host/validators.h"
#include "platform/spec/file_kinds.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string kind, name, out;
  bool force = false, json = false;
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
  if (options.out.empty() && options.name.find('/') != std::string::npos)
    throw std::invalid_argument("NAME is no path; give the file with --out FILE");
  const fs::path file = options.out.empty() ? fs::path(options.name + ".yaml") : fs::path(options.out);
  if (fs::exists(file) && !options.force)
    throw std::invalid_argument(file.string() + " is there already; take another name, or --force");
  // An editor then knows the keys.
  std::string text = "# yaml-language-server: $schema=wafertlm.schema.json\n";
  text += fmt::format(fmt::runtime(kind.start),
                      fmt::arg("name", nlohmann::json(options.name).dump()));  // as YAML reads it
  write_file("--out", file, text);
  const std::string next =
      fmt::format("wafertlm {} {}", kind.command == "run" ? "run" : "check", file.string());
  if (options.json) {
    print_json({{"written", {file.string()}}, {"next", next}});
    return 0;
  }
  const fs::path schema = file.parent_path() / "wafertlm.schema.json";
  fmt::print("Written:\n  {}\nNext:\n  {}\n  wafertlm schema --out {}   (an editor then knows all keys)\n",
             file.string(), next, schema.string());
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
  add_shared_option(*command, "--out", options->out, "another file")->check(names_output(OutputKind::file));
  add_shared_flag(*command, "--force", options->force, "writes in place of a file that is there");
  add_json_flag(*command, options->json);
  command->footer(
      "Examples:\n  wafertlm new platform my_wafer\n  wafertlm new experiment first --out a.yaml");
  return [options] { return write_new(*options); };
}

}  // namespace wafertlm
