// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/support/random_platform.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/node_source.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm::test {
namespace {

using Random = std::mt19937_64;
using Ranks = std::vector<std::uint32_t>;

/// What some ranks do at one place of the job.
struct Act {
  chakra::Node node;
  std::vector<std::string> groups;  // of a collective: all of these at once, each on its own
  Ranks ranks;                      // all that take part; of a message the sender and the receiver
  bool is_message = false;
  std::vector<std::size_t> after;  // acts of the same layer
};
using Layer = std::vector<Act>;

class JobWriter {
 public:
  JobWriter(const std::string& folder, std::uint64_t seed, std::optional<std::uint64_t> repeats,
            WritePlatform* write_platform)
      : folder_(folder), random_(seed), platform_(write_platform(folder, random_)), repeats_(repeats) {}

  std::string write() {
    make_groups();
    is_calm_ = one_in(random_, 2);
    std::vector<Layer> layers(between(random_, 1, 3));
    for (Layer& layer : layers) layer = make_layer();
    ranks_.resize(platform_.npus);
    add({make_compute()});  // no rank is without a node
    // As in a model: the same layers again and again.
    std::uint64_t repeats = is_calm_ ? between(random_, 6, 16) : between(random_, 1, 5);
    if (repeats_) repeats = *repeats_;
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat)
      for (const Layer& layer : layers) add(layer);
    for (std::uint32_t rank = 0; rank < platform_.npus; ++rank) {
      chakra::VectorSource source("rank", ranks_[rank].nodes);
      chakra::write_trace_file(source, fmt::format("{}/job.{}.et", folder_, rank));
    }
    const bool names_group = std::any_of(layers.begin(), layers.end(), [](const Layer& layer) {
      return std::any_of(layer.begin(), layer.end(),
                         [](const Act& act) { return !act.groups.empty() && !act.groups.front().empty(); });
    });
    const std::string path = folder_ + "/experiment.yaml";
    std::ofstream(path) << fmt::format(
        "experiment: random\nplatform: platform.yaml\nworkload: {{workload: random, chakra: job{}}}\n"
        "iterations: 2\nbarrier: {}\n",
        names_group ? ", comm_groups: groups.json" : "", one_in(random_, 2));
    return path;
  }

 private:
  struct Rank {
    std::vector<chakra::Node> nodes;
    std::vector<std::uint64_t> layer_before;  // its nodes
  };

  /// All ranks in blocks or strides of equal size, or some of them, in order or not.
  void make_groups() {
    std::string text;
    const auto add_group = [&](Ranks ranks, std::vector<std::string>& names) {
      if (one_in(random_, 5)) std::shuffle(ranks.begin(), ranks.end(), random_);
      names.push_back(fmt::format("g{}", groups_.size()));
      text += fmt::format("{}\"{}\": [{}]", text.empty() ? "" : ", ", names.back(), fmt::join(ranks, ", "));
      groups_.push_back(std::move(ranks));
    };
    const std::uint32_t npus = platform_.npus;
    partitions_.push_back({""});
    for (std::uint32_t size = 2; size < npus; ++size) {
      if (npus % size != 0) continue;
      for (const bool strided : {false, true}) {
        std::vector<std::string>& names = partitions_.emplace_back();
        for (std::uint32_t g = 0; g < npus / size; ++g) {
          Ranks ranks;
          for (std::uint32_t k = 0; k < size; ++k)
            ranks.push_back(strided ? g + k * (npus / size) : g * size + k);
          add_group(ranks, names);
        }
      }
    }
    for (int k = 0; k < 2; ++k) {
      Ranks ranks = all();
      std::shuffle(ranks.begin(), ranks.end(), random_);
      ranks.resize(between(random_, 2, npus));
      add_group(ranks, partitions_.emplace_back());
    }
    std::ofstream(folder_ + "/groups.json") << "{" << text << "}\n";
  }
  Ranks all() const {
    Ranks ranks;
    for (std::uint32_t rank = 0; rank < platform_.npus; ++rank) ranks.push_back(rank);
    return ranks;
  }
  const Ranks& ranks_of(const std::string& group) const { return groups_[std::stoul(group.substr(1))]; }

  Act make_compute() {
    Act act;
    act.node = compute(0, between(random_, 0, 40) * (one_in(random_, 2) ? 1'000'000 : 12'345));
    act.node.is_cpu_op = one_in(random_, 4);
    act.ranks = all();
    return act;
  }
  /// Few packets or many: of many, something repeats.
  std::uint64_t some_bytes(std::uint64_t most_packets) {
    if (is_calm_) most_packets /= 6;
    const double octaves = 2 + std::log2(static_cast<double>(most_packets));
    const double packets = std::exp2(octaves * static_cast<double>(random_() % 1000) / 1000 - 2);
    return std::max<std::uint64_t>(4, static_cast<std::uint64_t>(packets * platform_.packet_bytes) /
                                          (one_in(random_, 3) ? 1024 : 4) * (one_in(random_, 3) ? 1024 : 4));
  }
  Act make_collective() {
    using Type = chakra::CollectiveType;
    static constexpr Type kTypes[] = {Type::AllReduce, Type::AllReduce,     Type::AllReduce, Type::AllGather,
                                      Type::AllToAll,  Type::ReduceScatter, Type::Broadcast, Type::Reduce,
                                      Type::Gather,    Type::Scatter};
    static const char* const kClasses[] = {"dp", "mp", "ep", "pp"};
    Act act;
    act.groups = pick_of(random_, partitions_);
    for (const std::string& group : act.groups) {
      const Ranks ranks = group.empty() ? all() : ranks_of(group);
      act.ranks.insert(act.ranks.end(), ranks.begin(), ranks.end());
    }
    act.node = all_reduce(0, 0, {}, some_bytes(900));
    act.node.comm_type = pick_of(random_, kTypes);
    if (act.node.comm_type == Type::AllGather)
      act.node.comm_size = std::max<std::uint64_t>(4, *act.node.comm_size / platform_.npus);
    act.node.comm_class = pick_of(random_, kClasses);
    act.node.comm_priority = static_cast<std::uint32_t>(random_() % 3);
    return act;
  }
  /// Between the wafer and the outside.
  Act make_stream() {
    Act act = make_collective();
    act.node.comm_type =
        one_in(random_, 2) ? chakra::CollectiveType::Broadcast : chakra::CollectiveType::Reduce;
    act.node.comm_class = "weights";
    act.node.io_stream = true;
    act.groups = {""};
    act.ranks = all();
    return act;
  }
  Act make_message() {
    Act act;
    act.is_message = true;
    act.ranks = all();
    std::shuffle(act.ranks.begin(), act.ranks.end(), random_);
    act.ranks.resize(2);
    act.node.comm_size = some_bytes(600);
    act.node.comm_class = one_in(random_, 3) ? "dp" : "pp";
    return act;
  }
  Act make_access() {
    Act act;
    act.node = one_in(random_, 2) ? load(0, 0) : store(0, 0);
    act.node.tensor_size = some_bytes(200);
    act.ranks = all();
    return act;
  }
  Act make_act() {
    if (platform_.has_remote && one_in(random_, 6)) return make_access();
    if (platform_.has_io && one_in(random_, 6)) return make_stream();
    if (one_in(random_, 4)) return make_message();
    return one_in(random_, 2) ? make_compute() : make_collective();
  }
  /// A calm one begins with so long a computation that all packets are there when it ends.
  Layer make_layer() {
    Layer layer;
    if (is_calm_) {
      layer.push_back(make_compute());
      layer.back().node.duration_ps += 400'000'000;
      layer.back().node.is_cpu_op = false;
    }
    for (std::uint64_t k = layer.size(), acts = between(random_, 1, is_calm_ ? 4 : 6); k < acts; ++k) {
      layer.push_back(make_act());
      for (std::size_t before = 0; before < k; ++before)
        if (one_in(random_, 2) || (is_calm_ && before == 0)) layer.back().after.push_back(before);
    }
    if (layer.empty() || (is_calm_ && layer.size() == 1)) layer.push_back(make_collective());
    return layer;
  }

  /// To the traces. Some take a little longer than the last time.
  void add(const Layer& layer) {
    std::vector<std::vector<std::optional<std::uint64_t>>> ids(
        layer.size(), std::vector<std::optional<std::uint64_t>>(platform_.npus));
    for (std::size_t k = 0; k < layer.size(); ++k) {
      const Act& act = layer[k];
      ++acts_;
      const auto add_node = [&](std::uint32_t rank, chakra::Node node) {
        node.id = ranks_[rank].nodes.size();
        node.name = fmt::format("n{}", node.id);
        for (const std::size_t before : act.after)
          if (ids[before][rank]) node.data_deps.push_back(*ids[before][rank]);
        if (node.data_deps.empty()) node.data_deps = ranks_[rank].layer_before;
        ids[k][rank] = node.id;
        ranks_[rank].nodes.push_back(std::move(node));
      };
      if (act.is_message) {
        add_message(act, add_node);
      } else if (!act.groups.empty()) {
        for (const std::string& group : act.groups)
          for (const std::uint32_t rank : group.empty() ? all() : ranks_of(group)) {
            chakra::Node node = act.node;
            node.pg_name = group;
            add_node(rank, node);
          }
      } else {
        const std::uint64_t late = one_in(random_, 25) ? random_() % platform_.npus : platform_.npus;
        for (const std::uint32_t rank : act.ranks) {
          chakra::Node node = act.node;
          if (rank == late) node.duration_ps += between(random_, 1, 3'000'000);
          add_node(rank, node);
        }
      }
    }
    for (std::uint32_t rank = 0; rank < platform_.npus; ++rank) {
      std::vector<std::uint64_t> nodes;
      for (const auto& of_act : ids)
        if (of_act[rank]) nodes.push_back(*of_act[rank]);
      if (!nodes.empty()) ranks_[rank].layer_before = nodes;
    }
  }
  template <typename AddNode>
  void add_message(const Act& act, const AddNode& add_node) {
    const std::uint32_t from = act.ranks[0], to = act.ranks[1];
    chakra::Node out = send(0, to, acts_, 0), in = receive(0, from, acts_);
    out.comm_size = in.comm_size = act.node.comm_size;
    out.comm_class = in.comm_class = act.node.comm_class;
    add_node(from, out);
    add_node(to, in);
  }

  const std::string folder_;
  Random random_;
  const RandomPlatform platform_;
  const std::optional<std::uint64_t> repeats_;
  std::vector<Ranks> groups_;
  std::vector<std::vector<std::string>> partitions_;  // names of groups that share no rank
  std::vector<Rank> ranks_;
  std::uint32_t acts_ = 0;
  bool is_calm_ = false;  // moments without packets
};

}  // namespace

std::string write_random_job(const std::string& folder, std::uint64_t seed,
                             std::optional<std::uint64_t> repeats, WritePlatform* write_platform) {
  std::filesystem::create_directories(folder);
  return JobWriter(folder, seed, repeats, write_platform).write();
}

}  // namespace wafertlm::test
