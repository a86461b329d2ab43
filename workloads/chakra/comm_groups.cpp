// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/comm_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "tlm/input/file.h"
#include "workloads/chakra/group_name.h"

namespace wafertlm::chakra {
namespace {

using Json = nlohmann::json;

const std::string kAll;
const std::string kAllToo = "0";

/// nlohmann keeps the last of two equal keys without a word.
Json parse(const std::string& text, const std::string& where) {
  std::set<std::string> seen;
  const auto refuse_twice = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1 && !seen.insert(parsed.get<std::string>()).second)
      throw TraceError(where + ": group " + parsed.dump() + " is given twice");
    return true;
  };
  try {
    return Json::parse(text, refuse_twice);
  } catch (const Json::parse_error& error) {
    const JsonProblem problem = json_problem(text, error.byte, error.what());
    throw TraceError(fmt::format("{}:{}:{}: {}", where, problem.line, problem.column, problem.why));
  } catch (const Json::exception& error) {
    throw TraceError(where + ": " + json_problem(text, 0, error.what()).why);
  }
}

std::vector<std::uint32_t> rank_list(const Json& list, std::uint32_t num_ranks, const std::string& where) {
  if (!list.is_array()) throw TraceError(where + ": not a list of ranks");
  std::vector<std::uint32_t> ranks;
  for (const Json& rank : list) {
    if (!rank.is_number_unsigned() || rank.get<std::uint64_t>() >= num_ranks)
      throw TraceError(
          fmt::format("{}: {} is not a rank of this job (0 to {})", where, rank.dump(), num_ranks - 1));
    ranks.push_back(rank.get<std::uint32_t>());
  }
  return ranks;
}

}  // namespace

std::string plain_group_name(const std::string& name) {
  const std::size_t point = name.find('.');
  const bool is_number = point != 0 && point != name.npos && name.find_first_not_of("0123456789") == point &&
                         name.find_first_not_of('0', point + 1) == name.npos;
  return is_number ? name.substr(0, point) : name;
}

CommGroups::CommGroups(std::uint32_t num_ranks) : num_ranks_(num_ranks) {
  if (num_ranks == 0) throw TraceError("a job needs at least one rank");
  all_.ranks.resize(num_ranks);
  std::iota(all_.ranks.begin(), all_.ranks.end(), 0U);
  all_.sorted = all_.ranks;
}

CommGroups CommGroups::from_file(const std::string& path, std::uint32_t num_ranks) {
  return from_text(as_trace_error([&] { return read_input(path); }), num_ranks, path);
}

CommGroups CommGroups::from_map(const std::map<std::string, std::vector<std::uint32_t>>& groups,
                                std::uint32_t num_ranks) {
  return from_text(Json(groups).dump(), num_ranks, "communicator groups");
}

CommGroups CommGroups::from_text(const std::string& text, std::uint32_t num_ranks, const std::string& where) {
  CommGroups groups(num_ranks);
  const Json json = parse(text, where);
  if (!json.is_object()) throw TraceError(where + R"(: expected an object like {"1": [0, 1]})");
  for (const auto& [name, list] : json.items()) {
    const std::string place = std::string(where).append(": group \"").append(name).append("\"");
    groups.add(name, rank_list(list, num_ranks, place), place);
  }
  for (auto& [name, group] : groups.groups_) {
    group.number = groups.names_.size();
    groups.names_.push_back(name);
  }
  return groups;
}

void CommGroups::add(const std::string& name, std::vector<std::uint32_t> ranks, const std::string& where) {
  if (ranks.empty()) throw TraceError(where + " is empty");
  Group group;
  group.sorted = ranks;
  group.ranks = std::move(ranks);
  std::sort(group.sorted.begin(), group.sorted.end());
  const auto twice = std::adjacent_find(group.sorted.begin(), group.sorted.end());
  if (twice != group.sorted.end()) throw TraceError(fmt::format("{} holds rank {} twice", where, *twice));
  groups_.emplace(name, std::move(group));
}

void CommGroups::add(const std::string& name, std::vector<std::uint32_t> ranks) {
  if (groups_.count(name) != 0) throw TraceError("group \"" + name + "\" is there already");
  add(name, std::move(ranks), "group \"" + name + "\"");
  groups_.at(name).number = names_.size();
  names_.push_back(name);
}

const std::string& CommGroups::canonical(const std::string& name) const {
  if (groups_.count(name) != 0) return name;
  const std::string plain = plain_group_name(name);
  const auto known = groups_.find(plain);
  if (known != groups_.end()) return known->first;
  return plain == kAllToo ? kAll : name;
}

const CommGroups::Group& CommGroups::find(const std::string& name) const {
  if (const auto found = groups_.find(name); found != groups_.end()) return found->second;
  const std::string& known = canonical(name);
  if (known.empty()) return all_;
  if (const auto found = groups_.find(known); found != groups_.end()) return found->second;
  std::string defined;
  for (const auto& entry : groups_) defined += (defined.empty() ? "\"" : ", \"") + entry.first + "\"";
  throw TraceError(
      "group \"" + printable(name) + "\" is not defined; " +
      (defined.empty() ? "there is no group file: name it with the workload" : "defined are " + defined));
}

std::map<std::string, std::vector<std::uint32_t>> CommGroups::to_map() const {
  std::map<std::string, std::vector<std::uint32_t>> all;
  for (const auto& [name, group] : groups_) all.emplace(name, group.ranks);
  return all;
}

bool CommGroups::holds(const std::string& name, std::uint32_t rank) const {
  const Group& group = find(name);
  return std::binary_search(group.sorted.begin(), group.sorted.end(), rank);
}

}  // namespace wafertlm::chakra
