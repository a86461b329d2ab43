// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/page_table.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/checking/checking.h"

namespace wafertlm {

PageTable::PageTable(std::uint64_t page_bytes, std::uint64_t memory_bytes) : pages_(0) {
  if (page_bytes < 4096 || (page_bytes & (page_bytes - 1)) != 0)
    throw std::invalid_argument(say("pages of ", page_bytes, " B; must be a power of two from 4 KiB on"));
  if (memory_bytes == 0 || memory_bytes % page_bytes != 0)
    throw std::invalid_argument(
        say("a memory of ", memory_bytes, " B is not made of pages of ", page_bytes, " B"));
  while ((std::uint64_t{1} << page_shift_) != page_bytes) ++page_shift_;
  pages_ = memory_bytes >> page_shift_;
  blocks_.resize((pages_ + kBlockPages - 1) / kBlockPages);
}

void PageTable::require_pages(std::uint64_t first, std::uint64_t count) const {
  if (first >= pages_ || count > pages_ - first)
    throw std::invalid_argument(
        say("there are no pages ", first, " to ", first + count - 1, "; the memory has ", pages_));
}

template <typename Change>
void PageTable::change(std::uint64_t first, std::uint64_t count, Change change) {
  for (std::uint64_t page = first; page < first + count;) {
    Block& block = blocks_[page / kBlockPages];
    const std::uint64_t begin = page % kBlockPages;
    const std::uint64_t part = std::min(kBlockPages - begin, first + count - page);
    page += part;
    if (part == kBlockPages && block.each.empty()) {
      change(block.all, part);
      continue;
    }
    if (block.each.empty()) block.each.assign(kBlockPages, block.all);
    for (std::uint64_t i = begin; i < begin + part; ++i) change(block.each[i], std::uint64_t{1});
  }
}

void PageTable::grant(RequesterId requester, std::uint64_t first, std::uint64_t count, PageRights rights) {
  require_pages(first, count);
  const Entry owner = static_cast<Entry>(requester) << 16;
  change(first, count, [&](const Entry& entry, std::uint64_t) {
    if ((entry & kGranted) != 0 && (entry >> 16) << 16 != owner)
      throw std::invalid_argument(say("a page among ", first, " to ", first + count - 1, " is requester ",
                                      entry >> 16, "'s; revoke it before it is granted again"));
  });
  const Entry granted = owner | kGranted | kKnown | (rights.read ? kRead : 0) | (rights.write ? kWrite : 0);
  change(first, count, [&](Entry& entry, std::uint64_t pages) {
    if ((entry & kGranted) == 0) granted_[owner >> 16] += pages;
    entry = granted;
  });
}

void PageTable::revoke(std::uint64_t first, std::uint64_t count) {
  require_pages(first, count);
  change(first, count, [this](Entry& entry, std::uint64_t pages) {
    if ((entry & kGranted) != 0) granted_[entry >> 16] -= pages;
    entry &= ~(kGranted | kRead | kWrite);
  });
}

std::uint64_t PageTable::granted(RequesterId requester) const {
  const auto found = granted_.find(static_cast<Entry>(requester));
  return found == granted_.end() ? 0 : found->second;
}

Refusal PageTable::check(RequesterId requester, bool write, std::uint64_t address,
                         std::uint64_t bytes) const {
  if (bytes == 0) return Refusal::no_bytes;
  const std::uint64_t first = page_of(address);
  if (first >= pages_ || bytes > (pages_ << page_shift_) - address) return Refusal::not_granted;
  for (std::uint64_t page = first; page <= page_of(address + bytes - 1); ++page) {
    const Entry of_page = entry(page);
    if ((of_page & kKnown) == 0) return Refusal::not_granted;
    if (of_page >> 16 != static_cast<Entry>(requester)) return Refusal::of_another;
    if ((of_page & kGranted) == 0) return Refusal::revoked;
    if ((of_page & (write ? kWrite : kRead)) == 0) return Refusal::no_right;
  }
  return Refusal::none;
}

}  // namespace wafertlm
