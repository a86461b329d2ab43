// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tlm/acceleration/episode_observer.h"
#include "tlm/checking/socket_observer.h"
#include "tlm/memory/memory_observer.h"
#include "tlm/packets/link_observer.h"

namespace wafertlm {

class Machine;
class Usage;

/// A socket that has a protocol checker: "router0_to_router1", "npu3_to_router3" (fabric), "operations_3"
/// (operation), "memory_3" (memory). `observe` makes the checker tell an observer.
struct ObservableSocket {
  std::string name, protocol;
  std::function<void(SocketObserver&, std::size_t number)> observe;
};

/// Those of this simulation, in the order of their names.
std::vector<ObservableSocket> observable_sockets();

/// What recorders can look at in a run.
class Observables {
 public:
  virtual ~Observables() = default;
  /// As Machine::observe_links and so on.
  virtual void observe_links(LinkObserver& observer) = 0;
  virtual void observe_memories(MemoryObserver& observer) = 0;
  virtual void observe_episodes(EpisodeObserver& observer) = 0;
  /// Adds to `usage` what others have observed for it. False: nobody has, and it has to observe.
  virtual bool add_usage(Usage& /*usage*/) const { return false; }
  virtual std::vector<ObservableSocket> sockets() = 0;
  /// Packets at the injection port of an endpoint; called from within LinkObserver::sent.
  virtual std::size_t waiting(NpuId endpoint) const = 0;
};

/// Of a machine that is simulated here.
class MachineObservables final : public Observables {
 public:
  explicit MachineObservables(Machine& machine) : machine_(machine) {}
  void observe_links(LinkObserver& observer) override;
  void observe_memories(MemoryObserver& observer) override;
  void observe_episodes(EpisodeObserver& observer) override;
  std::vector<ObservableSocket> sockets() override { return observable_sockets(); }
  std::size_t waiting(NpuId endpoint) const override;

 private:
  Machine& machine_;
};

}  // namespace wafertlm
