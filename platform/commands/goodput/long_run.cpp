// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/goodput/long_run.h"

namespace wafertlm::goodput {
namespace {

constexpr double kHour = 3600, kDay = 24 * kHour, kPerSecond = 1e12, kFitHours = 1e9;

double in_s(std::uint64_t ps) { return static_cast<double>(ps) / kPerSecond; }

}  // namespace

double LongRun::rate(const PartSpec& part) const {
  if (part.failures > 0) return static_cast<double>(part.failures) / (observed_days * kDay);
  const double of_one = part.fit > 0 ? part.fit / kFitHours : 1 / part.mtbf_hours;
  return static_cast<double>(part.count) * of_one / kHour;
}

double LongRun::mtbf_s() const {
  double sum = 0;
  for (const PartSpec& part : parts) sum += rate(part);
  return 1 / sum;
}

double LongRun::checkpoint_s() const {
  return checkpoint_ps > 0
             ? in_s(checkpoint_ps)
             : static_cast<double>(checkpoint_bytes) / static_cast<double>(checkpoint_bandwidth);
}

double LongRun::reload_s() const { return reload_ps > 0 ? in_s(reload_ps) : checkpoint_s(); }

double LongRun::restart_s() const { return in_s(detect_ps) + in_s(replace_ps) + reload_s(); }

double LongRun::run_s() const { return run_days * kDay; }

}  // namespace wafertlm::goodput
