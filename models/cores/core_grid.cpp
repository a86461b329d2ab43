// SPDX-License-Identifier: Apache-2.0
#include "models/cores/core_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <utility>

#include "models/cores/wavelets.h"

namespace wafertlm::cores {
namespace {

using Kind = Operation::Kind;

/// Wavelets on a route, as they leave its source's core.
struct Message {
  WaveletTimes leave;
  std::uint64_t value;
};

/// Where a core that a route arrives at is in its messages.
struct Reader {
  CoreIndex core;
  std::uint32_t hops;
  std::size_t next = 0;
};

bool by_core(const Reader& a, const Reader& b) { return a.core < b.core; }

class Run {
 public:
  Run(const CoreProgram& program, const CoreParams& params, const std::vector<Cycle>& starts,
      std::vector<std::uint64_t> values)
      : program_(program), params_(params) {
    const std::size_t cores = program.cores.size();
    result_.ends = starts.empty() ? std::vector<Cycle>(cores, 0) : starts;
    result_.values =
        values.empty() ? std::vector<std::uint64_t>(cores * program.blocks, 0) : std::move(values);
    if (result_.ends.size() != cores || result_.values.size() != cores * program.blocks)
      throw std::invalid_argument("a start for each core, and a value for each of its blocks");
    next_.assign(cores, 0);
    ramp_free_.assign(cores, 0);
    busy_.assign(cores, 0);
    sent_.assign(cores, 0);
    link_free_.assign(cores * 4, 0);
    link_wavelets_.assign(cores * 4, 0);
    messages_.resize(program.routes.size());
    readers_.resize(program.routes.size());
    waiting_.assign(program.routes.size(), {});
    for (std::size_t route = 0; route < program.routes.size(); ++route) {
      for (const Route::Arrival& each : program.routes[route].arrivals)
        readers_[route].push_back({each.core, each.hops});
      std::sort(readers_[route].begin(), readers_[route].end(), by_core);
    }
  }

  CoreRun run() {
    for (CoreIndex core = 0; core < program_.cores.size(); ++core) make_ready(core);
    while (!ready_.empty()) {
      const auto [at, core] = ready_.top();
      ready_.pop();
      step(core, at);
    }
    check_all_done();
    result_.cycles = *std::max_element(result_.ends.begin(), result_.ends.end());
    result_.busiest_core = std::max(*std::max_element(busy_.begin(), busy_.end()),
                                    *std::max_element(sent_.begin(), sent_.end()));
    result_.busiest_link = *std::max_element(link_wavelets_.begin(), link_wavelets_.end());
    return std::move(result_);
  }

 private:
  void make_ready(CoreIndex core) {
    if (next_[core] < program_.cores[core].size()) ready_.push({result_.ends[core], core});
  }

  /// The message that the core waits for on the route; null: it is not sent yet, and the core is woken by it.
  const Message* message_for(CoreIndex core, RouteIndex route, Reader*& reader) {
    auto& of_route = readers_[route];
    const auto found = std::lower_bound(of_route.begin(), of_route.end(), Reader{core, 0}, by_core);
    if (found == of_route.end() || found->core != core)
      throw CoreProgramError(fmt::format("core {} takes from a route that does not reach it", core));
    reader = &*found;
    if (reader->next < messages_[route].size()) return &messages_[route][reader->next];
    waiting_[route].push_back(core);
    return nullptr;
  }

  /// When the wavelets leave so that none waits on the way for a link that others cross.
  WaveletTimes clear_of_others(const Route& route, WaveletTimes leave) const {
    Cycle wait = 0;
    for (const Route::Crossing& link : route.links) {
      const Cycle reaches = leave.first() + params_.ramp + link.hops;
      const Cycle free = link_free_[link_of(link)];
      if (free > reaches) wait = std::max(wait, free - reaches);
    }
    leave.shift(wait);
    return leave;
  }

  void cross(const Route& route, const WaveletTimes& leave) {
    for (const Route::Crossing& link : route.links) {
      link_free_[link_of(link)] = leave.last() + params_.ramp + link.hops + 1;
      link_wavelets_[link_of(link)] += leave.count();
    }
    result_.wavelet_hops += leave.count() * route.links.size();
  }

  void send(CoreIndex core, RouteIndex out, WaveletTimes leave, std::uint64_t value) {
    const Route& route = program_.routes[out];
    if (route.source != core)
      throw CoreProgramError(fmt::format("core {} sends on a route of another", core));
    leave = leave.taken_from(ramp_free_[core]);
    if (route.arrivals.size() > 1) {
      leave = clear_of_others(route, std::move(leave));
      cross(route, leave);
    }
    ramp_free_[core] = leave.last() + 1;
    sent_[core] += leave.count();
    messages_[out].push_back({std::move(leave), value});
    for (const CoreIndex each : std::exchange(waiting_[out], {})) make_ready(each);
  }

  /// When the core takes the message's wavelets in. Those of a route to it alone stand still, their links
  /// free for others, until it does.
  WaveletTimes take(CoreIndex core, const Operation& operation, const Message& message, Reader& reader) {
    if (message.leave.count() != operation.amount)
      throw CoreProgramError(fmt::format("core {} takes {} wavelets where {} were sent", core,
                                         operation.amount, message.leave.count()));
    const Cycle travel = 2 * params_.ramp + reader.hops, now = result_.ends[core];
    WaveletTimes leave = message.leave;
    const Route& route = program_.routes[operation.in];
    if (route.arrivals.size() == 1) {
      leave = clear_of_others(route, leave.taken_from(now > travel ? now - travel : 0));
      cross(route, leave);
    }
    busy_[core] += operation.amount;
    leave.shift(travel);
    return leave.taken_from(now);
  }

  /// The reader's message is taken; those that nobody takes any more are not kept.
  void forget(RouteIndex route, Reader& reader) {
    ++reader.next;
    if (program_.routes[route].arrivals.size() > 1 || reader.next < messages_[route].size()) return;
    messages_[route].clear();
    reader.next = 0;
  }

  void step(CoreIndex core, Cycle at) {
    const Operation& operation = program_.cores[core][next_[core]];
    Cycle& now = result_.ends[core];
    std::uint64_t& value = result_.values[std::size_t{core} * program_.blocks + operation.block];
    if (operation.kind == Kind::compute) {
      now += operation.amount;
      busy_[core] += operation.amount;
    } else if (operation.kind == Kind::send) {
      send(core, operation.out, WaveletTimes(now + 1, operation.amount), value);
    } else {
      Reader* reader = nullptr;
      const Message* const message = message_for(core, operation.in, reader);
      if (!message) return;
      // Links are crossed in the order of time.
      const Cycle arrives = message->leave.first() + 2 * params_.ramp + reader->hops;
      if (arrives > at) {
        ready_.push({arrives, core});
        return;
      }
      WaveletTimes taken = take(core, operation, *message, *reader);
      const std::uint64_t sum = operation.kind == Kind::store ? message->value : value + message->value;
      forget(operation.in, *reader);
      now = taken.last() + 1;
      if (operation.kind == Kind::forward) {
        taken.shift(1);
        send(core, operation.out, std::move(taken), sum);
      } else {
        value = sum;
      }
    }
    ++result_.operations;
    ++next_[core];
    make_ready(core);
  }

  void check_all_done() const {
    for (CoreIndex core = 0; core < program_.cores.size(); ++core)
      if (next_[core] < program_.cores[core].size())
        throw CoreProgramError(fmt::format("core {} (row {}, column {}) waits for ever for {} wavelets", core,
                                           core / program_.columns, core % program_.columns,
                                           program_.cores[core][next_[core]].amount));
  }

  static std::size_t link_of(const Route::Crossing& link) {
    return std::size_t{link.from} * 4 + static_cast<std::size_t>(link.to);
  }

  const CoreProgram& program_;
  const CoreParams& params_;
  CoreRun result_;
  std::vector<std::size_t> next_;  ///< operation of each core
  std::vector<Cycle> ramp_free_, busy_, sent_, link_free_, link_wavelets_;
  std::vector<std::vector<Message>> messages_;
  std::vector<std::vector<Reader>> readers_;
  std::vector<std::vector<CoreIndex>> waiting_;
  using Ready = std::pair<Cycle, CoreIndex>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
};

}  // namespace

CoreRun run_cores(const CoreProgram& program, const CoreParams& params, const std::vector<Cycle>& starts,
                  std::vector<std::uint64_t> values) {
  if (program.colours > params.colours)
    throw CoreProgramError(
        fmt::format("colours: the program needs {}, a router has {}; take another algorithm", program.colours,
                    params.colours));
  return Run(program, params, starts, std::move(values)).run();
}

}  // namespace wafertlm::cores
