// SPDX-License-Identifier: Apache-2.0
#include "platform/collective/collective_run.h"

#include <algorithm>
#include <map>
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
  /// @throws WrongValues
  void require_right(const Fault* fault) const {
    if (wrong_.empty()) return;
    std::vector<WrongValues::Place> places;
    for (const auto& [rank, wrong] : wrong_)
      for (const std::uint64_t element : wrong.elements) places.emplace_back(rank, element);
    std::string text = "wrong value: " + wrong_.begin()->second.first + "; " + std::to_string(places.size()) +
                       " values are wrong, at " + std::to_string(wrong_.size()) + " of " +
                       std::to_string(program_->group.size()) + " ranks";
    if (fault) text += "; " + fault->report();
    throw WrongValues(text, std::move(places));
  }

  void operation_done(std::uint64_t rank, const Operation& operation,
                      const std::vector<std::byte>& data) override {
    ++done_;
    end_ps_ = std::max(end_ps_, operation.end_ps);
    if (!functional_) return;
    Wrong wrong;
    wrong.first = wrong_value(*program_, 1, static_cast<std::uint32_t>(rank), data, &wrong.elements);
    if (!wrong.first.empty()) wrong_.emplace(static_cast<std::uint32_t>(rank), std::move(wrong));
  }

 private:
  std::shared_ptr<const CollectiveProgram> program_;
  ClassId traffic_class_;
  bool functional_;
  std::vector<std::unique_ptr<OperationPort>> ports_;
  std::size_t done_ = 0;
  TimePs end_ps_ = 0;
  struct Wrong {
    std::string first;
    std::vector<std::uint64_t> elements;
  };
  std::map<std::uint32_t, Wrong> wrong_;  // by rank
};

}  // namespace

CollectiveResult run_collective(const config::PlatformSpec& spec, const CollectiveRequest& request,
                                const std::string& traffic_class, bool reverse) {
  Machine machine(spec, reverse);
  machine.wafer().mesh.require_routes(request.group);
  CollectiveRequest typed = request;
  typed.data_type = spec.run.data_type;
  const auto program = plan_collective(typed, machine.traits());
  const CollectiveCost cost = cost_of(*program, request, machine.traits());
  Driver driver(machine, program, machine.wafer().classes.find(traffic_class), spec.run.functional);
  simulate(
      machine, [&] { driver.start(); }, [&] { return driver.done(); });

  driver.require_right(machine.fault());
  if (machine.fault())
    throw std::runtime_error(machine.fault()->report() + ", and no value is wrong: the proof missed it");
  CollectiveResult result;
  result.time_ps = driver.end_ps();
  result.predicted_ps = cost.predicted_ps;
  result.bound_ps = cost.bound_ps;
  result.proven = spec.run.functional;
  result.packet_hops = machine.wafer().mesh.packet_hops();
  result.events = machine.wafer().scheduler.events();
  for (const MeshLink& link : machine.wafer().mesh.links()) {
    if (link.to_npu) continue;
    result.busiest_link_payload_bytes =
        std::max(result.busiest_link_payload_bytes, machine.wafer().mesh.counters(link).payload_bytes);
  }
  if (result.time_ps < result.bound_ps)
    throw std::runtime_error("the collective took " + std::to_string(result.time_ps) +
                             " ps, less than its bound of " + std::to_string(result.bound_ps) +
                             " ps: this is a fault of the model, please report it");
  return result;
}

}  // namespace wafertlm
