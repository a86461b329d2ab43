// SPDX-License-Identifier: Apache-2.0
// Packets that leave outputs in trains take the same course as one by one: random messages through a line of
// routers with injection ports that have no latency.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "tests/support/core_network.h"
#include "tlm/packets/message.h"

namespace wafertlm {
namespace {

constexpr std::size_t kRouters = 4, kSources = 2;
// Ports of a router. Outputs: to the left, to the right, to the sink; inputs: from there.
constexpr PortId kLeft{0}, kRight{1}, kLocal{2};

struct AlongTheLine final : RouteFunction {
  explicit AlongTheLine(std::size_t at) : here(at) {}
  PortId output_for(const Packet& packet) const override {
    const std::size_t to = index_of(packet.destination);
    return to == here ? kLocal : to < here ? kLeft : kRight;
  }
  std::size_t here;
};

struct Offer {
  std::size_t from;
  PortId input;
  std::size_t message;
  Packet packet;
};

struct Job {
  SwitchParams router, injection;
  std::vector<Message> messages;
  std::vector<Offer> offers;
};

/// Long and short messages of three classes, some at the same time, on links of one speed or of several.
Job random_job(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::initializer_list<std::uint64_t> values) {
    return values.begin()[random() % values.size()];
  };
  const std::uint64_t link = one_of({750'000'000'000, 333'333'333'333, 999'999'999'989});
  const std::uint64_t packet_bytes = one_of({4096, 1000, 512});
  const TimePs latency_ps = one_of({20'000, 1, 3'333}), credit_delay_ps = one_of({20'000, 2, 7'001});
  const std::uint64_t buffer = (packet_bytes + 6) * one_of({1, 3, 12});
  Job job;
  job.router.pipeline_ps = one_of({0, 0, 500});
  job.router.credit_delay_ps.assign(3, credit_delay_ps);
  job.router.outputs = {{link, latency_ps, buffer},
                        {link, latency_ps, buffer},
                        {one_of({4, 1}) * link, one_of({0, 100}), 8 * (packet_bytes + 6)}};
  job.injection.credit_delay_ps.assign(kSources, 0);
  job.injection.outputs = {{4 * link, 0, buffer}};
  job.messages.resize(20 + random() % 20);
  for (std::size_t m = 0; m < job.messages.size(); ++m) {
    Message& message = job.messages[m];
    message.bytes = 1 + random() % (packet_bytes * one_of({1, 10, 60}));
    message.destination = static_cast<NpuId>(random() % kRouters);
    const std::size_t from = random() % kRouters;
    const auto traffic_class = static_cast<ClassId>(random() % 3);
    TimePs at = random() % 3 ? random() % 2'000'000 : 1'000'000;
    const TimePs spacing = random() % 2 ? 0 : random() % 9'000;
    for (std::uint64_t sent = 0; sent < message.bytes; at += spacing) {
      Packet packet;
      packet.payload_bytes = static_cast<std::uint32_t>(std::min(packet_bytes, message.bytes - sent));
      packet.wire_bytes = packet.payload_bytes + 6;
      packet.destination = message.destination;
      packet.traffic_class = traffic_class;
      packet.vc = static_cast<VcId>(index_of(traffic_class));
      packet.created_ps = at;
      packet.sequence = job.offers.size();
      job.offers.push_back({kRouters + from, static_cast<PortId>(m % kSources), m, packet});
      sent += packet.payload_bytes;
    }
  }
  std::stable_sort(job.offers.begin(), job.offers.end(),
                   [](const Offer& a, const Offer& b) { return a.packet.created_ps < b.packet.created_ps; });
  return job;
}

struct Course {
  std::map<std::uint64_t, std::vector<TimePs>> packets;  // by sequence: tail, and waits
  std::map<std::size_t, TimePs> ends;                    // of messages: when the sink was told of the last
  std::vector<TimePs> counters;
  std::size_t wakes = 0;
};

Course simulate(Job job, bool trains) {
  static const ClassTable classes({{"low", 0, 1, 0}, {"other", 1, 1, 0}, {"high", 2, 1, 1}}, 3);
  std::vector<AlongTheLine> routes;
  static const OneOutput out;
  for (std::size_t i = 0; i < kRouters; ++i) routes.emplace_back(i);
  CoreNetwork line(classes);
  for (std::size_t i = 0; i < kRouters; ++i) line.add_switch(job.router, routes[i]);
  for (std::size_t i = 0; i < kRouters; ++i) {
    const std::size_t injection = line.add_switch(job.injection, out);
    line.come_first(injection);
    line.connect(injection, PortId{0}, i, kLocal);
    if (i + 1 == kRouters) break;
    line.connect(i, kRight, i + 1, kLeft);
    line.connect(i + 1, kLeft, i, kRight);
  }
  if (trains) line.form_trains();
  Course course;
  line.on_delivery = [&](const Packet& packet) {
    std::vector<TimePs>& of = course.packets[packet.sequence];
    of = {packet.tail_ps, packet.head_fraction, packet.waits->queue_ps, packet.waits->credit_ps};
    for (std::size_t c = 0; c < classes.size(); ++c) of.push_back(packet.waits->contention_ps[c]);
    Message& message = *packet.message;
    message.arrived_bytes += packet.payload_bytes;
    if (message.arrived_bytes == message.bytes)
      course.ends[static_cast<std::size_t>(packet.message - job.messages.data())] = line.now();
  };
  const auto count = [&] {
    for (std::size_t i = 0; i < kRouters; ++i)
      for (std::size_t output = 0; output < 3; ++output) {
        const OutputCounters of = line.core(i).counters(static_cast<PortId>(output));
        course.counters.insert(course.counters.end(), {of.packets, of.wire_bytes, of.credit_blocked_ps,
                                                       of.queue_wait_ps, of.credit_wait_ps});
        for (std::size_t c = 0; c < classes.size(); ++c)
          course.counters.insert(course.counters.end(), {of.contention_wait_ps[c], of.longest_wait_ps[c]});
      }
  };
  for (Offer& each : job.offers) {
    each.packet.message = &job.messages[each.message];
    each.packet.waits.make();
    line.offer(each.from, each.input, each.packet);
  }
  for (const TimePs at : {TimePs{1'000'001}, TimePs{1'234'567}, TimePs{2'000'000}}) {
    line.run(at);
    count();
  }
  line.run();
  count();
  EXPECT_TRUE(line.at_rest());
  course.wakes = line.wakes();
  return course;
}

TEST(Trains, TakeTheCourseOfSinglePackets) {
  std::size_t alone = 0, together = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Job job = random_job(seed);
    const Course one_by_one = simulate(job, false), in_trains = simulate(job, true);
    EXPECT_EQ(one_by_one.packets.size(), job.offers.size());
    ASSERT_EQ(in_trains.packets, one_by_one.packets) << "job " << seed;
    ASSERT_EQ(in_trains.ends, one_by_one.ends) << "job " << seed;
    ASSERT_EQ(in_trains.counters, one_by_one.counters) << "job " << seed;
    alone += one_by_one.wakes;
    together += in_trains.wakes;
  }
  EXPECT_LT(together, alone);
}

}  // namespace
}  // namespace wafertlm
