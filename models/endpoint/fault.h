// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "models/endpoint/endpoint_params.h"

namespace wafertlm {

struct Packet;

/// A fault that is put into one packet where it leaves its NPU, to prove that it is found.
class Fault {
 public:
  enum class Effect : std::uint8_t { none, flipped, dropped };

  explicit Fault(const FaultParams& params) : params_(params) {}

  const FaultParams& params() const { return params_; }
  /// `packet` leaves at `now`; flips its bit or says that it must be dropped, if it is the one.
  /// @throws std::runtime_error if the packet does not have the bit, or carries no values.
  Effect apply(Packet& packet, TimePs now);

  bool hit() const { return !what_.empty(); }
  /// What was done to which packet, or how many packets went by if none was the one; one line.
  std::string report() const;

 private:
  std::string way() const;

  FaultParams params_;
  std::uint64_t seen_ = 0;
  std::string what_;
};

}  // namespace wafertlm
