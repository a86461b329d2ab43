// SPDX-License-Identifier: Apache-2.0
#include "workloads/sequencer/sequencer_engine.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace wafertlm {
namespace {

/// Nothing for nodes that do not communicate (a launch does not). @throws TraceError for an unknown group.
std::optional<chakra::CommunicationChannel> channel_of(const chakra::Node& node, std::uint32_t rank,
                                                       const chakra::CommGroups& groups) {
  using chakra::NodeType;
  const std::uint32_t tag = node.comm_tag.value_or(0);
  if (node.is_collective()) return {{node.type, static_cast<std::uint32_t>(groups.number(node.pg_name)), 0}};
  if (node.type == NodeType::CommSend) return {{node.type, node.comm_dst.value_or(rank), tag}};
  if (node.type == NodeType::CommRecv) return {{node.type, node.comm_src.value_or(rank), tag}};
  return std::nullopt;
}

}  // namespace

SequencerEngine::SequencerEngine(std::uint32_t rank, chakra::NodeSource& source,
                                 const chakra::CommGroups& groups, CauseLog& log, SequencerHost& host,
                                 SequencerOptions options)
    : rank_(rank),
      source_(source),
      groups_(groups),
      log_(log),
      host_(host),
      options_(std::move(options)),
      numbers_(options_.numbers) {
  communication_.room = options_.communications;
}

void SequencerEngine::start_iteration(TimePs now, const CauseRef& cause) {
  if (active_) throw std::logic_error("an iteration starts while one is under way");
  active_ = true;
  end_of_trace_ = false;
  ++iteration_;
  iteration_cause_ = last_;
  iteration_cause_.take_later(cause);
  source_.rewind();
  window_.clear();
  numbers_.next_iteration();
  for (const std::uint64_t id : options_.missing) window_.satisfy(id);
  settle(now);
}

/// Reads one node into a slot; false at the end of the trace.
bool SequencerEngine::read_node() {
  if (!source_.next(node_)) return false;
  if (options_.dependencies == chakra::Dependencies::data) node_.ctrl_deps.clear();
  std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  ++held_;
  Slot& held = slots_[slot];
  held.task = make_task(node_, rank_, groups_);
  if (const auto channel = channel_of(node_, rank_, groups_))
    held.task.number = numbers_.next(*channel, node_.id);
  held.state = State::waits;
  // What ended before the node was read is no reason of its own: the reading is, and what made room for it.
  held.cause = iteration_cause_;
  held.cause.take_later(last_);
  if (window_.add(slot, node_) == 0) make_ready(slot);
  return true;
}

SequencerEngine::Queue SequencerEngine::queue_of(const Task& task) {
  const bool comes_in = task.collective == chakra::CollectiveType::Broadcast;
  return {task.group_number, task.traffic_class, !task.io_stream ? ' ' : comes_in ? 'i' : 'o'};
}

/// Null: the limit of communications is none of the task's.
SequencerEngine::Resource* SequencerEngine::limited_resource_of(const Task& task) {
  using Kind = Task::Kind;
  const bool communicates = task.kind == Kind::collective || task.kind == Kind::send ||
                            task.kind == Kind::memory_load || task.kind == Kind::memory_store;
  return options_.communications != 0 && communicates ? &communication_ : nullptr;
}

SequencerEngine::Resource* SequencerEngine::resource_of(const Task& task) {
  if (Resource* const limited = limited_resource_of(task)) return limited;
  switch (task.kind) {
    case Task::Kind::compute:
      return &units_[{false, task.unit}];
    case Task::Kind::cpu:
      return &units_[{true, task.unit}];
    case Task::Kind::memory_load:
      return &load_;
    case Task::Kind::memory_store:
      return &store_;
    case Task::Kind::collective:
      return &collectives_[queue_of(task)];
    case Task::Kind::none:
    case Task::Kind::send:
    case Task::Kind::receive:
      break;
  }
  return nullptr;
}

void SequencerEngine::make_ready(std::uint32_t slot) {
  Slot& ready = slots_[slot];
  ready.state = State::ready;
  if (ready.task.kind == Task::Kind::none) {
    instant_.push_back(slot);
    return;
  }
  Resource* const resource = resource_of(ready.task);
  if (!resource) return start(slot);
  const std::uint64_t order = order_++;
  std::uint64_t key = 0;
  if (options_.order == IssueOrder::lifo) key = ~order;
  if (options_.order == IssueOrder::priority) key = ~std::uint64_t{ready.task.priority};
  if (options_.order == IssueOrder::lowest_id) key = ready.task.id;
  ready.order = order;
  if (resource->has_room() && resource->ready.empty()) waiting_.push_back(resource);
  resource->ready.push({key, order, slot});
  if (ready.task.kind == Task::Kind::collective)
    ready_collectives_.emplace(Collective{ready.task.group_number, ready.task.number}, slot);
}

void SequencerEngine::start(std::uint32_t slot) {
  slots_[slot].state = State::runs;
  ++under_way_;
  host_.start(slot, slots_[slot].task);
}

/// A resource takes a ready task, also beside others that it has.
void SequencerEngine::take(Resource& resource, std::uint32_t slot) {
  const Task& task = slots_[slot].task;
  if (task.kind == Task::Kind::collective) {
    const Collective collective{task.group_number, task.number};
    ready_collectives_.erase(collective);
    awaited_.erase(collective);
  }
  // Of two that ended together the parent is the cause.
  if (resource.last) {
    CauseRef& cause = slots_[slot].cause;
    if (!cause || log_.at(resource.last.index()).end_ps > log_.at(cause.index()).end_ps)
      cause = resource.last;
  }
  resource.users.push_back(slot);
  start(slot);
}

/// Whether the entry of a queue still says so.
bool SequencerEngine::is_ready(const Ready& entry) const {
  const Slot& slot = slots_[entry.slot];
  return slot.state == State::ready && slot.order == entry.order;
}

/// Gives every free resource the tasks that the order chooses among those that are ready by now.
void SequencerEngine::dispatch() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    Resource& resource = *waiting_[i];
    while (resource.has_room() && !resource.ready.empty()) {
      const Ready next = resource.ready.top();
      resource.ready.pop();
      if (is_ready(next)) take(resource, next.slot);
    }
  }
  waiting_.clear();
  join_awaited();
}

/// Everything that the resource has only waits for other ranks.
bool SequencerEngine::may_join(const Resource& resource) const {
  return !resource.users.empty() &&
         std::all_of(resource.users.begin(), resource.users.end(),
                     [this](std::uint32_t slot) { return host_.gathers(slot, now_); });
}

void SequencerEngine::join_awaited() {
  if (options_.communications != 0) return;
  for (auto next = awaited_.begin(); next != awaited_.end();) {
    const Collective collective = *next++;  // taking it takes it out
    const auto ready = ready_collectives_.find(collective);
    if (ready == ready_collectives_.end()) continue;
    Resource& resource = *resource_of(slots_[ready->second].task);
    if (may_join(resource)) take(resource, ready->second);
  }
  for (const Collective& collective : awaited_)
    if (ready_collectives_.count(collective) == 0) work_towards(collective);
}

/// Others wait in a collective that this rank is not ready for. What stands before it has a lower number.
void SequencerEngine::work_towards(const Collective& awaited) {
  const auto first = ready_collectives_.lower_bound({awaited.first, 0});
  if (first == ready_collectives_.end() || !(first->first < awaited)) return;
  Resource& resource = *resource_of(slots_[first->second].task);
  const auto comes_later = [&](std::uint32_t slot) { return slots_[slot].task.number > first->first.second; };
  if (may_join(resource) && std::all_of(resource.users.begin(), resource.users.end(), comes_later))
    take(resource, first->second);
}

void SequencerEngine::awaited(std::uint32_t group_number, std::uint64_t number, TimePs now) {
  now_ = now;
  awaited_.emplace(group_number, number);
  join_awaited();
}

CauseRef SequencerEngine::finish(std::uint32_t slot, const TaskEnd& end) {
  const Task& task = slots_[slot].task;
  CauseLog::Run run = end.run;
  run.node = task.id;
  run.rank = rank_;
  run.kind = task.kind;
  CauseRef record = log_.add(run, end.cause);
  ++finished_;
  last_.take_later(record);
  window_.done(task.id, [&](std::uint32_t child, bool ready) {
    slots_[child].cause.take_later(record);
    if (ready) make_ready(child);
  });
  free_slot(slot);
  return record;
}

void SequencerEngine::free_slot(std::uint32_t slot) {
  slots_[slot].cause = {};
  slots_[slot].state = State::free;
  free_.push_back(slot);
  --held_;
}

CauseRef SequencerEngine::done(std::uint32_t slot, TaskEnd end, TimePs now) {
  now_ = now;
  --under_way_;
  Resource* const resource = resource_of(slots_[slot].task);
  CauseRef record = finish(slot, end);
  if (resource) {
    resource->last = record;
    resource->users.erase(std::find(resource->users.begin(), resource->users.end(), slot));
    if (!resource->ready.empty()) waiting_.push_back(resource);
  }
  settle(now);
  return record;
}

/// Everything that can happen at this instant without time going by.
void SequencerEngine::settle(TimePs now) {
  now_ = now;
  if (settling_) return;
  settling_ = true;
  for (;;) {
    while (!end_of_trace_ && held_ < options_.look_ahead) end_of_trace_ = !read_node();
    if (!instant_.empty()) {
      const std::uint32_t slot = instant_.front();
      instant_.pop_front();
      TaskEnd end;
      end.run.start_ps = end.run.end_ps = now_;
      end.cause = slots_[slot].cause;
      finish(slot, end);
      continue;
    }
    dispatch();
    if (under_way_ > 0) break;
    if (!end_of_trace_) {  // all that is held waits for what was not read yet
      end_of_trace_ = !read_node();
      continue;
    }
    if (!active_) break;
    if (held_ > 0)
      throw std::runtime_error(fmt::format("{}: {} nodes wait for a node that is not there or for each other",
                                           source_.name(), held_));
    active_ = false;
    host_.iteration_done(iteration_ - 1, now_);
    if (!active_) break;
  }
  settling_ = false;
}

std::vector<const Task*> SequencerEngine::under_way() const {
  std::vector<const Task*> tasks;
  for (const Slot& slot : slots_)
    if (slot.state == State::runs) tasks.push_back(&slot.task);
  std::sort(tasks.begin(), tasks.end(), [](const Task* a, const Task* b) { return a->id < b->id; });
  return tasks;
}

const SequencerEngine::Slot* SequencerEngine::slot_with(std::uint64_t id) const {
  for (const Slot& slot : slots_)
    if (slot.state != State::free && slot.task.id == id) return &slot;
  return nullptr;
}

/// What uses the resource that a ready communication waits for; null for other tasks.
const std::vector<std::uint32_t>* SequencerEngine::users_before(const Task& task) const {
  if (options_.communications != 0 && task.kind != Task::Kind::compute && task.kind != Task::Kind::cpu)
    return &communication_.users;
  return task.kind == Task::Kind::collective ? &collectives_.at(queue_of(task)).users : nullptr;
}

const Task* SequencerEngine::blocker(const std::function<bool(const Task&)>& wanted,
                                     const Task** found) const {
  *found = nullptr;
  const Slot* at = nullptr;
  for (const Slot& slot : slots_)
    if (slot.state != State::free && wanted(slot.task) && (!at || slot.task.id < at->task.id)) at = &slot;
  if (at) *found = &at->task;
  const auto number = [this](const Slot* slot) {
    std::uint32_t index = 0;
    while (&slots_[index] != slot) ++index;
    return index;
  };
  while (at && at->state == State::waits) {
    const auto parent = window_.open_parent(number(at));
    at = parent ? slot_with(*parent) : nullptr;
  }
  if (at && at->state == State::ready)
    if (const auto* const users = users_before(at->task); users && !users->empty())
      at = &slots_[users->front()];
  if (at && at->state == State::runs && &at->task != *found) return &at->task;
  const auto running = under_way();
  return running.empty() ? nullptr : running.front();
}

}  // namespace wafertlm
