// SPDX-License-Identifier: Apache-2.0
#include "waveforms/link_waves.h"

namespace wafertlm {
namespace {

constexpr std::size_t kLinkChunkEvents = 8192;

}  // namespace

LinkWaves::LinkWaves(const std::string& path)
    : vcd_(path), worker_([this](const std::vector<Event>& events) {
        for (const Event& event : events) play(event);
      }) {}

void LinkWaves::add_link(std::size_t observed, PortId output, const std::string& name) {
  if (links_.size() <= observed) links_.resize(observed + 1);
  auto& outputs = links_[observed];
  if (outputs.size() <= index_of(output)) outputs.resize(index_of(output) + 1);
  outputs[index_of(output)] = {vcd_.add_signal(name, "busy", 1), vcd_.add_signal(name, "class", 4),
                               vcd_.add_signal(name, "source", 32), vcd_.add_signal(name, "destination", 32),
                               true};
}

void LinkWaves::sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
                     TimePs end_ps) {
  if (observed >= links_.size() || index_of(output) >= links_[observed].size()) return;
  const Link& link = links_[observed][index_of(output)];
  if (!link.is_shown) return;
  chunk_.push_back({&link, start_ps, end_ps, static_cast<std::uint32_t>(index_of(packet.source)),
                    static_cast<std::uint32_t>(index_of(packet.destination)),
                    static_cast<std::uint8_t>(index_of(packet.traffic_class))});
  if (chunk_.size() >= kLinkChunkEvents) worker_.hand_over(chunk_);
}

void LinkWaves::play(const Event& event) {
  const Link& link = *event.link;
  vcd_.advance(event.start_ps);
  vcd_.change(event.start_ps, link.busy, 1);
  vcd_.change(event.start_ps, link.traffic_class, event.traffic_class);
  vcd_.change(event.start_ps, link.source, event.source);
  vcd_.change(event.start_ps, link.destination, event.destination);
  vcd_.change(event.end_ps, link.busy, 0);
}

void LinkWaves::finish(TimePs end_ps) {
  if (!chunk_.empty()) worker_.hand_over(chunk_);
  worker_.finish();
  vcd_.finish(end_ps);
}

}  // namespace wafertlm
