// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <systemc>

#include "tlm/memory/requester.h"

namespace wafertlm {

/// A module that is nothing but the NPU's side of a memory.
struct RequesterModule : sc_core::sc_module {
  RequesterModule(const sc_core::sc_module_name& name, const MemoryRequesterParams& params,
                  ScratchMemory& scratch, Scheduler& scheduler, MemoryRequesterHost& host)
      : sc_module(name), requester("memory", params, scratch, scheduler, host) {}
  MemoryRequester requester;
};

}  // namespace wafertlm
