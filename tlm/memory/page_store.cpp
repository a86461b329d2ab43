// SPDX-License-Identifier: Apache-2.0
#include "tlm/memory/page_store.h"

#include <algorithm>

namespace wafertlm {
namespace {

/// Calls piece(page, offset in the page, offset in the buffer, bytes) for each page that is touched.
template <typename Piece>
void for_each_page(std::uint64_t address, std::size_t bytes, Piece piece) {
  for (std::size_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done;
    const std::size_t offset = at % PageStore::kPageBytes;
    const std::size_t part = std::min(bytes - done, PageStore::kPageBytes - offset);
    piece(at / PageStore::kPageBytes, offset, done, part);
    done += part;
  }
}

}  // namespace

void PageStore::read(std::uint64_t address, unsigned char* to, std::size_t bytes) const {
  for_each_page(address, bytes,
                [&](std::uint64_t page, std::size_t offset, std::size_t done, std::size_t part) {
                  const auto found = pages_.find(page);
                  if (found == pages_.end())
                    std::fill_n(to + done, part, static_cast<unsigned char>(0));
                  else
                    std::copy_n(found->second.data() + offset, part, to + done);
                });
}

void PageStore::write(std::uint64_t address, const unsigned char* from, std::size_t bytes) {
  for_each_page(address, bytes,
                [&](std::uint64_t page, std::size_t offset, std::size_t done, std::size_t part) {
                  std::vector<unsigned char>& data = pages_[page];
                  data.resize(kPageBytes);
                  std::copy_n(from + done, part, data.data() + offset);
                });
}

}  // namespace wafertlm
