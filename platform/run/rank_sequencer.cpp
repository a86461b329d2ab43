// SPDX-License-Identifier: Apache-2.0
#include "platform/run/rank_sequencer.h"

#include <stdexcept>

#include "workloads/collectives/proof.h"

namespace wafertlm {
namespace {

Operation::Kind operation_kind(Task::Kind kind) {
  switch (kind) {
    case Task::Kind::send:
      return Operation::Kind::send;
    case Task::Kind::receive:
      return Operation::Kind::receive;
    case Task::Kind::memory_load:
      return Operation::Kind::memory_load;
    case Task::Kind::memory_store:
      return Operation::Kind::memory_store;
    case Task::Kind::collective:
      return Operation::Kind::collective;
    case Task::Kind::none:
    case Task::Kind::compute:
    case Task::Kind::cpu:
      break;
  }
  return Operation::Kind::compute;
}

bool is_message(const Task& task) {
  return task.kind == Task::Kind::send || task.kind == Task::Kind::receive;
}

}  // namespace

RankSequencer::RankSequencer(JobContext& context, RankHost& host, std::uint32_t rank, const Job& job,
                             const SequencerOptions& options)
    : engine(rank, *job.ranks[rank], job.groups, context.causes, *this, options),
      account(context.causes, [&host, rank](const TimeSegment& part) { host.time_spent(rank, part); }),
      context_(context),
      host_(host),
      rank_(rank),
      npus_(job.npus),
      port_(("sequencer_" + std::to_string(rank)).c_str(), *this) {
  context.machine.attach(port_, job.npus[rank]);
  for (const std::string& name : job.summaries[rank].classes)
    classes_.emplace(name, context.machine.wafer().classes.find(name));
}

void RankSequencer::start(std::uint32_t slot, const Task& task) {
  const TimePs now = context_.machine.wafer().scheduler.now();
  Running& running = running_[slot];
  running = {&task, {}};
  Operation operation;
  std::vector<std::byte> data;
  operation.kind = operation_kind(task.kind);
  operation.on_cpu = task.kind == Task::Kind::cpu;
  if (!task.traffic_class.empty()) operation.traffic_class = classes_.at(task.traffic_class);
  operation.duration_ps = task.duration_ps;
  operation.operations = task.operations;
  operation.bytes = task.bytes;
  operation.peer = npus_[task.peer];
  if (is_message(task)) operation.tag = context_.messages.start(rank_, task, now, engine.cause(slot));
  if (task.kind == Task::Kind::collective) data = enter_collective(slot, task, operation);
  if (context_.observer) context_.observer->operation_started(rank_, task, now);
  port_.issue(slot, operation, std::move(data));
  if (task.kind != Task::Kind::collective) return;
  const CollectiveRecord& record = *running_.at(slot).collective.record;
  if (record.entered == 1) host_.collective_opened(rank_, record, now);
}

bool RankSequencer::gathers(std::uint32_t slot, TimePs now) const {
  return running_.at(slot).collective.record->gathers(now);
}

std::vector<std::byte> RankSequencer::enter_collective(std::uint32_t slot, const Task& task,
                                                       Operation& operation) {
  const auto entry =
      context_.collectives.enter(rank_, task, context_.machine.wafer().scheduler.now(), engine.cause(slot));
  running_[slot].collective = entry;
  operation.collective_id = entry.record->id;
  operation.rank = entry.position;
  operation.program = entry.record->program;
  if (!context_.functional) return {};
  return initial_values(*operation.program, operation.collective_id, operation.rank);
}

void RankSequencer::leave_collective(const CollectiveRegistry::Entry& entry, const Operation& operation,
                                     const std::vector<std::byte>& data, TaskEnd& end) {
  CollectiveRecord& record = *entry.record;
  const CollectiveProgram& program =
      context_.machine.wafer().fabric().done_program(*record.program, record.id);
  if (&program != record.program.get()) record.algorithm = decomposed_name(program);
  if (context_.functional) {
    const std::string wrong = wrong_value(program, operation.collective_id, operation.rank, data);
    if (!wrong.empty()) throw std::runtime_error("wrong value: " + wrong);
  }
  CollectiveRegistry::explain(record, end);
  context_.collectives.leave(record, operation.end_ps);
  if (context_.observer && record.left == record.group_size) context_.observer->collective_ended(record);
}

void RankSequencer::operation_done(std::uint64_t token, const Operation& operation,
                                   const std::vector<std::byte>& data) {
  const auto slot = static_cast<std::uint32_t>(token);
  const Running running = running_.extract(slot).mapped();
  const Task& task = *running.task;
  TaskEnd end;
  end.run.start_ps = operation.start_ps;
  end.run.end_ps = operation.end_ps;
  end.run.category = context_.categories.of(task);
  end.cause = engine.cause(slot);
  if (context_.observer)
    context_.observer->operation_ended(rank_, task, operation.start_ps, operation.end_ps);
  if (task.kind == Task::Kind::collective) leave_collective(running.collective, operation, data, end);
  if (task.kind == Task::Kind::receive) context_.messages.explain_receive(rank_, task, end);
  if (task.kind == Task::Kind::compute) account.computed(operation.start_ps, operation.end_ps, end.cause);
  engine.done(slot, std::move(end), operation.end_ps);
}

const CollectiveRecord* RankSequencer::collective_of(const Task& under_way) const {
  for (const auto& [slot, running] : running_)
    if (running.task == &under_way) return running.collective.record;
  return nullptr;
}

RankSequencer::Need RankSequencer::need_of(const Task& under_way) const {
  for (const auto& [slot, running] : running_) {
    if (running.task != &under_way) continue;
    if (under_way.kind == Task::Kind::collective) {
      const CollectiveRecord& record = *running.collective.record;
      const auto absent = context_.collectives.absent(record);
      if (absent.empty()) break;
      std::string text;
      for (const std::uint32_t rank : absent) text += (text.empty() ? "rank " : ", ") + std::to_string(rank);
      return {text + " to enter it", absent, [&under_way](const Task& task) {
                return task.kind == Task::Kind::collective && task.group == under_way.group &&
                       task.number == under_way.number;
              }};
    }
    if (under_way.kind == Task::Kind::receive && !context_.messages.is_sent(rank_, under_way)) {
      const auto wanted = [to = rank_, &under_way](const Task& task) {
        return task.kind == Task::Kind::send && task.peer == to && task.tag == under_way.tag &&
               task.number == under_way.number;
      };
      return {
          "rank " + std::to_string(under_way.peer) + " to send (tag " + std::to_string(under_way.tag) + ")",
          {under_way.peer},
          wanted};
    }
  }
  return {};
}

}  // namespace wafertlm
