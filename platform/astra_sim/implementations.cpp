// SPDX-License-Identifier: Apache-2.0
#include "platform/astra_sim/implementations.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <utility>

#include "platform/config/suggest.h"

namespace wafertlm::astra_sim {
namespace {

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
  Reader(InputKeys& system, std::size_t dimensions) : system_(system), dimensions_(dimensions) {}

  Implementations read() {
    for (const Type& type : kTypes) read(type);
    if (!by_type_.empty()) to_.algorithms += fmt::format("  by_type: {{{}}}\n", by_type_);
    if (!partial_.empty()) to_.algorithms += fmt::format("  partial_groups: {{{}}}\n", partial_);
    if (window_ != 0) to_.by_dimension += fmt::format("    direct_window: {}\n", window_);
    if (!to_.custom.empty()) to_.custom = "  custom:\n" + to_.custom;
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
      to_.custom += fmt::format("    {}: '{}'\n", type.ours, path.string());
      return;
    }
    if (!names) return;
    if (names->empty()) system_.fail(key, "needs an algorithm for each dimension");
    const Name first = taken_apart(type, names->front());
    // What stands behind a name that takes all dimensions has no effect; often there is nothing.
    if (first.one) {
      add(by_type_, type, "one_" + first.algorithm);
      set_window(type, first);
    } else {
      by_dimension(type, *names);
    }
    // ASTRA-sim: a group of some NPUs is one logical dimension, and a ring if the list has several.
    if (names->size() > 1 || (dimensions_ == 1 && first.algorithm != "auto"))
      add(partial_, type, "one_" + (names->size() > 1 ? "ring" : first.algorithm));
  }

  void by_dimension(const Type& type, const std::vector<std::string>& names) {
    if (names.size() != dimensions_)
      system_.fail(type.key, fmt::format("needs an algorithm for each of the {} dimensions", dimensions_));
    std::string list;
    for (const std::string& word : names) {
      const Name name = taken_apart(type, word);
      if (name.one) system_.fail(type.key, "has " + word + " behind an algorithm of one dimension");
      set_window(type, name);
      list += (list.empty() ? "" : ", ") + name.algorithm;
    }
    to_.by_dimension += fmt::format("    {}: [{}]\n", type.ours, list);
  }

  Name taken_apart(const Type& type, const std::string& word) {
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
      if (name.window > 65'536) system_.fail(type.key, "has a window above 65536");
      text = "direct";
    }
    if (text == "doubleBinaryTree" && !name.one) {
      warn(type, word + " is not modelled within a dimension; auto takes its place");
      name.algorithm = "auto";
      return name;
    }
    const auto found = words.find(text);
    if (found == words.end())
      system_.fail(type.key, "has the unknown algorithm '" + word + "'" +
                                 config::suggestion(word,
                                                    {"ring", "direct", "halvingDoubling", "doubleBinaryTree",
                                                     "oneRing", "oneDirect", "oneHalvingDoubling"},
                                                    "there are"));
    name.algorithm = found->second;
    if (type.type == chakra::CollectiveType::AllToAll && name.algorithm == "halving_doubling") {
      warn(type, "all-to-all goes direct, not by " + word);
      name.algorithm = "direct";
    }
    return name;
  }

  void set_window(const Type& type, const Name& name) {
    if (name.window == 0) return;
    if (window_ != 0 && window_ != name.window)
      warn(type, fmt::format("windows of direct differ; all take {}", window_));
    else
      window_ = name.window;
  }
  void warn(const Type& type, const std::string& text) {
    const std::string full = fmt::format("'{}': {}", type.key, text);
    for (const Warning& warning : to_.warnings)
      if (warning.text == full) return;
    to_.warnings.push_back({full, type.type});
  }
  static void add(std::string& list, const Type& type, const std::string& algorithm) {
    list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", type.ours, algorithm);
  }

  InputKeys& system_;
  std::size_t dimensions_;
  Implementations to_;
  std::string by_type_, partial_;
  std::uint32_t window_ = 0;
};

}  // namespace

Implementations read_implementations(InputKeys& system, std::size_t dimensions) {
  return Reader(system, dimensions).read();
}

}  // namespace wafertlm::astra_sim
