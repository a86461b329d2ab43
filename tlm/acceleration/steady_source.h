// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/state_visitor.h"

namespace wafertlm {

/// An endpoint's injection port, with all that feeds it.
class SteadySource {
 public:
  virtual void list_state(StateVisitor& state) = 0;
  /// Asks its scheduler again for the wake-ups that it waits for.
  virtual void ask_again() = 0;

 protected:
  ~SteadySource() = default;
};

}  // namespace wafertlm
