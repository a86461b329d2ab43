// SPDX-License-Identifier: Apache-2.0
// The packet engine to the picosecond on idle paths, against ns-3's and htsim's results, and the cases of PFC
// whose result is exact (shared/reference/ethernet.md, sections 2 and 7).
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/models/ethernet/engine_run.h"

namespace wafertlm::ethernet {
namespace {

TEST(EthernetEngine, AMessageTakesItsBytesAndItsWay) {
  // One full packet and 1000 bytes over three switches, each line another speed.
  Network network;
  network.add_hosts(2);
  const auto a = network.add_switch("a"), b = network.add_switch("b");
  network.add_cable(0, a, 100 * kGigabit, 500'000);
  network.add_cable(a, b, 400 * kGigabit, 300'000);
  network.add_cable(b, 1, 50 * kGigabit, 200'000);
  network.find_routes();
  for (const bool cut_through : {false, true}) {
    EthernetParams params;
    params.switches.cut_through = cut_through;
    params.switches.pipeline_ps = 7'000;
    EngineRun run(network, params);
    const auto pair = run.flow(0, 1, 5096);
    run.engine.run();
    // 4194 bytes, then 1082: in front of the slow line.
    const TimePs fast = 335'520, middle = 83'880, slow_first = 671'040, slow_second = 173'120;
    const TimePs latency = 1'000'000 + 14'000;
    // Switch a stores what it passes on faster.
    const TimePs expected = latency + fast + (cut_through ? 0 : middle) + slow_first + slow_second;
    EXPECT_EQ(run.delivered[pair].back(), expected) << cut_through;
    // Its ACK, 86 bytes, starts when the second packet is there; switch b stores it.
    EXPECT_EQ(run.acknowledged[pair], expected + latency + 13'760 + (cut_through ? 0 : 1'720) + 6'880);
    EXPECT_EQ(run.engine.base_rtt_ps(pair),
              2 * latency +
                  (cut_through ? 334'240 + 668'480 + 13'760 + 6'880 : 334'240 + 83'560 + 668'480 + 22'360));
    EXPECT_EQ(run.engine.frames(), 0U);
    EXPECT_EQ(run.engine.packet_hops(), 12U);
  }
}

TEST(EthernetEngine, AMessageKeepsTheLineFull) {
  EthernetParams params;
  params.nics.transport.ack_every = 64;
  CableParams cables;
  cables.host_latency_ps = 0;
  EngineRun run(star(2, cables), params);
  const auto pair = run.flow(0, 1, std::uint64_t{1} << 26);
  run.engine.run();
  EXPECT_EQ(run.delivered[pair].back(),
            transfer_time_ps(params.format.write_wire_bytes(1 << 26) + 4194, 50'000'000'000));
}

/// Two senders at the line's rate into one: the n-th packet leaves n behind it, and the 2n-th finds as many.
/// So marks from a queue of n packets on are known n packets' time earlier at leaving than at joining.
TEST(EthernetEngine, MarksAtLeavingComeSooner) {
  constexpr std::uint32_t kPackets = 40;
  const auto first_cut = [](EcnPoint point) {
    EthernetParams params;
    params.switches.ecn_point = point;
    params.switches.ecn.kmin_bytes = params.switches.ecn.kmax_bytes = kPackets * 4178 - 1;
    nic::DcqcnParams dcqcn;
    dcqcn.cnp_interval_ps = 0;
    params.nics.scheme = dcqcn;
    EngineRun run(star(3, CableParams()), params);
    const auto pair = run.flow(0, 2, 4 << 20);
    run.flow(1, 2, 4 << 20);
    const auto is_cut = [&](std::uint32_t of) {
      const nic::CongestionControl& control = run.engine.control(of);
      return control.rate_bytes_per_s() < static_cast<double>(control.path().bytes_per_s);
    };
    while (!is_cut(pair) && !is_cut(pair + 1)) run.engine.run(run.engine.next_ps());
    return run.engine.now();
  };
  constexpr TimePs kPacket = 4178 * 20;  // at 400 Gb/s
  EXPECT_NEAR(static_cast<double>(first_cut(EcnPoint::joining) - first_cut(EcnPoint::leaving)),
              static_cast<double>(kPackets * kPacket), 2.0 * kPacket);
}

/// Two senders with a bandwidth-delay product each under way: one is on the cables, the other in the queue.
TEST(EthernetEngine, AWindowBoundsTheQueue) {
  const auto most_queued = [](WindowLimit window) {
    EthernetParams params = ns3_params();
    params.nics.window = window;
    EngineRun run(star(3, CableParams()), params);
    run.flow(0, 2, 4 << 20);
    run.flow(1, 2, 4 << 20);
    run.engine.run();
    std::uint64_t most = 0;
    for (std::uint32_t port = 0; port < run.engine.network().ports().size(); ++port)
      most = std::max(most, run.engine.counters(port).most_queued_bytes);
    return most;
  };
  const CableParams cables;
  // There and back over two cables, and a payload of 1000 bytes over each.
  const double bdp =
      static_cast<double>(cables.host_bytes_per_s) * static_cast<double>(4 * cables.host_latency_ps) / 1e12 +
      2 * 1000;
  EXPECT_NEAR(static_cast<double>(most_queued(WindowLimit::bdp)), bdp * 1.038, 0.1 * bdp);
  EXPECT_EQ(most_queued(WindowLimit::bdp_of_rate), most_queued(WindowLimit::bdp)) << "always the line's rate";
  EXPECT_GT(static_cast<double>(most_queued(WindowLimit::none)), 4 * bdp);
}

// Who looks at the next event may still send before it.
TEST(EthernetEngine, WhatIsSentBeforeTheNextEventComesFirst) {
  EngineRun alone(star(4, CableParams()), EthernetParams());
  alone.flow(2, 3, 1);
  alone.engine.run();
  const TimePs takes = alone.last_delivered();
  EngineRun run(star(4, CableParams()), EthernetParams());
  const std::uint32_t first = run.flow(0, 1, 1);
  run.engine.run(100'000);
  ASSERT_GT(run.engine.next_ps(), 300'000U);  // on the cable, 500 ns long
  const std::uint32_t second = run.flow(2, 3, 1, 200'000);
  EXPECT_LT(run.engine.next_ps(), 300'000U);
  run.engine.run();
  EXPECT_EQ(run.delivered[first], std::vector<TimePs>{takes});
  EXPECT_EQ(run.delivered[second], std::vector<TimePs>{200'000 + takes});
}

// Every picosecond of a pause has a root: of a star with a slow receiver, its output.
TEST(EthernetEngine, APauseHasARoot) {
  EthernetParams params;
  params.switches.buffer_bytes = 2'000'000;
  EngineRun run(star(4, CableParams()), params);
  for (std::uint32_t from = 0; from < 3; ++from) run.flow(from, 3, 4'000'000);
  run.engine.run();
  const Network& network = run.engine.network();
  const std::uint32_t root = network.port_between(network.switch_of(3), 3);
  TimePs sum = 0, paused = 0;
  for (const PauseCause& cause : run.engine.pause_causes()) {
    EXPECT_EQ(cause.root, root);
    sum += cause.paused_ps;
  }
  for (std::uint32_t port = 0; port < network.ports().size(); ++port)
    paused += run.engine.counters(port).paused_ps;
  EXPECT_GT(sum, 0U);
  EXPECT_EQ(sum, paused);
}

/// ns-3 rounds packets to nanoseconds and its ACKs take 8 ns: 170.091 and 1332.091 µs.
TEST(EthernetEngine, Ns3Star) {
  CableParams cables{100 * kGigabit, 100 * kGigabit, kMicrosecond, kMicrosecond};
  for (const auto& [senders, published] : {std::pair{1U, 170.091}, {8U, 1332.091}}) {
    EngineRun run(star(9, cables), ns3_params());
    for (std::uint32_t i = 1; i <= senders; ++i) run.flow(i, 0, 2'000'000);
    run.engine.run();
    TimePs last = 0;
    for (const auto& [pair, at] : run.acknowledged) last = std::max(last, at);
    EXPECT_EQ(run.last_delivered(), (2000U * senders + 1) * 83'040 + 2 * kMicrosecond);
    EXPECT_NEAR(static_cast<double>(last) / 1e6 / published, 1, .002);
    EXPECT_EQ(run.engine.drops(), 0U);
  }
}

/// Shares of the receiver's line over a window of time, from the sent bytes of a port.
class Shares {
 public:
  explicit Shares(EngineRun& run) : run_(run) {}
  void measure(TimePs from, TimePs to, const std::vector<std::uint32_t>& ports) {
    run_.engine.run(from);
    std::vector<std::uint64_t> before;
    for (const std::uint32_t port : ports) before.push_back(run_.engine.counters(port).wire_bytes);
    run_.engine.run(to);
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const Port& port = run_.engine.network().ports()[ports[i]];
      of.push_back(static_cast<double>(run_.engine.counters(ports[i]).wire_bytes - before[i]) /
                   (static_cast<double>(port.bytes_per_s) * static_cast<double>(to - from) / 1e12));
    }
  }
  std::vector<double> of;

 private:
  EngineRun& run_;
};

EthernetParams lossless(std::uint64_t xoff = 100'000, std::uint64_t xon = 97'000) {
  EthernetParams params;
  params.switches.threshold.dynamic = false;
  params.switches.threshold.xoff_bytes = xoff;
  params.switches.threshold.xon_bytes = xon;
  params.nics.transport.ack_every = 16;
  return params;
}

/// The victim shares the trunk with traffic that is paused: each source gets C/(k + 1).
TEST(PfcCases, Victim) {
  for (const std::uint32_t k : {1U, 2U, 7U}) {
    Network network;
    network.add_hosts(4 + k);  // A, V, R, idle, k senders
    const auto s1 = network.add_switch("s1"), s2 = network.add_switch("s2");
    const std::uint64_t rate = 100 * kGigabit;
    for (const std::uint32_t host : {0U, 1U}) network.add_cable(host, s1, rate, 500'000);
    for (std::uint32_t host = 2; host < 4 + k; ++host) network.add_cable(host, s2, rate, 500'000);
    network.add_cable(s1, s2, rate, 500'000);
    network.find_routes();
    EngineRun run(network, lossless());
    std::vector<std::uint32_t> ports{network.host_port(0), network.host_port(1)};
    run.flow(0, 2, 1 << 28);
    run.flow(1, 3, 1 << 28);
    for (std::uint32_t i = 0; i < k; ++i) {
      run.flow(4 + i, 2, 1 << 28);
      ports.push_back(network.host_port(4 + i));
    }
    Shares shares(run);
    shares.measure(1000 * kMicrosecond, 4000 * kMicrosecond, ports);
    for (const double share : shares.of) EXPECT_NEAR(share * (k + 1), 1, .02) << k;
    EXPECT_EQ(run.engine.drops(), 0U);
    // For k = 1 the shares fit the trunk.
    EXPECT_EQ(run.engine.counters(network.port_between(s1, s2)).paused_ps > 500 * kMicrosecond, k > 1);
  }
}

/// Hosts on a line of switches: each merge halves what comes from afar.
TEST(PfcCases, ParkingLot) {
  constexpr std::uint32_t kSwitches = 5;
  Network network;
  network.add_hosts(kSwitches + 1);
  std::vector<std::uint32_t> at;
  for (std::uint32_t i = 0; i < kSwitches; ++i) at.push_back(network.add_switch("s" + std::to_string(i)));
  const std::uint64_t rate = 100 * kGigabit;
  for (std::uint32_t i = 0; i < kSwitches; ++i) network.add_cable(i, at[i], rate, 500'000);
  network.add_cable(kSwitches, at.back(), rate, 500'000);
  for (std::uint32_t i = 1; i < kSwitches; ++i) network.add_cable(at[i - 1], at[i], rate, 500'000);
  network.find_routes();
  EngineRun run(network, lossless());
  std::vector<std::uint32_t> ports;
  for (std::uint32_t i = 0; i < kSwitches; ++i) {
    run.flow(i, kSwitches, 1 << 28);
    ports.push_back(network.host_port(i));
  }
  Shares shares(run);
  shares.measure(2000 * kMicrosecond, 8000 * kMicrosecond, ports);
  const double expected[] = {1 / 16., 1 / 16., 1 / 8., 1 / 4., 1 / 2.};
  for (std::uint32_t i = 0; i < kSwitches; ++i) EXPECT_NEAR(shares.of[i] / expected[i], 1, .02) << i;
}

Network clockwise_ring(std::uint32_t n) {
  Network ring;
  ring.add_hosts(n);
  for (std::uint32_t i = 0; i < n; ++i) ring.add_switch("s" + std::to_string(i));
  for (std::uint32_t i = 0; i < n; ++i) ring.add_cable(i, n + i, 100 * kGigabit, 500'000);
  for (std::uint32_t i = 0; i < n; ++i) ring.add_cable(n + i, n + (i + 1) % n, 100 * kGigabit, 500'000);
  ring.find_routes();
  for (std::uint32_t host = 0; host < n; ++host)
    for (std::uint32_t i = 0; i < n; ++i)
      if (i != host) ring.set_route(n + i, host, {ring.port_between(n + i, n + (i + 1) % n)});
  return ring;
}

/// ACKs would go round, too, and take from the exact halves.
EthernetParams without_acks() {
  EthernetParams params = lossless();
  params.nics.transport.ack_every = 1'000'000;
  return params;
}

TEST(PfcCases, ARingOverTwoHopsShares) {
  const Network ring = clockwise_ring(4);
  EXPECT_FALSE(ring.buffer_cycle().empty());
  EngineRun run(ring, without_acks());
  std::vector<std::uint32_t> ports;
  for (std::uint32_t i = 0; i < 4; ++i) {
    run.flow(i, (i + 2) % 4, 1 << 28);
    ports.push_back(ring.host_port(i));
  }
  Shares shares(run);
  shares.measure(1000 * kMicrosecond, 5000 * kMicrosecond, ports);
  for (const double share : shares.of) EXPECT_NEAR(share, .5, .01);
  EXPECT_TRUE(run.engine.locked_ports().empty());
}

TEST(PfcCases, ARingOverThreeHopsLocks) {
  for (const std::uint64_t xon : {10'000U, 97'000U, 99'999U}) {
    const Network ring = clockwise_ring(4);
    EthernetParams params = without_acks();
    params.switches.threshold.xon_bytes = xon;
    EngineRun run(ring, params);
    for (std::uint32_t i = 0; i < 4; ++i) run.flow(i, (i + 3) % 4, 1 << 28);
    run.engine.run(30 * kMicrosecond);
    const auto cycle = run.engine.locked_ports();
    ASSERT_EQ(cycle.size(), 4U) << xon;
    run.engine.run(60 * kMicrosecond);  // what waits for hosts is delivered
    const std::uint64_t hops = run.engine.packet_hops();
    try {
      run.engine.run(1'000'000 * kMicrosecond);
      FAIL() << "no deadlock";
    } catch (const Deadlock& deadlock) {
      EXPECT_EQ(deadlock.ports.size(), 4U);
      EXPECT_NE(std::string(deadlock.what()).find("s0->s1"), std::string::npos) << deadlock.what();
    }
    EXPECT_EQ(run.engine.packet_hops(), hops);
  }
}

/// 100G into 50G: .921 of the slower line with XOFF 20 KB and XON 5 KB (own simulation), full from XON >= bD
/// on.
TEST(PfcCases, DutyCycle) {
  const auto share = [](std::uint64_t xoff, std::uint64_t xon, TimePs response) {
    Network network;
    network.add_hosts(2);
    const auto s = network.add_switch("s");
    network.add_cable(0, s, 100 * kGigabit, 500'000);
    network.add_cable(1, s, 50 * kGigabit, 500'000);
    network.find_routes();
    EthernetParams params = lossless(xoff, xon);
    params.nics.transport.ack_every = 1'000'000;
    params.format.overhead_bytes = 82;
    params.switches.response_ps = response;
    EngineRun run(network, params);
    run.flow(0, 1, 1 << 28);
    Shares shares(run);
    shares.measure(500 * kMicrosecond, 5500 * kMicrosecond, {network.port_between(s, 1)});
    const double a = 12.5e9, b = 6.25e9, d = 1e-6 + static_cast<double>(response) / 1e12 + (84 + 4178) / a;
    const double idle = std::max(0.0, d - static_cast<double>(xon) / b);
    const double period = static_cast<double>(xoff) / (a - b) + d +
                          (static_cast<double>(xoff) - static_cast<double>(xon) + (a - b) * d) / b + d;
    return std::pair{shares.of[0], idle == 0 ? 1 : 1 - idle / period};
  };
  const auto [measured, fluid] = share(20'000, 5'000, 0);
  EXPECT_NEAR(measured, .921, .03);
  EXPECT_NEAR(measured, fluid, .03);
  const auto [slow, slow_fluid] = share(20'000, 5'000, response_ps(100 * kGigabit));
  EXPECT_NEAR(slow, slow_fluid, .03);
  EXPECT_NEAR(share(40'000, 20'000, 0).first, 1, 1e-3);  // XON >= bD, and a packet
  EXPECT_LT(share(40'000, 5'000, 0).first, .99);
}

/// The worst alignment: every frame fits the formula's headroom; with a packet less some do not.
TEST(PfcHeadroom, IsEnoughAndNotTooMuch) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const std::uint64_t rates[] = {10, 25, 100, 400};
    const std::uint64_t rate = rates[random() % 4] * kGigabit;
    EthernetParams params = lossless(20'000 + random() % 50'000, random() % 20'000);
    params.format.mtu_bytes = static_cast<std::uint32_t>(200 + random() % 8000);
    params.format.overhead_bytes = 82;
    params.switches.response_ps = response_ps(rate);
    params.nics.transport.ack_every = 1'000'000;
    const TimePs latency = random() % 2'000'000;
    const bool is_small = trial % 2 == 1;
    const std::uint64_t wire = params.format.full_wire_bytes();
    const std::uint64_t formula =
        headroom_bytes({rate, latency, response_ps(rate)}, static_cast<std::uint32_t>(wire));
    if (is_small) {
      params.switches.headroom_bytes = formula - wire;
      params.switches.check_headroom = false;
    }
    // Host 0 fills the switch for a slow receiver; host 2 sends full packets to host 0, one of which has just
    // begun when the pause frame wants to go.
    Network network;
    network.add_hosts(3);
    const auto s = network.add_switch("s");
    network.add_cable(0, s, rate, latency);
    network.add_cable(1, s, rate / 1000, latency);
    network.add_cable(2, s, rate, latency);
    network.find_routes();
    EngineRun run(network, params);
    run.flow(2, 0, 3'000'000);
    run.engine.run(1);
    run.flow(0, 1, 3'000'000, 2);
    run.engine.run(2'000 * kMicrosecond);
    const std::uint64_t used = run.engine.headroom_used(network.port_between(s, 0));
    EXPECT_LE(used, run.engine.headroom_of(network.port_between(s, 0)));
    if (is_small) {
      EXPECT_GT(run.engine.drops(), 0U) << trial;
    } else {
      EXPECT_EQ(run.engine.drops(), 0U) << trial;
      EXPECT_GT(used + wire, formula) << trial;
    }
  }
}

TEST(PfcHeadroom, LessIsRefused) {
  EthernetParams params;
  params.switches.headroom_bytes = 46'000;
  try {
    EngineRun run(star(2, {100 * kGigabit, 100 * kGigabit, 500'000, 0}), params);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("it needs 46188"), std::string::npos)
        << error.what();  // with a RETH
  }
  params = {};
  params.switches.buffer_bytes = 90'000;
  EXPECT_THROW(EngineRun(star(2, {100 * kGigabit, 100 * kGigabit, 500'000, 0}), params),
               std::invalid_argument);
  params = {};
  params.switches.pause_quanta = 100;
  EXPECT_THROW(EngineRun(star(2, {100 * kGigabit, 100 * kGigabit, 500'000, 0}), params),
               std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm::ethernet
