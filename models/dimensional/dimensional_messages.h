// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "models/dimensional/dimensional_fabric.h"
#include "models/messages/message_network.h"
#include "models/messages/no_packets.h"

namespace wafertlm {

/// Carries whole messages, in an engine of its own: there are no switch modules, buffers, credits or faults.
class DimensionalMessages final : public DimensionalFabric, private OneForAll {
 public:
  /// As make_dimensional_fabric().
  DimensionalMessages(const sc_core::sc_module_name& name, const DimensionalParams& params,
                      const ClassTable& classes, Scheduler& scheduler);

  void attach(NpuId endpoint, FabricInitiatorSocket& to_fabric, FabricTargetSocket& from_fabric) override;
  MessageService* messages() override { return &network_; }
  OutputCounters counters(const FabricLink& link) const override;
  std::uint64_t bytes_per_s(const FabricLink& link) const override {
    return port_of(link).line.bytes_per_s();
  }
  std::uint64_t queued_packets() const override { return network_.messages(); }
  void observe(LinkObserver& observer) override { network_.observe(observer); }
  void list_state(StateVisitor& state) override { network_.list_state(state); }

 private:
  void add_all_places();
  void add_one_place();
  const MessagePort& port_of(const FabricLink& link) const;
  std::uint32_t port_at_one_place(const FabricLink& link) const;
  std::uint32_t vertex_of_switch(std::size_t number) const;
  bool has_full_connections() const;
  NpuId behind(const MessagePort& link, NpuId destination) const override;
  bool numbers_inputs(std::uint32_t vertex) const override;
  void crosses(const MessagePort& link, const EqualPlaces& places) override;

  MessageNetwork network_;
  NoPackets no_packets_;
  // One for all.
  std::vector<DimensionPort> ports_;   // of NPU 0
  std::vector<std::size_t> switched_;  // dimensions with switches, whose vertices follow NPU 0's
  std::vector<std::optional<EqualPlaces::Move>> moves_;  // by dimension, of fully connected ones
};

}  // namespace wafertlm
