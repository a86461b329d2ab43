// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/engine_network.h"

#include <algorithm>

#include "tlm/kernel/free_numbers.h"

namespace wafertlm {

EngineNetwork::EngineNetwork(const EngineNetworkParams& params, EngineClock& clock)
    : params_(params), clock_(clock) {
  [[maybe_unused]] const Line checked(params.bytes_per_s);
}

std::uint32_t EngineNetwork::attach(EngineNode& node) {
  ports_.push_back({&node, Line(params_.bytes_per_s)});
  return static_cast<std::uint32_t>(ports_.size() - 1);
}

void EngineNetwork::send(EngineMessage& message) {
  const std::uint64_t bytes = params_.header_bytes + (message.carries_data() ? message.payload_bytes() : 0);
  bytes_ += bytes;
  ++messages_;
  Line& out = ports_[message.from].out;
  const TimePs now = clock_.now(), start = std::max(now, out.free_ps());
  const TimePs end = out.send(bytes, start, now < out.free_ps() ? Line::kUnbound : 0).end;
  const std::uint32_t number = take_number(flights_, free_flights_);
  flights_[number] = {&message, end - start};
  clock_.schedule(end + params_.hops * params_.hop_ps, *this, number);
}

void EngineNetwork::wake(std::uint32_t what, TimePs now) {
  Flight& flight = flights_[what];
  Port& port = ports_[flight.message->to];
  if (!flight.is_in) {
    flight.is_in = true;
    port.in_free_ps = std::max(now, port.in_free_ps + flight.work_ps);
    if (port.in_free_ps > now) return clock_.schedule(port.in_free_ps, *this, what);
  }
  const Flight arrived = flight;
  free_flights_.push_back(what);
  port.node->arrived(*arrived.message, {now - arrived.work_ps, now});
}

}  // namespace wafertlm
