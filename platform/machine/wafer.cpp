// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/wafer.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include "platform/machine/rtl/rtl_views.h"

#include "platform/spec/fabric_kinds.h"

namespace wafertlm {
ClassTable class_table(const config::WaferSpec& wafer) {
  const config::FabricSpec& spec = wafer.fabric;
  const FabricAbilities abilities = fabric_kind(wafer).abilities(spec);
  const std::uint32_t times = abilities.dateline_channels ? 2 : 1;  // packets behind a dateline have others
  std::vector<TrafficClass> classes;
  for (const config::TrafficClassSpec& entry : spec.classes)
    classes.push_back(
        {entry.name, times * static_cast<std::uint32_t>(entry.vc), times * entry.vcs, entry.priority});
  std::uint32_t channels = times * spec.virtual_channels;
  if (spec.is_reliable() && spec.reliability.channel == config::AnswerChannel::own) {
    // Above all others: an answer that waits for data that waits for it would be of no use.
    std::uint32_t highest = 0;
    for (const TrafficClass& entry : classes) highest = std::max(highest, entry.priority);
    for (TrafficClass& entry : classes)
      if (entry.name == config::kControlClass) entry = {entry.name, channels, times, highest + 1};
    channels += times;
  }
  return ClassTable(std::move(classes), channels, abilities.in_network);
}

namespace {

/// With detours around the links that the run's faults take away, if it wants them.
config::PlatformSpec with_detours(config::PlatformSpec spec) {
  if (spec.run.on_fault != config::OnFault::reroute) return spec;
  std::vector<std::string> dying;
  for (const config::RunFaultSpec& fault : spec.run.faults)
    for (std::string& way : fault.ways())
      if (fault.is_loss()) dying.push_back(std::move(way));
  fabric_kind(spec.wafer).prepare_detours(spec.wafer, dying);
  return spec;
}

}  // namespace

Wafer::Wafer(const config::PlatformSpec& spec, bool reverse, bool with_io, bool one_for_all,
             const std::optional<Part>& part)
    : spec_(with_detours(spec)),
      classes(class_table(spec_.wafer)),
      scheduler("scheduler", fabric_kind(spec.wafer).horizon_ps(spec.wafer)),
      remote_links_(part ? std::make_unique<RemoteLinks>(*part, scheduler, packets, messages) : nullptr),
      fabric_(fabric_kind(spec.wafer)
                  .make(spec_.wafer, BuildContext{classes, scheduler, packets, checkers(), reverse, with_io,
                                                  one_for_all, remote_links_.get()})),
      rtl_(std::make_unique<RtlViews>(spec_.wafer.fabric, *fabric_, scheduler, packets, classes)) {
  for (const config::RtlSpec& each : spec.wafer.fabric.rtl)
    if (each.view == RtlViewMode::rtl && spec.run.functional && spec.run.checkers)
      throw std::invalid_argument(
          "run.checkers with run.functional and view: rtl: packets with values leave RTL when their last "
          "flit is there, and the checkers want them announced with their heads; switch one of the two off");
}

Wafer::~Wafer() = default;

void Wafer::require_rest() {
  rtl_->require_rest();
  std::string problem;
  if (fabric_->queued_packets() != 0)
    problem += std::to_string(fabric_->queued_packets()) + " packets wait in switches; ";
  if (fabric_->outstanding_credits() != 0)
    problem += std::to_string(fabric_->outstanding_credits()) + " B of credits are not home; ";
  if (fabric_->queued_flow_packets() != 0)
    problem += std::to_string(fabric_->queued_flow_packets()) + " packets wait in flow units; ";
  if (packets.in_use() != 0) problem += std::to_string(packets.in_use()) + " packets were not delivered; ";
  if (messages.in_use() != 0) problem += std::to_string(messages.in_use()) + " messages were not taken in; ";
  if (!problem.empty()) throw std::logic_error("the fabric is not at rest after the run: " + problem);
  checkers_.finish();
}

}  // namespace wafertlm
