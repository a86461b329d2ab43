// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/study_page.h"

#include <nlohmann/json.hpp>

#include "platform/commands/study/figures.h"
#include "platform/commands/study/sweep/cell_files.h"
#include "platform/report/report.h"

namespace wafertlm {

std::string study_page(const StudyResult& result, const std::filesystem::path& out) {
  using Json = nlohmann::ordered_json;
  Json study = study_json(result);
  const Figures figures(result.study, result.cells, result.outcomes);
  const CellFiles files(out);
  study["axes"] = Json::array();
  for (const config::AxisSpec& axis : result.study.axes) study["axes"].push_back({{"axis", axis.name}});
  study["columns"] = Json::array();
  for (const config::ColumnSpec& column : result.study.columns)
    study["columns"].push_back(
        {{"column", column.name}, {"as", config::kShownAsNames[static_cast<std::size_t>(column.shown_as)]}});
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    Json& cell = study["cells"][i];
    cell["shown"] = figures.is_shown(result.cells[i]);
    const std::filesystem::path report = files.report(result.jobs[i].id);
    if (std::filesystem::exists(report)) cell["report"] = "cells/" + report.filename().string();
  }
  return report_html({{"study", study}});
}

}  // namespace wafertlm
