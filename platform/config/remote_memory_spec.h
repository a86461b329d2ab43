// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "models/memory_engine/engine_params.h"
#include "models/remote_memory/pool_params.h"
#include "tlm/units.h"

namespace wafertlm::config {

enum class CipherMode : std::uint8_t { none, store_and_forward, cut_through };

/// Which provider has a page.
enum class Placement : std::uint8_t {
  interleaved,  ///< stripes of pages in turn
  blocked,      ///< each a contiguous part of every NPU's pages
  by_npu,       ///< all pages of NPU n with provider n mod providers
};

/// Memory engines between NPUs and a pool: a requester for each NPU, and providers, each with a server of the
/// pool behind it.
struct MemoryEngineSpec {
  std::uint32_t providers = 1;  ///< of all NPUs (shared), of a node (per_node) or of an NPU (per_npu)
  Placement placement = Placement::interleaved;
  std::uint64_t stripe_pages = 1;
  std::uint64_t page_bytes = 4096;
  Validation validation = Validation::page;
  TimePs validate_ps = 40'000;
  CipherMode cipher_mode = CipherMode::store_and_forward;
  PipelineParams cipher, mac;
  Integrity integrity = Integrity::mac;
  std::uint32_t tree_arity = 8;
  std::uint32_t tree_cached_levels = 4;
  Hiding hiding = Hiding::none;
  std::uint32_t dummies = 3;
  std::uint64_t spare_pages = 1024;
  std::uint32_t bucket_blocks = 4;
  std::uint32_t outstanding = 16;
  DmaParams dma;
  EngineNetworkParams network;
};

/// Whether what is loaded is written to the NPU's own HBM and what is stored is read from it.
enum class LocalMemory : std::uint8_t { hbm, free };

struct PoolStageSpec {
  std::uint64_t bandwidth_bytes_per_s = 0;
  TimePs latency_ps = 0;
  std::uint32_t fan_in = 1;
};

struct PoolStagesSpec {
  PoolStageSpec memory, out_switch, in_switch, npu_link;
};

/// Memory beyond the NPUs' own.
struct RemoteMemorySpec {
  PoolKind kind = PoolKind::shared;
  PoolService service = PoolService::requests;
  LocalMemory local = LocalMemory::hbm;
  std::uint64_t capacity_bytes = 0;
  std::optional<std::uint64_t> bandwidth_bytes_per_s;  ///< of a server
  TimePs latency_ps = 0;
  std::optional<std::uint32_t> npus_per_node;
  std::optional<PoolStagesSpec> stages;
  std::uint64_t request_bytes = 65'536;      ///< of hierarchical pools the chunk
  std::optional<std::uint64_t> outstanding;  ///< requests of an NPU under way, loads and stores each
  std::optional<MemoryEngineSpec> engine;

  /// Requests that keep an idle pool busy; at least 16, at most 1024.
  std::uint32_t requests_under_way() const;
};

/// As the models take them.
PoolParams pool_params(const RemoteMemorySpec& spec, std::uint32_t npus);
ProviderEngineParams provider_params(const MemoryEngineSpec& spec);
/// NPUs that share providers.
std::uint32_t engine_group(const RemoteMemorySpec& spec, std::uint32_t npus);
/// Of the engine of a host with `bytes` of remote memory; its region begins at 0.
RequesterEngineParams requester_params(const MemoryEngineSpec& spec, std::uint64_t bytes);

}  // namespace wafertlm::config
