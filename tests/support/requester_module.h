// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <systemc>

#include "tlm/memory/requester.h"

namespace wafertlm {

/// A module that is nothing but the NPU's side of a memory.
struct RequesterModule : sc_core::sc_module, MemoryRequester {
  RequesterModule(const sc_core::sc_module_name& name, const MemoryRequesterParams& params,
                  ScratchMemory& scratch, Scheduler& scheduler, MemoryRequesterHost& host)
      : sc_module(name), MemoryRequester("memory", params, scratch, scheduler, host) {}
};

}  // namespace wafertlm
