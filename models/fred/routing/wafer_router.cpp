// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/wafer_router.h"

#include <algorithm>
#include <set>

namespace wafertlm {
namespace {

constexpr std::uint64_t kPlaceBudget = 100'000;  ///< flows put into a bundle

}  // namespace

/// Choices of bundles in order, until one is accepted.
class FredWaferRouter::Search {
 public:
  Search(const FredWaferRouter& wafer, const WaferStep& step, const WaferRouteOptions& options)
      : wafer_(wafer),
        step_(step),
        options_(options),
        bundle_(wafer.shape_.npus_per_l1 % 2 == 0 && wafer.shape_.uplinks_per_l2() % 2 == 0 ? 2 : 1),
        left_up_(wafer.shape_.l1_switches,
                 std::vector<std::uint32_t>(wafer.shape_.l2_switches, wafer.shape_.uplinks_per_l2())),
        left_down_(left_up_),
        wish_(step.size()) {
    for (const WaferFlow& flow : step) paths_.push_back(path_of(flow, wafer.shape_));
  }

  WaferRouting run() {
    if (place(0, 0)) return std::move(best_);
    const bool all_tried = budget_ != 0 && !stopped_;
    bool proven = all_tried;
    if (best_.choices == 0) {
      best_.conflict = WaferRouting::Conflict::uplinks;
      best_.reason =
          all_tried ? "however the flows are spread over the L2 switches, the uplinks to one of them do not "
                      "suffice"
                    : "no way was found to spread the flows over the L2 switches";
    } else {
      proven = proven && all_proven_ && bundle_ == wafer_.shape_.uplinks_per_l2();
      if (best_.choices > 1)
        best_.reason +=
            " (the first of " + std::to_string(best_.choices) + " choices of uplinks, none of which routes)";
    }
    best_.status = proven ? FredRouteStatus::impossible : FredRouteStatus::not_found;
    return std::move(best_);
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

  /// Bundles are alike: of those without flows only the first is tried.
  bool place(std::size_t flow, std::uint32_t used) {
    if (flow == step_.size()) return accept();
    if (paths_[flow].stays()) return place(flow + 1, used);
    for (std::uint32_t bundle = 0; bundle < std::min(used + 1, wafer_.shape_.uplinks / bundle_); ++bundle) {
      const std::uint32_t wish = bundle * bundle_, l2 = wish / wafer_.shape_.uplinks_per_l2();
      if (!room(paths_[flow], l2)) continue;
      if (budget_ == 0) return false;
      --budget_;
      occupy(paths_[flow], l2, true);
      wish_[flow] = wish;
      if (place(flow + 1, std::max(used, bundle + 1))) return true;
      occupy(paths_[flow], l2, false);
      if (stopped_) return false;
    }
    return false;
  }

  /// Routes all switches. Keeps the result if it is a success or the first one.
  bool accept() {
    WaferRouting result;
    result.wish = wish_;
    bool proven = false;
    for (SwitchFlows& flows : switch_flows(step_, wish_, wafer_.shape_)) {
      FredRouting routing =
          wafer_.parts_.at(flows.ports)->router.route(flows.flows, options_.in_switch, flows.wafer_flow);
      if (!routing.routed()) {
        if (result.routed()) {
          result.conflict = flows.level == 1 ? WaferRouting::Conflict::l1 : WaferRouting::Conflict::l2;
          result.reason = flows.name + ": " + routing.reason;
        }
        result.status = FredRouteStatus::not_found;
        proven |= routing.status == FredRouteStatus::impossible;
      }
      result.switches.push_back({std::move(flows), std::move(routing)});
    }
    all_proven_ &= proven;
    const std::uint64_t choices = best_.choices + 1;
    const bool routed = result.routed();
    if (routed || choices == 1) best_ = std::move(result);
    best_.choices = choices;
    stopped_ = choices == options_.most_choices;
    return routed;
  }

  const FredWaferRouter& wafer_;
  const WaferStep& step_;
  const WaferRouteOptions& options_;
  /// Uplinks of a bundle share a µswitch at both ends, so that which of them a flow has does not matter.
  std::uint32_t bundle_;
  std::uint64_t budget_ = kPlaceBudget;
  std::vector<FlowPath> paths_;
  std::vector<std::vector<std::uint32_t>> left_up_, left_down_;  ///< uplinks by L1 and L2 switch
  std::vector<std::uint32_t> wish_;
  WaferRouting best_;
  bool stopped_ = false, all_proven_ = true;
};

FredWaferRouter::FredWaferRouter(const FredWaferShape& shape, std::uint32_t m) : shape_(shape), m_(m) {
  shape.check();
  std::set<std::uint32_t> sizes{shape.l2_ports()};
  for (std::uint32_t l1 = 0; l1 < shape.l1_switches; ++l1) sizes.insert(shape.l1_ports(l1));
  for (const std::uint32_t ports : sizes) parts_[ports] = std::make_unique<const Part>(m, ports);
}

WaferRouting FredWaferRouter::route(const WaferStep& step, const WaferRouteOptions& options) const {
  return Search(*this, step, options).run();
}

}  // namespace wafertlm
