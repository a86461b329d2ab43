// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/astra_sim/astra_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "platform/commands/astra_sim/implementations.h"
#include "platform/commands/astra_sim/input_keys.h"
#include "platform/commands/astra_sim/ns3_network.h"
#include "platform/describe/yaml_writer.h"
#include "platform/text/suggest.h"
#include "workloads/astra_text/training_job.h"

namespace wafertlm::astra_sim {
namespace {

using config::Node;

// What our keys can hold, in ASTRA-sim's units.
constexpr Range kDelayNs = {0, 1e9};
constexpr Range kLinkGiBPerS = {1e-9, 8e6};
constexpr Range kMemoryGbPerS = {0, 9e6};
constexpr Range kPeakTflops = {1e-12, 9e6};
constexpr Range kNpus = {1, 65'536};
constexpr Range kSplits = {1, 1024};
constexpr Range kSwitch = {0, 1};

bool is_given(const std::string& path) { return !path.empty() && path != "empty"; }

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

std::string picoseconds(double ns) { return fmt::format("{} ps", std::llround(ns * 1000)); }
std::string bytes_per_s(double gb_per_s) {
  return fmt::format("{} B/s", std::max(std::llround(gb_per_s * 1e9), 1LL));
}

/// Reads the files one after the other; the parts of our platform come out at the end.
class Converter {
 public:
  void read_network(const std::string& path) {
    InputKeys network(path, InputKeys::Form::yaml);
    const auto topology = network.words("topology");
    const auto sizes = network.numbers("npus_count", kNpus),
               bandwidth = network.numbers("bandwidth", kLinkGiBPerS),
               latency = network.numbers("latency", kDelayNs);
    network.require_all_known();
    network.require_all({"topology", "npus_count", "bandwidth", "latency"});
    if (topology->empty()) network.fail("topology", "needs a value for each dimension");
    for (const auto& [key, count] :
         {std::pair("npus_count", sizes->size()), std::pair("bandwidth", bandwidth->size()),
          std::pair("latency", latency->size())})
      if (count != topology->size())
        network.fail(key, fmt::format("needs a value for each dimension; topology has {}, this {}",
                                      topology->size(), count));
    const std::map<std::string, std::string> names = {
        {"Ring", "ring"}, {"FullyConnected", "fully_connected"}, {"Switch", "switch"}};
    for (std::size_t d = 0; d < topology->size(); ++d) {
      const auto name = names.find((*topology)[d]);
      if (name == names.end())
        network.fail(
            "topology", d,
            "has an unknown name" +
                config::suggestion((*topology)[d], {"Ring", "FullyConnected", "Switch"}, "there are"));
      if ((*sizes)[d] != std::floor((*sizes)[d])) network.fail("npus_count", d, "must be whole numbers");
      const auto size = static_cast<std::uint64_t>((*sizes)[d]);
      npus_ *= size;
      if (static_cast<double>(npus_) > kNpus.most)
        network.fail("npus_count", d, fmt::format("multiplies to more than {:g} NPUs", kNpus.most));
      const auto rate = std::max(std::llround((*bandwidth)[d] * 1073741824.0), 1LL);
      dimensions_.items.push_back(
          Node::map({{"topology", network.at("topology", d, name->second)},
                     {"size", network.at("npus_count", d, std::to_string(size))},
                     {"bandwidth", network.at("bandwidth", d, fmt::format("{} B/s", rate))},
                     {"latency", network.at("latency", d, picoseconds((*latency)[d]))}}));
    }
    dimensions_.kind = Node::Kind::list;
    dimensions_.place = network.place("topology");
    npus_place_ = network.place("npus_count");
  }
  /// Of the ns-3 back end.
  void read_ns3(const std::string& config, const std::string& logical_topology) {
    Ns3Network network = read_ns3_network(config, logical_topology);
    npus_ = network.npus;
    npus_name_ = "logical-dims";
    npus_place_ = network.npus_place;
    dimensions_ = network.dimensions;
    ns3_fabric_ = std::move(network.fabric);
    for (std::string& warning : network.warnings) warnings_.push_back({std::move(warning), {}});
  }
  void read_system(const std::string& path, double injection_scale) {
    InputKeys system(path, InputKeys::Form::json);
    // With one communication at a time it orders nothing: the chunks of one collective have one priority.
    system.word("scheduling-policy", {"LIFO", "FIFO", "EXPLICIT"});
    active_ = whole_number(system, "active-chunks-per-dimension", kNpus);
    splits_ = whole_number(system, "preferred-dataset-splits", kSplits);
    const double delay_ns = system.number("endpoint-delay", kDelayNs).value_or(0) * injection_scale;
    if (delay_ns > kDelayNs.most) system.fail("endpoint-delay", "times --injection-scale is above 1 s");
    endpoint_delay_ = system.at("endpoint-delay", picoseconds(delay_ns));
    read_compute(system);
    read_order_in_dimensions(system);
    read_order_of_dimensions(system);
    implementations_ = read_implementations(system, dimensions_.items.size(), order_.text);
    warnings_.insert(warnings_.end(), implementations_.warnings.begin(), implementations_.warnings.end());
    for (const char* const key :
         {"boost-mode", "track-local-mem", "local-mem-trace-filename", "trace-enabled", "L", "o", "g", "G",
          "model-shared-bus", "scheduling-queue", "tensor-size", "communication-delay", "chunk-size",
          "local-reduction-delay"})
      if (system.asks(key)) warn(system, key, " is not modelled and has no effect");
    if (system.asks("per-node-custom-implementation"))
      system.fail("per-node-custom-implementation",
                  "is not read; give what the ranks do as one MSCCL program, --set "
                  "platform.collectives.algorithm=FILE.xml");
    system.require_all_known();
  }
  /// As its analytical remote memory: a server has one whole access at a time, latency + bytes / bandwidth;
  /// an NPU's own never waits. Nothing of it passes through the local memory.
  void read_remote_memory(const std::string& path) {
    InputKeys memory(path, InputKeys::Form::json);
    const std::string type = memory
                                 .word("memory-type", {"NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION",
                                                       "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL"})
                                 .value_or("NO_MEMORY_EXPANSION");
    const auto latency = memory.number("remote-mem-latency", kDelayNs),
               rate = memory.number("remote-mem-bw", kMemoryGbPerS);
    const auto nodes = memory.whole_number("num-nodes", kNpus),
               each = memory.whole_number("num-npus-per-node", kNpus);
    memory.require_all_known();
    no_remote_memory_ = type == "NO_MEMORY_EXPANSION";
    const bool by_node = type == "PER_NODE_MEMORY_EXPANSION";
    for (const char* const key : {"remote-mem-latency", "remote-mem-bw", "num-nodes", "num-npus-per-node"}) {
      const bool of_nodes = std::string(key).rfind("num-", 0) == 0;
      if (memory.has(key) && (of_nodes ? !by_node : no_remote_memory_))
        warn(memory, key, " has no effect with " + type);
    }
    if (no_remote_memory_) return;
    memory.require_all({"remote-mem-latency", "remote-mem-bw"});
    if (*rate == 0) memory.fail("remote-mem-bw", "must be above 0");
    remote_ = Node::map({{"kind", memory.at("memory-type", type == "MEMORY_POOL" ? "shared"
                                                           : by_node             ? "per_node"
                                                                                 : "per_npu")}});
    if (by_node) {
      memory.require_all({"num-nodes", "num-npus-per-node"});
      if (*nodes * *each != npus_)
        memory.fail("num-nodes",
                    fmt::format("times num-npus-per-node, {}, must be the network's {} NPUs", *each, npus_));
      remote_.add("npus_per_node", memory.at("num-npus-per-node", std::to_string(*each)));
    }
    remote_.add("capacity", own("1000 PB"));
    remote_.add("bandwidth", memory.at("remote-mem-bw", bytes_per_s(*rate)));
    remote_.add("latency", memory.at("remote-mem-latency", picoseconds(*latency)));
    remote_.add("service", own("accesses"));
    remote_.add("local", own("free"));
  }
  Node platform(const std::string& name) const {
    Node npu, hbm, endpoint, collectives, by_dimension;
    if (peak_.kind != Node::Kind::empty) npu.add("peak", peak_);
    npu.add("compute", Node::map({{"durations", durations_}, {"time_step", own("1 ns")}}));
    if (is_roofline())
      for (const char* const key : {"read_bandwidth", "write_bandwidth"}) hbm.add(key, memory_rate_);
    hbm.add("capacity", own("1000 PB"));
    npu.add("hbm", hbm);
    for (const char* const key : {"receive_cost", "stage_cost"}) endpoint.add(key, endpoint_delay_);
    if (memory_rate_.kind != Node::Kind::empty) endpoint.add("reduction_bandwidth", memory_rate_);
    npu.add("endpoint", endpoint);
    by_dimension = config::merged(Node::map({{"order", order_},
                                             {"within", within_},
                                             {"active_chunks", active_},
                                             {"reductions", own("astra_sim")}}),
                                  implementations_.by_dimension);
    collectives = config::merged(Node::map({{"equal_pieces", own("true")}, {"chunks", splits_}}),
                                 implementations_.algorithms);
    collectives.add("dimensions", by_dimension);
    const Node fabric = ns3_fabric_.kind != Node::Kind::empty ? ns3_fabric_ : analytical_fabric();
    Node platform =
        Node::map({{"platform", Node::string(name, {"--network-configuration", 0, 0})},
                   {"wafer", Node::map({{"fabric", fabric}})},
                   {"npu", npu},
                   {"sequencer", Node::map({{"order", own("lowest_id")}, {"communications", own("1")}})},
                   {"collectives", collectives}});
    if (remote_.kind != Node::Kind::empty) platform.add("remote_memory", remote_);
    platform.add("run", Node::map({{"watchdog", own("9000000 s")}}));
    return platform;
  }
  const std::vector<Warning>& warnings() const { return warnings_; }
  std::uint64_t npus() const { return npus_; }
  const std::string& npus_name() const { return npus_name_; }
  const config::SourceLocation& npus_place() const { return npus_place_; }
  bool no_remote_memory() const { return no_remote_memory_; }

 private:
  Node analytical_fabric() const {
    return Node::map({{"kind", own("dimensional")},
                      {"dimensions", dimensions_},
                      {"transport", own("messages")},
                      {"time_step", own("1 ns")},
                      {"point_to_point", own("bare")},
                      {"switch_mode", own("store_and_forward")},
                      {"ring_opposite", own("up")},
                      {"header_bytes", own("0 B")}});
  }
  static Node whole_number(InputKeys& system, const std::string& key, const Range& range) {
    const std::uint64_t number = system.whole_number(key, range).value_or(1);
    return system.at(key, std::to_string(number));
  }
  bool is_roofline() const { return durations_.text == "roofline"; }
  void read_order_in_dimensions(InputKeys& system) {
    const std::string key = "intra-dimension-scheduling";
    const std::string within =
        system.word(key, {"FIFO", "SCF", "RG", "smallestFirst", "lessRemainingPhaseFirst"}).value_or("FIFO");
    const bool smallest = within == "SCF" || within == "smallestFirst";
    within_ = system.at(key, smallest ? "smallest_first" : "fifo");
    if (within == "RG" || within == "lessRemainingPhaseFirst")
      warn(system, key, ": " + within + " is not modelled; FIFO takes its place");
  }
  void read_order_of_dimensions(InputKeys& system) {
    const std::string whole = "collective-optimization", key = "inter-dimension-scheduling";
    const bool is_aware = system.word(whole, {"baseline", "localBWAware"}).value_or("") == "localBWAware";
    order_ = system.at(whole, is_aware ? "local_bandwidth_aware" : "per_dimension");
    const std::string inter = system
                                  .word(key, {"baseline", "themis", "ascending", "onlineGreedy", "roundRobin",
                                              "offlineGreedy", "offlineGreedyFlex"})
                                  .value_or("baseline");
    if (inter == "themis") order_ = system.at(key, "themis");
    if (inter != "baseline" && inter != "themis" && inter != "ascending")
      warn(system, key, ": " + inter + " is not modelled; baseline takes its place");
  }
  void read_compute(InputKeys& system) {
    if (const auto peak = system.number("peak-perf", kPeakTflops))
      peak_ = system.at("peak-perf", fmt::format("{} FLOPS", std::max(std::llround(*peak * 1e12), 1LL)));
    const double gb_per_s = system.number("local-mem-bw", kMemoryGbPerS).value_or(0);
    if (gb_per_s > 0) memory_rate_ = system.at("local-mem-bw", bytes_per_s(gb_per_s));
    const bool replay = system.number("replay-only", kSwitch).value_or(0) != 0;
    if (replay)
      warn(system, "replay-only",
           " holds for computations; communications are simulated, where ASTRA-sim replays them");
    const bool roofline = system.number("roofline-enabled", kSwitch).value_or(0) != 0 && !replay;
    if (roofline && (peak_.kind == Node::Kind::empty || gb_per_s == 0))
      system.fail("roofline-enabled", "needs peak-perf and local-mem-bw");
    durations_ = system.at("roofline-enabled", roofline ? "roofline" : "replay");
  }
  void warn(const InputKeys& keys, const std::string& key, const std::string& text) {
    warnings_.push_back({fmt::format("{}: '{}'{}", keys.place(key).text(), key, text), {}});
  }

  std::vector<Warning> warnings_;
  std::uint64_t npus_ = 1;
  std::string npus_name_ = "npus_count";
  config::SourceLocation npus_place_;
  Node dimensions_, splits_, active_, order_, within_, endpoint_delay_, durations_;
  Node peak_, memory_rate_, remote_, ns3_fabric_;  // empty: not given
  Implementations implementations_;
  bool no_remote_memory_ = false;
};

}  // namespace

Conversion convert(const Files& files) {
  for (const auto& [name, path] : {std::pair("network", files.network), std::pair("system", files.system)})
    if (!is_given(path)) throw std::invalid_argument(std::string("--") + name + "-configuration is missing");
  Converter converter;
  if (is_given(files.logical_topology))
    converter.read_ns3(files.network, files.logical_topology);
  else
    converter.read_network(files.network);
  converter.read_system(files.system, files.injection_scale);
  if (is_given(files.remote_memory)) converter.read_remote_memory(files.remote_memory);
  Conversion conversion;
  conversion.platform = converter.platform(std::filesystem::path(files.network).stem().string());
  conversion.warnings = converter.warnings();
  conversion.npus = converter.npus();
  conversion.npus_name = converter.npus_name();
  conversion.npus_place = converter.npus_place();
  conversion.no_remote_memory = converter.no_remote_memory();
  if (!is_given(files.workload)) return conversion;
  Node workload;
  workload.add("workload", Node::string(std::filesystem::path(files.workload).filename().string(),
                                        {"--workload-configuration", 0, 0}));
  const auto add = [&](const char* key, const char* option, const std::string& path) {
    if (is_given(path)) workload.add(key, Node::string(absolute(path), {option, 0, 0}));
  };
  add("chakra", "--workload-configuration", files.workload);
  if (astra_text::is_text_workload(files.workload))
    workload.add("replicate", own(std::to_string(conversion.npus)));
  add("comm_groups", "--comm-group-configuration", files.comm_groups);
  conversion.experiment =
      Node::map({{"experiment", own("astra-sim")}, {"workload", workload}, {"iterations", own("1")}});
  return conversion;
}

std::vector<std::pair<std::string, std::string>> yaml_files(const Conversion& conversion) {
  const std::string platform = "platform.yaml";
  const auto text = [](const Node& map) {
    return "# From ASTRA-sim's files, each value with its place there.\n" + config::write_yaml(map);
  };
  std::vector<std::pair<std::string, std::string>> files = {{platform, text(conversion.platform)}};
  if (conversion.experiment.kind == Node::Kind::empty) return files;
  Node experiment = conversion.experiment;
  experiment.add("platform", own(platform));
  files.emplace_back("experiment.yaml", text(experiment));
  return files;
}

}  // namespace wafertlm::astra_sim
