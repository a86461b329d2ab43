// SPDX-License-Identifier: Apache-2.0
#include "platform/run/rank_sequencer.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "platform/machine/machine.h"
#include "platform/machine/sampled/sampling.h"
#include "platform/machine/wafer.h"
#include "platform/run/job.h"
#include "workloads/collectives/algorithm/proof.h"

namespace wafertlm {
namespace {

/// By Task::Kind.
constexpr Operation::Kind kOperationKinds[] = {Operation::Kind::compute,     Operation::Kind::compute,
                                               Operation::Kind::compute,     Operation::Kind::collective,
                                               Operation::Kind::send,        Operation::Kind::receive,
                                               Operation::Kind::memory_load, Operation::Kind::memory_store};

bool is_message(const Task& task) {
  return task.kind == Task::Kind::send || task.kind == Task::Kind::receive;
}

}  // namespace

RankSequencer::RankSequencer(JobContext& context, RankHost& host, std::uint32_t rank, const Job& job,
                             const SequencerParams& params)
    : engine(rank, *job.ranks[rank], job.groups, context.causes, *this,
             {params, job.dependencies, job.summaries[rank].missing, job.summaries[rank].numbers}),
      account(context.causes, [&host, rank](const TimeSegment& part) { host.time_spent(rank, part); }),
      context_(context),
      host_(host),
      rank_(rank),
      npus_(job.npus),
      port_(fmt::format("sequencer_{}", rank).c_str(), *this) {
  context.machine.attach(port_, job.npus[rank]);
  for (const std::string& name : job.summaries[rank].classes)
    classes_.emplace(name, context.machine.wafer().classes.find(name));
}

void RankSequencer::start(std::uint32_t slot, const Task& task) {
  const TimePs now = context_.machine.wafer().scheduler.now();
  running_[slot] = {};
  running_[slot].task = &task;
  running_[slot].issued_ps = now;
  if (task.kind == Task::Kind::compute) ++computing_;
  Operation operation;
  operation.kind = kOperationKinds[static_cast<std::size_t>(task.kind)];
  operation.on_cpu = task.kind == Task::Kind::cpu;
  if (!task.traffic_class.empty()) operation.traffic_class = classes_.at(task.traffic_class);
  operation.duration_ps = task.duration_ps;
  operation.unit = task.unit;
  operation.operations = task.operations;
  operation.products = task.products;
  operation.bytes = task.bytes;
  operation.peer = npus_[task.peer];
  if (is_message(task)) operation.tag = context_.messages.start(rank_, task, now, engine.cause(slot));
  if (context_.observer) context_.observer->operation_started(rank_, task, now);
  if (task.kind == Task::Kind::collective)
    enter_collective(slot, task, operation);
  else
    port_.issue(slot, operation);
}

bool RankSequencer::gathers(std::uint32_t slot, TimePs now) const {
  return host_.gathers(rank_, *running_.at(slot).collective.record, now);
}

/// Enters all programs of the collective: one, or those of a stream's controllers.
void RankSequencer::enter_collective(std::uint32_t slot, const Task& task, Operation& operation) {
  const TimePs now = context_.machine.wafer().scheduler.now();
  const auto entry = context_.collectives.enter(rank_, task, now, engine.cause(slot));
  CollectiveRecord& record = *entry.record;
  // While others are told of it, more may enter.
  const bool is_first = record.entered == 1, is_last = record.entered == record.group_size;
  Running& running = running_[slot];
  running.collective = entry;
  running.open = record.programs.size();
  for (std::size_t p = 0; p < record.programs.size(); ++p) {
    operation.collective_id = record.operation_id(p);
    operation.program = record.programs[p];
    const Group& group = operation.program->group;
    operation.rank = entry.position;
    if (record.io_stream)  // its ranks are others: the controller, and NPUs of no rank
      operation.rank =
          static_cast<std::uint32_t>(std::find(group.begin(), group.end(), npus_[rank_]) - group.begin());
    port_.issue(slot, operation,
                context_.functional
                    ? initial_values(*operation.program, operation.collective_id, operation.rank)
                    : std::vector<std::byte>());
  }
  host_.collective_entered(rank_, record, is_first, now);
  if (record.io_stream && is_last) host_.stream_complete(record);
}

void RankSequencer::require_right_values(const Operation& operation,
                                         const std::vector<std::byte>& data) const {
  const CollectiveProgram& program =
      context_.machine.wafer().fabric().done_program(*operation.program, operation.collective_id);
  if (result_ranges(program, operation.rank).empty()) return;
  const std::string wrong = wrong_value(program, operation.collective_id, operation.rank, data);
  if (!wrong.empty()) throw std::runtime_error("wrong value: " + wrong);
}

void RankSequencer::leave_collective(CollectiveRecord& record, TaskEnd& end) {
  if (!record.io_stream) {
    const CollectiveProgram& planned = *record.programs.front();
    const CollectiveProgram& program =
        context_.machine.wafer().fabric().done_program(planned, record.operation_id(0));
    if (&program != &planned) record.algorithm = decomposed_name(program);
  }
  if (const Sampling* const sampling = context_.machine.sampling())
    for (std::size_t p = 0; p < record.programs.size(); ++p)
      record.half_width_ps =
          std::max(record.half_width_ps, sampling->collective_half_width_ps(record.operation_id(p)));
  CollectiveRegistry::explain(record, end);
  context_.collectives.leave(record, end.run.end_ps);
  if (context_.observer && record.left == record.group_size) context_.observer->collective_ended(record);
}

void RankSequencer::operation_done(std::uint64_t token, const Operation& operation,
                                   const std::vector<std::byte>& data) {
  if ((token & kRelay) != 0) return host_.relayed(token & ~kRelay, operation, data);
  const auto slot = static_cast<std::uint32_t>(token);
  Running& running = running_.at(slot);
  const bool is_collective = running.task->kind == Task::Kind::collective;
  if (is_collective && context_.functional) require_right_values(operation, data);
  running.start_ps = std::min(running.start_ps, operation.start_ps);
  if (--running.open != 0) return;
  const CollectiveRecord* const record = running.collective.record;
  if (is_collective && record->io_stream && record->type == CollectiveType::reduce && !record->is_out) return;
  finish(slot, running.start_ps, operation.end_ps);
}

void RankSequencer::stream_is_out(const CollectiveRecord& record, TimePs now) {
  for (const auto& [slot, running] : running_)
    if (running.collective.record == &record) {
      if (running.open == 0) finish(slot, running.start_ps, now);
      return;
    }
}

/// Of units side by side the first that is still busy says since when, and why not earlier.
void RankSequencer::account_computation(TimePs start_ps, TimePs end_ps, CauseRef cause) {
  --computing_;
  if (computing_ > 0)
    for (const auto& [slot, running] : running_)
      if (running.task->kind == Task::Kind::compute && running.issued_ps < start_ps) {
        start_ps = running.issued_ps;
        cause = engine.cause(slot);
      }
  account.computed(start_ps, end_ps, cause);
}

void RankSequencer::finish(std::uint32_t slot, TimePs start_ps, TimePs end_ps) {
  const Running running = running_.extract(slot).mapped();
  const Task& task = *running.task;
  TaskEnd end;
  end.run.start_ps = start_ps;
  end.run.end_ps = end_ps;
  end.run.category = context_.categories.of(task);
  end.cause = engine.cause(slot);
  if (context_.observer) context_.observer->operation_ended(rank_, task, start_ps, end_ps);
  if (task.kind == Task::Kind::collective) leave_collective(*running.collective.record, end);
  if (task.kind == Task::Kind::receive) context_.messages.explain_receive(rank_, task, end);
  if (task.kind == Task::Kind::compute) account_computation(start_ps, end_ps, end.cause);
  engine.done(slot, std::move(end), end_ps);
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
      for (const std::uint32_t rank : absent)
        text += fmt::format("{}{}", text.empty() ? "rank " : ", ", rank);
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
          fmt::format("rank {} to send (tag {})", under_way.peer, under_way.tag), {under_way.peer}, wanted};
    }
  }
  return {};
}

}  // namespace wafertlm
