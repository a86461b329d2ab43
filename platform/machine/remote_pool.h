// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/memory_engine/engine_modules.h"
#include "models/remote_memory/remote_memory.h"
#include "platform/machine/bind_memory.h"
#include "platform/machine/remote_faults.h"
#include "platform/spec/remote_memory_spec.h"
#include "tlm/checking/checking.h"

namespace wafertlm {

/// How an NPU asks a remote memory.
MemoryRequesterParams remote_requests(const config::RemoteMemorySpec& spec);

/// A platform's remote memory: the pool and, where the platform has them, the engines before it: a requester
/// for each NPU, providers with a server each, their network. Everything is granted from the start.
class RemotePool {
 public:
  /// `memories`: in place of the pool's model. They are the caller's and must outlive this.
  RemotePool(const config::RemoteMemorySpec& spec, std::uint32_t npus, std::uint64_t seed,
             ScratchMemory& scratch, Scheduler& scheduler, CheckerSet* checkers,
             const BindPool& memories = nullptr);
  /// Binds an NPU's side.
  void attach(MemoryRequester& requester, std::uint32_t npu);

  /// Null if it is somebody else's.
  const RemoteMemory* memory() const { return memory_.get(); }
  bool has_engines() const { return !requesters_.empty(); }
  /// The groups' one after the other.
  std::uint32_t providers() const { return static_cast<std::uint32_t>(providers_.size()); }
  ProviderEngine& provider(std::uint32_t number) { return providers_[number]->engine(); }
  const ProviderEngine& provider(std::uint32_t number) const { return providers_[number]->engine(); }
  const RequesterEngine& requester(std::uint32_t npu) const { return requesters_[npu]->engine(); }
  MemoryEngineProvider& provider_module(std::uint32_t number) { return *providers_[number]; }
  /// Null without made-up contents.
  const ContentsProof* proof(std::uint32_t npu) const { return requesters_[npu]->proof(); }
  /// Where a page of an NPU's lies (with Path-ORAM or remapping: the slot with that number): what is to be
  /// granted or revoked.
  struct PagePlace {
    std::uint32_t provider;
    std::uint64_t page;  ///< of its memory
  };
  PagePlace place_of(std::uint32_t npu, std::uint64_t page) const;
  const EngineNetwork& network() const { return *network_; }
  std::uint32_t npus() const { return npus_; }

 private:
  void add_engines(const config::RemoteMemorySpec& spec, std::uint64_t seed, ScratchMemory& scratch,
                   Scheduler& scheduler);
  void bind(MemoryInitiatorSocket& socket, std::uint32_t number, const std::string& checker);

  const std::uint32_t npus_;
  CheckerSet* const checkers_;
  const BindPool memories_;
  SchedulerClock clock_;
  std::optional<EngineNetwork> network_;
  std::unique_ptr<RemoteMemory> memory_;
  std::vector<std::unique_ptr<MemoryEngineProvider>> providers_;
  std::vector<std::unique_ptr<MemoryEngineRequester>> requesters_;
  std::vector<std::uint32_t> first_providers_;  // of each NPU's
  std::optional<RemoteFaults> faults_;
};

}  // namespace wafertlm
