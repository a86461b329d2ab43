// SPDX-License-Identifier: Apache-2.0
#include "platform/parallel/sights.h"

#include <algorithm>

#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "tlm/kernel/globs.h"

namespace wafertlm {
namespace {

enum class Sight : std::uint8_t { sent, moved, begun, phase };

struct SentSight {
  TimePs end_ps;
  std::uint32_t observed, source, destination, waiting;
  PortId output;
  ClassId traffic_class;
};

struct MovedSight {
  TimePs start_ps, end_ps;
  std::uint64_t bytes;
  std::uint32_t observed;
  bool write;
};

struct BegunSight {
  const void* id;  // of the other process
  TimePs at_ps;
  SocketTransaction what;
  std::uint32_t socket;
};

struct PhaseSight {
  const void* id;
  TimePs at_ps;
  std::uint32_t socket;
  SocketPhase phase;
};

/// Its time first: logs are merged by it.
template <typename T>
void write(ByteWriter& log, TimePs now, Sight kind, const T& sight) {
  log.put(now);
  log.put(kind);
  log.put(sight);
}

}  // namespace

SightLog::SightLog(Machine& machine, const WantedSights& wanted)
    : machine_(machine),
      switches_(machine.wafer().fabric().switches()),
      scheduler_(machine.wafer().scheduler) {
  std::vector<ObservableSocket> sockets;
  if (!wanted.sockets.empty())
    for (ObservableSocket& socket : observable_sockets())
      if (matches_any(wanted.sockets, socket.name)) sockets.push_back(std::move(socket));
  log_.put(std::uint64_t{sockets.size()});
  SocketObserver& socket_observer = *this;
  for (std::size_t number = 0; number < sockets.size(); ++number) {
    log_.put_block(sockets[number].name);
    log_.put_block(sockets[number].protocol);
    sockets[number].observe(socket_observer, number);
  }
  if (wanted.usage) {
    usage_.emplace(machine);
    links_.add(*usage_);
    memories_.add(*usage_);
  }
  if (wanted.links) links_.add(*this);
  if (wanted.memories) memories_.add(*this);
  if (!links_.empty()) machine.observe_links(links_);
  if (!memories_.empty()) machine.observe_memories(memories_);
}

Sights SightLog::take() { return {log_.take(), usage_ ? usage_->pack() : std::vector<std::byte>{}}; }

void SightLog::sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
                    TimePs end_ps) {
  const std::size_t waiting =
      observed < switches_ ? 0 : machine_.waiting(static_cast<NpuId>(observed - switches_));
  write(log_, start_ps, Sight::sent,
        SentSight{end_ps, static_cast<std::uint32_t>(observed),
                  static_cast<std::uint32_t>(index_of(packet.source)),
                  static_cast<std::uint32_t>(index_of(packet.destination)),
                  static_cast<std::uint32_t>(waiting), output, packet.traffic_class});
}

void SightLog::moved(std::size_t observed, bool write_, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) {
  write(log_, scheduler_.now(), Sight::moved,
        MovedSight{start_ps, end_ps, bytes, static_cast<std::uint32_t>(observed), write_});
}

void SightLog::begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
                     const SocketTransaction& what) {
  write(log_, now, Sight::begun, BegunSight{id, at_ps, what, static_cast<std::uint32_t>(socket)});
}

void SightLog::phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) {
  write(log_, now, Sight::phase, PhaseSight{id, at_ps, static_cast<std::uint32_t>(socket), phase});
}

PlayedSights::PlayedSights(const std::vector<Sights>& sights, Scheduler& scheduler)
    : sights_(sights), scheduler_(scheduler) {
  for (const Sights& of_process : sights) {
    Log& log = logs_.emplace_back(Log{ByteReader(of_process.log), {}});
    for (auto left = log.reader.get<std::uint64_t>(); left != 0; --left) {
      Socket& socket = sockets_[log.reader.get_block<std::string>()];
      socket.protocol = log.reader.get_block<std::string>();
      log.sockets.push_back(&socket);
    }
    read_time(log);
  }
  plan();
}

bool PlayedSights::add_usage(Usage& usage) const {
  for (const Sights& of_process : sights_) usage.add(of_process.usage);
  return true;
}

std::vector<ObservableSocket> PlayedSights::sockets() {
  std::vector<ObservableSocket> all;
  for (auto& entry : sockets_) {
    Socket& socket = entry.second;
    all.push_back({entry.first, socket.protocol, [&socket](SocketObserver& observer, std::size_t number) {
                     socket.observers.push_back({&observer, number});
                   }});
  }
  return all;
}

void PlayedSights::read_time(Log& log) {
  log.next_ps = log.reader.at_end() ? kNever : log.reader.get<TimePs>();
}

void PlayedSights::plan() {
  TimePs next = kNever;
  for (const Log& log : logs_) next = std::min(next, log.next_ps);
  if (next != kNever) scheduler_.schedule(next, *this, 0, Turn::sources);
}

void PlayedSights::wake(std::uint32_t, TimePs now) {
  for (Log& log : logs_)
    for (; log.next_ps == now; read_time(log)) play(log, now);
  plan();
}

void PlayedSights::play(Log& log, TimePs now) {
  ByteReader& from = log.reader;
  switch (from.get<Sight>()) {
    case Sight::sent: {
      const auto sight = from.get<SentSight>();
      Packet packet;
      packet.source = static_cast<NpuId>(sight.source);
      packet.destination = static_cast<NpuId>(sight.destination);
      packet.traffic_class = sight.traffic_class;
      waiting_ = sight.waiting;
      for (LinkObserver* const each : links_)
        each->sent(sight.observed, sight.output, packet, now, sight.end_ps);
      return;
    }
    case Sight::moved: {
      const auto sight = from.get<MovedSight>();
      for (MemoryObserver* const each : memories_)
        each->moved(sight.observed, sight.write, sight.bytes, sight.start_ps, sight.end_ps);
      return;
    }
    case Sight::begun: {
      const auto sight = from.get<BegunSight>();
      for (const ObservedSocket& each : log.sockets.at(sight.socket)->observers)
        each.observer->begun(each.number, sight.id, now, sight.at_ps, sight.what);
      return;
    }
    case Sight::phase: {
      const auto sight = from.get<PhaseSight>();
      for (const ObservedSocket& each : log.sockets.at(sight.socket)->observers)
        each.observer->phase(each.number, sight.id, sight.phase, now, sight.at_ps);
      return;
    }
  }
}

}  // namespace wafertlm
