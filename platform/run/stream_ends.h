// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "platform/run/rank_sequencer.h"
#include "tlm/operation/operation_port.h"
#include "workloads/parallelism/placement.h"
#include "workloads/sequencer/collective_registry.h"

namespace wafertlm {

class Machine;

/// Who takes part in streams beside the ranks that they are for: I/O controllers as their outer ends, and
/// NPUs that lie between others and pass them on. Of endpoints without a rank it has the operation ports,
/// whether or not there are streams.
class StreamEnds final : private OperationListener {
 public:
  struct Job {
    std::function<RankSequencer&(std::uint32_t rank)> sequencer;
    /// The last byte of a stream has left the wafer, all sums are with the controllers.
    std::function<void(CollectiveRecord&)> is_out;
  };
  StreamEnds(Machine& machine, const Placement& npus, bool functional, Job job);

  /// All ranks have entered the stream. @throws std::runtime_error later, when a sum is wrong.
  void start(CollectiveRecord& record);
  /// A part of stream `token` has ended.
  void done(std::uint64_t token, const Operation& operation, const std::vector<std::byte>& data);

 private:
  void operation_done(std::uint64_t token, const Operation& operation,
                      const std::vector<std::byte>& data) override {
    done(token, operation, data);
  }

  struct Stream {
    CollectiveRecord* record;
    std::vector<std::shared_ptr<const CollectiveProgram>> programs;
    std::uint32_t open = 0;  // operations under way
  };

  Machine& machine_;
  bool functional_;
  Job job_;
  std::map<NpuId, std::uint32_t> ranks_;
  std::map<NpuId, std::unique_ptr<OperationPort>> ports_;  // of endpoints without a rank
  std::map<std::uint64_t, Stream> streams_;                // by the record's id
};

}  // namespace wafertlm
