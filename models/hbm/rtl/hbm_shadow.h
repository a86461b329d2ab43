// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/hbm/memory_follower.h"
#include "models/hbm/rtl/hbm_rtl.h"

namespace wafertlm {

/// RTL that gets the accesses of a memory beside its model, and the comparison of the times: an access of the
/// RTL may be done `tolerance` cycles earlier or later.
class HbmShadow final : public MemoryFollower {
 public:
  struct Difference {
    TimedAccess access;
    TimePs began_ps, model_ps, rtl_ps;
  };

  /// `rtl` must outlive it.
  HbmShadow(HbmRtl& rtl, std::uint32_t tolerance_cycles)
      : rtl_(rtl), tolerance_ps_(rtl.clock().edge_ps(tolerance_cycles)) {}

  Id began(const TimedAccess& access, TimePs at) override;
  void ended(Id id, TimePs at) override;
  /// No access follows: lets the RTL end all.
  void finish();

  std::uint64_t compared() const { return compared_; }
  std::uint64_t beyond() const { return beyond_; }
  const std::optional<Difference>& first_beyond() const { return first_beyond_; }
  /// RTL minus model, in whole cycles.
  const std::map<std::int64_t, std::uint64_t>& histogram() const { return histogram_; }
  double mean_model_ps() const { return mean(model_sum_ps_); }
  double mean_rtl_ps() const { return mean(rtl_sum_ps_); }

 private:
  struct Pending {
    Id id;
    TimedAccess access;
    TimePs began_ps;
    std::optional<TimePs> model_ps;
  };
  double mean(double sum_ps) const { return compared_ == 0 ? 0 : sum_ps / static_cast<double>(compared_); }
  void compare(const Pending& pending, TimePs rtl_ps);
  void compare_done();

  HbmRtl& rtl_;
  const TimePs tolerance_ps_;
  std::vector<Pending> pending_;  // in the order of began()
  std::uint64_t compared_ = 0, beyond_ = 0;
  std::optional<Difference> first_beyond_;
  std::map<std::int64_t, std::uint64_t> histogram_;
  double model_sum_ps_ = 0, rtl_sum_ps_ = 0;
};

}  // namespace wafertlm
