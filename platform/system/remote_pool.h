// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "models/memory_engine/engine_modules.h"
#include "models/remote_memory/remote_memory.h"
#include "platform/config/remote_memory_spec.h"
#include "tlm/checking.h"

namespace wafertlm {

/// How an NPU asks a remote memory.
MemoryRequesterParams remote_requests(const config::RemoteMemorySpec& spec);

/// A platform's remote memory: the pool and, where the platform has them, the engines before it: a requester
/// for each NPU, a provider, their network. Everything is granted from the start.
class RemotePool {
 public:
  RemotePool(const config::RemoteMemorySpec& spec, std::uint32_t npus, std::uint64_t seed,
             ScratchMemory& scratch, Scheduler& scheduler, CheckerSet* checkers);
  /// Binds an NPU's side.
  void attach(MemoryRequester& requester, std::uint32_t npu);

  const RemoteMemory& memory() const { return *memory_; }
  bool has_engines() const { return !requesters_.empty(); }
  ProviderEngine& provider() { return provider_->engine(); }
  const ProviderEngine& provider() const { return provider_->engine(); }
  const RequesterEngine& requester(std::uint32_t npu) const { return requesters_[npu]->engine(); }
  const EngineNetwork& network() const { return *network_; }
  std::uint32_t npus() const { return npus_; }

 private:
  const std::uint32_t npus_;
  CheckerSet* const checkers_;
  SchedulerClock clock_;
  std::optional<EngineNetwork> network_;
  std::unique_ptr<RemoteMemory> memory_;
  std::unique_ptr<MemoryEngineProvider> provider_;
  std::vector<std::unique_ptr<MemoryEngineRequester>> requesters_;
};

}  // namespace wafertlm
