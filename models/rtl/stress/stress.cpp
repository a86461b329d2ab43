// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/stress.h"

#include <ctime>
#include <utility>

#include "models/rtl/stress/directed.h"
#include "models/rtl/stress/generate.h"
#include "models/rtl/stress/shrink.h"
#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

/// Processor time, so that a busy computer does not make a test weaker.
double seconds_used() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Stress {
 public:
  Stress(const RtlDesign& design, RtlModel& model, RtlStressParams params, const RtlFlowRules& rules,
         const RtlStressOptions& options, const RtlStressProgress& progress)
      : design_(design),
        model_(model),
        params_(std::move(params)),
        rules_(rules),
        options_(options),
        progress_(progress),
        result_({design.ports, design.flows != 0 && rules.order != nullptr, design.depth != 0}) {
    params_.is_enough = [this] { return is_over(1); };
  }

  RtlStressResult run() {
    if (play(one_by_one(design_)) && play(pair_by_pair(design_)) && play(all_to_one(design_)) &&
        play_random() && play_long())
      result_.failed_seed = 0;
    return std::move(result_);
  }

 private:
  bool is_over(double share) const {
    return options_.seconds != 0 && seconds_used() - began_s_ > share * options_.seconds;
  }

  bool play_random() {
    const double share = options_.long_cycles == 0 ? 1 : 2.0 / 3;
    for (std::uint32_t i = 0; options_.cases == 0 || i < options_.cases; ++i) {
      if (is_over(share)) break;
      result_.failed_seed = options_.seed + i;
      ++result_.cases;
      if (!play(random_stimulus(design_, rules_, options_.packets, result_.failed_seed))) return false;
      if (progress_ && seconds_used() > told_s_ + 1) {
        told_s_ = seconds_used();
        progress_(say(result_.cases, " cases, ", result_.packets, " packets, ", result_.cycles, " cycles, ",
                      result_.coverage.reached(), " of ", result_.coverage.bins(), " bins"));
      }
    }
    return true;
  }

  bool play_long() {
    if (options_.long_cycles == 0) return true;
    const std::uint64_t before = result_.cycles;
    result_.failed_seed = options_.seed;
    const bool passed =
        play(long_stimulus(design_, rules_, options_.packets, options_.seed, options_.long_cycles));
    result_.long_cycles = result_.cycles - before;
    return passed;
  }

  bool play(const RtlStimulus& stimulus) {
    const RtlStressOutcome outcome = play_stimulus(design_, model_, params_, stimulus, &result_.coverage);
    result_.packets += outcome.packets;
    result_.cycles += outcome.cycles;
    result_.wait_cycles += outcome.wait_cycles;
    result_.longest_wait = std::max(result_.longest_wait, outcome.longest_wait);
    result_.most_passed = std::max(result_.most_passed, outcome.most_passed);
    result_.most_early = std::max(result_.most_early, outcome.most_early);
    if (outcome.passed()) return true;
    result_.outcome = outcome;
    result_.stimulus = stimulus;
    shrink_failure();
    return false;
  }

  void shrink_failure() {
    RtlStressParams unlimited = params_;
    unlimited.is_enough = {};
    const double begin_s = seconds_used();
    const auto fails = [&](const RtlStimulus& smaller) {
      if (options_.seconds != 0 && seconds_used() - begin_s > options_.seconds) return false;
      ++result_.plays;
      return !play_stimulus(design_, model_, unlimited, smaller).passed();
    };
    result_.repeats = fails(result_.stimulus);
    if (!result_.repeats || options_.shrink_plays == 0) return;
    RtlStimulus smaller = shrink(result_.stimulus, fails, options_.shrink_plays);
    // A reset that leaves something behind would make all that follows fail.
    if (RtlStimulus at_once = smaller;
        std::exchange(at_once.cycles_before_reset, 0) != 0 && !fails(one_by_one(design_)) && fails(at_once))
      smaller = std::move(at_once);
    const RtlStressOutcome again = play_stimulus(design_, model_, unlimited, smaller);
    if (again.passed()) return;
    result_.stimulus = std::move(smaller);
    result_.outcome = again;
  }

  const RtlDesign& design_;
  RtlModel& model_;
  RtlStressParams params_;
  const RtlFlowRules& rules_;
  const RtlStressOptions& options_;
  const RtlStressProgress& progress_;
  const double began_s_ = seconds_used();
  double told_s_ = 0;
  RtlStressResult result_;
};

}  // namespace

RtlStressResult stress(const RtlDesign& design, RtlModel& model, const RtlStressParams& params,
                       const RtlFlowRules& rules, const RtlStressOptions& options,
                       const RtlStressProgress& progress) {
  return Stress(design, model, params, rules, options, progress).run();
}

}  // namespace wafertlm
