// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/rtl/axi4/master.h"
#include "tlm/kernel/splitmix64.h"

namespace wafertlm {

class Axi4Draws {
 public:
  explicit Axi4Draws(std::uint64_t seed) : state_(splitmix64::mixed(seed)) {}
  /// Below `values`.
  std::uint64_t operator()(std::uint64_t values) {
    return splitmix64::mix(state_ += splitmix64::kStep) % values;
  }

 private:
  std::uint64_t state_;
};

/// A beat of anything.
Axi4Data random_data(Axi4Draws& draws);

/// Legal transactions of all kinds, in some windows of a memory.
std::vector<Axi4Transaction> random_transactions(const Axi4Shape& shape, std::uint32_t count,
                                                 std::uint64_t seed);

/// A write of these bytes, or a read, as full beats from an aligned address on.
Axi4Transaction plain_transaction(const Axi4Shape& shape, bool write, std::uint64_t address,
                                  std::uint32_t beats, Axi4Draws& draws);

/// A memory byte by byte, which knows what was written. Written from the standard's text apart from
/// Axi4Burst, so that neither hides an error of the other.
class Axi4Reference {
 public:
  void write(const Axi4Transaction& transaction, std::uint32_t data_bytes);
  /// Whether `data` are what a read gets; of bytes that nobody wrote, anything. Else what is wrong.
  std::optional<std::string> compare(const Axi4Burst& burst, const std::vector<Axi4Data>& data,
                                     std::uint32_t data_bytes) const;
  /// Lines of `data_bytes` with bytes that were written.
  std::vector<std::uint64_t> lines(std::uint32_t data_bytes) const;

 private:
  struct Page {
    std::array<std::uint8_t, kAxi4Boundary> bytes{};
    std::bitset<kAxi4Boundary> known;
  };
  std::unordered_map<std::uint64_t, Page> pages_;  // by address / kAxi4Boundary; a burst is in one
};

}  // namespace wafertlm
