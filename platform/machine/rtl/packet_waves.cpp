// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/packet_waves.h"

#include <fmt/core.h>

#include <algorithm>

#include "waveforms/vcd_writer.h"

namespace wafertlm {
namespace {

constexpr unsigned kPacketBits = 32;

/// What is shown of a packet.
struct Field {
  const char* name;
  unsigned bits;
  bool of_origin;
  std::uint64_t (*value)(std::uint32_t flow, std::uint32_t sequence, std::uint32_t bytes,
                         const RtlOrigin& origin);
};
constexpr Field kFields[] = {
    {"flow", 16, false, [](auto flow, auto, auto, const auto&) -> std::uint64_t { return flow; }},
    {"sequence", 24, false, [](auto, auto sequence, auto, const auto&) -> std::uint64_t { return sequence; }},
    {"bytes", 24, false, [](auto, auto, auto bytes, const auto&) -> std::uint64_t { return bytes; }},
    {"source", 32, true, [](auto, auto, auto, const auto& of) -> std::uint64_t { return of.source; }},
    {"destination", 32, true,
     [](auto, auto, auto, const auto& of) -> std::uint64_t { return of.destination; }},
    {"collective", 64, true, [](auto, auto, auto, const auto& of) -> std::uint64_t { return of.collective; }},
    {"step", 64, true, [](auto, auto, auto, const auto& of) -> std::uint64_t { return of.step; }},
    {"number", 64, true, [](auto, auto, auto, const auto& of) -> std::uint64_t { return of.packet; }},
};

struct Change {
  TimePs at;
  bool is_end;
  std::size_t signal;
  std::uint64_t value;
  // Packets one behind the other have no gap between them: what begins holds.
  bool operator<(const Change& other) const {
    return std::make_pair(at, !is_end) < std::make_pair(other.at, !other.is_end);
  }
};

}  // namespace

PacketWaves::PacketWaves(const std::string& switch_name, std::uint32_t ports, RtlClock clock,
                         RtlWaveWindow window)
    : ports_(ports), clock_(clock), window_(window) {
  for (const bool is_model : {true, false})
    for (const bool is_output : {false, true})
      for (std::uint32_t port = 0; port < ports; ++port)
        ports_at_.push_back({fmt::format("{} {}", is_output ? "output" : "input", port),
                             fmt::format("{}_{}_{}{}", switch_name, is_model ? "tlm" : "pins",
                                         is_output ? "out" : "in", port),
                             is_model,
                             {},
                             {}});
}

void PacketWaves::pass(Port& port, const Passage& passage) {
  if (passage.head_ps > window_.to_ps) return;
  if (passage.head_ps < window_.from_ps && !port.is_model) {
    port.before = passage;
    return;
  }
  if (passage.tail_ps < window_.from_ps) return;
  port.passages.push_back(passage);
  named_[passage.key];
}

void PacketWaves::model_saw(const RtlEvent& event) {
  const Key key = key_of(event.flow, event.sequence);
  if (event.kind == RtlEvent::Kind::arrive) {
    flits_[key] = event.flits;
    pass(port(true, false, event.port), {event.head_ps, event.tail_ps, key, event.bytes});
  } else if (event.kind == RtlEvent::Kind::leave) {
    const TimePs tail_ps =
        event.tail_ps != kNever ? event.tail_ps : event.head_ps + clock_.edge_ps(flits_[key]);
    pass(port(true, true, event.port), {event.head_ps, tail_ps, key, event.bytes});
  }
}

void PacketWaves::head_in(const RtlEvent& packet, TimePs at_ps) {
  pass(port(false, false, packet.port), {at_ps, at_ps, key_of(packet.flow, packet.sequence), packet.bytes});
}

void PacketWaves::head_out(std::uint32_t output, const RtlHeader& header, TimePs at_ps) {
  pass(port(false, true, output), {at_ps, at_ps, key_of(header.flow, header.sequence), header.bytes});
}

void PacketWaves::end() {
  for (Port& port : ports_at_) {
    if (!port.before) continue;
    port.before->head_ps = window_.from_ps;
    named_[port.before->key];
    port.passages.insert(port.passages.begin(), *port.before);
    port.before.reset();
  }
}

void PacketWaves::name(const RtlEvent& event) {
  if (event.kind != RtlEvent::Kind::arrive) return;
  const auto found = named_.find(key_of(event.flow, event.sequence));
  if (found == named_.end()) return;
  names_.see(event);
  if (event.origin) found->second.origin = event.origin;
  has_origins_ = has_origins_ || event.origin;
}

void PacketWaves::write(const std::string& path) const {
  VcdWriter file(path);
  std::vector<Change> changes;
  std::map<Key, std::uint64_t> numbers;
  for (const auto& [key, named] : named_) numbers.emplace(key, numbers.size() + 1);
  for (const Port& port : ports_at_) {
    const std::size_t valid = port.is_model ? file.add_signal(port.scope, "valid", 1) : 0;
    const std::size_t packet = file.add_signal(port.scope, "packet", kPacketBits);
    std::vector<std::size_t> fields;
    for (const Field& field : kFields)
      if (has_origins_ || !field.of_origin)
        fields.push_back(file.add_signal(port.scope, field.name, field.bits));
    for (const Passage& each : port.passages) {
      const TimePs from_ps = std::max(each.head_ps, window_.from_ps);
      if (port.is_model) {
        changes.push_back({from_ps, false, valid, 1});
        changes.push_back({std::min(each.tail_ps, window_.to_ps), true, valid, 0});
      }
      changes.push_back({from_ps, false, packet, numbers.at(each.key)});
      const RtlOrigin origin = named_.at(each.key).origin.value_or(RtlOrigin{});
      for (std::size_t i = 0; i < fields.size(); ++i)
        changes.push_back({from_ps, false, fields[i],
                           kFields[i].value(each.key.first, each.key.second, each.bytes, origin)});
    }
  }
  std::stable_sort(changes.begin(), changes.end());
  TimePs end_ps = window_.to_ps == kNever ? 0 : window_.to_ps;
  for (const Change& each : changes) {
    file.advance(each.at);
    file.change(each.at, each.signal, each.value);
    end_ps = std::max(end_ps, each.at);
  }
  file.finish(end_ps);
}

void PacketWaves::show(GtkwaveView& view, const std::string& file, const std::string& shown,
                       const PortSignals& more) const {
  const std::string texts = shown + ".packets.txt";
  std::vector<std::string> names = {"-"};
  for (const auto& [key, named] : named_) names.push_back(names_.label(key.first, key.second));
  write_names(file + ".packets.txt", kPacketBits, names);
  for (const bool is_output : {false, true})
    for (std::uint32_t number = 0; number < ports_; ++number) {
      const Port& model = ports_at_[place_of(true, is_output, number)];
      const Port& pins = ports_at_[place_of(false, is_output, number)];
      if (model.passages.empty() && pins.passages.empty()) continue;
      view.open(model.name);
      if (!model.passages.empty()) {
        view.add(model.scope + ".valid", 1, WaveFormat::bit, "", "TLM valid");
        view.add(model.scope + ".packet", kPacketBits, WaveFormat::hexadecimal, texts, "TLM packet");
      }
      if (!pins.passages.empty())
        view.add(pins.scope + ".packet", kPacketBits, WaveFormat::hexadecimal, texts, "RTL packet");
      if (more) more(is_output, number);
      view.close();
    }
  for (const bool is_model : {true, false}) {
    view.open(is_model ? "TLM: packets, in numbers" : "RTL: packets, in numbers", true);
    for (const Port& port : ports_at_) {
      if (port.is_model != is_model || port.passages.empty()) continue;
      for (const Field& field : kFields)
        if (has_origins_ || !field.of_origin)
          view.add(port.scope + "." + field.name, field.bits, WaveFormat::decimal, "",
                   port.name + " " + field.name);
    }
    view.close();
  }
}

}  // namespace wafertlm
