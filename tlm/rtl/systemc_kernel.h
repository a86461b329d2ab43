// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sysc/kernel/sc_simcontext.h>

#include <memory>

namespace wafertlm {

/// A SystemC kernel for a module in RTL: its signals have delta cycles, its processes run and its time passes
/// without those of the simulation around it, in which no time passes meanwhile. (As SimulationContext, but
/// it can be entered again and again.)
class SystemcKernel {
 public:
  SystemcKernel() : own_(std::make_unique<sc_core::sc_simcontext>()) {}
  ~SystemcKernel() {
    const Inside inside(*this);
    own_.reset();
  }
  SystemcKernel(const SystemcKernel&) = delete;
  SystemcKernel& operator=(const SystemcKernel&) = delete;

  /// While it lives this kernel is the current one: for whatever builds, writes signals or ends.
  class Inside {
   public:
    explicit Inside(SystemcKernel& kernel) {
      sc_core::sc_curr_simcontext = kernel.own_.get();
      sc_core::sc_default_global_context = kernel.own_.get();
    }
    ~Inside() {
      sc_core::sc_curr_simcontext = current_;
      sc_core::sc_default_global_context = default_;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    sc_core::sc_simcontext* const current_ = sc_core::sc_curr_simcontext;
    sc_core::sc_simcontext* const default_ = sc_core::sc_default_global_context;
  };

  /// Runs all delta cycles that are due, and lets a picosecond pass.
  /// @throws std::logic_error: called by a thread process. Threads of two kernels would go on in the wrong
  /// one.
  void settle();

 private:
  std::unique_ptr<sc_core::sc_simcontext> own_;
};

}  // namespace wafertlm
