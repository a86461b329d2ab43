// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/tune/measure.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/commands/collective/collective_setup.h"
#include "platform/host/child.h"
#include "platform/machine/machine.h"
#include "platform/spec/ranges.h"
#include "platform/text/suggest.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm::tune {
namespace {

/// One simulation.
struct MeasureJob {
  CollectiveOptions options;
  std::size_t point = 0, backend = 0;
};

CollectiveOptions options_of(const MeasureSpec& spec, CollectiveType type) {
  CollectiveOptions options;
  options.type = to_string(type);
  options.npus = spec.npus;
  options.parallelism = spec.parallelism;
  options.traffic_class = spec.traffic_class;
  return options;
}

/// Points without results, and what to simulate for them.
class MeasurePlan {
 public:
  MeasurePlan(const TuneSpec& spec, const config::PlatformSpec& platform)
      : spec_(spec), platform_(platform), fabric_(platform_traits(platform)) {
    for (const MeasureSpec& each : spec.measure)
      for (const CollectiveType type : each.types)
        for (const std::uint64_t bytes : parse_sizes(each.sizes)) add(options_of(each, type), type, bytes);
  }

  std::vector<MeasuredPoint> points;
  std::vector<MeasureJob> jobs;

 private:
  void add(CollectiveOptions options, CollectiveType type, std::uint64_t bytes) {
    options.algorithm = "auto";
    CollectiveRequest request = CollectiveSetup(platform_, options).first_request();
    request.bytes = bytes;
    const std::vector<std::string> able = algorithms_for(request, fabric_);
    const std::size_t before = jobs.size();
    for (std::size_t backend = 0; backend < spec_.backends.size(); ++backend)
      for (const std::string& name : spec_.backends[backend].algorithms) {
        if (std::find(able.begin(), able.end(), name) == able.end()) continue;
        options.algorithm = name;
        CollectiveSetup(platform_, options).plan(bytes, fabric_);  // refuses bad input before the first run
        jobs.push_back({options, points.size(), backend});
      }
    if (jobs.size() == before)
      throw std::invalid_argument(std::string("no backend can do ") + to_string(type) + " of " +
                                  std::to_string(bytes) + " B on NPUs " +
                                  backends::group_text(request.group) + "; its algorithms there are " +
                                  config::listed(able));
    points.push_back({type, request.group, bytes, {}});
  }

  const TuneSpec& spec_;
  const config::PlatformSpec& platform_;
  FabricTraits fabric_;
};

}  // namespace

const MeasuredPoint::Result* MeasuredPoint::fastest(std::optional<std::size_t> backend) const {
  const Result* best = nullptr;
  for (const Result& each : results)
    if ((!backend || each.backend == *backend) && (!best || each.time_ps < best->time_ps)) best = &each;
  return best;
}

std::vector<MeasuredPoint> measure(const TuneSpec& spec, const config::PlatformSpec& platform,
                                   unsigned jobs) {
  MeasurePlan plan(spec, platform);
  const auto simulated = [&](std::size_t index) -> nlohmann::json {
    const MeasureJob& job = plan.jobs[index];
    const CollectiveSetup setup(platform, job.options);
    const std::uint64_t bytes = plan.points[job.point].bytes;
    return run_collectives(platform, [&](const FabricTraits& fabric) { return setup.plan(bytes, fabric); })
        .time_ps;
  };
  run_in_children(plan.jobs.size(), jobs, simulated, [&](std::size_t index, const nlohmann::json& time) {
    const MeasureJob& job = plan.jobs[index];
    plan.points[job.point].results.push_back(
        {job.backend, job.options.algorithm, time.get<TimePs>() + spec.backends[job.backend].launch_ps});
  });
  return std::move(plan.points);
}

backends::TuningTable table_of(const TuneSpec& spec, const std::vector<MeasuredPoint>& points) {
  std::vector<backends::TunedRow> rows;
  for (const MeasuredPoint& point : points) {
    const MeasuredPoint::Result& best = *point.fastest();
    rows.push_back({point.type, point.npus, point.bytes, best.algorithm,
                    spec.backends[best.backend].backend.name, best.time_ps});
  }
  return backends::TuningTable(std::move(rows));
}

}  // namespace wafertlm::tune
