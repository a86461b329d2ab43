// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/ethernet/ethernet_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/ethernet/ethernet_fabric.h"
#include "platform/command/format.h"
#include "platform/results/fields.h"

namespace wafertlm {
namespace {

using results::Fields;
using results::Json;
namespace schema = results::schema;

/// A port that did more than sending: one row.
struct PortRow {
  const EthernetFabric& fabric;
  std::uint32_t number;
  ethernet::PortCounters counters;
  std::vector<ethernet::PauseCause> causes;
};
using Port = const PortRow&;

bool has_news(const ethernet::PortCounters& of) {
  return of.marks != 0 || of.drops != 0 || of.trims != 0 || of.pauses != 0 || of.paused_ps != 0;
}

const Fields<PortRow>& port_fields() {
  static const Fields<PortRow> fields([](Fields<PortRow>& f) {
    f.add("name", schema::text("As in links[]"),
          [](Port row) { return row.fabric.places().port_name(row.number); });
    f.add("paused_s",
          schema::seconds("So long its data had to wait because the other end had told it to pause"),
          [](Port row) { return seconds(row.counters.paused_ps); });
    f.add("paused_by",
          schema::list({{"type", "object"},
                        {"additionalProperties", false},
                        {"required", {"name", "paused_s"}},
                        {"properties", {{"name", schema::text()}, {"paused_s", schema::seconds()}}}},
                       "Roots of the trees of pauses: the outputs that took too little, longest first"),
          [](Port row) {
            Json list = Json::array();
            for (const ethernet::PauseCause& cause : row.causes)
              list.push_back({{"name", row.fabric.places().port_name(cause.root)},
                              {"paused_s", seconds(cause.paused_ps)}});
            return list;
          });
    f.add("pauses_sent", schema::count("Pause frames that it sent, with those that are repeated"),
          [](Port row) { return row.counters.pauses; });
    f.add("marks", schema::count("Packets that it marked (ECN)"),
          [](Port row) { return row.counters.marks; });
    f.add("drops", schema::count("Packets lost at it"), [](Port row) { return row.counters.drops; });
    f.add("trims", schema::count("Packets whose payload it cut off"),
          [](Port row) { return row.counters.trims; });
    f.add("most_queued_bytes", schema::count(), [](Port row) { return row.counters.most_queued_bytes; });
  });
  return fields;
}

/// Over all queue pairs and ports.
struct TotalRow {
  const EthernetFabric& fabric;
  ethernet::QueuePairCounters pairs;
  ethernet::PortCounters ports;
};
using Total = const TotalRow&;

const Fields<TotalRow>& fields() {
  static const Fields<TotalRow> all([](Fields<TotalRow>& f) {
    f.add("queue_pairs", schema::count(), [](Total row) { return row.fabric.engine().queue_pairs(); });
    f.add("data_packets", schema::count("Sent by NICs, with those sent again"),
          [](Total row) { return row.pairs.packets; });
    f.add("retransmissions", schema::count("Packets sent again"),
          [](Total row) { return row.pairs.repeated; });
    f.add("timeouts", schema::count(), [](Total row) { return row.pairs.timeouts; });
    f.add("cnps", schema::count("Congestion notification packets"), [](Total row) { return row.pairs.cnps; });
    f.add("marks", schema::count(), [](Total row) { return row.ports.marks; });
    f.add("drops", schema::count(), [](Total row) { return row.ports.drops; });
    f.add("trims", schema::count(), [](Total row) { return row.ports.trims; });
    f.add("pauses", schema::count("Pause frames"), [](Total row) { return row.ports.pauses; });
    f.add("paused_s", schema::seconds("Summed over all ports"),
          [](Total row) { return seconds(row.ports.paused_ps); });
    f.add("most_queued_bytes", schema::count("At an output"),
          [](Total row) { return row.ports.most_queued_bytes; });
    f.add("ports", schema::list(port_fields().schema(), "Those that marked, lost, trimmed or paused"),
          [](Total row) {
            Json list = Json::array();
            const ethernet::EthernetEngine& engine = row.fabric.engine();
            const std::vector<ethernet::PauseCause> causes = engine.pause_causes();  // by port
            auto next = causes.begin();
            for (std::uint32_t port = 0; port < engine.network().ports().size(); ++port) {
              std::vector<ethernet::PauseCause> own;
              for (; next != causes.end() && next->port == port; ++next) own.push_back(*next);
              const auto counters = engine.counters(port);
              if (!has_news(counters)) continue;
              std::stable_sort(own.begin(), own.end(),
                               [](const auto& a, const auto& b) { return a.paused_ps > b.paused_ps; });
              list.push_back(port_fields().json({row.fabric, port, counters, std::move(own)}));
            }
            return list;
          });
  });
  return all;
}

Json json(const Fabric& of) {
  const auto& fabric = dynamic_cast<const EthernetFabric&>(of);
  const ethernet::EthernetEngine& engine = fabric.engine();
  TotalRow row{fabric, {}, {}};
  for (std::uint32_t pair = 0; pair < engine.queue_pairs(); ++pair) {
    const ethernet::QueuePairCounters& one = engine.queue_pair(pair);
    row.pairs.packets += one.packets;
    row.pairs.repeated += one.repeated;
    row.pairs.timeouts += one.timeouts;
    row.pairs.cnps += one.cnps;
  }
  for (std::uint32_t port = 0; port < engine.network().ports().size(); ++port) {
    const ethernet::PortCounters one = engine.counters(port);
    row.ports.marks += one.marks;
    row.ports.drops += one.drops;
    row.ports.trims += one.trims;
    row.ports.pauses += one.pauses;
    row.ports.paused_ps += one.paused_ps;
    row.ports.most_queued_bytes = std::max(row.ports.most_queued_bytes, one.most_queued_bytes);
  }
  return fields().json(row);
}

std::string text(const Json& of) {
  const auto count = [&](const char* name) { return of[name].get<std::uint64_t>(); };
  std::string lines = fmt::format(
      "\nEthernet: {} data packets, {} sent again; {} marked, {} lost, {} trimmed; {} pause frames; longest "
      "queue {}\n",
      count("data_packets"), count("retransmissions"), count("marks"), count("drops"), count("trims"),
      count("pauses"), format_bytes(count("most_queued_bytes")));
  const Json* worst = nullptr;
  for (const Json& port : of["ports"])
    if (port["paused_s"].get<double>() > (worst ? (*worst)["paused_s"].get<double>() : 0)) worst = &port;
  if (worst)
    lines += fmt::format("  {} was paused longest, {}, most of it because {} took too little\n",
                         (*worst)["name"].get<std::string>(),
                         format_time(static_cast<TimePs>((*worst)["paused_s"].get<double>() * 1e12)),
                         (*worst)["paused_by"][0]["name"].get<std::string>());
  return lines;
}

}  // namespace

const FabricResults& ethernet_results() {
  static const FabricResults all{"ethernet", fields().schema("Of a fabric of kind ethernet"), json, text};
  return all;
}

}  // namespace wafertlm
