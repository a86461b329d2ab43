// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/hbm.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/kernel/say.h"
#include "tlm/memory/responder.h"

namespace wafertlm {
namespace {

HbmCommand direction_of(const ::tlm::tlm_generic_payload& payload) {
  return payload.is_write() ? HbmCommand::write : HbmCommand::read;
}

}  // namespace

Hbm::Hbm(const sc_core::sc_module_name& name, const HbmParams& params, Scheduler& scheduler)
    : sc_module(name),
      params_(params),
      scheduler_(scheduler),
      engine_(params.timing),
      latency_ps_(params.timing.latency_ps) {
  if (params.capacity_bytes == 0 || params.queue_requests == 0)
    throw std::invalid_argument(say(this->name(), ": capacity and queue of an HBM must be at least 1"));
  if (params.dram) {
    dram_ = std::make_unique<DramMemory>(*params.dram);
    timing_ = dram_.get();
  } else if (params.flow) {
    flow_ = std::make_unique<FlowMemory>(*params.flow);
    timing_ = flow_.get();
  }
  socket.bind(static_cast<MemoryForwardIf&>(*this));
}

::tlm::tlm_sync_enum Hbm::nb_transport_fw(Payload& payload, ::tlm::tlm_phase& phase,
                                          sc_core::sc_time& delay) {
  const TimePs now = scheduler_.now();
  const TimePs at = now + delay.value();
  if (phase == ::tlm::END_RESP && responding_ == &payload) {
    // No backward call from within a forward call; the scheduler makes it.
    if (at == now && done_.empty() && !waiting_)
      response_ended();
    else
      scheduler_.schedule(at, *this, kResponseEnded);
    return ::tlm::TLM_ACCEPTED;
  }
  if (phase != ::tlm::BEGIN_REQ || waiting_ || !payload.has_mm())
    throw std::logic_error(
        say(name(), ": ", phase.get_name(),
            " is not allowed now, or its payload has no memory manager; put a MemoryChecker "
            "on the socket to see more"));
  payload.acquire();
  if (held_ == params_.queue_requests) {
    waiting_ = &payload;
    waiting_since_ps_ = at;
    return ::tlm::TLM_ACCEPTED;
  }
  accept(payload, at);
  phase = ::tlm::END_REQ;
  return ::tlm::TLM_UPDATED;
}

void Hbm::b_transport(Payload& payload, sc_core::sc_time& delay) {
  const TimePs now = scheduler_.now();
  delay = to_sc_time(serve(payload, now + delay.value()) - now);
}

unsigned Hbm::transport_dbg(Payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (!params_.functional || address >= params_.capacity_bytes || !payload.get_data_ptr()) return 0;
  if (!payload.is_read() && !payload.is_write()) return 0;
  const std::uint64_t bytes =
      std::min<std::uint64_t>(payload.get_data_length(), params_.capacity_bytes - address);
  store_.move(payload.is_read(), address, payload.get_data_ptr(), bytes);
  return static_cast<unsigned>(bytes);
}

void Hbm::wake(std::uint32_t what, TimePs now) {
  if (what == kResponseEnded) {
    response_ended();
  } else if (what >= kAccess) {
    if (!ask(what - kAccess, now)) return;
  } else {
    done_.push_back(in_service_[what].front());
    in_service_[what].pop_front();
  }
  accept_waiting(now);
  while (!responding_ && !done_.empty()) {
    Payload& payload = *done_.front();
    done_.pop_front();
    if (!respond(payload, now)) return;
    accept_waiting(now);
  }
}

void Hbm::accept(Payload& payload, TimePs at) {
  ++held_;
  if (timing_) return accept_timed(payload, at);
  const TimePs done = serve(payload, at);
  const auto direction = static_cast<std::uint32_t>(direction_of(payload));
  in_service_[direction].push_back(&payload);
  scheduler_.schedule(done, *this, direction);
}

void Hbm::accept_waiting(TimePs now) {
  if (!waiting_ || held_ == params_.queue_requests) return;
  Payload& payload = *waiting_;
  waiting_ = nullptr;
  const TimePs at = std::max(now, waiting_since_ps_);
  accept(payload, at);
  ::tlm::tlm_phase phase = ::tlm::END_REQ;
  sc_core::sc_time delay = to_sc_time(at - now);
  socket->nb_transport_bw(payload, phase, delay);
}

/// Sends BEGIN_RESP; returns whether the response has ended by now.
bool Hbm::respond(Payload& payload, TimePs now) {
  responding_ = &payload;
  ::tlm::tlm_phase phase = ::tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  if (socket->nb_transport_bw(payload, phase, delay) == ::tlm::TLM_ACCEPTED) return !responding_;
  if (delay.value() != 0) {
    scheduler_.schedule(now + delay.value(), *this, kResponseEnded);
    return false;
  }
  response_ended();
  return true;
}

void Hbm::response_ended() {
  Payload& payload = *responding_;
  responding_ = nullptr;
  --held_;
  payload.release();
}

/// Moves the data and sets the response.
TimedAccess Hbm::begin(Payload& payload) {
  const ::tlm::tlm_response_status status = status_of(payload, params_.capacity_bytes);
  const bool moves = status == ::tlm::TLM_OK_RESPONSE && payload.get_command() != ::tlm::TLM_IGNORE_COMMAND;
  if (moves && params_.functional) move_data(payload);
  payload.set_response_status(status);
  const TimedAccess access{payload.is_write(), payload.get_address(), moves ? payload.get_data_length() : 0};
  if (timing_) {
    HbmCounters& counters = counters_[access.write];
    ++counters.requests;
    counters.bytes += access.bytes;
    const HbmEngineParams& timing = params_.timing;
    if (is_replaced_)
      counters.busy_ps += transfer_time_ps(access.bytes, access.write ? timing.write_bandwidth_bytes_per_s
                                                                      : timing.read_bandwidth_bytes_per_s);
  }
  return access;
}

/// Does what the payload asks for, sets its response, and returns when it is done.
TimePs Hbm::serve(Payload& payload, TimePs at) {
  const TimedAccess access = begin(payload);
  const MemoryFollower::Id followed = follow(access, at);
  TimePs done = 0;
  if (timing_) {
    const MemoryTiming::Id id = timing_->submit(access, at);
    done = std::max(timing_->wait_for(id), at) + latency_ps_;
    timing_->end(id);
  } else {
    const HbmRequest request{direction_of(payload), access.bytes};
    done = observer_ ? observed_advance(request, at) : engine_.advance(request, at);
  }
  end_following(followed, done);
  return done;
}

void Hbm::accept_timed(Payload& payload, TimePs at) {
  const TimedAccess access = begin(payload);
  const MemoryTiming::Id id = timing_->submit(access, at);
  if (id >= accesses_.size()) accesses_.resize(id + 1);
  accesses_[id] = {&payload, at, false, follow(access, at)};
  const MemoryTiming::Answer answer = timing_->ask(id, at);
  accesses_[id].known = answer.known;
  scheduler_.schedule(answer.at + (answer.known ? latency_ps_ : 0), *this, kAccess + id);
}

/// Whether the access is over; else it is asked for again.
bool Hbm::ask(MemoryTiming::Id id, TimePs now) {
  Access& access = accesses_[id];
  if (!access.known) {
    const MemoryTiming::Answer answer = timing_->ask(id, now);
    access.known = answer.known;
    const TimePs again = answer.at + (answer.known ? latency_ps_ : 0);
    if (!answer.known || again > now) {
      scheduler_.schedule(again, *this, kAccess + id);
      return false;
    }
  }
  timing_->end(id);
  end_following(access.followed, now);
  if (observer_ && access.payload->is_response_ok())
    observer_->moved(observed_, access.payload->is_write(), access.payload->get_data_length(),
                     access.since_ps, now);
  done_.push_back(access.payload);
  return true;
}

TimePs Hbm::observed_advance(const HbmRequest& request, TimePs at) {
  const TimePs busy_before = engine_.counters(request.command).busy_ps;
  const TimePs done = engine_.advance(request, at), end = done - params_.timing.latency_ps;
  const TimePs busy = engine_.counters(request.command).busy_ps - busy_before;
  if (request.bytes != 0)
    observer_->moved(observed_, request.command == HbmCommand::write, request.bytes, end - busy, end);
  return done;
}

void Hbm::move_data(const Payload& payload) {
  const std::uint64_t address = payload.get_address();
  unsigned char* data = payload.get_data_ptr();
  const unsigned bytes = payload.get_data_length();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const unsigned period = enables ? payload.get_byte_enable_length() : 0;
  // In pieces that are enabled throughout; the enables repeat.
  for (unsigned begin = 0; begin < bytes;) {
    unsigned end = enables ? begin : bytes;
    while (end < bytes && enables[end % period] == TLM_BYTE_ENABLED) ++end;
    store_.move(payload.is_read(), address + begin, data + begin, end - begin);
    begin = std::max(end, begin + 1);
  }
}

}  // namespace wafertlm
