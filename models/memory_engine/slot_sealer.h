// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "models/memory_engine/page_sealer.h"

namespace wafertlm {

/// Seals and opens the contents of slots. What is stored is the ciphertext, the number of the sealing (8 B)
/// and the tag. What never was written reads as zeros.
class SlotSealer {
 public:
  using Bytes = std::vector<unsigned char>;

  /// `checks_tags`: a wrong one is found.
  SlotSealer(std::uint64_t seed, std::uint64_t page_bytes, bool checks_tags)
      : sealer_(seed), page_bytes_(page_bytes), checks_tags_(checks_tags) {}

  /// `version`: of the integrity tree, 0 without one.
  void seal(std::uint64_t slot, std::uint64_t version, const unsigned char* page, Bytes& image);
  /// In place. False if it is not what was sealed there.
  bool open(std::uint64_t slot, std::uint64_t version, Bytes& image) const;

  void written(std::uint64_t slot) { written_.insert(slot); }
  /// These slots are another's or were: what is in them reads as zeros.
  void forget(std::uint64_t first_slot, std::uint64_t count) {
    for (std::uint64_t slot = first_slot; slot < first_slot + count; ++slot) written_.erase(slot);
  }
  const PageSealer& sealer() const { return sealer_; }

 private:
  PageSealer sealer_;
  const std::uint64_t page_bytes_;
  const bool checks_tags_;
  std::uint64_t sealings_ = 0;
  std::unordered_set<std::uint64_t> written_;
};

}  // namespace wafertlm
