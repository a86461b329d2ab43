// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fabric_ends.h"

#include <algorithm>
#include <tuple>

#include "tlm/link/switch_module.h"

namespace wafertlm {

FabricSource::FabricSource(const sc_core::sc_module_name& name, const OutputParams& link,
                           const ClassTable& classes, Scheduler& scheduler)
    : sc_module(name),
      link_(link),
      scheduler_(scheduler),
      channels_(classes.virtual_channels(), Channel{link.buffer_bytes, {}}) {
  socket.bind(static_cast<FabricBackwardIf&>(*this));
}

void FabricSource::start_of_simulation() { scheduler_.schedule(0, *this, 0); }

TimePs FabricSource::line_free_ps() const {
  return static_cast<TimePs>((line_free_ + link_.bytes_per_s - 1) / link_.bytes_per_s);
}

void FabricSource::wake(std::uint32_t, TimePs now) {
  if (next_ == packets_.size()) return;
  Packet& packet = packets_[next_];
  const TimePs ready = std::max(packet.created_ps, line_free_ps());
  if (ready > now) return plan(ready);

  Channel& channel = channels_[index_of(packet.vc)];
  while (!channel.returns.empty() && channel.returns.begin()->first <= now) {
    channel.room += channel.returns.begin()->second;
    channel.returns.erase(channel.returns.begin());
  }
  if (channel.room < packet.wire_bytes) return;  // END_REQ wakes us
  channel.room -= packet.wire_bytes;
  if (line_free_ps() < now) line_free_ = Uint128{now} * link_.bytes_per_s;
  line_free_ += Uint128{packet.wire_bytes} * kPsPerSecond;
  packet.tail_ps = line_free_ps() + link_.latency_ps;
  ++next_;
  begin_request(socket, packet, link_.latency_ps);
  plan(line_free_ps());
}

/// Once: else every credit would leave a wake-up behind that asks for the next one.
void FabricSource::plan(TimePs at) {
  if (at == planned_ps_) return;
  planned_ps_ = at;
  scheduler_.schedule(at, *this, 0);
}

::tlm::tlm_sync_enum FabricSource::nb_transport_bw(Packet& packet, ::tlm::tlm_phase&,
                                                   sc_core::sc_time& delay) {
  const TimePs at = kernel_now_ps() + delay.value();
  channels_[index_of(packet.vc)].returns.emplace(at, packet.wire_bytes);
  scheduler_.schedule(at, *this, 0);
  return ::tlm::TLM_ACCEPTED;
}

bool FabricSink::Arrival::operator==(const Arrival& other) const {
  return std::tie(source, sequence, payload_bytes, head_ps, tail_ps) ==
         std::tie(other.source, other.sequence, other.payload_bytes, other.head_ps, other.tail_ps);
}

FabricSink::FabricSink(const sc_core::sc_module_name& name, Credit credit, Scheduler& scheduler)
    : sc_module(name), credit_(credit), scheduler_(scheduler) {
  socket.bind(static_cast<FabricForwardIf&>(*this));
}

::tlm::tlm_sync_enum FabricSink::nb_transport_fw(Packet& packet, ::tlm::tlm_phase&, sc_core::sc_time& delay) {
  arrivals_.push_back({packet.source, packet.sequence, packet.payload_bytes, kernel_now_ps() + delay.value(),
                       packet.tail_ps, packet.message});
  scheduler_.pending().when(packet.tail_ps, [this, &packet, place = arrivals_.size() - 1](TimePs tail_ps) {
    arrivals_[place].tail_ps = packet.tail_ps = tail_ps;
    if (credit_ == Credit::announced) return give_back(packet);
    held_.emplace(tail_ps, &packet);
    scheduler_.schedule(tail_ps, *this, 0);
  });
  return ::tlm::TLM_ACCEPTED;
}

void FabricSink::wake(std::uint32_t, TimePs now) {
  while (!held_.empty() && held_.begin()->first <= now) {
    Packet& packet = *held_.begin()->second;
    held_.erase(held_.begin());
    give_back(packet);
  }
}

void FabricSink::give_back(Packet& packet) {
  end_request(socket, packet, packet.tail_ps - kernel_now_ps());
  packet = Packet{};
}

}  // namespace wafertlm
