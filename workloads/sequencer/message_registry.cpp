// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/message_registry.h"

#include <fmt/core.h>

#include <stdexcept>

namespace wafertlm {
namespace {

constexpr unsigned kTagBits = 32;

std::string side(std::uint32_t rank, const Task& task) {
  return fmt::format("rank {} {} {}{} B", rank, describe(task),
                     task.kind == Task::Kind::send ? "sends " : "receives ", task.bytes);
}

}  // namespace

MessageRegistry::Key MessageRegistry::key(std::uint32_t rank, const Task& task) {
  return task.kind == Task::Kind::send ? Key{rank, task.peer, task.tag, task.number}
                                       : Key{task.peer, rank, task.tag, task.number};
}

std::uint64_t MessageRegistry::start(std::uint32_t rank, const Task& task, TimePs now,
                                     const CauseRef& cause) {
  const std::uint64_t message_tag = task.number << kTagBits | task.tag;
  if (task.kind == Task::Kind::send && !only_.empty() && !only_[task.peer]) return message_tag;
  const auto [found, is_new] = messages_.try_emplace(key(rank, task));
  Message& message = found->second;
  if (is_new) {
    message.bytes = task.bytes;
    message.first_side = side(rank, task);
  } else if (message.bytes != task.bytes) {
    throw std::runtime_error(fmt::format("message number {} of tag {}: {}, but {}", task.number, task.tag,
                                         message.first_side, side(rank, task)));
  }
  if (task.kind == Task::Kind::send) {
    message.is_sent = true;
    message.sent_ps = now;
    message.cause = cause;
  }
  return message_tag;
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
