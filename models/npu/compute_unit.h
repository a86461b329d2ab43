// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "models/npu/compute_model.h"

namespace wafertlm {

class ComputeUnitHost {
 public:
  /// The computation with this token runs from `start` to `end`; called at `end` or before.
  virtual void computed(std::uint64_t token, TimePs start, TimePs end, bool ok) = 0;

 protected:
  ~ComputeUnitHost() = default;
};

/// Computes one operation after the other, in the order of the calls.
class ComputeUnit {
 public:
  /// `duration`: of `work` when its operands are there.
  virtual void start(std::uint64_t token, const ComputeWork& work, TimePs duration, TimePs now) = 0;

 protected:
  ~ComputeUnit() = default;
};

/// A unit that takes nothing but time.
class SerialUnit final : public ComputeUnit {
 public:
  explicit SerialUnit(ComputeUnitHost& host) : host_(host) {}

  void start(std::uint64_t token, const ComputeWork&, TimePs duration, TimePs now) override {
    const TimePs begin = std::max(now, free_ps_);
    free_ps_ = begin + duration;
    host_.computed(token, begin, free_ps_, true);
  }

 private:
  ComputeUnitHost& host_;
  TimePs free_ps_ = 0;
};

}  // namespace wafertlm
