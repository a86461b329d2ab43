// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <random>

#include "workloads/collectives/scheduled/sends.h"

namespace wafertlm::test {

inline void add_link(RankLinks& links, std::uint32_t from, std::uint32_t to, std::uint64_t bytes_per_s) {
  links.out[from].push_back(static_cast<std::uint32_t>(links.links.size()));
  links.in[to].push_back(static_cast<std::uint32_t>(links.links.size()));
  links.links.push_back({from, to, bytes_per_s, 0});
}

inline RankLinks ranks_without_links(std::uint32_t ranks) {
  RankLinks links;
  links.ranks = ranks;
  links.out.resize(ranks);
  links.in.resize(ranks);
  links.ports_out.assign(ranks, std::uint64_t{1} << 40);
  links.ports_in = links.ports_out;
  return links;
}

/// A ring both ways and random links, each of one of four rates, up to ten times as fast as the slowest.
inline RankLinks random_rank_links(std::mt19937_64& random, std::uint32_t ranks) {
  static constexpr std::uint64_t kRates[] = {100, 200, 500, 1000};
  RankLinks links = ranks_without_links(ranks);
  const auto rate = [&] { return kRates[random() % 4] * 1'000'000'000; };
  for (std::uint32_t rank = 0; rank < ranks && ranks > 1; ++rank) {
    add_link(links, rank, (rank + 1) % ranks, rate());
    add_link(links, (rank + 1) % ranks, rank, rate());
  }
  for (std::uint64_t more = random() % (2 * ranks); more > 0; --more) {
    const auto from = static_cast<std::uint32_t>(random() % ranks),
               to = static_cast<std::uint32_t>(random() % ranks);
    if (from != to) add_link(links, from, to, rate());
  }
  return links;
}

inline RankLinks mesh_rank_links(std::uint32_t width, std::uint32_t height) {
  RankLinks links = ranks_without_links(width * height);
  const auto both = [&](std::uint32_t a, std::uint32_t b) {
    add_link(links, a, b, 750'000'000'000);
    add_link(links, b, a, 750'000'000'000);
  };
  for (std::uint32_t at = 0; at < links.ranks; ++at) {
    if (at % width + 1 < width) both(at, at + 1);
    if (at + width < links.ranks) both(at, at + width);
  }
  return links;
}

/// Of pieces of so many bytes, 100 ns under way.
inline LinkTimes times_of(const RankLinks& links, std::uint64_t bytes) {
  LinkTimes times;
  for (const RankLinks::Link& link : links.links) {
    times.slots.push_back(transfer_time_ps(bytes, link.bytes_per_s));
    times.hops.push_back(times.slots.back() + 100'000);
  }
  return times;
}

}  // namespace wafertlm::test
