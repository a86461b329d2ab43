// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "tlm/checking/socket_observer.h"
#include "tlm/memory/memory_observer.h"
#include "waveforms/vcd_writer.h"
#include "waveforms/worker.h"

namespace wafertlm {

/// Waveforms of chosen instances, by change. A fabric socket has
///   valid (a packet passes), ready (the room of the latest packet in the next buffer is free again),
///   class, vc, stream, tag, sequence, source, destination, bytes (of the packet on the line),
///   queue (packets that have room in the next buffer) and used (their bytes: credits that are away).
/// Operation and memory sockets have `open` (transactions that have begun and not ended), kind and bytes of
/// the latest one; NPUs a `state`, memories `reading` and `writing`.
///
/// The simulation only notes what happens; a thread of its own makes signals and text of it.
class SocketWaves final : public SocketObserver, public MemoryObserver {
 public:
  enum class NpuState : std::uint8_t { idle, computes, communicates, memory };
  explicit SocketWaves(const std::string& path);

  /// Before the run; each returns its number.
  std::size_t add_socket(const std::string& name, const std::string& protocol);
  std::size_t add_npu(const std::string& name);
  std::size_t add_memory(const std::string& name);
  /// A name for each number of the signals `class`.
  void name_classes(std::vector<std::string> names) { classes_ = std::move(names); }

  void begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
             const SocketTransaction& what) override;
  void phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) override;
  void moved(std::size_t memory, bool write, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) override;
  void npu_state(std::size_t npu, NpuState state, TimePs now);

  /// Also writes SHOWN.gtkw, the view for GTKWave: groups, formats, names for numbers. `shown` is the file it
  /// opens.
  void finish(TimePs end_ps, const std::string& shown);
  std::size_t signals() const { return signals_; }

 private:
  enum class Names : std::uint8_t { none, classes, states, operations, memory_kinds };
  struct Shown {
    std::string group, name;
    unsigned bits;
    Names names;
  };
  /// As an observer was told it.
  struct Event {
    enum class Kind : std::uint8_t { begun, ended, moved, state };
    TimePs now, at;
    const void* id;
    SocketTransaction what;
    std::uint32_t number;  // of the socket; moved and state: of the signal
    Kind kind;
  };
  struct Flight {
    const void* id;
    std::uint64_t number;  // of the socket's
    std::uint32_t bytes;
  };
  struct Socket {
    bool fabric = false;
    std::size_t valid = 0, ready = 0, traffic_class = 0, vc = 0, stream = 0, tag = 0, sequence = 0,
                source = 0, destination = 0, bytes = 0, queue = 0, used = 0, kind = 0;
    std::uint64_t queued = 0, used_bytes = 0;
    TimePs line_end_ps = 0;
    std::uint64_t begun = 0;
    std::vector<Flight> flights;  // few at a time
  };
  struct Memory {
    std::size_t reading, writing;
  };
  /// Room that comes back takes effect later.
  struct Later {
    TimePs at;
    std::uint64_t order;
    std::size_t socket;
    Flight flight;
    bool operator>(const Later& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  void note(const Event& event);
  void play(const Event& event);
  void play_begun(const Event& event);
  void play_ended(const Event& event);
  void settle(TimePs now);
  std::size_t add(const std::string& group, const std::string& name, unsigned bits,
                  Names names = Names::none);
  void write_view(const std::string& shown, TimePs end_ps) const;

  VcdWriter vcd_;
  std::vector<Socket> sockets_;
  std::vector<std::size_t> npus_;
  std::vector<Memory> memories_;
  std::vector<Shown> shown_;
  std::vector<std::string> classes_;
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
  std::size_t signals_ = 0;
  std::uint64_t order_ = 0;
  std::vector<Event> chunk_;
  Worker<std::vector<Event>> worker_;
};

}  // namespace wafertlm
