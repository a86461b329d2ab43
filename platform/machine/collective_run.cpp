// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/collective_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <set>

#include "models/endpoint/fault.h"
#include "models/npu/npu.h"
#include "platform/host/progress.h"
#include "platform/machine/faults_report.h"
#include "platform/machine/machine.h"
#include "platform/machine/one_for_all.h"
#include "platform/machine/routes.h"
#include "platform/machine/rtl/memory_views.h"
#include "platform/machine/rtl/rtl_views.h"
#include "platform/machine/simulate.h"
#include "platform/machine/wafer.h"
#include "platform/spec/cut_times.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/fabric_results.h"
#include "platform/text/format.h"
#include "tlm/operation/operation_port.h"
#include "workloads/collectives/algorithm/proof.h"

namespace wafertlm {
namespace {

/// Enters every rank of all collectives and waits for all of them. Collective i has the id i + 1.
class Driver : public OperationListener, private Wakeable {
 public:
  Driver(Machine& machine, const CollectivePlan& plan, bool functional)
      : machine_(machine),
        collectives_(plan.collectives),
        late_(plan.late),
        functional_(functional),
        end_ps_(plan.collectives.size()) {
    const std::uint32_t count = machine.one_for_all() ? 1 : machine.wafer().endpoints();
    for (std::uint32_t n = 0; n < count; ++n) {
      ports_.push_back(std::make_unique<OperationPort>(("sequencer_" + std::to_string(n)).c_str(), *this));
      machine.attach(*ports_.back(), static_cast<NpuId>(n));
    }
  }

  void start() {
    for (const auto& [npu, by] : late_)
      machine_.wafer().scheduler.schedule(by, *this, static_cast<std::uint32_t>(npu));
    for (std::size_t i = 0; i < collectives_.size(); ++i)
      for (std::uint32_t rank = 0; rank < collectives_[i].program->group.size(); ++rank) {
        if (index_of(collectives_[i].program->group[rank]) >= ports_.size()) continue;
        ++running_;
        ++entered_;
        if (late_.count(collectives_[i].program->group[rank]) == 0) enter(i, rank);
      }
  }

  bool done() const { return running_ == 0; }
  const std::vector<TimePs>& end_ps() const { return end_ps_; }
  /// @throws WrongValues
  void require_right(const Fault* fault) const {
    if (first_wrong_.empty()) return;
    std::vector<WrongValues::Element> places(wrong_.begin(), wrong_.end());
    std::set<std::pair<std::size_t, std::uint32_t>> ranks;
    for (const WrongValues::Element& place : places) ranks.emplace(place.collective, place.rank);
    std::string text = fmt::format("wrong value: {}; {} values are wrong, at {} of {} ranks",
                                   first_wrong_.begin()->second, places.size(), ranks.size(), entered_);
    if (fault) text += "; " + fault->report();
    throw WrongValues(text, std::move(places));
  }

  void operation_done(std::uint64_t rank, const Operation& operation,
                      const std::vector<std::byte>& data) override {
    --running_;
    TimePs& end_ps = end_ps_[operation.collective_id - 1];
    end_ps = std::max(end_ps, operation.end_ps);
    if (!functional_) return;
    const std::size_t collective = operation.collective_id - 1;
    std::vector<std::uint64_t> elements;
    const std::string wrong =
        expected(operation.collective_id).wrong_value(static_cast<std::uint32_t>(rank), data, &elements);
    if (wrong.empty()) return;
    // Ranks of a stream are a controller and all NPUs, so the controller is what tells it from the others.
    const std::size_t root = index_of(collectives_[collective].program->group.front());
    const std::size_t npus = machine_.wafer().npus();
    first_wrong_.emplace(std::pair(collective, rank),
                         root < npus ? wrong : "stream of io" + std::to_string(root - npus) + ", " + wrong);
    for (const std::uint64_t element : elements)
      wrong_.insert({collective, static_cast<std::uint32_t>(rank), element});
  }

 private:
  void enter(std::size_t collective, std::uint32_t rank) {
    const auto& program = collectives_[collective].program;
    Operation operation;
    operation.kind = Operation::Kind::collective;
    operation.traffic_class = machine_.wafer().classes.find(collectives_[collective].traffic_class);
    operation.collective_id = collective + 1;
    operation.rank = rank;
    operation.program = program;
    ports_[index_of(program->group[rank])]->issue(
        rank, operation,
        functional_ ? initial_values(*program, collective + 1, rank) : std::vector<std::byte>());
  }

  /// A late NPU enters.
  void wake(std::uint32_t npu, TimePs) override {
    for (std::size_t i = 0; i < collectives_.size(); ++i) {
      const Group& group = collectives_[i].program->group;
      const auto found = std::find(group.begin(), group.end(), static_cast<NpuId>(npu));
      if (found != group.end()) enter(i, static_cast<std::uint32_t>(found - group.begin()));
    }
  }

  /// Known when a rank is done: what it did depends on what the switches could carry.
  const ExpectedValues& expected(std::uint64_t id) {
    const auto found = expected_.find(id);
    if (found != expected_.end()) return found->second;
    return expected_
        .try_emplace(id, machine_.wafer().fabric().done_program(*collectives_[id - 1].program, id), id)
        .first->second;
  }

  Machine& machine_;
  const std::vector<PlannedCollective>& collectives_;
  const std::map<NpuId, TimePs>& late_;
  bool functional_;
  std::vector<std::unique_ptr<OperationPort>> ports_;                         // by endpoint
  std::vector<TimePs> end_ps_;                                                // by collective
  std::size_t entered_ = 0, running_ = 0;                                     // ranks
  std::map<std::uint64_t, ExpectedValues> expected_;                          // by id, in functional mode
  std::map<std::pair<std::size_t, std::uint64_t>, std::string> first_wrong_;  // by collective and rank
  std::set<WrongValues::Element> wrong_;
};

/// `name`: "the collective" or one of several.
void require_bound(const std::string& name, TimePs time_ps, TimePs bound_ps) {
  if (time_ps < bound_ps)
    throw std::runtime_error(fmt::format(
        "{} took {} ps, less than its bound of {} ps: this is a fault of the model, please report it", name,
        time_ps, bound_ps));
}

/// From the first entry to the last exit.
TimePs planned_ps(const CollectivePlan& plan) {
  TimePs longest_ps = plan.together.predicted_ps, late_ps = 0;
  for (const PlannedCollective& each : plan.collectives)
    longest_ps = std::max(longest_ps, each.cost.predicted_ps);
  for (const auto& [npu, by] : plan.late) late_ps = std::max(late_ps, by);
  return late_ps + longest_ps;
}

/// Of a prediction, which may be too short.
double part_of(TimePs now, TimePs predicted_ps) {
  return std::min(0.99, static_cast<double>(now) / static_cast<double>(std::max<TimePs>(predicted_ps, 1)));
}

}  // namespace

void require_watchdog(const config::PlatformSpec& spec, const CollectivePlan& plan) {
  if (planned_ps(plan) <= spec.run.watchdog_ps) return;
  throw std::invalid_argument(
      fmt::format("it is predicted to take {}, and the watchdog ends runs at {}; choose a smaller --size, or "
                  "raise run.watchdog",
                  format_time(planned_ps(plan)), format_time(spec.run.watchdog_ps)));
}

namespace {

/// Of each collective the one of NPU 0 that does the same, in the order in which each NPU enters them. Empty:
/// not all NPUs do the same.
std::vector<std::size_t> stand_ins(const CollectivePlan& plan, std::uint32_t npus) {
  std::vector<std::vector<std::size_t>> entered(npus);
  for (std::size_t i = 0; i < plan.collectives.size(); ++i)
    for (const NpuId npu : plan.collectives[i].program->group) {
      if (index_of(npu) >= npus) return {};
      entered[index_of(npu)].push_back(i);
    }
  std::vector<std::size_t> of_first(plan.collectives.size());
  for (const std::vector<std::size_t>& list : entered) {
    if (list.size() != entered.front().size()) return {};
    for (std::size_t k = 0; k < list.size(); ++k) {
      const PlannedCollective &each = plan.collectives[list[k]],
                              &first = plan.collectives[entered.front()[k]];
      if (each.traffic_class != first.traffic_class || !are_alike(*each.program, *first.program)) return {};
      of_first[list[k]] = entered.front()[k];
    }
  }
  return of_first;
}

CollectiveResult run_plan(const config::PlatformSpec& spec, const CollectivePlan& plan, bool reverse,
                          const std::vector<std::size_t>& of_first) {
  Machine machine(spec, reverse, nullptr, nullptr, {!of_first.empty(), {}});
  machine.allow_lookahead_windows();
  const Fabric& fabric = machine.wafer().fabric();
  const std::vector<PlannedCollective>& collectives = plan.collectives;
  for (const PlannedCollective& each : collectives) require_routes(*each.program, fabric);
  Driver driver(machine, plan, spec.run.functional);
  const std::clock_t begin = std::clock();
  {
    ProgressLine progress;
    machine.wafer().rtl().run(
        [&] {
          simulate(
              machine, [&] { driver.start(); }, [&] { return driver.done(); },
              [&](TimePs now) {
                if (progress.is_due())
                  progress.show(format_time(now) + " simulated", part_of(now, planned_ps(plan)));
              });
        },
        ".");
  }

  CollectiveResult result;
  RtlViews& rtl = machine.wafer().rtl();
  MemoryViews& memory_rtl = machine.memory_rtl();
  rtl.finish(".");
  memory_rtl.finish();
  try {
    rtl.require_equal();
    memory_rtl.require_equal();
    driver.require_right(machine.fault());
  } catch (const RtlDiffers& error) {
    result.rtl_failure = error.what();
  }
  if (machine.fault() && !machine.reliability())
    throw std::runtime_error(machine.fault()->report() + ", and no value is wrong: the proof missed it");
  result.simulation_cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  for (const auto& [npu, by] : plan.late) result.skew_ps = std::max(result.skew_ps, by);
  result.predicted_ps = plan.together.predicted_ps;
  result.bound_ps = plan.together.bound_ps;
  result.end_ps = driver.end_ps();
  for (std::size_t i = 0; i < of_first.size(); ++i) result.end_ps[i] = result.end_ps[of_first[i]];
  if (const FlowControl* const flows = fabric.flow_control()) result.conflicts = flows->conflicts();
  const TimePs time_step_ps = fabric_kind(spec.wafer).abilities(spec.wafer.fabric).time_step_ps;
  TimePs most_gain = 0;
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    const CollectiveProgram& program = *collectives[i].program;
    result.decomposed.push_back(&fabric.done_program(program, i + 1) != &program);
    const CollectiveCost& cost = result.decomposed[i] ? collectives[i].decomposed_cost : collectives[i].cost;
    const TimePs gain = cut_at_most_ps(time_step_ps, program.group.size(), program.chunks);
    most_gain = std::max(most_gain, gain);
    require_bound(collectives.size() == 1 ? "the collective" : "collective " + std::to_string(i),
                  result.end_ps[i], cost.bound_ps - std::min(cost.bound_ps, gain));
    result.time_ps = std::max(result.time_ps, result.end_ps[i]);
    result.predicted_ps = std::max(result.predicted_ps, cost.predicted_ps);
    result.bound_ps = std::max(result.bound_ps, cost.bound_ps);
  }
  require_bound("the slowest collective", result.time_ps,
                plan.together.bound_ps - std::min(plan.together.bound_ps, most_gain));
  result.proven = spec.run.functional && result.rtl_failure.empty();
  if (!rtl.empty()) {
    result.rtl = rtl.json();
    const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    result.rtl_text = rtl.text(cpu_s - rtl.host_s(), fabric.packet_hops());
  }
  if (!memory_rtl.empty()) result.memory_rtl = memory_rtl.json();
  result.rtl_text += memory_rtl.text();
  if (const FabricResults* const of = fabric_kind(spec.wafer).results())
    result.of_fabric[of->name] = of->json(fabric);
  result.packet_hops = fabric.packet_hops();
  result.simulated_npus = machine.one_for_all() ? 1 : machine.wafer().npus();
  for (std::uint32_t npu = 0; npu < machine.wafer().npus(); ++npu)
    result.injected_packets +=
        machine.npu(static_cast<NpuId>(npu)).endpoint().injection_port().counters(PortId{0}).packets;
  if (machine.faults()) result.faults = faults_json(machine, result.time_ps);
  result.reliability = machine.reliability();
  result.events = machine.wafer().scheduler.events();
  for (const FabricLink& link : fabric.links()) {
    if (link.exit) continue;
    const OutputCounters& counted = fabric.counters(link);
    result.busiest_link_payload_bytes = std::max(result.busiest_link_payload_bytes, counted.payload_bytes);
    if (counted.credit_blocked_ps > result.starved_ps) {
      result.starved_ps = counted.credit_blocked_ps;
      result.starved_link = link.name;
    }
  }
  return result;
}

/// @throws std::logic_error: one NPU did not stand for all
void require_same(const CollectiveResult& of_one, const CollectiveResult& of_all) {
  if (of_one.end_ps == of_all.end_ps && of_one.packet_hops == of_all.packet_hops &&
      of_one.busiest_link_payload_bytes == of_all.busiest_link_payload_bytes)
    return;
  throw std::logic_error(fmt::format(
      "run.acceleration: verify: with one NPU in place of all it takes {} ps and {} hops, and with "
      "all {} ps and {} hops",
      of_one.time_ps, of_one.packet_hops, of_all.time_ps, of_all.packet_hops));
}

/// stand_ins(), or none if all NPUs have to be simulated.
std::vector<std::size_t> stand_ins(const config::PlatformSpec& spec, const CollectivePlan& plan) {
  if (!has_equal_wiring(spec) || !why_places_differ(spec).empty() || !plan.late.empty()) return {};
  return stand_ins(plan, spec.wafer.npu_count());
}

}  // namespace

CollectiveResult run_collectives(const config::PlatformSpec& spec, const CollectivePlanner& planner,
                                 bool reverse) {
  const FabricTraits traits = platform_traits(spec);
  const CollectivePlan plan = planner(traits);
  require_watchdog(spec, plan);
  const std::vector<std::size_t> of_first = stand_ins(spec, plan);
  std::string why;
  std::optional<CollectiveResult> of_one;
  if (!of_first.empty())
    of_one = run_one_for_all([&] { return run_plan(spec, plan, reverse, of_first); }, why);
  if (of_one && spec.run.acceleration != config::Acceleration::verify) return *of_one;
  CollectiveResult of_all = run_plan(spec, plan, reverse, {});
  if (of_one) require_same(*of_one, of_all);
  return of_all;
}

CollectiveResult run_collective(const config::PlatformSpec& spec, const CollectiveRequest& request,
                                const std::string& traffic_class, bool reverse) {
  const auto plan = [&](const FabricTraits& fabric) -> CollectivePlan {
    CollectiveRequest typed = request;
    typed.data_type = spec.run.data_type;
    const auto program = plan_collective(typed, fabric);
    return {{{program, traffic_class, cost_of(*program, typed, fabric)}}, {}};
  };
  return run_collectives(spec, plan, reverse);
}

}  // namespace wafertlm
