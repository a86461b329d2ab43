// SPDX-License-Identifier: Apache-2.0
// Memories as somebody else would write them, from the base protocol's rules (IEEE 1666-2011 clause 15.2)
// alone: nothing of this project is used.
#pragma once
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <random>
#include <systemc>
#include <tlm>
#include <vector>

namespace third_party {

/// One mebibyte of data; how it talks is left to the subclasses.
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Memory, 64> socket{"socket"};
  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name), bytes_(1 << 20) {
    socket.register_nb_transport_fw(this, &Memory::forward);
  }
  unsigned most_in_flight = 0;

 protected:
  virtual tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) = 0;
  void execute(tlm::tlm_generic_payload& payload) {
    const sc_dt::uint64 address = payload.get_address();
    const unsigned length = payload.get_data_length();
    if (address >= bytes_.size() || length > bytes_.size() - address)
      return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    unsigned char* here = bytes_.data() + address;
    if (payload.is_read())
      std::copy_n(here, length, payload.get_data_ptr());
    else
      std::copy_n(payload.get_data_ptr(), length, here);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

 private:
  std::vector<unsigned char> bytes_;
};

/// Answers BEGIN_REQ with TLM_COMPLETED, 40 ns later.
struct EarlyCompletion : Memory {
  using Memory::Memory;
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                             sc_core::sc_time& delay) override {
    execute(payload);
    delay += sc_core::sc_time(40, sc_core::SC_NS);
    return tlm::TLM_COMPLETED;
  }
};

/// Answers BEGIN_REQ with BEGIN_RESP, 40 ns later; END_RESP comes forward.
struct ResponseFirst : Memory {
  using Memory::Memory;
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      ++ended;
      return tlm::TLM_COMPLETED;
    }
    execute(payload);
    phase = tlm::BEGIN_RESP;
    delay += sc_core::sc_time(40, sc_core::SC_NS);
    return tlm::TLM_UPDATED;
  }
  unsigned ended = 0;
};

/// Sends BEGIN_RESP backward after 40 ns and never END_REQ.
class SkippedEndReq : public Memory {
 public:
  explicit SkippedEndReq(const sc_core::sc_module_name& name) : Memory(name) {
    SC_HAS_PROCESS(SkippedEndReq);
    SC_THREAD(respond);
  }

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) return tlm::TLM_ACCEPTED;
    payload.acquire();
    queue_.notify(payload, delay + sc_core::sc_time(40, sc_core::SC_NS));
    return tlm::TLM_ACCEPTED;
  }
  void respond() {
    for (;;) {
      wait(queue_.get_event());
      while (tlm::tlm_generic_payload* payload = queue_.get_next_transaction()) {
        execute(*payload);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        socket->nb_transport_bw(*payload, phase, delay);
        payload->release();
      }
    }
  }
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> queue_{"queue"};
};

/// What a memory may leave in a payload; the memory manager clears it away.
struct Mark : tlm::tlm_extension<Mark> {
  tlm::tlm_extension_base* clone() const override { return new Mark; }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

/// All four phases, each after a random time, half of it annotated; responses in any order. Sometimes END_REQ
/// is the answer to BEGIN_REQ, sometimes it is called from within BEGIN_REQ.
class FourPhases : public Memory {
 public:
  FourPhases(const sc_core::sc_module_name& name, unsigned seed) : Memory(name), random_(seed) {
    SC_HAS_PROCESS(FourPhases);
    SC_THREAD(accept);
    SC_THREAD(respond);
  }
  unsigned marks_left = 0;  // in payloads used again

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      response_ended_.notify(delay);
      return tlm::TLM_ACCEPTED;
    }
    if (payload.get_extension<Mark>()) ++marks_left;
    payload.set_auto_extension(new Mark);
    payload.acquire();
    most_in_flight = std::max(most_in_flight, ++in_flight_);
    switch (random_() % 3) {
      case 0:
        requests_.notify(payload, delay + some_time());
        return tlm::TLM_ACCEPTED;
      case 1:
        end_request(payload, delay);
        return tlm::TLM_ACCEPTED;
      default:
        phase = tlm::END_REQ;
        delay += some_time();
        responses_.notify(payload, delay + some_time());
        return tlm::TLM_UPDATED;
    }
  }
  void end_request(tlm::tlm_generic_payload& payload, sc_core::sc_time after) {
    tlm::tlm_phase phase = tlm::END_REQ;
    after += some_time();
    responses_.notify(payload, after + 4 * some_time());
    socket->nb_transport_bw(payload, phase, after);
  }
  void accept() {
    for (;;) {
      wait(requests_.get_event());
      while (tlm::tlm_generic_payload* payload = requests_.get_next_transaction())
        end_request(*payload, sc_core::SC_ZERO_TIME);
    }
  }
  void respond() {
    for (;;) {
      wait(responses_.get_event());
      while (tlm::tlm_generic_payload* payload = responses_.get_next_transaction()) {
        execute(*payload);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = some_time();
        --in_flight_;
        const tlm::tlm_sync_enum answer = socket->nb_transport_bw(*payload, phase, delay);
        if (answer == tlm::TLM_ACCEPTED)
          wait(response_ended_);
        else
          wait(delay);
        payload->release();
      }
    }
  }
  sc_core::sc_time some_time() {
    return static_cast<int>(random_() % 4) * sc_core::sc_time(5, sc_core::SC_NS);
  }

  std::mt19937 random_;
  unsigned in_flight_ = 0;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> requests_{"requests"}, responses_{"responses"};
  sc_core::sc_event response_ended_{"response_ended"};
};

}  // namespace third_party
