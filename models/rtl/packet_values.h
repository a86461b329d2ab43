// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/rtl/event.h"

namespace wafertlm {

/// What has to leave a switch, from what came in: a message's values, or the sum of all inputs of a packet of
/// a flow, added in the order of its branch. Packets without values have those of made_up_data().
class RtlPacketValues {
 public:
  struct Result {
    TimePs arrival_ps = 0;  ///< of the last head
    std::vector<std::byte> data;
  };

  void open(const RtlEntry& entry) { entries_[entry.number] = entry; }
  void arrive(const RtlEvent& event);
  /// Of the next copy. None: it has not come to all inputs, or all copies have left.
  std::optional<Result> leave(std::uint32_t flow, std::uint64_t sequence);

 private:
  struct Sum {
    std::vector<std::vector<std::byte>> values;  // by position of the input
    std::size_t inputs_due = 0, outputs_due = 0;
    TimePs arrival_ps = 0;
    std::uint32_t bytes = 0;
    bool is_added = false;
  };
  void add(const RtlEntry& entry, Sum& sum) const;

  std::map<std::uint32_t, RtlEntry> entries_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Sum> sums_;
};

}  // namespace wafertlm
