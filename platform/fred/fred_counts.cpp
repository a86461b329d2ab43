// SPDX-License-Identifier: Apache-2.0
#include "platform/fred/fred_counts.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "models/fred/routing/network.h"
#include "platform/fred/number_list.h"

namespace wafertlm {
namespace {

struct Counts {
  std::string ports = "2-16", ms = "1,2,3,4";
  bool json = false;
};

/// The µswitches of FRED_m(P).
int print_counts(const Counts& options) {
  const auto ends = number_list("--ports", options.ports, '-', 2);
  const auto ms = number_list("--m", options.ms, ',', 1);
  if (ends.size() > 2 || ends.front() > ends.back())
    throw std::invalid_argument("--ports " + options.ports + ": expected a number, or FROM-TO");
  constexpr std::pair<const char*, MicroSwitchKind> kKinds[] = {
      {"r", MicroSwitchKind::reduce},
      {"d", MicroSwitchKind::distribute},
      {"rd", MicroSwitchKind::reduce_distribute},
      {"demux", MicroSwitchKind::demux},
      {"mux", MicroSwitchKind::mux},
  };
  nlohmann::json rows = nlohmann::json::array();
  std::string text = fmt::format("{:>6}{:>4}", "ports", "m");
  for (const auto& kind : kKinds) text += fmt::format("{:>9}", kind.first);
  text += fmt::format("{:>8}\n", "stages");
  for (std::uint32_t ports = ends.front(); ports <= ends.back(); ++ports)
    for (const std::uint32_t m : ms) {
      const FredNetwork network(m, ports);
      nlohmann::json row = {{"ports", ports}, {"m", m}, {"stages", FredNetwork::stages(ports)}};
      text += fmt::format("{:>6}{:>4}", ports, m);
      for (const auto& [name, kind] : kKinds) {
        row[name] = network.netlist().count(kind);
        text += fmt::format("{:>9}", network.netlist().count(kind));
      }
      text += fmt::format("{:>8}\n", FredNetwork::stages(ports));
      rows.push_back(std::move(row));
    }
  const std::string output = options.json ? nlohmann::json{{"rows", rows}}.dump(2) + "\n" : text;
  std::fputs(output.c_str(), stdout);
  return 0;
}

}  // namespace

std::function<int()> add_fred_counts_command(CLI::App& fred) {
  auto options = std::make_shared<Counts>();
  CLI::App* count = fred.add_subcommand("counts", "The µswitches and stages of FRED_m(P), as built");
  count->add_option("--ports", options->ports, "P, or FROM-TO")->capture_default_str();
  count->add_option("--m", options->ms, "Middle switches, a list")->capture_default_str();
  count->add_flag("--json", options->json, "Print JSON instead of the table");
  return [options] { return print_counts(*options); };
}

}  // namespace wafertlm
