// SPDX-License-Identifier: Apache-2.0
// Where the time went: graphs drawn by hand, and random ones against the rules written down in Python.
#include "workloads/sequencer/time_account.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/fake_job.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_nodes.h"

namespace wafertlm::test {
namespace {

using Parts = std::map<std::string, TimePs>;
using Nodes = std::vector<chakra::Node>;

TEST(TimeAccount, CommunicationBehindComputeIsExposedOnlyWhereNothingComputes) {
  // compute  |1 10|2      25|          |4 40|
  // dp            |3             35|        : 15 of 25 hidden
  const Nodes rank{compute(1, 10), compute(2, 15, {1}), all_reduce(3, 25, {1}), compute(4, 5, {2, 3})};
  FakeJob job({rank, rank});
  EXPECT_EQ(job.run(), 40U);
  for (const std::uint32_t each : {0U, 1U})
    EXPECT_EQ(job.breakdown(each), (Parts{{"compute", 30}, {"dp", 10}}));
}

TEST(TimeAccount, AWaitForALateRankIsWhatThatRankDid) {
  // rank 0  |1 10|  waits  |2: 50 … 70|3 75|      rank 1  |1           50|2 70|3 75|
  FakeJob job({{compute(1, 10), all_reduce(2, 20, {1}), compute(3, 5, {2})},
               {compute(1, 50), all_reduce(2, 20, {1}), compute(3, 5, {2})}});
  EXPECT_EQ(job.run(), 75U);
  EXPECT_EQ(job.breakdown(0), (Parts{{"compute", 15}, {"dp", 20}, {"idle", 40}}));
  EXPECT_EQ(job.breakdown(1), (Parts{{"compute", 55}, {"dp", 20}}));
}

TEST(TimeAccount, AReceiveWaitsForWhatHeldUpItsSender) {
  // rank 1 loads for 30 and then sends for 8; rank 0 has waited from the start
  FakeJob job({{receive(1, 1, 7), compute(2, 5, {1})}, {load(1, 30), send(2, 0, 7, 8, {1})}});
  EXPECT_EQ(job.run(), 43U);
  EXPECT_EQ(job.breakdown(0), (Parts{{"memory", 30}, {"pp", 8}, {"compute", 5}}));
  EXPECT_EQ(job.breakdown(1), (Parts{{"memory", 30}, {"pp", 8}, {"bubble", 5}}));
}

TEST(TimeAccount, TheWalkCrossesThreeRanks) {
  // rank 2 computes to 100 and sends to 110; rank 1 enters then; the all-reduce ends at 150
  FakeJob job({{compute(1, 20), all_reduce(2, 40, {1}), compute(3, 7, {2})},
               {receive(1, 2, 0), all_reduce(2, 40, {1})},
               {compute(1, 100), send(2, 1, 0, 10, {1}), all_reduce(3, 40, {1})}});
  EXPECT_EQ(job.run(), 157U);
  EXPECT_EQ(job.breakdown(0), (Parts{{"compute", 27}, {"dp", 40}, {"pp", 10}, {"bubble", 80}}));
  EXPECT_EQ(job.breakdown(1), (Parts{{"dp", 40}, {"pp", 10}, {"bubble", 107}}));
  EXPECT_EQ(job.breakdown(2), (Parts{{"compute", 100}, {"dp", 40}, {"pp", 10}, {"bubble", 7}}));
}

TEST(TimeAccount, TheLastToFinishIsTheCauseAndTheCpuCounts) {
  // The receive (30) ends after the CPU's work (12): it alone explains the wait; then 5 of CPU are left.
  FakeJob job({{cpu(1, 12), receive(2, 1, 0), compute(3, 4, {1, 2}), cpu(4, 5, {3})}, {send(1, 0, 0, 30)}});
  EXPECT_EQ(job.run(), 39U);
  EXPECT_EQ(job.breakdown(0), (Parts{{"compute", 4}, {"pp", 30}, {"cpu", 5}}));
}

// The host enqueues a collective: that is work of its CPU, and nothing computes meanwhile.
TEST(TimeAccount, ALaunchIsWorkOfTheCpuAndNoComputation) {
  chakra::Node launch = all_reduce(1, 12);
  launch.comm_type.reset();
  ASSERT_TRUE(launch.is_launch());
  FakeJob job({{launch, compute(2, 4, {1})}});
  EXPECT_EQ(job.run(), 16U);
  EXPECT_EQ(job.breakdown(0), (Parts{{"compute", 4}, {"cpu", 12}}));
}

TEST(TimeAccount, AQueueIsChargedToWhatIsInFront) {
  // Both all-reduces are ready at 0: the second one runs from 10 to 40.
  const Nodes rank{all_reduce(1, 10), all_reduce(2, 30), compute(3, 5, {2})};
  FakeJob job({rank, rank});
  EXPECT_EQ(job.run(), 45U);
  EXPECT_EQ(job.breakdown(0), (Parts{{"dp", 40}, {"compute", 5}}));
}

TEST(TimeAccount, NothingIsKeptThatExplainsNothing) {
  // A fork of 1000: in the end each rank keeps its last chain only.
  Nodes rank{compute(0, 10)};
  for (std::uint64_t id = 1; id <= 1000; ++id) rank.push_back(cpu(id, 1, {0}));
  rank.push_back(all_reduce(2000, 5, {1000}));
  FakeJob job({rank, rank});
  job.run();
  EXPECT_LT(job.causes.high_water(), 2100U);
  EXPECT_GT(job.causes.size(), 0U);
}

// GPipe (Huang et al. 2019): of p equal stages and m microbatches each waits (p - 1) of m + p - 1 parts.
TEST(TimeAccount, ThePipelinesBubbleIsThatOfGPipe) {
  constexpr std::uint32_t kForward = 10, kBackward = 20;
  for (const std::uint32_t p : {2U, 3U, 5U})
    for (const std::uint32_t m : {1U, 4U, 7U}) {
      std::vector<Nodes> stages(p);
      for (std::uint32_t s = 0; s < p; ++s) {
        std::uint64_t id = 1, before = 0;
        // A microbatch: from one neighbour (if there is one) over this stage to the other.
        const auto pass = [&](std::uint32_t time, std::uint32_t from, std::uint32_t to, std::uint32_t tag) {
          Nodes& nodes = stages[s];
          Parents after;
          if (before != 0) after.push_back(before);
          if (from < p) {
            nodes.push_back(receive(id, from, tag));
            after.push_back(id++);
          }
          nodes.push_back(compute(id, time, after));
          before = id++;
          if (to < p) nodes.push_back(send(id++, to, tag, 0, {before}));
        };
        for (std::uint32_t k = 0; k < m; ++k) pass(kForward, s - 1, s + 1, k);
        for (std::uint32_t k = 0; k < m; ++k) pass(kBackward, s + 1, s - 1, m + k);
      }
      FakeJob job(stages);
      EXPECT_EQ(job.run(), (m + p - 1) * (kForward + kBackward));
      for (std::uint32_t s = 0; s < p; ++s)
        EXPECT_EQ(job.breakdown(s), (Parts{{"compute", m * (kForward + kBackward)},
                                           {"bubble", (p - 1) * (kForward + kBackward)}}))
            << p << " stages, " << m << " microbatches, stage " << s;
    }
}

/// A job without deadlocks: nodes are made in one order for all ranks, parents come earlier.
class RandomJob {
 public:
  explicit RandomJob(std::mt19937_64& random) : random_(random), ranks_(1 + random() % 4) {
    const std::size_t steps = 5 + random() % 25;
    for (std::size_t step = 0; step < steps; ++step) add_step();
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
      add(rank, compute(next_id_++, duration(), parents(rank)), "compute");
  }
  std::vector<Nodes> nodes() const { return ranks_; }
  std::string text() const { return json_.dump(); }

 private:
  std::uint64_t duration() { return 1 + random_() % 1'000'000'000; }
  Parents parents(std::uint32_t rank) {
    Parents list;
    if (ranks_[rank].empty()) return list;
    for (std::size_t i = 0; i < random_() % 4; ++i)
      list.push_back(ranks_[rank][random_() % ranks_[rank].size()].id);
    return list;
  }
  void add(std::uint32_t rank, const chakra::Node& node, const std::string& kind) {
    while (json_.size() < ranks_.size()) json_.push_back(nlohmann::json::array());
    nlohmann::json entry = {
        {"id", node.id}, {"kind", kind}, {"duration", node.duration_ps}, {"parents", node.data_deps}};
    if (kind == "send") entry["peer"] = *node.comm_dst;
    if (kind == "receive") entry["peer"] = *node.comm_src;
    if (node.comm_tag) entry["tag"] = *node.comm_tag;
    json_[rank].push_back(entry);
    ranks_[rank].push_back(node);
  }
  void add_step() {
    const auto rank = static_cast<std::uint32_t>(random_() % ranks_.size());
    const auto other = static_cast<std::uint32_t>(random_() % ranks_.size());
    switch (random_() % 7) {
      case 0:
        if (ranks_.size() == 1) return;
        all_time_ = duration();
        for (std::uint32_t each = 0; each < ranks_.size(); ++each)
          add(each, all_reduce(next_id_++, all_time_, parents(each)), "collective");
        return;
      case 1:
      case 2: {
        if (rank == other) return;
        const std::uint32_t tag = tag_++;
        add(rank, send(next_id_++, other, tag, duration(), parents(rank)), "send");
        add(other, receive(next_id_++, rank, tag, parents(other)), "receive");
        return;
      }
      case 3:
        return add(rank, cpu(next_id_++, duration(), parents(rank)), "cpu");
      case 4:
        return add(rank, load(next_id_++, duration(), parents(rank)), "load");
      case 5:
        return add(rank, store(next_id_++, duration(), parents(rank)), "store");
      default:
        return add(rank, compute(next_id_++, duration(), parents(rank)), "compute");
    }
  }

  std::mt19937_64& random_;
  std::vector<Nodes> ranks_;
  nlohmann::json json_ = nlohmann::json::array();
  std::uint64_t next_id_ = 0, all_time_ = 0;
  std::uint32_t tag_ = 0;
};

TEST(TimeAccount, AThousandRandomJobsAgreeWithTheRulesInPython) {
  constexpr int kJobs = 1000;
  std::mt19937_64 random(11);
  std::vector<std::vector<Nodes>> jobs;
  std::string text;
  for (int i = 0; i < kJobs; ++i) {
    const RandomJob job(random);
    jobs.push_back(job.nodes());
    text += job.text() + "\n";
  }
  const TempFolder folder;
  const std::string command = "python3 '" WAFERTLM_SOURCE_DIR
                              "/tests/unit/workloads/sequencer/time_account.py' '" +
                              folder.write("jobs", text) + "' > '" + folder.path() + "/answers'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream answers(folder.path() + "/answers");
  std::string line;
  std::map<std::string, TimePs> all;
  for (int i = 0; i < kJobs; ++i) {
    ASSERT_TRUE(std::getline(answers, line)) << i;
    const auto expected = nlohmann::json::parse(line);
    FakeJob job(jobs[static_cast<std::size_t>(i)]);
    const TimePs end = job.run();
    ASSERT_EQ(end, expected["end"].get<TimePs>()) << i;
    for (std::uint32_t rank = 0; rank < expected["ranks"].size(); ++rank) {
      const Parts parts = job.breakdown(rank);
      ASSERT_EQ(parts, expected["ranks"][rank].get<Parts>()) << "job " << i << " rank " << rank;
      TimePs sum = 0;
      for (const auto& [name, time] : parts) {
        sum += time;
        all[name] += time;
      }
      ASSERT_EQ(sum, end);
    }
  }
  EXPECT_EQ(all.size(), 7U);  // compute, idle, memory, bubble, cpu, dp and pp were met
}

}  // namespace
}  // namespace wafertlm::test
