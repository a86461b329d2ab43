// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/axi4/checker.h"

#include <algorithm>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

bool is_power_of_two(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace

void Axi4Checker::break_rule(Axi4Check check, Axi4Channel channel, std::uint32_t id,
                             const std::string& seen) {
  report_({&axi4_rule(check, channel), cycle_, id, seen});
}

bool Axi4Checker::is_new(const Axi4Cycle& now, Axi4Channel channel) const {
  return now.handshake(channel).valid && !last_.handshake(channel).waits();
}

void Axi4Checker::cycle(const Axi4Cycle& now) {
  ++cycle_;
  check_handshakes(now);
  if (now.in_reset) {
    writes_.clear();
    answerable_.clear();
    reads_.clear();
    last_ = Axi4Cycle();
    return;
  }
  // An answer comes after what it answers: in a later cycle.
  if (is_new(now, Axi4Channel::b)) check_response(now.b);
  if (is_new(now, Axi4Channel::r)) check_read(now.r);
  if (is_new(now, Axi4Channel::aw)) check_burst(now.aw.burst, Axi4Channel::aw);
  if (is_new(now, Axi4Channel::ar)) check_burst(now.ar.burst, Axi4Channel::ar);
  if (now.b.done()) take_response(now.b);
  if (now.r.done()) take_read(now.r);
  if (now.aw.done()) take_address(now.aw.burst);
  if (now.w.done()) take_beat(now.w);
  settle_writes();
  if (now.ar.done()) reads_[now.ar.burst.id].push_back({now.ar.burst});
  last_ = now;
}

void Axi4Checker::check_handshakes(const Axi4Cycle& now) {
  for (const Axi4Channel channel : kAxi4Channels) {
    const Axi4Handshake& at = now.handshake(channel);
    if (now.in_reset) {
      if (at.valid) break_rule(Axi4Check::valid_reset, channel, 0, "VALID is high");
      continue;
    }
    if (now.is_unknown(channel)) break_rule(Axi4Check::known, channel, 0, "a signal that is not determined");
    if (!last_.handshake(channel).waits()) continue;
    if (!at.valid)
      break_rule(Axi4Check::valid_stable, channel, 0, "VALID fell without READY");
    else if (!same_payload(last_, now, channel))
      break_rule(Axi4Check::payload_stable, channel, 0, "another value while VALID waited for READY");
  }
}

void Axi4Checker::check_burst(const Axi4Burst& burst, Axi4Channel channel) {
  const auto seen = to_text(burst, channel == Axi4Channel::aw);
  const auto require = [&](bool holds, Axi4Check check) {
    if (!holds) break_rule(check, channel, burst.id, seen);
  };
  const std::uint32_t beats = burst.beats;
  require(burst.beat_bytes() <= shape_.data_bytes, Axi4Check::size);
  require(burst.type != Axi4BurstType::reserved, Axi4Check::burst_type);
  if (burst.type == Axi4BurstType::fixed) require(beats <= 16, Axi4Check::fixed_length);
  if (burst.type == Axi4BurstType::wrap) {
    require(beats >= 2 && beats <= 16 && is_power_of_two(beats), Axi4Check::wrap_length);
    require(burst.aligned() == burst.address, Axi4Check::wrap_align);
  }
  const auto [first, end] = burst.range();
  require(first / kAxi4Boundary == (end - 1) / kAxi4Boundary, Axi4Check::boundary);
  if (!burst.lock) return;
  require(beats <= 16 && burst.bytes() <= 128 && is_power_of_two(burst.bytes()), Axi4Check::exclusive_length);
  require(burst.address % burst.bytes() == 0, Axi4Check::exclusive_align);
}

void Axi4Checker::check_response(const Axi4ResponsePins& b) {
  const auto complete = answerable_.find(b.id);
  if (complete != answerable_.end()) {
    if (b.response == Axi4Response::exokay && !complete->second.front().lock)
      break_rule(Axi4Check::exclusive_response, Axi4Channel::b, b.id,
                 "EXOKAY for the " + to_text(complete->second.front(), true));
    return;
  }
  for (const Write& write : writes_) {
    if (write.burst && write.burst->id == b.id)
      return break_rule(Axi4Check::before_data, Axi4Channel::b, b.id,
                        say(write.strobes.size(), " beats of the ", to_text(*write.burst, true)));
    if (!write.burst && write.complete)
      return break_rule(Axi4Check::before_address, Axi4Channel::b, b.id,
                        "a burst of data without an address");
  }
  break_rule(Axi4Check::outstanding, Axi4Channel::b, b.id, say("BID ", b.id, " without such a write"));
}

void Axi4Checker::check_read(const Axi4ReadPins& r) {
  const auto found = reads_.find(r.id);
  if (found == reads_.end())
    return break_rule(Axi4Check::outstanding, Axi4Channel::r, r.id,
                      say("RID ", r.id, " without such a read"));
  const Read& read = found->second.front();
  const std::string seen = say("beat ", read.beats + 1, " of the ", to_text(read.burst, false));
  const bool is_last = read.beats + 1 == read.burst.beats;
  if (r.last && !is_last) break_rule(Axi4Check::early_last, Axi4Channel::r, r.id, "RLAST with " + seen);
  if (!r.last && is_last) break_rule(Axi4Check::late_last, Axi4Channel::r, r.id, "no RLAST with " + seen);
  if (r.response == Axi4Response::exokay && !read.burst.lock)
    break_rule(Axi4Check::exclusive_response, Axi4Channel::r, r.id, "EXOKAY with " + seen);
}

void Axi4Checker::take_response(const Axi4ResponsePins& b) {
  const auto complete = answerable_.find(b.id);
  if (complete == answerable_.end()) return;
  complete->second.pop_front();
  if (complete->second.empty()) answerable_.erase(complete);
}

void Axi4Checker::take_read(const Axi4ReadPins& r) {
  const auto found = reads_.find(r.id);
  if (found == reads_.end()) return;
  Read& read = found->second.front();
  if (++read.beats < read.burst.beats) return;
  found->second.pop_front();
  if (found->second.empty()) reads_.erase(found);
}

void Axi4Checker::take_address(const Axi4Burst& burst) {
  auto write = std::find_if(writes_.begin(), writes_.end(), [](const Write& each) { return !each.burst; });
  if (write == writes_.end()) write = writes_.insert(write, Write());
  write->burst = burst;
  for (std::size_t beat = 0; beat < write->strobes.size(); ++beat)
    check_beat(*write, beat, write->complete && beat + 1 == write->strobes.size());
}

void Axi4Checker::take_beat(const Axi4WritePins& w) {
  auto write = std::find_if(writes_.begin(), writes_.end(), [](const Write& each) { return !each.complete; });
  if (write == writes_.end()) write = writes_.insert(write, Write());
  write->strobes.push_back(w.strobes);
  write->complete = w.last;
  if (write->burst) check_beat(*write, write->strobes.size() - 1, w.last);
}

void Axi4Checker::check_beat(const Write& write, std::size_t beat, bool last) {
  const Axi4Burst& burst = *write.burst;
  const std::string seen = say("beat ", beat + 1, " of the ", to_text(burst, true));
  if (last && beat + 1 < burst.beats)
    break_rule(Axi4Check::early_last, Axi4Channel::w, burst.id, "WLAST with " + seen);
  if (!last && beat + 1 >= burst.beats)
    break_rule(Axi4Check::late_last, Axi4Channel::w, burst.id, "no WLAST with " + seen);
  if ((write.strobes[beat] & ~burst.lanes(static_cast<std::uint32_t>(beat), shape_.data_bytes)) != 0)
    break_rule(Axi4Check::lanes, Axi4Channel::w, burst.id, "a strobe beside the lanes of " + seen);
}

void Axi4Checker::settle_writes() {
  while (!writes_.empty() && writes_.front().burst && writes_.front().complete) {
    answerable_[writes_.front().burst->id].push_back(*writes_.front().burst);
    writes_.pop_front();
  }
}

bool Axi4Checker::idle() const {
  if (!writes_.empty() || !answerable_.empty() || !reads_.empty()) return false;
  return std::none_of(kAxi4Channels.begin(), kAxi4Channels.end(),
                      [&](Axi4Channel channel) { return last_.handshake(channel).waits(); });
}

void Axi4Checker::finish() {
  for (const Axi4Channel channel : kAxi4Channels)
    if (last_.handshake(channel).waits())
      break_rule(Axi4Check::ready_comes, channel, 0, "VALID waits in the last cycle");
  const auto unanswered = [&](const Axi4Burst& burst) {
    break_rule(Axi4Check::all_answered, Axi4Channel::b, burst.id, "no answer to the " + to_text(burst, true));
  };
  for (const auto& [id, bursts] : answerable_)
    for (const Axi4Burst& burst : bursts) unanswered(burst);
  for (const Write& write : writes_)
    if (write.burst) unanswered(*write.burst);
  for (const auto& [id, reads] : reads_)
    for (const Read& read : reads)
      break_rule(Axi4Check::all_answered, Axi4Channel::r, id,
                 say(read.beats, " beats of the ", to_text(read.burst, false)));
}

}  // namespace wafertlm
