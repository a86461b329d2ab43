// SPDX-License-Identifier: Apache-2.0
// Predictions against the steps of the programs themselves, where nothing is shared: with links so fast that
// only latencies count, and with memories so slow that only their bytes count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <tuple>

#include "tests/unit/workloads/collectives/test_wafer.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {
namespace {

using Random = std::mt19937_64;

/// When the last rank of a program is done if a message takes its head's latency and nothing else takes time.
class LatencyRun {
 public:
  LatencyRun(const CollectiveProgram& program, const Topology& topology)
      : program_(program), topology_(topology) {
    for (std::uint32_t rank = 0; rank < program.group.size(); ++rank)
      for (std::uint32_t tb = 0; tb < program.ranks[rank]->threadblocks(); ++tb) done_[{rank, tb}];
  }

  TimePs end_ps() {
    for (bool moved = true; moved;) {
      moved = false;
      for (auto& [at, done] : done_)
        while (done.size() < program_.ranks[at.first]->steps(at.second) && advance(at, done)) moved = true;
    }
    TimePs end = 0;
    for (const auto& [at, done] : done_) {
      EXPECT_EQ(done.size(), program_.ranks[at.first]->steps(at.second));
      if (!done.empty()) end = std::max(end, done.back());
    }
    return end;
  }

 private:
  using Threadblock = std::pair<std::uint32_t, std::uint32_t>;

  /// Does the next step of a threadblock if what it waits for has happened.
  bool advance(const Threadblock& at, std::vector<TimePs>& done) {
    const Step step = program_.ranks[at.first]->step(at.second, static_cast<std::uint32_t>(done.size()));
    EXPECT_FALSE(step.nonblocking || step.is_local());
    TimePs time = done.empty() ? 0 : done.back();
    if (step.after_threadblock != Step::kNone && step.after_count > 0) {
      const auto& other = done_.at({at.first, step.after_threadblock});
      if (other.size() < step.after_count) return false;
      time = std::max(time, other[step.after_count - 1]);
    }
    if (step.kind == Step::Kind::send) {
      const NpuId from = program_.group[at.first], to = program_.group[step.peer];
      arrived_[{at.first, step.peer, step.tag}] = time + topology_.head_latency_ps(from, to);
    } else {
      const auto message = arrived_.find({step.peer, at.first, step.tag});
      if (step.bytes != 0) {
        if (message == arrived_.end()) return false;
        time = std::max(time, message->second);
      }
    }
    done.push_back(time);
    return true;
  }

  const CollectiveProgram& program_;
  const Topology& topology_;
  std::map<Threadblock, std::vector<TimePs>> done_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, TimePs> arrived_;
};

/// 20 ns per hop; the rates let a packet through in less than a picosecond.
FabricTraits fast_wafer(std::uint32_t width, std::uint32_t height) {
  MeshParams mesh;
  mesh.width = width;
  mesh.height = height;
  mesh.link_bytes_per_s = mesh.injection_bytes_per_s = mesh.ejection_bytes_per_s = 1'000'000'000'000'000'000;
  mesh.link_latency_ps = 20'000;
  FabricTraits traits;
  traits.topology = std::make_shared<MeshTopology>(mesh);
  return traits;
}

TimePs predicted(const CollectiveProgram& program, const CollectiveRequest& request,
                 const FabricTraits& fabric) {
  return cost_of(program, request, fabric).predicted_ps;
}

// The rings of any groups: a step is done when the one before is done at the rank before it, so the slowest
// stretch of the ring decides.
TEST(IdleSteps, RingsTakeTheirSlowestStretch) {
  Random random(11);
  int uneven = 0;
  for (int number = 0; number < 400; ++number) {
    const auto width = static_cast<std::uint32_t>(2 + random() % 4),
               height = static_cast<std::uint32_t>(1 + random() % 4);
    const FabricTraits wafer = fast_wafer(width, height);
    CollectiveRequest request;
    request.type = std::array{CollectiveType::all_reduce, CollectiveType::all_gather,
                              CollectiveType::reduce_scatter}[random() % 3];
    request.group = test::random_group(random, width * height);
    if (request.group.size() < 2) continue;
    request.bytes = 64 * request.group.size();
    request.algorithm = "ring";
    request.chunks = 1;
    const auto program = plan_collective(request, wafer);
    const auto exact = static_cast<double>(LatencyRun(*program, *wafer.topology).end_ps());
    EXPECT_NEAR(static_cast<double>(predicted(*program, request, wafer)), exact, 200.0)
        << to_string(request.type) << " of " << request.group.size() << " on " << width << "x" << height;
    const std::uint64_t steps =
        (request.type == CollectiveType::all_reduce ? 2 : 1) * (request.group.size() - 1);
    if (exact > static_cast<double>(steps) * 20'000.0) ++uneven;
  }
  EXPECT_GT(uneven, 100);  // rings with edges of several hops
}

/// Bytes that a rank of a program reads and writes: a send reads what it sends, a copy writes, a reduction
/// reads both parts and writes their sum.
struct Traffic {
  std::uint64_t read = 0, written = 0;
};
Traffic traffic_of(const StepSource& rank) {
  Traffic traffic;
  for (std::uint32_t tb = 0; tb < rank.threadblocks(); ++tb)
    for (std::uint32_t i = 0; i < rank.steps(tb); ++i) {
      const Step step = rank.step(tb, i);
      traffic.read += step.bytes * (step.kind == Step::Kind::send     ? 1
                                    : step.kind == Step::Kind::reduce ? 2
                                                                      : 0);
      traffic.written += step.bytes * (step.kind == Step::Kind::send ? 0 : 1);
    }
  return traffic;
}

// No rank's memory can be done before it has read and written what its program says.
TEST(IdleSteps, MemoriesTakeTheirBytes) {
  FabricTraits wafer = fast_wafer(4, 4);
  wafer.memory.chunk_bytes = 4096;
  const std::uint64_t bytes = 16 * 1'000'000;
  double worst = 0;
  std::string which;
  for (const auto& [read, write] :
       {std::pair{200'000'000'000ULL, 200'000'000'000ULL}, std::pair{100'000'000'000ULL, 900'000'000'000ULL},
        std::pair{900'000'000'000ULL, 100'000'000'000ULL}}) {
    wafer.memory.read_bytes_per_s = read;
    wafer.memory.write_bytes_per_s = write;
    for (const CollectiveType type :
         {CollectiveType::all_reduce, CollectiveType::reduce_scatter, CollectiveType::all_gather,
          CollectiveType::all_to_all, CollectiveType::broadcast, CollectiveType::reduce})
      for (const std::string& algorithm : algorithms_for(type, test::first_npus(16), wafer)) {
        const CollectiveRequest request{type, test::first_npus(16), bytes, algorithm, 16, 0};
        const auto program = plan_collective(request, wafer);
        double exact = 0;
        for (const auto& rank : program->ranks) {
          const Traffic traffic = traffic_of(*rank);
          exact = std::max({exact, 1e12 * static_cast<double>(traffic.read) / static_cast<double>(read),
                            1e12 * static_cast<double>(traffic.written) / static_cast<double>(write)});
        }
        const double ratio = static_cast<double>(predicted(*program, request, wafer)) / exact;
        EXPECT_LE(ratio, 1.25) << to_string(type) << " as " << algorithm;
        EXPECT_GE(ratio, 0.999) << to_string(type) << " as " << algorithm;
        if (ratio > worst) {
          worst = ratio;
          which = std::string(to_string(type)) + " as " + algorithm;
        }
      }
  }
  std::printf("the longest prediction is %.2f of what the busiest memory takes: %s\n", worst, which.c_str());
}

}  // namespace
}  // namespace wafertlm
