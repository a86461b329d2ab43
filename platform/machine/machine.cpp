// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/machine.h"

#include <stdexcept>

#include "models/endpoint/fault.h"
#include "models/hbm/hbm.h"
#include "models/io/io_controller.h"
#include "models/npu/npu.h"
#include "platform/machine/collective_run.h"
#include "platform/machine/machine_links.h"
#include "platform/machine/operation_log.h"
#include "platform/machine/reliability.h"
#include "platform/machine/remote_pool.h"
#include "platform/machine/rtl/memory_views.h"
#include "platform/machine/rtl/rtl_views.h"
#include "platform/machine/run_faults.h"
#include "platform/machine/sampled/sampled_socket.h"
#include "platform/machine/wafer.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/npu_spec.h"
#include "tlm/acceleration/episodes.h"
#include "tlm/acceleration/steady_states.h"
#include "tlm/kernel/simulation_context.h"
#include "tlm/memory/checker.h"
#include "tlm/memory/memory_observer.h"
#include "tlm/operation/checker.h"
#include "tlm/operation/operation_port.h"
#include "tlm/packets/npu_name.h"

namespace wafertlm {

namespace {

HierarchyOptions hierarchy_options(const config::PlatformSpec& spec) {
  const config::ByDimensionSpec& by = spec.collectives.by_dimension;
  HierarchyOptions options;
  options.order = by.order;
  options.within = by.within;
  options.reductions = by.reductions;
  options.active_chunks = static_cast<std::uint32_t>(by.active_chunks.value_or(0));
  options.all_reduce = by.all_reduce;
  options.all_gather = by.all_gather;
  options.reduce_scatter = by.reduce_scatter;
  options.all_to_all = by.all_to_all;
  options.direct_window = by.direct_window;
  options.stage_cost_ps = spec.npu.endpoint.stage_cost_ps;
  return options;
}

/// What has to see every packet; empty: nothing.
std::string why_not_accelerated(const config::PlatformSpec& spec, Fabric& fabric, bool is_reliable,
                                bool is_part) {
  if (is_part) return "one process sees only a part of what would have to repeat";
  if (!spec.run.faults.empty()) return "run.faults change parts while they work";
  if (spec.run.acceleration == config::Acceleration::off) return "run.acceleration is off";
  if (spec.run.checkers) return "protocol checkers follow every packet";
  if (spec.run.functional) return "functional mode has values in every packet";
  if (spec.run.fault) return "run.fault counts packets";
  if (is_reliable) return "Go-Back-N counts packets";
  if (!spec.wafer.fabric.rtl.empty() || !spec.npu.hbm.rtl.empty()) return "RTL takes part";
  if (std::string why = fabric.keeps_unlisted(); !why.empty()) return why;
  if (fabric.format().by_flit) return "wormhole switching goes flit by flit";
  if (spec.npu.endpoint.memory == config::EndpointMemory::hbm)
    return "messages wait for the memory (npu.endpoint.memory)";
  return {};
}

/// More take longer to build than their prediction is worth.
constexpr std::uint32_t kMaxIdleNpus = 256;

/// FabricTraits::idle_ps of a platform: builds a second one in a SimulationContext and runs the collective on
/// it, without faults, bit errors, RTL, checkers, values and launch costs. Empty for more than kMaxIdleNpus.
IdleTime idle_time(const config::PlatformSpec& spec) {
  if (spec.wafer.npu_count() > kMaxIdleNpus) return {};
  auto idle = std::make_shared<config::PlatformSpec>(spec);
  idle->run.functional = idle->run.checkers = false;
  idle->run.fault.reset();
  idle->run.faults.clear();
  idle->wafer.fabric.rtl.clear();
  idle->npu.hbm.rtl.clear();
  idle->wafer.fabric.bit_error_rate = 0;
  idle->npu.endpoint.launch_cost_ps = 0;  // predictions add it
  return [idle = std::shared_ptr<const config::PlatformSpec>(std::move(idle))](
             const std::shared_ptr<const CollectiveProgram>& program) {
    const SimulationContext context;
    const auto alone = [&](const FabricTraits&) -> CollectivePlan {
      return {{{program, idle->wafer.fabric.classes.front().name, {}}}, {}};
    };
    return run_collectives(*idle, alone).time_ps;
  };
}

}  // namespace

FabricTraits platform_traits(const config::PlatformSpec& spec) {
  FabricTraits traits = fabric_kind(spec.wafer).traits(spec.wafer);
  traits.buffers_are_given |= spec.wafer.fabric.buffer_bytes != 0;
  traits.launch_cost_ps = spec.npu.endpoint.launch_cost_ps;
  traits.step_cost_ps = spec.npu.endpoint.step_cost_ps;
  traits.receive_cost_ps = spec.npu.endpoint.receive_cost_ps;
  traits.reduction_bytes_per_s = spec.npu.endpoint.reduction_bytes_per_s;
  traits.library = spec.npu.endpoint.library.value_or(GpuLibrary{});
  traits.hierarchy = hierarchy_options(spec);
  // Of the NPU that has least, which all wait for.
  std::uint32_t share_percent = 100;
  for (const config::PartialHbm& part : spec.wafer.fabric.defects.hbm)
    share_percent = std::min(share_percent, part.share_percent);
  const config::HbmSpec hbm = config::partial_hbm(spec.npu.hbm, share_percent);
  if (spec.npu.endpoint.memory == config::EndpointMemory::hbm)
    traits.memory = {hbm.bytes_per_s(false), hbm.bytes_per_s(true), hbm.timing.latency_ps,
                     hbm.requests.request_bytes};
  traits.idle_ps = idle_time(spec);
  return traits;
}

Machine::Machine(const config::PlatformSpec& spec, bool reverse, const BindMemory& memories,
                 const BindPool& pool, Places places)
    : places_(std::move(places)),
      wafer_(std::make_unique<Wafer>(spec, reverse, true, places_.one_for_all, places_.part)),
      traits_(platform_traits(spec)) {
  Fabric& fabric = wafer_->fabric();
  const HbmParams whole_hbm = hbm_params(spec.npu.hbm);
  const std::optional<ReliabilityParams> reliability = reliability_params(spec);
  if (reliability && reliability->errors.rate > 0) fabric.add_errors(reliability->errors);
  not_accelerated_ = why_not_accelerated(spec, fabric, reliability.has_value(), places_.part.has_value());
  if (not_accelerated_.empty()) {
    const auto seed = spec.run.acceleration == config::Acceleration::verify
                          ? std::optional<std::uint64_t>(spec.run.seed)
                          : std::nullopt;
    if (!fabric.messages())
      steady_ = std::make_unique<SteadyStates>(wafer_->scheduler, fabric.format().packet_bytes, seed);
    episodes_ = std::make_unique<Episodes>(
        wafer_->scheduler, [this](StateVisitor& state) { list_state(state); }, seed);
    if (fabric.striped()) episodes_->switch_off("packets are striped by numbers of operations");
  }
  const std::uint32_t count = one_for_all() ? 1 : wafer_->npus();
  if (places_.part) wafer_of_npu_ = fabric_kind(spec.wafer).wafers(spec.wafer).of_npu;
  npus_.resize(count);
  if (!memories) memories_.resize(count);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t n = reverse ? count - 1 - k : k;
    if (!has(static_cast<NpuId>(n))) continue;
    NpuParams params;
    params.npu = static_cast<NpuId>(n);
    params.injector.format = fabric.format();
    params.injector.link = fabric.npu_link(params.npu);
    params.injector.dma_bytes_per_s = fabric.message_bytes_per_s_of(params.npu);
    params.injector.exits = fabric.exits(params.npu);
    params.injector.lower_half = fabric.sends_on_lower_half();
    params.injector.striped = fabric.striped();
    params.injector.port_routes = fabric.port_routes(params.npu);
    params.injector.ports = fabric.ports(params.npu);
    params.injector.order = spec.npu.injection.order;
    params.memory = spec.npu.hbm.requests;
    if (spec.remote_memory) {
      params.remote = remote_requests(*spec.remote_memory);
      params.remote_is_free = spec.remote_memory->local == config::LocalMemory::free;
    }
    params.endpoint = endpoint_params(spec.npu);
    params.endpoint.reliability = reliability;
    params.injector.answers = reliability.has_value();
    params.compute = compute_params(spec, params.npu);
    params.compute.speed_changes = speed_changes(spec.run, params.npu);
    params.operands = operand_params(spec.npu, params.compute);
    if (params.operands) params.operands->span_bytes = hbm_capacity_bytes(spec, params.npu);
    params.messages = fabric.messages();
    params.steady = steady_.get();
    params.episodes = episodes_.get();
    params.ejection_credit_delay_ps = fabric.credit_delay_ps();
    npus_[n] =
        std::make_unique<Npu>(("npu_" + std::to_string(n)).c_str(), params, wafer_->classes,
                              NpuPools{{wafer_->packets, wafer_->messages}, scratch_}, wafer_->scheduler);
    npus_[n]->set_partition(fabric.partition_of(params.npu));
    fabric.attach(params.npu, npus_[n]->to_fabric, npus_[n]->from_fabric);
    if (FlowControl* const flows = fabric.flow_control()) npus_[n]->set_flow_control(*flows);
    const std::string number = std::to_string(n);
    if (memories) {
      memories(params.npu, through_checker(npus_[n]->memory.socket, wafer_->checkers(), "memory_" + number));
      continue;
    }
    const bool is_whole = spec.wafer.fabric.defects.hbm_percent(params.npu) == 100;
    memories_[n] =
        std::make_unique<Hbm>(memory_instance(params.npu).c_str(),
                              is_whole ? whole_hbm : hbm_params(spec, params.npu), wafer_->scheduler);
    bind_checked(npus_[n]->memory.socket, memories_[n]->socket, wafer_->checkers(), "memory_" + number);
  }
  memory_rtl_ = std::make_unique<MemoryViews>(wafer_->spec().npu.hbm, memories_);
  if (spec.remote_memory) {
    remote_ = std::make_unique<RemotePool>(*spec.remote_memory, wafer_->npus(), spec.run.seed, scratch_,
                                           wafer_->scheduler, wafer_->checkers(), pool);
    for (std::uint32_t n = 0; n < wafer_->npus(); ++n) remote_->attach(*npus_[n]->remote, n);
  }
  const std::uint32_t controllers = fabric.io_controllers();
  io_.resize(controllers);
  for (std::uint32_t i = 0; i < controllers; ++i) {
    const std::uint32_t k = reverse ? controllers - 1 - i : i;
    IoControllerParams params;
    params.id = traits_.topology->io_controller(k);
    params.injector.format = fabric.format();
    params.injector.link = fabric.io_link();
    params.injector.order = spec.npu.injection.order;
    params.injector.striped = fabric.striped();
    params.endpoint.step_cost_ps = spec.npu.endpoint.step_cost_ps;
    params.endpoint.receive_cost_ps = spec.npu.endpoint.receive_cost_ps;
    params.endpoint.reliability = reliability;
    params.injector.answers = reliability.has_value();
    params.ejection_credit_delay_ps = fabric.credit_delay_ps();
    params.steady = steady_.get();
    params.episodes = episodes_.get();
    io_[k] = std::make_unique<IoController>(("io_" + std::to_string(k)).c_str(), params, wafer_->classes,
                                            wafer_->packets, wafer_->messages, wafer_->scheduler);
    if (FlowControl* const flows = fabric.flow_control()) io_[k]->set_flow_control(*flows);
    io_[k]->set_partition(fabric.partition_of(params.id));
    fabric.attach(params.id, io_[k]->to_fabric, io_[k]->from_fabric);
  }
  if (spec.run.fault) {
    fault_ = std::make_unique<Fault>(*spec.run.fault);
    npu(fault_->params().from).set_fault(*fault_);
  }
  if (!spec.run.faults.empty()) faults_ = std::make_unique<RunFaults>(spec, fabric, wafer_->scheduler);
}

Machine::~Machine() = default;

const SteadyCounts* Machine::skipped() const { return steady_ ? &steady_->counts() : nullptr; }

bool Machine::plays_episodes() const { return episodes_ && episodes_->off_because().empty(); }

void Machine::list_state(StateVisitor& state) {
  // The endpoints of a fabric of whole messages have nothing to do.
  if (!wafer_->fabric().messages())
    for (const auto& npu : npus_)
      if (npu) npu->list_state(state);
  for (const auto& controller : io_) controller->list_state(state);
  wafer_->fabric().list_state(state);  // its counts may become more, at the end
}

void Machine::settle() {
  if (episodes_) episodes_->settle();
}

void Machine::allow_lookahead_windows() {
  if (episodes_) episodes_->switch_off("windows of time go partition by partition");
  if (faults_) return;                                          // one comes before all else of its time
  if (wafer_->checkers()) return;                               // they follow each link in the order of time
  if (!wafer_->rtl().empty() || !memory_rtl_->empty()) return;  // the edges of a clock know no region
  if (steady_) steady_->looking_forgoes_windows();
  wafer_->scheduler.allow_lookahead_windows([this]() -> TimePs {
    // What repeats is seen between two instants of the whole wafer.
    return steady_ && steady_->is_looking() ? 0 : wafer_->fabric().lookahead_ps();
  });
}

const Endpoint& Machine::endpoint(NpuId id) const {
  const std::size_t n = index_of(id);
  return n < wafer_->npus() ? npu(id).endpoint() : io_[n - wafer_->npus()]->endpoint();
}

void Machine::allow_sampling() {
  const config::RunSpec& run = wafer_->spec().run;
  if (run.acceleration == config::Acceleration::sampled && not_accelerated_.empty())
    sampling_ = std::make_unique<Sampling>(wafer_->npus(), wafer_->endpoints(), run.seed);
}

void Machine::attach(OperationPort& port, NpuId endpoint) {
  const std::size_t n = index_of(endpoint);
  OperationTargetSocket& socket =
      n < wafer_->npus() ? npu(endpoint).operations : io_[n - wafer_->npus()]->operations;
  if (places_.logs) return attach_to_log(port, endpoint);
  if (sampling_) {
    SampledSocket& sampled = *sampled_.emplace_back(std::make_unique<SampledSocket>(
        ("sampled_" + std::to_string(n)).c_str(), endpoint, *sampling_, wafer_->scheduler));
    port.socket.bind(sampled.target_side);
    sampled.initiator_side.bind(socket);
    return;
  }
  bind_checked(port.socket, socket, wafer_->checkers(), "operations_" + std::to_string(n));
}

/// What an endpoint that is simulated does is written down; what one that is not has done is played.
void Machine::attach_to_log(OperationPort& port, NpuId endpoint) {
  const std::string number = std::to_string(index_of(endpoint));
  if (!has(endpoint)) {
    PlayedSocket& played = *played_.emplace_back(std::make_unique<PlayedSocket>(
        ("played_" + number).c_str(), endpoint, places_.logs->of(endpoint), wafer_->scheduler));
    return port.socket.bind(played.socket);
  }
  RecordedSocket& recorded = *recorded_.emplace_back(
      std::make_unique<RecordedSocket>(("recorded_" + number).c_str(), places_.logs->of(endpoint)));
  port.socket.bind(recorded.target_side);
  bind_checked(recorded.initiator_side, npu(endpoint).operations, wafer_->checkers(), "operations_" + number);
}

std::optional<ReliabilityTotals> Machine::reliability() const {
  std::optional<ReliabilityTotals> totals;
  for (std::uint32_t n = 0; n < wafer_->endpoints(); ++n) {
    const auto id = static_cast<NpuId>(n);
    const ReliabilityCounters* const of = has(id) ? endpoint(id).reliability() : nullptr;
    if (!of) continue;
    if (!totals) totals.emplace();
    totals->endpoints += *of;
  }
  if (!totals) return totals;
  totals->switches = wafer_->fabric().flow_repairs();
  totals->spoiled_packets = totals->endpoints.spoiled_packets + wafer_->fabric().spoiled_packets();
  return totals;
}

std::uint64_t Machine::injected_packets() const {
  std::uint64_t packets = 0;
  for (std::uint32_t n = 0; n < wafer_->endpoints(); ++n)
    if (const auto id = static_cast<NpuId>(n); has(id))
      packets += endpoint(id).injection_port().counters(PortId{0}).packets;
  return packets;
}

std::uint64_t Machine::early_bytes_high_water() const {
  std::uint64_t most = 0;
  for (const auto& npu : npus_)
    if (npu) most = std::max(most, npu->early_bytes_high_water());
  for (const auto& controller : io_) most = std::max(most, controller->early_bytes_high_water());
  return most;
}

void Machine::observe_links(LinkObserver& observer) {
  if (!observer.takes_repeats() && not_accelerated_.empty()) {
    not_accelerated_ = "waveforms or timelines of links show every packet";
    if (episodes_) episodes_->switch_off(not_accelerated_);
  }
  Fabric& fabric = wafer_->fabric();
  fabric.observe(observer);
  for (std::size_t n = 0; n < npus_.size(); ++n)
    if (npus_[n]) npus_[n]->observe(observer, fabric.switches() + n);
  for (std::size_t k = 0; k < io_.size(); ++k)
    io_[k]->observe(observer, fabric.switches() + npus_.size() + k);
}

void Machine::observe_episodes(EpisodeObserver& observer) {
  if (episodes_) episodes_->observe(observer);
}

void Machine::observe_memories(MemoryObserver& observer) {
  for (std::size_t n = 0; n < memories_.size(); ++n)
    if (memories_[n]) memories_[n]->observe(observer, n);
}

std::vector<std::string> Machine::pending() const {
  std::vector<std::string> lines;
  if (places_.logs) lines = places_.logs->pending;
  if (faults_) lines = faults_->pending();
  if (fault_) lines.push_back(fault_->report());
  // What caused the rest comes first.
  wafer_->messages.for_each_in_use([&](const Message& message) {
    if (!has(message.destination)) return;  // it is on its way to another process
    if (!message.contributes && message.injected_packets != 0 && message.injected_bytes == message.bytes &&
        message.arrived_bytes < message.bytes)
      lines.push_back(endpoint(message.destination).missing(message));
  });
  for (std::string& line : wafer_->fabric().pending_flows()) lines.push_back(std::move(line));
  for (const auto& npu : npus_)
    if (npu)
      for (std::string& line : npu->pending()) lines.push_back(std::move(line));
  for (const auto& controller : io_)
    for (std::string& line : controller->pending()) lines.push_back(std::move(line));
  return lines;
}

void Machine::require_rest() {
  const auto check = [](const char* name, const SwitchCore& port) {
    if (port.queued() != 0 || port.outstanding_credits() != 0)
      throw std::logic_error("the injection port of " + std::string(name) +
                             " is not at rest after the run: " + std::to_string(port.queued()) +
                             " packets wait, " + std::to_string(port.outstanding_credits()) +
                             " B of credits are not home");
  };
  for (const auto& npu : npus_)
    if (npu) check(npu->name(), npu->endpoint().injection_port());
  for (const auto& controller : io_) check(controller->name(), controller->endpoint().injection_port());
  wafer_->require_rest();
}

}  // namespace wafertlm
