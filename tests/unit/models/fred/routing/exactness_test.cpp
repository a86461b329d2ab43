// SPDX-License-Identifier: Apache-2.0
// What the router calls possible and impossible, against two independent searches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/models/fred/routing/carried.h"

namespace wafertlm {
namespace {

using Masks = std::vector<std::uint32_t>;  ///< inputs (bits) at each output port

/// Everything that can arrive at the outputs of FRED_m(3): chains of three RD-µswitches on lanes (0,1),
/// (1,2), (0,1).
std::set<Masks> reach_of_three() {
  std::set<Masks> reached = {{1, 2, 4}};
  for (const auto& pair : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 2}, {0, 1}}) {
    const std::size_t a = pair.first, b = pair.second;
    std::set<Masks> next;
    for (const Masks& lanes : reached)
      for (std::uint32_t to_a = 0; to_a < 4; ++to_a)
        for (std::uint32_t to_b = 0; to_b < 4; ++to_b) {
          if (to_a != to_b && (to_a & to_b)) continue;
          const auto taken = [&](std::uint32_t takes) {
            return (takes & 1 ? lanes[a] : 0) + (takes & 2 ? lanes[b] : 0);
          };
          if ((to_a == 3 || to_b == 3) && (lanes[a] & lanes[b])) continue;  // would count twice
          Masks out = lanes;
          out[a] = taken(to_a);
          out[b] = taken(to_b);
          next.insert(out);
        }
    reached = next;
  }
  return reached;
}

/// Everything that can arrive at the outputs of FRED_m(P), P = 2 to 5, over all settings of all µswitches.
std::set<Masks> reach(std::uint32_t m, std::uint32_t ports) {
  if (ports == 3) return reach_of_three();
  if (ports == 2) {
    std::set<Masks> reached;
    for (std::uint32_t a = 0; a < 4; ++a)
      for (std::uint32_t b = 0; b < 4; ++b)
        if (a == b || !(a & b)) reached.insert({a, b});
    return reached;
  }
  const std::uint32_t middles = (ports + 1) / 2;
  const std::set<Masks> one = reach(m, middles);
  // What the m middle switches hold, middle switch after middle switch: each input chooses one or none.
  std::set<Masks> at_middles;
  std::uint32_t settings = 1;
  for (std::uint32_t i = 0; i < ports; ++i) settings *= m + 1;
  for (std::uint32_t setting = 0; setting < settings; ++setting) {
    std::vector<Masks> into(m, Masks(middles));
    std::uint32_t rest = setting;
    for (std::uint32_t port = 0; port < ports; ++port, rest /= m + 1)
      if (rest % (m + 1)) into[rest % (m + 1) - 1][port / 2] |= 1U << port;
    std::set<Masks> so_far = {{}};
    for (const Masks& middle : into) {
      std::set<Masks> out, next;
      for (const Masks& through : one) {
        Masks carried(middles);
        for (std::uint32_t o = 0; o < middles; ++o)
          for (std::uint32_t i = 0; i < middles; ++i)
            if (through[o] >> i & 1U) carried[o] |= middle[i];
        out.insert(carried);
      }
      for (const Masks& before : so_far)
        for (const Masks& here : out) {
          Masks both = before;
          both.insert(both.end(), here.begin(), here.end());
          next.insert(both);
        }
      so_far = next;
    }
    at_middles.insert(so_far.begin(), so_far.end());
  }
  std::set<Masks> reached;  // each output takes from one middle switch or none
  for (const Masks& held : at_middles)
    for (std::uint32_t setting = 0; setting < settings; ++setting) {
      Masks out(ports);
      std::uint32_t rest = setting;
      for (std::uint32_t port = 0; port < ports; ++port, rest /= m + 1)
        if (rest % (m + 1)) out[port] = held[(rest % (m + 1) - 1) * middles + port / 2];
      reached.insert(out);
    }
  return reached;
}

/// All sets of flows: each input and each output port belongs to one of up to `ports` flows or to none.
std::set<Masks> all_sets(std::uint32_t ports) {
  std::set<Masks> sets;
  std::uint32_t settings = 1;
  for (std::uint32_t i = 0; i < ports; ++i) settings *= ports + 1;
  const auto digits = [&](std::uint32_t setting) {
    std::vector<std::uint32_t> owner;
    for (std::uint32_t port = 0; port < ports; ++port, setting /= ports + 1)
      owner.push_back(setting % (ports + 1));
    return owner;
  };
  for (std::uint32_t in = 0; in < settings; ++in) {
    const auto input_owner = digits(in);
    // Flows are numbered by their first input.
    std::uint32_t highest = 0;
    bool canonical = true;
    for (const std::uint32_t owner : input_owner) {
      canonical &= owner <= highest + 1;
      highest = std::max(highest, owner);
    }
    if (!canonical) continue;
    for (std::uint32_t out = 0; out < settings; ++out) {
      const auto output_owner = digits(out);
      Masks masks(ports);
      std::uint32_t used = 0, wanted = 0;
      for (std::uint32_t port = 0; port < ports; ++port) {
        if (input_owner[port]) used |= 1U << input_owner[port];
        if (output_owner[port]) wanted |= 1U << output_owner[port];
        for (std::uint32_t input = 0; output_owner[port] && input < ports; ++input)
          if (input_owner[input] == output_owner[port]) masks[port] |= 1U << input;
      }
      if (used == wanted) sets.insert(masks);
    }
  }
  return sets;
}

std::vector<FredFlow> flows_of(const Masks& masks) {
  std::vector<FredFlow> flows;
  std::vector<std::uint32_t> seen;
  for (std::uint32_t output = 0; output < masks.size(); ++output) {
    if (!masks[output]) continue;
    const auto found = std::find(seen.begin(), seen.end(), masks[output]);
    if (found != seen.end()) {
      flows[static_cast<std::size_t>(found - seen.begin())].outputs.push_back(output);
      continue;
    }
    seen.push_back(masks[output]);
    flows.push_back({{}, {output}});
    for (std::uint32_t input = 0; input < masks.size(); ++input)
      if (masks[output] >> input & 1U) flows.back().inputs.push_back(input);
  }
  return flows;
}

// Every set of flows there is, against every setting of every µswitch there is.
TEST(FredExactness, BacktrackingIsRightAboutEverySetOfFlows) {
  for (const auto& [m, ports] :
       {std::pair<std::uint32_t, std::uint32_t>{1, 2}, {1, 3}, {1, 4}, {2, 4}, {3, 4}}) {
    const std::set<Masks> reached = reach(m, ports);
    const FredNetwork network(m, ports);
    const FredRouter router(network);
    std::size_t routed = 0, first = 0;
    const std::set<Masks> sets = all_sets(ports);
    for (const Masks& masks : sets) {
      const std::vector<FredFlow> flows = flows_of(masks);
      const FredRouting routing = router.route(flows, {FredRouteMode::backtracking});
      ASSERT_EQ(routing.status, reached.count(masks) ? FredRouteStatus::routed : FredRouteStatus::impossible)
          << routing.reason;
      if (routing.routed()) {
        ASSERT_TRUE(test::carries(network, flows, routing.configuration));
      }
      routed += routing.routed();
      first += router.route(flows).routed();
    }
    fmt::print("FRED_{}({}): {} of {} sets of flows route, {} with the first colouring\n", m, ports, routed,
               sets.size(), first);
  }
}

/// Whether any colouring of all levels routes: all m^flows of them, no symmetry, nothing remembered.
bool any_colouring(std::uint32_t m, std::uint32_t ports, const std::vector<FredFlow>& flows) {
  static const std::set<Masks> three = reach_of_three();
  if (ports == 2 || flows.empty()) return true;
  if (ports == 3) {
    Masks wanted(3);
    for (const FredFlow& flow : flows)
      for (const std::uint32_t output : flow.outputs)
        for (const std::uint32_t input : flow.inputs) wanted[output] |= 1U << input;
    return three.count(wanted) != 0;
  }
  std::vector<std::uint32_t> middle(flows.size());
  while (true) {
    bool works = true;
    for (std::uint32_t c = 0; c < m && works; ++c) {
      std::vector<FredFlow> chosen;
      std::set<std::uint32_t> in, out;
      for (std::size_t f = 0; f < flows.size(); ++f) {
        if (middle[f] != c) continue;
        std::set<std::uint32_t> from, to;
        for (const std::uint32_t port : flows[f].inputs) from.insert(port / 2);
        for (const std::uint32_t port : flows[f].outputs) to.insert(port / 2);
        for (const std::uint32_t port : from) works &= in.insert(port).second;
        for (const std::uint32_t port : to) works &= out.insert(port).second;
        chosen.push_back({{from.begin(), from.end()}, {to.begin(), to.end()}});
      }
      works = works && any_colouring(m, (ports + 1) / 2, chosen);
    }
    if (works) return true;
    std::size_t i = 0;
    while (i < middle.size() && ++middle[i] == m) middle[i++] = 0;
    if (i == middle.size()) return false;
  }
}

TEST(FredExactness, BacktrackingAgreesWithAllColourings) {
  std::mt19937_64 random(11);
  std::size_t more = 0, impossible = 0, sets = 0;
  for (const std::uint32_t m : {1U, 2U, 3U})
    for (std::uint32_t ports = 5; ports <= 12; ++ports) {
      const FredNetwork network(m, ports);
      const FredRouter router(network);
      for (int round = 0; round < 80; ++round) {
        const std::vector<FredFlow> flows = test::random_flows(ports, random);
        if (flows.size() > 6) continue;
        ++sets;
        const FredRouting routing = router.route(flows, {FredRouteMode::backtracking});
        ASSERT_EQ(routing.status,
                  any_colouring(m, ports, flows) ? FredRouteStatus::routed : FredRouteStatus::impossible)
            << routing.reason;
        more += routing.routed() && !router.route(flows).routed();
        impossible += !routing.routed();
      }
    }
  fmt::print("{} sets, {} impossible, {} that only backtracking routes\n", sets, impossible, more);
  EXPECT_GT(impossible, 20U);
  EXPECT_GT(more, 0U);
}

}  // namespace
}  // namespace wafertlm
