// SPDX-License-Identifier: Apache-2.0
// Links that get slower, flap or go down while packets are on their way: times by hand, and random ones.
#include <gtest/gtest.h>

#include "models/mesh/mesh_geometry.h"
#include "platform/text/config_error.h"
#include "tests/collectives/random_fabrics.h"
#include "tests/support/random_cases.h"
#include "tests/support/refusal.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {
namespace {

using Overrides = std::vector<std::string>;

// On the 5x4 wafer 4096 B take 5461⅓ ps of a link (750 GB/s), a hop 20 ns.
constexpr std::uint64_t kPackets = 100, kBytes = kPackets * 4096;

Overrides faulty(const std::string& faults, Overrides more = {}) {
  more.push_back("run.faults=[" + faults + "]");
  return more;
}

/// Of a message from one NPU to another, on the 5x4 wafer.
TimePs message_of(std::uint32_t from, std::uint32_t to, const Overrides& overrides,
                  std::uint64_t bytes = kBytes) {
  return test::outcome(test::platform(overrides),
                       {CollectiveType::broadcast, test::npus({from, to}), bytes, "direct"})["time"]
      .get<TimePs>();
}

TEST(RunFaults, PacketsThatStartAtTheTimeOrLaterGoAtTheNewRate) {
  EXPECT_EQ(message_of(6, 7, {}), 20'000U + 546'134);  // 100 · 5461⅓, rounded up
  // 37 packets start before 200 ns, the last at 196'608 ps; 63 take 10922⅔ ps each.
  EXPECT_EQ(message_of(6, 7, faulty("{at: 200 ns, link: 6-7, rate_percent: 50}")), 20'000U + 890'198);
  // The fourth starts at 16'384 ps: at the new rate if that comes then, at the old one a picosecond later.
  const auto from = [](const std::string& at) {
    return message_of(6, 7, faulty("{at: " + at + ", link: \"6->7\", rate_percent: 50}"), 4 * 4096);
  };
  EXPECT_EQ(from("16384 ps"), 20'000U + 16'384 + 10'923);
  EXPECT_EQ(from("16385 ps"), 20'000U + 21'846);
}

TEST(RunFaults, AFlapCostsItsLengthFromTheEndOfThePacketOnTheLink) {
  // The 37th packet is through at 202'069⅓ ps, and 63 follow from 250 ns on.
  EXPECT_EQ(message_of(6, 7, faulty("{at: 200 ns, for: 50 ns, link: 6-7, rate_percent: 0}")),
            20'000U + 250'000 + 344'064);
  // One that is over before that packet is through costs nothing.
  EXPECT_EQ(message_of(6, 7, faulty("{at: 200 ns, for: 2069 ps, link: 6-7, rate_percent: 0}")),
            message_of(6, 7, {}));
}

TEST(RunFaults, TheRateIsBackAfterwards) {
  // From 200 to 300 ns at half the rate: 37 packets before; 9 start at 202'069⅓ + k · 10'922⅔ ps; 54 follow.
  EXPECT_EQ(message_of(6, 7, faulty("{at: 200 ns, for: 100 ns, link: 6-7, rate_percent: 50}")),
            20'000U + 202'069 + 98'304 + 294'912 + 1);
}

TEST(RunFaults, OtherLinksAndTheOtherDirectionKeepTheirRate) {
  for (const char* link : {"\"7->6\"", "7-8", "1-6"})
    EXPECT_EQ(message_of(6, 7, faulty(std::string("{at: 0 ps, link: ") + link + ", rate_percent: 1}")),
              message_of(6, 7, {}))
        << link;
}

// From the end of the packet on the link until 1 us packets wait at router 7; then they go 7, 2, 3, 8 or 7,
// 12, 13, 8: two links more for each.
TEST(RunFaults, ReroutedPacketsTakeTwoLinksMore) {
  const Overrides dies = faulty("{at: 200 ns, link: 7-8, rate_percent: 0}",
                                {"run.on_fault=reroute", "run.reroute_after=800 ns"});
  // The second link starts packet k at 20 ns + k · 5461⅓ ps, 33 before 200 ns; 67 go from 1 us on.
  EXPECT_EQ(message_of(6, 8, dies), 1'000'000U + 3 * 20'000 + 365'910);
}

TEST(RunFaults, ALinkThatNobodyNeedsMayGoDown) {
  for (const char* policy : {"wait", "reroute"})
    EXPECT_EQ(message_of(6, 7,
                         faulty("{at: 100 ns, link: 2-7, rate_percent: 0}",
                                {std::string("run.on_fault=") + policy})),
              message_of(6, 7, {}))
        << policy;
}

TEST(RunFaults, WhoWaitsForALinkThatStaysDownIsToldSo) {
  const std::string refusal = test::refusal_of<std::runtime_error>(
      [] { message_of(6, 7, faulty("{at: 200 ns, link: 6-7, rate_percent: 0}")); });
  EXPECT_NE(refusal.find("link router6->router7 is down for good since 200.0 ns (run.faults[0])"),
            std::string::npos)
      << refusal;
}

TEST(RunFaults, StopEndsTheRunAtALoss) {
  const Overrides stop{"run.on_fault=stop"};
  for (const char* fault :
       {"{at: 200 ns, link: 6-7, rate_percent: 0}", "{at: 200 ns, npu: 12, dies: true}"}) {
    const std::string refusal =
        test::refusal_of<std::runtime_error>([&] { message_of(6, 7, faulty(fault, stop)); });
    EXPECT_NE(refusal.find(" at 200.0 ns (run.faults[0]), and run.on_fault is stop"), std::string::npos)
        << refusal;
  }
}

// Checkers see each packet on its own, without them links send trains.
TEST(RunFaults, TimesAreTheSameWithCheckersAndInReverseOrder) {
  const CollectiveRequest request{CollectiveType::all_reduce, test::whole_wafer(), 2'000'000,
                                  "hierarchical_2d"};
  for (const char* fault : {"{at: 500 ns, for: 700 ns, link: 6-7, rate_percent: 0}",
                            "{at: 333333 ps, link: 12-13, rate_percent: 37}",
                            "{at: 1 us, for: 1 us, link: \"3->8\", rate_percent: 90}"}) {
    const auto spec = test::platform(faulty(fault));
    const auto checked = test::outcome(test::platform(faulty(fault, test::kProof)), request);
    const auto plain = test::outcome(spec, request);
    EXPECT_TRUE(checked["proven"].get<bool>());
    EXPECT_EQ(plain["time"], checked["time"]) << fault;
    EXPECT_EQ(plain["time"], test::outcome(spec, request, true)["time"]) << fault;
    EXPECT_GE(plain["time"], plain["bound"]);
    EXPECT_GT(plain["time"], test::outcome(test::platform(), request)["time"]) << fault;
  }
}

TEST(RunFaults, FredsUplinksGetSlowerToo) {
  const CollectiveRequest request{CollectiveType::all_reduce, test::whole_wafer(), 8'000'000, "in_network"};
  const auto whole = test::outcome(test::fred_platform("d"), request);
  const auto slow = test::outcome(
      test::fred_platform("d", test::kProof, faulty("{at: 0 ps, link: l1_0->l2_0, rate_percent: 10}")),
      request);
  EXPECT_TRUE(slow["proven"].get<bool>());
  EXPECT_GT(slow["time"].get<double>(), 1.2 * whole["time"].get<double>());
}

/// Up to four links, each at a time of its own: slower, flapping or for good.
std::string random_faults(const MeshGeometry& mesh, test::Random& random, bool for_good) {
  std::string faults;
  std::set<std::string> links;
  for (std::uint64_t k = 0; k < 1 + random() % 4; ++k) {
    const auto npu = static_cast<NpuId>(random() % mesh.npus());
    const Direction side = random() % 2 == 0 ? Direction::east : Direction::south;
    if (!mesh.has_neighbor(npu, side)) continue;
    const std::string link = fmt::format("{}{}{}", index_of(npu), random() % 3 == 0 ? "->" : "-",
                                         index_of(mesh.neighbor(npu, side)));
    if (!links.insert(fmt::format("{} {}", index_of(npu), to_string(side))).second) continue;
    faults += fmt::format("{}{{at: {} ns, link: \"{}\", rate_percent: {}{}}}", faults.empty() ? "" : ", ",
                          random() % 3000, link, for_good ? 0 : random() % 101,
                          for_good ? "" : fmt::format(", for: {} ns", 1 + random() % 2000));
  }
  return faults;
}

TEST(RunFaults, CollectivesOutliveRandomOnesInTheSmallestBuffers) {
  test::Random random(540);
  constexpr CollectiveType kTypes[] = {CollectiveType::all_reduce, CollectiveType::all_to_all,
                                       CollectiveType::all_gather};
  int rerouted = 0;
  for (int number = 0; number < test::random_cases(40, 6); ++number) {
    const bool for_good = number % 2 == 0;
    const std::string faults = random_faults(MeshGeometry(5, 4), random, for_good);
    if (faults.empty()) continue;
    Overrides overrides = faulty(faults, test::kProof);
    if (for_good) overrides.insert(overrides.end(), {"run.on_fault=reroute", "run.reroute_after=100 ns"});
    CollectiveRequest request;
    request.group = test::whole_wafer();
    request.type = test::pick(random, kTypes);
    request.bytes = 4 * request.group.size() * (1000 + random() % 20'000);
    SCOPED_TRACE(fmt::format("case {}: {} {} B, {}", number, to_string(request.type), request.bytes, faults));
    config::PlatformSpec spec;
    try {
      spec = test::platform(overrides);
      spec.wafer.fabric.buffer_bytes = 2 * spec.wafer.fabric.wire_packet_bytes();
      request.algorithm = test::pick(random, algorithms_for(request, platform_traits(spec)));
      const auto result = test::outcome(spec, request);
      EXPECT_TRUE(result["proven"].get<bool>());
      EXPECT_GE(result["time"], result["bound"]);
      EXPECT_EQ(result, test::outcome(spec, request));
      rerouted += for_good ? 1 : 0;
    } catch (const std::invalid_argument& cut_off) {
      EXPECT_NE(std::string(cut_off.what()).find("there is no way from router"), std::string::npos)
          << cut_off.what();
    }
  }
  EXPECT_GT(rerouted, 1);
}

TEST(RunFaults, BadInputIsRefusedAtItsPlace) {
  struct Bad {
    const char *faults, *words;
    Overrides more = {};
  };
  const Bad table[] = {
      {"{at: 1 us, link: 6-8, rate_percent: 50}", "there is no link router6->router8 that works"},
      {"{at: 1 us, link: six, rate_percent: 50}", "expected a link such as 5-6"},
      {"{at: 1 us, link: 6-7, rate_percent: 101}", "rate_percent"},
      {"{at: 1 us, link: 6-7}", "missing required key 'rate_percent'"},
      {"{at: 1 us, rate_percent: 10}", "rate_percent: has no effect without"},
      {"{at: 1 us}", "a fault needs a part"},
      {"{at: 1 us, npu: 3}", "give one of both"},
      {"{at: 1 us, npu: 20, speed_percent: 50}", "there is no NPU 20"},
      {"{at: 1 us, npu: 3, dies: true}", "set run.on_fault to stop"},
      {"{at: 1 us, link: 6-7, rate_percent: 50}, {at: 2 us, link: \"7->6\", rate_percent: 0}",
       "link 7->6 has another fault at that time, run.faults[0]"},
      {"{at: 1 h, link: 6-7, rate_percent: 50}", "unit"},
      {"{at: 4000 s, link: 6-7, rate_percent: 50}", "the run is given up before"},
      {"{at: 1 us, link: 6-7, rate_percent: 50}",
       "has no effect without a link that goes down for good",
       {"run.on_fault=stop"}},
      {"{at: 1 us, link: 6-7, rate_percent: 50}",
       "links of wormhole routers keep their rate",
       {"wafer.fabric.switching=wormhole", "wafer.fabric.flit_bytes=512 B"}},
      {"{at: 1 us, link: 6-7, rate_percent: 0}",
       "around wafer.defects packets go from the beginning",
       {"run.on_fault=reroute", "wafer.defects={links: [0-1]}"}},
  };
  for (const Bad& bad : table) {
    const std::string refusal =
        test::refusal_of<config::ConfigError>([&] { test::platform(faulty(bad.faults, bad.more)); });
    EXPECT_NE(refusal.find(bad.words), std::string::npos) << bad.faults << ": " << refusal;
    EXPECT_EQ(refusal.rfind("--set run.", 0), 0U) << refusal;
  }
}

}  // namespace
}  // namespace wafertlm
