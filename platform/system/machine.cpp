// SPDX-License-Identifier: Apache-2.0
#include "platform/system/machine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "platform/config/hbm_type.h"
#include "platform/fabrics/registry.h"
#include "platform/system/reliability.h"
#include "platform/system/remote_pool.h"
#include "tlm/memory/checker.h"
#include "tlm/operation/checker.h"
#include "tlm/socket_choice.h"

namespace wafertlm {

namespace {

/// The pins', if there is a generation.
std::uint64_t memory_bytes_per_s(const config::HbmSpec& hbm, bool write) {
  if (hbm.generation != config::HbmGeneration::none)
    return hbm.stacks * dram_timing(hbm.generation_name()).stack_bytes_per_s();
  return write ? hbm.write_bandwidth_bytes_per_s : hbm.read_bandwidth_bytes_per_s;
}

HbmParams hbm_params(const config::HbmSpec& spec) {
  HbmParams params;
  params.timing = {spec.read_bandwidth_bytes_per_s, spec.write_bandwidth_bytes_per_s, spec.latency_ps};
  params.capacity_bytes = spec.capacity_bytes;
  params.queue_requests = spec.queue_requests;
  if (spec.generation == config::HbmGeneration::none) return params;
  const DramParams dram = config::dram_params(spec);
  if (spec.level != config::HbmLevel::flow)
    params.dram = dram;
  else
    params.flow = flow_memory_params(config::efficiency_table(*spec.efficiency), dram.timing, spec.stacks);
  return params;
}

HierarchyOptions hierarchy_options(const config::PlatformSpec& spec) {
  const config::ByDimensionSpec& by = spec.collectives.by_dimension;
  HierarchyOptions options;
  options.order = by.order;
  options.within = by.within;
  options.active_chunks = static_cast<std::uint32_t>(by.active_chunks.value_or(0));
  options.all_reduce = by.all_reduce;
  options.all_gather = by.all_gather;
  options.reduce_scatter = by.reduce_scatter;
  options.all_to_all = by.all_to_all;
  options.direct_window = by.direct_window;
  options.stage_cost_ps = spec.npu.endpoint.stage_cost_ps;
  return options;
}

}  // namespace

FabricTraits platform_traits(const config::PlatformSpec& spec) {
  FabricTraits traits = fabric_kind(spec.wafer).traits(spec.wafer);
  traits.step_cost_ps = spec.npu.endpoint.step_cost_ps;
  traits.receive_cost_ps = spec.npu.endpoint.receive_cost_ps;
  traits.reduction_bytes_per_s = spec.npu.endpoint.reduction_bytes_per_s.value_or(0);
  traits.hierarchy = hierarchy_options(spec);
  const config::HbmSpec& hbm = spec.npu.hbm;
  if (spec.npu.endpoint.memory == config::EndpointMemory::hbm)
    traits.memory = {memory_bytes_per_s(hbm, false), memory_bytes_per_s(hbm, true), hbm.latency_ps,
                     hbm.request_bytes};
  return traits;
}

namespace {

EndpointParams endpoint_params(const config::NpuSpec& npu, const MemoryRequesterParams& memory) {
  EndpointParams params;
  params.step_cost_ps = npu.endpoint.step_cost_ps;
  params.receive_cost_ps = npu.endpoint.receive_cost_ps;
  params.reduction_bytes_per_s = npu.endpoint.reduction_bytes_per_s.value_or(0);
  if (npu.endpoint.memory == config::EndpointMemory::hbm)
    params.memory = {memory.request_bytes, std::uint64_t{memory.request_bytes} * memory.outstanding};
  return params;
}

FaultParams fault_params(const config::FaultSpec& fault) {
  return {fault.kind == config::FaultKind::drop_packet ? FaultParams::Kind::drop_packet
                                                       : FaultParams::Kind::flip_bit,
          fault.from, fault.to, fault.packet, fault.bit.value_or(0)};
}

}  // namespace

ComputeParams compute_params(const config::PlatformSpec& spec, std::uint32_t npu) {
  const config::ComputeSpec& compute = spec.npu.compute;
  const config::RateSpec& rate = compute.rate();
  ComputeParams params;
  params.operations_per_s = static_cast<std::uint64_t>(std::llround(
      rate.peak_operations_per_s.value_or(spec.npu.peak_operations_per_s) * rate.efficiency_percent / 100));
  params.memory_bytes_per_s =
      std::min(memory_bytes_per_s(spec.npu.hbm, false), memory_bytes_per_s(spec.npu.hbm, true));
  params.ignores_durations = compute.ignores_durations();
  if (const auto& array = compute.systolic)
    params.systolic = {{array->rows, array->columns, static_cast<Dataflow>(array->dataflow)},
                       array->clock_hz};
  for (const config::StragglerSpec& straggler : compute.stragglers)
    if (index_of(straggler.npu) == npu) params.slowdown_percent = straggler.slowdown_percent;
  params.jitter = static_cast<Jitter>(compute.jitter);
  params.jitter_percent = compute.jitter_percent;
  params.seed = (spec.run.seed + 1) * 0x9E3779B97F4A7C15ULL ^ npu * 0xBF58476D1CE4E5B9ULL;
  return params;
}

Machine::Machine(const config::PlatformSpec& spec, bool reverse, const BindMemory& memories,
                 const BindPool& pool)
    : wafer_(spec, reverse, true), traits_(platform_traits(spec)) {
  Fabric& fabric = wafer_.fabric();
  const config::HbmSpec& memory = spec.npu.hbm;
  const HbmParams hbm = hbm_params(memory);
  const std::optional<ReliabilityParams> reliability = reliability_params(spec);
  if (reliability && reliability->errors.rate > 0) fabric.add_errors(reliability->errors);
  npus_.resize(wafer_.npus());
  if (!memories) memories_.resize(wafer_.npus());
  for (std::uint32_t k = 0; k < wafer_.npus(); ++k) {
    const std::uint32_t n = reverse ? wafer_.npus() - 1 - k : k;
    NpuParams params;
    params.npu = static_cast<NpuId>(n);
    params.injector.format = fabric.format();
    params.injector.link = fabric.npu_link(params.npu);
    params.injector.dma_bytes_per_s = fabric.message_bytes_per_s_of(params.npu);
    params.injector.exits = fabric.exits(params.npu);
    params.injector.striped = fabric.striped();
    params.injector.port_routes = fabric.port_routes(params.npu);
    params.injector.ports = fabric.ports(params.npu);
    params.memory = {static_cast<std::uint32_t>(memory.request_bytes), memory.outstanding};
    if (spec.remote_memory) {
      params.remote = remote_requests(*spec.remote_memory);
      params.remote_is_free = spec.remote_memory->local == config::LocalMemory::free;
    }
    params.endpoint = endpoint_params(spec.npu, params.memory);
    params.endpoint.reliability = reliability;
    params.injector.answers = reliability.has_value();
    params.compute = compute_params(spec, n);
    if (spec.npu.compute.operands == config::OperandSource::hbm) {
      OperandParams& operands = params.operands.emplace();
      operands.tile_bytes = spec.npu.compute.tile_bytes;
      operands.span_bytes = memory.capacity_bytes;
      operands.random = spec.npu.compute.operand_order == config::OperandOrder::random;
      operands.seed = params.compute.seed;
      operands.element_bytes = spec.npu.compute.element_bytes();
    }
    params.messages = fabric.messages();
    params.ejection_credit_delay_ps = fabric.credit_delay_ps();
    npus_[n] = std::make_unique<Npu>(("npu_" + std::to_string(n)).c_str(), params, wafer_.classes,
                                     NpuPools{wafer_.packets, wafer_.messages, scratch_}, wafer_.scheduler);
    npus_[n]->set_region(fabric.region_of(params.npu));
    fabric.attach(params.npu, npus_[n]->to_fabric, npus_[n]->from_fabric);
    if (FlowControl* const flows = fabric.flow_control()) npus_[n]->set_flow_control(*flows);
    const std::string number = std::to_string(n);
    if (memories) {
      memories(params.npu, through_checker(npus_[n]->memory.socket, wafer_.checkers(), "memory_" + number));
      continue;
    }
    memories_[n] = std::make_unique<Hbm>(("hbm_" + number).c_str(), hbm, wafer_.scheduler);
    bind_checked(npus_[n]->memory.socket, memories_[n]->socket, wafer_.checkers(), "memory_" + number);
  }
  if (spec.remote_memory) {
    remote_ = std::make_unique<RemotePool>(*spec.remote_memory, wafer_.npus(), spec.run.seed, scratch_,
                                           wafer_.scheduler, wafer_.checkers(), pool);
    for (std::uint32_t n = 0; n < wafer_.npus(); ++n) remote_->attach(*npus_[n]->remote, n);
  }
  const std::uint32_t controllers = fabric.io_controllers();
  io_.resize(controllers);
  for (std::uint32_t i = 0; i < controllers; ++i) {
    const std::uint32_t k = reverse ? controllers - 1 - i : i;
    IoControllerParams params;
    params.id = traits_.topology->io_controller(k);
    params.injector.format = fabric.format();
    params.injector.link = fabric.io_link();
    params.injector.striped = fabric.striped();
    params.endpoint.step_cost_ps = spec.npu.endpoint.step_cost_ps;
    params.endpoint.receive_cost_ps = spec.npu.endpoint.receive_cost_ps;
    params.endpoint.reliability = reliability;
    params.injector.answers = reliability.has_value();
    params.ejection_credit_delay_ps = fabric.credit_delay_ps();
    io_[k] = std::make_unique<IoController>(("io_" + std::to_string(k)).c_str(), params, wafer_.classes,
                                            wafer_.packets, wafer_.messages, wafer_.scheduler);
    if (FlowControl* const flows = fabric.flow_control()) io_[k]->set_flow_control(*flows);
    io_[k]->set_region(fabric.region_of(params.id));
    fabric.attach(params.id, io_[k]->to_fabric, io_[k]->from_fabric);
  }
  if (spec.run.fault) {
    fault_.emplace(fault_params(*spec.run.fault));
    npu(fault_->params().from).set_fault(*fault_);
  }
}

Machine::~Machine() = default;

void Machine::allow_windows() {
  if (wafer_.checkers()) return;      // they follow each link in the order of time
  if (!wafer_.rtl().empty()) return;  // the edges of a clock know no region
  wafer_.scheduler.allow_windows([this] { return wafer_.fabric().lookahead_ps(); });
}

const Endpoint& Machine::endpoint(NpuId id) const {
  const std::size_t n = index_of(id);
  return n < npus_.size() ? npus_[n]->endpoint() : io_[n - npus_.size()]->endpoint();
}

void Machine::attach(OperationPort& port, NpuId endpoint) {
  const std::size_t n = index_of(endpoint);
  OperationTargetSocket& socket = n < npus_.size() ? npus_[n]->operations : io_[n - npus_.size()]->operations;
  bind_checked(port.socket, socket, wafer_.checkers(), "operations_" + std::to_string(n));
}

std::optional<ReliabilityTotals> Machine::reliability() const {
  std::optional<ReliabilityTotals> totals;
  for (std::uint32_t n = 0; n < wafer_.endpoints(); ++n) {
    const ReliabilityCounters* const of = endpoint(static_cast<NpuId>(n)).reliability();
    if (!of) continue;
    if (!totals) totals.emplace();
    totals->endpoints += *of;
  }
  if (!totals) return totals;
  totals->switches = wafer_.fabric().flow_repairs();
  totals->spoiled_packets = totals->endpoints.spoiled_packets + wafer_.fabric().spoiled_packets();
  return totals;
}

void Machine::observe_links(LinkObserver& observer) {
  Fabric& fabric = wafer_.fabric();
  fabric.observe(observer);
  for (std::size_t n = 0; n < npus_.size(); ++n) npus_[n]->observe(observer, fabric.switches() + n);
  for (std::size_t k = 0; k < io_.size(); ++k)
    io_[k]->observe(observer, fabric.switches() + npus_.size() + k);
}

void Machine::observe_memories(MemoryObserver& observer) {
  for (std::size_t n = 0; n < memories_.size(); ++n) memories_[n]->observe(observer, n);
}

std::vector<std::string> Machine::pending() const {
  std::vector<std::string> lines;
  if (fault_) lines.push_back(fault_->report());
  // What caused the rest comes first.
  wafer_.messages.for_each_in_use([&](const Message& message) {
    if (!message.contributes && message.injected_packets != 0 && message.injected_bytes == message.bytes &&
        message.arrived_bytes < message.bytes)
      lines.push_back(endpoint(message.destination).missing(message));
  });
  for (std::string& line : wafer_.fabric().pending_flows()) lines.push_back(std::move(line));
  for (const auto& npu : npus_)
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
  for (const auto& npu : npus_) check(npu->name(), npu->endpoint().injection_port());
  for (const auto& controller : io_) check(controller->name(), controller->endpoint().injection_port());
  wafer_.require_rest();
}

}  // namespace wafertlm
