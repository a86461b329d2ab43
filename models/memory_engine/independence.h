// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace wafertlm {

/// Pearson's chi-square test of whether two things that are observed together are independent.
class IndependenceTest {
 public:
  IndependenceTest(std::size_t rows, std::size_t columns) : columns_(columns), counts_(rows * columns) {}

  void observe(std::size_t row, std::size_t column) { ++counts_[row * columns_ + column]; }

  struct Result {
    double chi_square = 0;
    std::uint64_t degrees_of_freedom = 0;
    double z =
        0;  ///< about standard normal if independent (Wilson and Hilferty, PNAS 17, 1931); large: dependent
  };
  Result result() const;

 private:
  std::size_t columns_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace wafertlm
