// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/data_type.h"
#include "tlm/program.h"
#include "tlm/units.h"

namespace wafertlm {

/// A collective that a rank enters.
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

/// A fabric that takes whole operations in place of packets: NPUs hand over what they would give their
/// endpoint (models/endpoint), whose rules hold here too.
class MessageService {
 public:
  virtual void connect(NpuId npu, MessageListener& listener, const MessageCosts& costs) = 0;
  virtual void start_collective(NpuId npu, const CollectiveStart& start, TimePs now) = 0;
  virtual void start_send(NpuId npu, NpuId peer, std::uint64_t tag, std::uint64_t bytes,
                          ClassId traffic_class, std::uint64_t token, TimePs now) = 0;
  virtual void start_receive(NpuId npu, NpuId peer, std::uint64_t tag, std::uint64_t token, TimePs now) = 0;
  /// What the NPU still waits for, in words.
  virtual std::vector<std::string> pending(NpuId npu) const = 0;

 protected:
  ~MessageService() = default;
};

}  // namespace wafertlm
