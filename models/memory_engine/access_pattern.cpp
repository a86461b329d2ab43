// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/access_pattern.h"

#include <cmath>

namespace wafertlm {

IndependenceTest::Result IndependenceTest::result() const {
  const std::size_t rows = counts_.size() / columns_;
  std::vector<double> row_sums(rows), column_sums(columns_);
  double all = 0;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns_; ++c) {
      const auto count = static_cast<double>(counts_[r * columns_ + c]);
      row_sums[r] += count;
      column_sums[c] += count;
      all += count;
    }
  Result result;
  if (all == 0) return result;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns_; ++c) {
      const double expected = row_sums[r] * column_sums[c] / all;
      if (expected == 0) continue;
      const double difference = static_cast<double>(counts_[r * columns_ + c]) - expected;
      result.chi_square += difference * difference / expected;
    }
  const auto used = [](const std::vector<double>& sums) {
    std::uint64_t count = 0;
    for (const double sum : sums) count += sum != 0;
    return count;
  };
  const std::uint64_t used_rows = used(row_sums), used_columns = used(column_sums);
  if (used_rows < 2 || used_columns < 2) return result;
  result.degrees_of_freedom = (used_rows - 1) * (used_columns - 1);
  const auto n = static_cast<double>(result.degrees_of_freedom);
  result.z = (std::cbrt(result.chi_square / n) - (1 - 2 / (9 * n))) / std::sqrt(2 / (9 * n));
  return result;
}

}  // namespace wafertlm
