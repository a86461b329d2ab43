// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/link/cut_through_requests.h"

namespace wafertlm::cut_through {

/// Who goes next on an output: a switch may have another one than rule 4 of the link engine (tlm/README.md).
class Arbiter {
 public:
  /// The packet in front of `queue`, that came from `input` on `in_vc`, goes out on `vc`.
  struct Choice {
    Queue* queue = nullptr;
    std::size_t input = 0;
    std::uint32_t in_vc = 0, vc = 0;
  };
  virtual ~Arbiter() = default;

  /// A waiting head that is eligible by now and has room on Choice::vc (Output::choose_vc); it is sent. If
  /// there is none, no queue, and `next` becomes the earliest time at which one may be; kNever: a credit that
  /// comes will ask again.
  virtual Choice choose(RequestSet& requests, Output& output, TimePs now, TimePs& next) = 0;
  /// What it remembers of an output, but for Channel::next_input.
  virtual void list_state(const Output& output, StateVisitor& state) = 0;
};

/// Rule 4: by class priority; round-robin among the virtual channels of one priority, and among the inputs of
/// a channel. Who lacks credit is not overtaken on its channel, or large packets could wait for ever. But
/// towards a ring packets of one channel may go out on different ones, and who is blocked on one half of the
/// channels must not hold up another that goes round on the other half, or the dateline is of no use.
/// `classes` must outlive it.
class RoundRobin final : public Arbiter {
 public:
  RoundRobin(const ClassTable& classes, std::size_t outputs, bool has_rings)
      : groups_(classes.service_order()), has_rings_(has_rings), next_vc_(outputs * groups_.size()) {}

  [[gnu::always_inline]] Choice choose(RequestSet& requests, Output& output, TimePs now,
                                       TimePs& next) override {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::uint32_t requesting = output.requesting_vcs & groups_[g].mask;
      if (requesting == 0) continue;
      const auto first = static_cast<std::uint32_t>(__builtin_ctz(requesting));
      const Choice choice = groups_[g].size == 1 ? choose_input(requests, output, first, now, next)
                                                 : choose_channel(requests, output, g, now, next);
      if (choice.queue) return choice;
    }
    return {};
  }
  void list_state(const Output& output, StateVisitor& state) override {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (groups_[g].size > 1) state.value(next_vc_[output.port * groups_.size() + g]);
  }

 private:
  /// The channels of one priority take turns.
  [[gnu::noinline]] Choice choose_channel(RequestSet& requests, Output& output, std::size_t g, TimePs now,
                                          TimePs& next) {
    const ServiceGroup& group = groups_[g];
    std::uint32_t& next_vc = next_vc_[output.port * groups_.size() + g];
    std::size_t place = next_vc;
    for (std::size_t k = 0; k < group.size; ++k, place = next_round<std::size_t>(place, group.size)) {
      const auto vc = static_cast<std::uint32_t>(index_of(group.vcs[place]));
      if ((output.requesting_vcs & bit(vc)) == 0) continue;
      const Choice choice = choose_input(requests, output, vc, now, next);
      if (!choice.queue) continue;
      next_vc = next_round<std::uint32_t>(place, group.size);
      return choice;
    }
    return {};
  }
  /// The inputs of a channel do so, too.
  [[gnu::always_inline]] Choice choose_input(RequestSet& requests, Output& output, std::uint32_t in_vc,
                                             TimePs now, TimePs& next) const {
    const Choice choice = has_rings_ ? first_that_can_go(requests, output, in_vc, now, next)
                                     : first_ready(requests, output, in_vc, now, next);
    if (choice.queue)
      output.channels[in_vc].next_input = next_round<std::uint32_t>(choice.input, requests.inputs());
    return choice;
  }
  [[gnu::always_inline]] static Choice first_ready(RequestSet& requests, Output& output, std::uint32_t in_vc,
                                                   TimePs now, TimePs& next) {
    Choice choice{nullptr, 0, in_vc, 0};
    requests.for_each(output, in_vc, output.channels[in_vc].next_input,
                      [&](std::size_t input, Queue& waiting) {
                        if (waiting.eligible_ps > now) {
                          next = std::min(next, waiting.eligible_ps);
                          return true;
                        }
                        choice.queue = &waiting;
                        choice.input = input;
                        return false;
                      });
    if (!choice.queue || output.choose_vc(*choice.queue, now, choice.vc)) return choice;
    next = std::min(next, output.earliest_start(*choice.queue));
    return {};
  }
  [[gnu::noinline]] static Choice first_that_can_go(RequestSet& requests, Output& output, std::uint32_t in_vc,
                                                    TimePs now, TimePs& next) {
    Choice choice{nullptr, 0, in_vc, 0};
    std::uint32_t blocked = 0;  // bit per channel that a range begins with
    requests.for_each(output, in_vc, output.channels[in_vc].next_input,
                      [&](std::size_t input, Queue& waiting) {
                        if (waiting.eligible_ps > now) {
                          next = std::min(next, waiting.eligible_ps);
                        } else if ((blocked & bit(waiting.vcs.first)) == 0) {
                          if (output.choose_vc(waiting, now, choice.vc)) {
                            choice.queue = &waiting;
                            choice.input = input;
                            return false;
                          }
                          blocked |= bit(waiting.vcs.first);
                          next = std::min(next, output.earliest_start(waiting));
                        }
                        return true;
                      });
    return choice;
  }

  const std::vector<ServiceGroup>& groups_;  // by priority
  const bool has_rings_;
  std::vector<std::uint32_t> next_vc_;  // [output][group]: turn of the channels of one priority
};

}  // namespace wafertlm::cut_through
