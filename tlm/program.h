// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/data_type.h"
#include "tlm/units.h"

namespace wafertlm {

/// One step of a collective, for one rank.
struct Step {
  enum class Kind : std::uint8_t {
    send,    ///< done when the last byte has left the NPU
    copy,    ///< receive and store
    reduce,  ///< receive and add to what is there
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Kind kind = Kind::send;
  std::uint32_t peer = 0;    ///< position in the group
  std::uint64_t offset = 0;  ///< in the rank's buffer, bytes
  std::uint64_t bytes = 0;   ///< 0: nothing crosses the fabric, the step is done at once
  std::uint64_t tag = 0;     ///< the same at sender and receiver, unique per pair and direction
  /// The step may start when the first `after_count` steps of strand `after_strand` are done.
  std::uint32_t after_strand = kNone;
  std::uint32_t after_count = 0;
};

/// What one rank does in a collective: strands of steps. The steps of a strand run one after the other,
/// strands run side by side. Steps are computed when they are reached, so a program takes no memory per step.
class StepSource {
 public:
  virtual ~StepSource() = default;
  virtual std::uint32_t strands() const = 0;
  virtual std::uint32_t steps(std::uint32_t strand) const = 0;
  /// Requires strand < strands() and index < steps(strand).
  virtual Step step(std::uint32_t strand, std::uint32_t index) const = 0;
};

enum class CollectiveType { all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce };
constexpr CollectiveType kCollectiveTypes[] = {CollectiveType::all_reduce, CollectiveType::all_gather,
                                               CollectiveType::reduce_scatter, CollectiveType::all_to_all};
const char* to_string(CollectiveType type);

/// The NPUs of a collective; the position in the list is the rank.
using Group = std::vector<NpuId>;

/// A program with the name and the group it belongs to. The same for all ranks, hence a source per rank.
struct CollectiveProgram {
  CollectiveType type{};
  std::string algorithm;
  Group group;
  std::uint64_t bytes = 0;         ///< full vector per rank (nccl-tests convention)
  std::uint64_t buffer_bytes = 0;  ///< that the steps' offsets lie in
  std::uint32_t root = 0;          ///< position in the group; of rooted collectives
  DataType data_type{};            ///< of the values in functional mode
  std::vector<std::unique_ptr<StepSource>> ranks;
};

}  // namespace wafertlm
