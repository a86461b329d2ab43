// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/kernel/state_visitor.h"

namespace wafertlm {

/// What all models keep when nothing is under way; moments seen from the time at which they were listed, 0 if
/// they were over.
struct RestRecord {
  std::vector<std::uint64_t> values, counts;
  bool is_at_rest = true;   ///< nothing was under way,
  bool is_settled = true;   ///< and no moment was still to come
  bool is_complete = true;  ///< every model could say what it keeps
};

class RecordRest final : public StateVisitor {
 public:
  RecordRest(TimePs now, RestRecord& into) : StateVisitor(now, true), into_(into) {
    into.values.clear();
    into.counts.clear();
    into.is_at_rest = into.is_settled = into.is_complete = true;
  }
  void moment(TimePs& at) override {
    const bool is_to_come = at > now();
    into_.values.push_back(is_to_come ? at - now() : 0);
    into_.is_settled = into_.is_settled && !is_to_come;
  }
  void memory(TimePs&) override {}
  using StateVisitor::count;
  void count(std::uint64_t& count) override { into_.counts.push_back(count); }
  void require(bool is_so) override { into_.is_at_rest = into_.is_at_rest && is_so; }
  /// What is under way need not be known here.
  void give_up() override { into_.is_complete = into_.is_complete && !into_.is_at_rest; }
  bool gives_up() const override { return !into_.is_at_rest || !into_.is_complete; }

 private:
  void visit_value(std::uint64_t& value) override { into_.values.push_back(value); }

  RestRecord& into_;
};

/// Puts the values back, and adds to the counts.
class RestoreRest final : public StateVisitor {
 public:
  RestoreRest(TimePs now, const std::vector<std::uint64_t>& values, const std::vector<std::uint64_t>& growth)
      : StateVisitor(now, true), values_(values), growth_(growth) {}
  bool changes() const override { return true; }
  void moment(TimePs& at) override {
    const TimePs after = values_[next_value_++];
    at = after != 0 ? now() + after : std::min(at, now());
  }
  void memory(TimePs&) override {}
  using StateVisitor::count;
  void count(std::uint64_t& count) override { count += growth_[next_count_++]; }
  void give_up() override {}
  bool gives_up() const override { return false; }

 private:
  void visit_value(std::uint64_t& value) override { value = values_[next_value_++]; }

  const std::vector<std::uint64_t>&values_, &growth_;
  std::size_t next_value_ = 0, next_count_ = 0;
};

}  // namespace wafertlm
