// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/memory_engine/key_derivation.h"
#include "tlm/memory/page_store.h"

namespace wafertlm {

/// Contents for a host that has none: stores get made-up bytes, and a load must bring what was stored last,
/// or zeros. What a store passes on its way is not judged: accesses that are under way together have no
/// order.
class ContentsProof {
 public:
  ContentsProof(std::uint64_t seed, RequesterId host);

  /// An access begins. Returns its data: of a store what it writes, of a load room for what comes.
  unsigned char* begin(std::uint64_t token, bool write, std::uint64_t address, std::uint64_t bytes);
  /// It is over. Returns the address of the first wrong byte, if there is one.
  std::optional<std::uint64_t> end(std::uint64_t token, bool ok);

  /// Loaded, and right.
  std::uint64_t proven_bytes() const { return proven_bytes_; }
  /// Loaded beside a store of the same 64 B.
  std::uint64_t unproven_bytes() const { return unproven_bytes_; }

 private:
  using Bytes = std::vector<unsigned char>;
  struct Access {
    bool write;
    std::uint64_t address, began;
    Bytes data;
  };
  static constexpr std::uint64_t kPieceBytes = 64;  // judged as a whole: stores may meet anywhere in a page
  struct Piece {
    std::uint32_t stores = 0;  // under way
    std::uint64_t ended = 0;   // the last of them, in the order of all begins and ends
    bool is_together = false;  // two were, since none was
    bool is_known = true;      // not so, since it was stored as a whole
  };
  /// Calls visit(piece, its first byte in the access, bytes).
  template <typename Visit>
  static void each_piece(const Access& access, Visit visit);

  KeyedRandom random_;
  PageStore stored_;
  std::unordered_map<std::uint64_t, Access> accesses_;  // by token
  std::unordered_map<std::uint64_t, Piece> pieces_;     // that were stored
  std::uint64_t order_ = 0, proven_bytes_ = 0, unproven_bytes_ = 0;
};

}  // namespace wafertlm
