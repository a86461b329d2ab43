// SPDX-License-Identifier: Apache-2.0
// What leaves an RTL switch: what a packet is on the pins, and what has to be right of it.
#include <algorithm>

#include "models/rtl/bench.h"
#include "tlm/kernel/say.h"

namespace wafertlm {

/// Of a packet with several copies, flit i has left when it is out everywhere.
void RtlBench::flit_left(std::uint32_t output, Packet& packet) {
  ++packet.flits_out[output];
  std::uint32_t left = packet.flits;
  for (const auto& [port, flits] : packet.flits_out) left = std::min(left, flits);
  for (; packet.left < left; ++packet.left)
    for (const std::uint32_t input : packet.inputs) --returned_[at(input, packet.channel)].now;
}

bool RtlBench::may_leave(std::uint32_t output, const RtlFlit& flit) {
  if (params_.stalls && params_.stalls->output(output, edge_ - 1)) return false;
  if (!flit.head) return true;
  const RtlHeader header = RtlHeader::of(flit.header);
  const auto found = packets_.find({header.flow, header.sequence});
  if (found == packets_.end()) return true;  // came_out() will say so
  const Packet& packet = found->second;
  Leaving& behind = leaving_[at(output, 0)];
  if (!behind.bounded) return true;
  if (behind.credits < packet.flits) return false;
  behind.credits -= packet.flits;
  return true;
}

void RtlBench::came_out(std::uint32_t output, const RtlFlit& flit) {
  Leaving& leaving = leaving_[at(output, flit.channel)];
  if (flit.head) packet_begins(output, flit, leaving);
  ++leaving.flits;
  if (!leaving.packet) return;
  host_.flit_out(output, leaving.key.first, leaving.packet->sequence);
  flit_left(output, *leaving.packet);
  const auto* const bytes = reinterpret_cast<const std::byte*>(flit.data.data());
  leaving.data.insert(leaving.data.end(), bytes, bytes + design_.flit_bytes());
  if (leaving.flits == leaving.packet->flits && !flit.tail)
    broken(RtlSide::output, output, RtlRule::whole_packet,
           say("no tail with flit ", leaving.flits, " of ", leaving.flits), &flit);
  if (flit.tail) packet_done(output, flit, leaving);
}

/// What a head has to say of its packet; the rest is compared with its tail.
void RtlBench::packet_begins(std::uint32_t output, const RtlFlit& flit, Leaving& leaving) {
  const RtlHeader header = RtlHeader::of(flit.header);
  if (params_.watch) params_.watch->head_out(output, header, now_ps_);
  leaving.key = {header.flow, header.sequence};
  const auto found = packets_.find(leaving.key);
  leaving.packet = found == packets_.end() ? nullptr : &found->second;
  leaving.head_ps = now_ps_;
  leaving.flits = 0;
  leaving.data.clear();
  channel_out_[output] = flit.channel;
  if (!leaving.packet)
    return broken(RtlSide::output, output, RtlRule::known_packet, say("header ", std::hex, flit.header),
                  &flit);
  const Packet& packet = *leaving.packet;
  if (const auto& due = packet.outputs_due; std::find(due.begin(), due.end(), output) == due.end())
    return broken(RtlSide::output, output, RtlRule::right_output,
                  due.empty() ? "a copy too many" : say("a packet to output ", due.front()), &flit);
  if (flit.channel / class_channels_ != packet.channel / class_channels_)
    broken(RtlSide::output, output, RtlRule::right_channel,
           say("channel ", flit.channel, " in place of ", packet.channel), &flit);
  if (header.bytes != packet.bytes)
    broken(RtlSide::output, output, RtlRule::right_header,
           say(header.bytes, " payload bytes in place of ", packet.bytes), &flit);
  check_order(output, flit, packet);
  host_.head_out(output, header.flow, packet.sequence, now_ps_);
}

void RtlBench::check_order(std::uint32_t output, const RtlFlit& flit, const Packet& packet) {
  const std::uint32_t flow = RtlHeader::of(flit.header).flow;
  const bool is_message = RtlEntry::is_message(flow);
  auto& [entered, sequence] = last_out_[{is_message ? RtlEntry::kMessage + packet.inputs[0] : flow,
                                         is_message ? packet.channel : 0, output}];
  if (packet.entered < entered)
    broken(RtlSide::output, output, RtlRule::right_order,
           say("after sequence ", sequence, ", which entered behind it"), &flit);
  entered = packet.entered;
  sequence = packet.sequence;
}

void RtlBench::packet_done(std::uint32_t output, const RtlFlit& flit, Leaving& leaving) {
  const auto found = packets_.find(leaving.key);
  if (found == packets_.end() || leaving.packet != &found->second) return;
  Packet& packet = found->second;
  const auto due = std::find(packet.outputs_due.begin(), packet.outputs_due.end(), output);
  if (due == packet.outputs_due.end()) return;
  if (leaving.flits < packet.flits)
    broken(RtlSide::output, output, RtlRule::whole_packet,
           say("a tail with flit ", leaving.flits, " of ", packet.flits), &flit);
  if (leaving.flits == packet.flits)
    leaving.data.resize(packet.bytes);
  else
    leaving.data.clear();
  const RtlTransaction out{leaving.key.first, packet.sequence, output,       packet.arrival_ps,
                           leaving.head_ps,   kNever,          packet.bytes, std::exchange(leaving.data, {})};
  packet.outputs_due.erase(due);
  if (packet.outputs_due.empty() && packet.inputs_due == 0) {
    for (Leaving& other : leaving_)  // a copy too many is nobody's
      if (other.packet == &packet) other.packet = nullptr;
    packets_.erase(found);
  }
  host_.packet_out(out, now_ps_ + params_.clock.period_ps());
}

void RtlBench::broken(RtlSide side, std::uint32_t port, RtlRule rule, const std::string& seen,
                      const RtlFlit* flit) {
  RtlDivergence found{
      RtlDivergenceKind::protocol, now_ps_, RtlDivergence::kNoPacket, 0, port, text_of(rule), seen,
      side == RtlSide::input};
  if (flit) {
    const Leaving& leaving = leaving_[at(port, flit->channel)];
    const RtlHeader header = RtlHeader::of(flit->header);
    const Key key = flit->head ? Key{header.flow, header.sequence} : leaving.key;
    const auto packet = packets_.find(key);
    if (flit->head || leaving.packet) {
      found.flow = key.first;
      found.sequence = packet == packets_.end() ? key.second : packet->second.sequence;
    }
  }
  host_.broken_rule(found);
}

std::vector<RtlDivergence> RtlBench::pending() const {
  std::vector<std::pair<std::uint64_t, RtlDivergence>> found;
  for (const auto& [key, packet] : packets_) {
    RtlDivergence each{RtlDivergenceKind::missing, packet.arrival_ps,       key.first, packet.sequence,
                       packet.inputs.front(),      "what came in goes out", {},        true};
    each.got = say("entry ", key.first, ", sequence ", packet.sequence, ": ");
    if (packet.inputs_due != 0) {
      each.got += say("waits for ", packet.inputs_due, " inputs");
    } else if (packet.outputs_due.empty()) {
      each.got += "has left before all its inputs came";
    } else {
      each.output = packet.outputs_due.front();
      each.at_input = false;
      each.got += say("has not left output ", each.output);
    }
    found.emplace_back(packet.entered == 0 ? ~std::uint64_t{0} : packet.entered, std::move(each));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<RtlDivergence> sorted;
  for (auto& each : found) sorted.push_back(std::move(each.second));
  return sorted;
}

}  // namespace wafertlm
