// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/trials.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/host/child.h"
#include "platform/host/progress.h"
#include "platform/host/verbosity.h"
#include "platform/run/last_iteration.h"
#include "platform/spec/load.h"

namespace wafertlm {
namespace {

using Json = nlohmann::json;
constexpr std::chrono::seconds kLongest{100'000'000};  // that a clock and an alarm can count

/// There is no time left for this one.
class Late : public std::exception {};

TimePs simulated_ps(const config::Node& experiment, const std::vector<std::string>& settings,
                    Trials::Clock::time_point end) {
  config::ExperimentSpec spec = config::load_experiment(experiment, settings);
  leave_out_rtl_beside(spec);
  const IterationResult last = simulated_last_iteration(spec, [&] {
    if (Trials::Clock::now() >= end) throw Late();
  });
  return last.end_ps - last.start_ps;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// In the process of one trial: what came of it; null: there was no time. A process below it simulates, which
/// may be ended from outside (memory) or by its alarm.
Json trial(const config::Node& experiment, const std::vector<std::string>& settings,
           Trials::Clock::time_point end) {
  const auto start = Trials::Clock::now();
  if (start >= end) return nullptr;
  try {
    const Json time = run_in_child([&]() -> Json {
      set_verbosity(Verbosity::quiet);  // one line says how far all are
      const auto left = std::chrono::duration_cast<std::chrono::seconds>(end - start);
      alarm(static_cast<unsigned>(left.count()) + 2);  // reading and planning look at no clock
      try {
        return simulated_ps(experiment, settings, end);
      } catch (const Late&) {
        return nullptr;
      }
    });
    if (time.is_null()) return nullptr;
    return {{"ps", time}, {"s", std::chrono::duration<double>(Trials::Clock::now() - start).count()}};
  } catch (const std::exception& error) {
    if (Trials::Clock::now() >= end) return nullptr;
    return {{"problem", first_line(error.what())}};
  }
}

}  // namespace

bool leave_out_rtl_beside(config::ExperimentSpec& experiment) {
  auto& rtl = experiment.platform.wafer.fabric.rtl;
  const bool is_in_place =
      std::any_of(rtl.begin(), rtl.end(), [](const auto& each) { return each.view == RtlViewMode::rtl; });
  if (!is_in_place) rtl.clear();
  return is_in_place;
}

Trials::Trials(const config::Node& experiment, unsigned jobs, std::chrono::seconds limit, std::size_t most)
    : experiment_(experiment), jobs_(jobs), end_(Clock::now() + std::min(limit, kLongest)), left_(most) {}

std::vector<TrialResult> Trials::run(const std::vector<std::vector<std::string>>& settings,
                                     const std::string& what) {
  std::vector<TrialResult> results(settings.size());
  const std::size_t count = std::min(settings.size(), left_);
  left_ -= count;
  ProgressLine progress;
  run_in_children(
      count, jobs_, [&](std::size_t i) { return trial(experiment_, settings[i], end_); },
      [&](std::size_t i, const Json& found) {
        if (found.is_object() && found.contains("ps"))
          results[i] = {found["ps"].get<TimePs>(), "", found["s"].get<double>()};
        else if (found.is_object())
          results[i].problem = found["problem"].get<std::string>();
        progress.show(fmt::format("{}: {} of {} simulated", what, i + 1, count),
                      static_cast<double>(i + 1) / static_cast<double>(count));
      });
  return results;
}

}  // namespace wafertlm
