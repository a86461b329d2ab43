// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/pytorch/communication.h"
#include "workloads/pytorch/names.h"
#include "workloads/pytorch/tally.h"

namespace wafertlm::pytorch {

/// On a thread of the host: an operator, an annotation, or a call of the device's runtime. Nanoseconds.
struct HostEvent {
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint32_t name = 0;
  /// Correlation of a runtime call; of an operator "Record function id", or its external id where the trace
  /// has none (Timeline::has_function_ids).
  std::uint32_t id = 0;
  std::uint32_t communication = 0;  ///< 1 + its index; 0: none
  std::uint16_t thread = 0;
  bool is_runtime = false;
};

/// On a stream of a device: a kernel, a copy or a fill.
struct DeviceEvent {
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint64_t bytes = 0;  ///< of a copy or fill
  std::uint32_t name = 0;
  std::uint32_t correlation = 0;    ///< with the runtime call that launched it; 0: not told
  std::uint32_t communication = 0;  ///< 1 + its index; 0: none
  std::uint16_t stream = 0;
};

/// What a call that synchronises waits for (category cuda_sync).
struct SyncEvent {
  enum class Kind : std::uint8_t { stream_wait, event, stream, context };
  Kind kind = Kind::stream_wait;
  std::uint32_t correlation = 0;           ///< of the call
  std::optional<std::uint16_t> stream;     ///< that waits (stream_wait), or is waited for
  std::optional<std::uint16_t> waits_for;  ///< the stream on which the event was recorded
  std::uint32_t record_correlation = 0;    ///< of the call that recorded the event; 0: not told
};

/// A Kineto trace of one rank.
struct Timeline {
  std::string file;
  Names names;
  std::deque<HostEvent> host;      ///< by thread, then in the order in which they began, callers first
  std::deque<DeviceEvent> device;  ///< by stream, then by start
  std::vector<SyncEvent> syncs;
  std::vector<Communication> communications;
  /// Of all events of the file: those that are not in host, device or syncs.
  Tally events;
  static constexpr std::size_t kMostDamageNamed = 3;
  std::vector<std::string> damage;            ///< of the first damaged events: line, name and what is wrong
  std::vector<std::string> threads, streams;  ///< names for people: "thread 59811", "device 0 stream 7"
  std::optional<std::uint32_t> rank, world_size;
  std::map<std::string, std::vector<std::uint32_t>> groups;  ///< process groups that it declares
  std::int64_t base_ns = 0;                                  ///< what the times count from
  std::uint64_t pid = 0;                                     ///< of the operators; 0: not told
  bool has_function_ids = false;
  std::int64_t resolution_ns = 1000;  ///< of the times
};

/// Reads one. An event that is no JSON, without its time or with one that cannot be is damaged: it is left
/// out and counted. @throws chakra::TraceError naming file and byte: no Chrome trace, no event.
Timeline read_timeline(const std::string& path);

}  // namespace wafertlm::pytorch
