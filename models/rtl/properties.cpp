// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/properties.h"

#include <algorithm>
#include <set>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

RtlProperty pipeline(const RtlModelFacts& model, const RtlDesign& design, RtlClock clock) {
  RtlProperty made{"pipeline", say(model.pipeline_ps, " ps"), "not known"};
  if (design.latency == 0) return made;
  const TimePs model_ps = model.pipeline_ps, rtl_ps = clock.edge_ps(design.latency);
  made.rtl = say(rtl_ps, " ps (LATENCY=", design.latency, ")");
  // A head waits for an edge in any case.
  made.differs = 2 * (std::max(model_ps, rtl_ps) - std::min(model_ps, rtl_ps)) > clock.period_ps();
  if (made.differs) made.set = say("a pipeline of ", rtl_ps, " ps in the fabric, or LATENCY");
  return made;
}

RtlProperty clock_of(const RtlModelFacts& model, const RtlDesign& design, RtlClock clock) {
  const Uint128 link = model.link_bytes_per_s, pins = Uint128{design.flit_bytes()} * clock.hz;
  return {"rate of a port", say(model.link_bytes_per_s, " B/s"),
          say(design.flit_bytes(), " B x ", clock.hz, " Hz"),
          (std::max(link, pins) - std::min(link, pins)) * 1'000'000 > link};
}

RtlProperty flit(const RtlModelFacts& model, const RtlDesign& design) {
  const std::uint32_t rtl = design.flit_bytes();
  RtlProperty made{"flit", model.flit_bytes == 0 ? "packets are not rounded" : say(model.flit_bytes, " B"),
                   say(rtl, " B"), model.flit_bytes != rtl};
  if (made.differs) made.set = say("wafer.fabric.flit_bytes=", rtl, "B");
  return made;
}

RtlProperty packet(const RtlModelFacts& model, const RtlDesign& design) {
  const std::uint32_t bytes = design.flit_bytes(), flits = (model.payload_bytes + bytes - 1) / bytes;
  RtlProperty made{"flits per packet",
                   say((model.wire_bytes + bytes - 1) / bytes, " (", model.wire_bytes, " B with ",
                       model.wire_bytes - model.payload_bytes, " B of header)"),
                   say(flits, " (the header is beside them)"), model.wire_bytes != flits * bytes};
  if (made.differs) made.set = "wafer.fabric.header_bytes=0B and whole flits as packet_bytes";
  return made;
}

RtlProperty room_here(const RtlModelFacts& model, const RtlDesign& design) {
  const std::uint64_t flits = model.input_bytes / design.flit_bytes();
  RtlProperty made{"room at an input", flits == 0 ? "not known" : say(flits, " flits"), "not known"};
  if (design.input_flits == 0 || flits == 0) return made;
  made.rtl = say(design.input_flits, " flits (DEPTH)");
  made.differs = flits != design.input_flits;
  if (made.differs)
    made.set = say("wafer.fabric.input_buffer=", std::uint64_t{design.input_flits} * design.flit_bytes(),
                   "B, or DEPTH");
  return made;
}

RtlProperty room_behind(const std::vector<std::uint32_t>& rooms, const RtlDesign& design) {
  std::set<std::uint32_t> bounded(rooms.begin(), rooms.end());
  bounded.erase(0);
  RtlProperty made{"room behind an output", bounded.empty() ? "any" : "", "not known"};
  for (const std::uint32_t flits : bounded) made.model += say(made.model.empty() ? "" : ", ", flits);
  if (!bounded.empty()) made.model += " flits";
  if (design.out_depth == 0) return made;
  made.rtl = say(design.out_depth, " flits (OUT_DEPTH)");
  made.differs = std::any_of(bounded.begin(), bounded.end(),
                             [&](std::uint32_t flits) { return flits != design.out_depth; });
  if (made.differs) made.set = "OUT_DEPTH, or the buffers of the fabric";
  return made;
}

RtlProperty queue(const RtlModelFacts& model, const RtlDesign& design) {
  RtlProperty made{"queues of an input", to_string(model.queue), "not known"};
  if (!design.queue) return made;
  made.rtl = say(to_string(*design.queue), " (QUEUE)");
  made.differs = model.queue != *design.queue;
  if (made.differs) made.set = say("wafer.fabric.input_queue=", to_string(*design.queue));
  return made;
}

}  // namespace

const char* to_string(InputQueue queue) { return queue == InputQueue::fifo ? "fifo" : "per_output"; }

std::optional<InputQueue> input_queue_of(const std::string& name) {
  for (const InputQueue each : {InputQueue::fifo, InputQueue::per_output})
    if (name == to_string(each)) return each;
  return {};
}

std::vector<RtlProperty> rtl_properties(const RtlModelFacts& model, const RtlDesign& design, RtlClock clock,
                                        const std::vector<std::uint32_t>& rooms) {
  return {pipeline(model, design, clock),
          clock_of(model, design, clock),
          flit(model, design),
          packet(model, design),
          room_here(model, design),
          room_behind(rooms, design),
          queue(model, design),
          {"credit after a tail", say(model.credit_delay_ps, " ps"), "not known"},
          {"starts of an input", say("every ", model.start_interval_ps, " ps"), "not known"}};
}

std::vector<std::string> names_of_differing(const std::vector<RtlProperty>& properties) {
  std::vector<std::string> names;
  for (const RtlProperty& each : properties)
    if (each.differs) names.push_back(each.what);
  return names;
}

}  // namespace wafertlm
