// SPDX-License-Identifier: Apache-2.0
#include "platform/report/sockets.h"

#include <fnmatch.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

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

void SocketHub::add(const ObservableSocket& socket, SocketObserver& observer, std::size_t number) {
  const auto found = std::find_if(sockets_.begin(), sockets_.end(),
                                  [&](const Listener& each) { return each.name == socket.name; });
  if (found != sockets_.end()) return found->observers.push_back({&observer, number});
  sockets_.push_back({socket.name, {{&observer, number}}});
  socket.observe(*this, sockets_.size() - 1);
}

void SocketHub::begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
                      const SocketTransaction& what) {
  for (const ObservedSocket& each : sockets_[socket].observers)
    each.observer->begun(each.number, id, now, at_ps, what);
}

void SocketHub::phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) {
  for (const ObservedSocket& each : sockets_[socket].observers)
    each.observer->phase(each.number, id, phase, now, at_ps);
}

std::vector<ObservableSocket> observable_sockets() {
  std::vector<ObservableSocket> sockets;
  visit(sc_core::sc_get_top_level_objects(), sockets);
  std::sort(sockets.begin(), sockets.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return sockets;
}

std::vector<ObservableSocket> chosen_sockets(const std::vector<std::string>& globs) {
  const std::vector<ObservableSocket> all = observable_sockets();
  std::vector<bool> chosen(all.size());
  for (const std::string& glob : globs) {
    bool any = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (fnmatch(glob.c_str(), all[i].name.c_str(), 0) == 0) any = chosen[i] = true;
    if (!any)
      throw std::invalid_argument("no socket is called '" + glob +
                                  "'; there are such as npu3_to_router3, router0_to_router1, l1_0_to_npu0, "
                                  "operations_3 and memory_3, with the numbers and switches of the platform");
  }
  std::vector<ObservableSocket> sockets;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i]) sockets.push_back(all[i]);
  return sockets;
}

}  // namespace wafertlm
