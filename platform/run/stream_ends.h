// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/system/machine.h"
#include "workloads/parallelism/placement.h"
#include "workloads/sequencer/collective_registry.h"

namespace wafertlm {

/// The endpoints of a job that have no rank: I/O controllers, and NPUs that the job does not use. They take
/// part in streams, the controllers as their outer ends, NPUs where they lie between others.
class StreamEnds final : private OperationListener {
 public:
  /// `is_out`: the last byte of a stream has left the wafer, all sums are with the controllers.
  StreamEnds(Machine& machine, const Placement& npus, bool functional,
             std::function<void(CollectiveRecord&)> is_out);

  /// All ranks have entered the stream. @throws std::runtime_error later, when a sum is wrong.
  void start(CollectiveRecord& record);

 private:
  void operation_done(std::uint64_t token, const Operation& operation,
                      const std::vector<std::byte>& data) override;

  struct Stream {
    CollectiveRecord* record;
    std::vector<std::shared_ptr<const CollectiveProgram>> programs;
    std::uint32_t open = 0;  // operations under way
  };

  Machine& machine_;
  bool functional_;
  std::function<void(CollectiveRecord&)> is_out_;
  std::map<NpuId, std::unique_ptr<OperationPort>> ports_;
  std::map<std::uint64_t, Stream> streams_;  // by the record's id
};

}  // namespace wafertlm
