// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/exposed_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace wafertlm {

bool is_communication(const std::string& category) {
  return category != "compute" && category != "cpu" && category != "memory" && category != "bubble" &&
         category != "idle";
}

void ExposedTimeRecorder::time_spent(std::uint32_t rank, TimePs from_ps, TimePs to_ps,
                                     const std::string& category) {
  if (is_communication(category)) ranks_[rank].emplace_back(from_ps, to_ps);
}

ExposedTime ExposedTimeRecorder::of_last_rank(const JobRun& run, const IterationResult& iteration) const {
  ExposedTime exposed;
  exposed.start_ps = iteration.start_ps;
  exposed.end_ps = iteration.end_ps;
  for (const auto& [from, to] : ranks_[iteration.last_rank]) {
    const TimePs start = std::max(from, iteration.start_ps), end = std::min(to, iteration.end_ps);
    if (start < end) exposed.stretches.emplace_back(start, end);
  }
  std::sort(exposed.stretches.begin(), exposed.stretches.end());
  std::map<std::uint64_t, std::string> names;
  for (const CollectiveRecord* record : run.collectives())
    names[record->id] = fmt::format("{} {}", record->type_name(), record->id);
  exposed.name_of = [names](std::uint64_t operation) {
    const auto name = names.find(CollectiveRecord::record_id(operation));
    return name == names.end() ? "messages from rank to rank" : name->second;
  };
  return exposed;
}

}  // namespace wafertlm
