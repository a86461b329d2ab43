// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "models/memory_engine/engine_params.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// When the first and the last byte of a piece of data are there.
struct Span {
  TimePs head_ps, tail_ps;
};

/// A pipeline that works on one piece after the other, in the order of the calls.
///   store and forward: start = max(tail in, free);  free = start + work
///   cut-through:       start = max(head in, free);  free = max(start + work, tail in)
///   out: head = start + latency, tail = free + latency
class StreamStage {
 public:
  /// Work: whole cycles of `bytes_per_cycle` each.
  StreamStage(const PipelineParams& params, bool cut_through)
      : unit_bytes_(params.bytes_per_cycle),
        units_per_s_(params.clock_hz),
        latency_ps_(transfer_time_ps(params.latency_cycles, params.clock_hz)),
        cut_through_(cut_through) {}
  /// Work: bytes / bandwidth.
  StreamStage(const DmaParams& params, bool cut_through)
      : unit_bytes_(1),
        units_per_s_(params.bytes_per_s),
        latency_ps_(params.latency_ps),
        cut_through_(cut_through) {}

  TimePs work_ps(std::uint64_t bytes) const {
    return transfer_time_ps((bytes + unit_bytes_ - 1) / unit_bytes_, units_per_s_);
  }
  Span pass(Span in, std::uint64_t bytes) {
    const TimePs work = work_ps(bytes), start = std::max(cut_through_ ? in.head_ps : in.tail_ps, free_ps_);
    free_ps_ = std::max(start + work, in.tail_ps);
    return {start + latency_ps_, free_ps_ + latency_ps_};
  }

 private:
  std::uint64_t unit_bytes_, units_per_s_;
  TimePs latency_ps_;
  bool cut_through_;
  TimePs free_ps_ = 0;
};

}  // namespace wafertlm
