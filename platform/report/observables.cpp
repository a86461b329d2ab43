// SPDX-License-Identifier: Apache-2.0
#include "platform/report/observables.h"

#include <algorithm>

#include "models/endpoint/endpoint.h"
#include "platform/machine/machine.h"
#include "tlm/fabric/checker.h"
#include "tlm/memory/checker.h"
#include "tlm/operation/checker.h"

namespace wafertlm {
namespace {

template <typename T>
bool add_if(sc_core::sc_object* object, const char* protocol, std::vector<ObservableSocket>& sockets) {
  auto* const checker = dynamic_cast<T*>(object);
  if (!checker) return false;
  sockets.push_back({checker->basename(), protocol, [checker](SocketObserver& observer, std::size_t number) {
                       checker->observe(observer, number);
                     }});
  return true;
}

void visit(const std::vector<sc_core::sc_object*>& objects, std::vector<ObservableSocket>& sockets) {
  for (sc_core::sc_object* object : objects)
    if (!add_if<FabricChecker>(object, "fabric", sockets) &&
        !add_if<MemoryChecker>(object, "memory", sockets) &&
        !add_if<OperationChecker>(object, "operation", sockets))
      visit(object->get_child_objects(), sockets);
}

}  // namespace

std::vector<ObservableSocket> observable_sockets() {
  std::vector<ObservableSocket> sockets;
  visit(sc_core::sc_get_top_level_objects(), sockets);
  std::sort(sockets.begin(), sockets.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return sockets;
}

void MachineObservables::observe_links(LinkObserver& observer) { machine_.observe_links(observer); }

void MachineObservables::observe_memories(MemoryObserver& observer) { machine_.observe_memories(observer); }

void MachineObservables::observe_episodes(EpisodeObserver& observer) { machine_.observe_episodes(observer); }

std::size_t MachineObservables::waiting(NpuId endpoint) const {
  return machine_.endpoint(endpoint).injection_port().queued();
}

}  // namespace wafertlm
