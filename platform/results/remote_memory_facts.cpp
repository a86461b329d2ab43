// SPDX-License-Identifier: Apache-2.0
#include "platform/results/remote_memory_facts.h"

#include <algorithm>

#include "platform/command/format.h"

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

Json engines_json(const RemotePool& remote) {
  RequesterCounters all;
  PageTimes pages;
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
  Json providers = Json::array();
  for (std::uint32_t p = 0; p < remote.providers(); ++p) {
    const ProviderEngine& of = remote.provider(p);
    providers.push_back({{"bytes_read", of.bytes_read()},
                         {"bytes_written", of.bytes_written()},
                         {"refusals", causes(of.refusals())}});
  }
  const auto asked = static_cast<double>(all.bytes_read + all.bytes_written);
  return {{"bytes_read", all.bytes_read},
          {"bytes_written", all.bytes_written},
          {"pages_read", all.slots_read},
          {"pages_written", all.slots_written},
          {"network_bytes", remote.network().bytes()},
          {"page_mean_s", seconds(pages.mean_ps())},
          {"page_p99_s", seconds(pages.quantile_ps(99))},
          {"bytes_per_s", all.busy_ps == 0 ? 0.0 : asked / seconds(all.busy_ps)},
          {"traffic_amplification", asked == 0 ? 0.0 : static_cast<double>(remote.network().bytes()) / asked},
          {"refusals", causes(all.refusals)},
          {"providers", providers}};
}

}  // namespace

nlohmann::ordered_json remote_memory_facts(const RemotePool& remote, TimePs end_ps) {
  const PoolEngine& pool = remote.memory()->engine();
  TimePs busy = 0, waited = 0, longest = 0;
  for (std::uint32_t stage = 0; stage < pool.stages(); ++stage)
    for (const PoolCounters& server : pool.counters(stage)) {
      busy = std::max(busy, server.busy_ps);
      waited += server.wait_ps;
      longest = std::max(longest, server.longest_wait_ps);
    }
  Json json = {{"bytes_read", remote.memory()->bytes_read()},
               {"bytes_written", remote.memory()->bytes_written()},
               {"busiest_server_fraction", seconds(busy) / seconds(end_ps)},
               {"request_wait_s", seconds(waited)},
               {"longest_wait_s", seconds(longest)}};
  if (remote.has_engines()) json["engines"] = engines_json(remote);
  return json;
}

}  // namespace wafertlm
