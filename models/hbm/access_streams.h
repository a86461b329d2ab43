// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace wafertlm {

/// How the latest accesses of one direction (reads, or writes) follow each other: several streams whose
/// accesses come in turns (tiles of operands, messages), each of which goes on where it ended; one stream
/// with a constant step; or neither.
class AccessStreams {
 public:
  struct Pattern {
    std::uint64_t stride;  ///< in sizes; 0: random
    double random_part;    ///< of the time, that this access takes as if it were random
  };
  AccessStreams() { ends_.fill(~std::uint64_t{0}); }

  /// The next access. `outstanding` of its direction are under way, itself among them. Of n streams that are
  /// under way together the first access of each finds the channels as a random one does, all others as those
  /// of one stream do.
  Pattern next(std::uint64_t address, std::uint64_t bytes, double outstanding);

 private:
  static constexpr std::size_t kStreams = 32;
  static constexpr std::uint64_t kUnknown = 4;  // the first accesses count as one stream

  bool goes_on(std::uint64_t address, std::uint64_t end);
  std::uint64_t step_in_sizes(std::uint64_t address, std::uint64_t bytes);

  std::uint64_t count_ = 0;                              // of accesses
  std::array<std::uint64_t, kStreams> ends_{}, last_{};  // where each stream ended, and its last access
  std::size_t oldest_ = 0;
  std::uint64_t previous_ = 0, end_ = 0, step_ = 0;  // of all streams
  std::uint32_t regular_ = 0;                        // steps that were the same
};

}  // namespace wafertlm
