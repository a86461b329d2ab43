// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "workloads/sequencer/sequencer_engine.h"

namespace wafertlm {

/// Matches sends and receives by (source, destination, tag): the k-th receive gets the k-th send.
class MessageRegistry {
 public:
  /// Source, destination, tag.
  using Route = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

  /// A rank starts the send or receive. Returns the tag that no other message on the way has.
  std::uint64_t start(std::uint32_t rank, const Task& task, TimePs now, const CauseRef& cause);
  /// The receive of `rank` that was given `tag` ended. What its time is charged to: the message from the
  /// start of its send on; before, whatever kept the sender.
  void explain_receive(std::uint32_t rank, const Task& task, std::uint64_t tag, TaskEnd& end);
  /// Whether the send of a receive that is under way has started.
  bool is_sent(std::uint32_t rank, const Task& receive, std::uint64_t tag) const;

 private:
  struct PerRoute {
    std::uint64_t sends = 0, receives = 0;
    std::map<std::uint64_t, std::pair<TimePs, CauseRef>> sent;  // messages not received yet, by number
  };
  static Route route(std::uint32_t rank, const Task& task);
  std::map<Route, PerRoute> routes_;
};

}  // namespace wafertlm
