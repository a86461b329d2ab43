// SPDX-License-Identifier: Apache-2.0
#include "models/dimensional/dimensional_fabric.h"

#include <stdexcept>

#include "models/dimensional/dimensional_messages.h"
#include "models/dimensional/dimensional_switches.h"

namespace wafertlm {
namespace {

/// Where the link that leaves through `port` comes in.
DimensionPort other_end(const DimensionPort& port, std::uint32_t own_coordinate) {
  using To = DimensionPort::To;
  const To to = port.to == To::next ? To::previous : port.to == To::previous ? To::next : port.to;
  return {port.dimension, to, own_coordinate};
}

PortId number_of(const DimensionPort& port, const std::vector<DimensionPort>& ports) {
  for (std::uint32_t n = 0; n < ports.size(); ++n)
    if (ports[n].dimension == port.dimension && ports[n].to == port.to &&
        (port.to != DimensionPort::To::peer || ports[n].coordinate == port.coordinate))
      return static_cast<PortId>(n);
  throw std::logic_error("a link of dimension " + std::to_string(port.dimension) + " has no other end");
}

}  // namespace

DimensionalFabric::DimensionalFabric(const sc_core::sc_module_name& name, const DimensionalParams& params,
                                     TimePs least_latency_ps)
    : Fabric(name), params_(params) {
  check_params(least_latency_ps);
  const Dimensions& dimensions = params_.dimensions;
  switch_count_ = npus();
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    first_switch_.push_back(switch_count_);
    if (is_switched(d)) switch_count_ += npus() / dimensions[d].size;
    switch_routing_.emplace_back(dimensions, d);
  }
  for (std::uint32_t n = 0; n < npus(); ++n) node_routing_.emplace_back(dimensions, static_cast<NpuId>(n));
}

void DimensionalFabric::check_params(TimePs least_latency_ps) const {
  const Dimensions& dimensions = params_.dimensions;
  check_buffer(params_.format, params_.buffer_bytes);
  if (params_.format.by_flit) throw std::invalid_argument("dimensions do not go with wormhole switching");
  for (std::size_t d = 0; d < dimensions.count(); ++d)
    if (dimensions[d].size > 1 &&
        (dimensions[d].bytes_per_s == 0 || dimensions[d].latency_ps < least_latency_ps))
      throw std::invalid_argument("dimension " + std::to_string(d) +
                                  " needs a bandwidth and a latency of 1 ps or more");
  for (const OtherLink& other : params_.other_links)
    if (index_of(other.npu) >= npus() || other.dimension >= dimensions.count() || other.bytes_per_s == 0 ||
        other.latency_ps == 0)
      throw std::invalid_argument("links of NPU " + std::to_string(index_of(other.npu)) + " in dimension " +
                                  std::to_string(other.dimension) +
                                  ": there is no such NPU or dimension, or a bandwidth or latency is 0");
}

OutputParams DimensionalFabric::link(NpuId npu, std::size_t dimension) const {
  std::uint64_t bytes_per_s = params_.dimensions[dimension].bytes_per_s;
  TimePs latency_ps = params_.dimensions[dimension].latency_ps;
  for (const OtherLink& other : params_.other_links)
    if (other.npu == npu && other.dimension == dimension) {
      bytes_per_s = other.bytes_per_s;
      latency_ps = other.latency_ps;
    }
  const std::uint64_t buffer =
      params_.buffer_bytes != 0
          ? params_.buffer_bytes
          : auto_buffer_bytes(bytes_per_s, latency_ps + params_.credit_delay_ps, params_.format, 3);
  return {bytes_per_s, latency_ps, buffer};
}

/// Between an NPU and its node there is no wire: the fastest line there can be, to a node that always
/// accepts.
OutputParams DimensionalFabric::injection_link() const {
  constexpr std::uint64_t kNoWire = (std::uint64_t{1} << 53) - 1;
  return {kNoWire, 0, std::uint64_t{1} << 60};
}

std::size_t DimensionalFabric::switched_dimension(std::size_t number) const {
  std::size_t d = 0;
  for (std::size_t next = 1; next < params_.dimensions.count(); ++next)
    if (is_switched(next) && first_switch_[next] <= number) d = next;
  return d;
}

std::uint64_t DimensionalFabric::flow_rate(std::size_t from, PortId output) const {
  const Dimensions& dimensions = params_.dimensions;
  const std::size_t d =
      from < npus()
          ? ports_of(static_cast<NpuId>(from), dimensions)[static_cast<std::size_t>(output)].dimension
          : switched_dimension(from);
  return is_switched(d) ? dimensions[d].flow_bytes_per_s : 0;
}

std::size_t DimensionalFabric::switch_number(NpuId npu, std::size_t d) const {
  const std::size_t n = index_of(npu), stride = params_.dimensions.stride(d);
  return first_switch_[d] + n / (stride * params_.dimensions[d].size) * stride + n % stride;
}

void DimensionalFabric::for_each_link(
    const std::function<void(const std::string&, std::size_t, PortId, std::size_t, PortId,
                             const OutputParams&)>& visit) const {
  const Dimensions& dimensions = params_.dimensions;
  std::vector<std::vector<DimensionPort>> ports_at;
  for (std::uint32_t n = 0; n < npus(); ++n) ports_at.push_back(ports_of(static_cast<NpuId>(n), dimensions));
  for (std::uint32_t n = 0; n < npus(); ++n) {
    const auto here = static_cast<NpuId>(n);
    const std::vector<DimensionPort>& ports = ports_at[n];
    for (std::uint32_t p = 0; p < ports.size(); ++p) {
      const std::size_t d = ports[p].dimension;
      const auto port = static_cast<PortId>(p);
      const OutputParams params = link(here, d);
      if (ports[p].to == DimensionPort::To::to_switch) {
        const std::size_t number = switch_number(here, d);
        const std::string name = "switch" + std::to_string(number - npus());
        const auto at = static_cast<PortId>(ports[p].coordinate);
        visit(switch_of(here) + "->" + name, n, port, number, at, params);
        visit(name + "->" + switch_of(here), number, at, n, port, params);
        continue;
      }
      const NpuId there = dimensions.at(here, d, ports[p].coordinate);
      const PortId input =
          number_of(other_end(ports[p], dimensions.coordinate(here, d)), ports_at[index_of(there)]);
      visit(switch_of(here) + "->" + switch_of(there) + "." + name_of(ports[p]), n, port, index_of(there),
            input, params);
    }
  }
}

std::unique_ptr<Fabric> make_dimensional_fabric(const sc_core::sc_module_name& name,
                                                const DimensionalParams& params, const ClassTable& classes,
                                                Scheduler& scheduler, CheckerSet* checkers, bool reverse) {
  if (params.messages) return std::make_unique<DimensionalMessages>(name, params, classes, scheduler);
  return std::make_unique<DimensionalSwitches>(name, params, classes, scheduler, checkers, reverse);
}

}  // namespace wafertlm
