// SPDX-License-Identifier: Apache-2.0
#include "tlm/remote/remote_links.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "tlm/kernel/pending_times.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/link/switch_module.h"

namespace wafertlm {

/// Of the packets of this process that are elsewhere.
std::uint64_t identity_of(const Packet& packet) { return reinterpret_cast<std::uintptr_t>(&packet); }

/// Where a link to another process begins: the far side of an output.
class RemoteBegin final : public sc_core::sc_module, private FabricForwardIf {
 public:
  FabricTargetSocket from_output{"from_output"};

  RemoteBegin(const sc_core::sc_module_name& name, RemoteLinks& links, std::uint32_t link,
              std::uint32_t process)
      : sc_module(name), links_(links), link_(link), process_(process) {
    from_output.bind(static_cast<FabricForwardIf&>(*this));
  }
  /// The packet was kept for it: its room, and for whoever checks the link.
  void credit(const CrossingCredit& credit, TimePs now) {
    const auto gone = gone_.find(credit.identity);
    if (gone == gone_.end()) throw std::logic_error(std::string(name()) + ": a credit for no packet");
    Packet& packet = *gone->second;
    gone_.erase(gone);
    end_request(from_output, packet, credit.at_ps - now);
    links_.packets_.release(packet);
  }

 private:
  ::tlm::tlm_sync_enum nb_transport_fw(Packet& packet, ::tlm::tlm_phase&, sc_core::sc_time& delay) override {
    gone_.emplace(identity_of(packet), &packet);
    links_.send(link_, process_, packet, links_.scheduler_.now() + delay.value());
    return ::tlm::TLM_ACCEPTED;
  }
  const Scheduler* time_source() const override { return &links_.scheduler_; }

  RemoteLinks& links_;
  const std::uint32_t link_, process_;
  std::unordered_map<std::uint64_t, Packet*> gone_;  // whose credits are not back
};

/// Where a link from another process ends: the near side of an input.
class RemoteEnd final : public sc_core::sc_module, private FabricBackwardIf {
 public:
  FabricInitiatorSocket to_input{"to_input"};

  RemoteEnd(const sc_core::sc_module_name& name, RemoteLinks& links, std::uint32_t link,
            std::uint32_t process)
      : sc_module(name), links_(links), link_(link), process_(process) {
    to_input.bind(static_cast<FabricBackwardIf&>(*this));
  }
  void packet(Packet& packet, const CrossingPacket& crossing, TimePs now) {
    identity_.emplace(&packet, crossing.identity);
    begin_request(to_input, packet, crossing.head_ps - now);
  }

 private:
  ::tlm::tlm_sync_enum nb_transport_bw(Packet& packet, ::tlm::tlm_phase&, sc_core::sc_time& delay) override {
    const auto here = identity_.find(&packet);
    links_.give_back(process_, {link_, here->second, links_.scheduler_.now() + delay.value()});
    identity_.erase(here);
    return ::tlm::TLM_ACCEPTED;
  }
  const Scheduler* time_source() const override { return &links_.scheduler_; }

  RemoteLinks& links_;
  const std::uint32_t link_, process_;
  std::unordered_map<const Packet*, std::uint64_t> identity_;  // whose room is taken
};

RemoteLinks::RemoteLinks(Part part, Scheduler& scheduler, PacketPool& packets, MessagePool& messages)
    : part_(std::move(part)), scheduler_(scheduler), packets_(packets), messages_(messages) {}

RemoteLinks::~RemoteLinks() = default;

FabricTargetSocket& RemoteLinks::begin(std::uint32_t link, std::uint32_t wafer) {
  const std::uint32_t process = part_.process_of[wafer];
  const std::string name = "remote_begin_" + std::to_string(link);
  RemoteBegin& begin =
      *begins_.emplace_back(std::make_unique<RemoteBegin>(name.c_str(), *this, link, process));
  begin_of_.emplace(link, &begin);
  out_[process];
  return begin.from_output;
}

void RemoteLinks::end(std::uint32_t link, std::uint32_t wafer, FabricTargetSocket& input) {
  const std::uint32_t process = part_.process_of[wafer];
  const std::string name = "remote_end_" + std::to_string(link);
  RemoteEnd& end = *ends_.emplace_back(std::make_unique<RemoteEnd>(name.c_str(), *this, link, process));
  end.to_input.bind(input);
  end_of_.emplace(link, &end);
  out_[process];
}

std::vector<std::uint32_t> RemoteLinks::neighbours() const {
  std::vector<std::uint32_t> processes;
  for (const auto& [process, batch] : out_) processes.push_back(process);
  return processes;
}

std::vector<std::byte> RemoteLinks::take_batch(std::uint32_t process) { return out_.at(process).take(); }

void RemoteLinks::send(std::uint32_t link, std::uint32_t process, Packet& packet, TimePs head_ps) {
  if (packet.flow || PendingTimes::is_pending(packet.tail_ps) || packet.kind != PacketKind::data)
    throw std::logic_error("only plain packets whose tails are known go to another process");
  CrossingPacket crossing;
  crossing.link = link;
  crossing.head_ps = head_ps;
  crossing.tail_ps = packet.tail_ps;
  crossing.created_ps = packet.created_ps;
  crossing.destination = packet.destination;
  crossing.source = packet.source;
  crossing.wire_bytes = packet.wire_bytes;
  crossing.payload_bytes = packet.payload_bytes;
  crossing.head_fraction = packet.head_fraction;
  crossing.hops = packet.hops;
  crossing.lane = packet.lane;
  crossing.traffic_class = packet.traffic_class;
  crossing.vc = packet.vc;
  crossing.sequence = packet.sequence;
  crossing.offset = packet.offset;
  Message& message = *packet.message;
  crossing.operation = message.key.operation;
  crossing.tag = message.key.tag;
  crossing.message_bytes = message.bytes;
  crossing.identity = identity_of(packet);
  crossing.data_bytes = static_cast<std::uint32_t>(packet.data.size());
  earliest_ps_ = std::min(earliest_ps_, head_ps);
  ByteWriter& out = out_.at(process);
  out.put(Crossing::packet);
  out.put(crossing);
  if (crossing.data_bytes != 0) out.put_bytes(packet.data.data(), packet.data.size());
  // Nobody receives it here: that its last packet has gone ends it.
  message.arrived_bytes += packet.payload_bytes;
  if (message.arrived_bytes == message.bytes) messages_.release(message);
}

void RemoteLinks::give_back(std::uint32_t process, const CrossingCredit& credit) {
  earliest_ps_ = std::min(earliest_ps_, credit.at_ps);
  ByteWriter& out = out_.at(process);
  out.put(Crossing::credit);
  out.put(credit);
}

void RemoteLinks::deliver(const std::vector<std::byte>& batch) {
  const TimePs now = scheduler_.now();
  const auto require_future = [&](const char* what, std::uint32_t link, TimePs at_ps) {
    if (at_ps < now)
      throw std::logic_error(std::string(what) + " of link " + std::to_string(link) + " for " +
                             std::to_string(at_ps) + " ps came from another process at " +
                             std::to_string(now) + " ps: before the bound of its window");
  };
  for (ByteReader from(batch); !from.at_end();) {
    if (from.get<Crossing>() == Crossing::credit) {
      const auto credit = from.get<CrossingCredit>();
      require_future("a credit", credit.link, credit.at_ps);
      begin_of_.at(credit.link)->credit(credit, now);
    } else {
      const auto crossing = from.get<CrossingPacket>();
      require_future("a packet", crossing.link, crossing.head_ps);
      arrive(crossing, from);
    }
  }
}

Message& RemoteLinks::message_of(const CrossingPacket& crossing) {
  const Key key{crossing.link, crossing.source, crossing.destination, crossing.operation, crossing.tag};
  const auto found = incoming_.try_emplace(key).first;
  Incoming& incoming = found->second;
  if (!incoming.message) {
    Message& message = messages_.acquire();
    message.key = {crossing.operation, crossing.tag, crossing.source};
    message.destination = crossing.destination;
    message.traffic_class = crossing.traffic_class;
    message.bytes = crossing.message_bytes;
    incoming.message = &message;
  }
  Message& message = *incoming.message;
  incoming.bytes += crossing.payload_bytes;
  if (incoming.bytes == message.bytes) incoming_.erase(found);
  return message;
}

void RemoteLinks::arrive(const CrossingPacket& crossing, ByteReader& from) {
  Packet& packet = packets_.acquire();
  packet.destination = crossing.destination;
  packet.source = crossing.source;
  packet.wire_bytes = crossing.wire_bytes;
  packet.payload_bytes = crossing.payload_bytes;
  packet.traffic_class = crossing.traffic_class;
  packet.vc = crossing.vc;
  packet.tail_ps = crossing.tail_ps;
  packet.head_fraction = crossing.head_fraction;
  packet.hops = crossing.hops;
  packet.lane = crossing.lane;
  packet.sequence = crossing.sequence;
  packet.offset = crossing.offset;
  packet.created_ps = crossing.created_ps;
  packet.message = &message_of(crossing);
  if (crossing.data_bytes != 0) {
    const std::byte* const data = from.get_bytes(crossing.data_bytes);
    packet.data.assign(data, data + crossing.data_bytes);
  }
  end_of_.at(crossing.link)->packet(packet, crossing, scheduler_.now());
}

}  // namespace wafertlm
