// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platform/command/format.h"
#include "platform/results/fields.h"
#include "platform/results/parts.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

/// Those that there were.
Json causes(const RefusalCounts& counts) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kRefusals; ++i)
    if (counts[i] != 0) json[to_string(static_cast<Refusal>(i))] = counts[i];
  return json;
}

Json refusals_schema(const char* description = nullptr) {
  return results::schema::map_of(results::schema::count(), description);
}

const results::Fields<ProviderEngine>& provider_fields() {
  static const results::Fields<ProviderEngine> fields([](results::Fields<ProviderEngine>& f) {
    namespace schema = results::schema;
    using R = const ProviderEngine&;
    f.add("bytes_read", schema::count(), [](R of) { return of.bytes_read(); });
    f.add("bytes_written", schema::count(), [](R of) { return of.bytes_written(); });
    f.add("refusals", refusals_schema(), [](R of) { return causes(of.refusals()); });
  });
  return fields;
}

struct EnginesRow {
  const RemotePool& remote;
  RequesterCounters all;
  PageTimes pages;

  explicit EnginesRow(const RemotePool& pool) : remote(pool) {
    for (std::uint32_t npu = 0; npu < remote.npus(); ++npu) {
      const RequesterCounters& of = remote.requester(npu).counters();
      all.bytes_read += of.bytes_read;
      all.bytes_written += of.bytes_written;
      all.slots_read += of.slots_read;
      all.slots_written += of.slots_written;
      all.busy_ps += of.busy_ps;
      pages.add(remote.requester(npu).page_times());
      for (std::size_t i = 0; i < kRefusals; ++i) all.refusals[i] += of.refusals[i];
    }
  }
  double asked() const { return static_cast<double>(all.bytes_read + all.bytes_written); }
};

const results::Fields<EnginesRow>& engines_fields() {
  static const results::Fields<EnginesRow> fields([](results::Fields<EnginesRow>& f) {
    namespace schema = results::schema;
    using R = const EnginesRow&;
    f.add("bytes_read", schema::count(), [](R row) { return row.all.bytes_read; });
    f.add("bytes_written", schema::count(), [](R row) { return row.all.bytes_written; });
    f.add("pages_read", schema::count(), [](R row) { return row.all.slots_read; });
    f.add("pages_written", schema::count(), [](R row) { return row.all.slots_written; });
    f.add("network_bytes", schema::count(), [](R row) { return row.remote.network().bytes(); });
    f.add("page_mean_s", schema::seconds("From an NPU's request to its answer, of each page of it"),
          [](R row) { return seconds(row.pages.mean_ps()); });
    f.add("page_p99_s", schema::seconds("At most 1/128 too large"),
          [](R row) { return seconds(row.pages.quantile_ps(99)); });
    f.add("bytes_per_s", schema::number("What NPUs asked for, of one engine while it has something to do"),
          [](R row) { return row.all.busy_ps == 0 ? 0.0 : row.asked() / seconds(row.all.busy_ps); });
    f.add("traffic_amplification", schema::number("network_bytes by what NPUs asked for"), [](R row) {
      return row.asked() == 0 ? 0.0 : static_cast<double>(row.remote.network().bytes()) / row.asked();
    });
    f.add("refusals", refusals_schema("Accesses by cause"), [](R row) { return causes(row.all.refusals); });
    f.add("providers",
          schema::list(provider_fields().schema(),
                       "What each memory moved, with tags and nodes; messages refused by cause"),
          [](R row) {
            Json providers = Json::array();
            for (std::uint32_t p = 0; p < row.remote.providers(); ++p)
              providers.push_back(provider_fields().json(row.remote.provider(p)));
            return providers;
          });
  });
  return fields;
}

struct PoolRow {
  const RemotePool& remote;
  TimePs end_ps, busy_ps = 0, wait_ps = 0, longest_ps = 0;

  PoolRow(const RemotePool& of, TimePs end) : remote(of), end_ps(end) {
    const PoolEngine& pool = remote.memory()->engine();
    for (std::uint32_t stage = 0; stage < pool.stages(); ++stage)
      for (const PoolCounters& server : pool.counters(stage)) {
        busy_ps = std::max(busy_ps, server.busy_ps);
        wait_ps += server.wait_ps;
        longest_ps = std::max(longest_ps, server.longest_wait_ps);
      }
  }
};

const results::Fields<PoolRow>& pool_fields() {
  static const results::Fields<PoolRow> fields([](results::Fields<PoolRow>& f) {
    namespace schema = results::schema;
    using R = const PoolRow&;
    f.add("bytes_read", schema::count(), [](R row) { return row.remote.memory()->bytes_read(); });
    f.add("bytes_written", schema::count(), [](R row) { return row.remote.memory()->bytes_written(); });
    f.add("busiest_server_fraction", schema::fraction(),
          [](R row) { return seconds(row.busy_ps) / seconds(row.end_ps); });
    f.add("request_wait_s", schema::seconds("In the queues of all servers, of all requests"),
          [](R row) { return seconds(row.wait_ps); });
    f.add("longest_wait_s", schema::seconds(), [](R row) { return seconds(row.longest_ps); });
    f.add_if([](R row) { return row.remote.has_engines(); }, "engines", engines_fields().schema(),
             [](R row) { return engines_fields().json(EnginesRow(row.remote)); });
  });
  return fields;
}

}  // namespace

Json remote_memory_json(const RemotePool& remote, TimePs end_ps) {
  return pool_fields().json({remote, end_ps});
}

Json remote_memory_schema() {
  return pool_fields().schema("Only with a remote memory; bytes that its servers moved");
}

}  // namespace wafertlm
