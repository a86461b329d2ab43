// SPDX-License-Identifier: Apache-2.0
#include "platform/results/link_results.h"

#include "platform/command/format.h"

namespace wafertlm::results {
namespace {

/// Those that are not 0, in seconds.
template <typename Times>
Json by_class(const ClassTable& classes, const Times& times_ps) {
  Json json = Json::object();
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (times_ps[i] != 0) json[classes[static_cast<ClassId>(i)].name] = seconds(times_ps[i]);
  return json;
}

double busy_fraction_of(const LinkRow& row) {
  const double busy_s =
      static_cast<double>(row.link.counters.wire_bytes) / static_cast<double>(row.link.bytes_per_s);
  return busy_s / seconds(row.end_ps);
}

}  // namespace

const Fields<LinkRow>& link_fields() {
  static const Fields<LinkRow> fields = [] {
    using R = const LinkRow&;
    Fields<LinkRow> blocked, wait, f;
    blocked
        .add("credit", schema::fraction(),
             [](R row) { return seconds(row.link.counters.credit_blocked_ps) / seconds(row.end_ps); })
        .in_csv();
    wait.add("queue", schema::seconds(), [](R row) { return seconds(row.link.counters.queue_wait_ps); });
    wait.add("credit", schema::seconds(), [](R row) { return seconds(row.link.counters.credit_wait_ps); });
    wait.add("contention", schema::map_of(schema::seconds()),
             [](R row) { return by_class(row.classes, row.link.counters.contention_wait_ps); });
    f.add("name", schema::text(), [](R row) { return row.link.name; });
    f.add("bytes", schema::count("Payload"), [](R row) { return row.link.counters.payload_bytes; }).in_csv();
    f.add("wire_bytes", schema::count(), [](R row) { return row.link.counters.wire_bytes; });
    f.add("packets", schema::count(), [](R row) { return row.link.counters.packets; });
    f.add("busy_fraction", schema::fraction(), busy_fraction_of).in_csv();
    f.add("blocked_fraction", blocked, "The line is idle with a packet ready, by cause");
    f.add("packet_wait_s", wait,
          "Over all packets, by cause; contention by the class that was served instead");
    f.add("longest_wait_s", schema::map_of(schema::seconds(), "By class"),
          [](R row) { return by_class(row.classes, row.link.counters.longest_wait_ps); });
    f.add("energy_j", schema::number(),
          [](R row) { return static_cast<double>(row.link.counters.wire_bytes) * 8 * row.energy_per_bit_j; });
    return f;
  }();
  return fields;
}

}  // namespace wafertlm::results
