// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "models/memory_engine/engine_params.h"
#include "models/remote_memory/pool_params.h"
#include "tlm/kernel/units.h"

namespace wafertlm::config {

/// Which provider has a page.
enum class Placement : std::uint8_t {
  interleaved,  ///< stripes of pages in turn
  blocked,      ///< each a contiguous part of every NPU's pages
  by_npu,       ///< all pages of NPU n with provider n mod providers
};

/// What a provider does to a page that it holds, at a time: see RemoteFaults.
struct RemoteFaultSpec {
  enum class Kind : std::uint8_t {
    flip,    ///< one bit of the page
    swap,    ///< it and another page change places, with their tags
    replay,  ///< it is again what it was at another time, with its tag
    drop,    ///< the next store to it is acknowledged and not carried out
  } kind = Kind::flip;
  std::uint32_t npu = 0;             ///< whose page it is
  std::uint64_t page = 0, with = 0;  ///< of that NPU; `with`: swap's other
  TimePs at_ps = 0, from_ps = 0;     ///< `from_ps`: replay's other time
  std::uint64_t bit = 0;
};

/// Memory engines between NPUs and a pool: a requester for each NPU, and providers, each with a server of the
/// pool behind it. `providers` are those of all NPUs (shared), of a node (per_node) or of an NPU (per_npu).
/// requester_params() fills in what a requester has of its own.
struct MemoryEngineSpec : RequesterEngineParams {
  Placement placement = Placement::interleaved;
  Validation validation = Validation::page;
  bool authenticated = true;
  EngineNetworkParams network;
  std::vector<RemoteFaultSpec> faults;
};

/// Whether what is loaded is written to the NPU's own HBM and what is stored is read from it.
enum class LocalMemory : std::uint8_t { hbm, free };

/// Memory beyond the NPUs' own. pool_params() fills in the NPUs.
struct RemoteMemorySpec : PoolParams {
  LocalMemory local = LocalMemory::hbm;
  std::uint64_t capacity_bytes = 0;
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
