// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/import_report.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <vector>

#include "platform/commands/trace/chrome_trace.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"
#include "workloads/chakra/trace_error.h"
#include "workloads/statistics/trace_graph.h"

namespace wafertlm {
namespace {

using OrderedJson = nlohmann::ordered_json;
using pytorch::Graph;
using pytorch::GraphSummary;
using pytorch::ImportedJob;
using pytorch::ImportedRank;
using pytorch::Item;
using pytorch::PlacedCommunication;
using pytorch::Tally;

constexpr std::uint64_t kPsPerNano = 1000;

std::string type_of(const PlacedCommunication& placed) {
  return placed.kind.type == chakra::NodeType::CommColl ? to_string(placed.kind.collective)
                                                        : to_string(placed.kind.type);
}

TimePs measured_ps(const Graph& graph) {
  return static_cast<TimePs>(graph.end_ns - graph.start_ns) * kPsPerNano;
}

OrderedJson communications(const ImportedRank& rank) {
  OrderedJson list = OrderedJson::array();
  for (const std::uint32_t index : rank.in_order) {
    const Item& item = rank.graph.items[index];
    const pytorch::Communication& from = rank.graph.communications[item.communication - 1];
    const PlacedCommunication& placed = rank.placed[item.communication - 1];
    OrderedJson entry = {
        {"type", type_of(placed)},
        {"name", from.name},
        {"group", placed.group},
        {"bytes", placed.bytes},
        {"input_bytes", from.in_bytes},
        {"output_bytes", from.out_bytes},
        {"recorded_ps", static_cast<std::uint64_t>(item.end_ns - item.start_ns) * kPsPerNano}};
    if (placed.is_uneven) entry["input_split"] = from.in_split;
    if (placed.is_uneven) entry["output_split"] = from.out_split;
    list.push_back(std::move(entry));
  }
  return list;
}

std::uint64_t number_of(const pytorch::Counts& counts, std::string_view name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

/// What became of all that a rank's traces, or those of the job, give.
using Account = std::vector<std::pair<const char*, Tally>>;

Account account_of(const ImportedRank& rank) {
  const GraphSummary& graph = rank.graph.summary;
  Account account = {
      {"events", graph.events}, {"launches", graph.launches}, {"communications", graph.communications}};
  if (rank.link) account.emplace_back("host_operators", rank.link->account());
  return account;
}

OrderedJson account_json(const ImportedRank& rank) {
  OrderedJson json;
  for (const auto& [what, tally] : account_of(rank))
    json[what] = {
        {"given", tally.given}, {"used", tally.used}, {"left_out", tally.left_out}, {"errors", tally.errors}};
  return json;
}

/// A line for each kind: "events: 111 given, 51 used; left out 34 name of a process or thread, …".
std::string account_text(const ImportedJob& job) {
  std::map<std::string, Tally> whole;
  for (const ImportedRank& rank : job.ranks)
    for (const auto& [what, tally] : account_of(rank)) whole[what].add(tally);
  std::string text;
  for (const auto& [what, tally] : whole) {
    if (tally.given == 0) continue;
    text += fmt::format("  {}: {} given, {} used", what, tally.given, tally.used);
    for (const auto& [head, counts] : {std::pair("left out", &tally.left_out), {"errors", &tally.errors}}) {
      const char* before = "; ";
      for (const auto& [rule, number] : *counts) {
        text += fmt::format("{}{}{} {}", before, *before == ';' ? fmt::format("{}: ", head) : "", number,
                            chakra::printable(rule));
        before = ", ";
      }
    }
    text += "\n";
  }
  return text;
}

OrderedJson rank_json(const ImportedRank& rank) {
  const GraphSummary& graph = rank.graph.summary;
  OrderedJson json = {{"rank", rank.rank}, {"file", rank.name}};
  if (rank.link)
    json["operators_linked"] = {{"by", rank.link->by_function_id ? "function_id" : "name_sequence"},
                                {"linked", rank.link->linked},
                                {"of", rank.link->nodes},
                                {"unlinked", rank.link->unlinked}};
  json["account"] = account_json(rank);
  json["operators"] = graph.operators;
  json["kernels"] = graph.kernels;
  json["copies"] = graph.copies;
  json["launched"] = graph.launches.used;
  json["launched_before"] = number_of(graph.launches.left_out, pytorch::kLaunchedBefore);
  json["not_launched"] = graph.not_launched;
  json["unknown_communication_kernels"] = graph.unknown_kernels;
  json["collectives"] = graph.collectives;
  json["messages"] = graph.messages;
  json["further_kernels"] = graph.further_kernels;
  json["stream_waits"] = graph.stream_waits;
  json["inferred_stream_waits"] = graph.inferred_stream_waits;
  json["synchronisations"] = graph.synchronisations;
  json["inferred_synchronisations"] = graph.inferred_synchronisations;
  json["thread_waits"] = graph.thread_waits;
  json["contradictions"] = graph.contradictions;
  json["repeated_launches"] = graph.repeated_launches;
  json["shortened"] = graph.shortened;
  json["measured_ps"] = measured_ps(rank.graph);
  json["clock_offset_ns"] = rank.offset_ns;
  json["starts_later_by_ns"] = rank.delay_ns;
  for (std::size_t unit = 0; unit < rank.graph.units.size(); ++unit)
    json["units"][std::to_string(unit + 1)] = rank.graph.units[unit];
  json["communications"] = communications(rank);
  json["notes"] = rank.notes;
  return json;
}

}  // namespace

std::string import_text(const ImportedJob& job) {
  std::string text =
      fmt::format("Imported {} of a job of {}\n", counted(job.ranks.size(), "rank"), job.world_size);
  TextRows rows{
      {"rank", "measured", "operators", "linked", "kernels", "launches", "comms", "starts later by"}};
  std::map<std::string, std::vector<std::uint32_t>> notes;  // the ranks that have each
  for (const ImportedRank& rank : job.ranks) {
    const GraphSummary& graph = rank.graph.summary;
    const std::string linked = rank.link ? fmt::format("{}/{}", rank.link->linked, rank.link->nodes) : "-";
    rows.push_back({std::to_string(rank.rank), format_time(measured_ps(rank.graph)),
                    std::to_string(graph.operators), linked, std::to_string(graph.kernels + graph.copies),
                    fmt::format("{}/{}", graph.launches.used, graph.kernels + graph.copies),
                    std::to_string(graph.collectives + graph.messages),
                    format_time(static_cast<TimePs>(rank.delay_ns) * kPsPerNano)});
    for (const std::string& note : rank.notes) notes[note].push_back(rank.rank);
  }
  text += aligned(rows, "rrrrrrrl") + account_text(job);
  for (const auto& [note, ranks] : notes)
    text += ranks.size() == 1 ? fmt::format("  note, rank {}: {}\n", ranks.front(), note)
                              : fmt::format("  note, {} ranks: {}\n", ranks.size(), note);
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> kinds;
  const ImportedRank& first = job.ranks.front();
  for (const std::uint32_t index : first.in_order) {
    const PlacedCommunication& placed = first.placed[first.graph.items[index].communication - 1];
    ++kinds[{type_of(placed), placed.bytes}];
  }
  for (const auto& [kind, count] : kinds)
    text += fmt::format("  rank {}: {} x {} of {} B\n", first.rank, count, kind.first, kind.second);
  return text;
}

std::string import_json(const ImportedJob& job) {
  OrderedJson json = {{"world_size", job.world_size}, {"groups", job.groups}};
  for (const ImportedRank& rank : job.ranks) json["ranks"].push_back(rank_json(rank));
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string import_timeline(const ImportedJob& job) {
  std::ostringstream text;
  ChromeTrace events(text, ChromeTrace::Json::object());
  std::size_t process = 0;
  for (const ImportedRank& rank : job.ranks) {
    const Graph& graph = rank.graph;
    const std::size_t measured = process++, imported = process++;
    events.name_process(measured, fmt::format("rank {} measured", rank.rank));
    events.name_process(imported, fmt::format("rank {} imported graph", rank.rank));
    for (const std::size_t of : {measured, imported})
      for (std::size_t unit = 0; unit < graph.units.size(); ++unit)
        events.name_thread(of, unit + 1, graph.units[unit]);
    pytorch::GraphSource source(rank);
    const statistics::TraceGraph nodes = statistics::read_graph(source);
    const statistics::Schedule schedule = statistics::schedule(nodes);
    chakra::Node node;
    for (std::size_t position = 0; source.next(node); ++position) {
      if (source.item() == Item::kNone) continue;
      const Item& item = graph.items[source.item()];
      const char* const category = item.on_device ? "kernel" : "cpu_op";
      const auto since_start = [&](std::int64_t time) {
        return static_cast<TimePs>(time - graph.start_ns + rank.delay_ns) * kPsPerNano;
      };
      events.add(measured, item.unit, category, node.name, since_start(item.start_ns),
                 since_start(item.end_ns));
      events.add(imported, item.unit, category, node.name, schedule.start_ps[position],
                 schedule.end_ps[position]);
    }
  }
  events.finish();
  return text.str();
}

}  // namespace wafertlm
