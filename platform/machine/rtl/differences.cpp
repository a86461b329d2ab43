// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/differences.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/rtl/rtl_view.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {
namespace {

/// The least that a switch in front of `at` knows to be free; kNever: there is none.
std::uint64_t input_room_bytes(Fabric& fabric, const SwitchModule& at) {
  std::uint64_t room = kNever;
  for (std::size_t n = 0; n < fabric.switches(); ++n) {
    const SwitchModule& before = fabric.switch_module(n);
    for (std::size_t output = 0; output < before.outputs(); ++output)
      if (before.link_end(static_cast<PortId>(output)).at == &at)
        room = std::min<std::uint64_t>(room, before.output_params()[output].buffer_bytes);
  }
  return room;
}

RtlProperty pipeline(const SwitchModule& at, const RtlViewParams& view) {
  const TimePs model_ps = at.pipeline_ps(), rtl_ps = view.clock.edge_ps(view.design->latency);
  RtlProperty made{"pipeline", fmt::format("{} ps", model_ps),
                   fmt::format("{} ps (LATENCY={})", rtl_ps, view.design->latency)};
  // A head waits for an edge in any case.
  made.differs = 2 * std::max(model_ps - std::min(model_ps, rtl_ps), rtl_ps - std::min(model_ps, rtl_ps)) >
                 view.clock.period_ps();
  if (made.differs) made.set = fmt::format("a pipeline of {} ps in the fabric, or LATENCY", rtl_ps);
  return made;
}

RtlProperty flits(const config::FabricSpec& spec, const RtlViewParams& view) {
  const std::uint64_t model = spec.format.flit_bytes, rtl = view.flit_bytes;
  RtlProperty made{"flit", model == 0 ? "packets are not rounded" : fmt::format("{} B", model),
                   fmt::format("{} B", rtl), model != rtl};
  if (made.differs) made.set = fmt::format("wafer.fabric.flit_bytes={}B", rtl);
  return made;
}

RtlProperty room(std::uint64_t bytes, const RtlViewParams& view) {
  const std::uint64_t model = bytes / view.flit_bytes, rtl = view.design->depth;
  RtlProperty made{"room at an input", fmt::format("{} flits", model), fmt::format("{} flits (DEPTH)", rtl),
                   model != rtl};
  if (made.differs) made.set = fmt::format("wafer.fabric.input_buffer={}B, or DEPTH", rtl * view.flit_bytes);
  return made;
}

}  // namespace

std::vector<RtlProperty> rtl_properties(Fabric& fabric, std::size_t switch_number,
                                        const config::FabricSpec& spec, const RtlViewParams& view) {
  const SwitchModule& at = fabric.switch_module(switch_number);
  std::vector<RtlProperty> properties;
  if (view.design->latency != 0) properties.push_back(pipeline(at, view));
  properties.push_back(flits(spec, view));
  const std::uint64_t room_bytes = input_room_bytes(fabric, at);
  if (view.design->depth != 0 && room_bytes != kNever) properties.push_back(room(room_bytes, view));
  return properties;
}

}  // namespace wafertlm
