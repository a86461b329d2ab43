// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "models/rtl/axi4/peer.h"

namespace wafertlm {

/// A burst with its data: beat by beat, each where the lanes of the bus have it.
struct Axi4Transaction {
  bool write = false;
  Axi4Burst burst;
  std::vector<Axi4Data> data;                  ///< to write, or read
  std::vector<std::uint64_t> strobes;          ///< of a write, by beat
  std::uint64_t tag = 0;                       ///< whose it is
  Axi4Response response = Axi4Response::okay;  ///< the worst of all beats
  std::uint64_t started = 0, done = 0;         ///< cycles of the address' handshake and of the last one
};

/// Stands opposite a slave: issues transactions in their order, addresses and data of writes independently
/// of each other, any number under way.
class Axi4Master final : public Axi4Peer {
 public:
  using Done = std::function<void(Axi4Transaction&&)>;
  explicit Axi4Master(Done done, Axi4Stalls stalls = {}) : done_(std::move(done)), stalls_(stalls) {}

  void issue(Axi4Transaction transaction);
  void drive(Axi4Cycle& pins, std::uint64_t cycle) override;
  void look(const Axi4Cycle& pins, std::uint64_t cycle) override;

  std::size_t under_way() const { return under_way_; }
  /// Beats of `write` (or reads) that are still to pass.
  std::uint64_t beats_left(bool write) const { return beats_left_[write]; }
  /// Whether it holds for a read of the ID that is under way.
  template <class Predicate>
  bool younger_read(std::uint32_t id, const Predicate& holds) const {
    const auto found = reads_.find(id);
    if (found == reads_.end()) return false;
    for (const Axi4Transaction& each : found->second)
      if (holds(each)) return true;
    return false;
  }

 private:
  void end(std::map<std::uint32_t, std::deque<Axi4Transaction>>& of, std::uint32_t id, std::uint64_t cycle);

  Done done_;
  Axi4Stalls stalls_;
  std::deque<Axi4Transaction> aw_, w_, ar_;  // what a channel has yet to say; aw_ has no data
  std::size_t beat_ = 0;                     // of the front of w_
  bool shows_aw_ = false, shows_w_ = false, shows_ar_ = false;  // VALID is high
  // By ID, the oldest first: bursts whose address was taken; of writes without data.
  std::map<std::uint32_t, std::deque<Axi4Transaction>> writes_, reads_;
  std::size_t under_way_ = 0;
  std::uint64_t beats_left_[2] = {0, 0};
};

}  // namespace wafertlm
