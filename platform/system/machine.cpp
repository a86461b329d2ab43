// SPDX-License-Identifier: Apache-2.0
#include "platform/system/machine.h"

#include <algorithm>
#include <cmath>

#include "tlm/memory/checker.h"
#include "tlm/operation/checker.h"

namespace wafertlm {

FabricTraits fabric_traits(const MeshParams& mesh) {
  FabricTraits traits;
  traits.width = mesh.width;
  traits.height = mesh.height;
  traits.link_bytes_per_s = mesh.link_bytes_per_s;
  traits.injection_bytes_per_s = mesh.injection_bytes_per_s;
  traits.ejection_bytes_per_s = mesh.ejection_bytes_per_s;
  traits.ends_latency_ps = mesh.injection_latency_ps + mesh.router_pipeline_ps + mesh.ejection_latency_ps;
  traits.hop_latency_ps = mesh.link_latency_ps + mesh.router_pipeline_ps;
  traits.format = mesh.format;
  return traits;
}

namespace {

ComputeParams compute_params(const config::PlatformSpec& spec, std::uint32_t npu) {
  const config::ComputeSpec& compute = spec.npu.compute;
  const config::RateSpec& rate = compute.rate();
  ComputeParams params;
  params.operations_per_s = static_cast<std::uint64_t>(std::llround(
      rate.peak_operations_per_s.value_or(spec.npu.peak_operations_per_s) * rate.efficiency_percent / 100));
  params.memory_bytes_per_s =
      std::min(spec.npu.hbm.read_bandwidth_bytes_per_s, spec.npu.hbm.write_bandwidth_bytes_per_s);
  params.roofline = compute.durations == config::DurationSource::roofline;
  for (const config::StragglerSpec& straggler : compute.stragglers)
    if (index_of(straggler.npu) == npu) params.slowdown_percent = straggler.slowdown_percent;
  params.jitter = static_cast<Jitter>(compute.jitter);
  params.jitter_percent = compute.jitter_percent;
  params.seed = (spec.run.seed + 1) * 0x9E3779B97F4A7C15ULL ^ npu * 0xBF58476D1CE4E5B9ULL;
  return params;
}

}  // namespace

Machine::Machine(const config::PlatformSpec& spec, bool reverse)
    : wafer_(spec, reverse), traits_(fabric_traits(wafer_.mesh.params())) {
  const config::HbmSpec& memory = spec.npu.hbm;
  HbmParams hbm;
  hbm.timing = {memory.read_bandwidth_bytes_per_s, memory.write_bandwidth_bytes_per_s, memory.latency_ps};
  hbm.capacity_bytes = memory.capacity_bytes;
  npus_.resize(wafer_.npus());
  memories_.resize(wafer_.npus());
  for (std::uint32_t k = 0; k < wafer_.npus(); ++k) {
    const std::uint32_t n = reverse ? wafer_.npus() - 1 - k : k;
    NpuParams params;
    params.npu = static_cast<NpuId>(n);
    params.injector.format = wafer_.mesh.params().format;
    params.injector.link = wafer_.mesh.injection_link();
    params.injector.dma_bytes_per_s =
        std::min(wafer_.mesh.params().link_bytes_per_s, wafer_.mesh.params().injection_bytes_per_s);
    params.memory.request_bytes = static_cast<std::uint32_t>(memory.request_bytes);
    params.compute = compute_params(spec, n);
    params.ejection_credit_delay_ps = wafer_.mesh.params().credit_delay_ps;
    npus_[n] = std::make_unique<Npu>(("npu_" + std::to_string(n)).c_str(), params, wafer_.classes,
                                     NpuPools{wafer_.packets, wafer_.messages, scratch_}, wafer_.scheduler);
    memories_[n] = std::make_unique<Hbm>(("hbm_" + std::to_string(n)).c_str(), hbm, wafer_.scheduler);
    wafer_.mesh.attach(params.npu, npus_[n]->to_fabric, npus_[n]->from_fabric);
    bind_checked(npus_[n]->memory.socket, memories_[n]->socket, wafer_.checkers(),
                 "memory_" + std::to_string(n));
  }
}

void Machine::attach(OperationPort& port, NpuId npu) {
  bind_checked(port.socket, npus_[index_of(npu)]->operations, wafer_.checkers(),
               "operations_" + std::to_string(index_of(npu)));
}

std::vector<std::string> Machine::pending() const {
  std::vector<std::string> lines;
  for (const auto& npu : npus_)
    for (std::string& line : npu->pending()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace wafertlm
