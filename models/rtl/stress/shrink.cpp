// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/shrink.h"

#include <algorithm>
#include <set>

namespace wafertlm {
namespace {

class Shrinker {
 public:
  Shrinker(RtlStimulus stimulus, const std::function<bool(const RtlStimulus&)>& fails, std::uint32_t plays)
      : best_(std::move(stimulus)), fails_(fails), plays_left_(plays) {}

  RtlStimulus run() {
    // Fewer packets make other parts superfluous, and the other way round.
    reset_sooner();
    change([](RtlStimulus& all) { all.probes = false; });
    if (best_.judged == RtlStimulus::Judged::turns)
      change([](RtlStimulus& all) {
        for (auto& packet : all.packets) packet.arrivals[0].cycle = 0;
      });
    leave_out_streams();
    for (std::size_t before = 0, now = size(); before != now && plays_left_ != 0;) {
      before = now;
      leave_out(&RtlStimulus::packets);
      leave_out(&RtlStimulus::stalls);
      leave_out(&RtlStimulus::settings);
      simplify();
      now = size();
    }
    repeat_less();
    drop_unused_branches();
    return std::move(best_);
  }

 private:
  std::size_t size() const { return best_.packets.size() + best_.stalls.size() + best_.settings.size(); }

  bool keeps(RtlStimulus smaller) {
    if (plays_left_ == 0) return false;
    --plays_left_;
    if (!fails_(smaller)) return false;
    best_ = std::move(smaller);
    return true;
  }

  void reset_sooner() {
    for (std::uint64_t cycles = 1; best_.cycles_before_reset > cycles; cycles *= 2) {
      RtlStimulus smaller = best_;
      smaller.cycles_before_reset = cycles;
      if (keeps(std::move(smaller))) return;
    }
  }

  void repeat_less() {
    RtlStimulus smaller = best_;
    smaller.first_number = 0;
    if (best_.first_number != 0) keeps(smaller);
    while (best_.least_cycles != 0) {
      smaller = best_;
      smaller.least_cycles /= 2;
      if (!keeps(std::move(smaller))) return;
    }
  }

  /// All packets of an input, of an output or of a channel: those that are left meet as before.
  void leave_out_streams() {
    using Packet = RtlStimulus::Packet;
    std::uint32_t (*const keys[])(const Packet&) = {
        [](const Packet& p) { return p.round; }, [](const Packet& p) { return p.arrivals[0].port; },
        [](const Packet& p) { return p.output; }, [](const Packet& p) { return p.channel; }};
    for (const auto key : keys) {
      std::set<std::uint32_t> values;
      for (const Packet& each : best_.packets) values.insert(key(each));
      for (const std::uint32_t value : values) {
        RtlStimulus smaller = best_;
        auto& list = smaller.packets;
        list.erase(std::remove_if(list.begin(), list.end(), [&](const Packet& p) { return key(p) == value; }),
                   list.end());
        if (list.size() != best_.packets.size() && !list.empty()) keeps(std::move(smaller));
      }
    }
  }

  /// Ever smaller parts of a list.
  template <class T>
  void leave_out(std::vector<T> RtlStimulus::*list) {
    for (std::size_t part = (best_.*list).size(); part != 0; part /= 2) {
      for (std::size_t at = 0; at < (best_.*list).size() && plays_left_ != 0;) {
        RtlStimulus smaller = best_;
        auto& rest = smaller.*list;
        const auto first = rest.begin() + static_cast<std::ptrdiff_t>(at);
        rest.erase(first, first + static_cast<std::ptrdiff_t>(std::min(part, rest.size() - at)));
        if (!keeps(std::move(smaller))) at += part;
      }
    }
  }

  template <class Made>
  void change(Made made) {
    RtlStimulus smaller = best_;
    made(smaller);
    keeps(std::move(smaller));
  }

  void simplify() {
    std::uint32_t round = 0;
    if (!best_.packets.empty()) round = best_.packets.back().round;
    if (round != 0)
      change([](RtlStimulus& all) {
        for (auto& each : all.packets) each.round = 0;
        for (auto& each : all.stalls) each.round = 0;
      });
    change([](RtlStimulus& all) {  // begin at once
      std::uint64_t first = ~std::uint64_t{0};
      for (const auto& packet : all.packets)
        for (const auto& each : packet.arrivals) first = std::min(first, each.cycle);
      for (auto& packet : all.packets)
        for (auto& each : packet.arrivals) each.cycle -= first;
      for (auto& each : all.stalls) each.first -= std::min(each.first, first);
    });
    for (std::size_t i = 0; i < best_.packets.size() && best_.packets.size() <= kFew; ++i) {
      change([&](RtlStimulus& all) { all.packets[i].cycles_per_flit = 1; });
      for (std::uint32_t bytes = best_.packets[i].bytes / 2; bytes >= 4; bytes /= 2)
        change([&](RtlStimulus& all) {
          all.packets[i].bytes = std::min(all.packets[i].bytes, (bytes + 3) / 4 * 4);
        });
    }
    for (std::size_t i = 0; i < best_.stalls.size() && best_.stalls.size() <= kFew; ++i)
      for (std::uint64_t cycles = best_.stalls[i].cycles / 2; cycles != 0; cycles /= 2)
        change([&](RtlStimulus& all) { all.stalls[i].cycles = std::min(all.stalls[i].cycles, cycles); });
  }

  void drop_unused_branches() {
    std::vector<std::size_t> place(best_.branches.size());
    std::vector<RtlStimulus::Branch> used;
    for (auto& packet : best_.packets) {
      if (!packet.branch) continue;
      std::size_t& at = place[*packet.branch];
      if (at == 0) {
        used.push_back(std::move(best_.branches[*packet.branch]));
        at = used.size();
      }
      packet.branch = at - 1;
    }
    best_.branches = std::move(used);
  }

  static constexpr std::size_t kFew = 32;
  RtlStimulus best_;
  const std::function<bool(const RtlStimulus&)>& fails_;
  std::uint32_t plays_left_;
};

}  // namespace

RtlStimulus shrink(RtlStimulus stimulus, const std::function<bool(const RtlStimulus&)>& fails,
                   std::uint32_t plays) {
  return Shrinker(std::move(stimulus), fails, plays).run();
}

}  // namespace wafertlm
