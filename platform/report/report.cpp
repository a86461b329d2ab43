// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report.h"

#include "platform/machine/machine.h"
#include "platform/report/bounds.h"
#include "platform/report/packed.h"
#include "platform/spec/fabric_kinds.h"
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
