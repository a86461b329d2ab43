// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/synthesize/synthesis.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <utility>

#include "platform/describe/fields.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"
#include "workloads/collectives/algorithm/program_steps.h"
#include "workloads/collectives/packed_trees/plan.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

/// Payload by link of the fabric.
std::map<std::size_t, std::uint64_t> link_bytes(const CollectiveProgram& program, const Topology& topology) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> by_pair;
  for (std::uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    for (std::uint32_t thread = 0; thread < program.ranks[rank]->threadblocks(); ++thread)
      for (std::uint32_t index = 0; index < program.ranks[rank]->steps(thread); ++index)
        if (const Step step = program.ranks[rank]->step(thread, index); step.kind == Step::Kind::send)
          by_pair[{rank, step.peer}] += step.bytes;
  std::map<std::size_t, std::uint64_t> by_link;
  for (const auto& [pair, bytes] : by_pair)
    for (const std::size_t link : topology.route(program.group[pair.first], program.group[pair.second]))
      by_link[link] += bytes;
  return by_link;
}

Json links_of_program(const Synthesis& synthesis, const Topology& topology) {
  const auto by_link = link_bytes(*synthesis.program, topology);
  if (by_link.empty()) return nullptr;
  double busiest = -1, sum = 0;
  Json json = {{"used", by_link.size()}};
  for (const auto& [link, bytes] : by_link) {
    const double busy =
        static_cast<double>(bytes) / static_cast<double>(topology.link(link).bytes_per_s) /
        std::max(1e-15, static_cast<double>(synthesis.cost.predicted_ps) / static_cast<double>(kPsPerSecond));
    sum += busy;
    if (busy <= busiest) continue;
    busiest = busy;
    json["busiest"] = topology.link_name(link);
    json["busiest_bytes"] = bytes;
    json["busiest_busy_fraction"] = busy;
  }
  json["mean_busy_fraction"] = sum / static_cast<double>(by_link.size());
  return json;
}

Json trees_of(const Synthesis& synthesis, const FabricTraits& fabric) {
  if (synthesis.request.algorithm != "packed_trees") return nullptr;
  const PackedTreesPlan plan = packed_trees_plan(synthesis.request, fabric);
  std::uint32_t depth = 0;
  for (const Tree& tree : plan.packing->trees)
    for (std::uint32_t rank = 0; rank < tree.ranks(); ++rank) depth = std::max(depth, tree.depth(rank));
  const auto& slots = plan.packing->slots;
  return {{"count", plan.packing->trees.size()},
          {"depth", depth},
          {"most_on_a_link", *std::max_element(slots.begin(), slots.end())}};
}

double processor_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

Synthesis synthesize(CollectiveRequest request, const FabricTraits& fabric) {
  const double start = processor_s();
  const bool open = request.chunks == 0;
  Synthesis made;
  made.request = settled(request, fabric);
  made.program = plan_collective(made.request, fabric);
  const std::uint64_t steps = steps_of(*made.program);
  if (open && steps > kMostFileSteps && made.request.chunks > 1) {
    made.best_chunks = made.request.chunks;
    request = made.request;
    request.chunks =
        std::max<std::uint32_t>(1, static_cast<std::uint32_t>(request.chunks * kMostFileSteps / steps));
    made.request = settled(request, fabric);
    made.program = plan_collective(made.request, fabric);
  }
  made.cost = cost_of(*made.program, made.request, fabric);
  made.seconds = processor_s() - start;
  return made;
}

Json statistics_of(const Synthesis& synthesis, const FabricTraits& fabric) {
  const CollectiveProgram& program = *synthesis.program;
  return {{"type", to_string(program.type)},
          {"bytes", program.bytes},
          {"ranks", program.group.size()},
          {"algorithm", program.algorithm},
          {"trees", trees_of(synthesis, fabric)},
          {"chunks", program.chunks},
          {"best_chunks", synthesis.best_chunks == 0 ? program.chunks : synthesis.best_chunks},
          {"steps", steps_of(program)},
          {"links", links_of_program(synthesis, *fabric.topology)},
          {"predicted_ps", synthesis.cost.predicted_ps},
          {"bound_ps", synthesis.cost.bound_ps},
          {"synthesis_cpu_s", synthesis.seconds}};
}

Json statistics_schema() {
  namespace schema = results::schema;
  return schema::object(
      {{"type", schema::text()},
       {"bytes", schema::count()},
       {"ranks", schema::positive()},
       {"algorithm", schema::text()},
       {"trees", schema::or_null(schema::object({{"count", schema::count()},
                                                 {"depth", schema::count()},
                                                 {"most_on_a_link", schema::count()}}),
                                 "Of packed_trees")},
       {"chunks", schema::positive()},
       {"best_chunks", schema::positive()},
       {"steps", schema::count()},
       {"links", schema::or_null(schema::object({{"used", schema::positive()},
                                                 {"busiest", schema::text()},
                                                 {"busiest_bytes", schema::count()},
                                                 {"busiest_busy_fraction", schema::number()},
                                                 {"mean_busy_fraction", schema::number()}}),
                                 "null: none")},
       {"predicted_ps", schema::count()},
       {"bound_ps", schema::count()},
       {"synthesis_cpu_s", schema::seconds()},
       {"file", schema::text()},
       {"file_bytes", schema::count()},
       {"read_back_ps", schema::count("What the file takes that was written")}});
}

std::string statistics_text(const Json& of) {
  const auto predicted = of["predicted_ps"].get<TimePs>(), bound = of["bound_ps"].get<TimePs>();
  const auto chunks = of["chunks"].get<std::uint32_t>(), best = of["best_chunks"].get<std::uint32_t>();
  TextRows rows;
  const std::string text = fmt::format("{} of {} over {} NPUs: {}\n", of["type"].get<std::string>(),
                                       format_bytes(of["bytes"].get<std::uint64_t>()),
                                       of["ranks"].get<std::size_t>(), of["algorithm"].get<std::string>());
  const auto line = [&](const char* name, const std::string& value) { rows.push_back({name, value}); };
  if (!of["trees"].is_null())
    line("trees",
         fmt::format("{}, up to {} levels deep, a link is in {} at most",
                     of["trees"]["count"].get<std::size_t>(), of["trees"]["depth"].get<std::uint32_t>(),
                     of["trees"]["most_on_a_link"].get<std::uint32_t>()));
  line("chunks",
       fmt::format("{} of each share{}; {} in all", chunks,
                   chunks == best
                       ? ""
                       : fmt::format(" ({} would be best, but make a large file: --chunks {})", best, best),
                   counted(of["steps"].get<std::uint64_t>(), "step")));
  line("predicted",
       fmt::format("{}, {:.3f} of the bound of {}", format_time(predicted),
                   bound == 0 ? 0.0 : static_cast<double>(predicted) / static_cast<double>(bound),
                   format_time(bound)));
  if (!of["links"].is_null())
    line("links", fmt::format("{} used, busy for {:.1f} % of that on average; {} with {} for {:.1f} %",
                              of["links"]["used"].get<std::size_t>(),
                              100 * of["links"]["mean_busy_fraction"].get<double>(),
                              of["links"]["busiest"].get<std::string>(),
                              format_bytes(of["links"]["busiest_bytes"].get<std::uint64_t>()),
                              100 * of["links"]["busiest_busy_fraction"].get<double>()));
  line("synthesis", fmt::format("{:.3f} s of the processor", of["synthesis_cpu_s"].get<double>()));
  return text + aligned(rows, "l", 2, {9});
}

}  // namespace wafertlm
