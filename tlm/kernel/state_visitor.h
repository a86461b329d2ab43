// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Goes over all that a model keeps and that its future depends on. A model names everything once, in
/// list_state(), always in the same order; visitors record it, compare it with what it was a period before,
/// or move it on in time (steady_states.h).
class StateVisitor {
 public:
  StateVisitor(const StateVisitor&) = delete;
  StateVisitor& operator=(const StateVisitor&) = delete;

  TimePs now() const { return now_; }
  /// Has to be the same one period later.
  virtual void value(std::uint64_t value) = 0;
  /// A moment, past or to come, or kNever: the same seen from now.
  virtual void moment(TimePs& at) = 0;
  /// A moment that means nothing once it is over.
  void deadline(TimePs& at) {
    const bool is_to_come = at > now_;
    value(is_to_come);
    if (is_to_come) moment(at);
  }
  /// A moment that means nothing now but will be looked at when something starts anew: it stays, or moves on.
  virtual void memory(TimePs& at) = 0;
  /// What only grows: counters, positions in a message.
  virtual void count(std::uint64_t& count) = 0;
  void count(std::uint32_t& count) {
    std::uint64_t wide = count;
    this->count(wide);
    count = static_cast<std::uint32_t>(wide);
  }
  /// The model cannot say all, or what it has is not as it was: the rest need not be listed.
  virtual void give_up() = 0;
  virtual bool gives_up() const = 0;
  /// Times and counts are being moved on.
  virtual bool moves() const { return false; }

 protected:
  explicit StateVisitor(TimePs now) : now_(now) {}
  ~StateVisitor() = default;

 private:
  TimePs now_;
};

}  // namespace wafertlm
