// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "models/npu/compute_params.h"
#include "models/npu/tiled_product.h"
#include "tlm/kernel/units.h"
#include "tlm/program/matrix_product.h"

namespace wafertlm {

/// What an operation tells of its computation; 0 or empty: nothing.
struct ComputeWork {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;  ///< to and from the memory
  TimePs duration_ps = 0;
  std::vector<MatrixProduct> products = {};
};

/// Bytes of both factors of each product, each read once: count · (m·k + k·n) elements of a quarter of
/// `bits_x4` bits.
/// @throws std::invalid_argument if 63 bits cannot count them.
std::uint64_t operand_bytes(const std::vector<MatrixProduct>& products, std::uint32_t bits_x4);

/// Cycles of (m × k) · (k × n), one fold of the array after the other without overlap (Samajdar et al.,
/// SCALE-Sim, ISPASS 2020). The product maps to Sr × Sc × T: output stationary m, n, k; weight stationary k,
/// n, m; input stationary k, m, n. There are ⌈Sr/R⌉·⌈Sc/C⌉ folds, each of R + C + T − 2 cycles, or 2R + C + T
/// − 2 where the array is filled first.
/// @throws std::invalid_argument for an array or a product without elements, or a count beyond 63 bits.
std::uint64_t systolic_cycles(const SystolicArray& array, std::uint64_t m, std::uint64_t n, std::uint64_t k);

/// How long an NPU computes.
class ComputeModel {
 public:
  virtual ~ComputeModel() = default;
  virtual const char* name() const = 0;
  /// It reckons with what the NPU and its memory can do; false: durations come with the operations.
  virtual bool has_rate() const { return true; }
  /// It tells of matrix products only.
  virtual bool needs_products() const { return false; }
  /// Picoseconds, rounded up; nullopt if the work does not tell what the model needs.
  /// @throws std::invalid_argument saying what to set, or that time cannot hold it.
  virtual std::optional<Uint128> time_ps(const ComputeWork& work) const = 0;
};

/// The duration that comes with the operation: measured, or of a workload's effective_flops.
class GivenDuration final : public ComputeModel {
 public:
  const char* name() const override { return "duration"; }
  bool has_rate() const override { return false; }
  std::optional<Uint128> time_ps(const ComputeWork& work) const override;
};

/// The same in whole microseconds, rounded up, as traces have them; what has none takes the shortest time.
class ReplayedDuration final : public ComputeModel {
 public:
  explicit ReplayedDuration(TimePs shortest_ps) : shortest_ps_(shortest_ps) {}
  const char* name() const override { return "duration"; }
  bool has_rate() const override { return false; }
  std::optional<Uint128> time_ps(const ComputeWork& work) const override {
    return replayed_ps(work.duration_ps, shortest_ps_);
  }
  static TimePs replayed_ps(TimePs duration_ps, TimePs shortest_ps);

 private:
  TimePs shortest_ps_;
};

/// max(operations / rate, bytes / memory bandwidth), cut to multiples of `time_step_ps` (0: kept); operations
/// that are not given are those of the products.
class Roofline final : public ComputeModel {
 public:
  Roofline(std::uint64_t operations_per_s, std::uint64_t memory_bytes_per_s, TimePs time_step_ps = 0)
      : operations_per_s_(operations_per_s),
        memory_bytes_per_s_(memory_bytes_per_s),
        time_step_ps_(time_step_ps) {}
  const char* name() const override { return "roofline"; }
  std::optional<Uint128> time_ps(const ComputeWork& work) const override;

 private:
  std::uint64_t operations_per_s_, memory_bytes_per_s_;
  TimePs time_step_ps_;
};

/// max(cycles of all products on the array / clock, bytes / memory bandwidth)
class Systolic final : public ComputeModel {
 public:
  Systolic(const SystolicArray& array, std::uint64_t clock_hz, std::uint64_t memory_bytes_per_s)
      : array_(array), clock_hz_(clock_hz), memory_bytes_per_s_(memory_bytes_per_s) {}
  const char* name() const override { return "systolic"; }
  bool needs_products() const override { return true; }
  std::optional<Uint128> time_ps(const ComputeWork& work) const override;

 private:
  SystolicArray array_;
  std::uint64_t clock_hz_, memory_bytes_per_s_;
};

/// Products over units tile by tile (tiled_product.h), at least the bytes of the operation.
class Tiled final : public ComputeModel {
 public:
  explicit Tiled(const ComputeParams& params);
  const char* name() const override { return "tiled"; }
  bool needs_products() const override { return true; }
  std::optional<Uint128> time_ps(const ComputeWork& work) const override;

 private:
  TiledParams units_;
  TiledRates rates_;
};

}  // namespace wafertlm
