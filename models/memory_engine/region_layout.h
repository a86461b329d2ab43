// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

namespace wafertlm {

/// Bytes of a provider's memory.
struct Segment {
  std::uint64_t address = 0, bytes = 0;
};

/// What an engine keeps of a sealed page beside it: 8 B number of the sealing, 16 B tag, 8 B to spare (in
/// hardware for the page that an ORAM's block holds).
constexpr std::uint64_t kTagBytes = 32;

/// A requester's region in the memory of each of its providers: slots, their tags, the stored nodes of its
/// tree; each part begins with a page, so that all of it can be granted page by page. Slots go to the
/// providers in turn, `stripe` in a row, and have their tags beside them; nodes go in turn one by one. The
/// region begins at the same address in all of them and is as long.
struct RegionLayout {
  std::uint64_t base, page_bytes, slots, tag_bytes, node_bytes = 0, nodes_bytes = 0;
  std::uint32_t providers = 1;
  std::uint64_t stripe = 1;

  std::uint32_t provider_of(std::uint64_t slot) const {
    return static_cast<std::uint32_t>(slot / stripe % providers);
  }
  std::uint64_t slot_address(std::uint64_t slot) const { return base + place(slot) * page_bytes; }
  /// What lies there; an address among the slots.
  std::uint64_t slot_at(std::uint32_t provider, std::uint64_t address) const {
    const std::uint64_t here = (address - base) / page_bytes;
    return (here / stripe * providers + provider) * stripe + here % stripe;
  }
  std::uint64_t tags() const { return base + slots_each() * page_bytes; }
  Segment tag(std::uint64_t slot) const { return {tags() + place(slot) * tag_bytes, tag_bytes}; }
  std::uint64_t nodes() const { return tags() + whole_pages(slots_each() * tag_bytes); }
  /// `offset`: of a node among all stored ones.
  std::uint32_t provider_of_node(std::uint64_t offset) const {
    return node_bytes == 0 ? 0 : static_cast<std::uint32_t>(offset / node_bytes % providers);
  }
  Segment node(std::uint64_t offset) const {
    return {nodes() + offset / node_bytes / providers * node_bytes, node_bytes};
  }
  /// In each provider's memory.
  std::uint64_t end() const {
    const std::uint64_t stored = node_bytes == 0 ? 0 : nodes_bytes / node_bytes;
    return nodes() + whole_pages((stored + providers - 1) / providers * node_bytes);
  }
  std::uint64_t bytes() const { return end() - base; }

 private:
  /// Among the provider's slots.
  std::uint64_t place(std::uint64_t slot) const { return slot / stripe / providers * stripe + slot % stripe; }
  std::uint64_t slots_each() const {
    const std::uint64_t stripes = (slots + stripe - 1) / stripe;
    return std::min(slots, (stripes + providers - 1) / providers * stripe);
  }
  std::uint64_t whole_pages(std::uint64_t part) const {
    return (part + page_bytes - 1) / page_bytes * page_bytes;
  }
};

}  // namespace wafertlm
