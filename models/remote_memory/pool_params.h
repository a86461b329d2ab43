// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Who shares a server of a remote memory.
enum class PoolKind : std::uint8_t {
  per_npu,       ///< nobody: an expansion of each NPU's memory
  per_node,      ///< the NPUs of a node
  shared,        ///< all
  hierarchical,  ///< stages: memory and out-node switch of all, in-node switch of a node, link of an NPU
};

/// What a server serves one after the other.
enum class PoolService : std::uint8_t {
  requests,  ///< the latency is pipelined
  accesses,  ///< whole loads and stores, latency + bytes / bandwidth each; an NPU's own server serves them
             ///< all at once
};

/// A stage of a hierarchical pool. With in-switch gather (loads) or reduce (stores) `fan_in` links bring or
/// take parts of a chunk at the same time, each bytes / fan_in.
struct PoolStage {
  std::uint64_t bytes_per_s = 0;
  TimePs latency_ps = 0;  ///< the stage takes its next chunk after it
  std::uint32_t fan_in = 1;
};
constexpr std::size_t kPoolStages = 4;  ///< memory, out-node switch, in-node switch, NPU link
using PoolStages = std::array<PoolStage, kPoolStages>;

struct PoolParams {
  PoolKind kind = PoolKind::shared;
  PoolService service = PoolService::requests;  ///< accesses: not hierarchical
  std::uint32_t npus = 1;
  std::uint32_t npus_per_node = 0;   ///< of per_node and hierarchical pools
  std::uint64_t bytes_per_s = 0;     ///< of a server; not hierarchical
  TimePs latency_ps = 0;             ///< pipelined, once for each request
  std::optional<PoolStages> stages;  ///< of hierarchical pools
};

struct RemoteMemoryParams {
  PoolParams timing;
  std::uint64_t capacity_bytes = 0;    ///< of all; each NPU has an equal part, from its address 0 on
  std::uint32_t queue_requests = 256;  ///< of each NPU
  bool functional = false;             ///< keep the data
};

}  // namespace wafertlm
