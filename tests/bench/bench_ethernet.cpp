// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/bench_ethernet.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "models/ethernet/engine/ethernet_engine.h"
#include "models/ethernet/network/topologies.h"
#include "models/nic/congestion/presets.h"
#include "tests/bench/measure.h"

namespace wafertlm {
namespace {

struct LastDelivery final : ethernet::MessageListener {
  void on_delivered(std::uint64_t, TimePs now) override { last_ps = now; }
  TimePs last_ps = 0;
};

struct EthernetSpeed {
  double hops, seconds, last_us;
};

EthernetSpeed run_permutation(std::uint32_t switch_ports, std::uint64_t bytes, const char* scheme) {
  const std::uint64_t rate = 12'500'000'000;
  ethernet::EthernetParams params;
  params.format.mtu_bytes = 4086;
  params.format.overhead_bytes = 64;
  params.switches.balance = ethernet::LoadBalance::spray;
  params.switches.ecn = {34'000, 136'000, 1};
  params.nics.transport = {nic::Repair::selective_repeat, 1, 0};
  params.nics.scheme = nic::scheme_preset(scheme);
  const double start = cpu_seconds();
  LastDelivery listener;
  ethernet::EthernetEngine engine(ethernet::fat_tree(switch_ports, 1, {rate, rate, 1'000'000, 1'000'000}),
                                  params, listener);
  std::vector<std::uint32_t> to(engine.network().hosts());
  std::iota(to.begin(), to.end(), 0U);
  std::shuffle(to.begin(), to.end(), std::mt19937_64(1));
  for (std::uint32_t host = 0; host < to.size(); ++host)
    if (to[host] != host) engine.send(engine.open(host, to[host]), bytes, host, 0);
  engine.run();
  return {static_cast<double>(engine.packet_hops()), cpu_seconds() - start,
          static_cast<double>(listener.last_ps) / 1e6};
}

}  // namespace

void print_ethernet() {
  std::printf("\n%-40s %10s %10s %10s %12s %9s\n", "Ethernet, permutation of fat-tree hosts", "hops",
              "seconds", "M hops/s", "last, us", "MiB");
  struct Row {
    std::uint32_t ports;
    std::uint64_t bytes;
    const char* scheme;
  };
  for (const Row& row :
       {Row{8, 2'000'000, "none"}, Row{8, 2'000'000, "nscc_without_trimming"}, Row{16, 2'000'000, "none"},
        Row{16, 2'000'000, "nscc_without_trimming"}, Row{32, 100'000, "nscc_without_trimming"}}) {
    long peak_kib = 0;
    const auto speed =
        in_child<EthernetSpeed>([&] { return run_permutation(row.ports, row.bytes, row.scheme); }, &peak_kib);
    const std::uint32_t hosts = row.ports * row.ports * row.ports / 4;
    std::printf("%5u hosts, %7llu bytes, %-15.15s %11.0f %10.2f %10.2f %12.1f %9ld\n", hosts,
                static_cast<unsigned long long>(row.bytes), row.scheme, speed.hops, speed.seconds,
                speed.hops / speed.seconds / 1e6, speed.last_us, peak_kib / 1024);
  }
}

}  // namespace wafertlm
