// SPDX-License-Identifier: Apache-2.0
#include "platform/collective/collective_run.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <vector>

#include "platform/system/machine.h"
#include "platform/system/simulate.h"
#include "tlm/operation/operation_port.h"
#include "workloads/collectives/proof.h"

namespace wafertlm {
namespace {

/// Enters every rank of one collective and waits for all of them.
class Driver : public OperationListener {
 public:
  Driver(Machine& machine, std::shared_ptr<const CollectiveProgram> program, ClassId traffic_class,
         bool functional)
      : program_(std::move(program)), traffic_class_(traffic_class), functional_(functional) {
    for (std::uint32_t npu = 0; npu < machine.wafer().npus(); ++npu) {
      ports_.push_back(std::make_unique<OperationPort>(("sequencer_" + std::to_string(npu)).c_str(), *this));
      machine.attach(*ports_.back(), static_cast<NpuId>(npu));
    }
  }

  void start() {
    for (std::uint32_t rank = 0; rank < program_->group.size(); ++rank) {
      Operation operation;
      operation.kind = Operation::Kind::collective;
      operation.traffic_class = traffic_class_;
      operation.collective_id = 1;
      operation.rank = rank;
      operation.program = program_;
      ports_[index_of(program_->group[rank])]->issue(
          rank, operation, functional_ ? initial_values(*program_, 1, rank) : std::vector<std::byte>());
    }
  }

  bool done() const { return done_ == program_->group.size(); }
  TimePs end_ps() const { return end_ps_; }
  const std::string& wrong() const { return wrong_; }

  void operation_done(std::uint64_t rank, const Operation& operation,
                      const std::vector<std::byte>& data) override {
    ++done_;
    end_ps_ = std::max(end_ps_, operation.end_ps);
    if (functional_ && wrong_.empty())
      wrong_ = wrong_value(*program_, 1, static_cast<std::uint32_t>(rank), data);
  }

 private:
  std::shared_ptr<const CollectiveProgram> program_;
  ClassId traffic_class_;
  bool functional_;
  std::vector<std::unique_ptr<OperationPort>> ports_;
  std::size_t done_ = 0;
  TimePs end_ps_ = 0;
  std::string wrong_;
};

}  // namespace

CollectiveResult run_collective(const config::PlatformSpec& spec, const CollectiveRequest& request,
                                const std::string& traffic_class, bool reverse) {
  Machine machine(spec, reverse);
  machine.wafer().mesh.require_routes(request.group);
  const auto program = plan_collective(request, machine.traits());
  const CollectiveCost cost = cost_of(*program, request, machine.traits());
  Driver driver(machine, program, machine.wafer().classes.find(traffic_class), spec.run.functional);
  const std::clock_t begin = std::clock();
  simulate(
      machine, [&] { driver.start(); }, [&] { return driver.done(); });

  if (!driver.wrong().empty()) throw std::runtime_error("wrong value: " + driver.wrong());
  CollectiveResult result;
  result.simulation_cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  result.time_ps = driver.end_ps();
  result.predicted_ps = cost.predicted_ps;
  result.bound_ps = cost.bound_ps;
  result.proven = spec.run.functional;
  result.packet_hops = machine.wafer().mesh.packet_hops();
  for (std::uint32_t npu = 0; npu < machine.wafer().npus(); ++npu)
    result.injected_packets +=
        machine.npu(static_cast<NpuId>(npu)).endpoint().injection_port().counters(PortId{0}).packets;
  result.events = machine.wafer().scheduler.events();
  for (const MeshLink& link : machine.wafer().mesh.links())
    result.busiest_link_payload_bytes =
        std::max(result.busiest_link_payload_bytes, machine.wafer().mesh.counters(link).payload_bytes);
  if (result.time_ps < result.bound_ps)
    throw std::runtime_error("the collective took " + std::to_string(result.time_ps) +
                             " ps, less than its bound of " + std::to_string(result.bound_ps) +
                             " ps: this is a fault of the model, please report it");
  return result;
}

}  // namespace wafertlm
