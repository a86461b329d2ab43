// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/rtl/axi4_stress.h"

#include <fmt/core.h>

#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <systemc>

#include "models/memory_engine/rtl/gcm_stress.h"
#include "models/rtl/axi4/stress/copy_stress.h"
#include "platform/describe/fields.h"

namespace wafertlm {
namespace {

using Stress = Axi4StressResult (*)(const RtlDesign&, RtlModel&, RtlModel*, const Axi4StressOptions&,
                                    const Axi4Progress&);

/// How a design is put under stress, by its protocol and CONFIGURATION.
Stress stress_of(const RtlDesign& design) {
  static const std::map<std::pair<RtlProtocol, std::string>, Stress> all = {
      {{RtlProtocol::axi4_slave, ""}, stress_axi4_memory},
      {{RtlProtocol::axi4_slave, "gcm"}, stress_gcm},
      {{RtlProtocol::axi4_master, ""}, stress_axi4_copy},
  };
  const auto found = all.find({design.protocol, design.configuration});
  if (found == all.end())
    throw std::invalid_argument("the RTL design '" + design.name + "' has the CONFIGURATION '" +
                                design.configuration +
                                "', for which there is no stress; known: none and gcm");
  return found->second;
}

nlohmann::ordered_json axi4_json(const Axi4StressResult& result, const RtlDesign& design) {
  nlohmann::ordered_json json = {{"design", design.name}, {"passed", result.passed()},
                                 {"cases", result.cases}, {"transactions", result.transactions},
                                 {"beats", result.beats}, {"cycles", result.cycles}};
  if (!result.passed())
    json["failure"] = {{"seed", result.failed_seed},
                       {"rule", result.failure->rule->name},
                       {"what", to_text(*result.failure)},
                       {"stimulus", result.stimulus}};
  return json;
}

std::string axi4_text(const Axi4StressResult& result, const RtlDesign& design, double cpu_s) {
  std::string text = fmt::format(
      "stress of {}: {}\n  cases                     {}\n  transactions              {} of {} beats\n"
      "  cycles                    {}, {:.0f} a second of this computer\n",
      design.name, result.passed() ? "nothing found" : "FAILED", result.cases, result.transactions,
      result.beats, result.cycles, static_cast<double>(result.cycles) / cpu_s);
  if (result.passed()) return text;
  text += fmt::format("\n{}\n  what is left of the case with --seed {}:\n", to_text(*result.failure),
                      result.failed_seed);
  for (const std::string& line : result.stimulus) text += "    " + line + "\n";
  return text;
}

}  // namespace

int run_axi4_stress(const RtlDesign& design, const Axi4StressOptions& options, bool json) {
  const Stress stress = stress_of(design);
  const auto model = design.make("rtl"), twin = design.make("rtl_twin");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::clock_t begin = std::clock();
  const Axi4StressResult result = stress(design, *model, twin.get(), options, {});
  const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  fmt::print("{}", json ? axi4_json(result, design).dump(2) + "\n" : axi4_text(result, design, cpu_s));
  if (result.passed()) return 0;
  throw std::runtime_error("stress found a fault in " + design.name);
}

nlohmann::ordered_json axi4_stress_schema() {
  namespace schema = results::schema;
  return schema::object({{"design", schema::text()},
                         {"passed", schema::boolean()},
                         {"cases", schema::count()},
                         {"transactions", schema::count()},
                         {"beats", schema::count()},
                         {"cycles", schema::count()},
                         {"failure", schema::object({{"seed", schema::count()},
                                                     {"rule", schema::text()},
                                                     {"what", schema::text()},
                                                     {"stimulus", schema::list(schema::text())}})}},
                        nullptr, {"failure"});
}

}  // namespace wafertlm
