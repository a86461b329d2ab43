// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// The phases of a transaction, numbered as in the standard.
enum class SocketPhase : std::uint8_t { begin_req = 1, end_req, begin_resp, end_resp };

/// What a transaction is, as it begins. Fields that its protocol does not have are 0.
struct SocketTransaction {
  std::uint64_t bytes = 0;       ///< of payload or data
  std::uint64_t wire_bytes = 0;  ///< fabric: with header, in flits
  std::uint64_t stream = 0;      ///< fabric: of the collective (in-network or not), 0: a message of its own
  std::uint64_t tag = 0;         ///< fabric: of the message or flow
  std::uint64_t sequence = 0;    ///< fabric: of the packet in its message or flow
  std::uint64_t address = 0;     ///< memory
  std::uint32_t source = 0, destination = 0;
  std::uint8_t kind = 0;  ///< operation: Operation::Kind; memory: 0 read, 1 write; fabric: PacketKind
  std::uint8_t traffic_class = 0;  ///< number in the platform's table
  std::uint8_t vc = 0;
  TimePs tail_ps = 0;  ///< fabric: the tail reaches the next input
};

/// Sees every phase on chosen sockets; protocol checkers call it, so they must be on. Without an observer a
/// checker's call costs a branch more.
class SocketObserver {
 public:
  /// BEGIN_REQ is called at `now` and takes effect at `at_ps` (fabric: the head reaches the next input). `id`
  /// is unique among the transactions of the socket that have not ended.
  virtual void begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
                     const SocketTransaction& what) = 0;
  /// A later phase takes effect at `at_ps` >= now. The last one is END_REQ on the fabric, else END_RESP.
  virtual void phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) = 0;

 protected:
  ~SocketObserver() = default;
};

/// What a checker needs to call one.
struct ObservedSocket {
  SocketObserver* observer = nullptr;
  std::size_t number = 0;
};

}  // namespace wafertlm
