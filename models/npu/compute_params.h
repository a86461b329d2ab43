// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// What stays in the processing elements.
enum class Dataflow : std::uint8_t { output_stationary, weight_stationary, input_stationary };

/// R × C processing elements that each do one multiply-add per cycle.
struct SystolicArray {
  std::uint64_t rows = 0, columns = 0;
  Dataflow dataflow = Dataflow::output_stationary;
};

enum class Jitter : std::uint8_t {
  none,
  uniform,  ///< from 1 - spread to 1 + spread
  normal,   ///< mean 1, standard deviation `spread`: the sum of twelve uniform numbers, within 6 spreads
};

struct SystolicParams {
  SystolicArray array;
  std::uint64_t clock_hz = 0;
};

/// What one unit computes at a time, or `units` of them together; operands come `k` deep.
struct TileShape {
  std::uint32_t m = 128, n = 128, k = 64;
  std::uint32_t units = 1;
};

/// Processors, cores or matrix units that share a product tile by tile.
struct TiledParams {
  std::uint32_t units = 0;
  std::uint64_t feed_bytes_per_s = 0;  ///< operands that reach a unit; 0: no bound
  TimePs launch_ps = 0;                ///< before and after the tiles
  std::vector<TileShape> shapes;       ///< that the library has; at least one
  std::uint32_t most_splits = 1;       ///< of k over units, by powers of two
  std::uint32_t memory_percent = 100;  ///< of the memory's bandwidth that streams get
};

/// An NPU that is slower for a while.
struct SpeedChange {
  TimePs from_ps = 0, until_ps = kNever;
  std::uint32_t percent = 100;  ///< of its speed, for computations that start then
};

struct ComputeParams {
  /// Peak × efficiency in the precision that is used; 0: unknown, every operation needs a duration.
  std::uint64_t operations_per_s = 0;
  std::uint64_t memory_bytes_per_s = 0;
  std::optional<SystolicParams> systolic;  ///< for operations that name their matrix products
  std::optional<TiledParams> tiled;        ///< the same
  std::uint32_t factor_bits_x4 = 64;       ///< of an element of a factor, with its share of a scale
  std::uint32_t result_bits = 16;
  bool ignores_durations = false;  ///< of operations that tell enough to compute one
  /// Only durations that come with operations count, in whole microseconds; the shortest is a time step.
  bool replays = false;
  TimePs time_step_ps = 0;               ///< what the roofline computes is cut to multiples of it; 0: kept
  std::uint32_t slowdown_percent = 100;  ///< a straggler has more than 100
  std::uint32_t speed_percent = 100;     ///< below 100: of an NPU that came out slow
  Jitter jitter = Jitter::none;
  std::uint32_t jitter_percent = 0;             ///< spread
  std::uint64_t seed = 1;                       ///< of this NPU
  std::vector<SpeedChange> speed_changes = {};  ///< that do not overlap
};

/// Where the tiles of the operands are in the memory.
enum class OperandOrder : std::uint8_t { sequential, random };

struct OperandParams {
  std::uint64_t tile_bytes = 1 << 20;
  std::uint64_t span_bytes = 0;  ///< of the memory, from address 0; at least a tile
  OperandOrder order = OperandOrder::sequential;
  std::uint64_t seed = 1;
  std::uint32_t ahead = 2;            ///< tiles asked for beyond the one that is computed
  std::uint32_t factor_bits_x4 = 64;  ///< of a matrix, for computations that tell only their products
};

}  // namespace wafertlm
