// SPDX-License-Identifier: Apache-2.0
#include "tlm/fabric/fabric.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/packets/npu_name.h"

namespace wafertlm {

std::uint64_t auto_buffer_bytes(std::uint64_t bytes_per_s, TimePs round_trip_ps, const WireFormat& format,
                                std::uint64_t packets) {
  const auto in_flight =
      static_cast<std::uint64_t>((Uint128{bytes_per_s} * round_trip_ps + kPsPerSecond - 1) / kPsPerSecond);
  return in_flight + packets * format.full_wire_bytes();
}

namespace {

/// "NPU 0, NPU 1 and NPU 4 are not connected: …", each part cut after some names.
template <class Name>
std::string not_connected(const std::vector<std::vector<NpuId>>& parts, const Name& name) {
  constexpr std::size_t kMost = 6;
  std::string text = "no route:";
  for (std::size_t p = 0; p < std::min(parts.size(), kMost); ++p) {
    text += p == 0 ? " no links that work join " : p == 1 ? " to " : " and to ";
    for (std::size_t i = 0; i < std::min(parts[p].size(), kMost); ++i)
      text += (i == 0 ? "" : ", ") + name(parts[p][i]);
    if (parts[p].size() > kMost) text += " and " + std::to_string(parts[p].size() - kMost) + " more";
  }
  if (parts.size() > kMost) text += " and to " + std::to_string(parts.size() - kMost) + " more parts";
  return text + " (wafer.defects); leave all but one of these parts out";
}

}  // namespace

std::string Fabric::endpoint_name(NpuId endpoint) const {
  const std::size_t n = index_of(endpoint);
  return n < npus() ? npu_instance(endpoint) : "io" + std::to_string(n - npus());
}

void Fabric::require_routes(const std::vector<NpuId>& endpoints) const {
  if (!has_failures()) return;
  const auto name = [&](NpuId endpoint) {
    const std::size_t n = index_of(endpoint);
    return n < npus() ? npu_name(endpoint) : "I/O controller " + std::to_string(n - npus());
  };
  const auto refuse = [&](NpuId from, NpuId to, const std::string& why) {
    throw std::invalid_argument("no route from " + name(from) + " to " + name(to) + ": " + why +
                                " (wafer.defects); leave one of them out");
  };
  using Part = std::vector<NpuId>;
  std::vector<Part> parts;
  for (const NpuId each : endpoints) {
    if (const std::string why = route_failure(each, each); !why.empty())
      refuse(each, endpoints.front() == each ? endpoints.back() : endpoints.front(), why);
    const auto own = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
      return route_failure(part.front(), each).empty() && route_failure(each, part.front()).empty();
    });
    if (own == parts.end())
      parts.push_back({each});
    else
      own->push_back(each);
  }
  if (parts.size() > 1 && endpoints.size() > 2) throw std::invalid_argument(not_connected(parts, name));
  for (const NpuId from : endpoints)
    for (const NpuId to : endpoints)
      if (const std::string why = route_failure(from, to); !why.empty()) refuse(from, to, why);
}

void Fabric::avoid(const FabricLink& link, bool) {
  throw std::logic_error("nothing goes around link " + link.name);
}

void Fabric::check_buffer(const WireFormat& format, std::uint64_t buffer_bytes) {
  if (format.by_flit && format.flit_bytes <= format.header_bytes)
    throw std::invalid_argument("wormhole switching needs flits that are larger than a header");
  if (format.by_flit && buffer_bytes != 0 && buffer_bytes < format.flit_bytes)
    throw std::invalid_argument("an input buffer of " + std::to_string(buffer_bytes) +
                                " B does not hold a flit of " + std::to_string(format.flit_bytes) + " B");
  if (!format.by_flit && buffer_bytes != 0 && format.full_wire_bytes() > buffer_bytes / 2)
    throw std::invalid_argument("a packet of " + std::to_string(format.full_wire_bytes()) +
                                " B on the wire needs an input buffer of at least twice its size; it is " +
                                std::to_string(buffer_bytes) + " B");
}

void Fabric::observe(LinkObserver& observer) {
  for_each_switch([&](std::size_t n, SwitchModule& each) { each.observe(observer, n); });
}

void Fabric::add_errors(const BitErrors& errors) {
  constexpr std::uint64_t kMaxPorts = std::uint64_t{1} << 20;
  for_each_switch([&](std::size_t n, SwitchModule& each) { each.add_errors(errors, n * kMaxPorts); });
}

std::uint64_t Fabric::spoiled_packets() const {
  std::uint64_t packets = 0;
  for_each_switch([&](std::size_t, const SwitchModule& each) { packets += each.spoiled_packets(); });
  return packets;
}

FlowRepairCounters Fabric::flow_repairs() const {
  FlowRepairCounters sum;
  for_each_switch([&](std::size_t, const SwitchModule& each) {
    if (!each.flows()) return;
    const FlowRepairCounters& of = each.flows()->repairs();
    sum.discarded_packets += of.discarded_packets;
    sum.discarded_bytes += of.discarded_bytes;
    sum.answers += of.answers;
  });
  return sum;
}

void Fabric::list_state(StateVisitor& state) {
  for_each_switch([&](std::size_t, SwitchModule& each) {
    for (std::size_t output = 0; output < each.outputs(); ++output)
      each.list_state(static_cast<PortId>(output), state);
  });
}

std::uint64_t Fabric::packet_hops() const {
  std::uint64_t hops = 0;
  for (const FabricLink& link : links_) hops += counters(link).packets;
  return hops;
}

std::uint64_t Fabric::queued_packets() const {
  std::uint64_t packets = 0;
  for_each_switch([&](std::size_t, const SwitchModule& each) { packets += each.core().queued(); });
  return packets;
}

std::uint64_t Fabric::outstanding_credits() const {
  std::uint64_t bytes = 0;
  for_each_switch([&](std::size_t, const SwitchModule& each) { bytes += each.core().outstanding_credits(); });
  return bytes;
}

}  // namespace wafertlm
