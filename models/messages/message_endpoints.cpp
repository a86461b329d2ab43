// SPDX-License-Identifier: Apache-2.0
// The endpoints' half of MessageNetwork: steps of collectives, and who waits for which message.
#include <algorithm>
#include <stdexcept>

#include "models/messages/message_network.h"
#include "tlm/npu_name.h"

namespace wafertlm {
using Event = MessageRecord::Event;

void MessageNetwork::start_collective(NpuId npu, const CollectiveStart& start, TimePs now) {
  Npu& at = npus_[index_of(npu)];
  if (rank_of(at, start.collective_id))
    throw std::logic_error(npu_name(npu) + " entered collective " + std::to_string(start.collective_id) +
                           " twice");
  if (start.program->endpoint_steps())
    throw std::logic_error(npu_name(npu) + " should ask for in-network flows, but the fabric has none");
  at.ranks.push_back(std::make_unique<MessageRank>());
  MessageRank& rank = *at.ranks.back();
  rank.start = start;
  rank.npu = npu;
  rank.keeps_strands = start.program->keeps_strands();
  begin(rank, now);
}

void MessageNetwork::begin(MessageRank& rank, TimePs now) {
  const StepSource& program = *rank.start.program;
  rank.strands.resize(program.strands());
  // One more than there are, so that nothing ends before all strands have been started.
  rank.unfinished = program.strands() + 1;
  for (std::uint32_t strand = 0; strand < rank.strands.size(); ++strand)
    rank.strands[strand].steps = program.steps(strand);
  for (std::uint32_t strand = 0; strand < rank.strands.size(); ++strand) {
    if (rank.strands[strand].steps == 0)
      --rank.unfinished;
    else
      advance(rank, strand, now);
  }
  if (--rank.unfinished != 0) return;
  MessageRecord& done = records_.acquire();
  done.rank = &rank;
  due(done, Event::done, now);
}

void MessageNetwork::ended(MessageRank& rank, TimePs) {
  Npu& at = npus_[index_of(rank.npu)];
  const std::uint64_t token = rank.start.token;
  at.recent = nullptr;
  at.ranks.erase(
      std::find_if(at.ranks.begin(), at.ranks.end(), [&](const auto& each) { return each.get() == &rank; }));
  at.listener->communication_done(token);
}

MessageRank* MessageNetwork::rank_of(Npu& npu, std::uint64_t operation) {
  if (npu.recent && npu.recent->start.collective_id == operation) return npu.recent;
  for (const auto& rank : npu.ranks)
    if (rank->start.collective_id == operation) return npu.recent = rank.get();
  return nullptr;
}

void MessageNetwork::start_send(NpuId npu, NpuId peer, std::uint64_t tag, std::uint64_t bytes,
                                ClassId traffic_class, std::uint64_t token, TimePs now) {
  MessageRecord& message = records_.acquire();
  message.key = {0, tag, npu};
  message.destination = peer;
  message.bytes = bytes;
  message.rank = nullptr;
  message.token = token;
  message.strand = 0;
  message.posted = false;
  message.turn = 0;
  message.entered_ps = now;
  message.traffic_class = traffic_class;
  due(message, Event::launch, now + costs_.step_cost_ps);
}

void MessageNetwork::start_receive(NpuId npu, NpuId peer, std::uint64_t tag, std::uint64_t token,
                                   TimePs now) {
  Waiter waiter;
  waiter.token = token;
  expect({0, tag, peer}, npus_[index_of(npu)], waiter, now);
}

/// Runs the strand until it has to wait.
void MessageNetwork::advance(MessageRank& rank, std::uint32_t index, TimePs now) {
  const MessageStrand& strand = rank.strands[index];
  while (!strand.running && strand.done < strand.steps)
    if (!start_step(rank, index, now)) return;
}

/// As Endpoint::start_step.
bool MessageNetwork::start_step(MessageRank& rank, std::uint32_t index, TimePs now) {
  const StepSource& program = *rank.start.program;
  MessageStrand& strand = rank.strands[index];
  if (strand.parked) return false;
  if (strand.posted != 0 && program.joins(index, strand.done)) return false;
  const Step step = program.step(index, strand.done);
  if (step.after_strand != Step::kNone) {
    MessageStrand& other = rank.strands[step.after_strand];
    if (other.done < step.after_count) {
      strand.parked = true;
      strand.parked_until = step.after_count;
      strand.next_parked = other.first_parked;
      other.first_parked = index;
      other.wake_at = std::min(other.wake_at, step.after_count);
      return false;
    }
  }
  if (step.enters) {
    strand.turn = step.turn;
    strand.entered_ps = now;
  }
  if (step.bytes == 0) {
    step_done(rank, index, now);
    return true;
  }
  if (step.is_local() && step.delay_ps == 0) {
    if (rank.start.buffer) do_locally(step, rank.start.data_type, rank.start.buffer);
    step_done(rank, index, now);
    return true;
  }
  strand.running = !step.posted;
  if (step.is_local()) {
    MessageRecord& over = records_.acquire();
    over.rank = &rank;
    over.strand = index;
    due(over, Event::local, now + step.delay_ps);
  } else if (step.kind == Step::Kind::send) {
    send_step(rank, index, step, now);
  } else if (step.kind == Step::Kind::copy || step.kind == Step::Kind::reduce) {
    strand.posted += step.posted ? 1 : 0;
    Waiter waiter;
    waiter.rank = &rank;
    waiter.bytes = step.bytes;
    waiter.strand = index;
    waiter.step = strand.done;
    waiter.reduces = step.kind == Step::Kind::reduce;
    waiter.posted = step.posted;
    expect({rank.start.collective_id, step.tag, (*rank.start.group)[step.peer]}, npus_[index_of(rank.npu)],
           waiter, now);
  } else {
    throw std::logic_error(npu_name(rank.npu) + " should enter an in-network flow, but the fabric has none");
  }
  if (step.posted) step_done(rank, index, now);
  return true;
}

/// A step within the rank's own buffer is over.
void MessageNetwork::local_done(MessageRank& rank, std::uint32_t strand, TimePs now) {
  if (rank.start.buffer)
    do_locally(rank.start.program->step(strand, rank.strands[strand].done), rank.start.data_type,
               rank.start.buffer);
  step_done(rank, strand, now);
  advance(rank, strand, now);
}

void MessageNetwork::send_step(MessageRank& rank, std::uint32_t index, const Step& step, TimePs now) {
  const MessageStrand& strand = rank.strands[index];
  MessageRecord& message = records_.acquire();
  message.key = {rank.start.collective_id, step.tag, rank.npu};
  message.destination = (*rank.start.group)[step.peer];
  message.bytes = step.bytes;
  message.rank = &rank;
  message.strand = index;
  message.posted = step.posted;
  message.turn = strand.turn;
  message.entered_ps = strand.entered_ps;
  message.traffic_class = rank.start.traffic_class;
  if (rank.start.buffer) {
    message.data = std::make_unique<std::vector<std::byte>>();
    for (const BufferPiece& piece : rank.start.program->pieces(index, strand.done))
      message.data->insert(message.data->end(), rank.start.buffer + piece.offset,
                           rank.start.buffer + piece.offset + piece.bytes);
  }
  const TimePs delay = step.delay_ps + costs_.step_cost_ps;
  if (delay == 0)
    launch(message, now);
  else
    due(message, Event::launch, now + delay);
}

void MessageNetwork::step_done(MessageRank& rank, std::uint32_t index, TimePs now) {
  MessageStrand& strand = rank.strands[index];
  strand.running = false;
  ++strand.done;
  if (strand.done >= strand.wake_at) resume_parked(rank, index, now);
  if (strand.done != strand.steps || --rank.unfinished != 0) return;
  MessageRecord& done = records_.acquire();
  done.rank = &rank;
  due(done, Event::done, now);
}

/// Those that wait for strand `index` go on, if this was what they wait for; the lowest number first.
void MessageNetwork::resume_parked(MessageRank& rank, std::uint32_t index, TimePs now) {
  MessageStrand& strand = rank.strands[index];
  std::vector<std::uint32_t> ready;
  std::uint32_t waiting = std::exchange(strand.first_parked, MessageStrand::kNone);
  strand.wake_at = MessageStrand::kNone;
  while (waiting != MessageStrand::kNone) {
    MessageStrand& other = rank.strands[waiting];
    const std::uint32_t next = other.next_parked;
    if (other.parked_until <= strand.done) {
      other.parked = false;
      ready.push_back(waiting);
    } else {
      other.next_parked = std::exchange(strand.first_parked, waiting);
      strand.wake_at = std::min(strand.wake_at, other.parked_until);
    }
    waiting = next;
  }
  std::sort(ready.begin(), ready.end());
  for (const std::uint32_t each : ready) advance(rank, each, now);
}

void MessageNetwork::expect(const MessageKey& key, Npu& at, const Waiter& waiter, TimePs now) {
  const bool has_slots = waiter.rank && waiter.rank->keeps_strands && waiter.posted;
  // Programs that keep strands have one receive per tag, so there is nothing else to look for.
  const auto* const early = has_slots && at.early == 0 ? nullptr : at.matcher.find(key);
  if (early && !early->message)
    throw std::logic_error("an NPU waits twice for the message with tag " + std::to_string(key.tag) +
                           " from " + npu_name(key.source));
  if (early) {
    MessageRecord& message = *early->message;
    at.matcher.remove(*early);
    --at.early;
    // Not from within the step that waits: it is not done with posting.
    return due(message, Event::take, now + match(message, waiter));
  }
  if (has_slots)
    for (ExpectedMessage& slot : waiter.rank->strands[waiter.strand].expected)
      if (slot.source == ExpectedMessage::kNobody) {
        slot.tag = key.tag;
        slot.bytes = waiter.bytes;
        slot.source = static_cast<std::uint32_t>(key.source);
        slot.step = waiter.step & 0x7FFFFFFFU;
        slot.reduces = waiter.reduces;
        return;
      }
  at.matcher.add(key, nullptr, waiter);
}

void MessageNetwork::arrived(MessageRecord& message, TimePs now) {
  Npu& at = npus_[index_of(message.destination)];
  MessageRank* const rank = message.key.operation == 0 ? nullptr : rank_of(at, message.key.operation);
  if (rank && rank->keeps_strands)
    for (ExpectedMessage& slot : rank->strands[message.strand].expected)
      if (slot.tag == message.key.tag && slot.source == index_of(message.key.source)) {
        slot.source = ExpectedMessage::kNobody;
        return take_after(
            match(message, {rank, 0, slot.bytes, message.strand, slot.step, slot.reduces != 0, true}),
            message, now);
      }
  const auto* const expected = at.matcher.find(message.key);
  if (!expected || expected->message) {
    ++at.early;
    return at.matcher.add(message.key, &message, {});
  }
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
  message.token = waiter.token;
  message.strand = waiter.strand;
  message.step = waiter.step;
  message.posted = waiter.posted;
  TimePs cost = costs_.receive_cost_ps;
  if (waiter.reduces && costs_.reduction_bytes_per_s != 0) cost += reduction_ps(message.bytes);
  return cost;
}

TimePs MessageNetwork::reduction_ps(std::uint64_t bytes) {
  if (bytes != reduced_bytes_) {
    reduced_bytes_ = bytes;
    reduced_ps_ = transfer_time_ps(3 * bytes, costs_.reduction_bytes_per_s);
  }
  return reduced_ps_;
}

/// Stores or reduces what arrived, and lets its step go on.
void MessageNetwork::take(MessageRecord& message, TimePs now) {
  MessageRank* const rank = message.rank;
  const std::uint32_t index = message.strand, step = message.step;
  const bool posted = message.posted;
  if (!rank) {
    MessageListener& listener = *npus_[index_of(message.destination)].listener;
    const std::uint64_t token = message.token;
    records_.release(message);
    return listener.communication_done(token);
  }
  if (rank->start.buffer && posted)
    rank->taken[index].emplace(step, std::move(*message.data));
  else if (rank->start.buffer)
    store(*rank, index, step, message.data->data());
  records_.release(message);
  if (!posted) {
    step_done(*rank, index, now);
  } else if (--rank->strands[index].posted == 0) {
    if (rank->start.buffer) store_taken(*rank, index);
  } else {
    return;
  }
  advance(*rank, index, now);
}

/// In the order of the steps, whatever came first, so that sums are the same bits.
void MessageNetwork::store_taken(MessageRank& rank, std::uint32_t strand) {
  for (const auto& [step, values] : rank.taken[strand]) store(rank, strand, step, values.data());
  rank.taken.erase(strand);
}

void MessageNetwork::store(MessageRank& rank, std::uint32_t strand, std::uint32_t step,
                           const std::byte* from) {
  const bool reduces = rank.start.program->step(strand, step).kind == Step::Kind::reduce;
  for (const BufferPiece& piece : rank.start.program->pieces(strand, step)) {
    if (reduces)
      add_values(rank.start.data_type, rank.start.buffer + piece.offset, from, piece.bytes);
    else
      std::copy(from, from + piece.bytes, rank.start.buffer + piece.offset);
    from += piece.bytes;
  }
}

std::vector<std::string> MessageNetwork::pending(NpuId npu) const {
  const Npu& at = npus_[index_of(npu)];
  std::vector<std::string> lines;
  const auto step = [&](NpuId from, std::uint64_t collective, std::uint32_t strand, std::uint32_t number) {
    lines.push_back(npu_name(npu) + " waits for " + npu_name(from) + " in collective " +
                    std::to_string(collective) + " step " + std::to_string(number) + " of strand " +
                    std::to_string(strand));
  };
  at.matcher.for_each([&](const auto& entry) {
    if (entry.message) return;
    if (entry.waiter.rank)
      step(entry.key.source, entry.key.operation, entry.waiter.strand, entry.waiter.step);
    else
      lines.push_back(npu_name(npu) + " waits for " + npu_name(entry.key.source) + " in a receive with tag " +
                      std::to_string(entry.key.tag));
  });
  for (const auto& rank : at.ranks)
    for (std::uint32_t s = 0; s < rank->strands.size(); ++s)
      for (const ExpectedMessage& slot : rank->strands[s].expected)
        if (slot.source != ExpectedMessage::kNobody)
          step(static_cast<NpuId>(slot.source), rank->start.collective_id, s, slot.step);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace wafertlm
