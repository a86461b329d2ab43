// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/grid/grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "platform/commands/comet/cluster.h"
#include "platform/host/digest.h"
#include "platform/spec/load.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

using config::AxisSpec;
using config::AxisValueSpec;
using config::Selection;
using config::StudySpec;

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// With the value's name for every {}.
std::vector<std::string> filled(std::vector<std::string> texts, const std::string& name) {
  for (std::string& text : texts)
    for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos; at += name.size())
      text.replace(at, 2, name);
  return texts;
}

void add_value(const AxisSpec& axis, const AxisValueSpec& value, Cell& cell) {
  cell.values.push_back(value.name);
  if (!value.file.empty()) cell.file = value.file;
  append(cell.arguments, filled(axis.arguments, value.name));
  append(cell.arguments, value.arguments);
  append(cell.overrides, filled(axis.overrides, value.name));
  append(cell.overrides, value.overrides);
}

const std::vector<std::string>* chosen(const Selection& selection, const std::string& axis) {
  for (const auto& [name, values] : selection)
    if (name == axis) return &values;
  return nullptr;
}

}  // namespace

std::vector<Cell> grid_of(const StudySpec& study) {
  std::vector<Cell> cells{{{}, study.file, study.arguments, {}}};
  for (const AxisSpec& axis : study.axes) {
    std::vector<Cell> more;
    for (const Cell& cell : cells)
      for (const AxisValueSpec& value : config::values_of(axis)) {
        more.push_back(cell);
        add_value(axis, value, more.back());
      }
    cells = std::move(more);
  }
  // Behind those of the axes: one of them may have named another platform or workload.
  for (Cell& cell : cells) append(cell.overrides, study.overrides);
  const auto is_excepted = [&](const Cell& cell) {
    return std::any_of(study.except.begin(), study.except.end(),
                       [&](const Selection& selection) { return is_in(study, cell, selection); });
  };
  cells.erase(std::remove_if(cells.begin(), cells.end(), is_excepted), cells.end());
  if (cells.empty())
    throw config::ConfigError(place_of(study), study.except.empty() ? "an axis without values leaves no cell"
                                                                    : "'except' leaves no cell");
  return cells;
}

bool is_in(const StudySpec& study, const Cell& cell, const Selection& selection) {
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
    const std::vector<std::string>* values = chosen(selection, study.axes[axis].name);
    if (values != nullptr && std::find(values->begin(), values->end(), cell.values[axis]) == values->end())
      return false;
  }
  return true;
}

std::vector<std::string> moved(const StudySpec& study, const Cell& cell, const Selection& to) {
  std::vector<std::string> values = cell.values;
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
    if (const auto* other = chosen(to, study.axes[axis].name)) values[axis] = other->front();
  return values;
}

config::SourceLocation place_of(const StudySpec& study) {
  const config::Origin* const name = study.origins.find("study");
  return name != nullptr ? name->place : config::SourceLocation{study.name, 0, 0};
}

std::string name_of(const StudySpec& study, const Cell& cell) {
  std::string name;
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
    name += (name.empty() ? "" : ", ") + study.axes[axis].name + " " + cell.values[axis];
  return name.empty() ? study.name : name;
}

namespace {

namespace fs = std::filesystem;

std::string traces_of(const config::WorkloadSpec& workload) {
  if (workload.kind != config::WorkloadKind::traces) return "";
  const config::TraceSpec& traces = workload.traces;
  std::vector<std::string> files = {traces.path};
  if (!chakra::is_trace_file(traces.path)) files = chakra::find_rank_files(traces.path);
  if (!traces.comm_groups.empty()) files.push_back(traces.comm_groups);
  std::string text;
  for (const std::string& file : files) text += file + " " + sha256_of_file(file) + "\n";
  return text;
}

/// A file itself, the traces of PREFIX.<rank>.et, or what is in a folder.
std::vector<std::string> files_at(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return fs::exists(path, error) || !chakra::has_rank_files(path) ? std::vector{path}
                                                                    : chakra::all_rank_files(path);
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
    if (entry.is_regular_file(error)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// What custom algorithms hold.
std::string algorithms_of(const config::CollectivesSpec& spec) {
  const config::CustomAlgorithmsSpec& custom = spec.custom;
  std::string text;
  for (const std::string* path :
       {&custom.all_reduce, &custom.all_gather, &custom.reduce_scatter, &custom.all_to_all})
    if (!path->empty())
      for (const std::string& file : files_at(*path)) text += file + " " + sha256_of_file(file) + "\n";
  return text;
}

/// What "file:PATH", as in a placement, holds, and a word that names a file.
std::string named_files(const std::string& text) {
  constexpr std::string_view kFile = "file:";
  const std::size_t at = text.find(kFile);
  std::error_code error;
  if (at == std::string::npos && !fs::is_regular_file(text, error)) return "";
  const std::string path = at == std::string::npos ? text : text.substr(at + kFile.size());
  return path + " " + sha256_of_file(path) + "\n";
}

/// Every value, without the places where they were written.
template <class Spec>
std::string values_of(Spec spec) {
  spec.origins = {};
  return config::resolved_yaml(spec);
}

/// `--json` of these commands goes to the standard output.
bool prints_its_document(const std::string& command) { return command == "collective" || command == "comet"; }

std::string resolved(const std::string& command, const Cell& cell) {
  if (command == "comet") return comet::resolved_cluster(comet::load_cluster(cell.file, cell.overrides));
  if (command != "run") {
    const config::PlatformSpec platform = config::load_platform(cell.file, cell.overrides);
    return values_of(platform) + algorithms_of(platform.collectives);
  }
  const config::ExperimentSpec experiment = config::load_experiment(cell.file, cell.overrides);
  return values_of(experiment) + algorithms_of(experiment.platform.collectives) +
         traces_of(experiment.workload) + named_files(experiment.workload.policy());
}

}  // namespace

std::string command_line(const std::vector<std::string>& words) {
  std::string text = "wafertlm";
  for (const std::string& word : words) {
    const bool plain = word.find_first_of(" ()[]{}*?$&;|<>'\"") == std::string::npos;
    text += plain ? " " + word : " \"" + word + "\"";
  }
  return text;
}

std::vector<std::string> words_of(const config::StudySpec& study, const Cell& cell) {
  std::vector<std::string> words = {study.command, fs::proximate(cell.file).string()};
  append(words, cell.arguments);
  for (const std::string& text : cell.overrides) append(words, {"--set", text});
  return words;
}

CellJob job_of(const config::StudySpec& study, const Cell& cell) {
  CellJob job;
  job.words = words_of(study, cell);
  // A build of its own is a version of its own.
  std::string input =
      fmt::format("{} {}\n{}\n", WAFERTLM_VERSION, sha256_of_file("/proc/self/exe"), study.command);
  for (const std::string& argument : cell.arguments) input += argument + "\n" + named_files(argument);
  constexpr std::size_t kDigits = 32;
  job.id = sha256(input + resolved(study.command, cell)).substr(0, kDigits);
  return job;
}

std::vector<std::string> with_output(std::vector<std::string> words, const std::string& folder) {
  const std::string command = words.front();
  if (command == "run") words.insert(words.end(), {"--out", folder});
  if (prints_its_document(command)) words.emplace_back("--json");
  if (command == "traffic") words.insert(words.end(), {"--json", document_of(words, folder)});
  return words;
}

std::string document_of(const std::vector<std::string>& words, const std::string& folder) {
  return folder + (prints_its_document(words.front()) ? "/output.txt" : "/results.json");
}

}  // namespace wafertlm
