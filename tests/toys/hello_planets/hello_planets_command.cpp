// SPDX-License-Identifier: Apache-2.0
// A table: text, JSON, CSV and the JSON Schema, of columns that are a row each.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "platform/describe/table.h"
#include "platform/host/json_output.h"

namespace wafertlm {
namespace {

struct Planet {
  std::string name;
  double day_s;
};

const Table<Planet>& planets() {
  static const Table<Planet> table([](Table<Planet>& t) {
    t.column("planet", "planet", shown::text(), [](const Planet& of) { return of.name; });
    t.column("day_s", "day", shown::number("{:.0f} s"), [](const Planet& of) { return of.day_s; });
  });
  return table;
}

}  // namespace

std::function<int()> add_hello_planets_command(CLI::App& app) {
  struct Options {
    bool json = false, csv = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("hello-planets", "Say hello to several");
  command->add_flag("--csv", options->csv, "Print CSV instead");
  add_json_flag(*command, options->json, [] { return planets().list_schema(); });
  return [options] {
    const std::vector<Planet> all = {{"Mars", 88'642}, {"a planet, \"far\" away", 5}};
    fmt::print("{}", options->json  ? planets().list(all).dump() + "\n"
                     : options->csv ? csv(planets().list(all))
                                    : planets().text(all));
    return 0;
  };
}

}  // namespace wafertlm
