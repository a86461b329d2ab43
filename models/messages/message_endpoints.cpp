// SPDX-License-Identifier: Apache-2.0
// The endpoints' half of MessageNetwork: operations, steps of collectives, and who waits for which message.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/messages/message_network.h"
#include "tlm/packets/npu_name.h"

namespace wafertlm {
using Event = MessageRecord::Event;

// ---------------------------------------------------------------- operations

void MessageNetwork::start_collective(Npu& at, const CollectiveStart& start, TimePs now) {
  if (at.rank_of(start.collective_id))
    throw std::logic_error(npu_name(at.id) + " entered collective " + std::to_string(start.collective_id) +
                           " twice");
  if (start.program->endpoint_steps())
    throw std::logic_error(npu_name(at.id) + " should ask for in-network flows, but the fabric has none");
  if (wiring_ && !start.program->places()) throw PlacesDiffer("the ranks of a collective differ");
  at.ranks.push_back(std::make_unique<MessageRank>());
  MessageRank& rank = *at.ranks.back();
  rank.start = start;
  rank.npu = at.id;
  rank.keeps_threadblocks = start.program->keeps_threadblocks();
  Runner::prepare(rank, *start.program);
  runner_.begin(rank, now);
}

void MessageNetwork::program_done(MessageRank& rank, TimePs now) {
  MessageRecord& done = records_.acquire();
  done.rank = &rank;
  due(done, Event::done, now);
}

void MessageNetwork::ended(MessageRank& rank) {
  Npu& at = npus_[index_of(rank.npu)];
  const std::uint64_t token = rank.start.token;
  at.recent = nullptr;
  at.ranks.erase(
      std::find_if(at.ranks.begin(), at.ranks.end(), [&](const auto& each) { return each.get() == &rank; }));
  at.listener->communication_done(token);
}

MessageRank* MessageNetwork::Npu::rank_of(std::uint64_t operation) {
  if (recent && recent->start.collective_id == operation) return recent;
  for (const auto& rank : ranks)
    if (rank->start.collective_id == operation) return recent = rank.get();
  return nullptr;
}

void MessageNetwork::Npu::start_send(NpuId peer, std::uint64_t tag, std::uint64_t bytes,
                                     ClassId traffic_class, std::uint64_t of_token, TimePs now) {
  if (network->wiring_) throw PlacesDiffer("an NPU sends a message of its own");
  MessageRecord& message = network->records_.acquire();
  message.key = {0, tag, id};
  message.destination = peer;
  message.bytes = bytes;
  message.rank = nullptr;
  message.token = of_token;
  message.threadblock = 0;
  message.nonblocking = network->rules_.bare_point_to_point;  // then its arrival ends it
  message.traffic_class = traffic_class;
  if (!network->carrier_) {
    MessageWay& way = network->records_.way(message);
    way.port_order = 0;
    way.entered_ps = now;
    way.in_flow = false;
  }
  const bool bare = network->rules_.bare_point_to_point;
  network->launch_at(message, now + (bare ? 0 : network->costs_.step_cost_ps));
}

void MessageNetwork::Npu::start_receive(NpuId peer, std::uint64_t tag, std::uint64_t of_token, TimePs now) {
  Waiter waiter;
  waiter.token = of_token;
  network->expect({0, tag, peer}, *this, waiter, now);
}

void MessageNetwork::list_state(StateVisitor& state) {
  if (observer_ && !observer_->takes_repeats()) return state.give_up();
  state.require(messages() == 0 && flows_.empty() &&
                std::all_of(npus_.begin(), npus_.end(),
                            [](const Npu& npu) { return npu.ranks.empty() && npu.matcher.empty(); }));
  ports_.list_state(state);
}

// ---------------------------------------------------------------- steps

void MessageNetwork::stage_started(MessageRank& rank, std::uint32_t threadblock, const Step& step,
                                   TimePs now) {
  rank.threadblocks[threadblock].port_order = step.port_order;
  rank.threadblocks[threadblock].entered_ps = now;
}

void MessageNetwork::send(MessageRank& rank, std::uint32_t threadblock, const Step& step, TimePs now) {
  const bool in_flow = step.kind == Step::Kind::flow_send;
  const MessageThreadblock& state = rank.threadblocks[threadblock];
  MessageRecord& message = records_.acquire();
  message.key = {rank.start.collective_id, step.tag, rank.npu};
  message.destination = in_flow ? flow_member(rank, step) : (*rank.start.group)[step.peer];
  message.bytes = step.bytes;
  message.rank = &rank;
  message.threadblock = threadblock;
  message.token = state.done;
  message.nonblocking = step.nonblocking;
  message.traffic_class = rank.start.traffic_class;
  if (!carrier_) {
    MessageWay& way = records_.way(message);
    way.port_order = state.port_order;
    way.entered_ps = state.entered_ps;
    way.in_flow = in_flow;
  }
  if (rank.start.buffer) {
    auto& data = records_.way(message).data = std::make_unique<std::vector<std::byte>>();
    gather_values(*rank.program, threadblock, state.done, rank.start.buffer, *data);
  }
  const TimePs delay = step.delay_ps + costs_.step_cost_ps;
  if (delay == 0)
    launch(message, now);
  else
    launch_at(message, now + delay);
}

NpuId MessageNetwork::flow_member(const MessageRank& rank, const Step& step) {
  if (carrier_)
    throw std::logic_error(npu_name(rank.npu) + " should enter an in-network flow, but the fabric has none");
  return flows_.enter({rank.start.collective_id, step.tag}, rank.npu, *rank.program, *rank.start.group,
                      rank.start.data_type);
}

/// All of a message, whose sender waits for that, has left.
void MessageNetwork::sent(MessageRecord& left, TimePs now) {
  MessageRank* const rank = left.rank;
  const std::uint32_t threadblock = left.threadblock;
  const NpuId source = left.key.source;
  const std::uint64_t token = left.token;
  records_.release(left);
  if (!rank) return npus_[index_of(source)].listener->communication_done(token);
  runner_.step_done(*rank, threadblock, now);
}

void MessageNetwork::receive(MessageRank& rank, std::uint32_t threadblock, const Step& step, TimePs now) {
  const NpuId from = step.kind == Step::Kind::flow_copy ? kFromSwitch : (*rank.start.group)[step.peer];
  expect({rank.start.collective_id, step.tag, from}, npus_[index_of(rank.npu)],
         waiter_of(rank, threadblock, rank.threadblocks[threadblock].done, step), now);
}

MessageNetwork::Waiter MessageNetwork::waiter_of(MessageRank& rank, std::uint32_t threadblock,
                                                 std::uint32_t number, const Step& step) {
  return {&rank, 0, step.bytes, step.paid_reduction(), threadblock, number, step.nonblocking};
}

void MessageNetwork::delay(MessageRank& rank, std::uint32_t threadblock, TimePs until) {
  MessageRecord& over = records_.acquire();
  over.rank = &rank;
  over.threadblock = threadblock;
  due(over, Event::local, until);
}

void MessageNetwork::work(MessageRank& rank, std::uint32_t, const Step& step) {
  const RankBuffer buffer = rank.buffer();
  if (buffer.values) do_locally(step, buffer.type, buffer.values);
}

void MessageNetwork::received_all(MessageRank& rank, std::uint32_t threadblock) {
  if (rank.start.buffer) rank.received.store(*rank.program, threadblock, rank.buffer());
}

// ---------------------------------------------------------------- messages that arrive

void MessageNetwork::Npu::keep_early(MessageRecord& message) {
  matcher.add(message.key, &message, {});
  ++early;
  early_bytes += message.bytes;
  early_bytes_most = std::max(early_bytes_most, early_bytes);
}

MessageRecord& MessageNetwork::Npu::take_early(const MessageMatcher<Waiter, MessageRecord>::Entry& entry) {
  MessageRecord& message = *entry.message;
  matcher.remove(entry);
  --early;
  early_bytes -= message.bytes;
  return message;
}

void MessageNetwork::expect(const MessageKey& key, Npu& at, const Waiter& waiter, TimePs now) {
  const bool has_slots = waiter.rank && waiter.rank->keeps_threadblocks && waiter.nonblocking;
  // Programs that keep threadblocks have one receive per tag, so there is nothing else to look for.
  const auto* const early = has_slots && at.early == 0 ? nullptr : at.matcher.find(key);
  if (early && !early->message)
    throw std::logic_error("an NPU waits twice for the message with tag " + std::to_string(key.tag) +
                           " from " + npu_name(key.source));
  if (early) {
    MessageRecord& message = at.take_early(*early);
    // Not from within the step that waits: it has not been counted yet.
    return due(message, Event::take, now + match(message, waiter));
  }
  if (has_slots) return expect_beside_rank(key, waiter);
  at.matcher.add(key, nullptr, waiter);
}

void MessageNetwork::expect_beside_rank(const MessageKey& key, const Waiter& waiter) {
  MessageThreadblock& threadblock = waiter.rank->threadblocks[waiter.threadblock];
  for (ExpectedMessage& slot : threadblock.expected)
    if (slot.source == ExpectedMessage::kNobody) {
      slot.tag = key.tag;
      slot.bytes = waiter.bytes;
      slot.source = static_cast<std::uint32_t>(key.source);
      slot.step = waiter.step & 0x3FFFFFFFU;
      slot.reduces = waiter.reduced_bytes != 0;
      slot.has_own_cost = waiter.reduced_bytes != 0 && waiter.reduced_bytes != waiter.bytes;
      return;
    }
  ++threadblock.unlisted;
}

/// The step of a receive that is not listed. @return Step::kNone: it has not been posted yet
std::uint32_t MessageNetwork::step_for(const MessageRecord& message, MessageRank& rank) {
  MessageThreadblock& threadblock = rank.threadblocks[message.threadblock];
  if (threadblock.unlisted == 0) return Step::kNone;
  const auto takes = [&](std::uint32_t number) {
    if (number >= threadblock.steps) return false;
    const Step step = rank.program->step(message.threadblock, number);
    return (step.kind == Step::Kind::copy || step.kind == Step::Kind::reduce) && step.nonblocking &&
           step.bytes != 0 && step.tag == message.key.tag &&
           (*rank.start.group)[step.peer] == message.key.source;
  };
  const auto sent_by = static_cast<std::uint32_t>(message.token);
  std::uint32_t number = sent_by + threadblock.behind;
  if (!takes(number)) {
    for (number = 0; number < threadblock.steps && !takes(number);) ++number;
    threadblock.behind = number - sent_by;
  }
  if (number >= threadblock.done) return Step::kNone;
  --threadblock.unlisted;
  return number;
}

void MessageNetwork::arrived(MessageRecord& message, TimePs now) {
  if (message.key.operation == 0 && rules_.bare_point_to_point)
    npus_[index_of(message.key.source)].listener->communication_done(message.token);
  Npu& at = npus_[index_of(message.destination)];
  MessageRank* const rank = message.key.operation == 0 ? nullptr : at.rank_of(message.key.operation);
  if (rank && rank->keeps_threadblocks)
    for (ExpectedMessage& slot : rank->threadblocks[message.threadblock].expected)
      if (slot.tag == message.key.tag && slot.source == index_of(message.key.source)) {
        slot.source = ExpectedMessage::kNobody;
        const std::uint64_t reduced = slot.reduces == 0 ? 0
                                      : slot.has_own_cost != 0
                                          ? rank->program->step(message.threadblock, slot.step).reduced_bytes
                                          : slot.bytes;
        return take_after(
            match(message, {rank, 0, slot.bytes, reduced, message.threadblock, slot.step, true}), message,
            now);
      }
  if (rank && rank->keeps_threadblocks)
    if (const std::uint32_t number = step_for(message, *rank); number != Step::kNone) {
      const Step step = rank->program->step(message.threadblock, number);
      return take_after(match(message, waiter_of(*rank, message.threadblock, number, step)), message, now);
    }
  const auto* const expected = at.matcher.find(message.key);
  if (!expected || expected->message) return at.keep_early(message);
  const Waiter waiter = expected->waiter;
  at.matcher.remove(*expected);
  take_after(match(message, waiter), message, now);
}

void MessageNetwork::take_after(TimePs cost, MessageRecord& message, TimePs now) {
  if (cost == 0)
    take(message, now);
  else
    due(message, Event::take, now + cost);
}

/// The message is here, and so is who waits for it; returns what the receiver pays.
TimePs MessageNetwork::match(MessageRecord& message, const Waiter& waiter) {
  if (waiter.rank && message.bytes != waiter.bytes)
    throw std::logic_error(npu_name(message.destination) + ", collective " +
                           std::to_string(message.key.operation) + ": " + npu_name(message.key.source) +
                           " sent " + std::to_string(message.bytes) + " B where a step expects " +
                           std::to_string(waiter.bytes) + " B");
  message.rank = waiter.rank;
  message.token = waiter.rank ? waiter.step : waiter.token;
  message.threadblock = waiter.threadblock;
  message.nonblocking = waiter.nonblocking;
  if (!waiter.rank && rules_.bare_point_to_point) return 0;
  TimePs cost = costs_.receive_cost_ps;
  if (waiter.reduced_bytes != 0 && costs_.reduction_bytes_per_s != 0)
    cost += reduction_ps(waiter.reduced_bytes);
  return cost;
}

TimePs MessageNetwork::reduction_ps(std::uint64_t bytes) {
  if (bytes != reduced_bytes_) {
    reduced_bytes_ = bytes;
    const auto once = static_cast<TimePs>(Uint128{bytes} * kPsPerSecond / costs_.reduction_bytes_per_s);
    reduced_ps_ = rules_.time_step_ps != 0 ? 3 * rules_.cut(once)
                                           : transfer_time_ps(3 * bytes, costs_.reduction_bytes_per_s);
  }
  return reduced_ps_;
}

/// Stores or reduces what arrived, and lets its step go on.
void MessageNetwork::take(MessageRecord& message, TimePs now) {
  MessageRank* const rank = message.rank;
  const std::uint32_t threadblock = message.threadblock, step = static_cast<std::uint32_t>(message.token);
  const bool nonblocking = message.nonblocking;
  if (!rank) {
    MessageListener& listener = *npus_[index_of(message.destination)].listener;
    const std::uint64_t token = message.token;
    records_.release(message);
    return listener.communication_done(token);
  }
  if (rank->start.buffer) {
    const auto data = std::move(records_.way(message).data);
    if (nonblocking)
      rank->received.add(threadblock, step, std::move(*data));
    else
      store_values(*rank->program, threadblock, step, rank->buffer(), data->data());
  }
  records_.release(message);
  if (nonblocking)
    runner_.receive_done(*rank, threadblock, now);
  else
    runner_.step_done(*rank, threadblock, now);
}

std::vector<std::string> MessageNetwork::Npu::pending() const {
  std::vector<std::string> lines;
  const auto step = [&](NpuId from, std::uint64_t collective, std::uint32_t threadblock,
                        std::uint32_t number) {
    lines.push_back(npu_name(id) + " waits for " + npu_name(from) + " in collective " +
                    std::to_string(collective) + " step " + std::to_string(number) + " of threadblock " +
                    std::to_string(threadblock));
  };
  matcher.for_each([&](const auto& entry) {
    if (entry.message) return;
    if (entry.waiter.rank)
      step(entry.key.source, entry.key.operation, entry.waiter.threadblock, entry.waiter.step);
    else
      lines.push_back(npu_name(id) + " waits for " + npu_name(entry.key.source) + " in a receive with tag " +
                      std::to_string(entry.key.tag));
  });
  for (const auto& rank : ranks)
    for (std::uint32_t index = 0; index < rank->threadblocks.size(); ++index) {
      const MessageThreadblock& threadblock = rank->threadblocks[index];
      for (const ExpectedMessage& slot : threadblock.expected)
        if (slot.source != ExpectedMessage::kNobody)
          step(static_cast<NpuId>(slot.source), rank->start.collective_id, index, slot.step);
      if (threadblock.unlisted != 0)
        lines.push_back(npu_name(id) + " waits for " + std::to_string(threadblock.unlisted) +
                        " more messages in collective " + std::to_string(rank->start.collective_id) +
                        ", threadblock " + std::to_string(index));
    }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace wafertlm
