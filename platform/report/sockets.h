// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tlm/socket_observer.h"

namespace wafertlm {

/// Every socket of the platform that has a protocol checker, in the order of its name: "router0_to_router1",
/// "npu3_to_router3" (fabric), "operations_3" (operation), "memory_3" (memory). `observe` makes its checker
/// tell an observer.
struct ObservableSocket {
  std::string name, protocol;
  std::function<void(SocketObserver&, std::size_t number)> observe;
};

/// Tells several observers about the same sockets. Must live as long as the simulation.
class SocketHub final : public SocketObserver {
 public:
  void add(const ObservableSocket& socket, SocketObserver& observer, std::size_t number);
  void begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
             const SocketTransaction& what) override;
  void phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) override;

 private:
  struct Listener {
    std::string name;
    std::vector<ObservedSocket> observers;
  };
  std::vector<Listener> sockets_;
};

std::vector<ObservableSocket> observable_sockets();

/// Those whose names one of the globs matches. @throws std::invalid_argument for a glob that matches none.
std::vector<ObservableSocket> chosen_sockets(const std::vector<std::string>& globs);

}  // namespace wafertlm
