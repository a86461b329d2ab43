// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>

#include "models/npu/compute_model.h"
#include "models/npu/compute_params.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

class OperandHost {
 public:
  /// The computation with this token has run from `start` to `end`, which is now.
  virtual void computed(std::uint64_t token, TimePs start, TimePs end, bool ok) = 0;
  /// loaded() follows.
  virtual void load_operands(std::uint64_t address, std::uint64_t bytes) = 0;
  /// tile_computed() is to be called then.
  virtual void wake_for_tile(TimePs at) = 0;

 protected:
  ~OperandHost() = default;
};

/// A compute unit whose operands come from the memory: a computation is cut into tiles, each with its part of
/// the bytes and of the time, and a tile is computed when it is loaded and the one before is done. One
/// computation after the other. Operands begin on a large page, as allocators place them.
class OperandStream {
 public:
  static constexpr std::uint64_t kPageBytes = 65'536;  ///< so that the requests are whole blocks

  OperandStream(const OperandParams& params, OperandHost& host)
      : params_(params), host_(host), random_(params.seed) {}

  /// What an operation tells as its bytes counts; else the factors of its matrix products.
  void start(std::uint64_t token, const ComputeWork& work, TimePs duration, TimePs now) {
    add(token, duration, work.bytes != 0 ? work.bytes : operand_bytes(work.products, params_.factor_bits_x4),
        now);
  }
  void add(std::uint64_t token, TimePs duration, std::uint64_t bytes, TimePs now) {
    const std::uint64_t tiles = bytes == 0 ? 1 : (bytes - 1) / params_.tile_bytes + 1;
    queue_.push_back({token, duration, bytes, tiles});
    if (queue_.size() == 1) begin(now);
  }
  /// A tile is there, in the order of the loads.
  void loaded(bool ok, TimePs now) {
    ok_ &= ok;
    ++loaded_;
    compute(now);
  }
  void tile_computed(TimePs now) {
    computing_ = false;
    ++computed_;
    const Work work = queue_.front();
    if (computed_ != work.tiles) {
      ask();
      return compute(now);
    }
    queue_.pop_front();
    host_.computed(work.token, start_, now, ok_);
    if (!queue_.empty()) begin(now);
  }

  std::uint64_t bytes_loaded() const { return bytes_loaded_; }
  /// With a tile to compute that was not there.
  TimePs waited_ps() const { return waited_ps_; }

 private:
  struct Work {
    std::uint64_t token;
    TimePs duration;
    std::uint64_t bytes, tiles;
    TimePs until(std::uint64_t tile) const { return static_cast<TimePs>(Uint128{duration} * tile / tiles); }
  };
  void begin(TimePs now) {
    start_ = idle_since_ = now;
    address_ = (address_ + kPageBytes - 1) / kPageBytes * kPageBytes;
    asked_ = computed_ = 0;
    loaded_ = queue_.front().bytes == 0 ? 1 : 0;
    ok_ = true;
    ask();
    compute(now);
  }
  void ask() {
    const Work& work = queue_.front();
    while (work.bytes != 0 && asked_ < work.tiles && asked_ < computed_ + 1 + params_.ahead) {
      const std::uint64_t bytes = std::min(params_.tile_bytes, work.bytes - asked_ * params_.tile_bytes);
      if (params_.order == OperandOrder::random)
        address_ = random_() % (params_.span_bytes / params_.tile_bytes) * params_.tile_bytes;
      else if (address_ + bytes > params_.span_bytes)
        address_ = 0;
      const std::uint64_t address = address_;
      address_ += bytes;
      ++asked_;
      bytes_loaded_ += bytes;
      host_.load_operands(address, bytes);
    }
  }
  void compute(TimePs now) {
    if (computing_ || queue_.empty() || loaded_ <= computed_) {
      if (!computing_) idle_since_ = std::min(idle_since_, now);
      return;
    }
    computing_ = true;
    waited_ps_ += now - std::min(now, idle_since_);
    const Work& work = queue_.front();
    const TimePs end = now + work.until(computed_ + 1) - work.until(computed_);
    idle_since_ = end;
    host_.wake_for_tile(end);
  }

  const OperandParams params_;
  OperandHost& host_;
  std::mt19937_64 random_;
  std::deque<Work> queue_;
  std::uint64_t asked_ = 0, loaded_ = 0, computed_ = 0, address_ = 0, bytes_loaded_ = 0;
  bool computing_ = false, ok_ = true;
  TimePs start_ = 0, idle_since_ = 0, waited_ps_ = 0;
};

}  // namespace wafertlm
