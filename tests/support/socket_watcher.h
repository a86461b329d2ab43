// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tlm/checking/socket_observer.h"
#include "tlm/kernel/say.h"

namespace wafertlm {

/// Notes what a checker shows it, in words; of a transaction only what is not 0.
struct SocketWatcher final : SocketObserver {
  void begun(std::size_t socket, const void*, TimePs now, TimePs at_ps,
             const SocketTransaction& what) override {
    std::string text = say(socket, " begins at ", now, " for ", at_ps);
    const auto add = [&](const char* name, std::uint64_t value) {
      if (value != 0) text += say(", ", name, " ", value);
    };
    add("bytes", what.bytes);
    add("wire", what.wire_bytes);
    add("stream", what.stream);
    add("tag", what.tag);
    add("sequence", what.sequence);
    add("address", what.address);
    add("source", what.source);
    add("destination", what.destination);
    add("kind", what.kind);
    add("class", what.traffic_class);
    add("vc", what.vc);
    add("tail", what.tail_ps);
    seen.push_back(text);
  }
  void phase(std::size_t socket, const void*, SocketPhase phase, TimePs now, TimePs at_ps) override {
    seen.push_back(say(socket, " phase ", static_cast<int>(phase), " at ", now, " for ", at_ps));
  }
  std::vector<std::string> seen;
};

}  // namespace wafertlm
