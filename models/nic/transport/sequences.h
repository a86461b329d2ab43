// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

namespace wafertlm::nic {

/// How losses are repaired.
enum class Repair : std::uint8_t {
  go_back_n,         ///< RoCE: packets are taken in order; after a gap everything is sent again
  selective_repeat,  ///< packets are placed out of order; what is missing is sent again
};

struct TransportParams {
  Repair repair = Repair::go_back_n;
  std::uint32_t ack_every = 1;  ///< packets per ACK; the last packet of a message is always acknowledged
  /// Selective repeat: a packet is taken as lost when one so many behind it has come; 0: only trimming and
  /// time-outs tell, as packets that take several paths come in any order.
  std::uint32_t reordering = 1;
};

/// What a receiver sends back.
struct Answer {
  enum class Kind : std::uint8_t { none, ack, nack };
  Kind kind = Kind::none;
  std::uint64_t expected = 0;  ///< all packets before it are there
  std::uint64_t packet = 0;    ///< ACK: the packet that it answers. NACK: the one that is missing
};

struct Receipt {
  bool is_new = false;  ///< its payload counts; else it is dropped, or was there before
  Answer answer;
};

/// Packets of a queue pair as they come, by number from 0.
class ReceiveSequence {
 public:
  virtual ~ReceiveSequence() = default;
  /// `wants_answer`: the last of a message.
  virtual Receipt on_packet(std::uint64_t packet, bool wants_answer) = 0;
  /// Its headers have come without the payload.
  virtual Answer on_trimmed(std::uint64_t packet) = 0;
  virtual std::uint64_t expected() const = 0;
  /// But for the numbers of its packets it will do what a new one does.
  virtual bool is_at_rest() const = 0;
};

/// Packets of a queue pair as they are sent.
class SendSequence {
 public:
  /// Counts of packets that an answer changed.
  struct Progress {
    std::uint64_t acknowledged = 0, lost = 0;
  };
  virtual ~SendSequence() = default;

  /// So many more are to be sent.
  void extend(std::uint64_t packets) { end_ += packets; }
  virtual bool has_packet() const = 0;
  /// The one to send next. Requires has_packet().
  virtual std::uint64_t next() const = 0;
  /// It has been sent.
  virtual void advance() = 0;
  virtual Progress on_answer(const Answer& answer) = 0;
  /// Nothing has come back for long: all that is not acknowledged is lost.
  virtual Progress on_timeout() = 0;
  virtual std::uint64_t in_flight() const = 0;
  /// All packets before it are acknowledged.
  virtual std::uint64_t acknowledged() const = 0;
  bool is_done() const { return acknowledged() == end_; }
  /// It will do what one does that is made with acknowledged() and next().
  virtual bool is_plain() const = 0;
  bool is_at_rest() const { return is_done() && in_flight() == 0 && is_plain(); }
  std::uint64_t end() const { return end_; }

 protected:
  explicit SendSequence(std::uint64_t end) : end_(end) {}
  std::uint64_t end_;
};

/// All packets before `expected` are there.
std::unique_ptr<ReceiveSequence> make_receive_sequence(const TransportParams& params, std::uint64_t expected);
/// All packets before `next` have been sent. Requires for selective repeat: and are acknowledged.
std::unique_ptr<SendSequence> make_send_sequence(const TransportParams& params, std::uint64_t acknowledged,
                                                 std::uint64_t next);

}  // namespace wafertlm::nic
