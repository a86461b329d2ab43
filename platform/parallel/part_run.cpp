// SPDX-License-Identifier: Apache-2.0
#include "platform/parallel/part_run.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "platform/machine/machine.h"
#include "platform/machine/routes.h"
#include "platform/machine/wafer.h"
#include "platform/run/collective_planner.h"
#include "platform/spec/experiment_spec.h"
#include "platform/spec/fabric_kinds.h"

namespace wafertlm {
namespace {

Wafers wafers_of(const config::ExperimentSpec& experiment) {
  return fabric_kind(experiment.platform.wafer).wafers(experiment.platform.wafer);
}

}  // namespace

PartRun::PartRun(Machine& machine, const Job& job, const config::ExperimentSpec& experiment)
    : machine_(machine),
      job_(job),
      iterations_(experiment.iterations),
      barrier_(experiment.barrier),
      collectives_(job.groups, machine.traits(), collective_planner(job, experiment)),
      context_{machine, causes_, categories_, collectives_, messages_, experiment.platform.run.functional,
               nullptr},
      news_(job.groups, wafers_of(experiment), wafers_of_ranks(job.npus, wafers_of(experiment)),
            machine.places().part, machine.wafer().scheduler,
            [this](std::uint32_t rank, std::uint32_t group, std::uint64_t number, TimePs now) {
              ranks_.at(rank)->engine.awaited(group, number, now);
            }) {
  std::vector<bool> here;
  for (const NpuId npu : job.npus) here.push_back(machine.has(npu));
  collectives_.only(here);
  messages_.only(here);
  RankHost& host = *this;
  for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
    if (!here[rank]) continue;
    nodes_ += job.summaries[rank].nodes * iterations_;
    ranks_.emplace(rank,
                   std::make_unique<RankSequencer>(context_, host, rank, job, experiment.platform.sequencer));
  }
  const std::set<NpuId> used(job.npus.begin(), job.npus.end());
  OperationListener& listener = *this;
  for (std::uint32_t n = 0; n < machine.wafer().endpoints(); ++n) {
    const auto id = static_cast<NpuId>(n);
    if (!machine.has(id) || used.count(id) != 0) continue;
    idle_.push_back(std::make_unique<OperationPort>(("unused_" + std::to_string(n)).c_str(), listener));
    machine.attach(*idle_.back(), id);
  }
  plan_collectives();
  causes_.bound(kCausesKept, [this] {
    TimePs least = kNever;
    for (const auto& [rank, sequencer] : ranks_) least = std::min(least, sequencer->account.covered_ps());
    return least;
  });
}

PartRun::~PartRun() = default;

void PartRun::plan_collectives() {
  for (const auto& [rank, sequencer] : ranks_) {
    for (const auto& [kind, collectives] : job_.summaries[rank].collective_kinds)
      collectives_.plan_ahead(make_task(collectives.first, rank, job_.groups));
    for (const std::uint32_t peer : job_.summaries[rank].sends_to)
      machine_.wafer().fabric().require_routes({job_.npus[rank], job_.npus[peer]});
  }
}

void PartRun::start() {
  for (const auto& [rank, sequencer] : ranks_) sequencer->engine.start_iteration(0);
}

void PartRun::start_iteration(TimePs at) {
  at_end_of_iteration_ = 0;
  at_barrier_ps_ = kNever;
  machine_.wafer().scheduler.schedule(at, *this, 0, Turn::operations);
}

void PartRun::wake(std::uint32_t, TimePs now) {
  for (const auto& [rank, sequencer] : ranks_) sequencer->engine.start_iteration(now);
}

void PartRun::iteration_done(std::uint32_t rank, std::uint32_t iteration, TimePs now) {
  if (iteration + 1 == iterations_) {
    ++ranks_done_;
    return;
  }
  if (!barrier_) {
    if (rank == ranks_.begin()->first) collectives_.drop(0, now, [](const CollectiveRecord&) {});
    return ranks_.at(rank)->engine.start_iteration(now);
  }
  if (++at_end_of_iteration_ != ranks_.size()) return;
  at_barrier_ps_ = now;
  machine_.wafer().scheduler.stop();
}

void PartRun::collective_entered(std::uint32_t rank, const CollectiveRecord& record, bool, TimePs now) {
  news_.entered(rank, group_of(record), record.sequence, now);
}

bool PartRun::gathers(std::uint32_t rank, const CollectiveRecord& record, TimePs now) const {
  return news_.gathers(rank, group_of(record), record.sequence, now);
}

void PartRun::stream_complete(CollectiveRecord&) {
  throw std::logic_error("streams do not go through the I/O controllers of several wafers");
}

void PartRun::relayed(std::uint64_t, const Operation&, const std::vector<std::byte>&) {
  throw std::logic_error("nothing is relayed among several wafers");
}

std::uint64_t PartRun::finished() const {
  std::uint64_t sum = 0;
  for (const auto& [rank, sequencer] : ranks_) sum += sequencer->engine.finished();
  return sum;
}

}  // namespace wafertlm
