// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/program/data_type.h"
#include "tlm/program/program.h"

namespace wafertlm {

struct CollectiveStart {
  std::uint64_t collective_id = 0;
  const StepSource* program = nullptr;  ///< this rank's; must stay until it is done
  const Group* group = nullptr;
  ClassId traffic_class{};
  std::byte* buffer = nullptr;  ///< functional mode: this rank's values, else null
  DataType data_type{};
  std::uint64_t token = 0;
};

/// What messages cost at their ends; the keys below npu.endpoint.
struct MessageCosts {
  TimePs step_cost_ps = 0;                  ///< from the start of a send to its first byte
  TimePs receive_cost_ps = 0;               ///< from a message's end to the end of the receive
  std::uint64_t reduction_bytes_per_s = 0;  ///< a reduction reads twice and writes once at it; 0: free
};

class MessageListener {
 public:
  /// A collective, send or receive that was started with `token` is done.
  virtual void communication_done(std::uint64_t token) = 0;

 protected:
  ~MessageListener() = default;
};

/// What carries out the collectives, sends and receives of one NPU. MessageListener::communication_done()
/// follows, not from within these calls.
class Communication {
 public:
  virtual void start_collective(const CollectiveStart& start, TimePs now) = 0;
  virtual void start_send(NpuId peer, std::uint64_t tag, std::uint64_t bytes, ClassId traffic_class,
                          std::uint64_t token, TimePs now) = 0;
  virtual void start_receive(NpuId peer, std::uint64_t tag, std::uint64_t token, TimePs now) = 0;
  /// What the NPU still waits for, in words; empty when it is idle.
  virtual std::vector<std::string> pending() const = 0;
  /// The most bytes of messages that were here at one time before their receive had been posted. A message
  /// counts from its end, with the memory's traffic from its first chunk on.
  virtual std::uint64_t early_bytes_high_water() const = 0;

 protected:
  ~Communication() = default;
};

/// A fabric that takes whole operations in place of packets: NPUs hand over what they would give their
/// endpoint (models/endpoint), whose rules hold here too.
class MessageService {
 public:
  /// Returns what the NPU gives its communication to; the service's, which outlives the NPU.
  virtual Communication& connect(NpuId npu, MessageListener& listener, const MessageCosts& costs) = 0;

 protected:
  ~MessageService() = default;
};

}  // namespace wafertlm
