// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "tlm/packets/packet.h"

namespace wafertlm {

/// The sender's end of one Go-Back-N stream: packets 0 … packets − 1, of which `window` at most are on their
/// way. Knows no time and no network.
class GoBackNSender {
 public:
  GoBackNSender(std::uint64_t packets, std::uint64_t window) : packets_(packets), window_(window) {}

  bool may_send() const { return next_ < packets_ && next_ < base_ + window_; }
  /// Packet next() is made; whether it was before. Requires may_send().
  bool make() {
    const bool again = next_ < fresh_;
    fresh_ = std::max(fresh_, ++next_);
    return again;
  }
  /// The receivers have all packets before `number`. Whether that is news.
  bool acknowledge(std::uint64_t number) {
    if (number <= base_) return false;
    base_ = number;
    next_ = std::max(next_, base_);
    return true;
  }
  /// One of them needs that one. Whether some will be made again.
  bool go_back(std::uint64_t number) {
    if (number < base_ || number >= next_) return false;
    next_ = number;
    return true;
  }
  /// Nothing was heard for too long.
  void time_out() { next_ = base_; }

  std::uint64_t base() const { return base_; }    ///< the first that is not acknowledged
  std::uint64_t next() const { return next_; }    ///< that is made next
  std::uint64_t fresh() const { return fresh_; }  ///< the first that has never been made
  bool waits() const { return base_ < fresh_; }
  bool done() const { return base_ == packets_; }

 private:
  std::uint64_t packets_, window_;
  std::uint64_t base_ = 0, next_ = 0, fresh_ = 0;
};

/// The receiver's end: takes each packet once, in order.
class GoBackNReceiver {
 public:
  GoBackNReceiver(std::uint64_t packets, std::uint32_t ack_every) : packets_(packets), every_(ack_every) {}

  struct Reaction {
    bool take = false;
    PacketKind answer = PacketKind::data;  ///< data: none
  };
  /// Packet `number` has come. An answer carries expected().
  Reaction arrived(std::uint64_t number, bool corrupt) {
    if (number < expected_)  // the sender has not heard; once per repetition
      return {false, !corrupt && number + 1 == expected_ ? PacketKind::ack : PacketKind::data};
    if (corrupt || number > expected_) {
      if (asked_ && number > expected_) return {};  // it has been asked for
      asked_ = true;
      return {false, PacketKind::nack};
    }
    asked_ = false;
    ++expected_;
    return {true, expected_ % every_ == 0 || done() ? PacketKind::ack : PacketKind::data};
  }
  std::uint64_t expected() const { return expected_; }
  bool done() const { return expected_ == packets_; }

 private:
  std::uint64_t packets_;
  std::uint32_t every_;
  std::uint64_t expected_ = 0;
  bool asked_ = false;  // for `expected_`, which has not come since
};

}  // namespace wafertlm
