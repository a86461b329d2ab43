// SPDX-License-Identifier: Apache-2.0
#include "tests/support/program_run.h"

#include <algorithm>

#include "platform/machine/simulate.h"
#include "platform/machine/wafer.h"
#include "tlm/operation/operation_port.h"

namespace wafertlm::test {
namespace {

/// A sequencer port at every endpoint; notes the ends by token.
class Ports : public OperationListener {
 public:
  explicit Ports(Machine& machine) {
    for (std::uint32_t n = 0; n < machine.wafer().endpoints(); ++n) {
      ports_.push_back(std::make_unique<OperationPort>(("sequencer_" + std::to_string(n)).c_str(), *this));
      machine.attach(*ports_.back(), static_cast<NpuId>(n));
    }
  }

  OperationPort& at(NpuId npu) { return *ports_[index_of(npu)]; }
  void operation_done(std::uint64_t token, const Operation& operation,
                      const std::vector<std::byte>& data) override {
    ++done;
    ends.resize(std::max<std::size_t>(ends.size(), token + 1));
    buffers.resize(ends.size());
    ends[token] = operation.end_ps;
    buffers[token] = data;
  }

  std::size_t done = 0;
  std::vector<TimePs> ends;
  std::vector<std::vector<std::byte>> buffers;

 private:
  std::vector<std::unique_ptr<OperationPort>> ports_;
};

}  // namespace

ProgramResult run_program(Machine& machine, const std::shared_ptr<const CollectiveProgram>& program,
                          const std::string& traffic_class, std::vector<std::vector<std::byte>> buffers) {
  Ports ports(machine);
  buffers.resize(program->group.size());
  simulate(
      machine,
      [&] {
        for (std::uint32_t rank = 0; rank < program->group.size(); ++rank) {
          Operation operation;
          operation.kind = Operation::Kind::collective;
          operation.traffic_class = machine.wafer().classes.find(traffic_class);
          operation.collective_id = 1;
          operation.rank = rank;
          operation.program = program;
          ports.at(program->group[rank]).issue(rank, operation, buffers[rank]);
        }
      },
      [&] { return ports.done == program->group.size(); });
  return {*std::max_element(ports.ends.begin(), ports.ends.end()), std::move(ports.buffers)};
}

ExchangeResult run_exchange(Machine& machine, NpuId from, NpuId to, std::uint64_t bytes,
                            const std::string& traffic_class) {
  Ports ports(machine);
  simulate(
      machine,
      [&] {
        Operation operation;
        operation.traffic_class = machine.wafer().classes.find(traffic_class);
        operation.bytes = bytes;
        operation.kind = Operation::Kind::send;
        operation.peer = to;
        ports.at(from).issue(0, operation);
        operation.kind = Operation::Kind::receive;
        operation.peer = from;
        ports.at(to).issue(1, operation);
      },
      [&] { return ports.done == 2; });
  return {ports.ends[0], ports.ends[1]};
}

std::vector<TimePs> run_operations(Machine& machine,
                                   const std::vector<std::pair<NpuId, Operation>>& operations) {
  Ports ports(machine);
  simulate(
      machine,
      [&] {
        for (std::size_t i = 0; i < operations.size(); ++i)
          ports.at(operations[i].first).issue(i, operations[i].second);
      },
      [&] { return ports.done == operations.size(); });
  return ports.ends;
}

TimePs run_operation(Machine& machine, NpuId npu, const Operation& operation) {
  return run_operations(machine, {{npu, operation}}).front();
}

}  // namespace wafertlm::test
