// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/astra_sim/implementations.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <utility>

#include "platform/text/suggest.h"

namespace wafertlm::astra_sim {
namespace {

using config::Node;

struct Type {
  const char* key;
  const char* ours;
  chakra::CollectiveType type;
};
constexpr Type kTypes[] = {
    {"all-reduce-implementation", "all_reduce", chakra::CollectiveType::AllReduce},
    {"all-gather-implementation", "all_gather", chakra::CollectiveType::AllGather},
    {"reduce-scatter-implementation", "reduce_scatter", chakra::CollectiveType::ReduceScatter},
    {"all-to-all-implementation", "all_to_all", chakra::CollectiveType::AllToAll}};

/// One of its names taken apart: "oneDirect16" is one, direct, 16.
struct Name {
  bool one = false;       ///< all NPUs as one logical dimension
  std::string algorithm;  ///< ours within a dimension
  std::uint32_t window = 0;
};

class Reader {
 public:
  Reader(InputKeys& system, std::size_t dimensions, const std::string& order)
      : system_(system), dimensions_(dimensions), order_(order) {}

  Implementations read() {
    for (const Type& type : kTypes) read(type);
    for (const auto& [key, map] :
         {std::pair("by_type", by_type_), {"partial_groups", partial_}, {"custom", custom_}})
      if (map.kind != Node::Kind::empty) to_.algorithms.add(key, map);
    if (window_.kind != Node::Kind::empty) to_.by_dimension.add("direct_window", window_);
    return std::move(to_);
  }

 private:
  void read(const Type& type) {
    const std::string key = type.key, custom_key = key + "-custom";
    const auto names = system_.words(key);
    if (const auto custom = system_.words(custom_key)) {
      if (custom->size() != 1)
        system_.fail(custom_key,
                     "must be one algorithm, for all dimensions: a PREFIX of PREFIX.<rank>.et, or an MSCCL "
                     "program (.xml)");
      const std::filesystem::path path = std::filesystem::absolute(custom->front()).lexically_normal();
      custom_.add(type.ours, Node::string(path.string(), system_.place(custom_key)));
      return;
    }
    if (!names) return;
    if (names->empty()) system_.fail(key, "needs an algorithm for each dimension");
    const Name first = taken_apart(type, 0, names->front());
    // What stands behind a name that takes all dimensions has no effect; often there is nothing.
    if (first.one) {
      add(by_type_, type, "one_" + first.algorithm);
      set_window(type, first);
    } else {
      by_dimension(type, *names);
    }
    // ASTRA-sim: a group of some NPUs is one logical dimension, and a ring if the list has several.
    const bool has_one = first.algorithm != "auto" && first.algorithm != "double_binary_tree";
    if (names->size() > 1 || (dimensions_ == 1 && has_one))
      add(partial_, type, "one_" + (names->size() > 1 ? "ring" : first.algorithm));
  }

  void by_dimension(const Type& type, const std::vector<std::string>& names) {
    if (names.size() != dimensions_)
      system_.fail(type.key, fmt::format("needs an algorithm for each of the {} dimensions", dimensions_));
    Node list = Node::list({});
    list.place = system_.place(type.key);
    for (std::size_t d = 0; d < names.size(); ++d) {
      const Name name = taken_apart(type, d, names[d]);
      if (name.one) system_.fail(type.key, d, "stands behind an algorithm of one dimension");
      set_window(type, name);
      list.items.push_back(system_.at(type.key, d, name.algorithm));
    }
    to_.by_dimension.add(type.ours, list);
  }

  Name taken_apart(const Type& type, std::size_t item, const std::string& word) {
    static const std::map<std::string, std::string> words = {
        {"ring", "ring"}, {"direct", "direct"}, {"halvingDoubling", "halving_doubling"}};
    Name name;
    std::string text = word;
    if (text.rfind("one", 0) == 0 && text.size() > 3) {
      name.one = true;
      text = static_cast<char>(text[3] - 'A' + 'a') + text.substr(4);
    }
    const bool has_window = text.rfind("direct", 0) == 0 && text.size() > 6 && text.size() <= 11 &&
                            text.find_first_not_of("0123456789", 6) == std::string::npos;
    if (has_window) {
      name.window = static_cast<std::uint32_t>(std::stoul(text.substr(6)));
      if (name.window > 65'536) system_.fail(type.key, item, "has a window above 65536");
      text = "direct";
    }
    if (text == "doubleBinaryTree" && !name.one) {
      name.algorithm = is_all_reduce(type, item) ? "double_binary_tree" : "auto";
      if (name.algorithm == "auto")
        warn(type, word + " does all-reduces only, and the dimension has others; auto takes its place");
      return name;
    }
    const auto found = words.find(text);
    if (found == words.end())
      system_.fail(type.key, item,
                   "has an unknown algorithm" +
                       config::suggestion(word,
                                          {"ring", "direct", "halvingDoubling", "doubleBinaryTree", "oneRing",
                                           "oneDirect", "oneHalvingDoubling"},
                                          "there are"));
    name.algorithm = found->second;
    if (type.type == chakra::CollectiveType::AllToAll && name.algorithm == "halving_doubling") {
      warn(type, "all-to-all goes direct, not by " + word);
      name.algorithm = "direct";
    }
    return name;
  }

  /// Whether that is all there is to do in a dimension.
  bool is_all_reduce(const Type& type, std::size_t dimension) const {
    return type.type == chakra::CollectiveType::AllReduce &&
           (order_ == "per_dimension" || (order_ == "local_bandwidth_aware" && dimension + 1 == dimensions_));
  }
  void set_window(const Type& type, const Name& name) {
    if (name.window == 0) return;
    const std::string window = std::to_string(name.window);
    if (window_.kind != Node::Kind::empty && window_.text != window)
      warn(type, fmt::format("windows of direct differ; all take {}", window_.text));
    else
      window_ = system_.at(type.key, window);
  }
  void warn(const Type& type, const std::string& text) {
    const std::string full = fmt::format("{}: '{}': {}", system_.place(type.key).text(), type.key, text);
    for (const Warning& warning : to_.warnings)
      if (warning.text == full) return;
    to_.warnings.push_back({full, type.type});
  }
  void add(Node& map, const Type& type, const std::string& algorithm) {
    map.add(type.ours, system_.at(type.key, algorithm));
  }

  InputKeys& system_;
  std::size_t dimensions_;
  std::string order_;
  Implementations to_;
  Node by_type_, partial_, custom_, window_;  // empty: nothing is said
};

}  // namespace

Implementations read_implementations(InputKeys& system, std::size_t dimensions, const std::string& order) {
  return Reader(system, dimensions, order).read();
}

}  // namespace wafertlm::astra_sim
