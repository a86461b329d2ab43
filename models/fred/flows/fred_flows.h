// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/fred/flows/flow_admission.h"
#include "models/fred/routing/router.h"
#include "tlm/link/switch_module.h"
#include "tlm/scheduler.h"

namespace wafertlm {

struct FredFlowParams {
  std::uint32_t per_buffer = 8;  ///< flows that have room in a buffer at the same time, per traffic channel
  std::uint32_t room_packets =
      0;                    ///< that a flow reserves in each buffer, at least 2; 0: enough for line rate
  std::uint32_t lanes = 8;  ///< queues of a switch's flow unit into its outputs
  bool reservation = true;  ///< false for tests only
  FlowConflict conflict = FlowConflict::block;
  bool phase_rule = false;  ///< as in FlowUnitParams
  TimePs phase_change_ps = 0;
  std::uint32_t middle_switches = 3;  ///< m of FRED_m(P)
  FredRouteMode route_search = FredRouteMode::first_colouring;
  std::optional<AnswerFormat> answers;  ///< Go-Back-N; none: off

  /// Streams of I/O controllers that have room in a buffer at the same time even if they are more than
  /// per_buffer, unless room_packets says otherwise; with large packets they would not.
  std::uint32_t streams = 0;
  std::uint64_t stream_bytes_per_s = 0;
  bool striped = false;  ///< flows go over several ways at once

  /// Sets the room for flows behind a link whose round trip (link, switch, credit) is this long, and which so
  /// many of a flow's ways share.
  void give_room(OutputParams& link, TimePs round_trip_ps, const WireFormat& format,
                 std::uint32_t ways = 1) const;
};

/// The in-network flows of a tree of SwitchModules: their admission, and what gives it time.
class FredFlows final : private FlowAdmissionHost, private Wakeable {
 public:
  FredFlows(const FredFlowParams& params, const WireFormat& format, const ClassTable& classes,
            PacketPool& packets, Scheduler& scheduler);

  /// Switches in the order of their numbers; `outputs` are the links behind them, with their flow buffers.
  void add_switch(SwitchModule& made, const std::vector<OutputParams>& outputs);
  /// Endpoints in the order of their numbers: the link into the switch.
  void add_injection(const OutputParams& link) { fabric_.injection.push_back(link); }
  /// Which flows they can carry together; before start().
  void set_routing(std::shared_ptr<FlowRouting> routing) { fabric_.routing = std::move(routing); }
  /// Everything is there.
  void start(FlowWays ways);

  FlowControl& control() { return admission_; }
  const FlowAdmission& admission() const { return admission_; }
  /// Packets that wait at the inputs of flow units.
  std::uint64_t queued() const;

 private:
  void request_admission_wake(TimePs at) override { scheduler_.schedule(at, *this, 0); }
  void wake(std::uint32_t, TimePs now) override { admission_.wake(now); }

  FredFlowParams params_;
  PacketPool& packets_;
  Scheduler& scheduler_;
  FlowFabric fabric_;
  FlowAdmission admission_;
  std::vector<const SwitchModule*> switches_;
};

}  // namespace wafertlm
