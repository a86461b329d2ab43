// SPDX-License-Identifier: Apache-2.0
// Packet-hops per second against the raw kernel's SC_METHOD activations per second, both from this run.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <memory>
#include <systemc>

#include "models/mesh/mesh_fabric.h"
#include "models/traffic/traffic_node.h"

namespace wafertlm {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A method that wakes itself every nanosecond: the cheapest timed process there is.
class SelfTimed : public sc_core::sc_module {
 public:
  SelfTimed(const sc_core::sc_module_name& name, TimePs period_ps)
      : sc_module(name), period_(to_sc_time(period_ps)) {
    SC_HAS_PROCESS(SelfTimed);
    SC_METHOD(tick);
  }
  std::uint64_t activations = 0;

 private:
  void tick() {
    ++activations;
    next_trigger(period_);
  }
  sc_core::sc_time period_;
};

struct Uniform : DestinationSource {
  explicit Uniform(std::uint64_t nodes) : nodes_(nodes) {}
  NpuId next(NpuId, std::mt19937_64& random) const override {
    return static_cast<NpuId>(uniform_below(random, nodes_));
  }
  std::uint64_t nodes_;
};

/// One of the neighbours, each equally often.
struct Neighbor : DestinationSource {
  explicit Neighbor(const MeshGeometry& geometry) : neighbors_(geometry.npus()) {
    for (std::uint32_t n = 0; n < geometry.npus(); ++n)
      for (const Direction side : geometry.ports(static_cast<NpuId>(n)))
        if (side != Direction::local) neighbors_[n].push_back(geometry.neighbor(static_cast<NpuId>(n), side));
  }
  NpuId next(NpuId source, std::mt19937_64& random) const override {
    const std::vector<NpuId>& choices = neighbors_[index_of(source)];
    return choices[uniform_below(random, choices.size())];
  }
  std::vector<std::vector<NpuId>> neighbors_;
};

struct Counter : TrafficSink {
  void delivered(const Packet&, TimePs) override { ++packets; }
  std::uint64_t packets = 0;
};

struct Case {
  const char* name;
  std::uint32_t width, height;
  bool neighbor;
  double load;  // of the injection port
  TimePs time_ps;
};

double raw_activations_per_s(std::uint32_t methods) {
  std::deque<std::unique_ptr<SelfTimed>> ticking;
  for (std::uint32_t i = 0; i < methods; ++i)
    ticking.push_back(std::make_unique<SelfTimed>(("tick_" + std::to_string(i)).c_str(), 1000 + i * 7 % 997));
  const auto start = Clock::now();
  sc_core::sc_start(to_sc_time(3'000'000'000ULL / methods));
  const double seconds = seconds_since(start);
  std::uint64_t total = 0;
  for (const auto& method : ticking) total += method->activations;
  return static_cast<double>(total) / seconds;
}

struct Result {
  double hops_per_s, events_per_hop;
  std::uint64_t hops, in_flight;
};

Result packet_hops(const Case& c) {
  const ClassTable classes({{"data", 0, 1, 0}}, 1);
  Scheduler scheduler("scheduler");
  MeshParams params;
  params.width = c.width;
  params.height = c.height;
  params.link_bytes_per_s = 750'000'000'000;
  params.link_latency_ps = 20'000;
  params.credit_delay_ps = 20'000;
  params.injection_bytes_per_s = params.ejection_bytes_per_s = 3'000'000'000'000;
  MeshFabric mesh("mesh", params, classes, scheduler);
  PacketPool pool;
  Counter counter;
  const Uniform uniform(mesh.geometry().npus());
  const Neighbor neighbor(mesh.geometry());
  const DestinationSource& pattern = c.neighbor ? static_cast<const DestinationSource&>(neighbor) : uniform;
  std::deque<std::unique_ptr<TrafficNode>> nodes;
  for (std::uint32_t n = 0; n < mesh.geometry().npus(); ++n) {
    TrafficNodeParams node;
    node.npu = static_cast<NpuId>(n);
    node.payload_bytes = 4096;
    node.slot_ps = transfer_time_ps(4096, params.injection_bytes_per_s);
    node.packets_per_slot = c.load;
    node.credit_delay_ps = params.credit_delay_ps;
    node.injection = mesh.injection_link();
    nodes.push_back(std::make_unique<TrafficNode>(("npu_" + std::to_string(n)).c_str(), node, classes,
                                                  pattern, counter, pool, scheduler));
    mesh.attach(static_cast<NpuId>(n), nodes.back()->to_fabric, nodes.back()->from_fabric);
  }
  sc_core::sc_start(to_sc_time(c.time_ps / 4));  // fill
  const std::uint64_t hops_before = mesh.packet_hops(), events_before = scheduler.events();
  const auto start = Clock::now();
  sc_core::sc_start(to_sc_time(c.time_ps));
  const double seconds = seconds_since(start);
  const std::uint64_t hops = mesh.packet_hops() - hops_before;
  return {static_cast<double>(hops) / seconds,
          static_cast<double>(scheduler.events() - events_before) / static_cast<double>(hops), hops,
          pool.in_use()};
}

/// One simulation per process: runs `work` in a child and returns what it wrote.
template <typename T, typename Work>
T in_child(Work work, long* peak_kib = nullptr) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = fork();
  if (child == 0) {
    const T result = work();
    const ssize_t written = write(ends[1], &result, sizeof result);
    _exit(written == static_cast<ssize_t>(sizeof result) ? 0 : 1);
  }
  T result{};
  if (read(ends[0], &result, sizeof result) != static_cast<ssize_t>(sizeof result))
    throw std::runtime_error("a benchmark died");
  struct rusage usage {};
  int status = 0;
  wait4(child, &status, 0, &usage);
  if (peak_kib) *peak_kib = usage.ru_maxrss;
  close(ends[0]);
  close(ends[1]);
  return result;
}

}  // namespace
}  // namespace wafertlm

int sc_main(int argc, char** argv) {
  using namespace wafertlm;
  const Case cases[] = {
      {"5x4 uniform", 5, 4, false, 0.9, 200'000'000},
      {"32x32 uniform", 32, 32, false, 0.015, 20'000'000},
      {"32x32 neighbour", 32, 32, true, 0.9, 4'000'000},
  };
  fmt::print("{:<18} {:>12} {:>12} {:>7} {:>11} {:>10} {:>9}\n", "case", "raw act/s", "hops/s", "ratio",
             "events/hop", "in flight", "peak MiB");
  for (const Case& c : cases) {
    if (argc > 1 && std::string(c.name).find(argv[1]) == std::string::npos) continue;
    const double raw = in_child<double>([&] { return raw_activations_per_s(c.width * c.height); });
    long peak = 0;
    const auto result = in_child<Result>([&] { return packet_hops(c); }, &peak);
    fmt::print("{:<18} {:>12.3g} {:>12.3g} {:>7.2f} {:>11.2f} {:>10} {:>9.1f} {}\n", c.name, raw,
               result.hops_per_s, result.hops_per_s / raw, result.events_per_hop, result.in_flight,
               static_cast<double>(peak) / 1024, result.hops);
  }
  return 0;
}
