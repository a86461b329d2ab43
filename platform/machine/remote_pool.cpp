// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/remote_pool.h"

#include "tlm/memory/checker.h"

namespace wafertlm {

MemoryRequesterParams remote_requests(const config::RemoteMemorySpec& spec) {
  return {static_cast<std::uint32_t>(spec.request_bytes), spec.requests_under_way(),
          spec.service == PoolService::accesses};
}

RemotePool::RemotePool(const config::RemoteMemorySpec& spec, std::uint32_t npus, std::uint64_t seed,
                       ScratchMemory& scratch, Scheduler& scheduler, CheckerSet* checkers,
                       const BindPool& memories)
    : npus_(npus), checkers_(checkers), memories_(memories), clock_(scheduler) {
  if (spec.engine) add_engines(spec, seed, scratch, scheduler);
  if (spec.engine || memories_) return;
  RemoteMemoryParams params;
  params.timing = config::pool_params(spec, npus);
  params.capacity_bytes = spec.capacity_bytes;
  params.queue_requests = 2 * spec.requests_under_way();
  memory_ = std::make_unique<RemoteMemory>("remote_memory", params, scheduler);
}

/// A requester's region with a provider holds the pages that lie there and, behind them, their tags, nodes or
/// what hiding needs. A provider's memory holds the regions of its requesters one behind the other.
void RemotePool::add_engines(const config::RemoteMemorySpec& spec, std::uint64_t seed, ScratchMemory& scratch,
                             Scheduler& scheduler) {
  const config::MemoryEngineSpec& engine = *spec.engine;
  network_.emplace(engine.network, clock_);
  RequesterEngineParams requester = config::requester_params(engine, spec.capacity_bytes / npus_);
  requester.seed = seed;
  const std::uint64_t region = RequesterEngine::layout_of(requester).bytes();
  const std::uint32_t group = config::engine_group(spec, npus_), each = engine.providers;
  const bool by_npu = engine.placement == config::Placement::by_npu;
  const std::uint64_t regions = by_npu ? (group + each - 1) / each : group;

  const std::uint32_t providers = npus_ / group * each;
  if (!memories_) {
    RemoteMemoryParams params;
    params.timing = config::pool_params(spec, providers);
    params.timing.kind = PoolKind::per_npu;  // a server for each of them
    params.timing.npus_per_node = 1;
    params.capacity_bytes = region * regions * providers;
    params.queue_requests = 2 * spec.requests_under_way();
    params.functional = engine.functional;
    memory_ = std::make_unique<RemoteMemory>("remote_memory", params, scheduler);
  }
  for (std::uint32_t p = 0; p < providers; ++p) {
    const std::string number = std::to_string(p);
    providers_.push_back(std::make_unique<MemoryEngineProvider>(
        ("memory_provider_" + number).c_str(), config::provider_params(engine), remote_requests(spec),
        PageTable(requester.page_bytes, region * regions), scratch, scheduler, clock_, *network_));
    bind(providers_.back()->memory.socket, p, "remote_memory_provider_" + number);
  }
  for (std::uint32_t n = 0; n < npus_; ++n) {
    const std::uint32_t member = n % group, first = n / group * each + (by_npu ? member % each : 0);
    requester.id = static_cast<RequesterId>(n);
    requester.base_address = (by_npu ? member / each : member) * region;
    first_providers_.push_back(first);
    std::vector<ProviderPort> ports;
    for (std::uint32_t p = first; p < first + requester.providers; ++p) {
      ports.push_back(provider(p).port());
      provider(p).grant(requester.id, requester.base_address / requester.page_bytes,
                        region / requester.page_bytes);
    }
    requesters_.push_back(std::make_unique<MemoryEngineRequester>(
        ("memory_engine_" + std::to_string(n)).c_str(), requester, ports, scheduler, clock_, *network_));
    for (std::uint32_t p = first; p < first + requester.providers; ++p)
      provider(p).enrol(requesters_.back()->engine().node(), requester.id);
  }
  if (!engine.faults.empty()) faults_.emplace(engine.faults, *this, scheduler);
}

RemotePool::PagePlace RemotePool::place_of(std::uint32_t npu, std::uint64_t page) const {
  const RegionLayout& layout = requester(npu).layout();
  return {first_providers_.at(npu) + layout.provider_of(page), layout.slot_address(page) / layout.page_bytes};
}

void RemotePool::bind(MemoryInitiatorSocket& socket, std::uint32_t number, const std::string& checker) {
  if (memories_) return memories_(number, through_checker(socket, checkers_, checker));
  bind_checked(socket, memory_->socket(number), checkers_, checker);
}

void RemotePool::attach(MemoryRequester& requester, std::uint32_t npu) {
  const std::string checker = "remote_memory_" + std::to_string(npu);
  if (has_engines())
    bind_checked(requester.socket, requesters_[npu]->host.socket, checkers_, checker);
  else
    bind(requester.socket, npu, checker);
}

}  // namespace wafertlm
