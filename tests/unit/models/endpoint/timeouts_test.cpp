// SPDX-License-Identifier: Apache-2.0
// When a sender that hears nothing repeats: an endpoint whose packets the test takes off the wire.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <vector>

#include "models/endpoint/endpoint.h"
#include "tests/support/flow_cases.h"

namespace wafertlm::test {
namespace {

constexpr TimePs kTimeout = 1'000'000;

class Wire : public EndpointHost {
 public:
  Wire() : endpoint(NpuId{0}, injector(), reliable_classes(), packets, messages, *this, params()) {}
  /// The message is under way for ever.
  ~Wire() {
    if (message) delete message->reliable;
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  static InjectorParams injector() {
    InjectorParams made;
    made.format.packet_bytes = 100;
    made.link.bytes_per_s = 1'000'000'000'000;
    made.link.buffer_bytes = made.link.flow_buffer_bytes = 10'000;
    made.answers = true;
    return made;
  }
  static EndpointParams params() {
    EndpointParams made;
    made.reliability = go_back_n();
    made.reliability->timeout_ps = kTimeout;
    made.reliability->window = 1;
    made.reliability->ack_every = 1;
    return made;
  }
  void run(TimePs until) {
    while (!events.empty() && events.begin()->first <= until) {
      const auto event = events.begin()->second;
      now = events.begin()->first;
      events.erase(events.begin());
      event();
    }
    now = until;
  }

  void inject(Packet& packet, TimePs head_ps) override {
    sent.push_back({packet.sequence, head_ps});
    message = packet.message;
    endpoint.credit(packet, packet.tail_ps, now);
    kept.push_back(&packet);  // it never arrives
  }
  void request_injector_wake(TimePs at) override {
    events.emplace(at, [this] { endpoint.wake_injector(now); });
  }
  void request_timer_wake(TimePs at) override {
    events.emplace(at, [this] { endpoint.wake_timer(now); });
  }
  void communication_done(std::uint64_t) override {}

  struct Sent {
    std::uint64_t sequence;
    TimePs at;
  };
  PacketPool packets;
  MessagePool messages;
  std::multimap<TimePs, std::function<void()>> events;
  TimePs now = 0;
  std::vector<Sent> sent;
  std::vector<Packet*> kept;
  Message* message = nullptr;
  Endpoint endpoint;
};

/// From one sending to the next, in timeouts.
std::vector<std::uint64_t> pauses(const std::vector<Wire::Sent>& sent, std::size_t from) {
  std::vector<std::uint64_t> found;
  for (std::size_t k = from + 1; k < sent.size(); ++k)
    found.push_back((sent[k].at - sent[k - 1].at + kTimeout / 2) / kTimeout);
  return found;
}

TEST(Timeouts, DoubleEachTimeInARow) {
  Wire wire;
  wire.endpoint.start_send(NpuId{1}, 3, 100, ClassId{2}, 7, 0);
  wire.run(64 * kTimeout - 1);
  EXPECT_EQ(pauses(wire.sent, 0), (std::vector<std::uint64_t>{1, 2, 4, 8, 16, 32}));
}

TEST(Timeouts, BeginAgainWithTheFirstWhenSomethingIsHeard) {
  Wire wire;
  wire.endpoint.start_send(NpuId{1}, 3, 300, ClassId{2}, 7, 0);
  wire.run(4 * kTimeout);  // three sendings of the first packet
  ASSERT_EQ(wire.sent.size(), 3U);
  Packet& answer = wire.packets.acquire();
  answer.kind = PacketKind::ack;
  answer.sequence = 1;
  answer.source = NpuId{1};
  answer.traffic_class = ClassId{3};
  answer.vc = VcId{3};
  answer.wire_bytes = 64;
  answer.message = wire.message;
  answer.tail_ps = wire.now;
  ++wire.message->reliable->holders;
  wire.endpoint.receive(answer, wire.now);
  wire.run(4 * kTimeout + 7 * kTimeout - 1);
  ASSERT_EQ(wire.sent.size(), 6U);
  EXPECT_EQ(wire.sent[3].sequence, 1U);
  // The timer of the third sending runs to 7; from there on one time-out, then two.
  EXPECT_EQ(pauses(wire.sent, 3), (std::vector<std::uint64_t>{3, 2}));
}

}  // namespace
}  // namespace wafertlm::test
