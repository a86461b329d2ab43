// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/wafer_router.h"

#include <algorithm>
#include <set>

namespace wafertlm {
namespace {

constexpr std::uint64_t kFitBudget = 100'000;  ///< flows put into an L2 switch

/// Whether swapping uplinks to the same L2 switch changes nothing but the names of a µswitch's inputs.
bool uplinks_are_alike(const FredWaferShape& shape) {
  return shape.uplinks_per_l2() == 1 || (shape.uplinks_per_l2() == 2 && shape.npus_per_l1 % 2 == 0);
}

}  // namespace

/// Choices of L2 switches in order, until one is accepted.
class FredWaferRouter::Search {
 public:
  Search(const FredWaferRouter& wafer, const WaferStep& step, const FredRouteOptions& options,
         std::uint64_t most_choices)
      : wafer_(wafer),
        step_(step),
        options_(options),
        most_choices_(most_choices),
        left_up_(wafer.shape_.l1_switches,
                 std::vector<std::uint32_t>(wafer.shape_.l2_switches, wafer.shape_.uplinks_per_l2())),
        left_down_(left_up_),
        l2_of_(step.size()) {
    for (const WaferFlow& flow : step) paths_.push_back(path_of(flow, wafer.shape_));
  }

  WaferRouting run() {
    const bool found = place(0, 0);
    if (found) return std::move(first_);
    const bool all_tried = budget_ != 0 && first_.choices < most_choices_;
    if (first_.choices == 0) {
      first_.status = all_tried ? FredRouteStatus::impossible : FredRouteStatus::not_found;
      first_.reason =
          all_tried
              ? "the flows need more uplinks than there are, however they are spread over the L2 switches"
              : "no way was found to spread the flows over the L2 switches";
      return std::move(first_);
    }
    const bool proven = all_tried && all_proven_ && options_.mode == FredRouteMode::backtracking &&
                        uplinks_are_alike(wafer_.shape_);
    first_.status = proven ? FredRouteStatus::impossible : FredRouteStatus::not_found;
    if (first_.choices > 1)
      first_.reason += " (the first of " + std::to_string(first_.choices) +
                       " choices of L2 switches, none of which routes)";
    return std::move(first_);
  }

 private:
  bool room(const FlowPath& path, std::uint32_t l2) const {
    return std::all_of(path.up.begin(), path.up.end(), [&](auto l1) { return left_up_[l1][l2] > 0; }) &&
           std::all_of(path.down.begin(), path.down.end(), [&](auto l1) { return left_down_[l1][l2] > 0; });
  }
  void occupy(const FlowPath& path, std::uint32_t l2, bool taken) {
    for (const std::uint32_t l1 : path.up) left_up_[l1][l2] += taken ? ~0U : 1U;
    for (const std::uint32_t l1 : path.down) left_down_[l1][l2] += taken ? ~0U : 1U;
  }

  /// L2 switches are alike: of those without flows only the first is tried.
  bool place(std::size_t flow, std::uint32_t used) {
    if (flow == step_.size()) return accept();
    if (paths_[flow].stays()) return place(flow + 1, used);
    for (std::uint32_t l2 = 0; l2 < std::min(used + 1, wafer_.shape_.l2_switches); ++l2) {
      if (!room(paths_[flow], l2)) continue;
      if (budget_ == 0) return false;
      --budget_;
      occupy(paths_[flow], l2, true);
      l2_of_[flow] = l2;
      if (place(flow + 1, std::max(used, l2 + 1))) return true;
      occupy(paths_[flow], l2, false);
      if (done_) return false;
    }
    l2_of_[flow] = 0;
    return false;
  }

  /// Routes all switches. Keeps the result if it is a success or the first one.
  bool accept() {
    WaferRouting result;
    result.l2_of = l2_of_;
    bool proven = false;
    for (SwitchFlows& flows : switch_flows(step_, l2_of_, wafer_.shape_)) {
      FredRouting routing = wafer_.parts_.at(flows.ports)->router.route(flows.flows, options_);
      if (!routing.routed()) {
        if (result.reason.empty()) result.reason = flows.name + ": " + routing.reason;
        result.status = FredRouteStatus::not_found;
        proven |= routing.status == FredRouteStatus::impossible;
      }
      result.switches.push_back({std::move(flows), std::move(routing)});
    }
    all_proven_ &= proven;
    const std::uint64_t choices = first_.choices + 1;
    if (result.routed() || choices == 1) first_ = std::move(result);
    first_.choices = choices;
    done_ = options_.mode == FredRouteMode::first_colouring || choices == most_choices_;
    return first_.routed();
  }

  const FredWaferRouter& wafer_;
  const WaferStep& step_;
  const FredRouteOptions& options_;
  std::uint64_t most_choices_, budget_ = kFitBudget;
  std::vector<FlowPath> paths_;
  std::vector<std::vector<std::uint32_t>> left_up_, left_down_;  ///< uplinks by L1 and L2 switch
  std::vector<std::uint32_t> l2_of_;
  WaferRouting first_;
  bool done_ = false, all_proven_ = true;
};

FredWaferRouter::FredWaferRouter(const FredWaferShape& shape, std::uint32_t m) : shape_(shape), m_(m) {
  shape.check();
  std::set<std::uint32_t> sizes{shape.l2_ports()};
  for (std::uint32_t l1 = 0; l1 < shape.l1_switches; ++l1) sizes.insert(shape.l1_ports(l1));
  for (const std::uint32_t ports : sizes) parts_[ports] = std::make_unique<const Part>(m, ports);
}

WaferRouting FredWaferRouter::route(const WaferStep& step, const FredRouteOptions& options,
                                    std::uint64_t most_choices) const {
  return Search(*this, step, options, most_choices).run();
}

}  // namespace wafertlm
