// SPDX-License-Identifier: Apache-2.0
#include "platform/results/iteration_results.h"

#include <map>
#include <string>

#include "platform/command/format.h"

namespace wafertlm::results {
namespace {

/// The classes that every results file has, also when they are 0; others follow by name.
constexpr const char* kClasses[] = {"mp", "dp", "pp", "ep", "input", "weights", "memory"};

template <typename Value>
Json breakdown_s(const std::map<std::string, Value>& parts) {
  const auto part = [&](const std::string& name) {
    const auto found = parts.find(name);
    return found == parts.end() ? 0.0 : static_cast<double>(found->second) * 1e-12;
  };
  Json json = {{"compute", part("compute")}};
  for (const char* name : kClasses) json[std::string("exposed_") + name] = part(name);
  for (const auto& [name, value] : parts)
    if (name != "compute" && name != "idle") json["exposed_" + name] = part(name);
  json["idle"] = part("idle");
  return json;
}

Json breakdown_ps(const std::map<std::string, TimePs>& parts) {
  Json picoseconds = Json::object();
  for (const auto& [name, value] : parts) picoseconds[name] = value;
  return picoseconds;
}

struct RankRow {
  const IterationResult& of;
  std::size_t rank;
};

const Fields<RankRow>& rank_fields() {
  static const Fields<RankRow> fields = [] {
    using R = const RankRow&;
    Fields<RankRow> f;
    f.add("rank", schema::count(), [](R row) { return row.rank; });
    f.add("time_s", schema::seconds(), [](R row) { return seconds(row.of.end_ps - row.of.start_ps); });
    f.add("done_s", schema::seconds(), [](R row) { return seconds(row.of.rank_end_ps[row.rank]); });
    f.add("breakdown_s", schema::reference("breakdown"),
          [](R row) { return breakdown_s(row.of.ranks[row.rank]); });
    f.add("breakdown_ps", schema::reference("picoseconds_by_category"),
          [](R row) { return breakdown_ps(row.of.ranks[row.rank]); });
    return f;
  }();
  return fields;
}

Json ranks_json(const IterationResult& result) {
  Json ranks = Json::array();
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    ranks.push_back(rank_fields().json({result, rank}));
  return ranks;
}

}  // namespace

const Fields<IterationRow>& iteration_fields() {
  static const Fields<IterationRow> fields = [] {
    using R = const IterationRow&;
    Fields<IterationRow> f;
    f.add("time_s", schema::seconds(), [](R row) {
       return seconds(row.result.end_ps - row.result.start_ps);
     }).in_csv();
    f.add("time_ps", schema::count(), [](R row) { return row.result.end_ps - row.result.start_ps; });
    f.add("start_s", schema::seconds(), [](R row) { return seconds(row.result.start_ps); });
    f.add("end_s", schema::seconds(), [](R row) { return seconds(row.result.end_ps); });
    f.add("rank", schema::count("That finishes last, whose breakdown this is"),
          [](R row) { return row.result.last_rank; });
    f.add("breakdown_s", schema::reference("breakdown"), [](R row) { return breakdown_s(row.result.last); });
    f.add("breakdown_ps", schema::reference("picoseconds_by_category"),
          [](R row) { return breakdown_ps(row.result.last); });
    f.add("breakdown_min_s", schema::reference("breakdown"),
          [](R row) { return breakdown_s(row.result.least); });
    f.add("breakdown_mean_s", schema::reference("breakdown"),
          [](R row) { return breakdown_s(row.result.mean); });
    f.add("breakdown_max_s", schema::reference("breakdown"),
          [](R row) { return breakdown_s(row.result.most); });
    f.add(
        "ranks",
        schema::list(schema::reference("rank"),
                     "Empty where ranks times iterations are more than 100,000, but for the last iteration"),
        [](R row) { return row.with_ranks ? ranks_json(row.result) : Json::array(); });
    return f;
  }();
  return fields;
}

Json rank_schema() { return rank_fields().schema(); }

Json breakdown_schema() {
  Json required = {"compute"};
  for (const char* name : kClasses) required.push_back(std::string("exposed_") + name);
  required.push_back("idle");
  return {{"description", "The parts sum to the iteration's time"},
          {"type", "object"},
          {"required", required},
          {"propertyNames", {{"pattern", "^(compute|idle|exposed_.+)$"}}},
          {"additionalProperties", schema::seconds()}};
}

}  // namespace wafertlm::results
