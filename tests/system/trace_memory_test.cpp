// SPDX-License-Identifier: Apache-2.0
// What a million nodes cost: memory above the start, and the processor's seconds (other work on the machine
// does not count), the best or the median of interleaved runs.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <deque>
#include <utility>

#include "tests/support/fake_job.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/et_reader.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/validate.h"
#include "workloads/sequencer/sequencer_engine.h"

namespace wafertlm::test {
namespace {

/// Makes nodes without holding them: a chain, or independent ones.
class ManyNodes : public chakra::NodeSource {
 public:
  ManyNodes(std::uint64_t nodes, bool chain) : nodes_(nodes), chain_(chain) {}
  bool next(chakra::Node& node) override {
    if (id_ == nodes_) return false;
    node = compute(id_, 1000, chain_ && id_ > 0 ? Parents{id_ - 1} : Parents{});
    ++id_;
    return true;
  }
  void rewind() override { id_ = 0; }
  const std::string& name() const override { return name_; }

 private:
  std::uint64_t nodes_, id_ = 0;
  bool chain_;
  std::string name_ = "many";
};

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Ends every task at once.
struct InstantHost : SequencerHost {
  void start(std::uint32_t slot, const Task&) override { slots.push_back(slot); }
  void iteration_done(std::uint32_t, TimePs) override {}
  bool gathers(std::uint32_t, TimePs) const override { return false; }
  std::deque<std::uint32_t> slots;
};

double seconds_to_sequence(std::uint64_t nodes, bool chain) {
  ManyNodes source(nodes, chain);
  const chakra::CommGroups groups(1);
  CauseLog causes;
  InstantHost host;
  SequencerEngine engine(0, source, groups, causes, host);
  TimePs now = 0;
  causes.bound(10'000, [&now] { return now; });
  const double start = cpu_seconds();
  engine.start_iteration(0);
  while (!host.slots.empty()) {
    const std::uint32_t slot = host.slots.front();
    host.slots.pop_front();
    TaskEnd end;
    end.run.start_ps = now;
    end.run.end_ps = now += 1000;
    end.cause = engine.cause(slot);
    engine.done(slot, std::move(end), now);
  }
  EXPECT_EQ(engine.finished(), nodes);
  return cpu_seconds() - start;
}

long peak_kib() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(TraceMemory, ReadingAndCheckingAMillionNodesTakesLessThanFiftyMegabytes) {
  constexpr std::uint64_t kNodes = 1'000'000;
  const TempFolder folder;
  const std::string path = folder.path() + "/job.0.et";
  ManyNodes source(kNodes, true);
  chakra::write_trace(source, path);
  const long before = peak_kib();

  chakra::EtReader reader(path);
  chakra::Node node;
  double seconds = 1e9;
  for (int i = 0; i < 2; ++i) {
    reader.rewind();
    const double start = cpu_seconds();
    std::uint64_t nodes = 0;
    while (reader.next(node)) ++nodes;
    seconds = std::min(seconds, cpu_seconds() - start);
    EXPECT_EQ(nodes, kNodes);
  }
  const long read = peak_kib();
  EXPECT_EQ(chakra::validate(reader, 0, chakra::CommGroups(1)).nodes, kNodes);
  const long checked = peak_kib();
  std::printf("read %.3g nodes per second; %ld KiB to read, %ld KiB more to check\n",
              static_cast<double>(kNodes) / seconds, read - before, checked - read);
  if (kSanitized) return;  // sanitizers keep freed memory, and are slower
  EXPECT_GE(static_cast<double>(kNodes) / seconds, 1e6);
  EXPECT_LE((checked - before) * 1024, 50'000'000);
}

TEST(TraceCost, AChainAndIndependentNodesCostTheSameWithinTwoTimes) {
  constexpr std::uint64_t kNodes = 100'000;
  std::array<double, 5> chain{}, independent{};
  for (std::size_t i = 0; i < chain.size(); ++i) {
    chain[i] = seconds_to_sequence(kNodes, true);
    independent[i] = seconds_to_sequence(kNodes, false);
  }
  std::sort(chain.begin(), chain.end());
  std::sort(independent.begin(), independent.end());
  const double ratio = chain[2] / independent[2];
  std::printf("%.0f ns per node of a chain, %.0f ns of independent ones\n", chain[2] / kNodes * 1e9,
              independent[2] / kNodes * 1e9);
  EXPECT_LT(ratio, 2);
  EXPECT_GT(ratio, 0.5);
}

}  // namespace
}  // namespace wafertlm::test
