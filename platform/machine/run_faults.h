// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/npu/compute_params.h"
#include "platform/spec/platform_spec.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/link/switch_core.h"

namespace wafertlm {

class ComputeEngine;
class Fabric;
struct FabricLink;

/// A part was lost, and run.on_fault is stop.
class PartLost : public std::runtime_error {
 public:
  PartLost(const std::string& text, TimePs at) : std::runtime_error(text), at_ps(at) {}
  TimePs at_ps;
};

/// How fast an NPU computes, by the platform's run.faults; ascending, empty: always the same.
std::vector<SpeedChange> speed_changes(const config::RunSpec& run, NpuId npu);

/// What a fault met.
struct RunFaultCounts {
  std::uint64_t packets = 0, wire_bytes = 0;  ///< that started on the link while it was slower
  std::uint64_t computations = 0;             ///< that started while the NPU was slower
  double longer_s = 0;      ///< so much longer the packets were on the line, or the computations took
  TimePs down_wait_ps = 0;  ///< of all packets, for the link that was down

  bool is_nothing() const { return packets == 0 && computations == 0 && down_wait_ps == 0; }
};

/// The platform's run.faults: changes the rates of links at their times. NPUs know theirs from the beginning.
class RunFaults final : private Wakeable {
 public:
  /// @throws config::ConfigError: the fabric's switches have no such link.
  RunFaults(const config::PlatformSpec& spec, Fabric& fabric, Scheduler& scheduler);

  const std::vector<config::RunFaultSpec>& faults() const { return run_.faults; }
  /// Up to now. `compute`: of the fault's NPU, if it has one.
  RunFaultCounts counts(std::size_t fault, const ComputeEngine* compute) const;
  /// Links that are down for good and have packets waiting where they begin, in words.
  std::vector<std::string> pending() const;

 private:
  /// A direction of a link.
  struct Way {
    const FabricLink& link;
    SwitchCore& from;
    std::uint64_t bytes_per_s;  ///< while it is whole
    OutputCounters at_begin = {}, at_end = {};
  };
  struct Course {
    std::vector<Way> ways;  ///< none: of an NPU
    bool has_begun = false, has_ended = false;
  };
  void wake(std::uint32_t what, TimePs now) override;
  void begin(std::size_t fault, TimePs now);
  void reroute(std::size_t fault, TimePs now);
  void end(std::size_t fault, TimePs now);

  const config::RunSpec run_;
  Fabric& fabric_;
  std::vector<Course> courses_;  // by fault
};

}  // namespace wafertlm
