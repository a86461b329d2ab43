// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "models/rtl/rtl_view.h"
#include "tests/support/fabric_ends.h"
#include "tlm/fabric/checker.h"

namespace wafertlm {

struct SwitchTestbenchParams {
  std::string name = "router0";
  std::uint32_t ports = 5;
  OutputParams link;  ///< of every port, in both directions
  TimePs pipeline_ps = 1000, credit_delay_ps = 20'000;
  InputQueue input_queue = InputQueue::fifo;
  // Of its RTL.
  RtlViewMode view = RtlViewMode::both;
  const RtlDesign* design = nullptr;
  std::uint32_t flit_bytes = 32;  ///< without a design
  std::optional<std::uint32_t> tolerance = {};
  std::string recording;
};

/// A SwitchModule with its RTL, a source and a sink at each port, and nothing else around it. Packets go to
/// the port that their destination's number says. Several may share a simulation.
class SwitchTestbench final : RouteFunction {
 public:
  /// Before the simulation starts; `classes`, `scheduler` and `checkers` must outlive it. `checkers` may be
  /// null.
  SwitchTestbench(const SwitchTestbenchParams& params, const ClassTable& classes, Scheduler& scheduler,
                  CheckerSet* checkers);

  /// At each input in the order of sending. `of`: anything else that is the caller's to set.
  void add(std::uint32_t from, std::uint32_t to, std::uint64_t sequence, TimePs at_ps, std::uint32_t bytes,
           Packet of = {});
  RtlView& view() { return *view_; }
  const std::vector<FabricSink::Arrival>& arrivals(std::uint32_t output) const {
    return sinks_[output]->arrivals();
  }
  std::size_t arrived() const;

 private:
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(index_of(packet.destination));
  }

  PacketPool pool_;
  std::unique_ptr<SwitchModule> at_;
  std::unique_ptr<RtlModel> model_;
  std::unique_ptr<RtlView> view_;
  std::vector<std::unique_ptr<FabricSource>> sources_;
  std::vector<std::unique_ptr<FabricSink>> sinks_;
};

}  // namespace wafertlm
