// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/bench_memory.h"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/hbm/hbm.h"
#include "models/npu/operand_stream.h"
#include "platform/commands/model/memory/memory_study.h"
#include "platform/spec/load.h"
#include "platform/spec/npu_spec.h"
#include "tests/bench/measure.h"
#include "tlm/memory/requester.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kStacks = 4;

DramParams dram() {
  DramParams params;
  params.timing = dram_timing("hbm3");
  params.map.stacks = kStacks;
  return params;
}

std::uint64_t row_visits(const DramMemory& memory) {
  std::uint64_t visits = 0;
  for (std::uint32_t c = 0; c < memory.channels(); ++c) visits += memory.time(c).row_visits;
  return visits;
}

/// Nanoseconds for each visit. The memory is as in a run; above it is a loop that asks again at each end.
double visit_ns(const ClosedLoop& loop, std::uint64_t requests) {
  std::array<double, kRepetitions> ns{};
  for (double& each : ns) {
    DramMemory memory(dram());
    const double start = cpu_seconds();
    loop.run(memory, requests);
    each = (cpu_seconds() - start) * 1e9 / static_cast<double>(row_visits(memory));
  }
  return median(ns);
}

/// The operands of an NPU, as models/npu asks for them.
class Reader : public sc_core::sc_module, private MemoryRequesterHost, private OperandHost, private Wakeable {
 public:
  Reader(const sc_core::sc_module_name& name, const OperandParams& operands, ScratchMemory& scratch,
         Scheduler& scheduler)
      : sc_module(name),
        memory("memory", {}, scratch, scheduler, *this),
        scheduler_(scheduler),
        stream_(operands, *this) {}
  MemoryRequester memory;
  void compute(std::uint64_t bytes, TimePs duration) { stream_.add(0, duration, bytes, 0); }
  std::uint64_t bytes() const { return stream_.bytes_loaded(); }

 private:
  void memory_done(std::uint64_t, bool ok) override { stream_.loaded(ok, scheduler_.now()); }
  void load_operands(std::uint64_t address, std::uint64_t bytes) override {
    memory.start(::tlm::TLM_READ_COMMAND, address, bytes, 0);
  }
  void wake_for_tile(TimePs at) override { scheduler_.schedule(at, *this, 0); }
  void wake(std::uint32_t, TimePs now) override { stream_.tile_computed(now); }
  void computed(std::uint64_t, TimePs, TimePs, bool) override {}

  Scheduler& scheduler_;
  OperandStream stream_;
};

struct Operands {
  std::uint64_t bytes_of_a_computation, tile_bytes;
  std::uint32_t computations;
  bool random;
};
struct Cost {
  double seconds, simulated_s, visits, bytes;
};

/// 20 NPUs that compute in less time than their operands take.
Cost run(const Operands& operands, const HbmParams& params) {
  Scheduler scheduler("scheduler");
  ScratchMemory scratch{};
  std::vector<std::unique_ptr<Hbm>> memories;
  std::vector<std::unique_ptr<Reader>> npus;
  for (int n = 0; n < 20; ++n) {
    memories.push_back(std::make_unique<Hbm>(("hbm_" + std::to_string(n)).c_str(), params, scheduler));
    npus.push_back(std::make_unique<Reader>(
        ("npu_" + std::to_string(n)).c_str(),
        OperandParams{operands.tile_bytes, params.capacity_bytes,
                      operands.random ? OperandOrder::random : OperandOrder::sequential, 1, 2},
        scratch, scheduler));
    npus.back()->memory.socket.bind(memories.back()->socket);
  }
  const double start = cpu_seconds();
  for (const auto& npu : npus)
    for (std::uint32_t k = 0; k < operands.computations; ++k)
      npu->compute(operands.bytes_of_a_computation, 1000);
  sc_core::sc_start();
  Cost cost{cpu_seconds() - start, sc_core::sc_time_stamp().to_seconds(), 0, 0};
  for (const auto& memory : memories)
    if (memory->dram()) cost.visits += static_cast<double>(row_visits(*memory->dram()));
  for (const auto& npu : npus) cost.bytes += static_cast<double>(npu->bytes());
  return cost;
}

}  // namespace

void print_memory() {
  constexpr std::uint64_t kSpan = std::uint64_t{1} << 34;
  fmt::print("\n{:<32} {:>12}\n", "4 x HBM3 by bursts", "ns per visit");
  const auto visits = [&](const char* name, const ClosedLoop& loop, std::uint64_t requests) {
    fmt::print("{:<32} {:>12.1f}\n", name, visit_ns(loop, requests));
  };
  visits("reads of 64 KiB in a row", {65'536, 65'536, 0, 16, kSpan, 1}, 40'000);
  visits("the same, a third writes", {65'536, 65'536, 33, 16, kSpan, 1}, 40'000);
  visits("reads of 60,000 B in a row", {60'000, 60'000, 0, 16, kSpan, 1}, 20'000);
  visits("random reads of 64 KiB", {65'536, 0, 0, 16, kSpan, 1}, 40'000);
  visits("random reads of 256 B", {256, 0, 0, 64, kSpan, 1}, 200'000);

  const DramParams burst = dram();
  HbmParams params;
  params.timing.latency_ps = 100'000;
  params.capacity_bytes = kSpan;
  const std::string table = std::string(WAFERTLM_SOURCE_DIR) + "/configs/memory/hbm3.yaml";
  fmt::print("\n{:<32} {:>8} {:>8} {:>6} {:>13} {:>13}\n", "operands of 20 NPUs", "flow, s", "burst, s",
             "ratio", "flow, TB/s", "burst, TB/s");
  const auto row = [&](const char* name, const Operands& operands) {
    std::array<double, kRepetitions> seconds[2];
    Cost last[2] = {};
    for (std::size_t k = 0; k < kRepetitions; ++k)
      for (const bool by_burst : {false, true}) {
        last[by_burst] = in_child<Cost>([&] {
          HbmParams of = params;
          if (by_burst)
            of.dram = burst;
          else
            of.flow = flow_memory_params(config::efficiency_table(config::load_efficiency(table)),
                                         burst.timing, kStacks);
          return run(operands, of);
        });
        seconds[by_burst][k] = last[by_burst].seconds;
      }
    const double flow_s = median(seconds[0]), burst_s = median(seconds[1]);
    const auto rate = [&](const Cost& cost) { return cost.bytes / 20 / cost.simulated_s * 1e-12; };
    fmt::print("{:<32} {:>8.3f} {:>8.3f} {:>6.2f} {:>13.2f} {:>13.2f}\n", name, flow_s, burst_s,
               burst_s / flow_s, rate(last[0]), rate(last[1]));
  };
  row("sequential, 64 MiB each", {64 << 20, 1 << 20, 8, false});
  row("sequential, 10,000,100 B each", {10'000'100, 1 << 20, 50, false});
  row("sequential, 1,000,001 B each", {1'000'001, 1 << 20, 200, false});
  row("sequential tiles of 60,000 B", {4'000'000, 60'000, 20, false});
  row("random tiles of 1 MiB", {64 << 20, 1 << 20, 8, true});
  row("random tiles of 4 KiB", {4 << 20, 4 << 10, 8, true});
}

}  // namespace wafertlm
