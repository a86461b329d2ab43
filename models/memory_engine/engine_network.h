// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "models/memory_engine/engine_params.h"
#include "models/memory_engine/region_layout.h"
#include "models/memory_engine/stream_stage.h"
#include "tlm/kernel/wake_queue.h"
#include "tlm/link/line.h"

namespace wafertlm {

/// When the engines want to be woken: the platform's scheduler, or a queue in a test.
class EngineClock {
 public:
  virtual TimePs now() const = 0;
  virtual void schedule(TimePs at, Wakeable& target, std::uint32_t what) = 0;

 protected:
  ~EngineClock() = default;
};

/// Between a requester and its provider: a request, which becomes its own answer. The requester owns it.
struct EngineMessage {
  bool write = false, is_answer = false;
  RequesterId requester{};
  std::uint32_t from = 0, to = 0;  ///< nodes of the network
  std::uint32_t unit = 0;          ///< the requester's own
  std::vector<Segment> segments;
  std::vector<unsigned char> data;  ///< with contents: of all segments, to be written or as read
  Refusal refusal = Refusal::none;
  std::uint32_t open = 0;  ///< the provider's own: segments that the memory has

  std::uint64_t payload_bytes() const {
    std::uint64_t bytes = 0;
    for (const Segment& segment : segments) bytes += segment.bytes;
    return bytes;
  }
  /// A request to write and an answer to a read that was not refused carry the data.
  bool carries_data() const { return write != is_answer && refusal == Refusal::none; }
};

class EngineNode {
 public:
  /// `span`: when its head and its tail came in; the tail now.
  virtual void arrived(EngineMessage& message, Span span) = 0;

 protected:
  ~EngineNode() = default;
};

/// The engines' own network, apart from the wafer's: every engine has a link in and a link out, and between
/// any two are a number of hops. Messages take turns on a link in the order in which they are ready:
///   out: start = max(ready, free), free = start + bytes / bandwidth
///   in:  tail = max(free + hops × hop latency, free of the link in + bytes / bandwidth)
/// An idle path costs hops × latency + bytes / bandwidth.
class EngineNetwork final : private Wakeable {
 public:
  /// @throws std::invalid_argument for a bandwidth of 0.
  EngineNetwork(const EngineNetworkParams& params, EngineClock& clock);

  /// Returns the node's number.
  std::uint32_t attach(EngineNode& node);
  /// Sends `message` from message.from to message.to, now.
  void send(EngineMessage& message);

  std::uint64_t bytes() const { return bytes_; }  ///< sent, with headers
  std::uint64_t messages() const { return messages_; }

 private:
  struct Port {
    EngineNode* node;
    Line out;
    TimePs in_free_ps = 0;
  };
  struct Flight {
    EngineMessage* message;
    TimePs work_ps;
    bool is_in = false;  // past the link in
  };
  void wake(std::uint32_t what, TimePs now) override;

  const EngineNetworkParams params_;
  EngineClock& clock_;
  std::vector<Port> ports_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::uint64_t bytes_ = 0, messages_ = 0;
};

}  // namespace wafertlm
