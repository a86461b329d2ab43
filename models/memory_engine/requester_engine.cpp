// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/requester_engine.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tlm/kernel/free_numbers.h"

namespace wafertlm {
namespace {

/// What all of an engine's accesses share, in AccessOrder; pages have their numbers.
constexpr std::uint64_t kWhole = ~std::uint64_t{0};

}  // namespace

RequesterEngine::RequesterEngine(const RequesterEngineParams& params, std::vector<ProviderPort> providers,
                                 EngineClock& clock, EngineNetwork& network, RequesterEngineHost& host)
    : params_(require_sound(params)),
      providers_(std::move(providers)),
      clock_(clock),
      network_(network),
      host_(host),
      node_(network.attach(*this)),
      sealer_(make_sealers(params.key_owner(), Purpose::pages, params.providers), params.page_bytes,
              params.integrity != Integrity::none),
      node_sealers_(make_sealers(params.key_owner(), Purpose::nodes, params.providers)),
      hiding_(PageHiding::make(params)),
      dma_in_(params.dma, false),
      dma_out_(params.dma, false),
      cipher_in_(params.cipher, params.cuts_through()),
      cipher_out_(params.cipher, params.cuts_through()),
      mac_in_(params.mac, params.cuts_through()),
      mac_out_(params.mac, params.cuts_through()) {
  if (providers_.size() != params.providers)
    throw std::invalid_argument("memory engine: needs as many providers as its parameters say");
  layout_ = layout_of(params);
  if (params.integrity == Integrity::tree)
    tree_.emplace(layout_.slots, params.tree_arity, params.cached_levels);
  if (params.functional) zeros_.resize(params.page_bytes);
}

RegionLayout RequesterEngine::layout_of(const RequesterEngineParams& params) {
  require_sound(params);
  const std::uint64_t slots = PageHiding::slots_of(params);
  RegionLayout layout{params.base_address, params.page_bytes, slots, params.encrypts() ? kTagBytes : 0};
  layout.providers = params.providers;
  layout.stripe =
      params.stripe_pages != 0 ? params.stripe_pages : (slots + params.providers - 1) / params.providers;
  if (params.integrity == Integrity::tree) {
    const IntegrityTree tree(slots, params.tree_arity, params.cached_levels);
    layout.node_bytes = tree.node_bytes();
    layout.nodes_bytes = tree.stored_bytes();
  }
  return layout;
}

/// May the host do all of this?
Refusal RequesterEngine::check(bool write, std::uint64_t address, std::uint64_t bytes) const {
  if (bytes == 0) return Refusal::no_bytes;
  if (address >= this->bytes() || bytes > this->bytes() - address) return Refusal::outside_region;
  const std::uint64_t end = address + bytes, size = params_.page_bytes;
  for (std::uint64_t page = address / size; page * size < end; ++page) {
    const bool is_partial = page * size < address || end < (page + 1) * size;
    if (const Refusal cause = check_page(write, page, is_partial); cause != Refusal::none) return cause;
  }
  return Refusal::none;
}

/// Of the page, its tag and the nodes above it, if it is known where they are. A store reads first what it
/// does not write as a whole, nodes, and with dummies everything.
Refusal RequesterEngine::check_page(bool write, std::uint64_t page, bool is_partial) const {
  const std::optional<std::uint64_t> slot = hiding_->known_slot(page);
  if (!slot) return Refusal::none;
  Refusal cause = Refusal::none;
  const auto check_one = [&](std::uint32_t provider, const Segment& segment, bool reads) {
    const Grants& grants = *providers_[provider].grants;
    if (cause == Refusal::none && write) cause = grants.check(params_.id, true, segment);
    if (cause == Refusal::none && reads) cause = grants.check(params_.id, false, segment);
  };
  const bool reads = !write || (params_.encrypts() && (is_partial || params_.hiding == Hiding::dummy));
  const std::uint32_t provider = layout_.provider_of(*slot);
  check_one(provider, {layout_.slot_address(*slot), params_.page_bytes}, reads);
  if (params_.encrypts()) check_one(provider, layout_.tag(*slot), reads);
  if (!tree_) return cause;
  for (const IntegrityTree::Node& node : tree_->stored_above({*slot})) {
    const std::uint64_t offset = tree_->offset(node);
    check_one(layout_.provider_of_node(offset), layout_.node(offset), true);
  }
  return cause;
}

void RequesterEngine::start(bool write, std::uint64_t address, std::uint64_t bytes, unsigned char* data,
                            std::uint64_t token) {
  const std::uint32_t r = take_number(requests_, free_requests_);
  const TimePs now = clock_.now();
  requests_[r] = {token, bytes, data, write, Refusal::none, 0, now, {}};
  if (open_requests_++ == 0) busy_since_ps_ = now;
  ++counters_.accesses;
  if (const Refusal cause = check(write, address, bytes); cause != Refusal::none) {
    requests_[r].cause = cause;
    return later(now + params_.validate_ps, r, kRefused);
  }
  if (params_.functional && !write) requests_[r].loaded.resize(bytes);
  for (std::uint64_t at = 0; at < bytes;) {
    const std::uint32_t number = take_number(accesses_, free_accesses_);
    Access& access = accesses_[number];
    access = {};
    access.request = r;
    access.write = write;
    access.page = (address + at) / params_.page_bytes;
    access.offset = (address + at) % params_.page_bytes;
    access.bytes = std::min(bytes - at, params_.page_bytes - access.offset);
    access.is_partial = access.bytes != params_.page_bytes;
    access.at = at;
    at += access.bytes;
    ++requests_[r].open;
    access.from_host = {now, now};
    if (write) access.from_host = dma_out_.pass(access.from_host, access.bytes);
    access.from_host.head_ps += params_.validate_ps;
    access.from_host.tail_ps += params_.validate_ps;
    later(access.from_host.tail_ps, number, kBegin);
  }
}

void RequesterEngine::wake(std::uint32_t what, TimePs) {
  const std::uint32_t number = what >> kEventBits;
  switch (static_cast<Event>(what & ((1U << kEventBits) - 1))) {
    case kBegin:
      accesses_[number].pages = hiding_->choose_pages(accesses_[number].page);
      accesses_[number].uses = uses_of(accesses_[number]);
      waiting_.push_back(number);
      repair_is_due_ |= waits_for_repair();
      return start_waiting();
    case kSend:
      return network_.send(units_[number]->message);
    case kUnitDone:
      return unit_done(number);
    case kAnswer:
      return answer(number);
    case kOver:
      return over(number);
    case kRefused: {
      const Request request = std::move(requests_[number]);
      close(number);
      ++counters_.refusals[static_cast<std::size_t>(request.cause)];
      return host_.access_done(request.token, request.cause);
    }
  }
}

/// Reads of a page and of the tree's stored nodes may overlap.
AccessOrder::Uses RequesterEngine::uses_of(const Access& access) const {
  if (hiding_->one_at_a_time()) return {{kWhole, true}};
  AccessOrder::Uses uses;
  for (const std::uint64_t page : access.pages) uses.push_back({page, access.write});
  if (tree_ && tree_->stored_levels() != 0) uses.push_back({kWhole, access.write});
  return uses;
}

void RequesterEngine::start_waiting() {
  if (repair_is_due_ && active_ != 0) return;
  if (std::exchange(repair_is_due_, false) && waits_for_repair()) return repair();
  while (!waiting_.empty() && active_ < params_.outstanding) {
    const std::uint32_t number = waiting_.front();
    Access& access = accesses_[number];
    const Room room = make_room(access);
    if (room == Room::taken || !order_.take(access.uses)) return;
    waiting_.pop_front();
    ++active_;
    if (is_halted_ || room == Room::none) {
      access.cause = is_halted_ ? Refusal::halted : Refusal::journal_full;
      later(clock_.now(), number, kOver);
      continue;
    }
    access.reserved = hiding_->most_written(access);
    reserved_ += access.reserved;
    if (params_.encrypts()) hiding_->plan(access);
    read_round(number);
  }
}

std::uint32_t RequesterEngine::add_unit(std::uint32_t access, bool write, Unit::Kind kind,
                                        std::uint32_t provider_node) {
  const std::uint32_t number = take_number(units_, free_units_);
  if (!units_[number]) units_[number] = std::make_unique<Unit>();
  Unit& unit = *units_[number];
  unit.access = access;
  unit.kind = kind;
  unit.slot = 0;
  EngineMessage& message = unit.message;
  message.write = write;
  message.is_answer = false;
  message.requester = params_.id;
  message.from = node_;
  message.to = provider_node;
  message.unit = number;
  message.segments.clear();
  message.data.clear();
  message.refusal = Refusal::none;
  ++accesses_[access].open;
  return number;
}

std::uint32_t RequesterEngine::add_slot(std::uint32_t access, bool write, std::uint64_t slot) {
  const std::uint32_t number =
      add_unit(access, write, Unit::Kind::slot, providers_[layout_.provider_of(slot)].node);
  Unit& unit = *units_[number];
  unit.slot = slot;
  unit.message.segments = {{layout_.slot_address(slot), params_.page_bytes}, layout_.tag(slot)};
  ++(write ? counters_.slots_written : counters_.slots_read);
  return number;
}

std::uint32_t RequesterEngine::add_node(std::uint32_t access, bool write, const IntegrityTree::Node& node) {
  const std::uint64_t offset = tree_->offset(node);
  const std::uint32_t number =
      add_unit(access, write, Unit::Kind::node, providers_[layout_.provider_of_node(offset)].node);
  Unit& unit = *units_[number];
  unit.node = node;
  unit.message.segments = {layout_.node(offset)};
  ++(write ? counters_.nodes_written : counters_.nodes_read);
  return number;
}

void RequesterEngine::read_round(std::uint32_t number) {
  Access& access = accesses_[number];
  if (!params_.encrypts()) {  // only the bytes asked for, and only one round
    access.is_writing = access.write;
    const std::uint32_t unit =
        add_unit(number, access.write, Unit::Kind::bytes, providers_[layout_.provider_of(access.page)].node);
    EngineMessage& message = units_[unit]->message;
    message.segments = {{layout_.slot_address(access.page) + access.offset, access.bytes}};
    if (params_.functional) message.data.resize(access.bytes);
    if (params_.functional && access.write)
      std::copy_n(requests_[access.request].data + access.at, access.bytes, message.data.begin());
    return network_.send(message);
  }
  std::vector<std::uint32_t> units;
  for (const std::uint64_t slot : access.read_slots) units.push_back(add_slot(number, false, slot));
  if (tree_) {
    std::vector<std::uint64_t> slots = access.read_slots;
    slots.insert(slots.end(), access.write_slots.begin(), access.write_slots.end());
    for (const IntegrityTree::Node& node : tree_->stored_above(slots))
      units.push_back(add_node(number, false, node));
  }
  if (units.empty()) return write_round(number);
  for (const std::uint32_t unit : units) {
    EngineMessage& message = units_[unit]->message;
    if (params_.functional) message.data.resize(message.payload_bytes());
    network_.send(message);
  }
}

void RequesterEngine::arrived(EngineMessage& message, Span span) {
  // Nobody waits for the answer to what was not asked.
  if (message.unit >= units_.size() || &units_[message.unit]->message != &message) return;
  const Unit& unit = *units_[message.unit];
  if (message.refusal == Refusal::none) counters_.remote_bytes += message.payload_bytes();
  if (message.refusal == Refusal::none && !message.write) {
    if (unit.kind == Unit::Kind::slot) {
      if (params_.integrity != Integrity::none) span = mac_in_.pass(span, params_.page_bytes);
      span = cipher_in_.pass(span, params_.page_bytes);
    } else if (unit.kind == Unit::Kind::node) {
      span = mac_in_.pass(span, layout_.node_bytes);
    }
  }
  later(span.tail_ps, message.unit, kUnitDone);
}

void RequesterEngine::unit_done(std::uint32_t number) {
  Unit& unit = *units_[number];
  Access& access = accesses_[unit.access];
  EngineMessage& message = unit.message;
  if (message.write && message.refusal != Refusal::none)
    not_taken(message);
  else if (!journal_.empty())
    settle(message);
  if (message.refusal != Refusal::none) {
    if (access.cause == Refusal::none) access.cause = message.refusal;
  } else if (!message.write && params_.functional) {
    if (unit.kind == Unit::Kind::node)
      access.nodes[unit.node] = std::move(message.data);
    else
      access.images[unit.slot] = std::move(message.data);
  }
  free_units_.push_back(number);
  if (--access.open == 0) round_done(unit.access);
}

void RequesterEngine::round_done(std::uint32_t number) {
  Access& access = accesses_[number];
  if (access.is_repair) return finish(number);
  if (access.is_writing) {
    if (access.cause != Refusal::none && access.answers_early) ++counters_.late_failures;
    hiding_->written(access);
    return over(number);
  }
  if (access.cause == Refusal::none && params_.encrypts() && params_.functional && !open_images(access)) {
    access.cause = Refusal::tampered;
    // The pages of that path are lost, and whoever reads another one reads the same root.
    is_halted_ = hiding_->oram() != nullptr;
  }
  if (access.cause != Refusal::none) {
    hiding_->failed(access);
    return over(number);
  }
  if (params_.functional && !(params_.encrypts() && access.read_slots.empty())) merge(access);
  hiding_->read(access);
  const bool answers_now = hiding_->answers_before_writing();
  if (access.write && !answers_now) return write_round(number);
  // A load goes to the host; a store is safe in what hiding keeps.
  const TimePs now = clock_.now();
  access.answers_early = answers_now;
  access.is_over = !answers_now;
  later(access.write ? now : dma_in_.pass({now, now}, access.bytes).tail_ps, number, kAnswer);
  if (answers_now) write_round(number);
}

/// Verifies and deciphers all that was read.
bool RequesterEngine::open_images(Access& access) {
  if (tree_ && !tree_->verify(access.nodes, node_sealers_)) return false;
  for (auto& [slot, image] : access.images)
    if (!sealer_.open(content_of(slot, access), image)) return false;
  return true;
}

SlotSealer::Content RequesterEngine::content_of(std::uint64_t slot, const Access& access) const {
  const PageHiding::Holding holding = hiding_->holding(access, slot);
  return {layout_.provider_of(slot), slot, holding.page,
          tree_ ? tree_->version(slot, access.nodes) : holding.version};
}

/// Where the page is, with contents: what was loaded goes to the host, what is stored into the page.
void RequesterEngine::merge(Access& access) {
  Request& request = requests_[access.request];
  unsigned char* const at = params_.encrypts() ? hiding_->contents(access).data() + access.offset
                                               : access.images[0].data();  // the bytes asked for
  if (access.write)
    std::copy_n(request.data + access.at, access.bytes, at);
  else
    std::copy_n(at, access.bytes, request.loaded.data() + access.at);
}

void RequesterEngine::write_round(std::uint32_t number) {
  Access& access = accesses_[number];
  access.is_writing = true;
  hiding_->begin_writing(access);
  if (params_.functional && access.read_slots.empty()) {  // a whole page of the host's
    const unsigned char* data = requests_[access.request].data + access.at;
    hiding_->contents(access).assign(data, data + access.bytes);
  }
  if (params_.functional && tree_) {
    for (const std::uint64_t slot : access.write_slots) tree_->count(slot, access.nodes);
    tree_->seal(access.nodes, node_sealers_);
  }
  const TimePs now = clock_.now();
  // Straight from the host, unless it had to wait or something had to be read first.
  const Span start = now == access.from_host.tail_ps ? access.from_host : Span{now, now};
  for (const std::uint64_t slot : access.write_slots) {
    const std::uint32_t unit = add_slot(number, true, slot);
    if (params_.functional) {
      const Bytes* const page = hiding_->contents_for(access, slot);
      sealer_.seal(content_of(slot, access), page ? page->data() : zeros_.data(), units_[unit]->message.data);
    }
    Span span = cipher_out_.pass(start, params_.page_bytes);
    if (params_.integrity != Integrity::none) span = mac_out_.pass(span, params_.page_bytes);
    later(span.tail_ps, unit, kSend);
  }
  if (tree_)
    for (const IntegrityTree::Node& node : tree_->stored_above(access.write_slots)) {
      const std::uint32_t unit = add_node(number, true, node);
      if (params_.functional) units_[unit]->message.data = access.nodes.at(node);
      later(mac_out_.pass({now, now}, layout_.node_bytes).tail_ps, unit, kSend);
    }
  if (params_.functional) hiding_->sent(access);
}

/// All rounds are.
void RequesterEngine::over(std::uint32_t number) {
  Access& access = accesses_[number];
  access.is_over = true;
  if (!access.answers_early)
    answer(number);
  else if (access.is_answered)
    finish(number);
}

/// The page is done as far as the host is concerned.
void RequesterEngine::answer(std::uint32_t number) {
  Access& access = accesses_[number];
  access.is_answered = true;
  const bool is_over = access.is_over;
  const std::uint32_t r = access.request;
  Request& request = requests_[r];
  if (!access.answers_early && request.cause == Refusal::none) request.cause = access.cause;
  if (request.cause == Refusal::none) page_times_.add(clock_.now() - request.start_ps);
  if (--request.open == 0) {
    const Request done = std::move(request);
    close(r);
    if (done.cause == Refusal::none) {
      (done.write ? counters_.bytes_written : counters_.bytes_read) += done.bytes;
      if (!done.write && done.data) std::copy(done.loaded.begin(), done.loaded.end(), done.data);
    } else {
      ++counters_.refusals[static_cast<std::size_t>(done.cause)];
    }
    host_.access_done(done.token, done.cause);
  }
  if (is_over) finish(number);
}

void RequesterEngine::close(std::uint32_t request) {
  free_requests_.push_back(request);
  if (--open_requests_ == 0) counters_.busy_ps += clock_.now() - busy_since_ps_;
}

void RequesterEngine::finish(std::uint32_t number) {
  Access& access = accesses_[number];
  order_.give_back(access.uses);
  reserved_ -= access.reserved;
  access.images.clear();
  access.nodes.clear();
  --active_;
  free_accesses_.push_back(number);
  start_waiting();
}

}  // namespace wafertlm
