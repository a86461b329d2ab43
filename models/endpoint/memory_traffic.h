// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/endpoint/endpoint_params.h"
#include "tlm/packets/message.h"

namespace wafertlm {

class MemoryTrafficHost {
 public:
  /// Calls MemoryTraffic::access_done(token) when it is done, never from within this call.
  virtual void access_memory(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) = 0;
  /// More of some messages may be sent.
  virtual void data_available() = 0;
  /// All of a message that was posted is in the memory.
  virtual void message_stored(Message& message) = 0;

 protected:
  ~MemoryTrafficHost() = default;
};

/// What sends and receives do to the NPU's memory, in chunks, so that memory and fabric work at the same
/// time:
///   - a send reads its bytes, at most read_ahead_bytes ahead of what has left; as many bytes as have been
///     read may leave;
///   - a copy writes each chunk when its last byte has arrived;
///   - a reduction reads each chunk twice when its last byte has arrived (what came and what is there), then
///     writes it.
/// What arrives before its step is posted waits outside of the memory, because only the step says where it
/// goes.
class MemoryTraffic {
 public:
  MemoryTraffic(const MemoryTrafficParams& params, MemoryTrafficHost& host) : params_(params), host_(host) {}

  /// Starts to read a message that is to be sent.
  void read(Message& message);
  void packet_left(Message& message);

  /// Whether `bytes` more of a message of which `arrived` have arrived fill a chunk, or complete it.
  bool fills_chunk(const Message& message, std::uint64_t arrived, std::uint64_t bytes) const {
    return arrived + bytes == message.bytes ||
           (arrived + bytes) / params_.chunk_bytes != arrived / params_.chunk_bytes;
  }
  /// So many bytes of the message are here by now.
  void arrived(Message& message, std::uint64_t bytes);
  /// The step that takes the message is there; it stores at `address`.
  void post(Message& message, std::uint64_t address, bool reduces);
  /// Some of the message has arrived, and it is not stored yet.
  bool knows(const Message& message) const { return landings_.count(&message) != 0; }

  void access_done(std::uint64_t token);
  /// Nothing is read, written or waits for its step.
  bool idle() const { return reads_.empty() && landings_.empty(); }

 private:
  struct Read {
    std::uint64_t started = 0, running = 0;
  };
  struct Landing {
    std::uint64_t address = 0, arrived = 0, started = 0, stored = 0;
    bool posted = false, reduces = false;
  };
  struct Access {
    Message* message;
    std::uint64_t address;
    std::uint32_t bytes;
    enum class Stage : std::uint8_t { send, reduce, store } stage;
    std::uint8_t left;  // accesses until the stage is done
  };
  void read_on(Message& message, Read& read);
  void store_on(Message& message, Landing& landing);
  void start(bool write, const Access& access);

  MemoryTrafficParams params_;
  MemoryTrafficHost& host_;
  std::unordered_map<const Message*, Read> reads_;
  std::unordered_map<const Message*, Landing> landings_;
  std::vector<Access> accesses_;  // by token
  std::vector<std::uint64_t> free_accesses_;
};

}  // namespace wafertlm
