// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/message_registry.h"

namespace wafertlm {
namespace {

constexpr unsigned kTagBits = 32;

}  // namespace

MessageRegistry::Route MessageRegistry::route(std::uint32_t rank, const Task& task) {
  return task.kind == Task::Kind::send ? Route{rank, task.peer, task.tag} : Route{task.peer, rank, task.tag};
}

std::uint64_t MessageRegistry::start(std::uint32_t rank, const Task& task, TimePs now,
                                     const CauseRef& cause) {
  PerRoute& messages = routes_[route(rank, task)];
  const bool sends = task.kind == Task::Kind::send;
  const std::uint64_t number = sends ? messages.sends++ : messages.receives++;
  if (sends) messages.sent.emplace(number, std::pair(now, cause));
  return number << kTagBits | task.tag;
}

void MessageRegistry::explain_receive(std::uint32_t rank, const Task& task, std::uint64_t tag, TaskEnd& end) {
  auto [sent_ps, why] = routes_.at(route(rank, task)).sent.extract(tag >> kTagBits).mapped();
  if (sent_ps <= end.run.start_ps) return;
  end.run.start_ps = sent_ps;
  end.cause = std::move(why);
}

bool MessageRegistry::is_sent(std::uint32_t rank, const Task& receive, std::uint64_t tag) const {
  return routes_.at(route(rank, receive)).sends > tag >> kTagBits;
}

}  // namespace wafertlm
