// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "workloads/sequencer/task.h"

namespace wafertlm {

/// "compute", "receive", "memory load": as a user reads it.
inline const char* kind_name(Task::Kind kind) {
  constexpr const char* kNames[] = {"none", "compute", "cpu",         "collective",
                                    "send", "receive", "memory load", "memory store"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace wafertlm
