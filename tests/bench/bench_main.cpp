// SPDX-License-Identifier: Apache-2.0
// Packet-hops (packets granted by a router output) per second against the raw kernel's SC_METHOD activations
// per second, both from this run. Link crossings are the grants and the packets that NPUs inject.
// Seconds are those of the processor, since the machine may be shared; repetitions are interleaved and the
// median counts.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/fred/fred_fabric.h"
#include "models/mesh/mesh_fabric.h"
#include "models/traffic/traffic_node.h"
#include "platform/fabrics/fred/fred_kind.h"
#include "platform/host/huge_pages.h"
#include "platform/machine/collective_run.h"
#include "platform/spec/load.h"
#include "tests/bench/bench_acceleration.h"
#include "tests/bench/bench_ethernet.h"
#include "tests/bench/bench_memory.h"
#include "tests/bench/bench_parallel.h"
#include "tests/bench/bench_peers.h"
#include "tests/bench/measure.h"
#include "workloads/chakra/et_reader.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/sequencer/sequencer_engine.h"

namespace wafertlm {
namespace {

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

enum class Work { uniform, neighbor, all_reduce, all_to_all };

struct Case {
  const char* name;
  std::uint32_t width, height;
  Work work;
  double load;          // traffic: of the injection port
  TimePs time_ps;       // traffic
  std::uint64_t bytes;  // collective: of the vector of a rank
  double goal;
  /// FRED-D with an L1 switch for each row (with 64 of them or more in three levels) in place of the mesh.
  bool fred = false;
  /// In place of both: the dimensions of a fabric that carries whole messages, and the keys of the
  /// collective.
  const char* dimensions = nullptr;
  const char* collectives = nullptr;
};

/// ASTRA-sim's costs at the ends of a message; width × height NPUs.
config::PlatformSpec dimensional(const Case& c) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("wafertlm_bench_" + std::to_string(getpid()) + ".yaml"))
          .string();
  std::ofstream(path) << "platform: bench\nwafer: {fabric: {kind: dimensional, transport: messages, "
                         "dimensions: ["
                      << c.dimensions
                      << "]}}\nnpu: {endpoint: {receive_cost: 10 ns, stage_cost: 10 ns, reduction_bandwidth: "
                         "1600 GB/s}}\ncollectives: {algorithm: dimensional, "
                      << c.collectives << "}\nrun: {checkers: false}\n";
  config::PlatformSpec spec = config::load_platform(path, {});
  std::filesystem::remove(path);
  return spec;
}

/// FRED-D with width × height NPUs.
std::vector<std::string> fred_d(const Case& c) {
  std::vector<std::string> overrides = {"wafer.fabric.l1_switches=" + std::to_string(c.height),
                                        "wafer.fabric.npus_per_l1=" + std::to_string(c.width),
                                        "run.checkers=false"};
  if (c.height < 32) return overrides;
  // Full bisection: as much upwards as from below.
  const std::string l1 = std::to_string(3 * c.width) + "TB/s", l2 = std::to_string(12 * c.width) + "TB/s";
  overrides.insert(overrides.end(), {"wafer.fabric.l2_switches=" + std::to_string(c.height / 4),
                                     "wafer.fabric.l1_uplink=" + l1, "wafer.fabric.l2_uplink=" + l2,
                                     "wafer.io.controllers=none"});
  return overrides;
}

double raw_activations_per_s(std::uint32_t methods) {
  std::deque<std::unique_ptr<SelfTimed>> ticking;
  for (std::uint32_t i = 0; i < methods; ++i)
    ticking.push_back(std::make_unique<SelfTimed>(("tick_" + std::to_string(i)).c_str(), 1000 + i * 7 % 997));
  const double start = cpu_seconds();
  sc_core::sc_start(to_sc_time(3'000'000'000ULL / methods));
  const double seconds = cpu_seconds() - start;
  std::uint64_t total = 0;
  for (const auto& method : ticking) total += method->activations;
  return static_cast<double>(total) / seconds;
}

struct Result {
  double seconds;
  std::uint64_t hops, injections, events;
  std::uint64_t in_flight;  ///< the most packets at a time; 0: not known
};

/// Of the whole run, through the NPUs' endpoints.
Result collective(const Case& c) {
  const std::string presets = std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/";
  const config::PlatformSpec spec =
      c.dimensions ? dimensional(c)
      : c.fred     ? config::load_platform(presets + "fred_d.yaml", fred_d(c))
                   : config::load_platform(presets + "wafer_mesh_32x32.yaml",
                                           {"wafer.width=" + std::to_string(c.width),
                                            "wafer.height=" + std::to_string(c.height), "run.checkers=false"});
  CollectiveRequest request;
  request.type = c.work == Work::all_reduce ? CollectiveType::all_reduce : CollectiveType::all_to_all;
  request.bytes = c.bytes;
  if (c.dimensions) {
    request.algorithm = "dimensional";
    request.chunks = spec.collectives.requested_chunks();
  }
  for (std::uint32_t n = 0; n < c.width * c.height; ++n) request.group.push_back(static_cast<NpuId>(n));
  const CollectiveResult run = run_collective(spec, request, "dp");
  return {run.simulation_cpu_s, run.packet_hops, run.injected_packets, run.events, 0};
}

Result traffic(const Case& c) {
  const ClassTable classes({{"data", 0, 1, 0}}, 1);
  Scheduler scheduler("scheduler");
  PacketPool pool;
  MeshParams params;
  params.width = c.width;
  params.height = c.height;
  params.link_bytes_per_s = 750'000'000'000;
  params.link_latency_ps = 20'000;
  params.credit_delay_ps = 20'000;
  params.injection_bytes_per_s = params.ejection_bytes_per_s = 3'000'000'000'000;
  const MeshGeometry geometry(c.width, c.height);
  std::unique_ptr<Fabric> made;
  if (c.fred) {
    const std::string preset = std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/fred_d.yaml";
    FredParams fred = fred_params(config::load_platform(preset, fred_d(c)).wafer, false);
    fred.in_network = false;  // nothing enters them
    made = std::make_unique<FredFabric>("fred", fred, classes, scheduler, pool);
  } else {
    made = std::make_unique<MeshFabric>("mesh", params, classes, scheduler);
  }
  Fabric& fabric = *made;
  Counter counter;
  const Uniform uniform(geometry.npus());
  const Neighbor neighbor(geometry);
  const DestinationSource& pattern =
      c.work == Work::neighbor ? static_cast<const DestinationSource&>(neighbor) : uniform;
  std::deque<std::unique_ptr<TrafficNode>> nodes;
  for (std::uint32_t n = 0; n < geometry.npus(); ++n) {
    TrafficNodeParams node;
    node.npu = static_cast<NpuId>(n);
    node.payload_bytes = 4096;
    node.slots = {4096, params.injection_bytes_per_s};
    node.packets_per_slot = c.load;
    node.credit_delay_ps = params.credit_delay_ps;
    node.injection = fabric.injection_link();
    nodes.push_back(std::make_unique<TrafficNode>(("npu_" + std::to_string(n)).c_str(), node, classes,
                                                  pattern, counter, pool, scheduler));
    nodes.back()->set_partition(fabric.partition_of(static_cast<NpuId>(n)));
    fabric.attach(static_cast<NpuId>(n), nodes.back()->to_fabric, nodes.back()->from_fabric);
  }
  scheduler.allow_lookahead_windows([&fabric] { return fabric.lookahead_ps(); });
  scheduler.run(c.time_ps / 4);  // fill
  const auto injections = [&nodes] {
    std::uint64_t sum = 0;
    for (const auto& node : nodes) sum += node->injected_packets();
    return sum;
  };
  const std::uint64_t hops = fabric.packet_hops(), injected = injections(), events = scheduler.events();
  const double start = cpu_seconds();
  scheduler.run(c.time_ps);
  const double seconds = cpu_seconds() - start;
  return {seconds, fabric.packet_hops() - hops, injections() - injected, scheduler.events() - events,
          pool.high_water()};
}

Result run(const Case& c) {
  return c.work == Work::uniform || c.work == Work::neighbor ? traffic(c) : collective(c);
}

double per_second(std::uint64_t count, const Result& result) {
  return static_cast<double>(count) / result.seconds;
}

constexpr char kHead[] = "{:<18} {:>11} {:>11} {:>6} {:>5} {:>13} {:>11} {:>10} {:>13} {:>8}\n";
constexpr char kRow[] =
    "{:<18} {:>11.3g} {:>11.3g} {:>6.2f} {:>5.2f} {:>13.3g} {:>11.2f} {:>10} {:>13} {:>8.1f}\n";

void print_case(const Case& c) {
  std::array<double, kRepetitions> raw{}, hops{}, ratio{}, crossings{};
  Result result{};
  long peak_kib = 0, idle_kib = 0;
  if (c.time_ps != 0) {
    Case empty = c;
    empty.time_ps = 4;
    in_child<Result>([&] { return run(empty); }, &idle_kib);
  }
  for (std::size_t i = 0; i < kRepetitions; ++i) {
    raw[i] = in_child<double>([&] { return raw_activations_per_s(c.width * c.height); });
    result = in_child<Result>([&] { return run(c); }, &peak_kib);
    hops[i] = per_second(result.hops, result);
    crossings[i] = per_second(result.hops + result.injections, result);
    ratio[i] = hops[i] / raw[i];
  }
  const std::string in_flight = result.in_flight ? std::to_string(result.in_flight) : "-";
  const std::string packet_bytes =
      result.in_flight ? std::to_string(1024 * static_cast<std::uint64_t>(std::max(0L, peak_kib - idle_kib)) /
                                        result.in_flight)
                       : "-";
  fmt::print(kRow, c.name, median(raw), median(hops), median(ratio), c.goal, median(crossings),
             static_cast<double>(result.events) / static_cast<double>(result.hops), in_flight, packet_bytes,
             static_cast<double>(peak_kib) * 1024 / 1e6);
}

/// Nodes that a sequencer could ask for next.
class GeneratedNodes : public chakra::NodeSource {
 public:
  GeneratedNodes(std::uint64_t nodes, bool chain) : nodes_(nodes), chain_(chain) {}
  bool next(chakra::Node& node) override {
    if (id_ == nodes_) return false;
    node.clear();
    node.id = id_;
    node.name = "node";
    node.type = chakra::NodeType::Comp;
    node.duration_ps = 1000;
    if (chain_ && id_ > 0) node.data_deps.push_back(id_ - 1);
    ++id_;
    return true;
  }
  void rewind() override { id_ = 0; }
  const std::string& name() const override { return name_; }

 private:
  std::uint64_t nodes_, id_ = 0;
  bool chain_;
  std::string name_ = "bench";
};

/// Ends every task at once.
struct InstantHost : SequencerHost {
  void start(std::uint32_t slot, const Task&) override { slots.push_back(slot); }
  void iteration_done(std::uint32_t, TimePs) override {}
  bool gathers(std::uint32_t, TimePs) const override { return false; }
  std::deque<std::uint32_t> slots;
};

struct TraceCost {
  double nodes_per_s;
  long peak_kib;
};

TraceCost sequence(std::uint64_t nodes, bool chain) {
  GeneratedNodes source(nodes, chain);
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
  return {static_cast<double>(nodes) / (cpu_seconds() - start), 0};
}

TraceCost read_file(const std::string& path) {
  chakra::EtReader reader(path);
  chakra::Node node;
  std::uint64_t nodes = 0;
  const double start = cpu_seconds();
  while (reader.next(node)) ++nodes;
  return {static_cast<double>(nodes) / (cpu_seconds() - start), 0};
}

/// Reading a file, and the sequencer by itself on two graphs, with the memory above an empty process.
void print_traces() {
  constexpr std::uint64_t kFile = 1'000'000, kGraph = 100'000;
  const std::string path =
      std::filesystem::temp_directory_path() / ("wafertlm_bench_" + std::to_string(getpid()) + ".et");
  GeneratedNodes source(kFile, true);
  chakra::write_trace(source, path);
  long idle_kib = 0;
  in_child<int>([] { return 0; }, &idle_kib);
  fmt::print("\n{:<32} {:>11} {:>11}\n", "traces", "nodes/s", "peak MB");
  const auto row = [&](const char* name, const auto& work) {
    std::array<double, kRepetitions> rates{};
    long peak_kib = 0;
    for (double& rate : rates) rate = in_child<TraceCost>(work, &peak_kib).nodes_per_s;
    fmt::print("{:<32} {:>11.3g} {:>11.1f}\n", name, median(rates),
               static_cast<double>(std::max(0L, peak_kib - idle_kib)) * 1024 / 1e6);
  };
  row("read a file of 1,000,000", [&] { return read_file(path); });
  row("sequence a chain of 100,000", [] { return sequence(kGraph, true); });
  row("sequence 100,000 independent", [] { return sequence(kGraph, false); });
  unlink(path.c_str());
}

}  // namespace
}  // namespace wafertlm

int sc_main(int argc, char** argv) {
  using namespace wafertlm;
  if (argc > 1 && std::string(argv[1]) == "acceleration") {
    print_acceleration({argv + 2, argv + argc});
    return 0;
  }
  if (argc > 1 && std::string(argv[1]) == "peers") {
    print_peers({argv + 2, argv + argc});
    return 0;
  }
  if (argc > 1 && std::string(argv[1]) == "parallel") {
    print_parallel({argv + 2, argv + argc});
    return 0;
  }
  prefer_huge_pages();
  // Offered load as a part of the 3 TB/s at which a node can inject. 32x32 uniform: 0.9 of the channel bound,
  // which is 4 · 750 GB/s / 32 = 0.031. Neighbour: a corner has two links, 0.5 of its injection, so some
  // nodes saturate.
  const Case cases[] = {
      {"5x4 uniform", 5, 4, Work::uniform, 0.9, 200'000'000, 0, 0.5},
      {"32x32 uniform", 32, 32, Work::uniform, 0.028, 5'000'000, 0, 0.3},
      {"32x32 neighbour", 32, 32, Work::neighbor, 0.7, 2'000'000, 0, 0.4},
      // A packet per step, and per pair.
      {"32x32 all-reduce", 32, 32, Work::all_reduce, 0, 0, 8 << 20, 0.4},
      {"32x32 all-to-all", 32, 32, Work::all_to_all, 0, 0, 4 << 20, 0.3},
      // All-reduce: a flow that the switches add up.
      {"FRED-D 20 uniform", 4, 5, Work::uniform, 0.9, 200'000'000, 0, 0.5, true},
      {"FRED-D 1024 unif.", 16, 64, Work::uniform, 0.9, 1'000'000, 0, 0.3, true},
      {"FRED-D 1024 nbr.", 16, 64, Work::neighbor, 0.7, 1'000'000, 0, 0.4, true},
      {"FRED-D 20 all-red.", 4, 5, Work::all_reduce, 0, 0, 256 << 20, 0.5, true},
      {"FRED-D 1024 all-r.", 16, 64, Work::all_reduce, 0, 0, 8 << 20, 0.4, true},
      // Hops are messages on links, of which a switch has two on the way.
      {"ring of 1024", 32, 32, Work::all_reduce, 0, 0, 64 << 20, 0.4, false,
       "{topology: ring, size: 1024, bandwidth: 50 GiB/s, latency: 500 ns}",
       "chunks: 4, dimensions: {active_chunks: 1}"},
      {"Themis 2D", 32, 32, Work::all_reduce, 0, 0, 100 << 20, 0.4, false,
       "{topology: switch, size: 16, bandwidth: 150 GiB/s, latency: 350 ns}, {topology: switch, size: 64, "
       "bandwidth: 100 GiB/s, latency: 850 ns}",
       "chunks: 64, dimensions: {order: themis, within: smallest_first}"},
      {"Themis 4D", 32, 32, Work::all_reduce, 0, 0, 100 << 20, 0.4, false,
       "{topology: ring, size: 4, bandwidth: 187 GiB/s, latency: 20 ns}, {topology: fully_connected, size: "
       "8, "
       "bandwidth: 25 GiB/s, latency: 700 ns}, {topology: ring, size: 4, bandwidth: 75 GiB/s, latency: 700 "
       "ns}, {topology: switch, size: 8, bandwidth: 100 GiB/s, latency: 850 ns}",
       "chunks: 64, dimensions: {order: themis, within: smallest_first}"},
  };
  if (argc > 2 && std::string(argv[2]) == "profile") {  // one simulation, in this process, for callgrind
    for (Case c : cases) {
      if (std::string(c.name).find(argv[1]) == std::string::npos) continue;
      c.time_ps /= 2;
      c.bytes /= 8;
      const Result result = run(c);
      fmt::print("{}: {} hops, {:.3g} per s\n", c.name, result.hops, per_second(result.hops, result));
      return 0;
    }
  }
  fmt::print(kHead, "case", "raw act/s", "hops/s", "ratio", "goal", "crossings/s", "events/hop", "in flight",
             "B per packet", "peak MB");
  for (const Case& c : cases)
    if (argc < 2 || std::string(c.name).find(argv[1]) != std::string::npos) print_case(c);
  if (argc < 2 || std::string(argv[1]) == "traces") print_traces();
  if (argc < 2 || std::string(argv[1]) == "memory") print_memory();
  if (argc < 2 || std::string(argv[1]) == "ethernet") print_ethernet();
  return 0;
}
