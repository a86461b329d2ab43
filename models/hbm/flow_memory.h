// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "models/hbm/memory_timing.h"

namespace wafertlm {

/// What part of its pins' bandwidth one stack delivers, measured at the burst level: by the size of requests,
/// their stride (in sizes; 0: random), the part of writes, and how many are outstanding.
struct EfficiencyTable {
  std::vector<std::uint32_t> depths;  ///< ascending
  struct Row {
    std::uint64_t bytes = 0, stride = 0;
    std::uint32_t writes_percent = 0;
    std::vector<double> efficiency;  ///< by depth, above 0
  };
  /// Every combination of the sizes, strides and parts of writes that occur.
  std::vector<Row> rows;
};

struct FlowMemoryParams {
  EfficiencyTable table;
  std::uint64_t stack_bytes_per_s = 0;
  std::uint32_t stacks = 1;
  std::uint64_t piece_bytes = 2048;  ///< go to the stacks in turn
};

/// A memory whose data bus reads and writes share, by bandwidth × efficiency. By Little's law a request that
/// finds `n` requests of B bytes in all outstanding, itself among them, is done after B / (bandwidth ×
/// efficiency(n)). Stride and part of writes are those of the requests of late.
///
/// Several stacks: each sees its part of a request, but not less than a piece, and of the requests that meet
/// it.
class FlowMemory final : public MemoryTiming {
 public:
  /// @throws std::invalid_argument for a table with gaps.
  explicit FlowMemory(const FlowMemoryParams& params);

  Id submit(const MemoryAccess& access, TimePs now) override;
  Answer ask(Id id, TimePs) override { return {true, ends_[id]}; }
  TimePs wait_for(Id id) override { return ends_[id]; }
  void end(Id id) override { free_.push_back(id); }

  std::uint64_t bytes_per_s() const { return params_.stacks * params_.stack_bytes_per_s; }
  /// Interpolated: linear in size and depth, in the logarithm of the stride; over the part of writes the time
  /// per byte is.
  double efficiency(std::uint64_t bytes, std::uint64_t stride, double writes_percent, double depth) const;
  /// Time in which nothing was outstanding, before the last end.
  TimePs idle_ps() const { return idle_ps_; }
  TimePs last_end_ps() const { return last_end_ps_; }

 private:
  struct Axis {
    std::vector<double> at;
    /// Position among the values, between the first and the last.
    double position(double value) const;
  };
  struct Underway {
    TimePs end;
    std::uint64_t bytes;
    bool operator>(const Underway& other) const { return end > other.end; }
  };
  std::size_t row(std::size_t bytes, std::size_t stride, std::size_t writes) const {
    return (bytes * strides_ + stride) * writes_.at.size() + writes;
  }
  std::uint64_t stride_of(const MemoryAccess& access);

  FlowMemoryParams params_;
  Axis bytes_, stride_, writes_, depth_;  // strides above 0: their logarithms
  bool random_ = false;
  std::size_t strides_ = 0;
  std::vector<std::vector<double>> cells_;  // by row

  std::vector<TimePs> ends_;
  std::vector<Id> free_;
  std::priority_queue<Underway, std::vector<Underway>, std::greater<>> underway_;
  std::uint64_t underway_bytes_ = 0;
  std::uint64_t recent_writes_ = 0;  // a bit for each of the last requests
  std::uint32_t recent_ = 0;
  struct Walk {
    std::uint64_t next = 0, last = 0, step = 0;
    std::uint32_t regular = 0;
  };
  Walk walks_[2];
  TimePs idle_ps_ = 0, last_end_ps_ = 0;
};

}  // namespace wafertlm
