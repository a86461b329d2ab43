// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/pipeline/drawing.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/spec/fabric_kinds.h"

namespace wafertlm::pipelines {
namespace {

/// The text of each NPU, and of its stage where the NPU has one.
struct Cells {
  PlacementGrid grid;
  std::vector<std::string> texts;
  std::vector<std::size_t> of_stage;  ///< the cell
};

Cells cells_of(const PipelineSpec& spec, const Schedule& schedule) {
  Cells cells{fabric_kind(spec.platform->wafer).grid(spec.platform->wafer), {}, {}};
  cells.texts.assign(cells.grid.npus(), "·");
  const Placement npus = spec.npus();
  const std::vector<std::string> kinds = spec.kind_names();
  for (std::size_t i = 0; i < kinds.size(); ++i) cells.texts[index_of(npus[i])] += " " + kinds[i];
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    cells.of_stage.push_back(index_of(npus[schedule[i].place]));
    cells.texts[cells.of_stage.back()] =
        fmt::format("{}:{}-{}", i + 1, begin_of(schedule, i) + 1, schedule[i].end);
  }
  return cells;
}

constexpr std::size_t kWidth = 110, kHeight = 60, kGap = 30;

std::size_t left_of(const Cells& cells, std::size_t cell) {
  return kGap + cell % cells.grid.width * (kWidth + kGap);
}
std::size_t top_of(const Cells& cells, std::size_t cell) {
  return kGap + cell / cells.grid.width * (kHeight + kGap);
}

}  // namespace

std::string drawn_on_wafer(const PipelineSpec& spec, const Schedule& schedule) {
  const Cells cells = cells_of(spec, schedule);
  std::size_t width = 0;
  for (const std::string& text : cells.texts) width = std::max(width, text.size() + 2);
  std::string drawing;
  for (std::size_t i = 0; i < cells.texts.size(); ++i) {
    drawing += (i % cells.grid.width == 0 ? "  " : "") + cells.texts[i];
    if ((i + 1) % cells.grid.width == 0) {
      drawing += "\n";
      continue;
    }
    const bool has_dot = cells.texts[i].rfind("·", 0) == 0;  // two bytes, one column
    drawing.append(width - cells.texts[i].size() + (has_dot ? 1 : 0), ' ');
  }
  return drawing;
}

std::string svg_of(const PipelineSpec& spec, const Schedule& schedule, const std::vector<double>& times) {
  const Cells cells = cells_of(spec, schedule);
  const double slowest = *std::max_element(times.begin(), times.end());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"14\" text-anchor=\"middle\">\n<defs><marker id=\"end\" markerWidth=\"8\" "
      "markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
      "fill=\"#c30\"/></marker></defs>\n",
      cells.grid.width * (kWidth + kGap) + kGap, cells.grid.height * (kHeight + kGap) + kGap);
  for (std::size_t i = 0; i < cells.texts.size(); ++i) {
    const auto found = std::find(cells.of_stage.begin(), cells.of_stage.end(), i);
    std::string time, colour = "#eee";
    if (found != cells.of_stage.end()) {
      const double seconds = times[static_cast<std::size_t>(found - cells.of_stage.begin())];
      time = fmt::format("{:.4g} s", seconds);
      colour = fmt::format("hsl(210,70%,{:.0f}%)", 92 - 32 * (slowest == 0 ? 0 : seconds / slowest));
    }
    const std::size_t x = left_of(cells, i), y = top_of(cells, i);
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{}\" stroke=\"#666\"/>"
        "<text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\">{}</text>\n",
        x, y, kWidth, kHeight, colour, x + kWidth / 2, y + 25, cells.texts[i], x + kWidth / 2, y + 46, time);
  }
  for (std::size_t i = 1; i < cells.of_stage.size(); ++i)
    svg += fmt::format(
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#c30\" stroke-width=\"2\" "
        "marker-end=\"url(#end)\"/>\n",
        left_of(cells, cells.of_stage[i - 1]) + kWidth / 2, top_of(cells, cells.of_stage[i - 1]) + kHeight,
        left_of(cells, cells.of_stage[i]) + kWidth / 2, top_of(cells, cells.of_stage[i]));
  return svg + "</svg>\n";
}

}  // namespace wafertlm::pipelines
