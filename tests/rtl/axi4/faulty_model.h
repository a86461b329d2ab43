// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "models/rtl/model.h"

namespace wafertlm {

/// A model whose pins can be changed on their way in and out: planted bugs without another build.
class FaultyModel final : public RtlModel {
 public:
  explicit FaultyModel(RtlModel& right) : right_(right) {}

  /// What a pin has in place of what the design (or who drives it) gives; called whenever it is read or
  /// driven. Another pin is at(name).
  void plant(const std::string& name, std::function<void(RtlPin&)> change) {
    changes_[name] = std::move(change);
  }
  /// What a pin has now.
  std::uint64_t at(const std::string& name, std::uint32_t bits = 1) { return pin(name).get(0, bits); }
  std::uint64_t edges() const { return edges_; }

  RtlPin& pin(const std::string& name) override {
    auto& made = pins_[name];
    if (!made) made = std::make_unique<Pin>(right_.pin(name), changes_[name]);
    return *made;
  }
  void evaluate() override {
    right_.evaluate();
    edges_ += at("aclk");
  }
  void open_waves(const std::string&, const RtlWaveWindow&) override {}
  void dump_waves(TimePs, bool) override {}
  void close_waves() override {}

 private:
  class Pin final : public RtlPin {
   public:
    Pin(RtlPin& right, std::function<void(RtlPin&)>& change)
        : RtlPin(right.name, right.bits), right_(right), change_(change) {}
    void push() override {
      const auto given = words;
      if (change_) change_(*this);
      right_.words = words;
      right_.push();
      words = given;
    }
    void pull() override {
      right_.pull();
      words = right_.words;
      if (change_) change_(*this);
    }

   private:
    RtlPin& right_;
    std::function<void(RtlPin&)>& change_;
  };

  RtlModel& right_;
  std::map<std::string, std::function<void(RtlPin&)>> changes_;
  std::map<std::string, std::unique_ptr<Pin>> pins_;
  std::uint64_t edges_ = 0;
};

}  // namespace wafertlm
