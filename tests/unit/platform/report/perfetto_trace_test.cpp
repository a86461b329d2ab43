// SPDX-License-Identifier: Apache-2.0
// What the trace for Perfetto says of operations, links and memories that it was told of.
#include "platform/report/perfetto_trace.h"
#include "platform/machine/machine.h"
#include "platform/machine/machine_links.h"
#include "platform/run/job.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "platform/spec/load.h"
#include "tests/support/perfetto_file.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

using test::PerfettoFile;
using Texts = std::vector<std::string>;

/// Four ranks on NPUs 4, 0, 7 and 2 of a 5x4 mesh.
class PerfettoTraces : public testing::Test {
 protected:
  PerfettoTraces()
      : machine(config::load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml", {})) {
    for (const std::uint32_t npu : {4U, 0U, 7U, 2U}) {
      job.npus.push_back(static_cast<NpuId>(npu));
      job.ranks.push_back(std::make_unique<chakra::VectorSource>("rank", std::vector<chakra::Node>()));
    }
  }
  PerfettoFile written(const std::vector<std::string>& filter,
                       const std::function<void(PerfettoTrace&)>& happen, TimePs end_ps = 10'000'000) const {
    const std::string path = folder.path() + "/trace";
    PerfettoTrace trace(path, filter, machine, job, observables);
    happen(trace);
    trace.finish(end_ps);
    return PerfettoFile(path);
  }

  test::TempFolder folder;
  Machine machine;
  MachineObservables observables{machine};
  Job job{chakra::CommGroups(4), {}, {}, chakra::Dependencies::all, {}};
};

Task make(std::uint64_t id, Task::Kind kind, const std::string& name, const std::string& traffic_class = "") {
  Task task;
  task.id = id;
  task.kind = kind;
  task.name = name;
  task.traffic_class = traffic_class;
  task.bytes = 100 * id;
  return task;
}

void run(PerfettoTrace& trace, std::uint32_t rank, const Task& task, TimePs start_ps, TimePs end_ps) {
  trace.operation_started(rank, task, start_ps);
  trace.operation_ended(rank, task, start_ps, end_ps);
}

TEST_F(PerfettoTraces, OperationsThatOverlapAreInLanesOfTheirKind) {
  const Task a = make(1, Task::Kind::compute, "a"), b = make(2, Task::Kind::compute, "b"),
             c = make(3, Task::Kind::compute, "c"), d = make(4, Task::Kind::compute, "d"),
             e = make(5, Task::Kind::compute, "e");
  const PerfettoFile file = written({"npu4", "npu7"}, [&](PerfettoTrace& trace) {
    trace.operation_started(0, a, 0);
    trace.operation_started(0, b, 500);
    trace.operation_started(0, c, 600);
    trace.operation_ended(0, b, 1500, 3700);
    trace.operation_started(0, d, 4000);  // in the lane of b
    trace.operation_ended(0, a, 0, 5000);
    trace.operation_ended(0, d, 4000, 6000);
    trace.operation_ended(0, c, 600, 7000);
    trace.operation_started(0, e, 8000);  // all are free: the first
    trace.operation_ended(0, e, 8000, 9000);
    run(trace, 1, make(9, Task::Kind::compute, "nobody looks"), 0, 1000);
    run(trace, 2, make(6, Task::Kind::cpu, "on CPU"), 0, 1000);
    run(trace, 2, make(7, Task::Kind::memory_load, "load"), 0, 2000);
    run(trace, 2, make(8, Task::Kind::collective, "sum", "dp"), 0, 3000);
  });
  EXPECT_EQ(file.tracks, (Texts{"npu4 (rank 0)", "npu4 (rank 0)/where the time goes", "npu7 (rank 2)",
                                "npu7 (rank 2)/where the time goes", "links",
                                "links/npu4 packets waiting to leave [packets]",
                                "links/npu7 packets waiting to leave [packets]", "npu4 (rank 0)/compute",
                                "npu4 (rank 0)/compute (2)", "npu4 (rank 0)/compute (3)", "npu7 (rank 2)/cpu",
                                "npu7 (rank 2)/memory", "npu7 (rank 2)/dp", "run"}));
  EXPECT_EQ(
      file.slice_texts(),
      (Texts{"npu4 (rank 0)/compute (2): b (compute) 1500+2200", "npu4 (rank 0)/compute: a (compute) 0+5000",
             "npu4 (rank 0)/compute (2): d (compute) 4000+2000",
             "npu4 (rank 0)/compute (3): c (compute) 600+6400",
             "npu4 (rank 0)/compute: e (compute) 8000+1000", "npu7 (rank 2)/cpu: on CPU (cpu) 0+1000",
             "npu7 (rank 2)/memory: load (memory) 0+2000", "npu7 (rank 2)/dp: sum (dp) 0+3000"}));
  const PerfettoFile::Slice& b_slice = file.slices.front();
  EXPECT_EQ(b_slice.begin_ns, 1U);  // rounded down
  EXPECT_EQ(b_slice.end_ns, 3U);
  EXPECT_EQ(b_slice.annotations.at("node"), 2U);
  EXPECT_EQ(b_slice.annotations.at("bytes"), 200U);
  EXPECT_EQ(file.end_ns, 10'000U);
}

// The first of a kind of process brings it along.
TEST_F(PerfettoTraces, CountersOfWhatIsWanted) {
  const PerfettoFile file = written({"router1->router2", "npu3", "hbm_2", "hbm_7"}, [](PerfettoTrace& trace) {
    EXPECT_TRUE(trace.wants_links());
    EXPECT_TRUE(trace.wants_memories());
  });
  EXPECT_EQ(file.tracks, (Texts{"links", "links/router1->router2 utilisation [%]",
                                "links/npu3 packets waiting to leave [packets]", "memories",
                                "memories/hbm_2 read [GB/s]", "memories/hbm_2 written [GB/s]",
                                "memories/hbm_7 read [GB/s]", "memories/hbm_7 written [GB/s]", "run"}));
  written({"router*"}, [](PerfettoTrace& trace) {
    EXPECT_TRUE(trace.wants_links());
    EXPECT_FALSE(trace.wants_memories());
  });
  written({"hbm_*"}, [](PerfettoTrace& trace) {
    EXPECT_FALSE(trace.wants_links());
    EXPECT_TRUE(trace.wants_memories());
  });
}

TEST_F(PerfettoTraces, AnArrowJoinsASendAndItsReceive) {
  const auto message = [](std::uint64_t id, Task::Kind kind, std::uint32_t peer, std::uint32_t tag,
                          std::uint64_t number) {
    Task task = make(id, kind, "message", "pp");
    task.peer = peer;
    task.tag = tag;
    task.number = number;
    return task;
  };
  const PerfettoFile file = written({"npu*"}, [&](PerfettoTrace& trace) {
    std::uint64_t id = 0;
    TimePs at = 0;
    for (const auto& [from, to, tag, number] : {std::tuple{0U, 1U, 5U, 3U},
                                                {1U, 0U, 5U, 3U},
                                                {0U, 1U, 3U, 5U},
                                                {0U, 1U, 5U, 4U},
                                                {0U, 2U, 5U, 3U}}) {
      run(trace, from, message(id++, Task::Kind::send, to, tag, number), at, at + 1000);
      run(trace, to, message(id++, Task::Kind::receive, from, tag, number), at, at + 2000);
      at += 2000;
    }
  });
  std::set<std::uint64_t> flows;
  ASSERT_EQ(file.slices.size(), 10U);
  for (std::size_t i = 0; i < file.slices.size(); i += 2) {
    const auto &send = file.slices[i], &receive = file.slices[i + 1];
    ASSERT_EQ(send.leaves.size(), 1U);
    EXPECT_TRUE(send.arrives.empty() && receive.leaves.empty());
    EXPECT_EQ(receive.arrives, send.leaves);
    flows.insert(send.leaves.front());
  }
  EXPECT_EQ(flows.size(), 5U) << "each message has its own";
  EXPECT_EQ(file.at_end.at("flows"), 10U);
}

TEST_F(PerfettoTraces, AnArrowGoesAlongTheRanksOfACollective) {
  const PerfettoFile file = written({"npu*"}, [&](PerfettoTrace& trace) {
    for (const auto& [group, number] : {std::pair{"a", 1U}, {"a", 2U}, {"b", 1U}})
      for (const std::uint32_t rank : {0U, 3U}) {
        Task task = make(10 * rank + number, Task::Kind::collective, group, "dp");
        task.group = group;
        task.number = number;
        run(trace, rank, task, 0, 1000);
      }
    run(trace, 0, make(99, Task::Kind::compute, "alone"), 0, 1000);
  });
  ASSERT_EQ(file.slices.size(), 7U);
  std::set<std::uint64_t> flows;
  for (std::size_t i = 0; i < 6; i += 2) {
    ASSERT_EQ(file.slices[i].leaves.size(), 1U);
    EXPECT_TRUE(file.slices[i].arrives.empty());
    EXPECT_EQ(file.slices[i].leaves, file.slices[i + 1].leaves);
    flows.insert(file.slices[i].leaves.front());
  }
  EXPECT_EQ(flows.size(), 3U);
  EXPECT_TRUE(file.slices[6].leaves.empty() && file.slices[6].arrives.empty());
}

// Of a gap the last stretch is told first; in the file they are in the order of time.
TEST_F(PerfettoTraces, WhereTheTimeGoesIsInOrder) {
  const auto spend = [](PerfettoTrace& trace) {
    trace.time_spent(0, 0, 1000, "compute");
    trace.time_spent(0, 5000, 6000, "compute");
    trace.time_spent(0, 2000, 5000, "dp");
    trace.time_spent(3, 0, 7000, "idle");  // another rank
    trace.time_spent(0, 1000, 2000, "idle");
    trace.time_spent(0, 6000, 7000, "idle");
  };
  EXPECT_EQ(written({"npu4"}, spend).slice_texts(),
            (Texts{"npu4 (rank 0)/where the time goes: compute (time) 0+1000",
                   "npu4 (rank 0)/where the time goes: idle (time) 1000+1000",
                   "npu4 (rank 0)/where the time goes: dp (time) 2000+3000",
                   "npu4 (rank 0)/where the time goes: compute (time) 5000+1000",
                   "npu4 (rank 0)/where the time goes: idle (time) 6000+1000"}));
  EXPECT_EQ(written({"npu*@idle:6ns-8ns"}, spend).slice_texts(),
            (Texts{"npu2 (rank 3)/where the time goes: idle (time) 0+7000",
                   "npu4 (rank 0)/where the time goes: idle (time) 6000+1000"}));
}

TEST_F(PerfettoTraces, OperationsOfAClassOrAWindowOnly) {
  const auto happen = [](PerfettoTrace& trace) {
    run(trace, 0, make(1, Task::Kind::compute, "a"), 0, 2000);
    run(trace, 0, make(2, Task::Kind::collective, "b", "dp"), 2000, 3000);
    run(trace, 0, make(3, Task::Kind::collective, "c", "mp"), 3000, 6000);
  };
  EXPECT_EQ(written({"npu4@dp"}, happen).slice_texts(), (Texts{"npu4 (rank 0)/dp: b (dp) 2000+1000"}));
  EXPECT_EQ(written({"npu4@compute", "npu4@mp"}, happen).slice_texts(),
            (Texts{"npu4 (rank 0)/compute: a (compute) 0+2000", "npu4 (rank 0)/mp: c (mp) 3000+3000"}));
  EXPECT_EQ(written({"npu4:4ns-5ns"}, happen).slice_texts(), (Texts{"npu4 (rank 0)/mp: c (mp) 3000+3000"}));
}

/// Spread over microseconds by hand; at most one long each.
struct Moved {
  TimePs from_ps, to_ps;
  double amount;
};
double in_bucket(const std::vector<Moved>& all, TimePs bucket) {
  constexpr TimePs kWidth = 1'000'000;
  double sum = 0;
  for (const Moved& each : all) {
    const TimePs from = std::max(each.from_ps, bucket * kWidth),
                 to = std::min(each.to_ps, (bucket + 1) * kWidth);
    if (from < to)
      sum += each.amount * static_cast<double>(to - from) / static_cast<double>(each.to_ps - each.from_ps);
  }
  return sum;
}
void expect_sums(const PerfettoFile::Counter& counter, const std::vector<Moved>& all, double unit) {
  double before = 0;
  for (const auto& [ns, value] : counter) {
    EXPECT_EQ(ns % 1000, 0U);
    EXPECT_NE(value, before) << "only what changes is written";
    before = value;
  }
  for (TimePs bucket = 0; bucket < 60; ++bucket)
    EXPECT_NEAR(test::value_at(counter, bucket * 1000), in_bucket(all, bucket) * unit, 1e-6) << bucket;
}

// A part of a bucket's time in percent; bytes of a bucket as GB/s.
TEST_F(PerfettoTraces, CountersAreSumsOfMicroseconds) {
  const std::vector<MachineLink> links = machine_links(machine);
  const auto link = std::find_if(links.begin(), links.end(),
                                 [](const MachineLink& each) { return each.name == "router1->router2"; });
  ASSERT_NE(link, links.end());
  std::mt19937_64 random(7);
  for (int run = 0; run < 30; ++run) {
    std::vector<Moved> busy, read, written_bytes;
    const PerfettoFile file = written(
        {"router1->router2", "hbm_2"},
        [&](PerfettoTrace& trace) {
          TimePs at = 0;
          const auto next = [&](std::vector<Moved>& list) -> Moved& {
            // Some gaps are long, some packets follow each other, some end with their microsecond.
            at += random() % 3 == 0 ? 0 : random() % (random() % 4 == 0 ? 5'000'000 : 300'000);
            TimePs end = at + 1 + random() % 1'000'000;
            if (random() % 4 == 0) end = at + 1'000'000 - at % 1'000'000;
            return list.emplace_back(Moved{at, end, static_cast<double>(1 + random() % 100'000)});
          };
          for (int i = 0; i < 40 && at < 45'000'000; ++i) {
            Moved& packet = next(busy);
            packet.amount = static_cast<double>(packet.to_ps - packet.from_ps);
            trace.sent(link->from, link->output, Packet{}, packet.from_ps, packet.to_ps);
            at = packet.to_ps;  // a link sends one after the other
          }
          for (auto* list : {&read, &written_bytes}) {
            at = 0;
            for (int i = 0; i < 40 && at < 45'000'000; ++i) {
              const Moved& access = next(*list);
              trace.moved(2, list == &written_bytes, static_cast<std::uint64_t>(access.amount),
                          access.from_ps, access.to_ps);
            }
          }
          trace.moved(3, true, 1000, 0, 1000);  // nobody looks
          trace.sent(links[0].from, links[0].output, Packet{}, 0, 1000);
        },
        50'000'000);
    EXPECT_EQ(file.counters.size(), 3U);
    expect_sums(file.counters.at("router1->router2 utilisation"), busy, 1e-4);
    expect_sums(file.counters.at("hbm_2 read"), read, 1e-3);
    expect_sums(file.counters.at("hbm_2 written"), written_bytes, 1e-3);
    ASSERT_FALSE(HasFailure()) << run;
  }
}

TEST_F(PerfettoTraces, CountersOfAWindow) {
  const PerfettoFile file = written({"hbm_2:2us-4us"}, [](PerfettoTrace& trace) {
    for (TimePs at = 0; at < 8; ++at)
      trace.moved(2, false, 1000 * (at + 1), at * 1'000'000, at * 1'000'000 + 10);
  });
  // The microsecond that ends as the window begins is of interest, too.
  EXPECT_EQ(file.counters.at("hbm_2 read"), (PerfettoFile::Counter{{1000, 2}, {2000, 3}, {3000, 4}}));
  EXPECT_EQ(file.at_end.at("counters"), 3U);
  EXPECT_EQ(file.at_end.at("slices"), 0U);
}

TEST_F(PerfettoTraces, NamesAndClassesThatAFilterMayHave) {
  const auto problem = [&](const std::string& part) -> std::string {
    try {
      require_instances({part}, machine, job);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  for (const char* part : {"npu4@compute", "npu7@idle", "npu2@cpu", "npu0@dp", "npu4@weights",
                           "router3->router4", "router0->npu0", "npu19->router19", "hbm_19", "npu19"})
    EXPECT_EQ(problem(part), "none");
  for (const char* part : {"npu20", "hbm_20", "router0->router2"})
    EXPECT_EQ(problem(part).substr(0, problem(part).find("';")),
              std::string("--trace: nothing is called '") + part);
  EXPECT_EQ(problem("npu4@pp2"),
            "--trace: there is no class 'pp2'; there are compute, cpu, bubble, idle, mp, ep, pp, dp, input, "
            "weights, "
            "memory, control");
}

}  // namespace
}  // namespace wafertlm
