// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

#include "tlm/kernel/units.h"
#include "tlm/memory/protocol.h"

namespace wafertlm {

/// Binds the memory socket of an NPU to somebody else's memory: connect(socket, memory.socket) takes any
/// target of the base protocol, of any width (tlm/checking/checking.h).
using BindMemory = std::function<void(NpuId npu, MemoryInitiatorSocket& socket)>;

/// The same with a socket to the remote memory: an NPU's or, with memory engines, a provider's.
using BindPool = std::function<void(std::uint32_t npu_or_provider, MemoryInitiatorSocket& socket)>;

}  // namespace wafertlm
