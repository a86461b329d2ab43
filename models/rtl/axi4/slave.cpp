// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/axi4/slave.h"

#include <algorithm>

namespace wafertlm {

void Axi4Slave::drive(Axi4Cycle& pins, std::uint64_t cycle) {
  pins.aw.ready = !params_.stalls(Axi4Channel::aw, cycle);
  pins.w.ready = !params_.stalls(Axi4Channel::w, cycle);
  pins.ar.ready = !params_.stalls(Axi4Channel::ar, cycle);
  if (!shows_b_) show_answer(pins, cycle);
  if (!shows_r_) show_read(pins, cycle);
}

void Axi4Slave::show_answer(Axi4Cycle& pins, std::uint64_t cycle) {
  pins.b.valid = false;
  if (params_.stalls(Axi4Channel::b, cycle)) return;
  std::vector<std::deque<Answer>::iterator> ready;
  for (auto each = answers_.begin(); each != answers_.end(); ++each)
    if (each->from <= cycle &&
        std::none_of(answers_.begin(), each, [&](const Answer& older) { return older.id == each->id; }))
      ready.push_back(each);
  if (ready.empty()) return;
  const auto chosen = ready[draw(ready.size())];
  pins.b = {{true, pins.b.ready}, chosen->id, Axi4Response::okay};
  answers_.erase(chosen);
  shows_b_ = true;
}

void Axi4Slave::show_read(Axi4Cycle& pins, std::uint64_t cycle) {
  pins.r.valid = false;
  if (params_.stalls(Axi4Channel::r, cycle)) return;
  std::vector<std::deque<Read>*> ready;
  for (auto& [id, reads] : reads_)
    if (reads.front().from <= cycle) ready.push_back(&reads);
  if (ready.empty()) return;
  std::deque<Read>& chosen = *ready[draw(ready.size())];
  Read& read = chosen.front();
  const std::uint64_t line = read.burst.beat_address(read.beats) / shape_.data_bytes * shape_.data_bytes;
  const std::uint64_t lanes = read.burst.lanes(read.beats, shape_.data_bytes);
  pins.r.data.fill(0);
  memory_.read(line, pins.r.data.data(), shape_.data_bytes);
  for (std::uint32_t lane = 0; lane < shape_.data_bytes; ++lane)
    if ((lanes >> lane & 1) == 0) pins.r.data[lane] = 0xa5;
  pins.r.valid = true;
  pins.r.id = read.burst.id;
  pins.r.response = Axi4Response::okay;
  pins.r.last = ++read.beats == read.burst.beats;
  shows_r_ = true;
  if (!pins.r.last) return;
  const std::uint32_t id = read.burst.id;
  chosen.pop_front();
  if (chosen.empty()) reads_.erase(id);
}

void Axi4Slave::look(const Axi4Cycle& pins, std::uint64_t cycle) {
  if (pins.b.done()) shows_b_ = false;
  if (pins.r.done()) shows_r_ = false;
  if (pins.aw.done()) addresses_.push_back(pins.aw.burst);
  if (pins.w.done()) beats_.push_back(pins.w);
  take_beats(cycle);
  if (pins.ar.done())
    reads_[pins.ar.burst.id].push_back({pins.ar.burst, cycle + 1 + draw(params_.most_latency + 1)});
}

void Axi4Slave::take_beats(std::uint64_t cycle) {
  while (!addresses_.empty() && !beats_.empty()) {
    const Axi4Burst& burst = addresses_.front();
    write_beat(burst, beat_, beats_.front());
    beats_.pop_front();
    if (++beat_ < burst.beats) continue;
    answers_.push_back({burst.id, cycle + 1 + draw(params_.most_latency + 1)});
    addresses_.pop_front();
    beat_ = 0;
  }
}

void Axi4Slave::write_beat(const Axi4Burst& burst, std::uint32_t beat, const Axi4WritePins& w) {
  const std::uint64_t line = burst.beat_address(beat) / shape_.data_bytes * shape_.data_bytes;
  // Runs of lanes that are written.
  for (std::uint32_t lane = 0; lane < shape_.data_bytes;) {
    std::uint32_t end = lane;
    while (end < shape_.data_bytes && (w.strobes >> end & 1) != 0) ++end;
    if (end != lane) memory_.write(line + lane, &w.data[lane], end - lane);
    lane = end + 1;
  }
}

}  // namespace wafertlm
