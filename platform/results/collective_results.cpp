// SPDX-License-Identifier: Apache-2.0
#include "platform/results/collective_results.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "platform/command/format.h"

namespace wafertlm::results {
namespace {

/// Above this many collectives only totals and the worst are listed.
constexpr std::size_t kMaxCollectives = 100'000, kWorst = 1000;

double bus_bandwidth(const CollectiveRecord& record) {
  const double after_last_entry = seconds(record.end_ps - record.last_entry_ps);
  const double rate = after_last_entry > 0 ? static_cast<double>(record.bytes) / after_last_entry : 0;
  return rate * (record.io_stream ? 1 : bus_factor(record.type, record.group_size));
}

}  // namespace

const Fields<CollectiveRecord>& collective_fields() {
  static const Fields<CollectiveRecord> fields = [] {
    using R = const CollectiveRecord&;
    Fields<CollectiveRecord> f;
    f.add("id", schema::count(), [](R row) { return row.id; });
    f.add("name", schema::text(), [](R row) { return row.name; });
    f.add("type", schema::text(), [](R row) { return row.type_name(); });
    f.add("algorithm", schema::text("That really ran"), [](R row) { return row.algorithm; });
    f.add("class", schema::text(), [](R row) { return row.traffic_class; });
    f.add("group", schema::text(), [](R row) { return row.group; });
    f.add("sequence", schema::count(), [](R row) { return row.sequence; });
    f.add("group_size", schema::count(), [](R row) { return row.group_size; });
    f.add("bytes", schema::count(), [](R row) { return row.bytes; }).in_csv();
    f.add("start_s", schema::seconds("First rank enters"), [](R row) { return seconds(row.first_entry_ps); });
    f.add("end_s", schema::seconds("Last rank leaves"), [](R row) { return seconds(row.end_ps); });
    f.add("skew_s", schema::seconds("Last entry after the first"),
          [](R row) { return seconds(row.last_entry_ps - row.first_entry_ps); });
    f.add("time_s", schema::seconds(), [](R row) {
       return seconds(row.end_ps - row.first_entry_ps);
     }).in_csv();
    f.add("time_ps", schema::count(), [](R row) { return row.end_ps - row.first_entry_ps; });
    f.add("predicted_s", schema::seconds("Closed form on an idle fabric"), [](R row) {
       return seconds(row.cost.predicted_ps);
     }).in_csv();
    f.add("bound_s", schema::seconds("No algorithm can beat it"), [](R row) {
       return seconds(row.cost.bound_ps);
     }).in_csv();
    f.add("bus_bandwidth_bytes_per_s", schema::number(), bus_bandwidth);
    return f;
  }();
  return fields;
}

Json collectives_json(const JobRun& job) {
  std::vector<const CollectiveRecord*> records = job.collectives();
  if (records.size() > kMaxCollectives) {
    const auto excess = [](const CollectiveRecord* record) {
      return record->end_ps - record->first_entry_ps - std::min(record->cost.bound_ps, record->end_ps);
    };
    std::partial_sort(records.begin(), records.begin() + kWorst, records.end(),
                      [&](auto* a, auto* b) { return excess(a) > excess(b); });
    records.resize(kWorst);
  }
  Json list = Json::array();
  for (const CollectiveRecord* record : records) list.push_back(collective_fields().json(*record));
  return list;
}

namespace {

struct StepRow {
  const PathStep& step;
  std::string name;
};

const Fields<StepRow>& step_fields() {
  static const Fields<StepRow> fields = [] {
    using R = const StepRow&;
    Fields<StepRow> f;
    f.add("rank", schema::count(), [](R row) { return row.step.rank; });
    f.add("node", schema::count(), [](R row) { return row.step.node; });
    f.add("name", schema::text(), [](R row) { return row.name; });
    f.add("category", schema::text(), [](R row) { return row.step.category; });
    f.add("start_s", schema::seconds(), [](R row) { return seconds(row.step.start_ps); });
    f.add("end_s", schema::seconds(), [](R row) { return seconds(row.step.end_ps); });
    return f;
  }();
  return fields;
}

Json steps_json(const JobRun& job, const CriticalPath& path) {
  std::map<std::uint32_t, std::vector<std::uint64_t>> nodes;
  for (const PathStep& step : path.steps) nodes[step.rank].push_back(step.node);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> names;
  for (const auto& [rank, ids] : nodes) {
    const auto found = chakra::node_names(*job.job().ranks[rank], ids);
    for (std::size_t i = 0; i < ids.size(); ++i) names[{rank, ids[i]}] = found[i];
  }
  Json steps = Json::array();
  for (const PathStep& step : path.steps)
    steps.push_back(step_fields().json({step, names[{step.rank, step.node}]}));
  return steps;
}

}  // namespace

const Fields<CriticalPathRow>& critical_path_fields() {
  static const Fields<CriticalPathRow> fields = [] {
    using R = const CriticalPathRow&;
    Fields<CriticalPathRow> f;
    f.add("length", schema::count(), [](R row) { return row.path.length; });
    f.add("beginning_not_kept", schema::boolean(), [](R row) { return row.path.cut; });
    f.add("breakdown_ps", schema::reference("picoseconds_by_category"), [](R row) {
      Json parts = Json::object();
      for (const auto& [category, time] : row.path.breakdown) parts[category] = time;
      return parts;
    });
    f.add("steps", schema::list(step_fields().schema()), [](R row) { return steps_json(row.job, row.path); });
    return f;
  }();
  return fields;
}

}  // namespace wafertlm::results
