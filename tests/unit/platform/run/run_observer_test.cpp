// SPDX-License-Identifier: Apache-2.0
// The contract of the recording hooks.
#include "platform/run/run_observer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "platform/machine/machine.h"
#include "platform/run/job.h"
#include "platform/run/job_run.h"
#include "platform/spec/load.h"
#include "tests/support/trace_nodes.h"
#include "tests/system/trace_runs.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::test {
namespace {

constexpr std::uint32_t kIterations = 2;

struct Recorder : RunObserver {
  void operation_started(std::uint32_t rank, const Task& task, TimePs now) override {
    in_order(now);
    EXPECT_TRUE(open.emplace(std::pair(rank, task.id), now).second);
    ++started[{rank, task.id}];
  }
  void operation_ended(std::uint32_t rank, const Task& task, TimePs start_ps, TimePs end_ps) override {
    in_order(end_ps);
    const auto begun = open.extract(std::pair(rank, task.id));
    ASSERT_TRUE(begun);
    EXPECT_LE(begun.mapped(), start_ps);
    EXPECT_LE(start_ps, end_ps);
    ++ended[{rank, task.id}];
    if (task.kind == Task::Kind::collective) ++left[task.number];
  }
  void collective_ended(const CollectiveRecord& record) override {
    EXPECT_EQ(record.end_ps, latest);
    EXPECT_EQ(record.left, record.group_size);
    EXPECT_EQ(left[record.sequence], record.group_size) << "after the last operation_ended";
    ids.push_back(record.id);
  }
  void time_spent(std::uint32_t rank, TimePs from_ps, TimePs to_ps, const std::string& category) override {
    EXPECT_LT(from_ps, to_ps);
    stretches[rank].emplace_back(from_ps, to_ps);
    sums[rank][category] += to_ps - from_ps;
  }
  void in_order(TimePs now) {
    EXPECT_GE(now, latest);
    latest = now;
  }

  TimePs latest = 0;
  std::map<std::pair<std::uint32_t, std::uint64_t>, TimePs> open;
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> started, ended;
  std::map<std::uint64_t, std::uint32_t> left;
  std::vector<std::uint64_t> ids;
  std::map<std::uint32_t, std::vector<std::pair<TimePs, TimePs>>> stretches;
  std::map<std::uint32_t, std::map<std::string, TimePs>> sums;
};

TEST(RunObserver, IsToldEverythingOnceInTheOrderOfTimeAndChangesNothing) {
  const TempFolder folder;
  for (const std::uint32_t rank : {0U, 1U}) {
    chakra::Node metadata = compute(9, 0);
    metadata.type = chakra::NodeType::Metadata;
    std::vector<chakra::Node> nodes{metadata,
                                    compute(1, 500'000 * (rank + 1)),
                                    cpu(2, 100'000),
                                    all_reduce(3, 0, {1}, 4096),
                                    load(4, 0, {2}),
                                    compute(5, 300'000, {3, 4}),
                                    all_reduce(7, 0, {1}, 8192)};
    nodes.push_back(rank == 0 ? send(6, 1, 0, 0, {5}) : receive(6, 0, 0, {5}));
    chakra::VectorSource source("rank", nodes);
    chakra::write_trace(source, folder.path() + "/job." + std::to_string(rank) + ".et");
  }
  const std::string workload = "chakra: " + folder.path() + "/job";
  ToolResult result;
  const auto without = run_traces(folder, "wafer_mesh_5x4", workload, "--set iterations=2", result);
  ASSERT_EQ(result.exit_code, 0) << result.error;

  const auto experiment =
      config::load_experiment(trace_experiment(folder, "wafer_mesh_5x4", workload), {"iterations=2"});
  const Job job = load_job(experiment);
  Machine machine(experiment.platform);
  JobRun run(machine, job, experiment);
  Recorder recorder;
  run.observe(recorder);
  std::uint64_t done = 0;
  run.run([&](TimePs now, std::uint64_t finished, std::uint64_t all) {
    EXPECT_GT(now, 0U);
    EXPECT_EQ(all, 2U * 8 * kIterations) << "nodes of both ranks";
    EXPECT_GE(finished, done);
    done = finished;
  });
  EXPECT_EQ(done, 2U * 8 * kIterations);

  EXPECT_TRUE(recorder.open.empty());
  EXPECT_EQ(recorder.started, recorder.ended);
  EXPECT_EQ(recorder.started.size(), 2 * 7U) << "all but the METADATA nodes";
  for (const auto& [task, count] : recorder.started) EXPECT_EQ(count, kIterations);
  EXPECT_EQ(recorder.ids.size(), 2U * kIterations);
  EXPECT_EQ(std::set<std::uint64_t>(recorder.ids.begin(), recorder.ids.end()).size(), recorder.ids.size());
  for (auto& [rank, list] : recorder.stretches) {
    std::sort(list.begin(), list.end());
    TimePs covered = 0;
    for (const auto& [from, to] : list) {
      EXPECT_EQ(from, covered);
      covered = to;
    }
    EXPECT_EQ(covered, run.end_ps());
    std::map<std::string, TimePs> sums;
    for (std::uint32_t k = 0; k < kIterations; ++k)
      for (const auto& [part, time] : run.breakdown(rank, k)) sums[part] += time;
    EXPECT_EQ(recorder.sums[rank], sums);
  }
  EXPECT_EQ(recorder.latest, run.end_ps());

  const auto iterations = run.iterations();
  for (std::uint32_t k = 0; k < kIterations; ++k) {
    const auto& told = without["iterations"][k];
    EXPECT_EQ(told["time_ps"], iterations[k].end_ps - iterations[k].start_ps);
    ASSERT_EQ(told["ranks"].size(), 2U);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      EXPECT_EQ(told["ranks"][rank]["rank"], rank);
      EXPECT_EQ((told["ranks"][rank]["breakdown_ps"].get<std::map<std::string, TimePs>>()),
                run.breakdown(rank, k));
      TimePs sum = 0;
      for (const auto& [part, time] : told["ranks"][rank]["breakdown_ps"].items()) sum += time.get<TimePs>();
      EXPECT_EQ(told["time_ps"], sum);
      EXPECT_DOUBLE_EQ(told["ranks"][rank]["time_s"].get<double>(), told["time_s"].get<double>());
      EXPECT_LE(told["ranks"][rank]["done_s"].get<double>(), told["end_s"].get<double>());
    }
  }
  const std::string csv = read_text(folder.path() + "/out/breakdown.csv");
  EXPECT_NE(csv.find("\n1,0,\"compute\","), std::string::npos) << csv;
}

}  // namespace
}  // namespace wafertlm::test
