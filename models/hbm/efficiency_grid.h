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
  /// For each number of stacks every combination of its sizes, strides and parts of writes.
  std::vector<Row> rows;

  /// Numbers of stacks, ascending.
  std::vector<std::uint32_t> stacks() const;
};

/// The rows of one number of stacks.
class EfficiencyGrid {
 public:
  /// @throws std::invalid_argument for a table with gaps.
  EfficiencyGrid(const EfficiencyTable& table, std::uint32_t stacks);

  /// Interpolated: linear in depth and in the logarithm of the stride; over the part of writes the time per
  /// byte is, over the size the time of a request.
  double at(double bytes, std::uint64_t stride, double writes_percent, double depth) const;
  bool has_random() const { return random_; }
  std::uint32_t stacks() const { return of_stacks_; }

 private:
  struct Axis {
    std::vector<double> at;
    /// Position among the values, between the first and the last.
    double position(double value) const;
  };
  std::size_t row(std::size_t bytes, std::size_t stride, std::size_t writes) const {
    return (bytes * strides_ + stride) * writes_.at.size() + writes;
  }

  std::uint32_t of_stacks_;
  Axis bytes_, stride_, writes_, depth_;  // strides above 0: their logarithms
  bool random_ = false;
  std::size_t strides_ = 0;
  std::vector<std::vector<double>> cells_;  // by row
};

}  // namespace wafertlm
