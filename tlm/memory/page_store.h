// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace wafertlm {

/// The contents of a large memory: only pages that were written take up room, the rest reads as zero.
class PageStore {
 public:
  void read(std::uint64_t address, unsigned char* to, std::size_t bytes) const;
  void write(std::uint64_t address, const unsigned char* from, std::size_t bytes);
  /// One of the two, of which `data` is the other end.
  void move(bool reads, std::uint64_t address, unsigned char* data, std::size_t bytes) {
    reads ? read(address, data, bytes) : write(address, data, bytes);
  }
  std::size_t pages() const { return pages_.size(); }

  static constexpr std::size_t kPageBytes = 4096;

 private:
  std::unordered_map<std::uint64_t, std::vector<unsigned char>> pages_;  // by address / kPageBytes
};

}  // namespace wafertlm
