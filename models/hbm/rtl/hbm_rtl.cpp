// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/rtl/hbm_rtl.h"

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "models/rtl/axi4/transfers.h"
#include "tlm/kernel/free_numbers.h"
#include "tlm/kernel/say.h"
#include "tlm/kernel/splitmix64.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kPatience = 1'000'000;  // cycles for one access

bool touch_the_same(const TimedAccess& a, const TimedAccess& b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

}  // namespace

HbmRtl::HbmRtl(const RtlDesign& design, RtlModel& model, const RtlClock& clock)
    : shape_(axi4_shape(design)),
      clock_(clock),
      bench_(design, model, [this](const Axi4Violation& violation) { fail(to_text(violation)); }),
      master_([this](Axi4Transaction&& burst) { burst_done(std::move(burst)); }) {}

MemoryTiming::Id HbmRtl::submit(const TimedAccess& access, TimePs now) {
  // Modules are there, and may be evaluated, from the first access on.
  if (submitted_ == 0) bench_.reset();
  advance(now);
  const Id id = take_number(accesses_, free_);
  const std::uint64_t first = access.address % shape_.data_bytes;
  const std::uint64_t beats = (first + access.bytes + shape_.data_bytes - 1) / shape_.data_bytes;
  accesses_[id] = {access, now, ++submitted_, beats, 0, false, {}};
  if (access.bytes == 0) {
    accesses_[id].done_ps = now;
    return id;
  }
  if (waiting_.empty() && under_way_.empty()) edge_ = std::max(edge_, clock_.edge_from(now));
  waiting_.push_back(id);
  return id;
}

bool HbmRtl::may_begin(const Access& access) const {
  const auto is_in_the_way = [&](Id id) {
    const Access& other = accesses_[id];
    return other.number < access.number && other.asked.write && access.asked.write &&
           touch_the_same(other.asked, access.asked);
  };
  return std::none_of(under_way_.begin(), under_way_.end(), is_in_the_way) &&
         std::none_of(waiting_.begin(), waiting_.end(), is_in_the_way);
}

void HbmRtl::begin_waiting() {
  const TimePs now = clock_.edge_ps(edge_);
  for (auto id = waiting_.begin(); id != waiting_.end();) {
    if (accesses_[*id].at_ps > now || !may_begin(accesses_[*id])) {
      ++id;
      continue;
    }
    begin(*id);
    id = waiting_.erase(id);
  }
}

void HbmRtl::begin(Id id) {
  Access& access = accesses_[id];
  for (const Id each : under_way_) {
    Access& other = accesses_[each];
    if (other.asked.write == access.asked.write || !touch_the_same(other.asked, access.asked)) continue;
    (access.asked.write ? other : access).is_raced = true;
  }
  under_way_.push_back(id);
  const std::uint64_t end = access.asked.address + access.asked.bytes;
  for (std::uint64_t at = access.asked.address; at < end;) {
    const std::uint64_t until = axi4_burst_end(shape_, at, end);
    Axi4Transaction burst;
    if (access.asked.write) {
      const std::vector<std::uint8_t> bytes = made_up(at, until, access.number);
      written_.write(at, bytes.data(), bytes.size());
      burst = axi4_write(shape_, at, bytes);
    } else {
      burst = axi4_read(shape_, at, until - at);
    }
    burst.tag = id;
    burst.burst.id = static_cast<std::uint32_t>(access.number % (std::uint64_t{1} << shape_.id_bits));
    ++access.bursts_left;
    ++bursts_;
    master_.issue(std::move(burst));
    at = until;
  }
}

void HbmRtl::burst_done(Axi4Transaction&& burst) {
  const Id id = static_cast<Id>(burst.tag);
  Access& access = accesses_[id];
  access.beats_left -= std::min<std::uint64_t>(access.beats_left, burst.burst.beats);
  if (burst.response >= Axi4Response::slverr)
    fail("the RTL answers the " + to_text(burst.burst, burst.write) + " with an error");
  if (!burst.write && !access.is_raced) compare(burst, access.asked.address + access.asked.bytes);
  if (--access.bursts_left != 0) return;
  access.done_ps = clock_.edge_ps(edge_ + 1);
  under_way_.erase(std::find(under_way_.begin(), under_way_.end(), id));
}

/// Of the bytes [from, until) of a write: each has others.
std::vector<std::uint8_t> HbmRtl::made_up(std::uint64_t from, std::uint64_t until, std::uint64_t number) {
  std::vector<std::uint8_t> bytes(until - from);
  for (std::uint64_t n = 0; n < bytes.size(); n += 8) {
    const std::uint64_t word = splitmix64::mixed((from + n) ^ number << 40);
    for (std::uint64_t k = 0; k < 8 && n + k < bytes.size(); ++k)
      bytes[n + k] = static_cast<std::uint8_t>(word >> 8 * k);
  }
  return bytes;
}

void HbmRtl::compare(const Axi4Transaction& read, std::uint64_t end) {
  const std::uint64_t from = read.burst.address, until = std::min(read.burst.range()[1], end);
  const std::vector<std::uint8_t> got = axi4_bytes(shape_, read, until - from);
  std::vector<std::uint8_t> expected(got.size());
  written_.read(from, expected.data(), expected.size());
  bytes_compared_ += got.size();
  const auto differ = std::mismatch(got.begin(), got.end(), expected.begin());
  if (differ.first == got.end()) return;
  fail(say("the ", to_text(read.burst, false), " gets ", int{*differ.first}, " at byte ",
           from + static_cast<std::uint64_t>(differ.first - got.begin()), ", where ", int{*differ.second},
           " was written"));
}

void HbmRtl::cycle() {
  if (!waiting_.empty()) begin_waiting();
  bench_.cycle(master_);
  ++edge_;
}

void HbmRtl::advance(TimePs now) {
  if (waiting_.empty() && under_way_.empty()) return;
  const std::clock_t begin = std::clock();
  while ((!waiting_.empty() || !under_way_.empty()) && clock_.edge_ps(edge_) < now) cycle();
  host_s_ += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

MemoryTiming::Answer HbmRtl::ask(Id id, TimePs now) {
  advance(now);
  const Access& access = accesses_[id];
  if (access.done_ps) return {true, *access.done_ps};
  if (clock_.edge_ps(edge_) > access.at_ps + clock_.edge_ps(kPatience)) throw_no_answer(access);
  // A beat needs a cycle.
  const std::uint64_t cycles = std::max<std::uint64_t>(access.beats_left, 1);
  return {false, std::max(now + 1, clock_.edge_ps(edge_ + cycles - 1) + 1)};
}

TimePs HbmRtl::wait_for(Id id) {
  for (std::uint64_t left = kPatience; left != 0 && !accesses_[id].done_ps; --left) cycle();
  if (accesses_[id].done_ps) return *accesses_[id].done_ps;
  throw_no_answer(accesses_[id]);
}

void HbmRtl::throw_no_answer(const Access& access) const {
  throw std::runtime_error(say("the RTL does not answer the ", access.asked.write ? "write" : "read", " of ",
                               access.asked.bytes, " B at ", access.asked.address, " in ", kPatience,
                               " cycles", fault_ ? "; before, " + fault_->text : ""));
}

void HbmRtl::end(Id id) { free_.push_back(id); }

std::optional<TimePs> HbmRtl::done(Id id) const { return accesses_[id].done_ps; }

void HbmRtl::fail(const std::string& text) {
  if (!fault_) fault_ = Fault{clock_.edge_ps(edge_), text};
}

}  // namespace wafertlm
