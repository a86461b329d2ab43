// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>

#include "platform/machine/machine.h"
#include "platform/report/packed.h"
#include "platform/results/tight_json.h"
#include "platform/run/job.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/text/format.h"
#include "waveforms/report/page.h"

namespace wafertlm {
namespace {

using Json = nlohmann::ordered_json;

/// JSON inside a page's script element: what could end the element is written in another way.
std::string in_script(const Json& data) {
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char letter : text) safe += letter == '<' ? std::string("\\u003c") : std::string(1, letter);
  return safe;
}

/// Data of more bytes goes into the page compressed: {"deflated": base64}.
constexpr std::size_t kMostPlainBytes = 1'000'000;

std::string packed(const Json& data) {
  std::string text = in_script(data);
  return text.size() <= kMostPlainBytes ? text : "{\"deflated\": \"" + deflated_base64(text) + "\"}";
}

std::string filled(const Json& data) {
  const std::string marker = "@DATA@";
  const std::string_view page = report_page();
  const std::size_t at = page.find(marker);
  return std::string(page.substr(0, at)) + packed(data) + std::string(page.substr(at + marker.size()));
}

constexpr std::size_t kMostDrawn = 12;
/// Of a group whose bound is found in a tenth of a second.
constexpr std::uint32_t kMostMembers = 100;

struct TypeOnGroup {
  const CollectiveRecord* longest = nullptr;
  TimePs time_ps = 0;  ///< of all together
};

/// The certificates of the bounds of a job's collectives, which took longest first, at most kMostDrawn, one
/// for each type and group: [{title, bytes, tight}], `tight` as in `collective --explain-bound --json`. Empty
/// where the fabric does not say its links.
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

}  // namespace

Json ReportRecorder::data(const Json& results, const std::string& resolved_yaml,
                          const config::ExperimentSpec& experiment, const JobRun& job) {
  const config::WaferSpec& wafer = experiment.platform.wafer;
  const WaferDrawing drawing = fabric_kind(wafer).drawing(wafer);
  Json npus = Json::array();
  for (const NpuId npu : job.job().npus) npus.push_back(index_of(npu));
  return {{"results", results},
          {"resolved", resolved_yaml},
          {"layout",
           {{"kind", drawing.kind},
            {"width", drawing.width},
            {"height", drawing.height},
            {"dead", drawing.dead},
            {"npus", wafer.npu_count()},
            {"npu_of_rank", npus}}},
          {"timeline", timeline_.json()},
          {"bounds", tight_bounds_json(job, platform_traits(experiment.platform))},
          {"links", usage_.links_json(job.end_ps())},
          {"memories", usage_.memories_json()}};
}

std::string report_html(const Json& data) { return filled(data); }

std::string compare_html(const std::vector<std::pair<std::string, Json>>& runs, const Json& differences) {
  Json list = Json::array();
  for (const auto& [name, results] : runs) list.push_back({{"name", name}, {"results", results}});
  return filled({{"runs", list}, {"differences", differences}});
}

}  // namespace wafertlm
