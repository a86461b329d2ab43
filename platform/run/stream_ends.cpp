// SPDX-License-Identifier: Apache-2.0
#include "platform/run/stream_ends.h"

#include <fmt/core.h>

#include <stdexcept>

#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "platform/run/job.h"
#include "workloads/collectives/algorithm/proof.h"

namespace wafertlm {

StreamEnds::StreamEnds(Machine& machine, const Placement& npus, bool functional, Job job)
    : machine_(machine), functional_(functional), job_(std::move(job)) {
  for (std::uint32_t rank = 0; rank < npus.size(); ++rank) ranks_.emplace(npus[rank], rank);
  for (std::uint32_t n = 0; n < machine.wafer().endpoints(); ++n) {
    const auto id = static_cast<NpuId>(n);
    if (ranks_.count(id) != 0) continue;
    OperationListener& listener = *this;
    auto port = std::make_unique<OperationPort>(fmt::format("unused_{}", n).c_str(), listener);
    machine.attach(*port, id);
    ports_.emplace(id, std::move(port));
  }
}

void StreamEnds::start(CollectiveRecord& record) {
  Stream& stream = streams_[record.id];
  stream = {&record, record.programs, 0};
  Operation operation;
  operation.kind = Operation::Kind::collective;
  operation.traffic_class = machine_.wafer().classes.find(record.traffic_class);
  for (std::size_t p = 0; p < stream.programs.size(); ++p) {
    const auto& program = stream.programs[p];
    operation.collective_id = record.operation_id(p);
    operation.program = program;
    for (std::uint32_t rank = 0; rank < program->group.size(); ++rank) {
      const auto rank_here = ranks_.find(program->group[rank]);
      if (rank_here != ranks_.end() && !program->is_relay(rank)) continue;  // the rank's own
      operation.rank = rank;
      ++stream.open;
      std::vector<std::byte> data;
      if (functional_) data = initial_values(*program, operation.collective_id, rank);
      if (rank_here != ranks_.end())
        job_.sequencer(rank_here->second).relay(record.id, operation, std::move(data));
      else
        ports_.at(program->group[rank])->issue(record.id, operation, std::move(data));
    }
  }
}

void StreamEnds::done(std::uint64_t token, const Operation& operation, const std::vector<std::byte>& data) {
  const auto found = streams_.find(token);
  if (functional_ && !result_ranges(*operation.program, operation.rank).empty()) {
    const std::string wrong = wrong_value(*operation.program, operation.collective_id, operation.rank, data);
    if (!wrong.empty()) throw std::runtime_error(fmt::format("wrong value: stream {}, {}", token, wrong));
  }
  if (--found->second.open != 0) return;
  CollectiveRecord& record = *found->second.record;
  streams_.erase(found);
  job_.is_out(record);
}

}  // namespace wafertlm
