// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/dimensional/dimensional_fabric.h"

namespace wafertlm {

/// Carries packets: nodes and switches are SwitchModules, rings have dateline channels.
class DimensionalSwitches final : public DimensionalFabric {
 public:
  /// As make_dimensional_fabric().
  DimensionalSwitches(const sc_core::sc_module_name& name, const DimensionalParams& params,
                      const ClassTable& classes, Scheduler& scheduler, CheckerSet* checkers, bool reverse);

  void attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) override;
  TimePs lookahead_ps() const override;

 private:
  void check_queues() const;
  void make_node(std::uint32_t n, Scheduler& scheduler);
  void make_switches(Scheduler& scheduler);
  void bind_links();
  void check_routes() const;

  const ClassTable& classes_;
  CheckerSet* checkers_;
};

}  // namespace wafertlm
