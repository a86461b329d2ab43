// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>

#include "models/nic/congestion/congestion_control.h"
#include "tlm/kernel/state_visitor.h"

namespace wafertlm::nic {

/// NDP (Handley et al., SIGCOMM 2017), EQDS (Olteanu et al., NSDI 2022), receiver credits of Ultra Ethernet
/// (RCCC).
struct ReceiverDrivenParams {
  double unasked_bdp = 1;  ///< sent before the receiver asks
};

/// The sender: the first bandwidth-delay product goes unasked, then a packet for each that is pulled. So it
/// is again when all is acknowledged.
class ReceiverDriven final : public CongestionControl {
 public:
  ReceiverDriven(const ReceiverDrivenParams& params, const PathParams& path);
  void on_sent(std::uint64_t bytes, TimePs now) override;
  void on_pull(std::uint64_t bytes, TimePs now) override;
  /// The receiver owes nothing for what was the last packet when it came: the next one begins anew.
  void on_all_acknowledged() override { credit_ = unasked_; }
  bool may_send(std::uint64_t in_flight_bytes, std::uint32_t bytes) const override;
  bool is_as_new() const override { return credit_ == unasked_; }
  std::uint64_t credit_bytes() const { return credit_; }

 private:
  const std::uint64_t unasked_;
  std::uint64_t credit_;
};

/// The receiver: asks the senders that have something left, in turn, no faster than its port receives.
class PullPacer {
 public:
  explicit PullPacer(std::uint64_t bytes_per_s) : bytes_per_s_(bytes_per_s) {}

  /// A packet of `sender` has come, whole or trimmed: it is owed a pull.
  void owe(std::uint32_t sender);
  /// Nothing more is wanted of it.
  void forget(std::uint32_t sender);
  bool is_empty() const { return turn_.empty(); }
  TimePs next_ps() const { return turn_.empty() ? kNever : next_ps_; }
  /// Whose turn it is; the next one comes when a packet of so many bytes on the wire has passed.
  std::uint32_t pull(std::uint32_t wire_bytes, TimePs now);
  void list_state(StateVisitor& state) {
    [[maybe_unused]] auto& [bytes_per_s, turn, next_at] = *this;
    state.require(turn.empty());
    state.deadline(next_at);
  }

 private:
  struct Owed {
    std::uint32_t sender, pulls;
  };
  std::uint64_t bytes_per_s_;
  std::deque<Owed> turn_;
  TimePs next_ps_ = 0;
};

}  // namespace wafertlm::nic
