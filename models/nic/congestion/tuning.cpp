// SPDX-License-Identifier: Apache-2.0
#include "models/nic/congestion/tuning.h"

#include <algorithm>

namespace wafertlm::nic {
namespace {

/// Takes what is given, and keeps which values a scheme has a use for.
class Taking {
 public:
  template <class From, class To>
  void operator()(const std::optional<From>& from, To& to) {
    used_.push_back(&from);
    if (from) to = static_cast<To>(*from);
  }
  void operator()(const double& from, double& to) {
    used_.push_back(&from);
    if (from != Tuning::kPresets) to = from;
  }
  bool uses(const void* value) const { return std::find(used_.begin(), used_.end(), value) != used_.end(); }

 private:
  std::vector<const void*> used_;
};

void tune(DcqcnParams& scheme, const Tuning& by, Taking& take) {
  take(by.cnp_interval_ps, scheme.cnp_interval_ps);
  take(by.alpha_timer_ps, scheme.alpha_timer_ps);
  take(by.decrease_interval_ps, scheme.decrease_interval_ps);
  take(by.increase_timer_ps, scheme.increase_timer_ps);
  take(by.byte_counter, scheme.byte_counter);
  take(by.fast_recovery, scheme.fast_recovery);
  take(by.additive_bytes_per_s, scheme.additive_bytes_per_s);
  take(by.hyper_bytes_per_s, scheme.hyper_bytes_per_s);
  take(by.least_bytes_per_s, scheme.least_bytes_per_s);
  take(by.g, scheme.g);
}
void tune(TimelyParams& scheme, const Tuning& by, Taking& take) {
  take(by.additive_bytes_per_s, scheme.additive_bytes_per_s);
  take(by.least_bytes_per_s, scheme.least_bytes_per_s);
  take(by.low_ps, scheme.low_ps);
  take(by.high_ps, scheme.high_ps);
  take(by.beta, scheme.beta);
}
void tune(DctcpParams& scheme, const Tuning& by, Taking& take) { take(by.g, scheme.g); }
void tune(HpccParams& scheme, const Tuning& by, Taking& take) { take(by.eta, scheme.eta); }
void tune(SwiftParams& scheme, const Tuning& by, Taking& take) {
  take(by.target_ps, scheme.base_target_ps);
  take(by.beta, scheme.beta);
}
void tune(PowerTcpParams& scheme, const Tuning& by, Taking& take) { take(by.gamma, scheme.gamma); }
void tune(NsccParams& scheme, const Tuning& by, Taking& take) { take(by.beta, scheme.beta); }
void tune(NoControlParams&, const Tuning&, Taking&) {}
void tune(ReceiverDrivenParams&, const Tuning&, Taking&) {}

/// Where the values lie that are not the preset's. A new one does not compile until it is here.
std::vector<const void*> given(const Tuning& tuning) {
  const auto& [cnp, alpha, decrease, increase, bytes, recovery, additive, least, hyper, low, high, target, g,
               beta, eta, gamma] = tuning;
  std::vector<const void*> all;
  for (const auto* value : {&cnp, &alpha, &decrease, &increase, &bytes, &recovery, &additive, &least, &hyper,
                            &low, &high, &target})
    if (*value) all.push_back(value);
  for (const double* value : {&g, &beta, &eta, &gamma})
    if (*value != Tuning::kPresets) all.push_back(value);
  return all;
}

}  // namespace

SchemeParams tuned(SchemeParams scheme, const Tuning& tuning, std::vector<const void*>& without_effect) {
  Taking take;
  std::visit([&](auto& params) { tune(params, tuning, take); }, scheme);
  for (const void* value : given(tuning))
    if (!take.uses(value)) without_effect.push_back(value);
  return scheme;
}

bool scale_rates_from(SchemeParams& scheme, std::uint64_t bytes_per_s) {
  auto* const dcqcn = std::get_if<DcqcnParams>(&scheme);
  auto* const timely = std::get_if<TimelyParams>(&scheme);
  if (dcqcn != nullptr) dcqcn->for_line_bytes_per_s = bytes_per_s;
  if (timely != nullptr) timely->for_line_bytes_per_s = bytes_per_s;
  return dcqcn != nullptr || timely != nullptr;
}

}  // namespace wafertlm::nic
