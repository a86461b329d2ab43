// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/message_registry.h"

#include <stdexcept>

namespace wafertlm {
namespace {

constexpr unsigned kTagBits = 32;

std::string side(std::uint32_t rank, const Task& task) {
  return "rank " + std::to_string(rank) + " " + describe(task) + " " +
         (task.kind == Task::Kind::send ? "sends " : "receives ") + std::to_string(task.bytes) + " B";
}

}  // namespace

MessageRegistry::Key MessageRegistry::key(std::uint32_t rank, const Task& task) {
  return task.kind == Task::Kind::send ? Key{rank, task.peer, task.tag, task.number}
                                       : Key{task.peer, rank, task.tag, task.number};
}

std::uint64_t MessageRegistry::start(std::uint32_t rank, const Task& task, TimePs now,
                                     const CauseRef& cause) {
  const auto [place, is_new] = messages_.try_emplace(key(rank, task));
  Message& message = place->second;
  if (is_new) {
    message.bytes = task.bytes;
    message.first_side = side(rank, task);
  } else if (message.bytes != task.bytes) {
    throw std::runtime_error("message number " + std::to_string(task.number) + " of tag " +
                             std::to_string(task.tag) + ": " + message.first_side + ", but " +
                             side(rank, task));
  }
  if (task.kind == Task::Kind::send) {
    message.is_sent = true;
    message.sent_ps = now;
    message.cause = cause;
  }
  return task.number << kTagBits | task.tag;
}

void MessageRegistry::explain_receive(std::uint32_t rank, const Task& task, TaskEnd& end) {
  Message message = messages_.extract(key(rank, task)).mapped();
  if (message.sent_ps <= end.run.start_ps) return;
  end.run.start_ps = message.sent_ps;
  end.cause = std::move(message.cause);
}

bool MessageRegistry::is_sent(std::uint32_t rank, const Task& receive) const {
  return messages_.at(key(rank, receive)).is_sent;
}

}  // namespace wafertlm
