// SPDX-License-Identifier: Apache-2.0
#include "platform/system/remote_pool.h"

#include <algorithm>
#include <string>

#include "tlm/memory/checker.h"

namespace wafertlm {

MemoryRequesterParams remote_requests(const config::RemoteMemorySpec& spec) {
  return {static_cast<std::uint32_t>(spec.request_bytes), spec.requests_under_way()};
}

RemotePool::RemotePool(const config::RemoteMemorySpec& spec, std::uint32_t npus, std::uint64_t seed,
                       ScratchMemory& scratch, Scheduler& scheduler, CheckerSet* checkers)
    : npus_(npus), checkers_(checkers), clock_(scheduler) {
  RemoteMemoryParams params;
  params.timing = config::pool_params(spec, spec.engine ? 1 : npus);
  params.capacity_bytes = spec.capacity_bytes;
  params.queue_requests = 2 * spec.requests_under_way();
  if (!spec.engine) {
    memory_ = std::make_unique<RemoteMemory>("remote_memory", params, scheduler);
    return;
  }
  network_.emplace(config::network_params(*spec.engine), clock_);
  // Each requester's region holds its NPU's part and, behind it, tags, nodes or what hiding needs.
  RequesterEngineParams requester = config::requester_params(*spec.engine, spec.capacity_bytes / npus);
  requester.seed = seed;
  const std::uint64_t region = RequesterEngine::layout_of(requester).bytes();
  params.capacity_bytes = region * npus;
  memory_ = std::make_unique<RemoteMemory>("remote_memory", params, scheduler);
  provider_ = std::make_unique<MemoryEngineProvider>(
      "memory_provider", config::provider_params(*spec.engine), remote_requests(spec),
      PageTable(requester.page_bytes, params.capacity_bytes), scratch, scheduler, clock_, *network_);
  bind_checked(provider_->memory.socket, memory_->socket(0), checkers, "remote_memory_provider");
  for (std::uint32_t n = 0; n < npus; ++n) {
    requester.id = static_cast<RequesterId>(n);
    requester.base_address = n * region;
    requesters_.push_back(
        std::make_unique<MemoryEngineRequester>(("memory_engine_" + std::to_string(n)).c_str(), requester,
                                                provider_->engine().node(), scheduler, clock_, *network_));
    provider_->engine().grant(requester.id, requester.base_address / requester.page_bytes,
                              region / requester.page_bytes);
  }
}

void RemotePool::attach(MemoryRequester& requester, std::uint32_t npu) {
  MemoryTargetSocket& socket = has_engines() ? requesters_[npu]->host.socket : memory_->socket(npu);
  bind_checked(requester.socket, socket, checkers_, "remote_memory_" + std::to_string(npu));
}

}  // namespace wafertlm
