// SPDX-License-Identifier: Apache-2.0
#include "platform/run/predicted_run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "models/npu/compute_engine.h"
#include "platform/machine/machine.h"
#include "platform/run/collective_planner.h"
#include "workloads/sequencer/message_registry.h"

namespace wafertlm {
namespace {

class PredictedRun;

class PredictedRank final : public SequencerHost {
 public:
  PredictedRank(PredictedRun& run, std::uint32_t rank, const SequencerOptions& options);
  void ended(std::uint32_t slot);
  /// By one of its units, in all iterations.
  TimePs most_computed_ps() const {
    TimePs most = 0;
    for (const auto& [unit, time] : computed_) most = std::max(most, time);
    return most;
  }

 private:
  struct Running {
    const Task* task = nullptr;
    TimePs start_ps = 0;
    CollectiveRecord* record = nullptr;
  };
  void start(std::uint32_t slot, const Task& task) override;
  void iteration_done(std::uint32_t iteration, TimePs now) override;
  bool gathers(std::uint32_t slot, TimePs now) const override {
    return running_.at(slot).record->gathers(now);
  }
  void enter(std::uint32_t slot, const Task& task);

  PredictedRun& run_;
  std::uint32_t rank_;
  ComputeEngine compute_;
  HbmEngineParams memory_;
  std::map<std::uint32_t, TimePs> computed_;  // by unit
  std::map<std::uint32_t, Running> running_;

 public:
  SequencerEngine engine;
};

/// The ranks of a job, and when what they do ends.
class PredictedRun {
 public:
  PredictedRun(const config::ExperimentSpec& experiment, const Job& job)
      : experiment_(experiment),
        job_(job),
        fabric_(platform_traits(experiment.platform)),
        collectives_(job.groups, fabric_, collective_planner(job, experiment)),
        ends_(experiment.iterations, 0),
        done_(experiment.iterations, 0) {
    if (experiment.platform.remote_memory) throw std::invalid_argument("remote memory is not predicted");
    for (std::uint32_t rank = 0; rank < job.size(); ++rank)
      ranks_.push_back(std::make_unique<PredictedRank>(
          *this, rank,
          SequencerOptions{experiment.platform.sequencer, job.dependencies, job.summaries[rank].missing,
                           job.summaries[rank].numbers}));
    causes_.bound(kCausesKept, [this] { return now_; });
  }

  PredictedIteration run() {
    for (const auto& rank : ranks_) rank->engine.start_iteration(0);
    while (!events_.empty()) {
      const End end = events_.top();
      events_.pop();
      now_ = end.at_ps;
      ranks_[end.rank]->ended(end.slot);
    }
    if (done_.back() != ranks_.size()) throw std::invalid_argument("its ranks wait for each other for ever");
    found_.time_ps = ends_.back() - (ends_.size() < 2 ? 0 : ends_[ends_.size() - 2]);
    for (const auto& rank : ranks_)
      found_.compute_ps = std::max(found_.compute_ps, rank->most_computed_ps() / experiment_.iterations);
    return found_;
  }

 private:
  friend class PredictedRank;
  static constexpr std::size_t kCausesKept = std::size_t{1} << 16;
  struct End {
    TimePs at_ps;
    std::uint64_t order;
    std::uint32_t rank, slot;
    bool operator>(const End& other) const {
      return std::tie(at_ps, order) > std::tie(other.at_ps, other.order);
    }
  };
  using Message = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // from, to, tag
  struct Arrival {
    bool is_sent = false, is_awaited = false;
    TimePs at_ps = 0;
    std::uint32_t slot = 0;  // of the receive
  };

  void end_at(TimePs at_ps, std::uint32_t rank, std::uint32_t slot) {
    events_.push({at_ps, order_++, rank, slot});
  }
  TimePs latency_ps(std::uint32_t from, std::uint32_t to) const {
    return fabric_.latency_ps(job_.npus[from], job_.npus[to]);
  }
  TimePs message_ps(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const {
    const std::uint64_t wire = fabric_.topology->path_bytes_per_s(job_.npus[from], job_.npus[to]);
    return latency_ps(from, to) + (wire == 0 ? 0 : transfer_time_ps(bytes, wire));
  }
  /// A message has both its sides: the receive ends when it is there.
  void arrive(const Message& message) {
    const Arrival& arrival = messages_under_way_.at(message);
    if (!arrival.is_sent || !arrival.is_awaited) return;
    end_at(std::max(now_, arrival.at_ps), std::get<1>(message), arrival.slot);
    messages_under_way_.erase(message);
  }
  void iteration_done(std::uint32_t rank, std::uint32_t iteration, TimePs now) {
    ends_[iteration] = now;
    const bool all = ++done_[iteration] == ranks_.size();
    if (iteration + 1 == experiment_.iterations) return;
    if (!experiment_.barrier) return ranks_[rank]->engine.start_iteration(now);
    if (!all) return;
    for (const auto& each : ranks_) each->engine.start_iteration(now);
  }

  const config::ExperimentSpec& experiment_;
  const Job& job_;
  FabricTraits fabric_;
  CauseLog causes_;
  CollectiveRegistry collectives_;
  MessageRegistry messages_;
  std::vector<std::unique_ptr<PredictedRank>> ranks_;
  std::priority_queue<End, std::vector<End>, std::greater<>> events_;
  std::map<const CollectiveRecord*, std::vector<std::pair<std::uint32_t, std::uint32_t>>> inside_;
  std::map<Message, Arrival> messages_under_way_;
  std::vector<TimePs> ends_;
  std::vector<std::size_t> done_;
  PredictedIteration found_;
  std::uint64_t order_ = 0;
  TimePs now_ = 0;
};

PredictedRank::PredictedRank(PredictedRun& run, std::uint32_t rank, const SequencerOptions& options)
    : run_(run),
      rank_(rank),
      compute_(compute_params(run.experiment_.platform, run.job_.npus[rank])),
      memory_(hbm_params(run.experiment_.platform, run.job_.npus[rank]).timing),
      engine(rank, *run.job_.ranks[rank], run.job_.groups, run.causes_, *this, options) {}

void PredictedRank::enter(std::uint32_t slot, const Task& task) {
  if (task.io_stream) throw std::invalid_argument("streams through I/O controllers are not predicted");
  CollectiveRecord& record = *run_.collectives_.enter(rank_, task, run_.now_, engine.cause(slot)).record;
  const bool is_first = record.entered == 1, is_last = record.entered == record.group_size;
  running_[slot].record = &record;
  run_.found_.bound_ps = std::max(run_.found_.bound_ps, record.cost.bound_ps);
  auto& inside = run_.inside_[&record];
  inside.emplace_back(rank_, slot);
  if (is_last)
    for (const auto& [rank, its] : inside) run_.end_at(run_.now_ + record.cost.predicted_ps, rank, its);
  if (is_last) run_.inside_.erase(&record);
  if (!is_first) return;
  // While others are told of it, more may enter.
  for (const std::uint32_t other : run_.job_.groups.ranks(record.group))
    if (other != rank_) run_.ranks_[other]->engine.awaited(task.group_number, task.number, run_.now_);
}

void PredictedRank::start(std::uint32_t slot, const Task& task) {
  running_[slot] = {&task, run_.now_, nullptr};
  const auto end_after = [&](TimePs time) { run_.end_at(run_.now_ + time, rank_, slot); };
  switch (task.kind) {
    case Task::Kind::compute: {
      const TimePs time = compute_.duration({task.operations, task.bytes, task.duration_ps, task.products});
      computed_[task.unit] += time;
      return end_after(time);
    }
    case Task::Kind::cpu:
      return end_after(compute_.cpu_duration(task.duration_ps));
    case Task::Kind::collective:
      return enter(slot, task);
    case Task::Kind::send: {
      const std::uint64_t tag = run_.messages_.start(rank_, task, run_.now_, engine.cause(slot));
      const PredictedRun::Message message{rank_, task.peer, tag};
      auto& arrival = run_.messages_under_way_[message];
      arrival.is_sent = true;
      arrival.at_ps = run_.now_ + run_.message_ps(rank_, task.peer, task.bytes);
      end_after(arrival.at_ps - run_.now_ - run_.latency_ps(rank_, task.peer));
      return run_.arrive(message);
    }
    case Task::Kind::receive: {
      const std::uint64_t tag = run_.messages_.start(rank_, task, run_.now_, engine.cause(slot));
      const PredictedRun::Message message{task.peer, rank_, tag};
      auto& arrival = run_.messages_under_way_[message];
      arrival.is_awaited = true;
      arrival.slot = slot;
      return run_.arrive(message);
    }
    case Task::Kind::memory_load:
      return end_after(memory_.latency_ps + transfer_time_ps(task.bytes, memory_.read_bandwidth_bytes_per_s));
    case Task::Kind::memory_store:
      return end_after(memory_.latency_ps +
                       transfer_time_ps(task.bytes, memory_.write_bandwidth_bytes_per_s));
    case Task::Kind::none:
      return end_after(0);
  }
}

void PredictedRank::iteration_done(std::uint32_t iteration, TimePs now) {
  run_.iteration_done(rank_, iteration, now);
}

void PredictedRank::ended(std::uint32_t slot) {
  const Running running = running_.extract(slot).mapped();
  TaskEnd end;
  end.run.start_ps = running.start_ps;
  end.run.end_ps = run_.now_;
  end.cause = engine.cause(slot);
  if (running.record != nullptr) {
    CollectiveRegistry::explain(*running.record, end);
    run_.collectives_.leave(*running.record, run_.now_);
  }
  if (running.task->kind == Task::Kind::receive) run_.messages_.explain_receive(rank_, *running.task, end);
  engine.done(slot, std::move(end), run_.now_);
}

}  // namespace

PredictedIteration predict_iteration(const config::ExperimentSpec& experiment, const Job& job) {
  return PredictedRun(experiment, job).run();
}

}  // namespace wafertlm
