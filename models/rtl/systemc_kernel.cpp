// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/systemc_kernel.h"

#include <stdexcept>
#include <systemc>

namespace wafertlm {

void SystemcKernel::settle() {
  const sc_core::sc_curr_proc_kind caller = sc_core::sc_curr_simcontext
                                                ? sc_core::sc_curr_simcontext->get_curr_proc_info()->kind
                                                : sc_core::SC_NO_PROC_;
  if (caller == sc_core::SC_THREAD_PROC_ || caller == sc_core::SC_CTHREAD_PROC_)
    throw std::logic_error("RTL in SystemC is evaluated by a thread process: only a method may do so");
  const Inside inside(*this);
  sc_core::sc_start(sc_core::sc_time::from_value(1));
}

}  // namespace wafertlm
