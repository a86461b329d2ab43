// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sysc/kernel/sc_simcontext.h>

namespace wafertlm {

/// A SystemC kernel for a module in RTL: its signals have delta cycles, its processes run and its time passes
/// without those of the simulation around it, in which no time passes meanwhile. (As SimulationContext, but
/// it can be entered again and again.)
class SystemcKernel {
 public:
  SystemcKernel() = default;
  SystemcKernel(const SystemcKernel&) = delete;
  SystemcKernel& operator=(const SystemcKernel&) = delete;

  /// While it lives this kernel is the current one: for whatever builds, writes signals or ends.
  class Inside {
   public:
    explicit Inside(SystemcKernel& kernel) {
      sc_core::sc_curr_simcontext = kernel.own_;
      sc_core::sc_default_global_context = kernel.own_;
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
  // Not deleted: SystemC 2.3.4 would free the resets that ports name a second time.
  sc_core::sc_simcontext* const own_ = new sc_core::sc_simcontext;
};

}  // namespace wafertlm
