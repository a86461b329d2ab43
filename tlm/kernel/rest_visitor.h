// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Goes over what a model keeps when nothing is under way. A model names everything once, in list_rest(),
/// always in the same order; visitors record it, or put back what was recorded (rest_record.h).
class RestVisitor {
 public:
  RestVisitor(const RestVisitor&) = delete;
  RestVisitor& operator=(const RestVisitor&) = delete;

  TimePs now() const { return now_; }
  /// What is put back is what has been recorded: a queue takes that many entries before they are listed.
  virtual bool restores() const = 0;
  /// What the next one to use the model finds: a pointer, a count that matters.
  virtual void value(std::uint64_t& value) = 0;
  template <typename Integer>
  void value(Integer& value) {
    auto wide = static_cast<std::uint64_t>(value);
    this->value(wide);
    value = static_cast<Integer>(wide);
  }
  /// A moment that means nothing once it is over.
  virtual void deadline(TimePs& at) = 0;
  /// What only grows, and nothing but results depend on; there may be more of them later, at the end. (What
  /// is the most of its kind is not listed: it has been seen when it was recorded.)
  virtual void count(std::uint64_t& count) = 0;
  /// Something is under way unless `is_so`.
  virtual void require(bool is_so) = 0;
  /// The model cannot say what it keeps.
  virtual void give_up() = 0;

 protected:
  explicit RestVisitor(TimePs now) : now_(now) {}
  ~RestVisitor() = default;

 private:
  TimePs now_;
};

}  // namespace wafertlm
