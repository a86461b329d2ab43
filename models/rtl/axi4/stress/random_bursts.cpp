// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/axi4/stress/random_bursts.h"

#include <algorithm>
#include <set>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kWindow = 8192;  // bytes: with a boundary in its middle

std::uint32_t log2_of(std::uint32_t value) {
  std::uint32_t bits = 0;
  while ((1U << bits) < value) ++bits;
  return bits;
}

/// Moves an INCR burst that crosses a boundary so that it ends there.
void keep_off_boundary(Axi4Burst& burst) {
  burst.beats =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(burst.beats, kAxi4Boundary >> burst.size_log2));
  const auto [first, end] = burst.range();
  const std::uint64_t boundary = (first / kAxi4Boundary + 1) * kAxi4Boundary;
  if (end > boundary)
    burst.address -= (end - boundary + burst.beat_bytes() - 1) >> burst.size_log2 << burst.size_log2;
}

Axi4Burst random_burst(const Axi4Shape& shape, const std::vector<std::uint64_t>& windows, Axi4Draws& draw) {
  Axi4Burst burst;
  burst.id = static_cast<std::uint32_t>(draw(std::uint64_t{1} << shape.id_bits));
  const std::uint32_t widest = log2_of(shape.data_bytes);
  burst.size_log2 = draw(2) == 0 ? widest : static_cast<std::uint32_t>(draw(widest + 1));
  burst.address = windows[draw(windows.size())] + draw(kWindow);
  const std::uint64_t kind = draw(10);
  if (kind < 2) {
    burst.type = Axi4BurstType::wrap;
    burst.beats = 2U << draw(4);
    burst.address = burst.aligned();
  } else if (kind < 4) {
    burst.type = Axi4BurstType::fixed;
    burst.beats = static_cast<std::uint32_t>(1 + draw(16));
  } else {
    burst.beats = static_cast<std::uint32_t>(1 + draw(draw(8) == 0 ? 256 : 8));
    if (draw(2) == 0) burst.address = burst.aligned();
    keep_off_boundary(burst);
    if (draw(8) == 0) {  // up to the last byte before it
      burst.address = (burst.address / kAxi4Boundary + 1) * kAxi4Boundary - burst.bytes();
    }
  }
  const bool is_power = (burst.beats & (burst.beats - 1)) == 0;
  burst.lock = is_power && burst.beats <= 16 && burst.bytes() <= 128 && burst.address % burst.bytes() == 0 &&
               draw(4) == 0;
  return burst;
}

}  // namespace

Axi4Data random_data(Axi4Draws& draw) {
  Axi4Data data;
  for (std::size_t first = 0; first < data.size(); first += 8) {
    const std::uint64_t word = draw(~std::uint64_t{0});
    for (std::size_t k = 0; k < 8; ++k) data[first + k] = static_cast<std::uint8_t>(word >> 8 * k);
  }
  return data;
}

std::vector<Axi4Transaction> random_transactions(const Axi4Shape& shape, std::uint32_t count,
                                                 std::uint64_t seed) {
  Axi4Draws draw(seed);
  std::vector<std::uint64_t> windows;
  const std::uint64_t reach = (std::uint64_t{1} << std::min(shape.address_bits, 63U)) / kWindow;
  for (std::uint64_t n = 1 + draw(4); n != 0; --n) windows.push_back(draw(reach) * kWindow);
  std::vector<Axi4Transaction> made(count);
  for (Axi4Transaction& each : made) {
    each.tag = static_cast<std::uint64_t>(&each - made.data());
    each.write = draw(2) == 0;
    each.burst = random_burst(shape, windows, draw);
    if (!each.write) continue;
    const std::uint64_t holes = draw(4);  // none, none, some, most
    for (std::uint32_t beat = 0; beat < each.burst.beats; ++beat) {
      each.data.push_back(random_data(draw));
      std::uint64_t strobes = each.burst.lanes(beat, shape.data_bytes);
      if (holes >= 2) strobes &= draw(~std::uint64_t{0});
      if (holes == 3) strobes &= draw(~std::uint64_t{0});
      each.strobes.push_back(strobes);
    }
  }
  return made;
}

Axi4Transaction plain_transaction(const Axi4Shape& shape, bool write, std::uint64_t address,
                                  std::uint32_t beats, Axi4Draws& draw) {
  Axi4Transaction made;
  made.write = write;
  made.burst.address = address;
  made.burst.beats = beats;
  made.burst.size_log2 = log2_of(shape.data_bytes);
  for (std::uint32_t beat = 0; write && beat < beats; ++beat) {
    made.data.push_back(random_data(draw));
    made.strobes.push_back(made.burst.lanes(beat, shape.data_bytes));
  }
  return made;
}

namespace {

/// Calls visit(beat, address) for every byte of a burst. A beat ends at the next multiple of its size; a
/// WRAP burst goes on at the beginning of the multiple of its bytes that it is in.
template <class Visit>
void each_byte(const Axi4Burst& burst, const Visit& visit) {
  const std::uint64_t size = std::uint64_t{1} << burst.size_log2, all = size * burst.beats;
  std::uint64_t at = burst.address;
  for (std::uint32_t beat = 0; beat < burst.beats; ++beat) {
    const std::uint64_t first = at;
    do visit(beat, at);
    while (++at % size != 0);
    if (burst.type == Axi4BurstType::fixed) at = first;
    if (burst.type == Axi4BurstType::wrap && at % all == 0) at -= all;
  }
}

}  // namespace

void Axi4Reference::write(const Axi4Transaction& transaction, std::uint32_t data_bytes) {
  Page& page = pages_[transaction.burst.address / kAxi4Boundary];
  each_byte(transaction.burst, [&](std::uint32_t beat, std::uint64_t at) {
    const std::uint64_t lane = at % data_bytes;
    if ((transaction.strobes[beat] >> lane & 1) == 0) return;
    page.bytes[at % kAxi4Boundary] = transaction.data[beat][lane];
    page.known.set(at % kAxi4Boundary);
  });
}

std::optional<std::string> Axi4Reference::compare(const Axi4Burst& burst, const std::vector<Axi4Data>& data,
                                                  std::uint32_t data_bytes) const {
  std::optional<std::string> wrong;
  const auto page = pages_.find(burst.address / kAxi4Boundary);
  if (page == pages_.end()) return wrong;
  each_byte(burst, [&](std::uint32_t beat, std::uint64_t at) {
    const std::uint8_t got = data[beat][at % data_bytes], expected = page->second.bytes[at % kAxi4Boundary];
    if (wrong || got == expected || !page->second.known[at % kAxi4Boundary]) return;
    wrong =
        say("beat ", beat + 1, ", lane ", at % data_bytes, ": ", int{got}, " in place of ", int{expected});
  });
  return wrong;
}

std::vector<std::uint64_t> Axi4Reference::lines(std::uint32_t data_bytes) const {
  std::set<std::uint64_t> lines;
  for (const auto& [number, page] : pages_)
    for (std::uint64_t at = 0; at < kAxi4Boundary; ++at)
      if (page.known[at]) lines.insert(number * kAxi4Boundary + at / data_bytes * data_bytes);
  return {lines.begin(), lines.end()};
}

}  // namespace wafertlm
