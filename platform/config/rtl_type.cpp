// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "platform/config/descriptions.h"
#include "platform/config/fabric_spec.h"
#include "platform/config/value_types.h"
#include "platform/fabrics/fabric_kind.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<RtlSpec>> rtl_type() {
  auto type = std::make_shared<Struct<RtlSpec>>("rtl");
  type->required("switch", &RtlSpec::switches, text(),
                 "A switch as results name it (l1_0_2, router5), or a pattern with *")
      .required(
          "view", &RtlSpec::view, one_of<RtlViewMode>({"tlm", "rtl", "both"}),
          "tlm: the model alone, for a recording; rtl: the RTL in its place; both: the model answers, and "
          "the RTL gets the same packets beside it and is compared")
      .optional("design", &RtlSpec::design, maybe<std::string>(word()),
                "RTL that wafertlm_add_rtl() has made part of the program; `wafertlm rtl designs` lists them")
      .optional("clock", &RtlSpec::clock_hz,
                auto_or(whole_quantity(frequency_dimension(), "1 MHz", "1000 GHz")),
                "auto: what makes a port carry as much as the switch's links, a flit in every cycle")
      .optional(
          "tolerance", &RtlSpec::tolerance_ps, maybe<TimePs>(any_time()),
          "With both: most that a head may leave earlier or later than the model's; without it times are "
          "reported and not judged")
      .optional("window", &RtlSpec::window_ps, any_time(),
                "With both: of the waveforms before and after the first divergence")
      .optional("record", &RtlSpec::record, maybe<std::string>(text()),
                "A file for what the switch sees, for `wafertlm rtl replay`; of several switches NAME is put "
                "before the file's ending")
      .optional("flit_bytes", &RtlSpec::flit_bytes, whole_quantity(size_dimension(), "0 B", "64 KiB"),
                "Of a recording with view: tlm and no design");
  return type;
}

void check_rtl(const FabricSpec& fabric, const Check& check) {
  for (const RtlSpec& each : fabric.rtl) {
    const auto fail = [&](const void* key, const std::string& why) {
      check.fail({key, &each, &fabric.rtl}, why);
    };
    if (!fabric.kind->abilities(fabric).packets)
      fail(&each, "whole messages pass no switch: transport: packets, or leave rtl out");
    if (fabric.format.by_flit) fail(&each, "wormhole switches have no RTL view: switching: cut_through");
    if (fabric.is_reliable())
      fail(&each, "RTL switches know no Go-Back-N: leave bit_error_rate and reliability out");
    if (each.view != RtlViewMode::tlm && !each.design) fail(&each.view, "which RTL: give 'design'");
    if (each.view != RtlViewMode::both && each.tolerance_ps)
      fail(&each.view, "a tolerance is of a comparison: view: both, or leave tolerance out");
    if (each.view == RtlViewMode::tlm && !each.record)
      fail(&each.view, "view: tlm is what a switch is without this entry, too: give 'record', or remove it");
    if (each.view == RtlViewMode::rtl && each.record)
      fail(&each.view, "the RTL in place has no model to be compared with: record with view: tlm or both");
    if (each.view == RtlViewMode::tlm && !each.design && each.flit_bytes == 0)
      fail(&each.view, "a recording counts flits: give 'design' or 'flit_bytes'");
    if (each.design && each.flit_bytes != 0)
      fail(&each.flit_bytes, "the design says it: remove 'flit_bytes'");
  }
}

}  // namespace wafertlm::config
