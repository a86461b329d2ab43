// SPDX-License-Identifier: Apache-2.0
#include "tlm/acceleration/episodes.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kPlan = ~std::uint32_t{0};  // a wake-up; else the number of an entry of the log
constexpr std::uint64_t kFirstListed = 1U << 20;    // that may be listed before anything has come of it
constexpr std::uint64_t kListedPerEvent = 4;        // and later: one takes some nanoseconds
constexpr std::size_t kMostOperations = 5'000;      // of an episode that is recorded
constexpr std::size_t kMostBytes = 500'000'000;     // of states and recordings; then all are forgotten

std::uint64_t hash_of(const std::vector<std::uint64_t>& values) {
  std::uint64_t hash = values.size();
  for (const std::uint64_t value : values) hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL ^ hash >> 29;
  return hash;
}

}  // namespace

Episodes::Episodes(Scheduler& scheduler, ListRest list, std::optional<std::uint64_t> verify_seed)
    : scheduler_(scheduler), list_(std::move(list)) {
  if (verify_seed) verify_.emplace(*verify_seed);
}

Episodes::~Episodes() = default;

EpisodeGate& Episodes::connect(NpuId npu, Communication& endpoint, MessageListener& listener) {
  if (gates_.size() <= index_of(npu)) gates_.resize(index_of(npu) + 1);
  gates_[index_of(npu)] = std::make_unique<EpisodeGate>(*this, npu, endpoint, listener);
  return *gates_[index_of(npu)];
}

// ---------------------------------------------------------------- operations

void EpisodeGate::start_collective(const CollectiveStart& start, TimePs now) {
  episodes_.collective({EpisodeInput::Kind::collective, npu_, start}, now);
}

void EpisodeGate::start_send(NpuId peer, std::uint64_t tag, std::uint64_t bytes, ClassId traffic_class,
                             std::uint64_t token, TimePs now) {
  Episodes::Operation operation{EpisodeInput::Kind::send, npu_, {}, peer, tag, bytes};
  operation.collective.traffic_class = traffic_class;
  operation.collective.token = token;
  episodes_.send(std::move(operation), now);
}

void EpisodeGate::start_receive(NpuId peer, std::uint64_t tag, std::uint64_t token, TimePs now) {
  Episodes::Operation operation{EpisodeInput::Kind::receive, npu_, {}, peer, tag};
  operation.collective.token = token;
  episodes_.receive(std::move(operation), now);
}

void Episodes::collective(Operation operation, TimePs now) {
  const CollectiveStart& start = operation.collective;
  if (begun_.count(start.collective_id) == 0) {
    if (only_waits(*start.program)) {
      waiting_[start.collective_id].emplace(operation.at, start);
      return;
    }
    if (const auto waiting = waiting_.extract(start.collective_id))
      for (const auto& [at, of] : waiting.mapped()) {
        operation.waiting.push_back(of);
        operation.waiting_at.push_back(at);
      }
  }
  const std::uint64_t id = start.collective_id;
  begin(std::move(operation), now);
  begun_.insert(id);  // in this episode
}

/// Whether it does nothing before somebody else sends to it.
bool Episodes::only_waits(const StepSource& program) {
  const auto [known, is_new] = only_waits_.try_emplace(&program, false);
  if (!is_new || program.endpoint_steps()) return known->second;
  bool has_steps = false;
  for (std::uint32_t threadblock = 0; threadblock < program.threadblocks(); ++threadblock) {
    if (program.steps(threadblock) == 0) continue;
    has_steps = true;
    const Step step = program.step(threadblock, 0);
    const bool receives = step.kind == Step::Kind::copy || step.kind == Step::Kind::reduce ||
                          step.kind == Step::Kind::flow_copy;
    const bool waits = step.after_threadblock != Step::kNone && step.after_count != 0;
    if (!waits && (!receives || step.bytes == 0 || step.nonblocking)) return false;
  }
  return known->second = has_steps;
}

void Episodes::send(Operation operation, TimePs now) {
  Matcher& messages = gates_[index_of(operation.peer)]->messages_;
  const MessageKey key{0, operation.tag, operation.at};
  const auto* const receive = messages.find(key);
  if (receive && !receive->waiter.is_send) {
    operation.waiting.emplace_back().token = receive->waiter.token;
    operation.waiting_at = {operation.peer};
    messages.remove(*receive);
    return begin(std::move(operation), now);
  }
  begin(std::move(operation), now);
  messages.add(key, nullptr, {0, operations_ - 1, true});
  ++unclaimed_;
}

void Episodes::receive(Operation operation, TimePs now) {
  Matcher& messages = gates_[index_of(operation.at)]->messages_;
  const MessageKey key{0, operation.tag, operation.peer};
  const auto* const sent = messages.find(key);
  if (!sent || !sent->waiter.is_send)
    return messages.add(key, nullptr, {operation.collective.token, 0, false});
  operation.sent_as = sent->waiter.number;
  begin(std::move(operation), now);
  messages.remove(*sent);
  --unclaimed_;
}

void Episodes::begin(Operation operation, TimePs now) {
  if (is_quiet()) next_episode(now);
  under_way_ += 1 + operation.waiting.size();
  if (!node_) return perform(operation, now);

  operation.at_ps = now;
  operation.event = scheduler_.events();
  const EpisodeInput input = describe(operation, now);
  const auto known = node_->next.find(input);
  const bool is_known = known != node_->next.end();
  if (log_.empty() && is_known && !is_verifying_) is_playing_ = true;
  if (is_playing_ && (!is_known || (log_.empty() && is_verifying_))) go_live(now);
  if (!is_playing_ && seen_ < node_->outputs.size() && node_->outputs[seen_].after_ps < input.after_ps)
    differs("an operation ends", node_->outputs[seen_].after_ps, input.after_ps);

  if (log_.size() == kMostOperations && !is_playing_) {
    node_ = nullptr;
    return perform(operation, now);
  }
  operation.number = operations_;
  operations_ += 1 + static_cast<std::uint32_t>(operation.waiting.size());
  tokens_.emplace_back(operation.at, operation.collective.token);
  for (std::size_t i = 0; i < operation.waiting.size(); ++i)
    tokens_.emplace_back(operation.waiting_at[i], operation.waiting[i].token);
  log_.push_back(operation);
  node_->known_ps = std::max(node_->known_ps, input.after_ps);
  std::unique_ptr<EpisodeNode>& next = node_->next[input];
  if (!next) {
    next = std::make_unique<EpisodeNode>();
    bytes_ += sizeof(EpisodeNode) + 2 * sizeof(EpisodeInput);
  }
  node_ = next.get();
  node_->known_ps = std::max(node_->known_ps, input.after_ps);
  seen_ = 0;
  if (is_playing_)
    plan(now);
  else
    perform(operation, now);
}

/// As it is known within the episode, and known from now on.
EpisodeInput Episodes::describe(const Operation& operation, TimePs now) {
  EpisodeInput input;
  input.after_ps = now - start_ps_;
  input.at = operation.at;
  input.kind = operation.kind;
  input.traffic_class = operation.collective.traffic_class;
  input.waiting = operation.waiting_at;
  input.is_at_once = !log_.empty() && log_.back().event == operation.event;
  const auto place_in = [&](std::vector<Numbered>& all, std::uint64_t id) {
    const auto place = std::lower_bound(all.begin(), all.end(), Numbered{id, 0});
    input.place = static_cast<std::uint32_t>(place - all.begin());
    if (place != all.end() && place->id == id)
      input.belongs_to = place->number;
    else
      all.insert(place, {id, operations_});
  };
  if (operation.kind == EpisodeInput::Kind::collective) {
    input.program = operation.collective.program;
    place_in(collectives_, operation.collective.collective_id);
    if (input.belongs_to != EpisodeInput::kNone) input.place = 0;
  } else if (operation.kind == EpisodeInput::Kind::send) {
    input.peer = operation.peer;
    input.bytes = operation.bytes;
    place_in(tags_, operation.tag);
  } else {
    input.belongs_to = operation.sent_as;
  }
  return input;
}

/// Passes it on to its endpoint, behind those that wait for it.
void Episodes::perform(const Operation& operation, TimePs now) {
  const bool is_collective = operation.kind == EpisodeInput::Kind::collective;
  for (std::size_t i = 0; i < operation.waiting.size(); ++i) {
    const CollectiveStart& start = operation.waiting[i];
    EpisodeGate& gate = *gates_[index_of(operation.waiting_at[i])];
    if (node_) gate.numbers_[start.token] = operation.number + 1 + static_cast<std::uint32_t>(i);
    if (is_collective)
      gate.endpoint_.start_collective(start, now);
    else
      gate.endpoint_.start_receive(operation.at, operation.tag, start.token, now);
  }
  EpisodeGate& gate = *gates_[index_of(operation.at)];
  const CollectiveStart& start = operation.collective;
  if (node_) gate.numbers_[start.token] = operation.number;
  switch (operation.kind) {
    case EpisodeInput::Kind::collective:
      return gate.endpoint_.start_collective(start, now);
    case EpisodeInput::Kind::receive:
      return gate.endpoint_.start_receive(operation.peer, operation.tag, start.token, now);
    case EpisodeInput::Kind::send:
      return gate.endpoint_.start_send(operation.peer, operation.tag, operation.bytes, start.traffic_class,
                                       start.token, now);
  }
}

/// From an endpoint.
void Episodes::done(NpuId at, std::uint64_t token) {
  EpisodeGate& gate = *gates_[index_of(at)];
  if (!node_) {
    --under_way_;
    return gate.listener_.communication_done(token);
  }
  const auto found = gate.numbers_.find(token);
  const EpisodeOutput output{scheduler_.now() - start_ps_, found->second};
  gate.numbers_.erase(found);
  if (silent_) {
    if (*silent_ == delivered_.size() || !(delivered_[*silent_] == output))
      differs("an operation that was played ends",
              *silent_ == delivered_.size() ? kNever : delivered_[*silent_].after_ps, output.after_ps);
    ++*silent_;
    return;
  }
  if (seen_ < node_->outputs.size()) {
    if (!(node_->outputs[seen_] == output))
      differs("an operation ends", node_->outputs[seen_].after_ps, output.after_ps);
  } else {
    if (output.after_ps < node_->known_ps) differs("nothing ends", node_->known_ps, output.after_ps);
    node_->outputs.push_back(output);
    bytes_ += sizeof output;
    node_->known_ps = output.after_ps;
  }
  ++seen_;
  delivered_.push_back(output);
  end(output.operation);
}

void Episodes::end(std::uint32_t number) {
  --under_way_;
  last_end_ps_ = scheduler_.now();
  const auto& [at, token] = tokens_[number];
  gates_[index_of(at)]->listener_.communication_done(token);
}

// ---------------------------------------------------------------- episodes

bool Episodes::may_list() const {
  return off_because_.empty() &&
         listed_ <= kFirstListed + kListedPerEvent * (scheduler_.events() + saved_events_);
}

const RestRecord& Episodes::list(TimePs now) {
  RecordRest record(now, rest_);
  list_(record);
  listed_ += rest_.values.size() + rest_.counts.size();
  growth_.resize(rest_.counts.size());
  if (!rest_.is_complete) off_because_ = "a model cannot say what it keeps";
  return rest_;
}

std::uint32_t Episodes::number_of(const std::vector<std::uint64_t>& values) {
  const std::uint64_t hash = hash_of(values);
  const auto [first, last] = state_numbers_.equal_range(hash);
  for (auto each = first; each != last; ++each)
    if (states_[each->second] == values) return each->second;
  const auto number = static_cast<std::uint32_t>(states_.size());
  states_.push_back(values);
  bytes_ += values.size() * sizeof(std::uint64_t);
  roots_.push_back(std::make_unique<EpisodeNode>());
  state_numbers_.emplace(hash, number);
  return number;
}

void Episodes::forget_recordings() {
  states_.clear();
  state_numbers_.clear();
  roots_.clear();
  bytes_ = 0;
}

/// Something begins, and nothing else is under way.
void Episodes::next_episode(TimePs now) {
  if (is_playing_) {
    if (go_on_playing(now)) return;
    go_live(now);
  }
  if (!may_list()) {
    node_ = nullptr;
    return;
  }
  const RestRecord& rest = list(now);
  if (!rest.is_complete) node_ = nullptr;
  if (!rest.is_complete || !rest.is_at_rest) return;  // it goes on
  std::uint32_t state = number_of(rest.values);
  if (node_) close_recording(rest, state, now);
  if (bytes_ > kMostBytes) {
    forget_recordings();
    state = number_of(rest.values);
  }
  before_ = rest;
  events_before_ = scheduler_.events();
  start_at(state, now);
}

/// The one before was played; true if what follows it is known.
bool Episodes::go_on_playing(TimePs now) {
  const std::optional<std::uint32_t> state =
      node_->end ? node_->end->state_after(now - last_end_ps_) : std::nullopt;
  if (!state) return false;
  count_played();
  saved_events_ += node_->end->events;
  start_at(*state, now);
  return true;
}

/// All of the episode was played.
void Episodes::count_played() {
  for (const auto& [count, growth] : node_->end->growth) growth_[count] += growth;
  if (node_->end->sight) observer_->repeated(*node_->end->sight, start_ps_);
  ++counts_.played;
}

void Episodes::start_at(std::uint32_t state, TimePs now) {
  state_ = state;
  node_ = roots_[state].get();
  start_ps_ = now;
  log_.clear();
  collectives_.clear();
  tags_.clear();
  begun_.clear();
  tokens_.clear();
  delivered_.clear();
  operations_ = 0;
  seen_ = 0;
  is_verifying_ = verify_ && (*verify_)() % 10 == 0;
  if (observer_) observer_->begins(now);
}

/// What has become of all by now, `rest`.
void Episodes::close_recording(const RestRecord& rest, std::uint32_t state, TimePs now) {
  EpisodeEnd::Growth growth;
  before_.counts.resize(rest.counts.size());  // of what is new they were 0
  for (std::uint32_t i = 0; i < rest.counts.size(); ++i)
    if (rest.counts[i] != before_.counts[i]) growth.emplace_back(i, rest.counts[i] - before_.counts[i]);
  const TimePs gap_ps = now - last_end_ps_;
  if (!node_->end) {
    node_->end = std::make_unique<EpisodeEnd>();
    ++counts_.recorded;
    bytes_ += growth.size() * sizeof growth.front();
    node_->end->growth = std::move(growth);
    node_->end->events = scheduler_.events() - events_before_;
    if (observer_ && (node_->end->sight = observer_->seen())) bytes_ += node_->end->sight->bytes();
  } else {
    for (std::size_t i = 0; i < std::max(growth.size(), node_->end->growth.size()); ++i)
      if (i >= growth.size() || i >= node_->end->growth.size() || growth[i] != node_->end->growth[i])
        differs("a count grows by", i < node_->end->growth.size() ? node_->end->growth[i].second : 0,
                i < growth.size() ? growth[i].second : 0);
    if (const auto known = node_->end->state_after(gap_ps); known && *known != state) {
      const auto at = std::mismatch(states_[*known].begin(), states_[*known].end(), rest.values.begin(),
                                    rest.values.end());
      differs("a state is", at.first == states_[*known].end() ? 0 : *at.first,
              at.second == rest.values.end() ? 0 : *at.second);
    }
    counts_.verified += is_verifying_;
  }
  EpisodeEnd& end = *node_->end;
  if (!rest.is_settled) {
    end.states.emplace(gap_ps, state);
  } else if (gap_ps < end.settled_ps) {
    end.settled_ps = gap_ps;
    end.settled = state;
  }
}

/// The models are put back to the beginning of the episode, and do again what has been played of it.
void Episodes::go_live(TimePs now) {
  if (verify_) list(start_ps_);  // the counts, without what has been played
  RestoreRest restore(start_ps_, states_[state_], growth_);
  list_(restore);
  RecordRest record(start_ps_, before_);
  list_(record);
  for (std::size_t i = 0; verify_ && i < growth_.size(); ++i)
    if (before_.counts[i] != rest_.counts[i] + growth_[i])
      differs("a count that was moved on is", rest_.counts[i] + growth_[i], before_.counts[i]);
  std::fill(growth_.begin(), growth_.end(), 0);
  for (std::size_t i = 0; i < before_.values.size(); ++i)
    if (before_.values[i] != states_[state_][i])
      differs("a state that was put back is", states_[state_][i], before_.values[i]);
  events_before_ = scheduler_.events();
  is_playing_ = false;
  if (observer_) observer_->begins(start_ps_);
  if (log_.empty()) return;
  ++counts_.abandoned;
  silent_ = 0;
  // What was asked for in the wake-up that is being delivered comes when all before it has been done again.
  const std::uint64_t event = scheduler_.events();
  scheduler_.replay(start_ps_, [&] {
    for (std::size_t k = 0; k < log_.size() && log_[k].event != event; ++k)
      if (k == 0 || log_[k].event != log_[k - 1].event)
        scheduler_.schedule(log_[k].at_ps, *this, static_cast<std::uint32_t>(k), Turn::operations);
  });
  for (const Operation& operation : log_)
    if (operation.event == event) perform(operation, now);
  if (*silent_ != delivered_.size()) differs("an operation that was played ends", now - start_ps_, kNever);
  silent_.reset();
}

/// Asks to be woken for what comes next of what is played.
void Episodes::plan(TimePs now) {
  planned_ps_ = kNever;
  if (seen_ < node_->outputs.size())
    planned_ps_ = start_ps_ + node_->outputs[seen_].after_ps;
  else if (!is_quiet() && !node_->end)
    planned_ps_ = start_ps_ + node_->known_ps;
  if (planned_ps_ != kNever)
    scheduler_.schedule_run_ahead(std::max(planned_ps_, now), *this, kPlan, Turn::endpoints);
}

void Episodes::play(TimePs now) {
  if (!is_playing_ || now != planned_ps_) return;
  const TimePs after_ps = now - start_ps_;
  if (seen_ == node_->outputs.size()) return scheduler_.call_after_instant(*this);
  while (seen_ < node_->outputs.size() && node_->outputs[seen_].after_ps <= after_ps) {
    const EpisodeOutput output = node_->outputs[seen_++];
    delivered_.push_back(output);
    end(output.operation);
  }
  plan(now);
}

/// What was recorded came to an end, or had another input by now.
void Episodes::after_instant(TimePs now) {
  if (is_playing_ && !is_quiet() && !node_->end && seen_ == node_->outputs.size() &&
      now >= start_ps_ + node_->known_ps)
    go_live(now);
}

void Episodes::wake(std::uint32_t what, TimePs now) {
  if (what == kPlan) return play(now);
  for (std::size_t k = what; k < log_.size() && log_[k].event == log_[what].event; ++k) perform(log_[k], now);
}

void Episodes::settle() {
  if (is_playing_) {
    if (is_quiet() && node_->end) {
      count_played();
      log_.clear();
    }
    go_live(scheduler_.now());
  }
  for (const auto& gate : gates_) {
    if (!gate) continue;
    const Matcher messages = std::exchange(gate->messages_, {});
    messages.for_each([&](const Matcher::Entry& each) {
      if (each.waiter.is_send)
        gate->messages_.add(each.key, nullptr, each.waiter);
      else
        gate->endpoint_.start_receive(each.key.source, each.key.tag, each.waiter.token, scheduler_.now());
    });
  }
  for (const auto& [id, ranks] : waiting_)
    for (const auto& [at, start] : ranks)
      gates_[index_of(at)]->endpoint_.start_collective(start, scheduler_.now());
  waiting_.clear();
}

void Episodes::differs(const char* what, std::uint64_t expected, std::uint64_t found) const {
  const auto text = [](std::uint64_t value) { return value == kNever ? "never" : std::to_string(value); };
  throw std::logic_error(say("acceleration: in the episode that began at ", start_ps_, " ps with ",
                             log_.size(), " operations so far, ", what, " ", text(expected),
                             " in the recording and ", text(found), " at ", scheduler_.now(), " ps"));
}

}  // namespace wafertlm
