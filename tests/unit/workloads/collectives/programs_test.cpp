// SPDX-License-Identifier: Apache-2.0
// Programs run by a tiny executor without time or fabric: whatever the order, every rank must hold what the
// collective is defined to give.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "workloads/collectives/planner.h"

namespace wafertlm {
namespace {

FabricTraits wafer_5x4() {
  FabricTraits traits;
  traits.width = 5;
  traits.height = 4;
  traits.link_bytes_per_s = 750'000'000'000;
  traits.injection_bytes_per_s = traits.ejection_bytes_per_s = 3'000'000'000'000;
  traits.hop_latency_ps = 20'000;
  return traits;
}

Group first_npus(std::uint32_t count) {
  Group group;
  for (std::uint32_t npu = 0; npu < count; ++npu) group.push_back(static_cast<NpuId>(npu));
  return group;
}

using Buffer = std::vector<std::uint8_t>;

/// Bytes instead of INT32: addition modulo 256 works for every size.
std::vector<Buffer> execute(const CollectiveProgram& program, std::vector<Buffer> buffers) {
  struct Strand {
    std::uint32_t done = 0;
  };
  std::vector<std::vector<Strand>> strands;
  for (const auto& rank : program.ranks) strands.emplace_back(rank->strands());
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, Buffer> wire;  // (from, to, tag)
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t r = 0; r < program.ranks.size(); ++r)
      for (std::uint32_t s = 0; s < strands[r].size(); ++s) {
        Strand& strand = strands[r][s];
        if (strand.done == program.ranks[r]->steps(s)) continue;
        const Step step = program.ranks[r]->step(s, strand.done);
        if (step.after_strand != Step::kNone && strands[r][step.after_strand].done < step.after_count)
          continue;
        if (step.bytes != 0 && step.kind == Step::Kind::send) {
          const auto from = buffers[r].begin() + static_cast<std::ptrdiff_t>(step.offset);
          if (!wire.emplace(std::make_tuple(r, step.peer, step.tag),
                            Buffer(from, from + static_cast<std::ptrdiff_t>(step.bytes)))
                   .second)
            throw std::logic_error("two messages with one tag");
        } else if (step.bytes != 0) {
          const auto found = wire.find({step.peer, r, step.tag});
          if (found == wire.end()) continue;
          if (found->second.size() != step.bytes) throw std::logic_error("sizes differ");
          for (std::uint64_t i = 0; i < step.bytes; ++i) {
            std::uint8_t& to = buffers[r][step.offset + i];
            to = static_cast<std::uint8_t>(found->second[i] + (step.kind == Step::Kind::reduce ? to : 0));
          }
          wire.erase(found);
        }
        ++strand.done;
        moved = true;
      }
  }
  for (std::uint32_t r = 0; r < program.ranks.size(); ++r)
    for (std::uint32_t s = 0; s < strands[r].size(); ++s)
      if (strands[r][s].done != program.ranks[r]->steps(s)) throw std::logic_error("deadlock");
  if (!wire.empty()) throw std::logic_error("a message was not received");
  return buffers;
}

std::uint8_t value(std::uint64_t rank, std::uint64_t byte) {
  return static_cast<std::uint8_t>(rank * 37 + byte * 11 + 5);
}

/// Block b of `bytes` in p blocks: whole INT32 values if there are any, the first blocks one element longer.
std::pair<std::uint64_t, std::uint64_t> block(std::uint64_t bytes, std::uint64_t p, std::uint64_t b) {
  const std::uint64_t element = bytes % 4 == 0 ? 4 : 1, elements = bytes / element;
  std::uint64_t offset = 0, length = 0;
  for (std::uint64_t i = 0; i <= b; ++i) {
    offset += length;
    length = (elements / p + (i < elements % p ? 1 : 0)) * element;
  }
  return {offset, length};
}

void expect_definition(const CollectiveRequest& request) {
  const auto program = plan_collective(request, wafer_5x4());
  const std::uint64_t p = request.group.size();
  std::vector<Buffer> buffers(p, Buffer(program->buffer_bytes));
  for (std::uint64_t r = 0; r < p; ++r)
    for (std::uint64_t i = 0; i < request.bytes; ++i) buffers[r][i] = value(r, i);
  const std::vector<Buffer> after = execute(*program, buffers);
  for (std::uint64_t r = 0; r < p; ++r) {
    const auto [own, own_length] = block(request.bytes, p, r);
    for (std::uint64_t b = 0; b < p; ++b) {
      const auto [offset, length] = block(request.bytes, p, b);
      for (std::uint64_t i = 0; i < length; ++i) {
        std::uint8_t sum = 0;
        for (std::uint64_t from = 0; from < p; ++from)
          sum = static_cast<std::uint8_t>(sum + value(from, offset + i));
        if (request.type == CollectiveType::all_reduce ||
            (request.type == CollectiveType::reduce_scatter && b == r)) {
          ASSERT_EQ(after[r][offset + i], sum) << "rank " << r << " of " << p << " byte " << offset + i;
        } else if (request.type == CollectiveType::all_gather) {
          ASSERT_EQ(after[r][offset + i], value(b, offset + i)) << "rank " << r << " of " << p;
        }
      }
      for (std::uint64_t i = 0; request.type == CollectiveType::all_to_all && b != r && i < own_length; ++i) {
        ASSERT_EQ(after[r][request.bytes + b * own_length + i], value(b, own + i))
            << "rank " << r << " from " << b;
      }
    }
  }
}

TEST(Programs, GiveWhatTheCollectiveIsDefinedToGive) {
  std::size_t cases = 0;
  for (const CollectiveType type : kCollectiveTypes)
    for (const std::string& algorithm : algorithms_for(type))
      for (const std::uint32_t ranks : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 9U, 16U, 20U})
        for (const std::uint64_t bytes : {0U, 4U, 12U, 1000U, 1001U})
          for (const std::uint32_t chunks : {1U, 3U, 64U}) {
            expect_definition({type, first_npus(ranks), bytes, algorithm, chunks});
            ++cases;
          }
  EXPECT_EQ(cases, 7U * 10 * 5 * 3);
}

TEST(Planner, TheRingOfARectangleWithAnEvenSideIsACycleOfNeighbours) {
  for (std::uint32_t w = 2; w <= 6; ++w)
    for (std::uint32_t h = 2; h <= 6; ++h) {
      if (w % 2 == 1 && h % 2 == 1) continue;
      FabricTraits traits = wafer_5x4();
      traits.width = w;
      traits.height = h;
      const Group group = first_npus(w * h);
      const std::vector<std::uint32_t> order = ring_order(group, traits);
      for (std::size_t i = 0; i < order.size(); ++i)
        EXPECT_EQ(traits.hops(group[order[i]], group[order[(i + 1) % order.size()]]), 1U) << w << "x" << h;
    }
}

TEST(Planner, RefusesWhatCannotBe) {
  EXPECT_THROW(plan_collective({CollectiveType::all_reduce, {}, 4, "", 1}, wafer_5x4()),
               std::invalid_argument);
  EXPECT_THROW(plan_collective({CollectiveType::all_reduce, {NpuId{20}}, 4, "", 1}, wafer_5x4()),
               std::invalid_argument);
  EXPECT_THROW(plan_collective({CollectiveType::all_reduce, {NpuId{1}, NpuId{1}}, 4, "", 1}, wafer_5x4()),
               std::invalid_argument);
  EXPECT_THROW(plan_collective({CollectiveType::all_to_all, first_npus(4), 4, "ring", 1}, wafer_5x4()),
               std::invalid_argument);
}

// Bounds of collectives.md on 5x4 with 750 GB/s links: corners 1.5, edges 2.25, inner NPUs 3 TB/s.
TEST(Cost, BoundsOfTheWholeWafer) {
  const FabricTraits wafer = wafer_5x4();
  const std::uint64_t bytes = 20'000'000;
  const auto bound = [&](CollectiveType type) {
    const CollectiveRequest request{type, first_npus(20), bytes, "", 1};
    return cost_of(*plan_collective(request, wafer), request, wafer).bound_ps;
  };
  // 2 (p - 1) S / sum B = 38 * 20 MB / (4 * 1.5 + 10 * 2.25 + 6 * 3 TB/s) = 16.34 us
  EXPECT_EQ(bound(CollectiveType::all_reduce), 16'344'086U);
  // (p - 1) / p * S / B of a corner = 19 MB / 1.5 TB/s
  EXPECT_EQ(bound(CollectiveType::all_gather), 12'666'666U);
  EXPECT_EQ(bound(CollectiveType::reduce_scatter), 12'666'666U);
  // 10 * 10 blocks of 1 MB across the 5 links of the middle cut = 100 MB / 3.75 TB/s (the 8 x 12 cut: 96 MB /
  // 3 TB/s)
  EXPECT_EQ(bound(CollectiveType::all_to_all), 32'000'000U);
}

}  // namespace
}  // namespace wafertlm
