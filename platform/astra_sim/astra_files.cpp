// SPDX-License-Identifier: Apache-2.0
#include "platform/astra_sim/astra_files.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "platform/config/suggest.h"

namespace wafertlm::astra_sim {
namespace {

using Json = nlohmann::json;

Json of_scalar(const std::string& text) {
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : Json(text);
}

Json of_yaml(const YAML::Node& node) {
  if (node.IsScalar()) return of_scalar(node.Scalar());
  Json json = node.IsMap() ? Json::object() : Json::array();
  if (node.IsSequence())
    for (const auto& item : node) json.push_back(of_yaml(item));
  if (node.IsMap())
    for (const auto& entry : node) {
      const auto key = entry.first.as<std::string>();
      if (json.contains(key)) throw std::invalid_argument("the key '" + key + "' is there twice");
      json[key] = of_yaml(entry.second);
    }
  return json;
}

/// A map of a file, read key by key. What nobody has asked for by the end is an error.
class Keys {
 public:
  /// JSON, or with `yaml` YAML. @throws std::invalid_argument
  Keys(const std::string& path, bool yaml) : path_(path) {
    std::ifstream in(path);
    if (!in) throw std::invalid_argument("cannot read " + path);
    try {
      values_ = yaml ? of_yaml(YAML::Load(in)) : Json::parse(in);
    } catch (const std::exception& error) {
      throw std::invalid_argument(path + ": " + error.what());
    }
    if (!values_.is_object()) throw std::invalid_argument(path + ": expected keys with values");
  }

  /// A number, also from "1" or a list of one. @throws std::invalid_argument: no number, or below 0.
  std::optional<double> number(const std::string& key) {
    const Json* value = find(key);
    if (!value) return {};
    if (value->is_array() && value->size() == 1) value = &value->front();
    const Json as_number = value->is_string() ? of_scalar(value->get<std::string>()) : *value;
    if (!as_number.is_number() || as_number.get<double>() < 0) fail(key, "must be a number from 0 on");
    return as_number.get<double>();
  }
  std::optional<std::string> word(const std::string& key, const std::vector<std::string>& allowed) {
    const Json* const value = find(key);
    if (!value) return {};
    const std::string text = value->is_string() ? value->get<std::string>() : "";
    if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
      fail(key, "must be one of " + config::listed(allowed));
    return text;
  }
  std::optional<std::vector<std::string>> words(const std::string& key) {
    const Json* const value = find(key);
    if (!value) return {};
    std::vector<std::string> words;
    for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
      if (!item.is_string()) fail(key, "must be a list of names");
      words.push_back(item.get<std::string>());
    }
    return words;
  }
  std::optional<std::vector<double>> numbers(const std::string& key) {
    const Json* const value = find(key);
    if (!value) return {};
    std::vector<double> numbers;
    for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
      if (!item.is_number() || item.get<double>() <= 0) fail(key, "must be a list of numbers above 0");
      numbers.push_back(item.get<double>());
    }
    return numbers;
  }
  /// Whether a key that is known but not modelled asks for something: it is there, and not 0, false or empty.
  bool skip(const std::string& key) {
    const Json* const value = find(key);
    if (!value) return false;
    const Json plain = value->is_string() ? of_scalar(value->get<std::string>()) : *value;
    return plain != Json(0) && plain != Json(false) && plain != Json("");
  }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw std::invalid_argument(path_ + ": '" + key + "' " + what + ", it is " + values_.at(key).dump());
  }
  /// @throws std::invalid_argument: a key that no call has named, with the nearest one that has been.
  void require_all_known() const {
    for (const auto& entry : values_.items())
      if (std::find(known_.begin(), known_.end(), entry.key()) == known_.end())
        throw std::invalid_argument(path_ + ": unknown key '" + entry.key() + "'" +
                                    config::suggestion(entry.key(), known_, "known keys"));
  }

 private:
  const Json* find(const std::string& key) {
    known_.push_back(key);
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &*found;
  }

  std::string path_;
  nlohmann::json values_;
  std::vector<std::string> known_;
};

bool is_given(const std::string& path) { return !path.empty() && path != "empty"; }

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

std::string picoseconds(double ns) { return fmt::format("{} ps", std::llround(ns * 1000)); }

/// Reads the files one after the other; the parts of the YAML come out at the end.
class Converter {
 public:
  void read_network(const std::string& path) {
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
  void read_system(const std::string& path) {
    system_path_ = path;
    Keys system(path, false);
    const std::string policy =
        system.word("scheduling-policy", {"LIFO", "FIFO", "EXPLICIT"}).value_or("LIFO");
    policy_ = policy == "LIFO" ? "lifo" : "fifo";
    if (policy == "EXPLICIT")
      warn(path, "'scheduling-policy': EXPLICIT is not modelled; FIFO takes its place");
    if (system.word("collective-optimization", {"baseline", "localBWAware"}).value_or("baseline") ==
        "localBWAware")
      order_ = "local_bandwidth_aware";
    for (const auto& [key, to] : {std::pair("active-chunks-per-dimension", &active_),
                                  std::pair("preferred-dataset-splits", &splits_)})
      if (const auto given = system.number(key)) {
        if (*given < 1 || *given != std::floor(*given)) system.fail(key, "must be a whole number from 1 on");
        *to = fmt::format("{}", std::llround(*given));
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
    for (const char* const key :
         {"boost-mode", "track-local-mem", "local-mem-trace-filename", "trace-enabled", "L", "o", "g", "G",
          "model-shared-bus", "scheduling-queue", "tensor-size", "communication-delay", "chunk-size",
          "per-node-custom-implementation"})
      if (system.skip(key)) warn(path, std::string("'") + key + "' is not modelled and has no effect");
    system.require_all_known();
  }
  /// As its analytical remote memory: a server has one whole access at a time, latency + bytes / bandwidth;
  /// an NPU's own never waits. Nothing of it passes through the local memory.
  void read_remote_memory(const std::string& path) {
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
  std::string platform_yaml() const {
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
  std::vector<std::string> warnings() const { return warnings_; }
  std::uint64_t npus() const { return npus_; }
  bool no_remote_memory() const { return no_remote_memory_; }

 private:
  void read_implementations(Keys& system) {
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
  /// Ours for one of its names.
  std::string algorithm_of(Keys& system, const std::string& key, const std::string& name, double npus) {
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
  void read_compute(Keys& system) {
    if (const auto peak = system.number("peak-perf"))
      peak_ = fmt::format("{} GFLOPS", std::max<long long>(std::llround(*peak * 1000), 1));
    if (const auto rate = system.number("local-mem-bw")) memory_gb_per_s_ = *rate;
    const bool replay = system.number("replay-only").value_or(0) != 0;
    roofline_ = system.number("roofline-enabled").value_or(0) != 0 && !replay;
    if (roofline_ && (peak_.empty() || memory_gb_per_s_ == 0))
      system.fail("roofline-enabled", "needs peak-perf and local-mem-bw");
  }
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
