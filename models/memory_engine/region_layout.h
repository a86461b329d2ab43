// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

/// Bytes of a provider's memory.
struct Segment {
  std::uint64_t address = 0, bytes = 0;
};

/// What an engine keeps of a sealed page beside it: 8 B number of the sealing, 16 B tag, 8 B to spare (in
/// hardware for the page that an ORAM's block holds).
constexpr std::uint64_t kTagBytes = 32;

/// A requester's region in the provider's memory: slots, their tags, the stored nodes of its tree; each part
/// begins with a page, so that all of it can be granted page by page.
struct RegionLayout {
  std::uint64_t base, page_bytes, slots, tag_bytes, node_bytes, nodes_bytes;

  std::uint64_t slot_address(std::uint64_t slot) const { return base + slot * page_bytes; }
  std::uint64_t tags() const { return slot_address(slots); }
  Segment tag(std::uint64_t slot) const { return {tags() + slot * tag_bytes, tag_bytes}; }
  std::uint64_t nodes() const { return tags() + whole_pages(slots * tag_bytes); }
  std::uint64_t end() const { return nodes() + whole_pages(nodes_bytes); }
  std::uint64_t bytes() const { return end() - base; }

 private:
  std::uint64_t whole_pages(std::uint64_t part) const {
    return (part + page_bytes - 1) / page_bytes * page_bytes;
  }
};

}  // namespace wafertlm
