// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "models/remote_memory/pool_engine.h"
#include "models/remote_memory/pool_params.h"
#include "tlm/memory/page_store.h"
#include "tlm/memory/responder.h"

namespace wafertlm {

/// A remote memory: a PoolEngine behind a base-protocol socket for each NPU. Data takes effect when a request
/// is accepted. Where servers serve accesses, a request without MemoryAccess is one of its own.
class RemoteMemory : public sc_core::sc_module, private Wakeable {
 public:
  /// @throws std::invalid_argument for a capacity of less than a byte for each NPU, and as PoolEngine.
  RemoteMemory(const sc_core::sc_module_name& name, const RemoteMemoryParams& params, Scheduler& scheduler);
  ~RemoteMemory() override;

  MemoryTargetSocket& socket(std::uint32_t npu);
  const PoolEngine& engine() const { return engine_; }
  std::uint64_t bytes_read() const { return bytes_[0]; }
  std::uint64_t bytes_written() const { return bytes_[1]; }

 private:
  using Payload = ::tlm::tlm_generic_payload;
  class Port;
  struct Request {
    Port* port;
    Payload* payload;
    std::uint32_t stages_done;
  };
  void wake(std::uint32_t what, TimePs now) override { go_on(what, now); }
  bool serve(std::uint32_t npu, Payload& payload);
  void go_on(std::uint32_t number, TimePs now);
  TimePs end_of_part(const Port& port, const Payload& payload, TimePs now);
  unsigned move_data(std::uint32_t npu, Payload& payload, std::uint64_t bytes);

  const RemoteMemoryParams params_;
  const std::uint64_t bytes_per_npu_;
  Scheduler& scheduler_;
  PoolEngine engine_;
  PageStore store_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Request> requests_;  // between stages
  std::vector<std::uint32_t> free_requests_;
  struct Access {
    TimePs first_byte_ps;
    std::uint64_t bytes_served;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Access> accesses_;  // under way, by NPU and number
  std::uint64_t bytes_[2] = {0, 0};
};

}  // namespace wafertlm
