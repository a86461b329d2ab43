// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/report/observables.h"
#include "platform/report/usage.h"
#include "platform/run/observers.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/remote/crossing.h"

namespace wafertlm {

/// What observers shall be told of.
struct WantedSights {
  bool links = false, memories = false;
  bool usage = false;                ///< of links and memories over time
  std::vector<std::string> sockets;  ///< globs of their names
};

/// What was seen in a process.
struct Sights {
  std::vector<std::byte> log, usage;
};

/// Writes down what observers of the machine of one of several processes would be told.
class SightLog final : private LinkObserver, private MemoryObserver, private SocketObserver {
 public:
  SightLog(Machine& machine, const WantedSights& wanted);
  Sights take();

 private:
  void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
            TimePs end_ps) override;
  void moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) override;
  void begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
             const SocketTransaction& what) override;
  void phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) override;

  const MachineObservables machine_;
  const std::size_t switches_;
  Scheduler& scheduler_;
  std::optional<Usage> usage_;
  LinkObservers links_;
  MemoryObservers memories_;
  ByteWriter log_;
};

/// Tells observers what the processes of a simulation have written down, in the order of simulated time; of
/// one moment in the order of the processes.
class PlayedSights final : public Observables, private Wakeable {
 public:
  /// Those of all processes; they must outlive it. Before the simulation in which it is played.
  PlayedSights(const std::vector<Sights>& sights, Scheduler& scheduler);
  void observe_links(LinkObserver& observer) override { links_.push_back(&observer); }
  void observe_memories(MemoryObserver& observer) override { memories_.push_back(&observer); }
  void observe_episodes(EpisodeObserver&) override {}  // several processes play none
  bool add_usage(Usage& usage) const override;
  std::vector<ObservableSocket> sockets() override;
  std::size_t waiting(NpuId) const override { return waiting_; }

 private:
  struct Socket {
    std::string protocol;
    std::vector<ObservedSocket> observers;
  };
  /// What is left of a log.
  struct Log {
    ByteReader reader;
    std::vector<Socket*> sockets;  // by the numbers of its process
    TimePs next_ps = 0;            // kNever: nothing
  };
  void read_time(Log& log);
  void play(Log& log, TimePs now);
  void plan();
  void wake(std::uint32_t what, TimePs now) override;

  const std::vector<Sights>& sights_;
  Scheduler& scheduler_;
  std::map<std::string, Socket> sockets_;
  std::vector<Log> logs_;
  std::vector<LinkObserver*> links_;
  std::vector<MemoryObserver*> memories_;
  std::size_t waiting_ = 0;
};

}  // namespace wafertlm
