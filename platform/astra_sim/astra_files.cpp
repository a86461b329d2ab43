// SPDX-License-Identifier: Apache-2.0
#include "platform/astra_sim/astra_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "platform/astra_sim/implementations.h"
#include "platform/astra_sim/input_keys.h"
#include "platform/config/suggest.h"

namespace wafertlm::astra_sim {
namespace {

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

/// Reads the files one after the other; the parts of the YAML come out at the end.
class Converter {
 public:
  void read_network(const std::string& path) {
    InputKeys network(path, InputKeys::Form::yaml);
    const auto topology = network.words("topology");
    const auto sizes = network.numbers("npus_count", kNpus),
               bandwidth = network.numbers("bandwidth", kLinkGiBPerS),
               latency = network.numbers("latency", kDelayNs);
    network.require_all_known();
    if (!topology || !sizes || !bandwidth || !latency)
      throw std::invalid_argument(path + ": needs topology, npus_count, bandwidth and latency");
    if (topology->empty() || sizes->size() != topology->size() || bandwidth->size() != topology->size() ||
        latency->size() != topology->size())
      throw std::invalid_argument(
          path + ": topology, npus_count, bandwidth and latency need a value for each dimension");
    const std::map<std::string, std::string> names = {
        {"Ring", "ring"}, {"FullyConnected", "fully_connected"}, {"Switch", "switch"}};
    for (std::size_t d = 0; d < topology->size(); ++d) {
      const auto name = names.find((*topology)[d]);
      if (name == names.end())
        throw std::invalid_argument(
            path + ": unknown topology '" + (*topology)[d] + "'" +
            config::suggestion((*topology)[d], {"Ring", "FullyConnected", "Switch"}, "there are"));
      if ((*sizes)[d] != std::floor((*sizes)[d])) network.fail("npus_count", "must be whole numbers");
      const auto size = static_cast<std::uint64_t>((*sizes)[d]);
      npus_ *= size;
      if (static_cast<double>(npus_) > kNpus.most)
        network.fail("npus_count", fmt::format("multiplies to more than {:g} NPUs", kNpus.most));
      dimensions_.push_back(fmt::format(
          "{{topology: {}, size: {}, bandwidth: {} B/s, latency: {}}}", name->second, size,
          std::max(std::llround((*bandwidth)[d] * 1073741824.0), 1LL), picoseconds((*latency)[d])));
    }
  }
  void read_system(const std::string& path, double injection_scale) {
    InputKeys system(path, InputKeys::Form::json);
    // With one communication at a time it orders nothing: the chunks of one collective have one priority.
    system.word("scheduling-policy", {"LIFO", "FIFO", "EXPLICIT"});
    if (system.word("collective-optimization", {"baseline", "localBWAware"}).value_or("baseline") ==
        "localBWAware")
      order_ = "local_bandwidth_aware";
    active_ = system.whole_number("active-chunks-per-dimension", kNpus).value_or(1);
    splits_ = system.whole_number("preferred-dataset-splits", kSplits).value_or(1);
    endpoint_delay_ns_ = system.number("endpoint-delay", kDelayNs).value_or(0) * injection_scale;
    if (endpoint_delay_ns_ > kDelayNs.most)
      system.fail("endpoint-delay", "times --injection-scale is above 1 s");
    read_compute(system);
    read_order_in_dimensions(system);
    read_order_of_dimensions(system);
    implementations_ = read_implementations(system, dimensions_.size());
    for (const Warning& warning : implementations_.warnings)
      warnings_.push_back({path + ": " + warning.text, warning.only_with});
    for (const char* const key :
         {"boost-mode", "track-local-mem", "local-mem-trace-filename", "trace-enabled", "L", "o", "g", "G",
          "model-shared-bus", "scheduling-queue", "tensor-size", "communication-delay", "chunk-size",
          "per-node-custom-implementation", "local-reduction-delay"})
      if (system.asks(key)) warn(path, std::string("'") + key + "' is not modelled and has no effect");
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
        warn(path, std::string("'") + key + "' has no effect with " + type);
    }
    if (no_remote_memory_) return;
    if (!latency || !rate || *rate == 0)
      throw std::invalid_argument(path + ": needs remote-mem-latency and remote-mem-bw, above 0");
    std::string kind = type == "MEMORY_POOL" ? "shared" : "per_npu";
    if (by_node) {
      if (!nodes || !each)
        throw std::invalid_argument(path + ": " + type + " needs num-nodes and num-npus-per-node");
      if (*nodes * *each != npus_)
        throw std::invalid_argument(
            fmt::format("{}: {} nodes of {} NPUs are not the network's {}", path, *nodes, *each, npus_));
      kind = fmt::format("per_node, npus_per_node: {}", *each);
    }
    remote_ = fmt::format(
        "remote_memory: {{kind: {}, capacity: 1000 PB, bandwidth: {} B/s, latency: {}, service: accesses, "
        "local: free}}\n",
        kind, bytes_per_s(*rate), picoseconds(*latency));
  }
  std::string platform_yaml() const {
    std::string text =
        "# From ASTRA-sim's files.\nplatform: astra-sim\nwafer:\n  fabric:\n    kind: dimensional\n    "
        "dimensions:\n";
    for (const std::string& dimension : dimensions_) text += "      - " + dimension + "\n";
    text += "    transport: messages\n    time_step: 1 ns\n    point_to_point: bare\n    header_bytes: 0 B\n";
    text += "npu:\n";
    if (!peak_.empty()) text += "  peak: " + peak_ + "\n";
    text += fmt::format("  compute: {{durations: {}, time_step: 1 ns}}\n", roofline_ ? "roofline" : "replay");
    if (roofline_)
      text += fmt::format("  hbm: {{read_bandwidth: {0} B/s, write_bandwidth: {0} B/s, capacity: 1000 PB}}\n",
                          bytes_per_s(memory_gb_per_s_));
    else
      text += "  hbm: {capacity: 1000 PB}\n";
    text += fmt::format("  endpoint: {{receive_cost: {0}, stage_cost: {0}", picoseconds(endpoint_delay_ns_));
    if (memory_gb_per_s_ > 0)
      text += fmt::format(", reduction_bandwidth: {} B/s", bytes_per_s(memory_gb_per_s_));
    text += fmt::format(
        "}}\nsequencer: {{order: lowest_id, communications: 1}}\ncollectives:\n  equal_pieces: true\n  "
        "chunks: {}\n{}  dimensions:\n    order: {}\n    within: {}\n    active_chunks: {}\n{}",
        splits_, implementations_.algorithms, order_, within_, active_, implementations_.by_dimension);
    return text + implementations_.custom + remote_ + "run: {watchdog: 9000000 s}\n";
  }
  const std::vector<Warning>& warnings() const { return warnings_; }
  std::uint64_t npus() const { return npus_; }
  bool no_remote_memory() const { return no_remote_memory_; }

 private:
  static std::int64_t bytes_per_s(double gb_per_s) { return std::max(std::llround(gb_per_s * 1e9), 1LL); }
  void read_order_in_dimensions(InputKeys& system) {
    const std::string within = system
                                   .word("intra-dimension-scheduling",
                                         {"FIFO", "SCF", "RG", "smallestFirst", "lessRemainingPhaseFirst"})
                                   .value_or("FIFO");
    if (within == "SCF" || within == "smallestFirst") within_ = "smallest_first";
    if (within == "RG" || within == "lessRemainingPhaseFirst")
      warn(system.path(),
           "'intra-dimension-scheduling': " + within + " is not modelled; FIFO takes its place");
  }
  void read_order_of_dimensions(InputKeys& system) {
    const std::string inter =
        system
            .word("inter-dimension-scheduling", {"baseline", "themis", "ascending", "onlineGreedy",
                                                 "roundRobin", "offlineGreedy", "offlineGreedyFlex"})
            .value_or("baseline");
    if (inter == "themis") order_ = "themis";
    if (inter != "baseline" && inter != "themis" && inter != "ascending")
      warn(system.path(),
           "'inter-dimension-scheduling': " + inter + " is not modelled; baseline takes its place");
  }
  void read_compute(InputKeys& system) {
    if (const auto peak = system.number("peak-perf", kPeakTflops))
      peak_ = fmt::format("{} FLOPS", std::max(std::llround(*peak * 1e12), 1LL));
    memory_gb_per_s_ = system.number("local-mem-bw", kMemoryGbPerS).value_or(0);
    const bool replay = system.number("replay-only", kSwitch).value_or(0) != 0;
    if (replay)
      warn(
          system.path(),
          "'replay-only' holds for computations; communications are simulated, where ASTRA-sim replays them");
    roofline_ = system.number("roofline-enabled", kSwitch).value_or(0) != 0 && !replay;
    if (roofline_ && (peak_.empty() || memory_gb_per_s_ == 0))
      system.fail("roofline-enabled", "needs peak-perf and local-mem-bw");
  }
  void warn(const std::string& path, const std::string& text) {
    warnings_.push_back({path + ": " + text, {}});
  }

  std::vector<Warning> warnings_;
  std::uint64_t npus_ = 1, splits_ = 1, active_ = 1;
  std::vector<std::string> dimensions_;
  std::string order_ = "per_dimension", within_ = "fifo";
  double endpoint_delay_ns_ = 0, memory_gb_per_s_ = 0;
  Implementations implementations_;
  bool roofline_ = false;
  std::string peak_, remote_;
  bool no_remote_memory_ = false;
};

}  // namespace

Conversion convert(const Files& files, const std::string& platform_file) {
  for (const auto& [name, path] : {std::pair("network", files.network), std::pair("system", files.system)})
    if (!is_given(path)) throw std::invalid_argument(std::string("--") + name + "-configuration is missing");
  Converter converter;
  converter.read_network(files.network);
  converter.read_system(files.system, files.injection_scale);
  if (is_given(files.remote_memory)) converter.read_remote_memory(files.remote_memory);
  Conversion conversion;
  conversion.platform_yaml = converter.platform_yaml();
  conversion.warnings = converter.warnings();
  conversion.npus = converter.npus();
  conversion.no_remote_memory = converter.no_remote_memory();
  if (is_given(files.workload)) {
    conversion.experiment_yaml =
        "# From ASTRA-sim's files.\nexperiment: astra-sim\nplatform: " + platform_file +
        "\nworkload:\n  chakra: '" + absolute(files.workload) + "'\n";
    if (is_given(files.comm_groups))
      conversion.experiment_yaml += "  comm_groups: '" + absolute(files.comm_groups) + "'\n";
    conversion.experiment_yaml += "iterations: 1\n";
  }
  return conversion;
}

}  // namespace wafertlm::astra_sim
