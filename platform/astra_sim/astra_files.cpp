// SPDX-License-Identifier: Apache-2.0
#include "platform/astra_sim/astra_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "platform/astra_sim/keys.h"
#include "platform/config/suggest.h"

namespace wafertlm::astra_sim {
namespace {

bool is_given(const std::string& path) { return !path.empty() && path != "empty"; }

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

std::string picoseconds(double ns) { return fmt::format("{} ps", std::llround(ns * 1000)); }

/// Reads the files one after the other; the parts of the YAML come out at the end.
class Converter {
 public:
  void read_network(const std::string& path);
  void read_system(const std::string& path);
  void read_remote_memory(const std::string& path);
  std::string platform_yaml() const;
  std::vector<std::string> warnings() const { return warnings_; }
  std::uint64_t npus() const { return npus_; }
  bool no_remote_memory() const { return no_remote_memory_; }

 private:
  void read_implementations(Keys& system);
  std::string algorithm_of(Keys& system, const std::string& key, const std::string& name, double npus);
  void read_compute(Keys& system);
  void warn(const std::string& path, const std::string& text) { warnings_.push_back(path + ": " + text); }

  std::vector<std::string> warnings_;
  std::uint64_t npus_ = 1;
  std::vector<std::string> dimensions_;
  std::vector<double> sizes_;
  std::string system_path_;
  std::string policy_ = "lifo", order_ = "per_dimension", within_ = "fifo", splits_ = "1", active_ = "1";
  double endpoint_delay_ns_ = 0, memory_gb_per_s_ = 0;
  std::map<std::string, std::vector<std::string>> algorithms_;
  std::map<std::string, std::string> custom_;  // paths
  int direct_window_ = 0;
  bool roofline_ = false;
  std::string peak_, remote_;
  bool no_remote_memory_ = false;
};

void Converter::read_network(const std::string& path) {
  Keys network(path, true);
  const auto topology = network.words("topology");
  const auto sizes = network.numbers("npus_count"), bandwidth = network.numbers("bandwidth"),
             latency = network.numbers("latency");
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
    npus_ *= static_cast<std::uint64_t>((*sizes)[d]);
    dimensions_.push_back(fmt::format("{{topology: {}, size: {}, bandwidth: {} B/s, latency: {}}}",
                                      name->second, static_cast<std::uint64_t>((*sizes)[d]),
                                      std::llround((*bandwidth)[d] * 1073741824.0),
                                      picoseconds((*latency)[d])));
  }
  sizes_ = *sizes;
}

/// Ours for one of its names.
std::string Converter::algorithm_of(Keys& system, const std::string& key, const std::string& name,
                                    double npus) {
  if (name == "ring") return "ring";
  if (name == "direct") return "direct";
  if (name == "halvingDoubling") return "halving_doubling";
  if (name.rfind("direct", 0) == 0 && name.find_first_not_of("0123456789", 6) == std::string::npos &&
      name.size() < 12) {
    const int window = std::stoi(name.substr(6));
    if (direct_window_ != 0 && direct_window_ != window)
      warn(system_path_, fmt::format("'{}': windows of direct differ; all take {}", key, direct_window_));
    else
      direct_window_ = window;
    return "direct";
  }
  if (name == "doubleBinaryTree") {
    warn(system_path_,
         "'" + key + "': doubleBinaryTree is not modelled within a dimension; auto takes its place");
    return "auto";
  }
  const std::map<std::string, std::string> flat = {
      {"oneRing", "ring"}, {"oneDirect", "direct"}, {"oneHalvingDoubling", "halving_doubling"}};
  const auto one = flat.find(name);
  if (one == flat.end())
    system.fail(key, "has the unknown algorithm '" + name + "'" +
                         config::suggestion(name,
                                            {"ring", "direct", "halvingDoubling", "doubleBinaryTree",
                                             "oneRing", "oneDirect", "oneHalvingDoubling"},
                                            "there are"));
  if (npus != static_cast<double>(npus_))
    warn(system_path_, "'" + key + "': " + name +
                           " over all dimensions as one is not modelled; each dimension takes " +
                           one->second);
  return one->second;
}

void Converter::read_implementations(Keys& system) {
  const std::map<std::string, std::string> keys = {{"all-reduce-implementation", "all_reduce"},
                                                   {"all-gather-implementation", "all_gather"},
                                                   {"reduce-scatter-implementation", "reduce_scatter"},
                                                   {"all-to-all-implementation", "all_to_all"}};
  for (const auto& [key, ours] : keys) {
    if (const auto custom = system.words(key + "-custom")) {
      if (custom->size() != 1)
        system.fail(key + "-custom",
                    "must be one algorithm, for all dimensions: a PREFIX of PREFIX.<rank>.et, or an "
                    "MSCCL program (.xml)");
      custom_[ours] = absolute(custom->front());
      system.words(key);
      continue;
    }
    auto names = system.words(key);
    if (!names) continue;
    if (names->size() == 1 && names->front().rfind("one", 0) == 0)
      names->assign(sizes_.size(), names->front());
    if (names->size() != sizes_.size())
      system.fail(key, fmt::format("needs an algorithm for each of the {} dimensions", sizes_.size()));
    for (std::size_t d = 0; d < names->size(); ++d) {
      const std::string algorithm = algorithm_of(system, key, (*names)[d], sizes_[d]);
      if (ours == "all_to_all" && algorithm != "direct")
        warn(system_path_, "'" + key + "': all-to-all goes direct, not by " + (*names)[d]);
      algorithms_[ours].push_back(ours == "all_to_all" ? "direct" : algorithm);
    }
  }
}

void Converter::read_compute(Keys& system) {
  if (const auto peak = system.number("peak-perf"))
    peak_ = fmt::format("{} GFLOPS", std::max<long long>(std::llround(*peak * 1000), 1));
  if (const auto rate = system.number("local-mem-bw")) memory_gb_per_s_ = *rate;
  const bool replay = system.number("replay-only").value_or(0) != 0;
  roofline_ = system.number("roofline-enabled").value_or(0) != 0 && !replay;
  if (roofline_ && (peak_.empty() || memory_gb_per_s_ == 0))
    system.fail("roofline-enabled", "needs peak-perf and local-mem-bw");
}

void Converter::read_system(const std::string& path) {
  system_path_ = path;
  Keys system(path, false);
  const std::string policy = system.word("scheduling-policy", {"LIFO", "FIFO", "EXPLICIT"}).value_or("LIFO");
  policy_ = policy == "LIFO" ? "lifo" : "fifo";
  if (policy == "EXPLICIT") warn(path, "'scheduling-policy': EXPLICIT is not modelled; FIFO takes its place");
  if (system.word("collective-optimization", {"baseline", "localBWAware"}).value_or("baseline") ==
      "localBWAware")
    order_ = "local_bandwidth_aware";
  if (const auto active = system.number("active-chunks-per-dimension")) {
    if (*active < 1 || *active != std::floor(*active))
      system.fail("active-chunks-per-dimension", "must be a whole number from 1 on");
    active_ = fmt::format("{}", std::llround(*active));
  }
  if (const auto splits = system.number("preferred-dataset-splits")) {
    if (*splits < 1 || *splits != std::floor(*splits))
      system.fail("preferred-dataset-splits", "must be a whole number from 1 on");
    splits_ = fmt::format("{}", std::llround(*splits));
  }
  endpoint_delay_ns_ = system.number("endpoint-delay").value_or(0);
  read_compute(system);
  if (system.skip("local-reduction-delay") && memory_gb_per_s_ == 0)
    warn(path, "'local-reduction-delay' is not modelled: without local-mem-bw a reduction takes no time");
  if (system
          .word("intra-dimension-scheduling",
                {"FIFO", "SCF", "RG", "smallestFirst", "lessRemainingPhaseFirst"})
          .value_or("FIFO") == "SCF")
    within_ = "smallest_first";
  const std::string inter =
      system
          .word("inter-dimension-scheduling", {"baseline", "themis", "ascending", "onlineGreedy",
                                               "roundRobin", "offlineGreedy", "offlineGreedyFlex"})
          .value_or("baseline");
  if (inter == "themis") order_ = "themis";
  if (inter != "baseline" && inter != "themis" && inter != "ascending")
    warn(path, "'inter-dimension-scheduling': " + inter + " is not modelled; baseline takes its place");
  read_implementations(system);
  for (const char* const key : {"boost-mode", "track-local-mem", "local-mem-trace-filename", "trace-enabled",
                                "L", "o", "g", "G", "model-shared-bus", "scheduling-queue", "tensor-size",
                                "communication-delay", "chunk-size", "per-node-custom-implementation"})
    if (system.skip(key)) warn(path, std::string("'") + key + "' is not modelled and has no effect");
  system.require_all_known();
}

/// As its analytical remote memory: a server has one whole access at a time, latency + bytes / bandwidth; an
/// NPU's own never waits. Nothing of it passes through the local memory.
void Converter::read_remote_memory(const std::string& path) {
  Keys memory(path, false);
  const std::string type = memory
                               .word("memory-type", {"NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION",
                                                     "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL"})
                               .value_or("NO_MEMORY_EXPANSION");
  const auto latency = memory.number("remote-mem-latency"), rate = memory.number("remote-mem-bw");
  const auto nodes = memory.number("num-nodes"), each = memory.number("num-npus-per-node");
  memory.require_all_known();
  no_remote_memory_ = type == "NO_MEMORY_EXPANSION";
  if (no_remote_memory_) return;
  if (!latency || !rate || *rate == 0)
    throw std::invalid_argument(path + ": needs remote-mem-latency and remote-mem-bw, above 0");
  std::string kind = type == "MEMORY_POOL" ? "shared" : "per_npu";
  if (type == "PER_NODE_MEMORY_EXPANSION") {
    if (!nodes || !each)
      throw std::invalid_argument(path + ": " + type + " needs num-nodes and num-npus-per-node");
    if (*each < 1 || *each != std::floor(*each) || *nodes * *each != static_cast<double>(npus_))
      throw std::invalid_argument(
          fmt::format("{}: {} nodes of {} NPUs are not the network's {}", path, *nodes, *each, npus_));
    kind = fmt::format("per_node, npus_per_node: {}", std::llround(*each));
  }
  remote_ = fmt::format(
      "remote_memory: {{kind: {}, capacity: 1000 PB, bandwidth: {} B/s, latency: {}, service: accesses, "
      "local: free}}\n",
      kind, std::llround(*rate * 1e9), picoseconds(*latency));
}

std::string Converter::platform_yaml() const {
  std::string text =
      "# From ASTRA-sim's files.\nplatform: astra-sim\nwafer:\n  fabric:\n    kind: dimensional\n    "
      "dimensions:\n";
  for (const std::string& dimension : dimensions_) text += "      - " + dimension + "\n";
  text += "    transport: messages\n    header_bytes: 0 B\n";
  text += "npu:\n";
  if (!peak_.empty()) text += "  peak: " + peak_ + "\n";
  if (roofline_) {
    text += "  compute: {durations: roofline}\n";
    text += fmt::format("  hbm: {{read_bandwidth: {} B/s, write_bandwidth: {} B/s, capacity: 1000 PB}}\n",
                        std::llround(memory_gb_per_s_ * 1e9), std::llround(memory_gb_per_s_ * 1e9));
  } else {
    text += "  hbm: {capacity: 1000 PB}\n";
  }
  text += fmt::format("  endpoint: {{receive_cost: {0}, stage_cost: {0}", picoseconds(endpoint_delay_ns_));
  if (memory_gb_per_s_ > 0)
    text += fmt::format(", reduction_bandwidth: {} B/s", std::llround(memory_gb_per_s_ * 1e9));
  text += fmt::format(
      "}}\nsequencer: {{policy: {}}}\ncollectives:\n  chunks: {}\n  dimensions:\n    order: {}\n    "
      "within: {}\n    active_chunks: {}\n",
      policy_, splits_, order_, within_, active_);
  for (const auto& [type, list] : algorithms_)
    text += fmt::format("    {}: [{}]\n", type, fmt::join(list, ", "));
  if (direct_window_ != 0) text += fmt::format("    direct_window: {}\n", direct_window_);
  if (!custom_.empty()) text += "  custom:\n";
  for (const auto& [type, path] : custom_) text += "    " + type + ": '" + path + "'\n";
  return text + remote_ + "run: {watchdog: 9000000 s}\n";
}

}  // namespace

Conversion convert(const Files& files, const std::string& platform_file) {
  for (const auto& [name, path] : {std::pair("network", files.network), std::pair("system", files.system)})
    if (!is_given(path)) throw std::invalid_argument(std::string("--") + name + "-configuration is missing");
  Converter converter;
  converter.read_network(files.network);
  converter.read_system(files.system);
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
