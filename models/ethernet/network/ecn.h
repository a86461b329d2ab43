// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/splitmix64.h"
#include "tlm/kernel/state_visitor.h"

namespace wafertlm::ethernet {

/// Numbers from a seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return splitmix64::mix(state_ += splitmix64::kStep); }
  void list_state(StateVisitor& state) { state.value(state_); }
  /// Below 1.
  double uniform() { return splitmix64::unit(next()); }

 private:
  std::uint64_t state_;
};

/// Random early marking of an output queue: never below Kmin, p = Pmax (q − Kmin) / (Kmax − Kmin), always
/// from Kmax on. Kmin = Kmax: a step, as DCTCP has it.
struct EcnParams {
  std::uint64_t kmin_bytes = ~std::uint64_t{0}, kmax_bytes = ~std::uint64_t{0};  ///< never, by default
  double pmax = 1;

  double probability(std::uint64_t queue_bytes) const {
    if (queue_bytes >= kmax_bytes) return 1;
    if (queue_bytes <= kmin_bytes) return 0;
    return pmax * static_cast<double>(queue_bytes - kmin_bytes) /
           static_cast<double>(kmax_bytes - kmin_bytes);
  }
  /// Draws only where chance decides.
  bool marks(std::uint64_t queue_bytes, Random& random) const {
    const double p = probability(queue_bytes);
    return p >= 1 || (p > 0 && random.uniform() < p);
  }
};

}  // namespace wafertlm::ethernet
