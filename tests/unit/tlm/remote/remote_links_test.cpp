// SPDX-License-Identifier: Apache-2.0
// The far end of a link whose beginning is in process 1.
#include "tlm/remote/remote_links.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "tests/support/fabric_ends.h"
#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kLink = 5;

struct FarEnd {
  FarEnd() { links.end(kLink, 1, sink.socket); }
  static std::vector<std::byte> packet(TimePs head_ps, TimePs tail_ps, std::uint32_t link = kLink,
                                       std::uint64_t message_bytes = 64) {
    CrossingPacket crossing;
    crossing.link = link;
    crossing.head_ps = head_ps;
    crossing.tail_ps = tail_ps;
    crossing.source = NpuId{3};
    crossing.wire_bytes = 80;
    crossing.payload_bytes = 64;
    crossing.message_bytes = message_bytes;
    crossing.identity = head_ps + 1;
    ByteWriter writer;
    writer.put(Crossing::packet);
    writer.put(crossing);
    return writer.take();
  }

  Scheduler scheduler{"scheduler"};
  PacketPool packets;
  MessagePool messages;
  FabricSink sink{"sink", FabricSink::Credit::announced, scheduler};
  RemoteLinks links{Part{0, {0, 1}}, scheduler, packets, messages};
};

TEST(RemoteLinks, APacketArrivesAtItsTimeAndItsCreditGoesBack) {
  FarEnd end;
  EXPECT_EQ(end.links.neighbours(), std::vector<std::uint32_t>{1});
  sc_core::sc_start(to_sc_time(1000));
  end.links.deliver(FarEnd::packet(1000, 1300));  // the very instant is in time
  end.links.deliver(FarEnd::packet(1500, 1700));
  ASSERT_EQ(end.sink.arrivals().size(), 2U);
  EXPECT_EQ(end.sink.arrivals()[0].source, NpuId{3});
  EXPECT_EQ(end.sink.arrivals()[0].payload_bytes, 64U);
  EXPECT_EQ(end.sink.arrivals()[0].head_ps, 1000U);
  EXPECT_EQ(end.sink.arrivals()[1].head_ps, 1500U);
  EXPECT_EQ(end.sink.arrivals()[1].tail_ps, 1700U);
  EXPECT_EQ(end.links.take_earliest_ps(), 1300U);
  EXPECT_EQ(end.links.take_earliest_ps(), kNever);
  const std::vector<std::byte> credits = end.links.take_batch(1);
  ByteReader reader(credits);
  for (const auto& [head, at] : {std::pair<TimePs, TimePs>{1000, 1300}, {1500, 1700}}) {
    EXPECT_EQ(reader.get<Crossing>(), Crossing::credit);
    const auto credit = reader.get<CrossingCredit>();
    EXPECT_EQ(credit.link, kLink);
    EXPECT_EQ(credit.identity, head + 1);
    EXPECT_EQ(credit.at_ps, at);
  }
  EXPECT_TRUE(reader.at_end());
  EXPECT_TRUE(end.links.take_batch(1).empty());
}

// On its way to and fro between two processes: the packets on each link are all of the message.
TEST(RemoteLinks, AMessageThatComesByTwice) {
  FarEnd end;
  FabricSink other("other", FabricSink::Credit::announced, end.scheduler);
  end.links.end(kLink + 1, 1, other.socket);
  sc_core::sc_start(to_sc_time(1000));
  for (const TimePs head : {1000U, 2000U}) {
    end.links.deliver(FarEnd::packet(head, head + 100, kLink, 128));
    end.links.deliver(FarEnd::packet(head, head + 100, kLink + 1, 128));
  }
  for (const FabricSink* sink : {&end.sink, &other}) {
    ASSERT_EQ(sink->arrivals().size(), 2U);
    EXPECT_EQ(sink->arrivals()[0].message, sink->arrivals()[1].message);
  }
  EXPECT_NE(end.sink.arrivals()[0].message, other.arrivals()[0].message);
}

TEST(RemoteLinks, RefusesWhatLiesBeforeNow) {
  FarEnd end;
  sc_core::sc_start(to_sc_time(1000));
  EXPECT_EQ(
      test::refusal_of<std::logic_error>([&] { end.links.deliver(FarEnd::packet(999, 1300)); }),
      "a packet of link 5 for 999 ps came from another process at 1000 ps: before the bound of its window");
  CrossingCredit credit;
  credit.link = 6;
  credit.at_ps = 1;
  ByteWriter writer;
  writer.put(Crossing::credit);
  writer.put(credit);
  EXPECT_EQ(
      test::refusal_of<std::logic_error>([&] { end.links.deliver(writer.take()); }),
      "a credit of link 6 for 1 ps came from another process at 1000 ps: before the bound of its window");
  EXPECT_TRUE(end.sink.arrivals().empty());
}

TEST(RemoteLinks, RefusesLinksThatAreNotHereAndCutBatches) {
  FarEnd end;
  sc_core::sc_start(to_sc_time(1000));
  EXPECT_THROW(end.links.deliver(FarEnd::packet(2000, 2100, kLink + 1)), std::logic_error);
  std::vector<std::byte> cut = FarEnd::packet(2000, 2100);
  cut.pop_back();
  EXPECT_THROW(end.links.deliver(cut), std::logic_error);
}

}  // namespace
}  // namespace wafertlm
