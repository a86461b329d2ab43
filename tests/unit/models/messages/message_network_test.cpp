// SPDX-License-Identifier: Apache-2.0
// Sends and receives over a fabric of whole messages: rings of three with 2 B/ps and 5000 ps, and switches of
// two with 3 B/ps and 700 ps, but for those of NPU 4, which has 4 B/ps and 600 ps.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "models/dimensional/dimensional_messages.h"
#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

using Texts = std::vector<std::string>;
constexpr std::uint64_t kPerPs = 1'000'000'000'000;

struct SentMessages final : LinkObserver {
  void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
            TimePs end_ps) override {
    seen.push_back(say(observed, " output ", index_of(output), ": ", packet.payload_bytes, " of ",
                       packet.wire_bytes, " B from ", index_of(packet.source), " to ",
                       index_of(packet.destination), ", ", start_ps, " to ", end_ps));
  }
  Texts seen;
};

class Messages : public testing::Test, private Wakeable, private MessageListener {
 protected:
  ClassTable classes{{{"data", 0, 1, 0}}, 1};
  Scheduler scheduler{"scheduler"};
  std::unique_ptr<DimensionalMessages> fabric;
  std::vector<Communication*> npus;
  SentMessages observer;
  std::map<std::uint64_t, TimePs> done;  // by token

  void build(const MessageRules& rules = {}) {
    using Kind = FabricDimension::Kind;
    DimensionalParams params;
    params.format.header_bytes = 24;
    params.dimensions = Dimensions({{Kind::ring, 3, 2 * kPerPs, 5000}, {Kind::switched, 2, 3 * kPerPs, 700}});
    params.other_links = {{NpuId{4}, 1, 4 * kPerPs, 600}};
    params.messages = true;
    params.rules = rules;
    fabric = std::make_unique<DimensionalMessages>("fabric", params, classes, scheduler);
    fabric->observe(observer);
    for (std::uint32_t n = 0; n < 6; ++n)
      npus.push_back(&fabric->messages()->connect(NpuId{n}, *this, {100, 40, 0}));
  }
  void at(TimePs time, std::function<void(TimePs)> act) {
    acts_.push_back(std::move(act));
    scheduler.schedule(time, *this, static_cast<std::uint32_t>(acts_.size() - 1));
  }
  void send(TimePs time, std::uint32_t from, std::uint32_t to, std::uint64_t tag, std::uint64_t bytes,
            std::uint64_t token) {
    at(time, [=](TimePs now) { npus[from]->start_send(NpuId{to}, tag, bytes, ClassId{0}, token, now); });
  }
  void receive(TimePs time, std::uint32_t at_npu, std::uint32_t from, std::uint64_t tag,
               std::uint64_t token) {
    at(time, [=](TimePs now) { npus[at_npu]->start_receive(NpuId{from}, tag, token, now); });
  }

 private:
  void communication_done(std::uint64_t token) override {
    EXPECT_EQ(done.count(token), 0U);
    done[token] = scheduler.now();
  }
  void wake(std::uint32_t what, TimePs now) override { acts_[what](now); }
  std::vector<std::function<void(TimePs)>> acts_;
};

// 1024 B on the wire: 512, 341.3 and 256 ps. The head is at node 1 after 5000 ps, at the switch after 700
// more; the tail leaves each when it is there itself. The send ends when all has left, the receive when it
// has paid.
TEST_F(Messages, TakeLatenciesAndTheSlowestLink) {
  build();
  send(10'000, 0, 4, 7, 1000, 1);
  receive(0, 4, 0, 7, 2);
  scheduler.run();
  EXPECT_EQ(observer.seen, (Texts{"0 output 0: 1000 of 1024 B from 0 to 4, 10100 to 10612",
                                  "1 output 2: 1000 of 1024 B from 0 to 4, 15100 to 15442",
                                  "7 output 1: 1000 of 1024 B from 0 to 4, 15800 to 16056"}));
  const TimePs tail_ps = 10'100 + 512 + 5000 + 700 + 600;
  EXPECT_EQ(done, (std::map<std::uint64_t, TimePs>{{1, 10'612}, {2, tail_ps + 40}}));
  EXPECT_EQ(fabric->queued_packets(), 0U);
  std::map<std::string, std::uint64_t> used;
  for (const FabricLink& link : fabric->links()) {
    EXPECT_FALSE(link.exit);
    const OutputCounters counters = fabric->counters(link);
    if (counters.packets == 0) continue;
    EXPECT_EQ(counters.payload_bytes, 1000U);
    EXPECT_EQ(counters.wire_bytes, 1024U);
    used[link.name] = fabric->bytes_per_s(link) / kPerPs;
  }
  EXPECT_EQ(used, (std::map<std::string, std::uint64_t>{
                      {"node0->node1.d0_next", 2}, {"node1->switch1", 3}, {"switch1->node4", 4}}));
}

// Each link begins when all of the message is there: 100 ps, 512 + 5000, 341.3 + 700, 256 + 600, and 40.
TEST_F(Messages, AreStoredAndForwarded) {
  MessageRules rules;
  rules.store_and_forward = true;
  build(rules);
  send(10'000, 0, 4, 7, 1000, 1);
  receive(0, 4, 0, 7, 2);
  scheduler.run();
  EXPECT_EQ(observer.seen, (Texts{"0 output 0: 1000 of 1024 B from 0 to 4, 10100 to 10612",
                                  "1 output 2: 1000 of 1024 B from 0 to 4, 15612 to 15954",
                                  "7 output 1: 1000 of 1024 B from 0 to 4, 16654 to 16910"}));
  EXPECT_EQ(done, (std::map<std::uint64_t, TimePs>{{1, 10'612}, {2, 17'510 + 40}}));
}

// What comes before its receive waits, and is taken when that is posted; tags are told apart.
TEST_F(Messages, EarlyOnesWait) {
  build();
  send(0, 0, 1, 7, 976, 1);
  send(0, 0, 1, 8, 1976, 2);
  receive(50'000, 1, 0, 8, 3);
  at(60'000, [&](TimePs) {
    EXPECT_EQ(npus[1]->pending(), Texts());
    EXPECT_EQ(fabric->queued_packets(), 1U);
  });
  receive(70'000, 1, 0, 7, 4);
  receive(70'000, 1, 0, 9, 5);
  receive(70'000, 1, 2, 7, 6);
  scheduler.run();
  EXPECT_EQ(done, (std::map<std::uint64_t, TimePs>{{1, 600}, {2, 1600}, {3, 50'040}, {4, 70'040}}));
  EXPECT_EQ(npus[1]->early_bytes_high_water(), 976U + 1976);
  EXPECT_EQ(npus[0]->early_bytes_high_water(), 0U);
  EXPECT_EQ(npus[1]->pending(), (Texts{"NPU 1 waits for NPU 0 in a receive with tag 9",
                                       "NPU 1 waits for NPU 2 in a receive with tag 7"}));
}

// Bare: nobody pays, and the send ends with the arrival.
TEST_F(Messages, BareSendsEndWithTheirArrival) {
  build({0, true});
  send(1000, 0, 1, 7, 1000, 1);
  receive(0, 1, 0, 7, 2);
  scheduler.run();
  EXPECT_EQ(done, (std::map<std::uint64_t, TimePs>{{1, 1000 + 512 + 5000}, {2, 1000 + 512 + 5000}}));
}

// A link carries one message after the other; one in the other direction does not wait.
TEST_F(Messages, ALinkIsTakenInTurns) {
  build();
  for (std::uint64_t tag = 0; tag < 3; ++tag) send(0, 0, 1, tag, 976, tag);
  send(0, 0, 2, 3, 976, 3);
  scheduler.run();
  EXPECT_EQ(done, (std::map<std::uint64_t, TimePs>{{0, 600}, {1, 1100}, {2, 1600}, {3, 600}}));
}

}  // namespace
}  // namespace wafertlm
