// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/memory_engine/engine_modules.h"
#include "tests/support/requester_module.h"
#include "tlm/memory/checker.h"

namespace wafertlm {

/// Hosts, their engines, the engine network, a provider and any memory of the base protocol, with a checker
/// on every socket.
template <typename Memory>
class EngineRig {
 public:
  template <typename... Args>
  explicit EngineRig(std::uint64_t memory_bytes, const ProviderEngineParams& params, Args&&... memory_args)
      : its_memory(make(std::forward<Args>(memory_args)...)),
        provider("provider", params, {}, PageTable(4096, memory_bytes), scratch, scheduler, clock, network) {
    bind_checked(provider.memory.socket, memory.socket, &checkers, "provider_memory");
  }
  virtual ~EngineRig() = default;

  MemoryEngineRequester& add(const RequesterEngineParams& params) {
    const std::string number = std::to_string(engines.size());
    hosts.push_back(std::make_unique<Host>(*this, number, scratch, scheduler));
    engines.push_back(std::make_unique<MemoryEngineRequester>(
        ("engine_" + number).c_str(), params, provider.engine().node(), scheduler, clock, network));
    bind_checked(hosts.back()->module.requester.socket, engines.back()->host.socket, &checkers,
                 "host_" + number);
    return *engines.back();
  }
  void grant_all(RequesterId id, const RegionLayout& layout) {
    provider.engine().grant(id, layout.base / 4096, layout.bytes() / 4096);
  }
  /// Starts a host's access; `data` has `bytes` bytes.
  void start(std::size_t host, bool write, std::uint64_t address, std::uint64_t bytes, unsigned char* data,
             std::uint64_t token) {
    hosts[host]->module.requester.start(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND, address,
                                        bytes, token, data);
  }
  /// Runs one access to its end; returns whether it succeeded.
  bool access(std::size_t host, bool write, std::uint64_t address, std::vector<unsigned char>& data) {
    const std::uint64_t token = next_token_++;
    start(host, write, address, data.size(), data.data(), token);
    scheduler.run();
    return ended.at(token);
  }
  virtual void done(std::uint64_t token, bool ok) { ended[token] = ok; }

  Scheduler scheduler{"scheduler"};
  SchedulerClock clock{scheduler};
  CheckerSet checkers;
  ScratchMemory scratch{};
  EngineNetwork network{{}, clock};
  std::unique_ptr<Memory> its_memory;
  Memory& memory = *its_memory;
  MemoryEngineProvider provider;
  std::vector<std::unique_ptr<MemoryEngineRequester>> engines;
  std::map<std::uint64_t, bool> ended;  // by token

 private:
  /// Ours take the scheduler last.
  template <typename... Args>
  std::unique_ptr<Memory> make(Args&&... args) {
    if constexpr (std::is_constructible_v<Memory, const char*, Args..., Scheduler&>)
      return std::make_unique<Memory>("memory", std::forward<Args>(args)..., scheduler);
    else
      return std::make_unique<Memory>("memory", std::forward<Args>(args)...);
  }
  struct Host final : MemoryRequesterHost {
    Host(EngineRig& its_rig, const std::string& number, ScratchMemory& scratch, Scheduler& scheduler)
        : rig(its_rig), module(("its_host_" + number).c_str(), {}, scratch, scheduler, *this) {}
    void memory_done(std::uint64_t token, bool ok) override { rig.done(token, ok); }
    EngineRig& rig;
    RequesterModule module;
  };
  std::vector<std::unique_ptr<Host>> hosts;
  std::uint64_t next_token_ = std::uint64_t{1} << 32;
};

}  // namespace wafertlm
