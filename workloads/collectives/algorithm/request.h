// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tlm/program/program.h"

namespace wafertlm {

class CustomTable;

/// What the user may ask for; `algorithm` empty: the planner chooses.
struct CollectiveRequest {
  CollectiveType type{};
  Group group;  ///< position = rank
  std::uint64_t bytes =
      0;                  ///< full vector per rank (nccl-tests convention); a barrier has 0 or kBarrierBytes
  std::string algorithm;  ///< a name of the table (algorithm.h), or kFastest
  std::uint32_t chunks = 1;  ///< pieces that pipeline; 0: the algorithm's own choice (default_chunks)
  std::uint32_t root = 0;    ///< position in the group; of rooted collectives
  DataType data_type{};      ///< of the values in functional mode
  /// hierarchical_2d: of the vector, in the part that goes along the rows first; none: balanced.
  std::optional<std::uint64_t> split_percent = std::nullopt;
  /// What is done in place of any `algorithm` (custom/algorithm.h); null: none. `chunks`: parts of each of
  /// its chunks.
  std::shared_ptr<const CustomTable> custom = nullptr;
};

}  // namespace wafertlm
