// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <map>
#include <vector>

#include "models/rtl/axi4/peer.h"
#include "tlm/memory/page_store.h"

namespace wafertlm {

struct Axi4SlaveParams {
  Axi4Stalls stalls;
  std::uint64_t seed = 1;           ///< of latencies, and of which ID is answered next
  std::uint64_t most_latency = 40;  ///< cycles before an answer
};

/// A memory that stands opposite a master: answers in any order of IDs, beats of reads mixed, and in the
/// order of each ID. Lanes that a read does not use have 0xA5.
class Axi4Slave : public Axi4Peer {
 public:
  /// `memory` must outlive it.
  Axi4Slave(const Axi4Shape& shape, PageStore& memory, const Axi4SlaveParams& params = {})
      : shape_(shape), memory_(memory), params_(params), random_(params.seed) {}

  void drive(Axi4Cycle& pins, std::uint64_t cycle) override;
  void look(const Axi4Cycle& pins, std::uint64_t cycle) override;

 private:
  struct Read {
    Axi4Burst burst;
    std::uint64_t from;  // cycle
    std::uint32_t beats = 0;
  };
  struct Answer {
    std::uint32_t id;
    std::uint64_t from;  // cycle
  };

  std::uint64_t draw(std::uint64_t values) { return splitmix64::mix(random_ += splitmix64::kStep) % values; }
  void write_beat(const Axi4Burst& burst, std::uint32_t beat, const Axi4WritePins& w);
  void take_beats(std::uint64_t cycle);
  void show_answer(Axi4Cycle& pins, std::uint64_t cycle);
  void show_read(Axi4Cycle& pins, std::uint64_t cycle);

  const Axi4Shape shape_;
  PageStore& memory_;
  const Axi4SlaveParams params_;
  std::uint64_t random_;
  std::deque<Axi4Burst> addresses_;  // of writes whose data is not complete
  std::deque<Axi4WritePins> beats_;  // that wait for their address
  std::uint32_t beat_ = 0;           // of the first of addresses_
  std::deque<Answer> answers_;
  std::map<std::uint32_t, std::deque<Read>> reads_;  // by ID
  bool shows_b_ = false, shows_r_ = false;
};

}  // namespace wafertlm
