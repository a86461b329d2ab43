// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/synthesis_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "platform/text/aligned.h"
#include "platform/text/format.h"
#include "workloads/trace_model/shape.h"

namespace wafertlm {
namespace {

/// Compares each node with the one that it was made after.
void compare_places(const trace_model::Ranks& source, const trace_model::Generated& made,
                    SynthesisCheck& check) {
  for (std::size_t rank = 0; rank < made.ranks.size(); ++rank) {
    const statistics::TraceGraph& before = source[made.source_rank[rank]];
    for (std::size_t i = 0; i < made.ranks[rank].size(); ++i) {
      const chakra::Node &then = before.nodes[before.order[made.source[rank][i]]], &now = made.ranks[rank][i];
      check.rounded.add(then.duration_ps, now.duration_ps, check.grid_ps);
      const auto old = static_cast<double>(trace_model::bytes_of(then));
      if (old > 0)
        check.largest_size_change = std::max(
            check.largest_size_change, std::abs(static_cast<double>(trace_model::bytes_of(now)) / old - 1));
    }
  }
}

double percent_of(double part, double of) { return of == 0 ? 0 : 100 * part / of; }

}  // namespace

std::string model_text(const trace_model::Model& model) {
  std::string text =
      fmt::format("learned of {}: {}, {} in the pattern, {} of groups\n", counted(model.ranks, "rank"),
                  counted(model.behaviours.size(), "behaviour"), counted(model.slot_count(), "node"),
                  counted(model.families.size(), "family", "families"));
  text += model.layers == 0 ? "  layers: none found, nothing repeats\n"
                            : fmt::format("  layers: {} of {} on a rank\n", model.layers,
                                          counted(model.layer_nodes, "node"));
  return text;
}

SynthesisCheck check_synthesis(const trace_model::Ranks& source, const trace_model::Model& model,
                               const trace_model::Generated& made, const trace_model::Ranks& made_graphs,
                               bool is_scaled) {
  SynthesisCheck check;
  check.most_identical = trace_model::most_identical_nodes(source, made_graphs);
  check.layers = trace_model::attack_layers(source, model, made, made_graphs);
  check.differences =
      statistics::compare(statistics::statistics_of(source), statistics::statistics_of(made_graphs));
  check.grid_ps = model.grid_ps;
  if (!is_scaled) compare_places(source, made, check);
  return check;
}

std::string rounded_text(const statistics::RoundedBack& rounded, TimePs grid_ps) {
  if (grid_ps == 1 || rounded.durations == 0) return "";
  return fmt::format("  rounding to {}, on which the source counts, gives {:.1f} % of {} durations back\n",
                     format_time(grid_ps),
                     percent_of(static_cast<double>(rounded.right), static_cast<double>(rounded.durations)),
                     rounded.durations);
}

std::string check_text(const SynthesisCheck& check, bool is_scaled) {
  std::string text = fmt::format("  no connected part that is as in the source has more than {}\n",
                                 counted(check.most_identical, "node"));
  if (!is_scaled)
    text += fmt::format("  largest difference of a size from that at its place in the source: {:.2f} %\n",
                        100 * check.largest_size_change) +
            rounded_text(check.rounded, check.grid_ps);
  const trace_model::LayersFound& found = check.layers;
  const auto nodes = static_cast<double>(found.nodes);
  text += fmt::format(
      "  nearest-neighbour attack on {}: {:.1f} % of the layers guessed right (most frequent one: {:.1f} %), "
      "{:.1f} % of the operators ({:.1f} %)\n",
      counted(found.nodes, "node"), percent_of(static_cast<double>(found.layers), nodes),
      percent_of(found.layers_by_chance, nodes), percent_of(static_cast<double>(found.operators), nodes),
      percent_of(found.operators_by_chance, nodes));
  TextRows rows{{"distance from the source", "count", "count", "Kolmogorov-Smirnov", "earth mover's"}};
  for (const statistics::Difference& each : check.differences)
    if (each.count_a + each.count_b != 0)
      rows.push_back({each.what, std::to_string(each.count_a), std::to_string(each.count_b),
                      fmt::format("{:.4f}", each.ks),
                      fmt::format("{:.2f} %", percent_of(each.earth_mover, each.mean_a))});
  return text + aligned(rows, "lr");
}

}  // namespace wafertlm
