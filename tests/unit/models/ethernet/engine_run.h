// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "models/ethernet/engine/ethernet_engine.h"
#include "models/ethernet/network/topologies.h"

namespace wafertlm::ethernet {

constexpr std::uint64_t kGigabit = 125'000'000;  // bytes/s
constexpr TimePs kMicrosecond = 1'000'000;

/// An engine, and when its messages were delivered and acknowledged.
class EngineRun final : public MessageListener {
 public:
  EngineRun(Network network, const EthernetParams& params) : engine(std::move(network), params, *this) {}
  void on_delivered(std::uint64_t message, TimePs now) override { delivered[message].push_back(now); }
  void on_acknowledged(std::uint64_t message, TimePs now) override { acknowledged[message] = now; }
  /// A queue pair of its own with one message.
  std::uint32_t flow(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, TimePs now = 0) {
    const std::uint32_t pair = engine.open(from, to);
    engine.send(pair, bytes, pair, now);
    return pair;
  }
  TimePs last_delivered() const {
    TimePs last = 0;
    for (const auto& [message, times] : delivered) last = std::max(last, times.back());
    return last;
  }

  EthernetEngine engine;
  std::map<std::uint64_t, std::vector<TimePs>> delivered;
  std::map<std::uint64_t, TimePs> acknowledged;
};

/// As ASTRA-sim's ns-3 has it: 1000 bytes in 1038, an ACK for each packet.
inline EthernetParams ns3_params() {
  EthernetParams params;
  params.format.mtu_bytes = 1000;
  params.format.overhead_bytes = 38;
  return params;
}

}  // namespace wafertlm::ethernet
