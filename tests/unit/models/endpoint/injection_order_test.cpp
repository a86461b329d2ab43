// SPDX-License-Identifier: Apache-2.0
// What DMA engines send next: when messages are over, by hand and against a small model of engines that knows
// only packets of one size.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "models/endpoint/injector.h"
#include "tests/support/random_cases.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kPacketBytes = 100;
constexpr TimePs kPacketTime = 100;  // on the link, at 1 byte/ps
constexpr std::size_t kClasses = 3;

/// The first one first.
const ClassTable& classes_by_priority() {
  static const ClassTable classes({{"high", 0, 1, 3}, {"middle", 1, 1, 2}, {"low", 2, 1, 1}}, 3);
  return classes;
}

/// What is sent, and what an NPU is like that sends it.
struct OrderCase {
  struct Sent {
    TimePs at;
    std::uint64_t packets;
    std::size_t traffic_class = 0;
  };
  InjectionOrder order = InjectionOrder::message;
  std::uint32_t engines = 1;
  std::uint64_t room = 1000;  // packets behind the port, of each class
  TimePs credit_delay = 0;    // from the tail to its room
  std::vector<Sent> sent;
};

/// An injector on a wire that takes everything.
class OneInjector : public InjectorHost {
 public:
  explicit OneInjector(const OrderCase& of)
      : delay_(of.credit_delay), injector(NpuId{0}, params(of), classes_by_priority(), packets_, *this) {
    for (const OrderCase::Sent& each : of.sent) {
      Message& message = messages_.emplace_back();
      message.destination = NpuId{1};
      message.traffic_class = static_cast<ClassId>(each.traffic_class);
      message.bytes = each.packets * kPacketBytes;
      const std::uint64_t number = messages_.size() - 1;
      at(each.at, [this, number] { injector.send(messages_[number], number, now_); });
    }
    ends.resize(of.sent.size());
  }

  void at(TimePs time, std::function<void()> what) { events_.emplace(time, std::move(what)); }
  Message& message(std::size_t number) { return messages_[number]; }
  void run() {
    while (!events_.empty()) {
      now_ = events_.begin()->first;
      const auto event = events_.begin()->second;
      events_.erase(events_.begin());
      event();
    }
  }

  std::vector<TimePs> ends;  ///< of the messages, by number
  std::vector<std::pair<Message*, std::uint64_t>> left;

 private:
  static InjectorParams params(const OrderCase& of) {
    InjectorParams made;
    made.format.packet_bytes = kPacketBytes;
    made.link.bytes_per_s = kPacketBytes * kPsPerSecond / kPacketTime;
    made.link.buffer_bytes = of.room * kPacketBytes;
    made.dma_bytes_per_s = kPacketBytes * kPsPerSecond;  // a packet in 1 ps
    made.dma_engines = of.engines;
    made.order = of.order;
    return made;
  }
  void inject(Packet& packet, TimePs) override {
    left.emplace_back(packet.message, packet.sequence);
    injector.credit(packet, packet.tail_ps + delay_, now_);
    packets_.release(packet);
  }
  void request_wake(TimePs time) override {
    at(time, [this] { injector.wake(now_); });
  }
  void injected(std::uint64_t ticket, TimePs time) override { ends[ticket] = time; }
  void packet_made(Packet&) override {}
  void watched(Message&) override {}

  TimePs delay_, now_ = 0;
  PacketPool packets_;
  std::deque<Message> messages_;
  std::multimap<TimePs, std::function<void()>> events_;  // of equal times in the order of asking

 public:
  Injector injector;
};

std::vector<TimePs> simulated(const OrderCase& of) {
  OneInjector one(of);
  one.run();
  return one.ends;
}

TEST(InjectionOrder, OfTwoMessagesOnOneEngineTheFirstIsOverFirst) {
  OrderCase of;
  of.sent = {{0, 3}, {0, 3}};
  EXPECT_EQ(simulated(of), (std::vector<TimePs>{300, 600}));
  of.order = InjectionOrder::packet;
  EXPECT_EQ(simulated(of), (std::vector<TimePs>{500, 600}));
}

TEST(InjectionOrder, OfFiveMessagesOnFourEnginesTheFifthWaits) {
  OrderCase of;
  of.engines = 4;
  of.sent = {{0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 2}};
  EXPECT_EQ(simulated(of), (std::vector<TimePs>{500, 600, 700, 800, 1000}));
  of.order = InjectionOrder::packet;  // 0 1 2 3 4 0 1 2 3 4
  EXPECT_EQ(simulated(of), (std::vector<TimePs>{600, 700, 800, 900, 1000}));
}

TEST(InjectionOrder, WithoutCreditsTheEngineWaitsWithItsMessage) {
  OrderCase of;
  of.room = 1;
  of.credit_delay = 400;
  of.sent = {{0, 2}, {0, 1}};
  EXPECT_EQ(simulated(of), (std::vector<TimePs>{600, 1100}));
  of.order = InjectionOrder::packet;
  EXPECT_EQ(simulated(of), (std::vector<TimePs>{1100, 600}));
}

TEST(InjectionOrder, APacketOfAHigherClassGoesBetweenTwoOfAMessage) {
  OrderCase of;
  of.sent = {{0, 3, 2}, {150, 1, 0}, {150, 1, 2}};
  EXPECT_EQ(simulated(of), (std::vector<TimePs>{400, 300, 500}));
}

TEST(InjectionOrder, AnotherClassGoesOnWhileOneHasNoCredits) {
  OrderCase of;
  of.room = 1;
  of.credit_delay = 400;
  of.sent = {{0, 2, 0}, {0, 1, 2}};
  EXPECT_EQ(simulated(of), (std::vector<TimePs>{600, 200}));
}

TEST(InjectionOrder, BytesThatHaveNotBeenReadKeepAnEngineWaiting) {
  for (const bool takes_turns : {false, true}) {
    OrderCase of;
    of.order = takes_turns ? InjectionOrder::packet : InjectionOrder::message;
    of.sent = {{0, 2}, {0, 1}};
    OneInjector one(of);
    one.message(0).available_bytes = kPacketBytes;
    one.at(1000, [&] {
      one.message(0).available_bytes = 2 * kPacketBytes;
      one.injector.resume(1000);
    });
    one.run();
    EXPECT_EQ(one.ends, takes_turns ? (std::vector<TimePs>{1100, 200}) : (std::vector<TimePs>{1100, 1200}));
  }
}

TEST(InjectionOrder, OtherEnginesGoOnWhileOneWaits) {
  OrderCase of;
  of.engines = 2;
  of.sent = {{0, 2}, {0, 2}, {0, 1}};
  OneInjector one(of);
  one.message(0).available_bytes = kPacketBytes;
  one.at(1000, [&] {
    one.message(0).available_bytes = 2 * kPacketBytes;
    one.injector.proceed(one.message(0), 1000);
  });
  one.run();
  EXPECT_EQ(one.ends, (std::vector<TimePs>{1100, 300, 400}));
}

TEST(InjectionOrder, AnEngineThatWaitsIsWokenThoughAnotherHasBeenIdleForLonger) {
  OrderCase of;
  of.engines = 2;
  for (const bool resumes : {false, true}) {
    of.sent = {{0, 1}, {0, 4}};
    OneInjector one(of);
    one.message(1).available_bytes = 3 * kPacketBytes;
    one.at(1000, [&] {
      one.message(1).available_bytes = 4 * kPacketBytes;
      if (resumes)
        one.injector.resume(1000);
      else
        one.injector.proceed(one.message(1), 1000);
    });
    one.run();
    EXPECT_EQ(one.ends, (std::vector<TimePs>{100, 1100}));
  }
}

TEST(InjectionOrder, AnEngineThatIsIdleTakesWhatIsThereWhileAnotherWaits) {
  OrderCase of;
  of.engines = 2;
  of.sent = {{0, 2}, {0, 1}};
  OneInjector one(of);
  one.message(0).available_bytes = kPacketBytes;
  one.message(1).available_bytes = 0;
  const auto read = [&](std::size_t number, std::uint64_t packets, TimePs at) {
    one.at(at, [&one, number, packets, at] {
      one.message(number).available_bytes = packets * kPacketBytes;
      one.injector.resume(at);
    });
  };
  read(1, 1, 1000);
  read(0, 2, 2000);
  one.run();
  EXPECT_EQ(one.ends, (std::vector<TimePs>{2100, 1100}));
}

TEST(InjectionOrder, AMessageThatGoesBackIsSentAgainByItsEngine) {
  OrderCase of;
  of.sent = {{0, 3}, {0, 1}};
  OneInjector one(of);
  one.message(0).available_bytes = 2 * kPacketBytes;
  one.at(500, [&] { one.injector.move_to(one.message(0), 1, 500); });
  one.at(900, [&] {
    one.message(0).available_bytes = 3 * kPacketBytes;
    one.injector.resume(900);
  });
  one.run();
  EXPECT_EQ(one.ends, (std::vector<TimePs>{1000, 1100}));
  std::vector<std::uint64_t> sequence;
  for (const auto& [message, number] : one.left)
    if (message == &one.message(0)) sequence.push_back(number);
  EXPECT_EQ(sequence, (std::vector<std::uint64_t>{0, 1, 1, 2}));
}

TEST(InjectionOrder, AMessageThatIsAcknowledgedMeanwhileLeavesItsEngine) {
  OrderCase of;
  of.sent = {{0, 3}, {0, 1}};
  OneInjector one(of);
  one.message(0).available_bytes = 2 * kPacketBytes;
  one.at(500, [&] { one.injector.move_to(one.message(0), 3, 500); });
  one.run();
  EXPECT_EQ(one.ends, (std::vector<TimePs>{500, 600}));
}

/// The same again, written from what the header says: engines, queues, one link, rooms.
std::vector<TimePs> expected(const OrderCase& of) {
  struct Engine {
    std::optional<std::size_t> has, waiting;  // the message that it is at; that of its packet
    TimePs read = 0;
  };
  struct Channel {
    std::vector<Engine> engines;
    std::deque<std::size_t> queue;
    std::size_t next = 0;
    std::uint64_t room;
  };
  std::vector<Channel> channels(kClasses);
  for (Channel& each : channels) {
    each.engines.resize(of.engines);
    each.room = of.room;
  }
  std::vector<std::uint64_t> left;
  std::map<TimePs, std::vector<std::size_t>> sends, returns;
  for (std::size_t n = 0; n < of.sent.size(); ++n) {
    left.push_back(of.sent[n].packets);
    sends[of.sent[n].at].push_back(n);
  }
  std::vector<TimePs> ends(of.sent.size()), read(of.sent.size());
  const auto take = [&](Channel& channel, Engine& engine, TimePs now) {
    std::size_t message = 0;
    if (engine.has) {
      message = *engine.has;
    } else {
      if (channel.queue.empty()) return;
      message = channel.queue.front();
      channel.queue.pop_front();
    }
    engine.read = read[message] = std::max({now, engine.read, read[message]}) + 1;
    engine.waiting = message;
    --left[message];
    engine.has.reset();
    if (of.order == InjectionOrder::message && left[message] != 0) engine.has = message;
  };
  TimePs link_free = 0;
  for (TimePs now = 0; !sends.empty() || !returns.empty() || now <= link_free; ++now) {
    if (const auto sent = sends.extract(now))
      for (const std::size_t message : sent.mapped()) {
        Channel& channel = channels[of.sent[message].traffic_class];
        channel.queue.push_back(message);
        Engine* idle = nullptr;
        for (Engine& each : channel.engines)
          if (!each.waiting && (!idle || each.read < idle->read)) idle = &each;
        if (idle) take(channel, *idle, now);
      }
    if (const auto back = returns.extract(now))
      for (const std::size_t channel : back.mapped()) ++channels[channel].room;
    if (now < link_free) continue;
    for (std::size_t c = 0; c < kClasses; ++c) {
      Channel& channel = channels[c];
      if (channel.room == 0) continue;
      std::size_t engine = 0;
      while (engine < of.engines && !channel.engines[(channel.next + engine) % of.engines].waiting) ++engine;
      if (engine == of.engines) continue;
      const std::size_t number = (channel.next + engine) % of.engines;
      Engine& by = channel.engines[number];
      const std::size_t message = *by.waiting;
      channel.next = (number + 1) % of.engines;
      link_free = now + kPacketTime;
      --channel.room;
      returns[link_free + of.credit_delay].push_back(c);
      by.waiting.reset();
      const bool waits_for_a_turn = of.order == InjectionOrder::packet && left[message] != 0;
      if (waits_for_a_turn) channel.queue.push_back(message);
      if (left[message] == 0) ends[message] = link_free;
      take(channel, by, now);
      break;
    }
  }
  return ends;
}

TEST(InjectionOrder, IsThatOfASmallModel) {
  std::mt19937 random(5);
  const auto up_to = [&](std::uint64_t most) { return random() % (most + 1); };
  for (int number = 0; number < test::random_cases(400, 40); ++number) {
    OrderCase of;
    of.order = up_to(1) == 0 ? InjectionOrder::packet : InjectionOrder::message;
    of.engines = static_cast<std::uint32_t>(1 + up_to(4));
    if (up_to(1) == 0) of.room = 1 + up_to(3);
    of.credit_delay = 10 * up_to(40);
    for (std::uint64_t n = 2 + up_to(12); n > 0; --n)
      of.sent.push_back({10 * up_to(120), 1 + up_to(6), up_to(kClasses - 1)});
    EXPECT_EQ(simulated(of), expected(of)) << "case " << number;
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace wafertlm
