// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/page_table.h"

#include <stdexcept>

#include "tlm/checking.h"

namespace wafertlm {

PageTable::PageTable(std::uint64_t page_bytes, std::uint64_t memory_bytes) {
  if (page_bytes < 4096 || (page_bytes & (page_bytes - 1)) != 0)
    throw std::invalid_argument(say("pages of ", page_bytes, " B; must be a power of two from 4 KiB on"));
  if (memory_bytes == 0 || memory_bytes % page_bytes != 0)
    throw std::invalid_argument(
        say("a memory of ", memory_bytes, " B is not made of pages of ", page_bytes, " B"));
  while ((std::uint64_t{1} << page_shift_) != page_bytes) ++page_shift_;
  entries_.resize(memory_bytes >> page_shift_);
}

void PageTable::require_pages(std::uint64_t first, std::uint64_t count) const {
  if (first >= entries_.size() || count > entries_.size() - first)
    throw std::invalid_argument(
        say("there are no pages ", first, " to ", first + count - 1, "; the memory has ", entries_.size()));
}

void PageTable::grant(RequesterId requester, std::uint64_t first, std::uint64_t count, PageRights rights) {
  require_pages(first, count);
  const Entry owner = static_cast<Entry>(requester) << 16;
  for (std::uint64_t page = first; page < first + count; ++page)
    if (is_granted(page) && (entries_[page] >> 16) << 16 != owner)
      throw std::invalid_argument(say("page ", page, " is requester ", entries_[page] >> 16,
                                      "'s; revoke it before it is granted again"));
  const Entry entry = owner | kGranted | kKnown | (rights.read ? kRead : 0) | (rights.write ? kWrite : 0);
  for (std::uint64_t page = first; page < first + count; ++page) entries_[page] = entry;
}

void PageTable::revoke(std::uint64_t first, std::uint64_t count) {
  require_pages(first, count);
  for (std::uint64_t page = first; page < first + count; ++page)
    entries_[page] &= ~(kGranted | kRead | kWrite);
}

Refusal PageTable::check(RequesterId requester, bool write, std::uint64_t address,
                         std::uint64_t bytes) const {
  const std::uint64_t first = page_of(address);
  if (first >= entries_.size() || bytes > (entries_.size() << page_shift_) - address)
    return Refusal::not_granted;
  for (std::uint64_t page = first; page <= page_of(address + (bytes ? bytes - 1 : 0)); ++page) {
    const Entry entry = entries_[page];
    if ((entry & kKnown) == 0) return Refusal::not_granted;
    if (entry >> 16 != static_cast<Entry>(requester)) return Refusal::of_another;
    if ((entry & kGranted) == 0) return Refusal::revoked;
    if ((entry & (write ? kWrite : kRead)) == 0) return Refusal::no_right;
  }
  return Refusal::none;
}

}  // namespace wafertlm
