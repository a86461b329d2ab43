// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "platform/config/platform_spec.h"
#include "tlm/checking.h"
#include "tlm/fabric/fabric.h"
#include "tlm/fabric_traits.h"
#include "tlm/scheduler.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm {

/// What a fabric is built into. The references must outlive it.
struct FabricSurroundings {
  const ClassTable& classes;
  Scheduler& scheduler;
  PacketPool& packets;
  CheckerSet* checkers = nullptr;  ///< null: no checkers
  bool reverse = false;            ///< build the modules in reverse order
};

/// What depends on `wafer.fabric.kind`, all in one place.
class FabricKind {
 public:
  virtual ~FabricKind() = default;
  /// Most wake-ups of the fabric lie within this time.
  virtual TimePs horizon_ps(const config::WaferSpec& spec) const = 0;
  virtual std::unique_ptr<Fabric> make(const config::WaferSpec& spec, bool with_io,
                                       const FabricSurroundings& in) const = 0;
  /// With I/O controllers, without endpoint costs.
  virtual FabricTraits traits(const config::WaferSpec& spec) const = 0;
  /// Where a placement of workers finds its NPUs.
  virtual PlacementGrid grid(const config::WaferSpec& spec) const = 0;
  /// The fastest link between switches, and the time through the switch behind it: an input buffer of a given
  /// size limits this one first.
  struct Link {
    std::uint64_t bytes_per_s;
    TimePs pipeline_ps;
  };
  virtual Link fastest_link(const config::WaferSpec& spec) const = 0;
  /// Lines for `wafertlm check`.
  virtual std::string describe(const config::WaferSpec& spec) const = 0;
};

const FabricKind& fabric_kind(const config::WaferSpec& spec);

}  // namespace wafertlm
