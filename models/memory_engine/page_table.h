// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/memory_engine/engine_params.h"

namespace wafertlm {

struct PageRights {
  bool read = true, write = true;
};

/// Who may use which page of a provider's memory: 8 bytes for each. A page has one requester at a time.
/// Blocks of pages that are alike take up no room in the simulation.
class PageTable {
 public:
  /// @throws std::invalid_argument unless `page_bytes` is a power of two from 4 KiB on and divides
  /// `memory_bytes`.
  PageTable(std::uint64_t page_bytes, std::uint64_t memory_bytes);

  /// Pages `first` to `first + count - 1` are `requester`'s from now on.
  /// @throws std::invalid_argument if there is no such page, or one is another's (revoke it first).
  void grant(RequesterId requester, std::uint64_t first, std::uint64_t count, PageRights rights = {});
  /// They are nobody's.
  void revoke(std::uint64_t first, std::uint64_t count);

  /// Pages that are `requester`'s now.
  std::uint64_t granted(RequesterId requester) const;

  /// May `requester` access all of these bytes, at least one? The first page that it may not says why not.
  Refusal check(RequesterId requester, bool write, std::uint64_t address, std::uint64_t bytes) const;

  std::uint64_t page_bytes() const { return std::uint64_t{1} << page_shift_; }
  std::uint64_t pages() const { return pages_; }
  std::uint64_t page_of(std::uint64_t address) const { return address >> page_shift_; }

 private:
  using Entry = std::uint64_t;  // requester << 16 | flags; kKnown stays when a page is revoked
  static constexpr Entry kGranted = 1, kRead = 2, kWrite = 4, kKnown = 8;
  static constexpr std::uint64_t kBlockPages = 1 << 12;
  struct Block {
    Entry all = 0;            // of every page,
    std::vector<Entry> each;  // unless there are these
  };
  Entry entry(std::uint64_t page) const {
    const Block& block = blocks_[page / kBlockPages];
    return block.each.empty() ? block.all : block.each[page % kBlockPages];
  }
  /// Calls change(entry, pages) for all of these pages, once for a block that is and stays alike.
  template <typename Change>
  void change(std::uint64_t first, std::uint64_t count, Change change);
  void require_pages(std::uint64_t first, std::uint64_t count) const;

  unsigned page_shift_ = 0;
  std::uint64_t pages_;
  std::vector<Block> blocks_;
  std::unordered_map<Entry, std::uint64_t> granted_;  // pages by requester
};

}  // namespace wafertlm
