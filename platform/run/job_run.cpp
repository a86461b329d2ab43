// SPDX-License-Identifier: Apache-2.0
#include "platform/run/job_run.h"

#include <algorithm>
#include <stdexcept>

#include "platform/command/ranges.h"
#include "tlm/operation/operation_port.h"
#include "workloads/collectives/proof.h"

namespace wafertlm {

/// One rank's sequencer: its engine, its port, and the collectives it is in.
class JobRun::Rank final : public SequencerHost, public OperationListener {
 public:
  Rank(JobRun& job, std::uint32_t number, const std::vector<Task>& tasks)
      : engine(tasks, *this),
        job_(job),
        number_(number),
        port_(("sequencer_" + std::to_string(number)).c_str(), *this) {
    job.machine_.attach(port_, static_cast<NpuId>(number));
    for (const Task& task : tasks)
      if (!task.traffic_class.empty())
        classes_.emplace(task.traffic_class, job.machine_.wafer().classes.find(task.traffic_class));
  }

  SequencerEngine engine;

 private:
  void start(std::uint32_t run, const Task& task) override {
    Operation operation;
    std::vector<std::byte> data;
    if (!task.traffic_class.empty()) operation.traffic_class = classes_.at(task.traffic_class);
    operation.duration_ps = task.duration_ps;
    operation.bytes = task.bytes;
    operation.peer = static_cast<NpuId>(task.peer);
    operation.tag = task.tag;
    switch (task.kind) {
      case Task::Kind::cpu:
        operation.on_cpu = true;
        break;
      case Task::Kind::compute:
      case Task::Kind::none:
        break;
      case Task::Kind::send:
        operation.kind = Operation::Kind::send;
        break;
      case Task::Kind::receive:
        operation.kind = Operation::Kind::receive;
        break;
      case Task::Kind::memory_load:
        operation.kind = Operation::Kind::memory_load;
        break;
      case Task::Kind::memory_store:
        operation.kind = Operation::Kind::memory_store;
        break;
      case Task::Kind::collective: {
        const auto entry = job_.registry_.enter(number_, task, job_.machine_.wafer().scheduler.now());
        operation.kind = Operation::Kind::collective;
        operation.collective_id = entry.record->id;
        operation.rank = entry.position;
        operation.program = entry.record->program;
        entered_.emplace(run, entry);
        if (job_.functional_)
          data = initial_values(*operation.program, operation.collective_id, operation.rank);
        break;
      }
    }
    port_.issue(run, operation, std::move(data));
  }

  void operation_done(std::uint64_t token, const Operation& operation,
                      const std::vector<std::byte>& data) override {
    const auto run = static_cast<std::uint32_t>(token);
    if (operation.kind == Operation::Kind::collective) {
      const auto entry = entered_.extract(run).mapped();
      if (job_.functional_) {
        const std::string wrong =
            wrong_value(*entry.record->program, operation.collective_id, operation.rank, data);
        if (!wrong.empty()) throw std::runtime_error("wrong value: " + wrong);
      }
      job_.registry_.leave(*entry.record, operation.end_ps);
    }
    engine.done(run, operation.start_ps, operation.end_ps);
  }

  void iteration_done(std::uint32_t iteration, TimePs now) override {
    job_.iteration_done(number_, iteration, now);
  }

  JobRun& job_;
  std::uint32_t number_;
  OperationPort port_;
  std::map<std::string, ClassId> classes_;
  std::map<std::uint32_t, CollectiveRegistry::Entry> entered_;  // by run
};

JobRun::JobRun(Machine& machine, const Job& job, const config::ExperimentSpec& experiment)
    : machine_(machine),
      job_(job),
      iteration_count_(experiment.iterations),
      barrier_(experiment.barrier),
      functional_(experiment.platform.run.functional),
      registry_(job.groups, machine.traits(),
                [spec = experiment.platform.collectives, data_type = experiment.platform.run.data_type](
                    CollectiveType type, Group group, std::uint64_t bytes) {
                  CollectiveRequest request;
                  request.type = type;
                  request.group = std::move(group);
                  request.bytes = bytes;
                  request.algorithm = platform_algorithm(spec, type);
                  request.chunks = spec.requested_chunks();
                  request.data_type = data_type;
                  return request;
                }),
      iteration_end_(experiment.iterations),
      ranks_done_(experiment.iterations),
      last_rank_(experiment.iterations) {
  std::vector<NpuId> used;
  for (std::uint32_t rank = 0; rank < job.size(); ++rank) used.push_back(static_cast<NpuId>(rank));
  machine.wafer().mesh.require_routes(used);
  for (std::uint32_t rank = 0; rank < job.size(); ++rank)
    ranks_.push_back(std::make_unique<Rank>(*this, rank, job.ranks[rank]));
  for (std::uint32_t npu = job.size(); npu < machine.wafer().endpoints(); ++npu) {
    unused_.push_back(
        std::make_unique<OperationPort>(("sequencer_" + std::to_string(npu)).c_str(), *ranks_.front()));
    machine.attach(*unused_.back(), static_cast<NpuId>(npu));
  }
}

JobRun::~JobRun() = default;

void JobRun::iteration_done(std::uint32_t rank, std::uint32_t iteration, TimePs now) {
  if (ranks_done_[iteration] == 0 || now > iteration_end_[iteration] ||
      (now == iteration_end_[iteration] && rank < last_rank_[iteration])) {
    iteration_end_[iteration] = now;
    last_rank_[iteration] = rank;
  }
  const bool all_done = ++ranks_done_[iteration] == ranks_.size();
  if (iteration + 1 == iteration_count_) return;
  if (!barrier_)
    ranks_[rank]->engine.start_iteration(now);
  else if (all_done)
    for (const auto& each : ranks_) each->engine.start_iteration(now);
}

std::vector<std::string> JobRun::waiting() const {
  std::vector<std::string> lines = registry_.unfinished();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    for (const std::string& line : ranks_[rank]->engine.waiting())
      lines.push_back("rank " + std::to_string(rank) + ": " + line);
  return lines;
}

std::uint64_t JobRun::finished() const {
  std::uint64_t sum = 0;
  for (const auto& rank : ranks_) sum += rank->engine.finished();
  return sum;
}

void JobRun::run(const std::function<void(TimePs, std::uint64_t, std::uint64_t)>& progress) {
  std::uint64_t all = 0;
  for (const auto& tasks : job_.ranks) all += tasks.size() * iteration_count_;
  simulate(
      machine_,
      [&] {
        for (const auto& rank : ranks_) rank->engine.start_iteration(0);
      },
      [&] { return ranks_done_.back() == ranks_.size(); },
      [&](TimePs now) {
        if (progress) progress(now, finished(), all);
      },
      [&] { return waiting(); });
  if (end_ps() == 0)
    throw std::runtime_error("the workload took no time at all: no node has a duration and nothing was sent");
  for (const CollectiveRecord* record : collectives())
    if (record->end_ps - record->first_entry_ps < record->cost.bound_ps)
      throw std::runtime_error("collective " + std::to_string(record->id) + " (\"" + record->name +
                               "\") took " + std::to_string(record->end_ps - record->first_entry_ps) +
                               " ps, less than its bound of " + std::to_string(record->cost.bound_ps) +
                               " ps: this is a fault of the model, please report it");
}

std::vector<TimeSegment> JobRun::segments(std::uint32_t rank) const {
  return account_time(ranks_[rank]->engine, end_ps());
}

std::vector<IterationResult> JobRun::iterations() const {
  std::vector<IterationResult> results(iteration_count_);
  for (std::uint32_t k = 0; k < iteration_count_; ++k) {
    results[k].start_ps = k == 0 ? 0 : iteration_end_[k - 1];
    results[k].end_ps = iteration_end_[k];
    results[k].last_rank = last_rank_[k];
  }
  std::vector<std::map<std::string, std::uint32_t>> seen(iteration_count_);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::vector<TimeSegment> of_rank = segments(rank);
    for (std::uint32_t k = 0; k < iteration_count_; ++k) {
      IterationResult& result = results[k];
      const auto parts = breakdown(of_rank, result.start_ps, result.end_ps);
      if (rank == result.last_rank) result.last = parts;
      for (const auto& [category, time] : parts) {
        const auto [least, is_new] = result.least.try_emplace(category, time);
        least->second = std::min(least->second, time);
        result.most[category] = std::max(result.most[category], time);
        result.mean[category] += static_cast<double>(time) / static_cast<double>(ranks_.size());
        ++seen[k][category];
      }
    }
  }
  for (std::uint32_t k = 0; k < iteration_count_; ++k)
    for (const auto& [category, count] : seen[k])
      if (count < ranks_.size()) results[k].least[category] = 0;
  return results;
}

}  // namespace wafertlm
