// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_job.h"

#include <algorithm>

#include "models/mesh/mesh_topology.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::test {

class FakeJob::Rank final : public SequencerHost {
 public:
  Rank(FakeJob& job, std::uint32_t number, std::vector<chakra::Node> nodes, const SequencerOptions& options)
      : job_(job),
        number_(number),
        has_messages_(std::any_of(nodes.begin(), nodes.end(),
                                  [](const chakra::Node& node) {
                                    return node.type == chakra::NodeType::CommSend ||
                                           node.type == chakra::NodeType::CommRecv;
                                  })),
        source_("rank " + std::to_string(number), std::move(nodes)),
        engine(number, source_, job.groups_, job.causes, *this, options),
        account(job.causes, [&job, number](const TimeSegment& part) { job.time_.add(number, part); }) {}

  void finish(TimePs at_ps) { account.finish(at_ps, engine.last(), has_messages_); }

 private:
  struct Running {
    Task task;
    TimePs start_ps = 0;
    CollectiveRecord* record = nullptr;
    std::uint64_t tag = 0;
  };

  void start(std::uint32_t slot, const Task& task) override {
    started.push_back(task.id);
    Running& running = running_[slot] = {task, job_.now_, nullptr, 0};
    switch (task.kind) {
      case Task::Kind::collective: {
        running.record = job_.collectives_.enter(number_, task, job_.now_, engine.cause(slot)).record;
        job_.partners_[running.record][number_] = task.id;
        auto& inside = job_.inside_[running.record];
        inside.emplace_back(number_, slot);
        if (inside.size() == running.record->group_size)
          for (const auto& [rank, its] : inside) job_.end_at(job_.now_ + task.duration_ps, rank, its);
        if (inside.size() == 1)
          for (std::uint32_t rank = 0; rank < job_.ranks_.size(); ++rank)
            if (rank != number_) job_.ranks_[rank]->engine.awaited(task.group_number, task.number, job_.now_);
        break;
      }
      case Task::Kind::send: {
        running.tag = job_.messages_.start(number_, task, job_.now_, engine.cause(slot));
        const TimePs arrival = job_.now_ + task.duration_ps;
        job_.end_at(arrival, number_, slot);
        const std::tuple key{number_, task.peer, running.tag};
        job_.arrival_[key] = arrival;
        if (const auto waiting = job_.receiving_.find(key); waiting != job_.receiving_.end())
          job_.end_at(arrival, waiting->second.first, waiting->second.second);
        break;
      }
      case Task::Kind::receive: {
        running.tag = job_.messages_.start(number_, task, job_.now_, engine.cause(slot));
        const std::tuple key{task.peer, number_, running.tag};
        job_.receiving_[key] = {number_, slot};
        if (const auto sent = job_.arrival_.find(key); sent != job_.arrival_.end())
          job_.end_at(std::max(sent->second, job_.now_), number_, slot);
        break;
      }
      default:
        job_.end_at(job_.now_ + task.duration_ps, number_, slot);
    }
  }
  void iteration_done(std::uint32_t, TimePs now) override { end_ps = now; }
  bool gathers(std::uint32_t slot, TimePs now) const override {
    return running_.at(slot).record->gathers(now);
  }

 public:
  void ended(std::uint32_t slot) {
    const Running running = running_.extract(slot).mapped();
    TaskEnd end;
    end.run.start_ps = running.start_ps;
    end.run.end_ps = job_.now_;
    end.run.category = job_.categories_.of(running.task);
    end.cause = engine.cause(slot);
    if (running.record) {
      CollectiveRegistry::explain(*running.record, end);
      job_.collectives_.leave(*running.record, job_.now_);
    }
    if (running.task.kind == Task::Kind::receive) job_.messages_.explain_receive(number_, running.task, end);
    if (running.task.kind == Task::Kind::compute) account.computed(running.start_ps, job_.now_, end.cause);
    engine.done(slot, std::move(end), job_.now_);
  }

 private:
  FakeJob& job_;
  std::uint32_t number_;
  const bool has_messages_;
  chakra::VectorSource source_;

 public:
  SequencerEngine engine;
  TimeAccount account;
  TimePs end_ps = 0;
  std::vector<std::uint64_t> started;

 private:
  std::map<std::uint32_t, Running> running_;
};

namespace {
constexpr std::uint32_t kManyIterations = 1'000'000;  // more than a test has
}  // namespace

FakeJob::FakeJob(std::vector<std::vector<chakra::Node>> ranks, const SequencerOptions& options, bool numbered)
    : groups_(static_cast<std::uint32_t>(ranks.size())),
      collectives_(groups_, fabric_,
                   [](CollectiveType type, const std::string&, const std::vector<std::uint32_t>& members,
                      std::uint64_t bytes) {
                     CollectiveRequest request{type, {}, bytes, "", 1};
                     for (const std::uint32_t rank : members)
                       request.group.push_back(static_cast<NpuId>(rank));
                     return request;
                   }),
      time_(static_cast<std::uint32_t>(ranks.size()), ListedIterations(kManyIterations, true)) {
  MeshParams mesh;
  mesh.width = static_cast<std::uint32_t>(ranks.size());
  mesh.height = 1;
  mesh.link_bytes_per_s = mesh.injection_bytes_per_s = mesh.ejection_bytes_per_s = 1'000'000'000'000;
  mesh.link_latency_ps = 0;
  fabric_.topology = std::make_shared<MeshTopology>(mesh);
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    SequencerOptions its = options;
    chakra::VectorSource source("rank", ranks[rank]);
    if (numbered) its.numbers = chakra::validate(source, rank, groups_).numbers;
    ranks_.push_back(std::make_unique<Rank>(*this, rank, std::move(ranks[rank]), its));
  }
}

FakeJob::~FakeJob() = default;

TimePs FakeJob::run() {
  for (const auto& rank : ranks_) rank->engine.start_iteration(0);
  while (!ends_.empty()) {
    const End first = *ends_.begin();
    ends_.erase(ends_.begin());
    now_ = first.end_ps;
    ranks_[first.rank]->ended(first.slot);
  }
  for (const auto& rank : ranks_) rank->finish(now_);
  return now_;
}

std::map<std::string, TimePs> FakeJob::breakdown(std::uint32_t rank) const {
  std::map<std::string, TimePs> parts;
  for (std::uint8_t category = 0; category < categories_.size(); ++category)
    if (const TimePs sum = time_.sum(rank, 0, category); sum != 0) parts[categories_.name(category)] = sum;
  return parts;
}

const std::vector<std::uint64_t>& FakeJob::started(std::uint32_t rank) const { return ranks_[rank]->started; }
const SequencerEngine& FakeJob::engine(std::uint32_t rank) const { return ranks_[rank]->engine; }

std::vector<std::vector<std::uint64_t>> FakeJob::partners() const {
  std::vector<std::vector<std::uint64_t>> all;
  for (const auto& [record, nodes] : partners_) {
    std::vector<std::uint64_t>& list = all.emplace_back();
    for (const auto& [rank, node] : nodes) list.push_back(node);
  }
  std::sort(all.begin(), all.end());
  return all;
}

TimePs FakeJob::accounted_ps() const {
  TimePs least = kNever;
  for (const auto& rank : ranks_) least = std::min(least, rank->account.covered_ps());
  return least;
}

}  // namespace wafertlm::test
