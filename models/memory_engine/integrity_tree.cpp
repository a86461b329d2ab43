// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/integrity_tree.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {
namespace {

constexpr std::uint64_t kCounterBytes = 6;

std::uint64_t read_counter(const IntegrityTree::Image& image, std::uint64_t child) {
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < kCounterBytes; ++i)
    value |= std::uint64_t{image[child * kCounterBytes + i]} << 8 * i;
  return value;
}

void write_counter(IntegrityTree::Image& image, std::uint64_t child, std::uint64_t value) {
  for (std::uint64_t i = 0; i < kCounterBytes; ++i)
    image[child * kCounterBytes + i] = static_cast<unsigned char>(value >> 8 * i);
}

/// A version that comes again would be the nonce of two MACs.
std::uint64_t require_room(std::uint64_t version) {
  if (version >> 8 * kCounterBytes != 0)
    throw std::overflow_error(
        "memory engine: a slot was written 2^48 times, more than its version can count");
  return version;
}

/// Nodes and slots must not look the same to the cipher.
std::uint64_t place_of(const IntegrityTree::Node& node) {
  return std::uint64_t{node.level + 1} << 56 | node.index;
}

}  // namespace

IntegrityTree::IntegrityTree(std::uint64_t slots, std::uint32_t arity, std::uint32_t cached_levels)
    : arity_(arity) {
  do {
    slots = (slots + arity - 1) / arity;
    sizes_.push_back(slots);
  } while (slots > 1);
  stored_ = levels() - std::min(levels(), std::max(1U, cached_levels));
}

std::uint64_t IntegrityTree::offset(const Node& node) const {
  std::uint64_t nodes = node.index;
  for (std::uint32_t level = 0; level < node.level; ++level) nodes += sizes_[level];
  return nodes * node_bytes();
}

std::vector<IntegrityTree::Node> IntegrityTree::stored_above(const std::vector<std::uint64_t>& slots) const {
  std::vector<Node> nodes;
  for (const std::uint64_t slot : slots)
    for (Node node{0, slot / arity_}; node.level < stored_; node = parent(node)) nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end());
  const auto same = [](const Node& a, const Node& b) { return a.level == b.level && a.index == b.index; };
  nodes.erase(std::unique(nodes.begin(), nodes.end(), same), nodes.end());
  return nodes;
}

std::uint64_t IntegrityTree::counter(const Node& node, std::uint64_t child, const Images& nodes) const {
  if (node.level < stored_) return read_counter(nodes.at(node), child);
  const auto found = cached_.find(node);
  return found == cached_.end() ? 0 : found->second[child];
}

PageSealer::Tag IntegrityTree::mac(const Node& node, std::uint64_t version, const Image& image,
                                   const Sealers& sealers) const {
  // Place and version name a writing of the node: they are the nonce.
  return sealers[offset(node) / node_bytes() % sealers.size()].authenticate(
      place_of(node), version, image.data(), image.size() - kMacBytes);
}

bool IntegrityTree::verify(Images& nodes, const Sealers& sealers) const {
  for (auto& [node, image] : nodes) {  // parents first
    const std::uint64_t version = counter(parent(node), node.index % arity_, nodes);
    if (version == 0) {
      std::fill(image.begin(), image.end(), static_cast<unsigned char>(0));
      continue;
    }
    const PageSealer::Tag expected = mac(node, version, image, sealers);
    if (!std::equal(image.end() - kMacBytes, image.end(), expected.begin())) return false;
  }
  return true;
}

std::uint64_t IntegrityTree::version(std::uint64_t slot, const Images& nodes) const {
  return counter({0, slot / arity_}, slot % arity_, nodes);
}

void IntegrityTree::count(std::uint64_t slot, Images& nodes) {
  std::uint64_t child = slot;
  for (Node node{0, slot / arity_}; node.level < levels(); child = node.index, node = parent(node)) {
    const std::uint64_t position = child % arity_;
    if (node.level < stored_) {
      Image& image = nodes.at(node);
      write_counter(image, position, require_room(read_counter(image, position) + 1));
    } else {
      std::vector<std::uint64_t>& counters = cached_[node];
      counters.resize(arity_);
      require_room(++counters[position]);
    }
  }
}

void IntegrityTree::seal(Images& nodes, const Sealers& sealers) const {
  for (auto& [node, image] : nodes) {
    const PageSealer::Tag tag = mac(node, counter(parent(node), node.index % arity_, nodes), image, sealers);
    std::copy_n(tag.begin(), kMacBytes, image.end() - kMacBytes);
  }
}

}  // namespace wafertlm
