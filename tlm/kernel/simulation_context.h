// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sysc/kernel/sc_simcontext.h>

#include <memory>

namespace wafertlm {

/// A kernel of its own as long as it lives: what is built meanwhile is elaborated and simulated in it, beside
/// a simulation that may be under way and whose time stands still. Everything built in it must be gone before
/// it is. (SystemC keeps its state in a context, and which one is current in a variable of its interface.)
class SimulationContext {
 public:
  SimulationContext() { make_current(own_.get(), own_.get()); }
  ~SimulationContext() {
    own_.reset();
    make_current(current_, default_);
  }
  SimulationContext(const SimulationContext&) = delete;
  SimulationContext& operator=(const SimulationContext&) = delete;

 private:
  static void make_current(sc_core::sc_simcontext* current, sc_core::sc_simcontext* by_default) {
    sc_core::sc_curr_simcontext = current;
    sc_core::sc_default_global_context = by_default;
  }

  sc_core::sc_simcontext* const current_ = sc_core::sc_curr_simcontext;
  sc_core::sc_simcontext* const default_ = sc_core::sc_default_global_context;
  std::unique_ptr<sc_core::sc_simcontext> own_ = std::make_unique<sc_core::sc_simcontext>();
};

}  // namespace wafertlm
