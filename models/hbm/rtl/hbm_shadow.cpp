// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/rtl/hbm_shadow.h"

#include <algorithm>

namespace wafertlm {

MemoryFollower::Id HbmShadow::began(const TimedAccess& access, TimePs at) {
  const Id id = rtl_.submit(access, at);
  compare_done();
  pending_.push_back({id, access, at, {}});
  return id;
}

void HbmShadow::ended(Id id, TimePs at) {
  for (Pending& each : pending_)
    if (each.id == id) each.model_ps = at;
}

void HbmShadow::compare_done() {
  const auto is_over = [&](const Pending& each) {
    const std::optional<TimePs> rtl_ps = each.model_ps ? rtl_.done(each.id) : std::nullopt;
    if (rtl_ps) compare(each, *rtl_ps);
    return rtl_ps.has_value();
  };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), is_over), pending_.end());
}

void HbmShadow::finish() {
  for (const Pending& each : pending_) rtl_.wait_for(each.id);
  compare_done();
}

void HbmShadow::compare(const Pending& pending, TimePs rtl_ps) {
  const TimePs model_ps = *pending.model_ps;
  const bool is_late = rtl_ps > model_ps;
  const TimePs difference = is_late ? rtl_ps - model_ps : model_ps - rtl_ps;
  const auto cycles = static_cast<std::int64_t>(difference / rtl_.clock().period_ps());
  ++histogram_[is_late ? cycles : -cycles];
  ++compared_;
  model_sum_ps_ += static_cast<double>(model_ps - pending.began_ps);
  rtl_sum_ps_ += static_cast<double>(rtl_ps - pending.began_ps);
  rtl_.end(pending.id);
  if (difference <= tolerance_ps_) return;
  if (beyond_++ == 0) first_beyond_ = Difference{pending.access, pending.began_ps, model_ps, rtl_ps};
}

}  // namespace wafertlm
