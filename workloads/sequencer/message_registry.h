// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "workloads/sequencer/sequencer_engine.h"

namespace wafertlm {

/// Matches sends and receives by (source, destination, tag, Task::number).
class MessageRegistry {
 public:
  /// Only these ranks send and receive here: nobody will take what goes to others. Before the first.
  void only(std::vector<bool> ranks) { only_ = std::move(ranks); }
  /// A rank starts the send or receive. Returns the tag that no other message on the way has.
  /// @throws std::runtime_error naming both sides when their sizes differ.
  std::uint64_t start(std::uint32_t rank, const Task& task, TimePs now, const CauseRef& cause);
  /// The receive of `rank` ended. What its time is charged to: the message from the start of its send on;
  /// before, whatever kept the sender.
  void explain_receive(std::uint32_t rank, const Task& task, TaskEnd& end);
  /// Whether the send of a receive that is under way has started.
  bool is_sent(std::uint32_t rank, const Task& receive) const;

 private:
  /// Source, destination, tag, number.
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;
  /// From the start of its first side to the end of its receive.
  struct Message {
    std::uint64_t bytes = 0;
    std::string first_side;
    bool is_sent = false;
    TimePs sent_ps = 0;
    CauseRef cause;  // of the send
  };
  static Key key(std::uint32_t rank, const Task& task);
  std::map<Key, Message> messages_;
  std::vector<bool> only_;  // by rank; empty: all
};

}  // namespace wafertlm
