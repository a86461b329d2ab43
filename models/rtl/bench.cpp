// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/bench.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace wafertlm {
namespace {

// Cycles without a move on the pins after which the clock stops with nothing inside.
constexpr std::uint32_t kQuietWhenEmpty = 8;

}  // namespace

RtlBench::RtlBench(const RtlDesign& design, RtlModel& model, RtlBenchParams params, RtlBenchHost& host)
    : design_(design),
      params_(std::move(params)),
      host_(host),
      stream_(make_rtl_stream(design, model, *this)),
      queues_(std::size_t{design.ports} * design.channels),
      current_(design.ports),
      leaving_(queues_.size()),
      next_credit_(design.ports),
      channel_out_(design.ports),
      class_channels_(design.parameter("CLASS_VC", 1)),
      returned_(queues_.size()) {
  params_.rooms.resize(leaving_.size());
  for (std::size_t i = 0; i < leaving_.size(); ++i)
    if (params_.rooms[i] != 0 && params_.rooms[i] < design.out_depth)
      throw std::invalid_argument(
          "the RTL design '" + design.name + "' starts with OUT_DEPTH=" + std::to_string(design.out_depth) +
          " credits, and behind its output " + std::to_string(i / design.channels) + " there is room for " +
          std::to_string(params_.rooms[i]) +
          " flits: make the input buffers of the fabric larger, or OUT_DEPTH smaller");
  empty_rooms();
}

void RtlBench::empty_rooms() {
  for (std::size_t i = 0; i < leaving_.size(); ++i) {
    leaving_[i] = {};
    leaving_[i].bounded = params_.rooms[i] != 0;
    if (leaving_[i].bounded) leaving_[i].credits = params_.rooms[i] - design_.out_depth;
  }
}

void RtlBench::restart() {
  stream_->reset();
  empty_rooms();
  for (Queue& queue : queues_) queue = {};
  std::fill(current_.begin(), current_.end(), std::pair<std::uint32_t, Incoming*>{});
  std::fill(next_credit_.begin(), next_credit_.end(), 0);
  std::fill(returned_.begin(), returned_.end(), Returned{});
  entries_.clear();
  packets_.clear();
  configuration_.clear();
  words_due_.clear();
  last_out_.clear();
  running_ = sleeps_ = false;
  edge_ = next_edge_ = 0;
}

/// Something will happen at `at`. Credits that came while the clock stood are given at the edges where they
/// would have been.
void RtlBench::start(TimePs at_ps) {
  quiet_ = 0;
  if (running_) {
    // It may be set to start later than that.
    if (sleeps_) edge_ = std::min(edge_, std::max(next_edge_, params_.clock.edge_from(at_ps)));
    return;
  }
  running_ = sleeps_ = true;
  next_edge_ = edge_;
  edge_ = std::max(edge_, params_.clock.edge_from(at_ps));
}

/// The first edge after a pause: works off those in it at which credits are given.
void RtlBench::catch_up() {
  sleeps_ = false;
  const std::uint64_t first = edge_;
  edge_ = next_edge_;
  const TimePs start_ps = params_.clock.edge_ps(first);
  for (;;) {
    TimePs due_ps = kNever;
    bool gives = false;
    for (std::uint32_t i = 0; i < leaving_.size(); ++i) {
      const Leaving& behind = leaving_[i];
      if (!behind.coming.empty()) due_ps = std::min(due_ps, behind.coming.begin()->first);
      gives = gives || (behind.bounded && behind.credits != 0 &&
                        stream_->lacks_credit(i / design_.channels, i % design_.channels));
    }
    if (!gives) {
      if (due_ps >= start_ps) break;
      edge_ = std::max(edge_, params_.clock.edge_from(due_ps));
    }
    if (edge_ >= first) break;
    run_edge();
  }
  edge_ = first;
}

void RtlBench::apply(const RtlEvent& event) {
  if (event.kind == RtlEvent::Kind::open) open(event.entry, event.now_ps);
  if (event.kind == RtlEvent::Kind::arrive) arrive(event);
  if (event.kind == RtlEvent::Kind::credit)
    credit(event.port, event.channel, event.flits, event.head_ps, event.now_ps);
}

void RtlBench::open(const RtlEntry& entry, TimePs now) {
  entries_[entry.number] = entry;
  if (!params_.configuration) return;
  const auto words = params_.configuration(entry);
  for (const auto& [word, value] : words) configuration_.push_back({entry.number, word, value, entry.first});
  words_due_[entry.number] += static_cast<std::uint32_t>(words.size());
  start(now);
}

void RtlBench::arrive(const RtlEvent& given) {
  RtlEvent packet = given;
  if (design_.protocol == RtlProtocol::axi4_stream) packet.channel = 0;  // it has one
  const bool is_message = RtlEntry::is_message(packet.flow);
  const auto entry = entries_.find(packet.flow);
  if (!is_message && entry == entries_.end())
    throw std::logic_error("a packet of entry " + std::to_string(packet.flow) + ", which was not opened");
  const Key key{packet.flow, packet.sequence & RtlHeader::kSequenceMask};
  const auto [place, is_new] = packets_.try_emplace(key);
  Packet& made = place->second;
  if (is_new) {
    made.channel = packet.channel;
    made.flits = packet.flits;
    made.bytes = packet.bytes;
    made.sequence = packet.sequence;
    if (is_message) {
      made.inputs = {packet.port};
      made.outputs_due = {RtlEntry::output_of(packet.flow)};
    } else {
      made.inputs = entry->second.inputs;
      made.outputs_due = entry->second.outputs;
      for (const std::uint32_t input : entry->second.inputs)
        queues_[at(input, packet.channel)].order[{packet.now_ps, packet.flow, packet.sequence}] = 0;
    }
  }
  if (is_new) {
    made.inputs_due = made.inputs.size();
    for (const std::uint32_t output : made.outputs_due) made.flits_out[output] = 0;
  }
  made.arrival_ps = std::max(made.arrival_ps, packet.head_ps);
  --made.inputs_due;
  Queue& queue = queues_.at(at(packet.port, packet.channel));
  if (!is_message)
    queue.flows[key] = {packet, 0};
  else
    queue.messages.push_back({packet, 0});
  start(packet.head_ps);
}

void RtlBench::credit(std::uint32_t output, std::uint32_t channel, std::uint32_t flits, TimePs at_ps,
                      TimePs now) {
  if (design_.protocol == RtlProtocol::axi4_stream) channel = 0;
  Leaving& behind = leaving_.at(at(output, channel));
  if (!behind.bounded) return;
  // A credit is needed when the head leaves the output, and the module takes it into account so many cycles
  // before.
  const TimePs ahead_ps =
      design_.protocol == RtlProtocol::credit_stream ? params_.clock.edge_ps(design_.latency) : 0;
  behind.coming.emplace(at_ps > ahead_ps ? at_ps - ahead_ps : 0, flits);
  if (!packets_.empty()) start(std::max(now, behind.coming.begin()->first));
}

void RtlBench::configure(std::uint32_t entry, std::uint32_t word, std::uint32_t value, TimePs now) {
  configuration_.push_back({entry, word, value, 0});
  ++words_due_[entry];
  start(now);
}

bool RtlBench::is_configured(std::uint32_t entry) const {
  const auto due = words_due_.find(entry);
  return due == words_due_.end() || due->second == 0;
}

void RtlBench::wake() {
  if (cycles_ == 0) stream_->reset();
  if (sleeps_) catch_up();
  run_edge();
  if (!is_quiet()) {
    quiet_ = 0;
  } else if (++quiet_ >= (packets_.empty() ? kQuietWhenEmpty : params_.patience_cycles)) {
    running_ = false;
    // What is announced for later is not forgotten.
    const TimePs next_ps = next_announced_ps();
    if (next_ps != kNever) start(next_ps);
  }
}

bool RtlBench::is_quiet() const {
  if (stream_->was_active() || !configuration_.empty()) return false;
  return !params_.stalls || packets_.empty() || edge_ > params_.stalls->end();
}

void RtlBench::run_edge() {
  ++cycles_;
  now_ps_ = params_.clock.edge_ps(edge_++);
  configure();
  give_credits(now_ps_);
  give_flits(now_ps_);
  stream_->cycle(now_ps_);
  // A flit may leave in the cycle in which its credit comes.
  for (const std::size_t place : credited_)
    returned_[place].most = std::max(returned_[place].most, returned_[place].now);
  credited_.clear();
}

TimePs RtlBench::next_announced_ps() const {
  TimePs next_ps = kNever;
  if (packets_.empty()) return next_ps;
  for (const Leaving& behind : leaving_)
    if (!behind.coming.empty()) next_ps = std::min(next_ps, behind.coming.begin()->first);
  const auto consider = [&](const Incoming& each) {
    if (const TimePs at_ps = next_flit_ps(each); at_ps > now_ps_) next_ps = std::min(next_ps, at_ps);
  };
  for (const Queue& queue : queues_) {
    for (const Incoming& each : queue.messages) consider(each);
    for (const auto& [key, each] : queue.flows) consider(each);
  }
  return next_ps;
}

void RtlBench::configure() {
  if (configuration_.empty()) return;
  const Word word = configuration_.front();
  // The flow that had the entry before is over for the sender, but maybe not in here.
  for (auto before = packets_.lower_bound({word.entry, 0});
       before != packets_.end() && before->first.first == word.entry; ++before)
    if (before->second.sequence < word.first) return;
  configuration_.pop_front();
  stream_->configure(word.entry, word.word, word.value);
  --words_due_[word.entry];
}

void RtlBench::give_credits(TimePs now) {
  for (std::uint32_t output = 0; output < design_.ports; ++output) {
    for (std::uint32_t channel = 0; channel < design_.channels; ++channel) {
      Leaving& behind = leaving_[at(output, channel)];
      while (!behind.coming.empty() && behind.coming.begin()->first <= now) {
        behind.credits += behind.coming.begin()->second;
        behind.coming.erase(behind.coming.begin());
      }
    }
    if (design_.protocol != RtlProtocol::credit_stream) continue;
    if (params_.stalls && params_.stalls->output(output, edge_ - 1)) continue;
    for (std::uint32_t i = 0; i < design_.channels; ++i) {
      const std::uint32_t channel = (next_credit_[output] + i) % design_.channels;
      Leaving& behind = leaving_[at(output, channel)];
      if (!stream_->lacks_credit(output, channel) || (behind.bounded && behind.credits == 0)) continue;
      if (behind.bounded) --behind.credits;
      stream_->give_credit(output, channel);
      next_credit_[output] = channel + 1;
      break;
    }
  }
}

RtlBench::Key RtlBench::front_key(const Queue& queue) const {
  const auto& [at_ps, entry, sequence] = queue.order.begin()->first;
  return {entry, sequence & RtlHeader::kSequenceMask};
}

RtlBench::Incoming* RtlBench::front_of(Queue& queue, TimePs now) {
  const auto may_go = [&](const Incoming& incoming) {
    return incoming.packet.head_ps <= now && is_configured(incoming.packet.flow);
  };
  if (!queue.messages.empty() && may_go(queue.messages.front())) return &queue.messages.front();
  if (queue.order.empty()) return nullptr;
  const auto first = queue.flows.find(front_key(queue));
  return first != queue.flows.end() && may_go(first->second) ? &first->second : nullptr;
}

/// Of the packets that wait for an input the one that came first, of any channel with credits for all of it:
/// a packet that stops on its way would keep the others from the port.
RtlBench::Incoming* RtlBench::next_for(std::uint32_t input, TimePs now) {
  Incoming* best = nullptr;
  for (std::uint32_t channel = 0; channel < design_.channels; ++channel) {
    const std::uint32_t room = stream_->room(input, channel);
    if (room == 0) continue;
    Incoming* const front = front_of(queues_[at(input, channel)], now);
    if (front && room < std::min(front->packet.flits, design_.depth)) continue;
    if (front && (!best || front->packet.head_ps < best->packet.head_ps)) best = front;
  }
  return best;
}

/// When the next flit is there; kNever: nobody knows yet. From head to tail the flits are evenly spread, and
/// the last one is there a cycle before the tail has passed.
TimePs RtlBench::next_flit_ps(const Incoming& from) const {
  const RtlEvent& packet = from.packet;
  if (packet.flit_times) {
    const std::vector<TimePs>& at_ps = packet.flit_times->at_ps;
    return from.sent < at_ps.size() ? std::max(packet.head_ps, at_ps[from.sent]) : kNever;
  }
  const TimePs last_ps = std::max(packet.tail_ps, packet.head_ps + params_.clock.period_ps()) -
                         params_.clock.period_ps() - packet.head_ps;
  return packet.head_ps + (packet.flits == 1 ? 0 : last_ps * from.sent / (packet.flits - 1));
}

void RtlBench::give_flits(TimePs now) {
  for (std::uint32_t input = 0; input < design_.ports; ++input) {
    if (params_.stalls && params_.stalls->input(input, edge_ - 1)) continue;
    auto& [channel, packet] = current_[input];
    if (!packet) {
      packet = next_for(input, now);
      if (!packet) continue;
      channel = packet->packet.channel;
    }
    if (next_flit_ps(*packet) <= now && stream_->takes(input, channel)) give_flit(input, *packet);
  }
}

void RtlBench::give_flit(std::uint32_t input, Incoming& from) {
  const RtlEvent& packet = from.packet;
  const bool is_message = RtlEntry::is_message(packet.flow);
  RtlFlit flit;
  flit.head = from.sent == 0;
  flit.tail = from.sent + 1 == packet.flits;
  flit.channel = packet.channel;
  flit.header = RtlHeader{packet.flow, static_cast<std::uint32_t>(packet.sequence & RtlHeader::kSequenceMask),
                          packet.bytes}
                    .bits();
  flit.output = is_message ? RtlEntry::output_of(packet.flow) : 0;
  flit.data.resize(design_.flit_bits / 32);
  if (flit.head && packet.data.empty() && packet.bytes != 0)
    from.packet.data = made_up_data(is_message ? DataType::int32 : entries_.at(packet.flow).data_type,
                                    packet.flow, packet.sequence, packet.port, packet.bytes);
  const std::size_t first = std::size_t{from.sent} * design_.flit_bytes();
  if (first < packet.data.size())
    std::memcpy(flit.data.data(), packet.data.data() + first,
                std::min<std::size_t>(design_.flit_bytes(), packet.data.size() - first));
  if (flit.head) {
    const auto made = packets_.find({packet.flow, packet.sequence & RtlHeader::kSequenceMask});
    // It may be gone: what a module kept in a reset may look like it.
    if (made != packets_.end() && made->second.entered == 0) made->second.entered = ++entered_;
    host_.head_in(packet, stream_->room(input, packet.channel), now_ps_);
  }
  if (flit.head && params_.watch) params_.watch->head_in(packet, now_ps_);
  stream_->give(input, std::move(flit));
}

void RtlBench::went_in(std::uint32_t input) {
  auto& [channel, packet] = current_[input];
  if (++packet->sent != packet->packet.flits) return;
  Queue& queue = queues_[at(input, channel)];
  if (!queue.messages.empty() && packet == &queue.messages.front()) {
    queue.messages.pop_front();
  } else {
    queue.flows.erase(front_key(queue));
    queue.order.erase(queue.order.begin());
  }
  packet = nullptr;
}

void RtlBench::credit_came(std::uint32_t input, std::uint32_t channel) {
  const std::size_t place = at(input, channel);
  ++returned_[place].now;
  credited_.push_back(place);
}

}  // namespace wafertlm
