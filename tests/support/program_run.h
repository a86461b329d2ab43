// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/machine/machine.h"
#include "tlm/operation/operation_port.h"
#include "tlm/program/program.h"

namespace wafertlm::test {

struct ProgramResult {
  TimePs time_ps = 0;                           ///< the last rank is done
  std::vector<std::vector<std::byte>> buffers;  ///< of each rank, afterwards
};

/// Runs any program, entered by all ranks at time 0; `buffers`, if given, has one for each rank. The machine
/// must be fresh and can be looked at afterwards.
ProgramResult run_program(Machine& machine, const std::shared_ptr<const CollectiveProgram>& program,
                          const std::string& traffic_class, std::vector<std::vector<std::byte>> buffers = {});

/// Point-to-point: `from` sends `bytes` to `to`, which posts the receive at time 0 too. Returns when the send
/// and the receive are done.
struct ExchangeResult {
  TimePs sent_ps = 0, received_ps = 0;
};
ExchangeResult run_exchange(Machine& machine, NpuId from, NpuId to, std::uint64_t bytes,
                            const std::string& traffic_class);

/// When operations end that are issued at time 0.
std::vector<TimePs> run_operations(Machine& machine,
                                   const std::vector<std::pair<NpuId, Operation>>& operations);
/// How long an NPU takes for one operation, issued at time 0.
TimePs run_operation(Machine& machine, NpuId npu, const Operation& operation);

}  // namespace wafertlm::test
