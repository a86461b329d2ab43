// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/link/switch_core.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

/// What a flow that a link of its path slows down to `flow_bytes_per_s` reserves behind a faster link, where
/// one at line rate reserves `line_credit_bytes`: at most that.
std::uint64_t slow_flow_credits(std::uint64_t line_credit_bytes, std::uint64_t line_bytes_per_s,
                                std::uint64_t flow_bytes_per_s, const WireFormat& format);

struct FlowBufferOptions {
  WireFormat format;
  bool by_rate = false;  ///< see FlowAdmissionParams::credits_by_rate
};

/// What flows reserve in the buffers behind the links of a fabric, by flow channel.
class FlowBuffers {
 public:
  struct Reservation {
    std::uint64_t bytes = 0;
    std::uint32_t branches = 0;  ///< of the flow, that share them
  };
  /// Of a flow, by buffer.
  using Reserved = std::map<std::size_t, Reservation>;

  /// `outputs`: by switch and port, `injection`: by endpoint.
  FlowBuffers(const std::vector<std::vector<OutputParams>>& outputs,
              const std::vector<OutputParams>& injection, std::size_t channels,
              const FlowBufferOptions& options);

  /// The number of the buffer behind a link of a switch, or of an endpoint.
  std::size_t behind(std::size_t at, PortId output) const { return first_[at] + index_of(output); }
  std::size_t behind(NpuId endpoint) const { return first_.back() + index_of(endpoint); }

  /// Adds a branch of a flow that passes `buffer` to what the flow reserves.
  /// @throws std::invalid_argument if the buffer is too small for it.
  void use(std::size_t buffer, std::uint64_t flow_bytes_per_s, Reserved& reserved) const;
  /// The part of a reservation that one branch has.
  static std::uint64_t of_a_branch(const Reserved& reserved, std::size_t buffer) {
    const Reservation& of = reserved.at(buffer);
    return of.bytes / of.branches;
  }
  bool fits(const Reserved& reserved, std::size_t channel) const;
  void reserve(const Reserved& reserved, std::size_t channel);
  void give_back(const Reserved& reserved, std::size_t channel);

 private:
  struct Buffer {
    OutputParams link;
    std::vector<std::uint64_t> used_bytes;  // by flow channel
  };

  FlowBufferOptions options_;
  std::vector<Buffer> buffers_;
  std::vector<std::size_t> first_;  // by switch; then that of the endpoints
};

}  // namespace wafertlm
