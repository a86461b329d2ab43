// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tlm/link/switch_core.h"
#include "tlm/shape/dimensions.h"

namespace wafertlm {

/// A port of an NPU's node: what it leads to, and what comes in there comes from.
struct DimensionPort {
  enum class To : std::uint8_t {
    next,      ///< of a ring or line: the coordinate above
    previous,  ///< … below
    peer,      ///< of a fully connected dimension
    to_switch,
  };
  std::size_t dimension = 0;
  To to = To::next;
  std::uint32_t coordinate = 0;  ///< of the neighbour; of a switch: of the NPU itself
};

/// The ports of an NPU's node, in their order: dimension by dimension. The last port of the node, not among
/// them, is the NPU's own.
std::vector<DimensionPort> ports_of(NpuId npu, const Dimensions& dimensions);
/// "d0_next", "d1_to3", "d2_switch".
std::string name_of(const DimensionPort& port);

/// The routes of an NPU's node: dimension by dimension, on a ring the shorter way (FabricDimension::goes_up).
class NodeRouting final : public RouteFunction {
 public:
  NodeRouting(const Dimensions& dimensions, NpuId npu);
  PortId output_for(const Packet& packet) const override;
  std::uint32_t outputs() const { return own_port_ + 1; }

 private:
  struct Axis {
    std::uint32_t stride, coordinate, first_port;
    FabricDimension is;
  };
  std::vector<Axis> axes_;
  std::uint32_t own_port_ = 0;
};

/// The routes of a dimension's switch: output c leads to the NPU with coordinate c.
class SwitchRouting final : public RouteFunction {
 public:
  SwitchRouting(const Dimensions& dimensions, std::size_t dimension)
      : stride_(dimensions.stride(dimension)), size_(dimensions[dimension].size) {}
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(static_cast<std::uint32_t>(packet.destination) / stride_ % size_);
  }

 private:
  std::uint32_t stride_, size_;
};

}  // namespace wafertlm
