// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/program/program.h"

namespace wafertlm {

/// The program of a collective as files of algorithms have it: messages of whole chunks in threads, each of
/// which sends to one rank at most and receives from one at most. No two threads of a rank send to the same
/// one.
struct ChunkedProgram {
  struct ChunkStep {
    Step::Kind kind{};                          ///< send, copy or reduce
    std::uint32_t first_chunk = 0, chunks = 0;  ///< of the vector
    std::uint32_t after_thread = Step::kNone;
    std::uint32_t after_step = 0;  ///< that must be done
    bool is_awaited = false;
  };
  struct Thread {
    static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
    std::uint32_t to = kNobody, from = kNobody;  ///< ranks
    std::vector<ChunkStep> steps;
  };
  CollectiveType type{};
  std::uint32_t chunks = 0;                ///< of the vector; of a block, ranks' worth less
  std::uint64_t chunk_bytes = 0;           ///< of the longest
  std::vector<std::vector<Thread>> ranks;  ///< threads by rank

  std::uint64_t steps() const;
};

/// @throws std::invalid_argument that says why a file cannot say it: another type than all-reduce, all-gather
/// and reduce-scatter; pieces that are no equal chunks; flows of switches; messages that are not waited for.
ChunkedProgram chunked(const CollectiveProgram& program);

}  // namespace wafertlm
