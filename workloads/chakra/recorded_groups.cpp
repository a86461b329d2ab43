// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/recorded_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "workloads/chakra/group_name.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm::chakra {
namespace {

using Json = nlohmann::json;

/// Groups are defined before anything communicates: converters put them behind the process and the thread.
constexpr std::size_t kNodesLookedAt = 100;

/// [0, 1] or "[0, 1]".
std::optional<std::vector<std::uint32_t>> ranks_of(const Json& value) {
  if (value.is_string()) {
    const Json list = Json::parse(value.get<std::string>(), nullptr, false);
    return list.is_array() ? ranks_of(list) : std::nullopt;
  }
  if (!value.is_array()) return std::nullopt;
  std::vector<std::uint32_t> ranks;
  for (const Json& rank : value) {
    if (!rank.is_number_unsigned() || rank.get<std::uint64_t>() > 0xFFFFFFFFU) return std::nullopt;
    ranks.push_back(rank.get<std::uint32_t>());
  }
  return ranks;
}

std::string name_of(const Json& group) {
  const auto name = group.find("pg_name");
  if (name == group.end()) return "";
  if (name->is_string()) return plain_group_name(name->get<std::string>());
  return name->is_number() ? plain_group_name(name->dump()) : "";
}

}  // namespace

std::vector<RecordedGroup> recorded_groups(std::string_view inputs) {
  const std::size_t begin = inputs.find("[{"), end = inputs.rfind("}]");
  if (begin == inputs.npos || end == inputs.npos || end < begin) return {};
  std::string text(inputs.substr(begin, end + 2 - begin));
  Json list = Json::parse(text, nullptr, false);
  if (list.is_discarded()) {  // a text in a text
    text.erase(std::remove(text.begin(), text.end(), '\\'), text.end());
    list = Json::parse(text, nullptr, false);
  }
  std::vector<RecordedGroup> groups;
  if (!list.is_array()) return groups;
  for (const Json& group : list) {
    if (!group.is_object()) continue;
    const std::string name = name_of(group);
    auto ranks = ranks_of(group.value("ranks", Json::array()));
    if (!name.empty() && ranks) groups.push_back({name, std::move(*ranks)});
  }
  return groups;
}

namespace {

class FoundGroups {
 public:
  explicit FoundGroups(std::uint32_t num_ranks) : num_ranks_(num_ranks), none_(num_ranks) {}

  /// Leaves the source rewound.
  void look_into(NodeSource& source) {
    Node node;
    for (std::size_t i = 0; i < kNodesLookedAt && source.next(node); ++i)
      if (node.name == kGroupsNode)
        for (RecordedGroup& group : recorded_groups(source.io().inputs.values)) add(group, source.name());
    source.rewind();
  }
  CommGroups groups() const { return CommGroups::from_map(found_, num_ranks_); }

 private:
  void add(RecordedGroup& group, const std::string& file) {
    // All ranks, also where others play the trace than it was recorded on.
    if (none_.canonical(group.name).empty()) return;
    if (group.ranks.empty()) {
      group.ranks.resize(num_ranks_);
      std::iota(group.ranks.begin(), group.ranks.end(), 0U);
    }
    if (*std::max_element(group.ranks.begin(), group.ranks.end()) >= num_ranks_) return;
    const auto [known, is_new] = found_.emplace(group.name, group.ranks);
    if (!is_new && known->second != group.ranks)
      throw TraceError(fmt::format("{}: group \"{}\" has other ranks than in {}; give a file of groups", file,
                                   printable(group.name), defined_in_[group.name]));
    defined_in_.emplace(group.name, file);
  }

  const std::uint32_t num_ranks_;
  const CommGroups none_;
  std::map<std::string, std::vector<std::uint32_t>> found_;
  std::map<std::string, std::string> defined_in_;
};

}  // namespace

CommGroups recorded_groups(const std::vector<std::string>& files, std::uint32_t num_ranks) {
  FoundGroups found(num_ranks);
  for (const std::string& file : files) found.look_into(*open_trace(file));
  return found.groups();
}

CommGroups recorded_groups(const std::vector<std::unique_ptr<NodeSource>>& traces, std::uint32_t num_ranks) {
  FoundGroups found(num_ranks);
  for (const auto& trace : traces) found.look_into(*trace);
  return found.groups();
}

}  // namespace wafertlm::chakra
