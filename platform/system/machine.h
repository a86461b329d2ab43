// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/hbm/hbm.h"
#include "models/npu/npu.h"
#include "platform/system/wafer.h"
#include "tlm/fabric_traits.h"
#include "tlm/operation/operation_port.h"

namespace wafertlm {

FabricTraits fabric_traits(const MeshParams& mesh);

/// A wafer with its NPUs and memories, ready to be driven through the NPUs' operation sockets.
class Machine {
 public:
  explicit Machine(const config::PlatformSpec& spec, bool reverse = false);

  Wafer& wafer() { return wafer_; }
  const Wafer& wafer() const { return wafer_; }
  const FabricTraits& traits() const { return traits_; }
  Npu& npu(NpuId id) { return *npus_[index_of(id)]; }
  const Hbm& memory(NpuId id) const { return *memories_[index_of(id)]; }
  /// Binds a sequencer's port to an NPU, through a checker if the platform asks for them.
  void attach(OperationPort& port, NpuId npu);

  /// The fault that the platform's run.fault asks for; null if it asks for none.
  const Fault* fault() const { return fault_ ? &*fault_ : nullptr; }
  /// What all NPUs still wait for, in words.
  std::vector<std::string> pending() const;

 private:
  Wafer wafer_;
  FabricTraits traits_;
  ScratchMemory scratch_{};
  std::optional<Fault> fault_;
  std::vector<std::unique_ptr<Npu>> npus_;
  std::vector<std::unique_ptr<Hbm>> memories_;
};

}  // namespace wafertlm
