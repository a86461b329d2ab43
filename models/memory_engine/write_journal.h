// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "models/memory_engine/region_layout.h"

namespace wafertlm {

/// What a requester's engine has sent to providers to be written and they have not taken: kept in the engine
/// until it is, for whatever the provider's memory has there may be old, new or torn. Until then it is what a
/// load reads.
class WriteJournal {
 public:
  using Bytes = std::vector<unsigned char>;
  struct Piece {
    std::uint32_t node;  ///< the provider's, in the network
    Segment segment;
    Bytes data;  ///< empty without contents
  };

  bool empty() const { return pieces_.empty(); }
  std::uint64_t bytes() const { return bytes_; }
  using Filter = std::function<bool(std::uint32_t node, const Segment& segment)>;
  bool has(const Filter& of) const;

  /// These bytes were not taken. `data`: of the segment, or null without contents.
  void keep(std::uint32_t node, const Segment& segment, const unsigned char* data);
  /// They are in the provider's memory now, or of no interest any more.
  void drop(std::uint32_t node, const Segment& segment);
  /// Puts what is kept of a segment over what was read of it (`data`, or null without contents). Returns
  /// whether all of it is.
  bool overlay(std::uint32_t node, const Segment& segment, unsigned char* data) const;
  /// What is kept, in the order of node and address.
  std::vector<Piece> pieces(const Filter& of = {}) const;

 private:
  struct Kept {
    std::uint64_t bytes;
    Bytes data;
  };
  using Pieces = std::map<std::pair<std::uint32_t, std::uint64_t>, Kept>;  // apart from each other
  /// The first that may overlap.
  Pieces::const_iterator first(std::uint32_t node, std::uint64_t address) const;

  Pieces pieces_;
  std::uint64_t bytes_ = 0;
};

}  // namespace wafertlm
