// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/equal_places.h"

#include "platform/spec/fabric_kinds.h"
#include "platform/spec/platform_spec.h"
#include "tlm/program/program.h"
#include "tlm/shape/equal_places.h"

namespace wafertlm {

bool has_equal_wiring(const config::PlatformSpec& spec) {
  return fabric_kind(spec.wafer).abilities(spec.wafer.fabric).equal_places;
}

std::string why_places_differ(const config::PlatformSpec& spec) {
  using Acceleration = config::Acceleration;
  if (!spec.run.faults.empty()) return "run.faults are of single parts";
  if (spec.run.acceleration == Acceleration::off) return "run.acceleration is off";
  if (spec.run.acceleration == Acceleration::sampled) return "run.acceleration is sampled";
  if (spec.run.checkers) return "protocol checkers follow every message";
  if (spec.run.functional) return "functional mode has values of its own at every NPU";
  if (spec.run.fault) return "run.fault counts packets";
  if (!spec.npu.hbm.rtl.empty()) return "RTL takes part";
  if (spec.remote_memory) return "NPUs share a remote memory";
  if (!spec.npu.compute.stragglers.empty()) return "npu.compute.stragglers differ";
  if (const config::DefectsSpec& defects = spec.wafer.fabric.defects;
      !defects.slow_npus.empty() || !defects.hbm.empty())
    return "NPUs are not alike (wafer.defects)";
  if (spec.npu.compute.jitter != Jitter::none) return "npu.compute.jitter differs";
  return {};
}

bool are_alike(const CollectiveProgram& a, const CollectiveProgram& b) {
  const EqualPlaces *const of_a = a.ranks.front()->places(), *const of_b = b.ranks.front()->places();
  return of_a && of_b && of_a->is_like(*of_b) && a.type == b.type && a.algorithm == b.algorithm &&
         a.chunks == b.chunks && a.bytes == b.bytes;
}

}  // namespace wafertlm
