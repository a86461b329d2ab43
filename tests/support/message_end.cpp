// SPDX-License-Identifier: Apache-2.0
#include "tests/support/message_end.h"

#include "tlm/link/switch_module.h"

namespace wafertlm {

namespace {

InjectorParams injector_params(const Fabric& fabric) {
  InjectorParams params;
  params.format = fabric.format();
  params.link = fabric.injection_link();
  params.striped = fabric.striped();
  return params;
}

}  // namespace

MessageEnd::MessageEnd(const sc_core::sc_module_name& name, NpuId npu, Wafer& wafer)
    : sc_module(name),
      wafer_(wafer),
      injector_(npu, injector_params(wafer.fabric()), wafer.classes, wafer.packets, *this) {
  wafer.packets.keep_waits();
  to_fabric_.bind(static_cast<FabricBackwardIf&>(*this));
  from_fabric_.bind(static_cast<FabricForwardIf&>(*this));
  wafer.fabric().attach(npu, to_fabric_, from_fabric_);
}

void MessageEnd::send(NpuId to, std::uint64_t bytes, std::uint64_t number, TimePs at) {
  planned_.emplace(at, Planned{to, bytes, number});
}

void MessageEnd::start_of_simulation() {
  for (const auto& [at, message] : planned_) wafer_.scheduler.schedule(at, *this, start);
}

void MessageEnd::wake(std::uint32_t what, TimePs now) {
  if (what == injector) return injector_.wake(now);
  const Planned planned = planned_.begin()->second;
  planned_.erase(planned_.begin());
  Message& message = wafer_.messages.acquire();
  message.key.tag = planned.number;
  message.destination = planned.to;
  message.bytes = planned.bytes;
  injector_.send(message, planned.number, now);
}

void MessageEnd::inject(Packet& packet, TimePs head_ps) {
  begin_request(to_fabric_, packet, head_ps - wafer_.scheduler.now());
}

::tlm::tlm_sync_enum MessageEnd::nb_transport_bw(Packet& packet, ::tlm::tlm_phase&, sc_core::sc_time& delay) {
  const TimePs now = wafer_.scheduler.now();
  injector_.credit(packet, now + delay.value(), now);
  return ::tlm::TLM_ACCEPTED;
}

::tlm::tlm_sync_enum MessageEnd::nb_transport_fw(Packet& packet, ::tlm::tlm_phase&, sc_core::sc_time&) {
  end_request(from_fabric_, packet,
              packet.tail_ps + wafer_.fabric().credit_delay_ps() - wafer_.scheduler.now());
  Message& message = *packet.message;
  message.arrived_bytes += packet.payload_bytes;
  if (packet.tail_ps >= message.tail_ps) {
    message.tail_ps = packet.tail_ps;
    last_waits_[&message] = *packet.waits;
  }
  if (message.arrived_bytes == message.bytes) {
    arrivals_.push_back({message.key.tag, message.tail_ps, last_waits_[&message]});
    last_waits_.erase(&message);
    wafer_.messages.release(message);
  }
  wafer_.packets.release(packet);
  return ::tlm::TLM_ACCEPTED;
}

}  // namespace wafertlm
