// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/axi4/master.h"

#include <algorithm>
#include <utility>

namespace wafertlm {

void Axi4Master::issue(Axi4Transaction transaction) {
  ++under_way_;
  beats_left_[transaction.write] += transaction.burst.beats;
  if (!transaction.write) {
    ar_.push_back(std::move(transaction));
    return;
  }
  aw_.push_back(transaction);
  w_.push_back(std::move(transaction));
}

void Axi4Master::drive(Axi4Cycle& pins, std::uint64_t cycle) {
  const auto shows = [&](bool& is_shown, bool has_some, Axi4Channel channel) {
    // VALID stays until READY.
    is_shown = has_some && (is_shown || !stalls_(channel, cycle));
    return is_shown;
  };
  pins.aw.valid = shows(shows_aw_, !aw_.empty(), Axi4Channel::aw);
  if (pins.aw.valid) pins.aw.burst = aw_.front().burst;
  pins.ar.valid = shows(shows_ar_, !ar_.empty(), Axi4Channel::ar);
  if (pins.ar.valid) pins.ar.burst = ar_.front().burst;
  pins.w.valid = shows(shows_w_, !w_.empty(), Axi4Channel::w);
  if (pins.w.valid) {
    const Axi4Transaction& write = w_.front();
    pins.w.data = write.data[beat_];
    pins.w.strobes = write.strobes[beat_];
    pins.w.last = beat_ + 1 == write.burst.beats;
  }
  pins.b.ready = !stalls_(Axi4Channel::b, cycle);
  pins.r.ready = !stalls_(Axi4Channel::r, cycle);
}

void Axi4Master::look(const Axi4Cycle& pins, std::uint64_t cycle) {
  const auto take_address = [&](std::deque<Axi4Transaction>& waiting, auto& under_way) {
    Axi4Transaction& first = waiting.front();
    first.started = cycle;
    under_way[first.burst.id].push_back(std::move(first));
    waiting.pop_front();
  };
  if (pins.b.done()) {
    const auto found = writes_.find(pins.b.id);
    if (found != writes_.end()) {
      found->second.front().response = pins.b.response;
      end(writes_, pins.b.id, cycle);
    }
  }
  if (pins.r.done()) {
    const auto found = reads_.find(pins.r.id);
    if (found != reads_.end()) {
      Axi4Transaction& read = found->second.front();
      read.data.push_back(pins.r.data);
      read.response = std::max(read.response, pins.r.response);
      --beats_left_[0];
      if (read.data.size() == read.burst.beats) end(reads_, pins.r.id, cycle);
    }
  }
  if (pins.aw.done()) {
    shows_aw_ = false;
    take_address(aw_, writes_);
  }
  if (pins.ar.done()) {
    shows_ar_ = false;
    take_address(ar_, reads_);
  }
  if (pins.w.done()) {
    shows_w_ = false;
    --beats_left_[1];
    if (++beat_ == w_.front().burst.beats) {
      beat_ = 0;
      w_.pop_front();
    }
  }
}

void Axi4Master::end(std::map<std::uint32_t, std::deque<Axi4Transaction>>& of, std::uint32_t id,
                     std::uint64_t cycle) {
  const auto found = of.find(id);
  Axi4Transaction over = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) of.erase(found);
  over.done = cycle;
  --under_way_;
  done_(std::move(over));
}

}  // namespace wafertlm
