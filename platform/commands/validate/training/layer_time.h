// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/commands/validate/training/setup.h"

namespace wafertlm::validate::steps {

/// Seconds of a rank and micro-batch. What is exposed is among forward and backward.
struct PassTime {
  double forward = 0, backward = 0;
  double exposed_tensor = 0, exposed_context = 0, exposed_experts = 0;
  PassTime& operator+=(const PassTime& other);
};
PassTime operator*(PassTime time, double factor);

/// What the parts of a model take on a rank: products at the sustained part of the peak or the memory's rate,
/// whichever is slower; attention, of a causal half, at its kernel's rate; elementwise operations by the
/// bytes that they move; communication where nothing hides it.
class LayerTime {
 public:
  /// @param sustained part of the peak that products of matrices get
  LayerTime(const JobSetup& setup, double sustained);

  PassTime attention() const;
  PassTime plain() const;
  PassTime mixture() const;
  PassTime head() const;

 private:
  /// `count` times (m x k) by (k x n); grouped: of experts, one behind the other.
  struct Product {
    double m = 0, n = 0, k = 0, count = 1;
    bool is_grouped = false;
  };
  double product(const Product& of, double output_bytes) const;
  /// Adds its passes. @return forward
  double add(PassTime& time, const Product& of, bool is_recomputed) const;
  PassTime elementwise(double elements, double cast_elements) const;
  void communicate(PassTime& time, double gather_beside, double scatter_beside) const;

  const JobSetup& setup_;
  double rate_, head_rate_, attention_forward_, attention_backward_, memory_;
  double tokens_, tensor_, hidden_;
};

/// B/s of a group's ring: over the scale-up links within a domain, else the network interfaces of the members
/// that share one; `stride` from one member to the next.
double group_rate(const Chip& chip, std::uint64_t members, std::uint64_t stride);
/// Seconds that a ring passes (P − 1) blocks of keys and values of S/P tokens, 2·(S/P)·n_kv·d·b bytes each.
double ring_block_time(const JobSetup& setup);
/// Seconds of an all-to-all of experts: `copies` of every token, once to a server that several of its experts
/// are in.
double exchange_time(const JobSetup& setup);

}  // namespace wafertlm::validate::steps
