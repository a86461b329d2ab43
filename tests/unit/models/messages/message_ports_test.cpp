// SPDX-License-Identifier: Apache-2.0
// The links of a fabric of whole messages: a vertex with two links and three inputs, and what leaves it when.
#include "models/messages/message_ports.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

struct ToTheDestination final : RouteFunction {
  PortId output_for(const Packet& packet) const override {
    return static_cast<PortId>(index_of(packet.destination));
  }
};

struct MessagePortsAlone : testing::Test {
  ClassTable classes{{{"low", 0, 1, 0}, {"high", 1, 1, 1}}, 2};
  MessageRecords records;
  ToTheDestination routes;

  static WireFormat format(std::uint32_t header_bytes, std::uint32_t flit_bytes) {
    WireFormat made;
    made.header_bytes = header_bytes;
    made.flit_bytes = flit_bytes;
    return made;
  }
  /// Three links of 4 B/ns from vertex 0; link k is 100 k ps long and leads to input 5 + k of vertex 2 + k.
  MessagePorts ports(const WireFormat& wire, const MessageRules& rules = {}) {
    MessagePorts made(wire, classes, records, rules);
    made.add_vertex(routes, 3);
    for (std::uint32_t k = 0; k < 3; ++k)
      made.set_link(0, static_cast<PortId>(k), {4'000'000'000, 100 * k, 0}, 2 + k,
                    static_cast<PortId>(5 + k));
    return made;
  }
  MessageRecord& record(std::uint32_t to, std::uint64_t bytes = 8, std::uint32_t traffic_class = 0) {
    MessageRecord& made = records.acquire();
    made.destination = static_cast<NpuId>(to);
    made.bytes = bytes;
    made.traffic_class = static_cast<ClassId>(traffic_class);
    return made;
  }
};

// Header and payload, in whole flits, and a byte at least.
TEST_F(MessagePortsAlone, BytesOnTheWire) {
  EXPECT_EQ(ports(format(0, 0)).wire_bytes(0), 1U);
  EXPECT_EQ(ports(format(0, 0)).wire_bytes(17), 17U);
  EXPECT_EQ(ports(format(5, 0)).wire_bytes(17), 22U);
  for (std::uint64_t bytes = 0; bytes < 70; ++bytes) {
    const std::uint64_t flits = bytes + 5 > 64 ? 3 : bytes + 5 > 32 ? 2 : 1;
    EXPECT_EQ(ports(format(5, 32)).wire_bytes(bytes), 32 * flits) << bytes;
  }
}

// 4 B/ns: 250 ps for each byte.
TEST_F(MessagePortsAlone, AMessageLeavesWhenTheLineIsFree) {
  MessagePorts made = ports(format(2, 0));
  MessagePort& port = made.port(made.number_of(0, PortId{1}));
  EXPECT_EQ(port.vertex, 0U);
  EXPECT_EQ(port.output, 1U);
  EXPECT_EQ(port.inputs, 3U);
  EXPECT_TRUE(made.at_rest());
  MessageRecord& first = record(1, 38);
  EXPECT_EQ(made.put(first, true, 0), 1U);
  EXPECT_FALSE(made.at_rest());
  EXPECT_EQ(made.choose(port), &first);
  EXPECT_EQ(made.choose(port), nullptr);
  EXPECT_TRUE(made.at_rest());
  EXPECT_EQ(made.send(port, first, 5000, true), 5000U + 40 * 250);
  EXPECT_EQ(made.free_ps(port), 15'000U);
  EXPECT_EQ(records.way(first).ready_ps, 5000U + 100);
  EXPECT_EQ(records.way(first).tail_ps, 15'000U + 100);
  EXPECT_EQ(records.way(first).vertex, 3U);
  EXPECT_EQ(records.way(first).input, 6U);
  // One whose tail comes late leaves no earlier.
  MessageRecord& second = record(1, 6);
  records.way(second).tail_ps = 40'000;
  EXPECT_EQ(made.send(port, second, 15'000, false), 17'000U);
  EXPECT_EQ(records.way(second).tail_ps, 40'100U);
  EXPECT_EQ(port.packets, 2U);
  EXPECT_EQ(port.payload_bytes, 44U);
  EXPECT_EQ(port.wire_bytes, 48U);
}

// 3 B/ns: a byte takes 333.3 ps, and messages one behind the other lose none of the thirds.
TEST_F(MessagePortsAlone, AMessageKeepsTheFractionOfItsStart) {
  MessagePorts made(format(0, 0), classes, records, {});
  made.add_vertex(routes, 1);
  made.set_link(0, PortId{0}, {3'000'000'000, 100, 0}, 1, PortId{0});
  MessagePort& port = made.port(0);
  MessageRecord &first = record(0, 1), &second = record(0, 1), &third = record(0, 1), &fourth = record(0, 1);
  records.way(fourth).head_fraction = 7;
  EXPECT_EQ(made.send(port, first, 0, true), 334U);
  EXPECT_EQ(made.send(port, second, 334, true), 667U);
  EXPECT_EQ(made.send(port, third, 667, true), 1000U);
  EXPECT_EQ(made.send(port, fourth, 1000, true), 1334U);
  EXPECT_EQ(records.way(first).head_fraction, 0U);
  EXPECT_EQ(records.way(fourth).head_fraction, 0U);
  // How long before the whole picosecond they began: 2/3 and 1/3.
  const double whole = 4294967296.0;
  EXPECT_NEAR(records.way(second).head_fraction / whole, 2.0 / 3, 1e-6);
  EXPECT_NEAR(records.way(third).head_fraction / whole, 1.0 / 3, 1e-6);
}

// 10,000 ps on the line are cut to 9000, 10,200 with the latency too; in whole steps of 3000 ps.
TEST_F(MessagePortsAlone, StepsOfTimeCutTheTimesOfAMessage) {
  MessagePorts made = ports(format(0, 0), {3000, false});
  MessagePort& port = made.port(2);
  MessageRecord& first = record(2, 40);
  records.way(first).head_fraction = 7;
  EXPECT_EQ(made.send(port, first, 6000, true), 15'000U);
  EXPECT_EQ(made.free_ps(port), 15'000U);
  EXPECT_EQ(records.way(first).ready_ps, 6200U);
  EXPECT_EQ(records.way(first).tail_ps, 15'000U);
  EXPECT_EQ(records.way(first).head_fraction, 0U);
  EXPECT_EQ(records.way(first).vertex, 4U);
  EXPECT_EQ(records.way(first).input, 7U);
  MessageRecord& longer = record(2, 48);  // 12,000 and 12,200
  records.way(longer).tail_ps = 40'000;
  EXPECT_EQ(made.send(port, longer, 15'000, true), 27'000U);
  EXPECT_EQ(records.way(longer).tail_ps, 40'200U);
}

// The higher class; then inputs in turns, those that begin here being one more.
TEST_F(MessagePortsAlone, InputsTakeTurns) {
  MessagePorts made = ports(format(0, 0));
  MessagePort& port = made.port(0);
  std::vector<MessageRecord*> passing;
  for (const std::uint32_t input : {2U, 0U, 1U, 1U}) {
    passing.push_back(&record(0));
    records.way(*passing.back()).input = static_cast<std::uint16_t>(input);
    made.put(*passing.back(), false, 0);
  }
  MessageRecord &own = record(0), &second = record(0), &high = record(0, 8, 1);
  made.put(own, true, 0);
  made.put(second, true, 1);
  records.way(high).input = 2;
  made.put(high, false, 0);
  std::vector<MessageRecord*> order;
  while (MessageRecord* const next = made.choose(port)) order.push_back(next);
  // After input 2: those that begin here, then 0, 1, 2, and round.
  EXPECT_EQ(order, (std::vector<MessageRecord*>{&high, &own, passing[1], passing[2], passing[0], &second,
                                                passing[3]}));
}

// The higher class, the smaller port_order, the earlier stage, operation, threadblock and call.
TEST_F(MessagePortsAlone, MessagesThatBeginHereGoInTheirOrder) {
  MessagePorts made = ports(format(0, 0));
  std::vector<MessageRecord*> wanted;
  const auto add = [&](std::uint32_t priority, std::uint64_t port_order, TimePs entered_ps,
                       std::uint64_t operation, std::uint32_t threadblock) {
    MessageRecord& made_here = record(0, 8, priority);
    records.way(made_here).port_order = port_order;
    records.way(made_here).entered_ps = entered_ps;
    made_here.key.operation = operation;
    made_here.threadblock = threadblock;
    wanted.push_back(&made_here);
  };
  add(1, 9, 9, 9, 9);
  add(0, 1, 9, 9, 9);
  add(0, 2, 1, 9, 9);
  add(0, 2, 2, 1, 9);
  add(0, 2, 2, 2, 1);
  add(0, 2, 2, 2, 2);
  add(0, 2, 2, 2, 2);
  const std::size_t last = wanted.size();
  std::vector<std::size_t> shuffled{4, 0, 6, 2, 5, 3, 1};
  for (const std::size_t k : shuffled) made.put(*wanted[k], true, static_cast<std::uint32_t>(k));
  for (std::size_t k = 0; k < last; ++k) EXPECT_EQ(made.choose(made.port(0)), wanted[k]) << k;
}

TEST_F(MessagePortsAlone, RecordsAreUsedAgain) {
  MessageRecord& first = record(0);
  const std::uint32_t number = first.index;
  EXPECT_EQ(records.in_use(), 1U);
  MessageRecord& second = record(0);
  EXPECT_NE(second.index, number);
  records.release(first);
  EXPECT_EQ(records.in_use(), 1U);
  EXPECT_EQ(record(0).index, number);
  EXPECT_EQ(&records[number], &first);
}

}  // namespace
}  // namespace wafertlm
