// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/kernel/state_visitor.h"

namespace wafertlm {

/// What was listed at one moment: values and times relative to it, and counts.
struct StateRecord {
  TimePs at_ps = 0;
  std::vector<std::uint64_t> values, counts;
};

class RecordState final : public StateVisitor {
 public:
  RecordState(TimePs now, StateRecord& into) : StateVisitor(now, false), into_(into) {
    into.at_ps = now;
    into.values.clear();
    into.counts.clear();
  }
  void moment(TimePs& at) override { into_.values.push_back(at == kNever ? kNever : at - now()); }
  void memory(TimePs& at) override { into_.counts.push_back(at); }
  using StateVisitor::count;
  void count(std::uint64_t& count) override { into_.counts.push_back(count); }
  void give_up() override { gives_up_ = true; }
  bool gives_up() const override { return gives_up_; }

 private:
  void visit_value(std::uint64_t& value) override { into_.values.push_back(value); }

  StateRecord& into_;
  bool gives_up_ = false;
};

/// Compares with a record, and notes how much every count has grown since.
class CompareState final : public StateVisitor {
 public:
  CompareState(TimePs now, const StateRecord& with, std::vector<std::uint64_t>& growth)
      : StateVisitor(now, false), with_(with), growth_(growth) {
    growth.clear();
  }
  void moment(TimePs& at) override { compare(at == kNever ? kNever : at - now()); }
  void memory(TimePs& at) override {
    count(at);
    if (!differs_ && growth_.back() != 0 && growth_.back() != now() - with_.at_ps) differs_ = true;
  }
  using StateVisitor::count;
  void count(std::uint64_t& count) override {
    if (growth_.size() == with_.counts.size())
      differs_ = true;
    else
      growth_.push_back(count - with_.counts[growth_.size()]);
  }
  void give_up() override { differs_ = true; }
  bool gives_up() const override { return differs_; }
  /// Values and counts that were compared.
  std::size_t listed() const { return next_ + growth_.size(); }
  bool is_same() const {
    return !differs_ && next_ == with_.values.size() && growth_.size() == with_.counts.size();
  }

 private:
  void visit_value(std::uint64_t& value) override { compare(value); }
  void compare(std::uint64_t value) {
    differs_ = differs_ || next_ == with_.values.size() || with_.values[next_] != value;
    ++next_;
  }

  const StateRecord& with_;
  std::vector<std::uint64_t>& growth_;
  std::size_t next_ = 0;
  bool differs_ = false;
};

/// Moves on by `periods`, each of which takes `period_ps` and adds `growth` to the counts.
class MoveState final : public StateVisitor {
 public:
  MoveState(TimePs now, const std::vector<std::uint64_t>& growth, TimePs period_ps, std::uint64_t periods)
      : StateVisitor(now, false),
        growth_(growth),
        period_ps_(period_ps),
        by_ps_(period_ps * periods),
        periods_(periods) {}
  void moment(TimePs& at) override {
    if (at != kNever) at += by_ps_;
  }
  void memory(TimePs& at) override { count(at); }
  using StateVisitor::count;
  void count(std::uint64_t& count) override {
    if (next_ < growth_.size()) count += periods_ * growth_[next_];
    ++next_;
  }
  void give_up() override {}
  bool gives_up() const override { return false; }
  bool changes() const override { return true; }
  Repeats repeats() const override { return {static_cast<std::int64_t>(periods_), period_ps_}; }
  /// As many counts have been listed as the period has growths of.
  bool is_whole() const { return next_ == growth_.size(); }

 private:
  void visit_value(std::uint64_t&) override {}

  const std::vector<std::uint64_t>& growth_;
  TimePs period_ps_, by_ps_;
  std::uint64_t periods_;
  std::size_t next_ = 0;
};

}  // namespace wafertlm
