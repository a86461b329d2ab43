// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/rtl/model.h"
#include "models/rtl/remote/connection.h"
#include "models/rtl/remote/pins.h"

namespace wafertlm {

/// Pins side by side.
struct RtlBits final : RtlPin {
  using RtlPin::RtlPin;
  void push() override {}
  void pull() override {}
};

/// The module that a simulator runs: its inputs as they will be, its outputs as they were told. What is
/// evaluated goes there with the next look at an output, in one message.
class RtlRemoteModule {
 public:
  /// Where a pin is in the vector of the inputs, or of the outputs.
  struct Place {
    RtlPinFacts facts;
    std::uint32_t first = 0;
  };

  /// `pins`: in the order of the simulator's lines.
  RtlRemoteModule(std::unique_ptr<RtlConnection> to, const RtlDesign& design,
                  const std::vector<RtlPinFacts>& pins);
  /// @throws std::invalid_argument
  const Place& place(const std::string& pin) const;
  const std::map<std::string, Place>& places() const { return places_; }

  void set(const Place& at, const RtlPin& from);
  /// As the simulator shows them; X and Z are 0. @throws RtlRemoteEnded; std::runtime_error: one is X or Z
  /// that has to be known, while the clock is low and the reset is not held.
  void get(const Place& at, RtlPin& to);
  /// A step with the inputs of now.
  void evaluate();
  /// Of the cycle, for what is said of it.
  void set_time(TimePs edge_ps) { edge_ps_ = edge_ps; }

 private:
  void ask();
  void read_answer(const std::string& answer);
  void require_known() const;
  bool is_known(const Place& at, std::uint32_t port) const;
  bool is_shown(const Place& at, std::uint32_t port) const;

  std::unique_ptr<RtlConnection> to_;
  std::string top_;
  std::map<std::string, Place> places_;
  RtlBits inputs_, outputs_, unknown_;
  std::vector<std::uint32_t> sent_;   // inputs
  std::vector<std::uint32_t> steps_;  // of the next message
  const Place *clock_, *reset_;
  TimePs edge_ps_ = 0, told_ps_ = 0;
};

}  // namespace wafertlm
