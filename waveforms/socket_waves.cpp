// SPDX-License-Identifier: Apache-2.0
#include "waveforms/socket_waves.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace wafertlm {
namespace {

constexpr double kFrames =
    2.2;  // of 200 pixels, GTKWave's unit of zoom, in the part of a small window with the waves

constexpr std::size_t kSocketChunkEvents = 4096;

/// A file in which GTKWave looks up the text of a number.
std::string write_names(const std::string& shown, const std::string& kind,
                        const std::vector<std::string>& names) {
  const std::string path = shown + "." + kind + ".txt";
  std::ofstream file(path);
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (std::size_t i = 0; i < names.size() && i < 16; ++i) file << kDigits[i] << ' ' << names[i] << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + path + "; is the disk full?");
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
    socket.used_bytes -= next.bytes;
    vcd_.change(next.at, socket.used, socket.used_bytes);
    if (next.is_last) vcd_.change(next.at, socket.ready, 1);
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
  socket.latest = event.id;
  socket.flights.emplace_back(event.id, static_cast<std::uint32_t>(what.wire_bytes));
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
                                  [&](const auto& flight) { return flight.first == event.id; });
  if (found == socket.flights.end()) return;
  later_.push({event.at, order_++, event.number, found->second, socket.latest == event.id});
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
  const std::string path = shown + ".gtkw";
  const std::string names[] = {
      "", write_names(shown, "class", classes_),
      write_names(shown, "state", {"idle", "computes", "communicates", "memory"}),
      write_names(shown, "operation",
                  {"compute", "collective", "send", "receive", "memory_load", "memory_store"}),
      write_names(shown, "memory", {"read", "write"})};
  std::ofstream file(path);
  file << "[*] WaferTLM\n[dumpfile] \"" << shown
       << "\"\n[timestart] 0\n[sst_width] 200\n[signals_width] 260\n";
  // Zoom: -log2 of the picoseconds per frame, so that all of the run is seen; no markers.
  file << '*' << -std::log2(std::max(static_cast<double>(end_ps), 1.0) / kFrames);
  for (int marker = 0; marker < 28; ++marker) file << " -1";
  file << '\n';
  std::string group;
  const auto close = [&] {
    if (!group.empty()) file << "@1000200\n-" << group << '\n';
  };
  for (const Shown& each : shown_) {
    if (each.group != group) {
      close();
      group = each.group;
      file << "@800200\n-" << group << '\n';
    }
    // 28: a bit; 24: decimal; 2022: hexadecimal through a file of names.
    if (each.names != Names::none)
      file << "@2022\n^1 " << names[static_cast<std::size_t>(each.names)] << '\n';
    else
      file << (each.bits == 1 ? "@28\n" : "@24\n");
    file << each.group << '.' << each.name;
    if (each.bits > 1) file << '[' << each.bits - 1 << ":0]";
    file << '\n';
  }
  close();
  if (!file.flush()) throw std::runtime_error("cannot write " + path + "; is the disk full?");
}

}  // namespace wafertlm
