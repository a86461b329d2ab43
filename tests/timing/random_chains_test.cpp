// SPDX-License-Identifier: Apache-2.0
// Random chains of links: an idle path costs Σ (latency + pipeline) + bytes/slowest, to the picosecond.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

#include "models/mesh/mesh_fabric.h"
#include "tests/support/core_network.h"
#include "tests/support/idle_paths.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {
namespace {

struct ChainLink {
  std::uint64_t bytes_per_s;
  TimePs latency_ps, pipeline_ps, credit_delay_ps;
};

struct ChainCase {
  std::vector<ChainLink> links;
  WireFormat format;
  std::uint64_t message_bytes;
  TimePs start_ps;

  std::string json() const {
    std::string text = "{\"bytes\": " + std::to_string(message_bytes) + ", \"format\": [" +
                       std::to_string(format.packet_bytes) + ", " + std::to_string(format.header_bytes) +
                       ", " + std::to_string(format.flit_bytes) + "], \"links\": [";
    for (const ChainLink& link : links)
      text += (&link == &links.front() ? "[" : ", [") + std::to_string(link.bytes_per_s) + ", " +
              std::to_string(link.latency_ps) + ", " + std::to_string(link.pipeline_ps) + "]";
    return text + "]}";
  }
};

std::uint64_t random_rate(std::mt19937_64& random) {
  constexpr std::uint64_t kRates[] = {750'000'000'000, 3'000'000'000'000, 333'333'333'333, 1'000'000'000'000,
                                      999'999'999'989};
  if (random() % 3 == 0) return kRates[random() % std::size(kRates)];
  const double exponent = 9 + static_cast<double>(random() % 4300) / 1000;  // 1 GB/s … 20 TB/s
  return static_cast<std::uint64_t>(std::pow(10.0, exponent)) + random() % 1000;
}

ChainCase random_case(std::mt19937_64& random) {
  ChainCase made;
  const std::size_t links = 1 + random() % 8;
  const bool almost_equal = random() % 3 == 0;
  const std::uint64_t common = random_rate(random);
  for (std::size_t i = 0; i < links; ++i) {
    ChainLink link{};
    link.bytes_per_s = almost_equal ? common + random() % 7 : random_rate(random);
    link.pipeline_ps = random() % 3 == 0 ? 0 : random() % 30'000;
    link.latency_ps = random() % 4 == 0 ? random() % 3 : random() % 50'000;
    link.credit_delay_ps = random() % 2 ? 0 : random() % 50'000;
    made.links.push_back(link);
  }
  made.format.packet_bytes = 1 + static_cast<std::uint32_t>(random() % (random() % 2 ? 8192 : 300));
  made.format.header_bytes = random() % 2 ? 0 : static_cast<std::uint32_t>(random() % 65);
  made.format.flit_bytes = random() % 3 ? 0 : 1 + static_cast<std::uint32_t>(random() % 512);
  made.message_bytes = 1 + random() % (made.format.packet_bytes * (1 + random() % 40));
  made.start_ps = random() % 2 ? 0 : random() % 1'000'000;
  return made;
}

void offer_message(CoreNetwork& chain, const ChainCase& made, TimePs at) {
  Packet packet;
  packet.created_ps = at;
  for (std::uint64_t sent = 0; sent < made.message_bytes; sent += packet.payload_bytes) {
    packet.payload_bytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(made.format.packet_bytes, made.message_bytes - sent));
    packet.wire_bytes = made.format.wire_bytes(packet.payload_bytes);
    chain.offer(0, PortId{0}, packet);
  }
}

/// Two messages, the second long after the first: what the first left behind must not change it.
std::pair<TimePs, TimePs> simulate(const ChainCase& made) {
  static const OneOutput routes;
  static const ClassTable classes({{"all", 0, 1, 0}}, 1);
  CoreNetwork chain(classes);
  for (std::size_t i = 0; i < made.links.size(); ++i) {
    const ChainLink& link = made.links[i];
    const bool last = i + 1 == made.links.size();
    const TimePs round_trip =
        link.latency_ps + (last ? 0 : made.links[i + 1].pipeline_ps + made.links[i + 1].credit_delay_ps);
    SwitchParams params;
    params.pipeline_ps = link.pipeline_ps;
    params.credit_delay_ps = {link.credit_delay_ps};
    params.input_queue = i % 2 ? InputQueue::fifo : InputQueue::per_output;
    params.outputs = {
        {link.bytes_per_s, link.latency_ps, auto_buffer_bytes(link.bytes_per_s, round_trip, made.format)}};
    chain.add_switch(params, routes);
    if (i > 0) chain.connect(i - 1, PortId{0}, i, PortId{0});
  }
  TimePs end = 0;
  chain.on_delivery = [&](const Packet& packet) { end = std::max(end, packet.tail_ps); };
  offer_message(chain, made, made.start_ps);
  chain.run();
  const TimePs first = end - made.start_ps;
  const TimePs again = std::max(end, chain.now()) + 777'777'777;
  offer_message(chain, made, again);
  chain.run();
  EXPECT_TRUE(chain.at_rest());
  return {first, end - again};
}

TEST(IdlePath, TenThousandRandomChains) {
  constexpr int kChains = 10'000;
  std::mt19937_64 random(20'250'601);
  std::vector<ChainCase> cases;
  std::vector<std::string> texts;
  for (int i = 0; i < kChains; ++i) {
    cases.push_back(random_case(random));
    texts.push_back(cases.back().json());
  }
  const std::vector<TimePs> expected = test::expected_idle_times(texts);
  int exact = 0, shown = 0;
  std::uint64_t packets = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto [first, second] = simulate(cases[i]);
    packets += 2 * cases[i].format.packets(cases[i].message_bytes);
    if (first == expected[i] && second == expected[i])
      ++exact;
    else if (++shown <= 10)
      ADD_FAILURE() << "chain " << i << ": " << first << " and " << second << " ps, expected " << expected[i]
                    << "\n"
                    << texts[i];
  }
  std::printf("%d chains of 1 to 8 links, %llu packets: %d exact to the picosecond, %d not\n", kChains,
              static_cast<unsigned long long>(packets), exact, kChains - exact);
  EXPECT_EQ(exact, kChains);
}

}  // namespace
}  // namespace wafertlm
