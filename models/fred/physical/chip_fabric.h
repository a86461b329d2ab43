// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>

#include "models/fred/fred_wafer.h"
#include "models/fred/physical/chip_routes.h"

namespace wafertlm {

/// The physical view of a FRED wafer: SwitchModules for its chips, with ports of one speed, over which the
/// packets of messages and flows are striped. Every endpoint has a SwitchModule more, its ports: no wire and
/// no time, it shares out what the endpoint sends and brings together what it gets. Dead chips are there and
/// idle. Numbers as in ChipWiring.
class FredChipFabric final : public FredWafer {
 public:
  /// As MeshFabric; `params` has chips.
  /// @throws std::invalid_argument, too: L1 switches between which no chips live, or, with flows, no way that
  /// serves all of them.
  FredChipFabric(const sc_core::sc_module_name& name, const FredParams& params, const ClassTable& classes,
                 Scheduler& scheduler, PacketPool& packets, CheckerSet* checkers = nullptr,
                 bool reverse = false);

  OutputParams injection_link() const override { return between(params_.npu_bytes_per_s, 0); }
  OutputParams io_link() const override { return between(params_.io_bytes_per_s, 0); }
  bool striped() const override { return true; }
  bool injection_is_wire() const override { return false; }

 private:
  void plan_switches();
  void plan_endpoint(NpuId endpoint);
  OutputParams between(std::uint64_t bytes_per_s, TimePs credit_delay_ps) const;
  OutputParams link(TimePs latency_ps, std::uint32_t to_level, std::uint32_t ways) const;

  /// Beyond the round trip, with auto: all-to-all needs six, as a port's packets wait for different outputs.
  static constexpr std::uint64_t kPacketsPerPort = 8;

  const ChipRouting routing_;
  std::deque<PortsRoute> ports_routes_;
  std::deque<L1ChipRoute> l1_routes_;
  L2ChipRoute l2_route_;
};

}  // namespace wafertlm
