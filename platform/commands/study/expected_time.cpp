// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/expected_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <system_error>

#include "platform/commands/study/sweep/cell_files.h"
#include "platform/commands/study/sweep/cell_processes.h"
#include "platform/machine/machine.h"
#include "platform/run/host_estimate.h"
#include "platform/run/job.h"
#include "platform/run/job_run.h"
#include "platform/spec/load.h"

namespace wafertlm {
namespace {

constexpr std::size_t kMostOfAnAxis = 12;
/// Of any run: to start, to read, to write.
constexpr double kSecondsAlways = 0.05;

/// Of one that cannot be planned within the limits.
constexpr double kSecondsIfLong = 1000;
constexpr std::uint32_t kProbeSeconds = 1;

using Clock = std::chrono::steady_clock;

/// Of some of the cells, by cell; of those that were not begun by `until` none.
std::map<std::size_t, double> estimates(const std::vector<Cell>& cells, const std::vector<std::size_t>& which,
                                        const std::filesystem::path& scratch, unsigned at_a_time,
                                        std::uint64_t memory_bytes,
                                        Clock::time_point until = Clock::time_point::max()) {
  std::map<std::size_t, double> seconds;
  const auto is_over = [&](auto next) { return next == which.end() || Clock::now() >= until; };
  const auto folder_of = [&](std::size_t i) { return scratch / std::to_string(i); };
  CellProcesses processes("/proc/self/exe", {memory_bytes, kProbeSeconds, 0});
  for (auto next = which.begin(); !is_over(next) || processes.running() > 0;) {
    for (; !is_over(next) && processes.running() < at_a_time; ++next) {
      std::vector<std::string> words = {"study", "estimate", cells[*next].file};
      for (const std::string& text : cells[*next].overrides) words.insert(words.end(), {"--set", text});
      std::filesystem::create_directories(folder_of(*next));
      processes.start(*next, words, folder_of(*next).string());
    }
    const auto ended = processes.wait();
    if (!ended) continue;
    double& own = seconds[ended->index] = kSecondsIfLong;
    if (ended->problem.empty())
      own = std::strtod(text_of(folder_of(ended->index) / "output.txt").c_str(), nullptr);
    if (ended->exit_code == 2) own = 0;  // it will say why when it runs
  }
  return seconds;
}

/// Those of an axis that are looked at: the first, the last, and some between.
std::vector<std::size_t> sample(std::size_t values) {
  std::vector<std::size_t> places;
  const std::size_t count = std::min(values, kMostOfAnAxis);
  for (std::size_t i = 0; i < count; ++i) places.push_back(count < 2 ? 0 : i * (values - 1) / (count - 1));
  return places;
}

/// The logarithm between the places that are known, by place.
std::vector<double> filled_in(const std::map<std::size_t, double>& known, std::size_t values) {
  std::vector<double> logs(values, 0);
  for (std::size_t place = 0; place < values && !known.empty(); ++place) {
    const auto above = known.lower_bound(place);
    if (above == known.end()) {
      logs[place] = known.rbegin()->second;
    } else if (above == known.begin() || above->first == place) {
      logs[place] = above->second;
    } else {
      const auto below = std::prev(above);
      const double part =
          static_cast<double>(place - below->first) / static_cast<double>(above->first - below->first);
      logs[place] = below->second + part * (above->second - below->second);
    }
  }
  return logs;
}

/// The cells that were not looked at, the longest first.
std::vector<std::size_t> others(const std::vector<double>& seconds,
                                const std::vector<std::size_t>& looked_at) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (std::find(looked_at.begin(), looked_at.end(), i) == looked_at.end()) left.push_back(i);
  std::stable_sort(left.begin(), left.end(),
                   [&](std::size_t a, std::size_t b) { return seconds[a] > seconds[b]; });
  return left;
}

}  // namespace

std::vector<double> expected_seconds(const config::StudySpec& study, const std::vector<Cell>& cells,
                                     const std::filesystem::path& scratch, unsigned at_a_time,
                                     std::uint64_t memory_bytes) {
  if (study.command != "run" || cells.size() < 2) return std::vector<double>(cells.size(), 1);
  std::map<std::vector<std::string>, std::size_t> index;
  for (std::size_t i = 0; i < cells.size(); ++i) index.emplace(cells[i].values, i);

  struct Probe {
    std::size_t axis, place, cell;
  };
  std::vector<Probe> probes = {{0, 0, 0}};  // the first cell itself
  std::vector<std::vector<config::AxisValueSpec>> values;
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
    values.push_back(config::values_of(study.axes[axis]));
    for (const std::size_t place : sample(values[axis].size())) {
      std::vector<std::string> other = cells.front().values;
      other[axis] = values[axis][place].name;
      if (const auto found = index.find(other); found != index.end())
        probes.push_back({axis, place, found->second});
    }
  }
  std::vector<std::size_t> looked_at;
  for (const Probe& probe : probes)
    if (std::find(looked_at.begin(), looked_at.end(), probe.cell) == looked_at.end())
      looked_at.push_back(probe.cell);
  std::map<std::size_t, double> logs;  // by cell
  for (const auto& [cell, s] : estimates(cells, looked_at, scratch, at_a_time, memory_bytes))
    logs[cell] = std::log(kSecondsAlways + s);
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);

  const double base = logs.at(0);
  std::vector<std::map<std::string, double>> effects(study.axes.size());  // of values, by name
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
    std::map<std::size_t, double> known;
    for (const Probe& probe : probes)
      if (probe.axis == axis && &probe != &probes.front()) known[probe.place] = logs.at(probe.cell) - base;
    const std::vector<double> all = filled_in(known, values[axis].size());
    for (std::size_t place = 0; place < all.size(); ++place)
      effects[axis][values[axis][place].name] = all[place];
  }
  std::vector<double> seconds;
  for (const Cell& cell : cells) {
    double log = base;
    for (std::size_t axis = 0; axis < effects.size(); ++axis) log += effects[axis].at(cell.values[axis]);
    seconds.push_back(std::exp(log));
  }
  constexpr double kPartForLooking = 0.05;
  const double all_s = std::accumulate(seconds.begin(), seconds.end(), 0.0) / at_a_time;
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                                        std::min(3600.0, kPartForLooking * all_s)));
  for (const std::size_t cell : looked_at) seconds[cell] = std::exp(logs.at(cell));
  for (const auto& [cell, s] :
       estimates(cells, others(seconds, looked_at), scratch, at_a_time, memory_bytes, until))
    seconds[cell] = kSecondsAlways + s;
  std::filesystem::remove_all(scratch, ignored);
  return seconds;
}

int print_expected_seconds(const std::string& file, const std::vector<std::string>& overrides) {
  const config::ExperimentSpec experiment = config::load_experiment(file, overrides);
  const Job job = load_job(experiment);
  Machine machine(experiment.platform);
  const JobRun ready(machine, job, experiment);
  fmt::print("{}\n", host_estimate(experiment, job, ready.work()).seconds);
  return 0;
}

}  // namespace wafertlm
