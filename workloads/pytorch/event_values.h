// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/pytorch/communication.h"

namespace wafertlm::pytorch {

/// What of an event matters.
enum class Field : std::uint8_t {
  other,
  phase,
  category,
  name,
  pid,
  tid,
  start,
  duration,
  external_id,
  function_id,
  correlation,
  device,
  stream,
  bytes,
  collective,
  in_elements,
  out_elements,
  dtype,
  group,
  group_size,
  group_ranks,
  rank_start,
  rank_stride,
  in_split,
  out_split,
  source,
  destination,
  sequence,
  waits_for,
  record_correlation,
  dims,
  types,
  count
};
/// Of a key of an event, and of one of its `args`; Field::other for what does not matter.
Field field_of_event(std::string_view key);
Field field_of_argument(std::string_view key);

/// PyTorch writes -1 where there is no number.
inline bool is_unset(std::string_view number) { return number.empty() || number.front() == '-'; }

/// The values of one event as they are written; the memory is used again for the next.
class EventValues {
 public:
  /// Empty: it has none.
  const std::string& operator[](Field field) const { return values_[static_cast<std::size_t>(field)]; }
  void set(Field field, std::string_view text) {
    values_[static_cast<std::size_t>(field)] = text;
    set_.push_back(field);
  }
  void append(Field field, std::string_view text) { values_[static_cast<std::size_t>(field)] += text; }
  void clear() {
    for (const Field field : set_) values_[static_cast<std::size_t>(field)].clear();
    set_.clear();
  }
  bool has(Field field) const { return !(*this)[field].empty(); }
  bool is_set(Field field) const { return !is_unset((*this)[field]); }

 private:
  std::array<std::string, static_cast<std::size_t>(Field::count)> values_;
  std::vector<Field> set_;
};

/// What an event says of a communication: arguments of record_param_comms, else its name and inputs; nothing
/// for other events. @throws std::invalid_argument: numbers that are none, more than 2^64 bytes
std::optional<Communication> said_communication(const EventValues& event);

}  // namespace wafertlm::pytorch
