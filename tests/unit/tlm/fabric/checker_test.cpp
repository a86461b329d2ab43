// SPDX-License-Identifier: Apache-2.0
#include "tlm/fabric/checker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/scripted.h"
#include "tests/support/socket_watcher.h"
#include "tlm/packets/message.h"

namespace wafertlm {
namespace {

/// A link of 1 byte per 3.5 ps (a trace more: the rate is a whole number), 50 ps long, with 200 B of buffer
/// on each of three channels. Class a has channels 0 and 1, class b channel 2.
struct Bench {
  using Initiator = ScriptedInitiator<FabricInitiatorSocket, FabricBackwardIf, Packet>;
  using Target = ScriptedTarget<FabricTargetSocket, FabricForwardIf, Packet>;
  static constexpr TimePs kLatency = 50;

  Bench() {
    const OutputParams link{2 * kPsPerSecond / 7, kLatency, 200, 400};
    bind_checked(sender.socket, receiver.socket, &checkers, "checker", link, classes);
  }
  /// A legal packet of 100 wire bytes, sent now on an idle line: it takes 350.0…04 ps.
  Packet packet(VcId vc = VcId{0}) const {
    Packet made;
    made.source = NpuId{1};
    made.destination = NpuId{2};
    made.payload_bytes = 96;
    made.wire_bytes = 100;
    made.vc = vc;
    made.traffic_class = ClassId{static_cast<std::uint8_t>(vc == VcId{2})};
    made.tail_ps = kernel_now_ps() + kLatency + 351;
    return made;
  }
  void send(Packet& sent, TimePs delay_ps = kLatency) { sender.call(sent, ::tlm::BEGIN_REQ, delay_ps); }
  /// Gives the room back at `at`, or when the tail is there.
  void free(Packet& sent, TimePs at = 0) {
    if (at == 0) at = std::max(sent.tail_ps, kernel_now_ps());
    receiver.call(sent, ::tlm::END_REQ, at - kernel_now_ps());
  }
  void send_and_free(Packet sent) {
    send(sent);
    free(sent);
  }

  Violations violations;
  CheckerSet checkers{violations.handler()};
  ClassTable classes{{{"a", 0, 2, 0}, {"b", 2, 1, 0}}, 3, true};
  Flow flow{{7, 0}, ClassId{0}, {}, 192, 2, 0};
  Initiator sender{"sender"};
  Target receiver{"receiver"};
};
using Case = Conversation<Bench>;

/// A packet on which `spoil` was done, alone on the link.
Case alone(const char* rule, void (*spoil)(Packet&), const char* variant = "") {
  return {rule,
          [spoil](Bench& bench) {
            Packet packet = bench.packet();
            spoil(packet);
            bench.send_and_free(packet);
          },
          variant};
}
/// A packet on which `spoil` was done while it was on the link.
Case on_the_way(const char* rule, void (*spoil)(Packet&), const char* variant = "") {
  return {rule,
          [spoil](Bench& bench) {
            Packet packet = bench.packet();
            bench.send(packet);
            spoil(packet);
            bench.free(packet);
          },
          variant};
}
/// A second packet of 100 bytes, `gap_ps` after the first. The line is busy for 350.0…04 ps, and the first
/// may have begun a fraction of a picosecond before its start.
void follow(Bench& bench, TimePs gap_ps) {
  bench.send_and_free(bench.packet());
  wait_ps(gap_ps);
  Packet second = bench.packet(VcId{1});
  second.tail_ps += 10;
  bench.send_and_free(second);
}
/// Packets of one byte, 3.5 ps each, with these gaps.
void bytes_with_gaps(Bench& bench, const std::vector<TimePs>& gaps) {
  for (const TimePs gap : gaps) {
    Packet packet = bench.packet();
    packet.wire_bytes = packet.payload_bytes = 1;
    bench.send_and_free(packet);
    if (gap != 0) wait_ps(gap);
  }
}
/// Packets of a flow of two of 96 B, with these numbers.
void flow_packets(Bench& bench, const std::vector<std::uint64_t>& numbers, std::uint32_t bytes = 96) {
  for (const std::uint64_t number : numbers) {
    Packet packet = bench.packet();
    packet.flow = &bench.flow;
    packet.vc = bench.classes.flow_vc(packet.traffic_class);
    packet.sequence = number;
    packet.payload_bytes = bytes;
    bench.send_and_free(packet);
    wait_ps(351);
  }
}
/// Two packets fill a channel; the third starts `early_ps` before the first one's room is free.
void third_into_two(Bench& bench, TimePs early_ps) {
  Packet first = bench.packet();
  bench.send(first);
  bench.free(first, kernel_now_ps() + 702 + early_ps);
  wait_ps(351);
  bench.send_and_free(bench.packet());
  wait_ps(351);
  bench.send_and_free(bench.packet());
}

const std::vector<Case> kCases = {
    {nullptr, [](Bench& bench) { bench.send_and_free(bench.packet()); }, "alone"},
    {nullptr,
     [](Bench& bench) {  // credits come back in another order; the object goes out again at once
       Packet first = bench.packet();
       bench.send(first);
       wait_ps(351);
       Packet second = bench.packet(VcId{2});
       bench.send(second);
       bench.free(second);
       wait_ps(351);
       second = bench.packet(VcId{0});
       bench.send(second);
       bench.free(first);
       bench.free(second);
     },
     "other_order"},
    {nullptr, [](Bench& bench) { third_into_two(bench, 0); }, "room_in_time"},
    {nullptr,
     [](Bench& bench) {
       flow_packets(bench, {0, 1});
     },
     "flow"},
    {nullptr,
     [](Bench& bench) {  // stripes may overtake each other, and a link may carry some of them only
       bench.flow.stripes = 3;
       bench.flow.packets = 8;
       flow_packets(bench, {2, 0, 5, 3, 6});
     },
     "stripes"},
    {"flow_in_order",
     [](Bench& bench) {
       bench.flow.stripes = 3;
       bench.flow.packets = 8;
       flow_packets(bench, {1, 4, 4, 7});
     },
     "stripe_with_one_twice"},
    {"flow_complete",
     [](Bench& bench) {
       bench.flow.stripes = 3;
       bench.flow.packets = 8;
       flow_packets(bench, {0, 2, 3, 6});
     },
     "stripe_short_of_one"},
    {nullptr,
     [](Bench& bench) {  // Go-Back-N: 0 again, and 1 came too early at first
       static const AnswerFormat answers;
       bench.flow.answers = &answers;
       flow_packets(bench, {1, 0, 0, 1});
     },
     "flow_repeated"},
    {"flow_complete",
     [](Bench& bench) {
       flow_packets(bench, {0, 2});
     },
     "gap"},
    {"flow_in_order",
     [](Bench& bench) {
       flow_packets(bench, {0, 1, 0});
     },
     "twice"},
    {"flow_complete", [](Bench& bench) { flow_packets(bench, {0}); }, "one_missing"},
    {"flow_complete",
     [](Bench& bench) {
       flow_packets(bench, {0, 1}, 95);
     },
     "too_short"},
    {"channel_of_class",
     [](Bench& bench) {
       bench.flow.packets = 1;
       bench.flow.bytes = 96;
       Packet packet = bench.packet();
       packet.flow = &bench.flow;
       bench.send_and_free(packet);
     },
     "flow_outside_its_channel"},
    {nullptr,
     [](Bench& bench) {  // END_REQ from within BEGIN_REQ; the receiver then spoils the object
       bench.receiver.answer = [&](Packet& packet, ::tlm::tlm_phase&, sc_core::sc_time&) {
         bench.free(packet);
         packet = Packet{};
         return ::tlm::TLM_ACCEPTED;
       };
       Packet packet = bench.packet();
       bench.send(packet);
     },
     "nested"},
    {nullptr, [](Bench& bench) { follow(bench, 350); }, "back_to_back"},
    {nullptr,
     [](Bench& bench) {
       bytes_with_gaps(bench, {4, 4, 3, 4, 3, 4});
     },
     "carried_remainder"},
    {"forward_phase",
     [](Bench& bench) {
       Packet packet = bench.packet();
       bench.sender.call(packet, ::tlm::END_RESP);
     }},
    {"backward_phase",
     [](Bench& bench) {
       Packet packet = bench.packet();
       bench.send(packet);
       bench.receiver.call(packet, ::tlm::BEGIN_RESP);
       bench.free(packet);
     }},
    {"begin_req_answer",
     [](Bench& bench) {
       bench.receiver.answer = always<Packet>(::tlm::TLM_COMPLETED);
       bench.send_and_free(bench.packet());
     }},
    {"end_req_answer",
     [](Bench& bench) {
       bench.sender.answer = always<Packet>(::tlm::TLM_COMPLETED);
       bench.send_and_free(bench.packet());
     }},
    alone("bytes_on_wire", [](Packet& packet) { packet.wire_bytes = packet.payload_bytes = 0; }),
    alone("wire_holds_payload", [](Packet& packet) { packet.payload_bytes = 101; }),
    alone("class_exists", [](Packet& packet) { packet.traffic_class = ClassId{2}; }),
    alone("channel_exists", [](Packet& packet) { packet.vc = VcId{6}; }),
    alone(
        "channel_of_class", [](Packet& packet) { packet.vc = VcId{2}; }, "above"),
    alone(
        "channel_of_class", [](Packet& packet) { packet.traffic_class = ClassId{1}; }, "below"),
    {"sent_once",
     [](Bench& bench) {
       Packet packet = bench.packet();
       packet.tail_ps += 400;
       bench.send(packet);
       wait_ps(400);
       bench.send(packet);
       bench.free(packet);
     }},
    {"delay_is_latency",
     [](Bench& bench) {
       Packet packet = bench.packet();
       bench.send(packet, Bench::kLatency - 1);
       bench.free(packet);
     },
     "early"},
    {"delay_is_latency",
     [](Bench& bench) {
       Packet packet = bench.packet();
       packet.tail_ps += 1;
       bench.send(packet, Bench::kLatency + 1);
       bench.free(packet);
     },
     "late"},
    {"line_rate", [](Bench& bench) { follow(bench, 349); }},
    // Each gap is the rounded-down time of a byte, but together they are too short.
    {"line_rate",
     [](Bench& bench) {
       bytes_with_gaps(bench, {3, 3, 0});
     },
     "bit_by_bit"},
    alone("tail_after_bytes", [](Packet& packet) { packet.tail_ps -= 2; }),
    {"credits_not_overrun", [](Bench& bench) { third_into_two(bench, 1); }},
    alone(
        "credits_not_overrun",
        [](Packet& packet) {
          packet.wire_bytes = 201;
          packet.tail_ps += 400;
        },
        "too_large"),
    {"credit_for_packet",
     [](Bench& bench) {
       Packet packet = bench.packet();
       bench.free(packet);
     },
     "never_sent"},
    {"credit_for_packet",
     [](Bench& bench) {
       Packet packet = bench.packet();
       bench.send(packet);
       bench.free(packet);
       bench.free(packet);
     },
     "twice"},
    on_the_way("credit_on_channel", [](Packet& packet) { packet.vc = VcId{1}; }),
    on_the_way("credit_of_bytes", [](Packet& packet) { packet.wire_bytes = 99; }),
    on_the_way("credit_after_tail", [](Packet& packet) { packet.tail_ps -= 1; }),
    on_the_way(
        "packet_constant", [](Packet& packet) { packet.source = NpuId{3}; }, "source"),
    on_the_way(
        "packet_constant", [](Packet& packet) { packet.destination = NpuId{3}; }, "destination"),
    on_the_way(
        "packet_constant", [](Packet& packet) { packet.traffic_class = ClassId{1}; }, "class"),
    on_the_way(
        "packet_constant", [](Packet& packet) { packet.payload_bytes = 95; }, "payload"),
    {"credit_not_past",
     [](Bench& bench) {
       Packet packet = bench.packet();
       bench.send(packet);
       wait_ps(500);
       bench.free(packet, kernel_now_ps() - 1);
     }},
    {"all_returned",
     [](Bench& bench) {
       Packet packet = bench.packet();
       bench.send(packet);
     }},
};

class FabricCheckerCase : public ::testing::TestWithParam<Case> {};
TEST_P(FabricCheckerCase, ReportsThisRuleOnly) { expect_caught(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Conversations, FabricCheckerCase, ::testing::ValuesIn(kCases));

TEST(FabricChecker, EveryRuleHasACase) { expect_all_covered(kFabricRules, kCases); }

TEST(FabricChecker, CountsWhatPasses) {
  Bench bench;
  wait_ps(1000);
  follow(bench, 351);
  const std::vector<CheckerTotals> totals = bench.checkers.totals();
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].name, "checker");
  EXPECT_EQ(totals[0].begun, 2U);
  EXPECT_EQ(totals[0].finished, 2U);
  EXPECT_EQ(totals[0].payload_bytes, 192U);
  EXPECT_EQ(totals[0].wire_bytes, 200U);
}

TEST(FabricChecker, ShowsPacketsToAnObserver) {
  ClassTable classes{{{"a", 0, 1, 0}, {"b", 1, 2, 1}}, 3, true};
  Bench::Initiator sender{"sender"};
  Bench::Target receiver{"receiver"};
  FabricChecker checker("link", {kPsPerSecond, 50, 400, 400}, classes);
  sender.socket.bind(checker.target_side);
  checker.initiator_side.bind(receiver.socket);
  SocketWatcher watcher;
  checker.observe(watcher, 6);
  wait_ps(1000);
  Message message;
  message.key.operation = 11;
  message.key.tag = 12;
  Packet packet;
  packet.source = NpuId{1};
  packet.destination = NpuId{2};
  packet.sequence = 3;
  packet.payload_bytes = 90;
  packet.wire_bytes = 100;
  packet.vc = VcId{2};
  packet.traffic_class = ClassId{1};
  packet.tail_ps = 1150;
  packet.message = &message;
  sender.call(packet, ::tlm::BEGIN_REQ, 50);
  receiver.call(packet, ::tlm::END_REQ, 200);
  wait_ps(200);
  Flow flow{{7, 8}, ClassId{1}, {}, 192, 2, 0};
  packet.message = nullptr;
  packet.flow = &flow;
  packet.vc = classes.flow_vc(ClassId{1});
  packet.sequence = 0;
  packet.tail_ps = 1350;
  sender.call(packet, ::tlm::BEGIN_REQ, 50);
  EXPECT_EQ(watcher.seen, (std::vector<std::string>{"6 begins at 1000 for 1050, bytes 90, wire 100, stream "
                                                    "11, tag 12, sequence 3, source 1, destination 2, "
                                                    "class 1, vc 2, tail 1150",
                                                    "6 phase 2 at 1000 for 1200",
                                                    "6 begins at 1200 for 1250, bytes 90, wire 100, stream "
                                                    "7, tag 8, source 1, destination 2, class 1, vc 4, "
                                                    "tail 1350"}));
}

TEST(FabricChecker, ThrowsByDefaultAndSaysWhatItSaw) {
  ClassTable classes{{{"a", 0, 1, 0}}, 1};
  CheckerSet checkers;
  Bench::Initiator sender{"sender"};
  Bench::Target receiver{"receiver"};
  bind_checked(sender.socket, receiver.socket, &checkers, "link", {kPsPerSecond, 50, 100}, classes);
  wait_ps(1000);
  Packet packet;
  packet.wire_bytes = 100;
  packet.tail_ps = 1150;
  try {
    sender.call(packet, ::tlm::BEGIN_REQ, 49);
    FAIL() << "no exception";
  } catch (const ProtocolViolation& violation) {
    EXPECT_STREQ(violation.what(),
                 "link: delay_is_latency at 1000 ps: BEGIN_REQ is annotated with the link's latency; "
                 "saw 49 ps, expected 50 ps");
  }
}

TEST(FabricChecker, WithoutASetTheLinkIsBoundDirectly) {
  ClassTable classes{{{"a", 0, 1, 0}}, 1};
  Bench::Initiator sender{"sender"};
  Bench::Target receiver{"receiver"};
  bind_checked(sender.socket, receiver.socket, nullptr, "link", {kPsPerSecond, 50, 100}, classes);
  wait_ps(1000);
  int calls = 0;
  receiver.answer = [&](Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) {
    ++calls;
    return ::tlm::TLM_ACCEPTED;
  };
  Packet packet;
  sender.call(packet, ::tlm::END_RESP);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace wafertlm
