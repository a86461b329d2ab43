// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <any>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/shape/fabric_traits.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm {

class CheckerSet;
class ClassTable;
class Fabric;
struct FabricResults;
class PacketPool;
class RemoteLinks;
class Scheduler;

namespace config {
class Check;
struct FabricSpec;
struct WaferSpec;
template <class S>
class Struct;

// Rules between a fabric and the wafer's other keys, of which each kind takes what it needs.

/// `wafer.width` and `wafer.height` are of a mesh.
void require_no_grid(const WaferSpec& wafer, const Check& check);
void require_no_io(const WaferSpec& wafer, const Check& check);
/// No `wafer.outer`.
void require_one_wafer(const WaferSpec& wafer, const Check& check);
}  // namespace config

namespace traffic {
struct TrafficModel;
}

/// What a fabric is built into. The references must outlive it.
struct BuildContext {
  const ClassTable& classes;
  Scheduler& scheduler;
  PacketPool& packets;
  CheckerSet* checkers = nullptr;  ///< null: no checkers
  bool reverse = false;            ///< build the modules in reverse order
  bool with_io = false;            ///< with ports for the I/O controllers
  bool one_for_all = false;        ///< NPU 0 stands for all; needs FabricAbilities::equal_places
  RemoteLinks* remote = nullptr;   ///< this process has only a part; needs FabricKind::wafers()
};

/// How a fabric falls into wafers, which different processes may simulate.
struct Wafers {
  std::vector<std::uint32_t> of_npu = {};  ///< by NPU: the number of its wafer; empty: there is one
  std::uint32_t count = 1;
  /// What happens on one reaches another not before: the least latency of a link between two, and of its
  /// credits.
  TimePs lookahead_ps = 0;
};

/// What of wafer.defects a fabric knows beside the NPUs, which all do.
struct KnownDefects {
  bool routers = false, switches = false, chips = false, links = false, slow_links = false, io = false,
       drawn = false;
};

/// What fabrics of a kind can do.
struct FabricAbilities {
  bool in_network = false;      ///< the switches reduce and distribute
  bool packets = true;          ///< messages travel as packets through switches, not in one piece
  bool endpoint_memory = true;  ///< messages can pass through the NPUs' memories
  KnownDefects defects;
  bool reroutes = false;           ///< packets can go around links that die while it runs
  bool dateline_channels = false;  ///< every class needs its virtual channels twice, as rings do
  bool equal_places = false;       ///< all NPUs have the same wiring, and one may stand for all
  bool dma_engines = true;         ///< an NPU has one port into the fabric, which its DMA engines share
  bool input_starts = false;       ///< knows `input_start_interval`
  std::string faster = {};  ///< what simulates the same in less time: "wafer.fabric.transport: messages"
  double hop_s = 0;  ///< that a hop takes to simulate; 0: as those of a wafer's packets or whole messages
  double new_courses = 0.2;  ///< of collectives that are alike, part whose course is none of before: measured
  double new_packets = 160;  ///< of a long message, about so many are simulated before it is in step
  TimePs time_step_ps = 0;   ///< times of messages are cut to multiples of it; 0: kept
};

/// How the report draws a wafer: "mesh" needs the sides of the grid.
struct WaferDrawing {
  const char* kind = "tree";
  std::uint32_t width = 0, height = 0;
  std::vector<std::string> dead = {};  ///< names of nodes and links of a mesh that do not work
};

/// The link that limits first with an input buffer of a given size, and the time through the switch behind
/// it.
struct FabricLinkRate {
  std::uint64_t bytes_per_s = 0;
  TimePs pipeline_ps = 0;
};

/// A kind of fabric: everything that depends on `wafer.fabric.kind`. A new kind is a class of these and a
/// line in registry.cpp, or a call of add_fabric_kind().
class FabricKind {
 public:
  virtual ~FabricKind() = default;

  /// As the configuration writes it, and what it means in a few words.
  virtual std::string name() const = 0;
  virtual std::string meaning() const = 0;
  /// What FabricSpec::params holds before the keys are read: the parameters of this kind, copyable.
  virtual std::any default_params() const = 0;
  /// Adds the keys that the fabric has with this kind.
  virtual void add_keys(config::Struct<config::FabricSpec>& fabric) const = 0;
  /// Rules between the keys of a fabric; those of all kinds follow.
  virtual void check(const config::FabricSpec& fabric, const config::Check& check) const = 0;
  /// Rules between the fabric and the wafer's other keys: no width and height, no I/O controllers, one wafer.
  virtual void check_wafer(const config::WaferSpec& wafer, const config::Check& check) const;

  virtual FabricAbilities abilities(const config::FabricSpec&) const { return {}; }
  virtual std::uint32_t npus(const config::WaferSpec& wafer) const = 0;
  /// Paths of the keys that say how many NPUs there are.
  virtual std::vector<std::string> size_keys() const = 0;
  /// NPUs that do not take part because they or their routers do not work.
  virtual std::vector<NpuId> failed_npus(const config::FabricSpec& fabric) const;
  /// For messages about this wafer: "5x4 wafer".
  virtual std::string wafer_name(const config::WaferSpec&) const { return "wafer"; }

  /// Makes packets able to go around these links, named as in results, once they have failed
  /// (Fabric::avoid). Only with FabricAbilities::reroutes.
  virtual void prepare_detours(config::WaferSpec&, const std::vector<std::string>& /*ways*/) const {}

  /// Most wake-ups of the fabric lie within this time.
  virtual TimePs horizon_ps(const config::WaferSpec& wafer) const = 0;
  virtual std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const = 0;
  /// With I/O controllers, without endpoint costs.
  virtual FabricTraits traits(const config::WaferSpec& wafer) const = 0;
  /// Where a placement of workers finds its NPUs; one row.
  virtual PlacementGrid grid(const config::WaferSpec& wafer) const;
  virtual FabricLinkRate fastest_link(const config::WaferSpec& wafer) const = 0;
  /// How synthetic traffic goes over it. @throws std::invalid_argument: it does not
  virtual traffic::TrafficModel traffic(const config::WaferSpec& wafer) const;
  /// Lines for `wafertlm check`.
  virtual std::string describe(const config::WaferSpec& wafer) const = 0;
  /// What results have of it beside its links; null: nothing.
  virtual const FabricResults* results() const { return nullptr; }
  virtual WaferDrawing drawing(const config::WaferSpec&) const { return {}; }
  virtual Wafers wafers(const config::WaferSpec&) const { return {}; }
  /// The kind of several such wafers side by side (wafer.outer), which check_wafer() must allow.
  virtual const FabricKind& of_several_wafers() const { return *this; }
};

}  // namespace wafertlm
