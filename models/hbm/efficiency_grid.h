// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wafertlm {

/// What part of their pins' bandwidth stacks deliver, measured at the burst level: by their number, the size
/// of requests, their stride (in sizes; 0: random), the part of writes, and how many are outstanding.
struct EfficiencyTable {
  std::vector<std::uint32_t> depths;  ///< ascending
  struct Row {
    std::uint64_t bytes = 0, stride = 0;
    std::uint32_t writes_percent = 0;
    std::vector<double> efficiency;  ///< by depth, above 0
    std::uint32_t stacks = 1;
  };
  /// For each number of stacks and kind of size (EfficiencyGrid) every combination of its sizes, strides and
  /// parts of writes.
  std::vector<Row> rows;

  /// Numbers of stacks, ascending.
  std::vector<std::uint32_t> stacks() const;
};

/// Requests of one kind, `depth` of them outstanding.
struct RequestPattern {
  double bytes = 0;
  std::uint64_t alignment = 1;  ///< power of two that divides sizes and addresses
  std::uint64_t stride = 1;     ///< in sizes; 0: random
  double writes_percent = 0, depth = 1;
};

/// The rows of one kind of sizes: interpolated linear in depth and in the logarithm of the stride; over the
/// part of writes the time per byte is, over the size the time of a request.
class EfficiencyRows {
 public:
  /// @throws std::invalid_argument for rows with gaps. Powers of two and other strides are `apart`, if there
  /// are others: a step of a power of two meets the same channels again.
  EfficiencyRows(const std::vector<const EfficiencyTable::Row*>& rows,
                 const std::vector<std::uint32_t>& depths, bool apart);
  /// What a request takes, in the time that the pins need for a byte.
  double time(const RequestPattern& of) const;
  bool has_random() const { return random_; }
  bool covers(double bytes) const { return bytes >= bytes_.at.front() && bytes <= bytes_.at.back(); }

 private:
  struct Axis {
    std::vector<double> at;
    /// Position among the values, between the first and the last.
    double position(double value) const;
  };
  /// Strides above 0, by their logarithms, and which column of cells_ each is.
  struct Strides : Axis {
    std::vector<std::size_t> column;
  };
  const std::vector<double>& cell(std::size_t bytes, std::size_t stride, std::size_t writes) const {
    return cells_[(bytes * strides_ + stride) * writes_.at.size() + writes];
  }
  double of_size(std::size_t bytes, const RequestPattern& of) const;

  Axis bytes_, writes_, depth_;
  Strides powers_, others_;
  bool random_ = false;  // the last column
  std::size_t strides_ = 0;
  std::vector<std::vector<double>> cells_;
};

/// The rows of one number of stacks. Sizes are of three kinds, because a request that begins and ends where
/// pieces of the address map do is in fewer of them: powers of two at multiples of themselves; 3·2ⁿ at
/// multiples of 2ⁿ; and all others, ragged. What is aligned to less than its size lies between the first and
/// the last.
class EfficiencyGrid {
 public:
  /// Successive addresses of `piece_bytes` are in one row of one channel.
  /// @throws std::invalid_argument for a table with gaps.
  EfficiencyGrid(const EfficiencyTable& table, std::uint32_t stacks, std::uint64_t piece_bytes = 2048);

  double at(const RequestPattern& of) const;
  bool has_random() const;
  std::uint32_t stacks() const { return of_stacks_; }

 private:
  std::uint32_t of_stacks_;
  double piece_bytes_;
  std::vector<EfficiencyRows> powers_, thirds_, ragged_;  // each one or none
};

}  // namespace wafertlm
