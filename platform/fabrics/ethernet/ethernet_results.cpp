// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/ethernet/ethernet_results.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/ethernet/ethernet_fabric.h"
#include "platform/describe/fields.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using results::Fields;
using results::Json;
namespace schema = results::schema;

/// Of values that are counted in `unit`s.
Fields<ethernet::LogHistogram> distribution(Json value, double unit) {
  using H = const ethernet::LogHistogram&;
  const auto percentile = [unit](double percent) {
    return [unit, percent](H of) { return static_cast<double>(of.percentile(percent)) * unit; };
  };
  Fields<ethernet::LogHistogram> f;
  f.add("mean", value, [unit](H of) { return of.mean() * unit; });
  f.add("p50", value, percentile(50));
  f.add("p90", value, percentile(90));
  f.add("p99", value, percentile(99));
  f.add("most", value, [unit](H of) { return static_cast<double>(of.most()) * unit; });
  return f;
}

const Fields<ethernet::LogHistogram>& seconds_fields() {
  static const auto fields = distribution(schema::seconds(), 1e-12);
  return fields;
}
const Fields<ethernet::LogHistogram>& slowdown_fields() {
  static const auto fields = distribution(schema::number(), 1 / ethernet::Connections::kSlowdownUnit);
  return fields;
}
const Fields<ethernet::LogHistogram>& bytes_fields() {
  static const auto fields = distribution(schema::number(), 1);
  return fields;
}

/// A port that did more than sending: one row.
struct PortRow {
  const EthernetFabric& fabric;
  std::uint32_t number;
  ethernet::PortCounters counters;
  std::vector<ethernet::PauseCause> causes;  ///< by root
};
using Port = const PortRow&;

bool has_news(const ethernet::PortCounters& of) {
  return of.marks != 0 || of.drops != 0 || of.trims != 0 || of.pauses != 0 || of.paused_ps != 0;
}

/// For each root, longest first, the operations whose packets were too much there.
Json paused_by(Port row) {
  struct Root {
    std::uint32_t port;
    TimePs paused_ps = 0;
    std::vector<std::pair<std::uint64_t, TimePs>> operations;
  };
  std::vector<Root> roots;
  for (const ethernet::PauseCause& cause : row.causes) {
    if (roots.empty() || roots.back().port != cause.root) roots.push_back({cause.root, 0, {}});
    roots.back().paused_ps += cause.paused_ps;
    roots.back().operations.emplace_back(cause.work, cause.paused_ps);
  }
  std::stable_sort(roots.begin(), roots.end(), [](auto& a, auto& b) { return a.paused_ps > b.paused_ps; });
  Json list = Json::array();
  for (Root& root : roots) {
    std::stable_sort(root.operations.begin(), root.operations.end(),
                     [](auto& a, auto& b) { return a.second > b.second; });
    Json operations = Json::array();
    for (const auto& [id, paused_ps] : root.operations)
      operations.push_back({{"id", id}, {"paused_s", seconds(paused_ps)}});
    list.push_back({{"name", row.fabric.places().port_name(root.port)},
                    {"paused_s", seconds(root.paused_ps)},
                    {"operations", std::move(operations)}});
  }
  return list;
}

Json object_of(Json properties) {
  Json required = Json::array();
  for (const auto& [name, schema] : properties.items()) required.push_back(name);
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", std::move(required)},
          {"properties", std::move(properties)}};
}

const Fields<PortRow>& port_fields() {
  static const Fields<PortRow> fields([](Fields<PortRow>& f) {
    f.add("name", schema::text("As in links[]"),
          [](Port row) { return row.fabric.places().port_name(row.number); });
    f.add("paused_s",
          schema::seconds("So long its data had to wait because the other end had told it to pause"),
          [](Port row) { return seconds(row.counters.paused_ps); });
    f.add("paused_by",
          schema::list(
              object_of({{"name", schema::text()},
                         {"paused_s", schema::seconds()},
                         {"operations",
                          schema::list(object_of({{"id", schema::count("In collectives[]; 0: messages from "
                                                                       "rank to rank")},
                                                  {"paused_s", schema::seconds()}}),
                                       "Whose packets were too much there")}}),
              "Roots of the trees of pauses: the outputs that took too little, longest first"),
          paused_by);
    f.add("pauses_sent", schema::count("Pause frames that it sent, with those that are repeated"),
          [](Port row) { return row.counters.pauses; });
    f.add("marks", schema::count("Packets that it marked (ECN)"),
          [](Port row) { return row.counters.marks; });
    f.add("drops", schema::count("Packets lost at it"), [](Port row) { return row.counters.drops; });
    f.add("trims", schema::count("Packets whose payload it cut off"),
          [](Port row) { return row.counters.trims; });
    f.add("most_queued_bytes", schema::count(), [](Port row) { return row.counters.most_queued_bytes; });
    f.add("queue_bytes", bytes_fields().schema("Data that packets found before them"),
          [](Port row) { return bytes_fields().json(row.fabric.engine().queue_found(row.number)); });
  });
  return fields;
}

/// Of two NPUs.
struct ConnectionRow {
  const ethernet::Connection& of;
  ethernet::QueuePairCounters counters;
};
using Row = const ConnectionRow&;

const Fields<ConnectionRow>& connection_fields() {
  static const Fields<ConnectionRow> fields([](Fields<ConnectionRow>& f) {
    f.add("from", schema::count("NPU"), [](Row row) { return row.of.from; });
    f.add("to", schema::count("NPU"), [](Row row) { return row.of.to; });
    f.add("messages", schema::count(), [](Row row) { return row.of.messages; });
    f.add("bytes", schema::count(), [](Row row) { return row.of.bytes; });
    f.add("completion_mean_s", schema::seconds(), [](Row row) {
      return static_cast<double>(row.of.completion_ps) * 1e-12 /
             static_cast<double>(std::max<std::uint64_t>(row.of.messages, 1));
    });
    f.add("completion_most_s", schema::seconds(), [](Row row) { return seconds(row.of.most_completion_ps); });
    f.add("slowdown_mean", schema::number(), [](Row row) { return row.of.mean_slowdown(); });
    f.add("slowdown_most", schema::number(), [](Row row) { return row.of.most_slowdown; });
    f.add("packets", schema::count("With those sent again"), [](Row row) { return row.counters.packets; });
    f.add("retransmissions", schema::count(), [](Row row) { return row.counters.repeated; });
    f.add("timeouts", schema::count(), [](Row row) { return row.counters.timeouts; });
    f.add("cnps", schema::count(), [](Row row) { return row.counters.cnps; });
  });
  return fields;
}

/// All, or those with the largest slowdowns.
Json connections_json(const EthernetFabric& fabric) {
  const std::vector<ethernet::Connection>& all = fabric.connections().all();
  std::vector<const ethernet::Connection*> shown;
  for (const ethernet::Connection& each : all) shown.push_back(&each);
  std::sort(shown.begin(), shown.end(), [](auto* a, auto* b) { return comes_first(*a, *b); });
  shown.resize(std::min(shown.size(), ethernet::Connections::kMost));
  Json list = Json::array();
  for (const ethernet::Connection* of : shown) {
    ConnectionRow row{*of, of->counters};
    for (const std::uint32_t queue_pair : of->queue_pairs)
      row.counters += fabric.engine().queue_pair(queue_pair);
    list.push_back(connection_fields().json(row));
  }
  return list;
}

Json ports_json(const EthernetFabric& fabric) {
  Json list = Json::array();
  const ethernet::EthernetEngine& engine = fabric.engine();
  const std::vector<ethernet::PauseCause> causes = engine.pause_causes();  // by port
  auto next = causes.begin();
  for (std::uint32_t port = 0; port < engine.network().ports().size(); ++port) {
    std::vector<ethernet::PauseCause> own;
    for (; next != causes.end() && next->port == port; ++next) own.push_back(*next);
    const auto counters = engine.counters(port);
    if (has_news(counters)) list.push_back(port_fields().json({fabric, port, counters, std::move(own)}));
  }
  return list;
}

/// Over all queue pairs and ports.
struct TotalRow {
  const EthernetFabric& fabric;
  ethernet::QueuePairCounters pairs;
  ethernet::PortCounters ports;
  ethernet::LogHistogram found;
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
    f.add("queue_bytes",
          bytes_fields().schema("Data that packets found before them at the outputs of switches; percentiles "
                                "here are up to 1/32 too high"),
          [](Total row) { return bytes_fields().json(row.found); });
    f.add("messages", schema::count(),
          [](Total row) { return row.fabric.connections().completions_ps().total(); });
    f.add("completion_s",
          seconds_fields().schema("Of messages: from the NIC's taking them, behind others of the same queue "
                                  "pairs, until all is there"),
          [](Total row) { return seconds_fields().json(row.fabric.connections().completions_ps()); });
    f.add("slowdown", slowdown_fields().schema("Completion time over that alone on an idle network"),
          [](Total row) { return slowdown_fields().json(row.fabric.connections().slowdowns()); });
    f.add("connections",
          schema::list(connection_fields().schema(),
                       "The queue pairs from an NPU to another; the 1000 with the largest slowdowns, largest "
                       "first"),
          [](Total row) { return connections_json(row.fabric); });
    f.add("ports", schema::list(port_fields().schema(), "Those that marked, lost, trimmed or paused"),
          [](Total row) { return ports_json(row.fabric); });
  });
  return all;
}

Json json(const Fabric& of) {
  const auto& fabric = dynamic_cast<const EthernetFabric&>(of);
  const ethernet::EthernetEngine& engine = fabric.engine();
  TotalRow row{fabric, engine.all_queue_pairs(), {}, {}};
  for (std::uint32_t port = 0; port < engine.network().ports().size(); ++port) {
    const ethernet::PortCounters one = engine.counters(port);
    row.ports.marks += one.marks;
    row.ports.drops += one.drops;
    row.ports.trims += one.trims;
    row.ports.pauses += one.pauses;
    row.ports.paused_ps += one.paused_ps;
    row.ports.most_queued_bytes = std::max(row.ports.most_queued_bytes, one.most_queued_bytes);
    row.found.add(engine.queue_found(port));
  }
  return fields().json(row);
}

}  // namespace

const FabricResults& ethernet_results() {
  static const FabricResults all{"ethernet",
                                 fields().schema("Of a fabric of kind ethernet"),
                                 json,
                                 ethernet_text,
                                 [](Fabric& fabric) { dynamic_cast<EthernetFabric&>(fabric).keep_pauses(); },
                                 [](const Fabric& fabric, const ExposedTime& exposed) {
                                   return pause_culprits(dynamic_cast<const EthernetFabric&>(fabric),
                                                         exposed);
                                 }};
  return all;
}

}  // namespace wafertlm
