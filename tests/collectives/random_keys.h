// SPDX-License-Identifier: Apache-2.0
// Keys of random platforms: rates of ports and links, latencies, packets, buffers, costs at endpoints.
#pragma once
#include "platform/spec/platform_spec.h"
#include "tests/collectives/random_fabrics.h"

namespace wafertlm::test {

/// `least` times one to `octaves` powers of two, all octaves as often.
inline double log_uniform(Random& random, double least, double octaves) {
  return least * std::exp2(octaves * static_cast<double>(random() % 10'000) / 10'000);
}
inline std::string rate(double gb_per_s) { return fmt::format("{} MB/s", std::lround(1000 * gb_per_s)); }

inline Overrides endpoint_keys(Random& random) {
  Overrides keys;
  for (const char* const cost : {"step_cost", "receive_cost"})
    if (random() % 4 == 0) keys.push_back(fmt::format("npu.endpoint.{}={} ns", cost, random() % 300));
  return keys;
}

/// Packets, and buffers for few of them now and then.
inline Overrides packet_keys(Random& random) {
  const std::uint64_t packet = std::uint64_t{512} << random() % 6;
  Overrides keys = endpoint_keys(random);
  keys.push_back(fmt::format("wafer.fabric.packet_bytes={} B", packet));
  keys.push_back(fmt::format("wafer.fabric.credit_delay={} ns", random() % 100));
  if (random() % 3 == 0) keys.push_back(fmt::format("wafer.fabric.header_bytes={} B", 1 + random() % 64));
  if (random() % 4 == 0)
    keys.push_back(fmt::format("wafer.fabric.input_buffer={} B", (3 + random() % 12) * (packet + 64)));
  return keys;
}

/// Ports of a quarter to four times a link's rate.
inline Overrides mesh_keys(Random& random) {
  Overrides keys = packet_keys(random);
  const double link = log_uniform(random, 50, 5);
  keys.push_back("wafer.fabric.link_bandwidth=" + rate(link));
  for (const char* const port : {"injection", "ejection"})
    keys.push_back(fmt::format("wafer.fabric.{}_bandwidth={}", port, rate(log_uniform(random, link / 4, 4))));
  keys.push_back(fmt::format("wafer.fabric.link_latency={} ns", 1 + random() % 100));
  keys.push_back(fmt::format("wafer.fabric.router_pipeline={} ns", random() % 20));
  return keys;
}

inline Overrides fred_keys(Random& random) {
  Overrides keys = packet_keys(random);
  const double port = log_uniform(random, 100, 5);
  keys.push_back("wafer.fabric.npu_bandwidth=" + rate(port));
  keys.push_back("wafer.fabric.l1_uplink=" + rate(log_uniform(random, port / 4, 4)));
  keys.push_back(fmt::format("wafer.fabric.link_latency={} ns", 1 + random() % 100));
  keys.push_back(fmt::format("wafer.fabric.stage_latency={} ns", random() % 20));
  return keys;
}

inline Overrides ethernet_keys(Random& random) {
  Overrides keys = endpoint_keys(random);
  static const char* const kRates[] = {"12.5 GB/s", "25 GB/s", "50 GB/s"};
  for (const char* const ports : {"nic", "switch"})
    keys.push_back(fmt::format("wafer.fabric.network.{}_bandwidth={}", ports, pick(random, kRates)));
  keys.push_back(fmt::format("wafer.fabric.link_latency={} ns", 50 + random() % 1000));
  keys.push_back(fmt::format("wafer.fabric.packet_bytes={} B", 1024 << random() % 4));
  return keys;
}

/// Most up to 1 MiB, few up to 256 MiB. Packets of long vectors become as large that a case takes a second.
inline CollectiveRequest request_for_keys(Random& random, config::PlatformSpec& spec) {
  constexpr std::uint64_t kMostPackets = 8192;
  const std::uint64_t most = std::uint64_t{1} << (random() % 8 == 0 ? 28 : 20);
  CollectiveRequest request = random_request(random, spec.wafer.npu_count(), most, 4);
  config::FabricSpec& fabric = spec.wafer.fabric;
  while (std::uint64_t{fabric.format.packet_bytes} * kMostPackets < request.bytes) {
    fabric.format.packet_bytes *= 2;
    fabric.buffer_bytes *= 2;
  }
  return request;
}

}  // namespace wafertlm::test
