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

/// Hosts, their engines, the engine network, providers and any memories of the base protocol, with a checker
/// on every socket.
template <typename Memory>
class EngineRig {
 public:
  template <typename... Args>
  explicit EngineRig(std::uint64_t memory_bytes, const ProviderEngineParams& params, Args&&... memory_args)
      : EngineRig(std::uint32_t{1}, memory_bytes, params, std::forward<Args>(memory_args)...) {}
  /// With `count` providers.
  template <typename... Args>
  EngineRig(std::uint32_t count, std::uint64_t memory_bytes, const ProviderEngineParams& params,
            Args... memory_args)
      : memories(make_memories(count, memory_args...)),
        providers(make_providers(memory_bytes, params)),
        memory(*memories[0]),
        provider(*providers[0]) {}
  virtual ~EngineRig() = default;

  MemoryEngineRequester& add(const RequesterEngineParams& params) {
    const std::string number = std::to_string(engines.size());
    hosts.push_back(std::make_unique<Host>(*this, number, scratch, scheduler));
    std::vector<ProviderPort> ports;
    for (std::uint32_t p = 0; p < params.providers; ++p) ports.push_back(providers.at(p)->engine().port());
    engines.push_back(std::make_unique<MemoryEngineRequester>(("engine_" + number).c_str(), params, ports,
                                                              scheduler, clock, network));
    for (const auto& each : providers) each->engine().enrol(engines.back()->engine().node(), params.id);
    bind_checked(hosts.back()->module.requester.socket, engines.back()->host.socket, &checkers,
                 "host_" + number);
    return *engines.back();
  }
  void grant_all(RequesterId id, const RegionLayout& layout) {
    for (std::uint32_t p = 0; p < layout.providers; ++p)
      providers[p]->engine().grant(id, layout.base / 4096, layout.bytes() / 4096);
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
  std::vector<std::unique_ptr<Memory>> memories;
  std::vector<std::unique_ptr<MemoryEngineProvider>> providers;
  Memory& memory;                  // the first
  MemoryEngineProvider& provider;  // the first
  std::vector<std::unique_ptr<MemoryEngineRequester>> engines;
  std::map<std::uint64_t, bool> ended;  // by token

 private:
  /// Ours take the scheduler last.
  template <typename... Args>
  std::vector<std::unique_ptr<Memory>> make_memories(std::uint32_t count, const Args&... args) {
    std::vector<std::unique_ptr<Memory>> made;
    for (std::uint32_t p = 0; p < count; ++p) {
      const std::string name = "memory_" + std::to_string(p);
      if constexpr (std::is_constructible_v<Memory, const char*, Args..., Scheduler&>)
        made.push_back(std::make_unique<Memory>(name.c_str(), args..., scheduler));
      else
        made.push_back(std::make_unique<Memory>(name.c_str(), args...));
    }
    return made;
  }
  std::vector<std::unique_ptr<MemoryEngineProvider>> make_providers(std::uint64_t memory_bytes,
                                                                    const ProviderEngineParams& params) {
    std::vector<std::unique_ptr<MemoryEngineProvider>> made;
    for (std::size_t p = 0; p < memories.size(); ++p) {
      const std::string number = std::to_string(p);
      made.push_back(std::make_unique<MemoryEngineProvider>(
          ("provider_" + number).c_str(), params, MemoryRequesterParams{}, PageTable(4096, memory_bytes),
          scratch, scheduler, clock, network));
      bind_checked(made.back()->memory.socket, memories[p]->socket, &checkers, "provider_memory_" + number);
    }
    return made;
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
