// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/switch_testbench.h"

namespace wafertlm {

SwitchTestbench::SwitchTestbench(const SwitchTestbenchParams& params, const ClassTable& classes,
                                 Scheduler& scheduler, CheckerSet* checkers) {
  SwitchParams made;
  made.pipeline_ps = params.pipeline_ps;
  made.input_queue = params.input_queue;
  made.credit_delay_ps.assign(params.ports, params.credit_delay_ps);
  made.outputs.assign(params.ports, params.link);
  std::vector<std::string> names;
  for (std::uint32_t port = 0; port < params.ports; ++port) names.push_back(std::to_string(port));
  const RouteFunction& routes = *this;
  at_ = std::make_unique<SwitchModule>(params.name.c_str(), made, names, names, classes, routes, scheduler);
  for (std::uint32_t port = 0; port < params.ports; ++port) {
    const auto id = static_cast<PortId>(port);
    const std::string end = params.name + "_" + names[port];
    sources_.push_back(
        std::make_unique<FabricSource>((end + "_source").c_str(), params.link, classes, scheduler));
    sinks_.push_back(
        std::make_unique<FabricSink>((end + "_sink").c_str(), FabricSink::Credit::announced, scheduler));
    bind_checked(sources_.back()->socket, at_->input(id), checkers, end + "_in", params.link, classes);
    bind_checked(at_->output(id), sinks_.back()->socket, checkers, end + "_out", params.link, classes);
  }
  const bool has_rtl = params.view != RtlViewMode::tlm;
  if (has_rtl) model_ = params.design->make(params.name + "_rtl");
  RtlViewParams view;
  view.mode = params.view;
  view.design = has_rtl ? params.design : nullptr;
  view.flit_bytes = has_rtl ? params.design->flit_bytes() : params.flit_bytes;
  view.clock.hz = params.link.bytes_per_s / view.flit_bytes;
  view.tolerance = params.tolerance;
  view.outputs = made.outputs;
  view.channels = static_cast<std::uint32_t>(classes.virtual_channels());
  view.recording = params.recording;
  view_ = std::make_unique<RtlView>(*at_, scheduler, pool_, classes, model_.get(), view);
}

void SwitchTestbench::add(std::uint32_t from, std::uint32_t to, std::uint64_t sequence, TimePs at_ps,
                          std::uint32_t bytes, Packet of) {
  of.source = static_cast<NpuId>(from);
  of.destination = static_cast<NpuId>(to);
  of.sequence = sequence;
  of.payload_bytes = of.wire_bytes = bytes;
  of.created_ps = at_ps;
  sources_[from]->add(of);
}

std::size_t SwitchTestbench::arrived() const {
  std::size_t packets = 0;
  for (const auto& sink : sinks_) packets += sink->arrivals().size();
  return packets;
}

}  // namespace wafertlm
