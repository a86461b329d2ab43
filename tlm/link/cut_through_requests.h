// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/link/cut_through_port.h"

namespace wafertlm::cut_through {

constexpr std::uint32_t bit(std::size_t i) { return std::uint32_t{1} << i; }

/// What comes after place `i` of `count` in turn.
template <typename Index>
Index next_round(std::size_t i, std::size_t count) {
  return static_cast<Index>(i + 1 == count ? 0 : i + 1);
}

/// Who contends for the outputs of a switch: a bit per channel and input with a waiting head. Those of inputs
/// 0 to 63 are in Channel::requests, beside what else arbitration asks.
class RequestSet {
 public:
  RequestSet(std::size_t outputs, std::size_t vcs, std::size_t inputs)
      : inputs_(static_cast<std::uint32_t>(inputs)),
        vcs_(static_cast<std::uint32_t>(vcs)),
        more_(outputs * vcs * (words() - 1)) {}

  std::uint32_t inputs() const { return inputs_; }
  Queue& queue(const Output& output, std::size_t vc, std::size_t input) const {
    return output.queues[vc * inputs_ + input];
  }
  void add(Output& output, std::size_t vc, std::size_t input) {
    word(output, vc, input / 64) |= wide_bit(input);
    output.requesting_vcs = static_cast<std::uint16_t>(output.requesting_vcs | bit(vc));
  }
  void remove(Output& output, std::size_t vc, std::size_t input) {
    word(output, vc, input / 64) &= ~wide_bit(input);
    if (output.channels[vc].requests != 0) return;
    for (std::size_t k = 1; inputs_ > 64 && k < words(); ++k)
      if (word(output, vc, k) != 0) return;
    output.requesting_vcs = static_cast<std::uint16_t>(output.requesting_vcs & ~bit(vc));
  }
  /// Visits the queues with a waiting head on `vc`, from input `from` on and round; visit(input, queue)
  /// returns false to stop.
  template <typename Visit>
  [[gnu::always_inline]] void for_each(const Output& output, std::size_t vc, std::size_t from,
                                       const Visit& visit) {
    if (inputs_ > 64) return for_each_of_many(output, vc, from, visit);
    Queue* const queues = &queue(output, vc, 0);
    const std::uint64_t requests = output.channels[vc].requests;
    // Turned so that `from` comes first.
    for (std::uint64_t bits = requests >> from | requests << (64 - from) % 64; bits != 0; bits &= bits - 1) {
      const std::size_t input = (from + static_cast<std::size_t>(__builtin_ctzll(bits))) % 64;
      if (!visit(input, queues[input])) return;
    }
  }

 private:
  static constexpr std::uint64_t wide_bit(std::size_t i) { return std::uint64_t{1} << i % 64; }
  /// Of 64 inputs each.
  std::size_t words() const { return (std::max(std::size_t{inputs_}, std::size_t{1}) + 63) / 64; }
  std::uint64_t& word(const Output& output, std::size_t vc, std::size_t k) {
    return k == 0 ? output.channels[vc].requests
                  : more_[(std::size_t{output.port} * vcs_ + vc) * (words() - 1) + k - 1];
  }
  /// With more inputs than a word has bits.
  template <typename Visit>
  void for_each_of_many(const Output& output, std::size_t vc, std::size_t from, const Visit& visit) {
    Queue* const queues = &queue(output, vc, 0);
    const std::uint64_t low = wide_bit(from) - 1;
    std::size_t k = from / 64;
    for (std::size_t round = 0; round <= words(); ++round, k = next_round<std::size_t>(k, words())) {
      std::uint64_t bits = word(output, vc, k);
      if (round == 0) bits &= ~low;
      if (round == words()) bits &= low;  // back in the first word: the part before `from`
      for (; bits != 0; bits &= bits - 1) {
        const std::size_t input = k * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
        if (!visit(input, queues[input])) return;
      }
    }
  }

  std::uint32_t inputs_, vcs_;
  std::vector<std::uint64_t> more_;  // [output][vc][word - 1]
};

}  // namespace wafertlm::cut_through
