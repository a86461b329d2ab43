// SPDX-License-Identifier: Apache-2.0
// An NPU whose remote memory is somebody else's.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/hbm/hbm.h"
#include "models/npu/npu.h"
#include "platform/machine/wafer.h"
#include "platform/spec/load.h"
#include "tests/support/at_memory.h"
#include "tlm/memory/checker.h"
#include "tlm/operation/checker.h"
#include "tlm/operation/operation_port.h"

namespace wafertlm {
namespace {

/// Two NPUs side by side, the first with `Memory` where a pool would be.
template <typename Memory>
class Bench : public OperationListener {
 public:
  template <typename... Args>
  explicit Bench(Args&&... args) : remote_("remote", std::forward<Args>(args)...) {
    Fabric& fabric = wafer_.fabric();
    for (std::uint32_t n = 0; n < 2; ++n) {
      NpuParams params;
      params.npu = static_cast<NpuId>(n);
      params.injector.format = fabric.format();
      params.injector.link = fabric.injection_link();
      params.injector.dma_bytes_per_s = fabric.message_bytes_per_s();
      params.injector.exits = fabric.exits(params.npu);
      if (n == 0) params.remote = MemoryRequesterParams{1000, 4};
      params.remote_is_free = true;
      const std::string number = std::to_string(n);
      npus_.push_back(std::make_unique<Npu>(("npu_" + number).c_str(), params, wafer_.classes,
                                            NpuPools{{wafer_.packets, wafer_.messages}, scratch_},
                                            wafer_.scheduler));
      hbms_.push_back(std::make_unique<Hbm>(("hbm_" + number).c_str(), HbmParams{}, wafer_.scheduler));
      ports_.push_back(std::make_unique<OperationPort>(("port_" + number).c_str(), *this));
      fabric.attach(params.npu, npus_[n]->to_fabric, npus_[n]->from_fabric);
      bind_checked(npus_[n]->memory.socket, hbms_[n]->socket, &checkers_, "memory_" + number);
      bind_checked(ports_[n]->socket, npus_[n]->operations, &checkers_, "operations_" + number);
    }
    bind_checked(npus_[0]->remote->socket, remote_.socket, &checkers_, "remote_checker");
  }
  /// When the operation is over; its requests all went to the remote memory.
  TimePs run(Operation::Kind kind, std::uint64_t bytes) {
    Operation operation;
    operation.kind = kind;
    operation.bytes = bytes;
    const TimePs start = kernel_now_ps();
    ports_[0]->issue(1, operation);
    wafer_.scheduler.run();
    checkers_.finish();
    EXPECT_EQ(hbms_[0]->engine().counters(HbmCommand::read).requests, 0U);
    return end_ps_ - start;
  }

 private:
  void operation_done(std::uint64_t, const Operation& operation, const std::vector<std::byte>&) override {
    end_ps_ = operation.end_ps;
  }
  Wafer wafer_{config::load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml",
                                     {"wafer.width=2", "wafer.height=1", "wafer.io.controllers=none"})};
  ScratchMemory scratch_{};
  CheckerSet checkers_;
  Memory remote_;
  std::vector<std::unique_ptr<Npu>> npus_;
  std::vector<std::unique_ptr<Hbm>> hbms_;
  std::vector<std::unique_ptr<OperationPort>> ports_;
  TimePs end_ps_ = 0;
};

/// 10 requests of 40 ns, one after the other.
template <typename Memory>
void one_at_a_time() {
  Bench<Memory> bench;
  EXPECT_EQ(bench.run(Operation::Kind::memory_load, 10'000), 400'000U);
  EXPECT_EQ(bench.run(Operation::Kind::memory_store, 9'001), 400'000U);
}
TEST(NpuRemote, TakesEarlyCompletion) { one_at_a_time<third_party::EarlyCompletion>(); }
TEST(NpuRemote, TakesBeginRespWithoutEndReq) { one_at_a_time<third_party::SkippedEndReq>(); }
TEST(NpuRemote, TakesBeginRespAsTheAnswer) { one_at_a_time<third_party::ResponseFirst>(); }
TEST(NpuRemote, TakesFourPhasesAfterRandomDelays) {
  Bench<third_party::FourPhases> bench(7U);
  EXPECT_GT(bench.run(Operation::Kind::memory_load, 100'000), 0U);
  EXPECT_GT(bench.run(Operation::Kind::memory_store, 100'000), 0U);
}

}  // namespace
}  // namespace wafertlm
