// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "platform/commands/libra/difference.h"
#include "platform/describe/fields.h"
#include "platform/text/aligned.h"

namespace wafertlm::model_gap {
namespace {

using nlohmann::ordered_json;

constexpr double kPsPerMs = 1e9, kPsPerS = 1e12;

std::string signed_ms(std::int64_t ps) {
  return fmt::format("{:+.6f} ms", static_cast<double>(ps) / kPsPerMs);
}
std::string in_ms(std::int64_t ps) { return fmt::format("{:.6f} ms", static_cast<double>(ps) / kPsPerMs); }
double in_s(std::int64_t ps) { return static_cast<double>(ps) / kPsPerS; }
double part_of(std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

}  // namespace

std::string difference_text(const Difference& difference) {
  if (!difference.problem.empty())
    return "  the difference cannot be told apart: " + difference.problem + "\n";
  const std::int64_t all = difference.simulated_ps - difference.model_ps;
  TextRows rows{{"", "time", "of model"}};
  const auto line = [&](const std::string& name, const std::string& time, double part,
                        const std::string& how) {
    rows.push_back({name, time, fmt::format("{:.3f} %", 100 * part), how});
  };
  line("model", in_ms(difference.model_ps), 1, "");
  for (const Part& each : difference.parts)
    line(each.name, signed_ms(each.ps), part_of(each.ps, difference.model_ps), each.how);
  line("simulated", in_ms(difference.simulated_ps), part_of(difference.simulated_ps, difference.model_ps),
       fmt::format("{} = the sum", signed_ms(all)));
  std::string text = aligned(rows, "lrrl");
  text += fmt::format("  the line misses the run with {} chunks by {}\n", difference.chunks,
                      signed_ms(difference.line_misses_ps));
  text += fmt::format("  Themis off {}, on {}: {:.4f} x as fast\n", in_ms(difference.ascending_ps),
                      in_ms(difference.themis_ps), part_of(difference.ascending_ps, difference.themis_ps));
  return text;
}

ordered_json difference_json(const Difference& difference) {
  ordered_json json;
  json["problem"] = difference.problem;
  json["model_s"] = in_s(difference.model_ps);
  if (!difference.problem.empty()) return json;
  json["simulated_s"] = in_s(difference.simulated_ps);
  json["difference_ps"] = difference.simulated_ps - difference.model_ps;
  for (const Part& each : difference.parts)
    json["parts"].push_back({{"part", each.name}, {"time_ps", each.ps}, {"how", each.how}});
  json["factors"] = ordered_json::array();
  for (const auto& each : difference.factors)
    json["factors"].push_back(each ? ordered_json(*each) : ordered_json());
  json["chunks"] = difference.chunks;
  json["line_misses_ps"] = difference.line_misses_ps;
  json["themis"] = {{"off_s", in_s(difference.ascending_ps)}, {"on_s", in_s(difference.themis_ps)}};
  return json;
}

ordered_json difference_schema() {
  namespace schema = results::schema;
  const ordered_json whole = {{"type", "integer"}};
  return schema::object(
      {{"problem", schema::text("Why they cannot be told apart; then only model_s follows")},
       {"model_s", schema::number()},
       {"simulated_s", schema::number()},
       {"difference_ps", whole},
       {"parts", schema::list(schema::object(
                     {{"part", schema::text()}, {"time_ps", whole}, {"how", schema::text()}}))},
       {"factors", schema::list({{"type", {"number", "null"}}})},
       {"chunks", schema::positive()},
       {"line_misses_ps", whole},
       {"themis", schema::object({{"off_s", schema::number()}, {"on_s", schema::number()}})}},
      "Of model and simulation",
      {"simulated_s", "difference_ps", "parts", "factors", "chunks", "line_misses_ps", "themis"});
}

}  // namespace wafertlm::model_gap
