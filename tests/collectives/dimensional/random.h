// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace wafertlm::test {

/// What random cases are drawn with.
class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  std::uint64_t from_to(std::uint64_t first, std::uint64_t last) { return first + below(last - first + 1); }
  std::string of(const std::vector<std::string>& words) { return words[below(words.size())]; }

 private:
  std::mt19937_64 random_;
};

}  // namespace wafertlm::test
