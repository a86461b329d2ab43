// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm_parts.h"

namespace wafertlm {

/// What messages put on the links of a fabric and on the ports of its endpoints: here predictions count what
/// passes both. Bytes are those on the wire.
class FabricLoads {
 public:
  explicit FabricLoads(const FabricTraits& fabric);

  void add(NpuId from, NpuId to, std::uint64_t wire_bytes);
  /// From every member of the group to every other.
  void add_all_pairs(const Group& group, std::uint64_t wire_bytes);
  /// An in-network flow: once through each contributor's and receiver's port and each link between them.
  void add_flow(const Group& contributors, const Group& receivers, std::uint64_t wire_bytes);

  /// No sooner than this has the busiest NPU sent and received all: bytes over the rate of its port.
  TimePs ports_ps() const;
  /// The same of ports and links, with the head's latency of a link.
  TimePs busiest_ps() const { return std::max(links_->busiest_ps(), ports_ps()); }

 private:
  const Topology& topology_;
  std::unique_ptr<LinkLoads> links_;
  std::vector<std::uint64_t> out_, in_;  // by endpoint
};

/// The rate of a port that lets not all of a rank's links be full at once; else 0: it holds up nothing.
inline std::uint64_t limiting_port(std::uint64_t port_bytes_per_s, std::uint64_t links_bytes_per_s) {
  return port_bytes_per_s < links_bytes_per_s ? port_bytes_per_s : 0;
}
/// The same by rank.
struct LimitingPorts {
  std::vector<std::uint64_t> out, in;  ///< bytes per second
  bool any() const {
    const auto limits = [](std::uint64_t rate) { return rate != 0; };
    return std::any_of(out.begin(), out.end(), limits) || std::any_of(in.begin(), in.end(), limits);
  }
};
/// `links`: from, to (ranks), bytes_per_s; `out`, `in`: rates of the ports.
template <class Link>
LimitingPorts limiting_ports(const std::vector<Link>& links, const std::vector<std::uint64_t>& out,
                             const std::vector<std::uint64_t>& in) {
  LimitingPorts sums{std::vector<std::uint64_t>(out.size()), std::vector<std::uint64_t>(in.size())};
  for (const Link& link : links) {
    sums.out[link.from] += link.bytes_per_s;
    sums.in[link.to] += link.bytes_per_s;
  }
  std::transform(out.begin(), out.end(), sums.out.begin(), sums.out.begin(), limiting_port);
  std::transform(in.begin(), in.end(), sums.in.begin(), sums.in.begin(), limiting_port);
  return sums;
}
/// What a message takes in it.
inline TimePs port_ps(const FabricTraits& fabric, std::uint64_t bytes, std::uint64_t limiting_bytes_per_s) {
  return limiting_bytes_per_s == 0 ? 0 : message_ps(fabric, bytes, limiting_bytes_per_s);
}

/// A port of an NPU in the order of time: what is under way at once shares it, so that each message ends when
/// its link and the port have carried all that began before its end.
class SharedPort {
 public:
  /// The end of a message that begins at `start`, not before the last one did, and takes so long on its link
  /// and in the port.
  TimePs carry(TimePs start, TimePs link_ps, TimePs port_ps) {
    free_ = std::max(free_, start) + port_ps;
    return std::max(start + link_ps, free_);
  }

 private:
  TimePs free_ = 0;
};

}  // namespace wafertlm
