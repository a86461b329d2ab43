// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/remote_memory_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<RemoteMemorySpec>> remote_memory_type();

/// The pool of a wafer with so many NPUs.
void check_remote_memory(const RemoteMemorySpec& spec, std::uint32_t npus, const Check& check);

}  // namespace wafertlm::config
