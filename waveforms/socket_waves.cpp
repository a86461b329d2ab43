// SPDX-License-Identifier: Apache-2.0
#include "waveforms/socket_waves.h"

#include <algorithm>

#include "waveforms/gtkwave_view.h"

namespace wafertlm {
namespace {

constexpr std::size_t kSocketChunkEvents = 4096;

/// The file of names for a kind of number, beside the waveform.
std::string names_beside(const std::string& shown, const std::string& kind, std::vector<std::string> names) {
  constexpr std::size_t kMost = 16;  // in 4 bits
  if (names.size() > kMost) names.resize(kMost);
  const std::string path = shown + "." + kind + ".txt";
  write_names(path, 4, names);
  return path;
}

}  // namespace

SocketWaves::SocketWaves(const std::string& path)
    : vcd_(path), worker_([this](const std::vector<Event>& events) {
        for (const Event& event : events) play(event);
      }) {
  chunk_.reserve(kSocketChunkEvents);
}

std::size_t SocketWaves::add(const std::string& group, const std::string& name, unsigned bits, Names names) {
  ++signals_;
  shown_.push_back({group, name, bits, names});
  return vcd_.add_signal(group, name, bits);
}

std::size_t SocketWaves::add_socket(const std::string& name, const std::string& protocol) {
  Socket socket;
  socket.fabric = protocol == "fabric";
  if (socket.fabric) {
    socket.valid = add(name, "valid", 1);
    socket.ready = add(name, "ready", 1);
    vcd_.change(0, socket.ready, 1);
    socket.traffic_class = add(name, "class", 4, Names::classes);
    socket.vc = add(name, "vc", 4);
    socket.stream = add(name, "stream", 64);
    socket.tag = add(name, "tag", 64);
    socket.sequence = add(name, "sequence", 64);
    socket.source = add(name, "source", 32);
    socket.destination = add(name, "destination", 32);
    socket.queue = add(name, "queue", 32);
    socket.used = add(name, "used", 32);
  } else {
    socket.queue = add(name, "open", 32);
    socket.kind = add(name, "kind", 4, protocol == "memory" ? Names::memory_kinds : Names::operations);
  }
  socket.bytes = add(name, "bytes", 64);
  sockets_.push_back(std::move(socket));
  return sockets_.size() - 1;
}

std::size_t SocketWaves::add_npu(const std::string& name) {
  npus_.push_back(add(name, "state", 2, Names::states));
  return npus_.size() - 1;
}

std::size_t SocketWaves::add_memory(const std::string& name) {
  memories_.push_back({add(name, "reading", 1), add(name, "writing", 1)});
  return memories_.size() - 1;
}

void SocketWaves::note(const Event& event) {
  chunk_.push_back(event);
  if (chunk_.size() >= kSocketChunkEvents) worker_.hand_over(chunk_);
}

void SocketWaves::begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
                        const SocketTransaction& what) {
  note({now, at_ps, id, what, static_cast<std::uint32_t>(socket), Event::Kind::begun});
}

void SocketWaves::phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) {
  if (phase == (sockets_[socket].fabric ? SocketPhase::end_req : SocketPhase::end_resp))
    note({now, at_ps, id, {}, static_cast<std::uint32_t>(socket), Event::Kind::ended});
}

void SocketWaves::moved(std::size_t memory, bool write, std::uint64_t, TimePs start_ps, TimePs end_ps) {
  const std::size_t signal = write ? memories_[memory].writing : memories_[memory].reading;
  note({start_ps, end_ps, nullptr, {}, static_cast<std::uint32_t>(signal), Event::Kind::moved});
}

void SocketWaves::npu_state(std::size_t npu, NpuState state, TimePs now) {
  SocketTransaction what;
  what.kind = static_cast<std::uint8_t>(state);
  note({now, now, nullptr, what, static_cast<std::uint32_t>(npus_[npu]), Event::Kind::state});
}

void SocketWaves::play(const Event& event) {
  switch (event.kind) {
    case Event::Kind::begun:
      return play_begun(event);
    case Event::Kind::ended:
      return play_ended(event);
    case Event::Kind::moved:  // announced ahead
      vcd_.change(event.now, event.number, 1);
      vcd_.change(event.at, event.number, 0);
      return;
    case Event::Kind::state:
      settle(event.now);
      vcd_.change(event.now, event.number, event.what.kind);
      return;
  }
}

/// What has taken effect by now.
void SocketWaves::settle(TimePs now) {
  for (; !later_.empty() && later_.top().at <= now; later_.pop()) {
    const Later& next = later_.top();
    Socket& socket = sockets_[next.socket];
    vcd_.advance(next.at);
    vcd_.change(next.at, socket.queue, --socket.queued);
    if (!socket.fabric) continue;
    socket.used_bytes -= next.flight.bytes;
    vcd_.change(next.at, socket.used, socket.used_bytes);
    if (next.flight.number == socket.begun) vcd_.change(next.at, socket.ready, 1);
  }
  vcd_.advance(now);
}

void SocketWaves::play_begun(const Event& event) {
  const TimePs now = event.now;
  const SocketTransaction& what = event.what;
  settle(now);
  Socket& socket = sockets_[event.number];
  const auto set = [&](std::size_t signal, std::uint64_t value) { vcd_.change(now, signal, value); };
  set(socket.queue, ++socket.queued);
  set(socket.bytes, what.bytes);
  socket.flights.push_back({event.id, ++socket.begun, static_cast<std::uint32_t>(what.wire_bytes)});
  if (!socket.fabric) return set(socket.kind, what.kind);
  // A packet may begin while the tail of the one before still passes: then there is no end between them.
  if (socket.line_end_ps > now) vcd_.change(socket.line_end_ps, socket.valid, 1);
  socket.used_bytes += what.wire_bytes;
  set(socket.valid, 1);
  socket.line_end_ps = std::max({what.tail_ps - (event.at - now), now + 1, socket.line_end_ps});
  vcd_.change(socket.line_end_ps, socket.valid, 0);
  set(socket.ready, 0);
  set(socket.traffic_class, what.traffic_class);
  set(socket.vc, what.vc);
  set(socket.stream, what.stream);
  set(socket.tag, what.tag);
  set(socket.sequence, what.sequence);
  set(socket.source, what.source);
  set(socket.destination, what.destination);
  set(socket.used, socket.used_bytes);
}

void SocketWaves::play_ended(const Event& event) {
  Socket& socket = sockets_[event.number];
  const auto found = std::find_if(socket.flights.begin(), socket.flights.end(),
                                  [&](const Flight& flight) { return flight.id == event.id; });
  if (found == socket.flights.end()) return;
  later_.push({event.at, order_++, event.number, *found});
  *found = socket.flights.back();
  socket.flights.pop_back();
}

void SocketWaves::finish(TimePs end_ps, const std::string& shown) {
  if (!chunk_.empty()) worker_.hand_over(chunk_);
  worker_.finish();
  settle(end_ps);
  vcd_.finish(end_ps);
  write_view(shown, end_ps);
}

void SocketWaves::write_view(const std::string& shown, TimePs end_ps) const {
  const std::string names[] = {
      "", names_beside(shown, "class", classes_),
      names_beside(shown, "state", {"idle", "computes", "communicates", "memory"}),
      names_beside(shown, "operation",
                   {"compute", "collective", "send", "receive", "memory_load", "memory_store"}),
      names_beside(shown, "memory", {"read", "write"})};
  GtkwaveView view(shown);
  view.zoom(0, end_ps);
  std::string group;
  for (const Shown& each : shown_) {
    if (each.group != group) view.open(group = each.group);
    view.add(each.group + "." + each.name, each.bits, each.bits == 1 ? WaveFormat::bit : WaveFormat::decimal,
             names[static_cast<std::size_t>(each.names)]);
  }
  view.close();
  view.write();
}

}  // namespace wafertlm
