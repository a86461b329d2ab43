// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/regret.h"

namespace wafertlm::optimize {

Regret regret_of(const std::vector<const Candidate*>& possible, const Candidate& joint) {
  Regret regret;
  const std::size_t count = joint.times_s.size();
  if (count < 2) return regret;
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate* best = &joint;
    for (const Candidate* each : possible)
      if (each->times_s[i] < best->times_s[i]) best = each;
    regret.own.push_back(best);
  }
  const auto row = [&](const Candidate& design) {
    std::vector<double> losses;
    for (std::size_t j = 0; j < count; ++j)
      losses.push_back(design.times_s[j] / regret.own[j]->times_s[j] - 1);
    return losses;
  };
  for (const Candidate* each : regret.own) regret.by_own.push_back(row(*each));
  regret.joint = row(joint);
  return regret;
}

}  // namespace wafertlm::optimize
