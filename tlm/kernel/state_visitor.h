// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Goes over all that a model keeps and that its future depends on. A model names every member once, in
/// list_state(), always in the same order. What becomes of it is up to the visitor (tlm/acceleration), which
/// looks at what is *under way* (records it, compares it with what it was a period before, moves it on by
/// periods) or at what is kept *at rest*, when nothing is (records it, puts it back).
///
/// A class begins its list with a structured binding of all its members: a new one does not compile before
/// somebody has thought about it there.
class StateVisitor {
 public:
  StateVisitor(const StateVisitor&) = delete;
  StateVisitor& operator=(const StateVisitor&) = delete;

  /// What a moment means once it is over.
  enum class OnceOver {
    nothing,
    matters,  ///< as much as before
    memory    ///< as memory() has it
  };

  TimePs now() const { return now_; }
  bool at_rest() const { return at_rest_; }
  /// Members are changed: moved on, or put back.
  virtual bool changes() const { return false; }
  /// So many periods of this length, less than 0 if they are taken back; 0: nothing repeats.
  struct Repeats {
    std::int64_t periods = 0;
    TimePs period_ps = 0;
  };
  virtual Repeats repeats() const { return {}; }
  /// What was kept at rest is put back.
  bool restores() const { return at_rest_ && changes(); }

  /// Has to be the same one period later; at rest it is put back.
  template <typename Member>
  void value(Member& member) {
    auto wide = static_cast<std::uint64_t>(member);
    visit_value(wide);
    member = static_cast<Member>(wide);
  }
  /// Follows from members that are listed elsewhere, or mean nothing at rest.
  void derived(std::uint64_t value) {
    if (!at_rest_) visit_value(value);
  }
  /// How many there are; when they are put back there will be as many.
  template <typename Queue>
  void size(Queue& queue) {
    auto size = static_cast<std::uint64_t>(queue.size());
    visit_value(size);
    while (queue.size() > size) queue.pop_back();
    while (queue.size() < size) queue.push_back({});
  }
  /// One of many, of which only some matter under way; whether it is to be listed.
  bool one_of_many(std::size_t number, bool matters) {
    if (matters) derived(number);
    return matters || at_rest_;
  }
  /// A moment, past or to come, or kNever: the same seen from now. At rest nothing once it is over.
  virtual void moment(TimePs& at) = 0;
  /// A moment that means nothing once it is over.
  void deadline(TimePs& at) {
    const bool is_to_come = at > now_;
    derived(is_to_come);
    if (is_to_come || at_rest_) moment(at);
  }
  /// The end of something that lasts; whether it still does.
  bool end(TimePs& at, OnceOver once_over) {
    const bool lasts = at >= now_;
    if (at_rest_) {
      ++at;  // what ends now is not over
      moment(at);
      return --at >= now_;
    }
    derived(lasts);
    if (lasts || once_over == OnceOver::matters)
      moment(at);
    else if (once_over == OnceOver::memory)
      memory(at);
    return lasts;
  }
  /// A wake-up that has been asked for, or kNever.
  void wake_up(TimePs& at) { at_rest_ ? require(at == kNever) : moment(at); }
  /// A moment that means nothing now but will be looked at when something starts anew: it stays, or moves on.
  /// At rest the model says what of it matters.
  virtual void memory(TimePs& at) = 0;
  /// What only grows: counters, positions in a message. At rest there may be more of them later, at the end.
  virtual void count(std::uint64_t& count) = 0;
  void count(std::uint32_t& count) {
    std::uint64_t wide = count;
    this->count(wide);
    count = static_cast<std::uint32_t>(wide);
  }
  /// It is not at rest unless `is_so`. Comes before what is listed under way only.
  virtual void require(bool /*is_so*/) {}
  /// The model cannot say all.
  virtual void give_up() = 0;
  /// The rest need not be listed: the model has given up, is not as it was, or not at rest.
  virtual bool gives_up() const = 0;

 protected:
  StateVisitor(TimePs now, bool at_rest) : now_(now), at_rest_(at_rest) {}
  ~StateVisitor() = default;

 private:
  virtual void visit_value(std::uint64_t& value) = 0;

  TimePs now_;
  bool at_rest_;
};

}  // namespace wafertlm
