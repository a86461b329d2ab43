// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/fred/routing/flow.h"
#include "models/fred/routing/network.h"
#include "tlm/program/data_type.h"

namespace wafertlm {

/// The middle switch of a flow at each level, the outermost first. An R-µswitch cannot copy and a D-µswitch
/// cannot add, so a flow lies in one middle switch at each.
/// @param configuration made by FredRouter for a set of flows that `flow` is one of.
/// @throws std::invalid_argument if the configuration does not carry the flow.
std::vector<std::uint32_t> way_of(const FredNetwork& network, const FredConfiguration& configuration,
                                  const FredFlow& flow);

/// What the RTL switch stores of a flow (flow_table.sv).
struct FredFlowEntry {
  FredFlow flow;
  std::vector<std::uint32_t> way;
  std::uint32_t priority = 0;
  DataType data_type = DataType::int32;
  std::optional<std::uint32_t> from_above;  ///< an input
  std::uint64_t packets = 0;                ///< at this switch

  /// A word of the stored configuration and its number; the last one opens the flow.
  struct Word {
    std::uint8_t number;
    std::uint32_t value;
  };
  /// @throws std::invalid_argument: more than 32 ports, 8 levels, 15 middle switches or 2³² packets.
  std::array<Word, 5> words() const;
};

}  // namespace wafertlm
