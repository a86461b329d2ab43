// SPDX-License-Identifier: Apache-2.0
#include "platform/report/bounds.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "platform/results/tight_json.h"
#include "platform/run/job.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

constexpr std::size_t kMostDrawn = 12;
/// Of a group whose bound is found in a tenth of a second.
constexpr std::uint32_t kMostMembers = 100;

struct TypeOnGroup {
  const CollectiveRecord* longest = nullptr;
  TimePs time_ps = 0;  ///< of all together
};

}  // namespace

nlohmann::ordered_json tight_bounds_json(const JobRun& job, const FabricTraits& fabric) {
  std::map<std::pair<CollectiveType, std::string>, TypeOnGroup> kinds;
  for (const CollectiveRecord* const record : job.collectives()) {
    if (record->io_stream || has_root(record->type) || record->group_size > kMostMembers ||
        record->left != record->group_size)
      continue;
    TypeOnGroup& kind = kinds[{record->type, record->group}];
    const TimePs time = record->end_ps - record->last_entry_ps;
    kind.time_ps += time;
    if (!kind.longest || kind.longest->bytes < record->bytes) kind.longest = record;
  }
  std::vector<TypeOnGroup> order;
  for (const auto& [key, kind] : kinds) order.push_back(kind);
  std::stable_sort(order.begin(), order.end(),
                   [](const TypeOnGroup& a, const TypeOnGroup& b) { return a.time_ps > b.time_ps; });
  nlohmann::ordered_json drawn = nlohmann::ordered_json::array();
  for (const TypeOnGroup& kind : order) {
    if (drawn.size() == kMostDrawn) break;
    CollectiveRequest request;
    request.type = kind.longest->type;
    request.bytes = kind.longest->bytes;
    for (const std::uint32_t rank : job.job().groups.ranks(kind.longest->group))
      request.group.push_back(job.job().npus[rank]);
    const auto tight = bounds::tight_bound(request, fabric);
    if (!tight) continue;
    drawn.push_back(
        {{"title", fmt::format("{} of {} NPUs, class {}{}, {}", to_string(request.type), request.group.size(),
                               kind.longest->traffic_class,
                               kind.longest->group.empty() ? "" : ", group " + kind.longest->group,
                               format_bytes(request.bytes))},
         {"bytes", request.bytes},
         {"tight", tight_json(*tight, request.bytes)}});
  }
  return drawn;
}

}  // namespace wafertlm
