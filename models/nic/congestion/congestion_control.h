// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "tlm/kernel/units.h"

namespace wafertlm::nic {

/// What a switch wrote into a packet when it left through one of its ports (in-band telemetry).
struct HopTelemetry {
  std::uint64_t queue_bytes = 0;  ///< behind the packet
  std::uint64_t sent_bytes = 0;   ///< by the port since the start
  TimePs at_ps = 0;
  std::uint64_t bytes_per_s = 0;  ///< of the port
};

/// The path of a queue pair when nothing else is on it.
struct PathParams {
  std::uint64_t bytes_per_s = 0;      ///< of the sender's port
  TimePs base_rtt_ps = 0;             ///< of a full packet and its ACK
  std::uint32_t packet_bytes = 4096;  ///< a full packet, in the unit in which windows count
  std::uint32_t hops = 1;             ///< switches

  double base_rtt_s() const { return static_cast<double>(base_rtt_ps) / static_cast<double>(kPsPerSecond); }
  /// The sender's line as a multiple of one of so many bytes/s; 0: of its own.
  double times_the_line(std::uint64_t line) const {
    return line == 0 ? 1 : static_cast<double>(bytes_per_s) / static_cast<double>(line);
  }
  double bdp_bytes() const { return static_cast<double>(bytes_per_s) * base_rtt_s(); }
};

struct AckEvent {
  TimePs now_ps = 0;
  TimePs rtt_ps = 0;               ///< of the packet that the ACK answers
  std::uint64_t acked_bytes = 0;   ///< by this ACK
  std::uint64_t acknowledged = 0;  ///< bytes since the start, with these
  std::uint64_t sent = 0;          ///< bytes since the start
  bool marked = false;             ///< the packet had met a long queue (ECN)
  const HopTelemetry* hops = nullptr;
  std::uint32_t hop_count = 0;
};

struct LossEvent {
  TimePs now_ps = 0;
  bool trimmed = false;  ///< a switch cut the payload off, and the headers said so; else a gap or a time-out
};

/// How much a queue pair may send: events in, rate and window out. Free of SystemC, and of the NIC that owns
/// it, which asks for the timer when an event may have changed it. Rates and windows are real numbers; the
/// NIC rounds times up to picoseconds.
class CongestionControl {
 public:
  explicit CongestionControl(const PathParams& path)
      : path_(path), rate_(static_cast<double>(path.bytes_per_s)) {}
  virtual ~CongestionControl() = default;
  CongestionControl(const CongestionControl&) = delete;
  CongestionControl& operator=(const CongestionControl&) = delete;

  /// Payload, as all bytes here.
  virtual void on_sent(std::uint64_t /*bytes*/, TimePs /*now*/) {}
  virtual void on_ack(const AckEvent&) {}
  /// The receiver has seen a marked packet (congestion notification packet).
  virtual void on_cnp(TimePs /*now*/) {}
  virtual void on_loss(const LossEvent&) {}
  /// All that has ever been sent is acknowledged.
  virtual void on_all_acknowledged() {}
  /// The receiver asks for so many bytes.
  virtual void on_pull(std::uint64_t /*bytes*/, TimePs /*now*/) {}
  virtual void on_timer(TimePs /*now*/) {}
  /// When on_timer() is to be called; kNever: not.
  virtual TimePs timer_ps() const { return kNever; }

  /// At most, for the gaps between packets.
  double rate_bytes_per_s() const { return rate_; }
  /// Sent and not acknowledged, at most; infinite without a window.
  double window_bytes() const { return window_; }
  /// Whether a packet may be sent now, the rate aside. One always may when nothing is in flight.
  virtual bool may_send(std::uint64_t in_flight_bytes, std::uint32_t bytes) const {
    return in_flight_bytes == 0 || static_cast<double>(in_flight_bytes + bytes) <= window_;
  }
  const PathParams& path() const { return path_; }
  /// Nothing is left of what was before: it will do what a new one does. Asked while nothing is under way.
  virtual bool is_as_new() const { return false; }

 protected:
  double line_rate() const { return static_cast<double>(path_.bytes_per_s); }
  double packet() const { return path_.packet_bytes; }
  /// Sets the window and, as packets cannot be cut, below one packet a rate that keeps to it.
  void set_window(double bytes) {
    window_ = bytes;
    rate_ = bytes >= packet() ? line_rate() : std::min(line_rate(), bytes / path_.base_rtt_s());
  }

  const PathParams path_;
  double rate_;
  double window_ = std::numeric_limits<double>::infinity();
};

/// Tells when a round trip is over: when what was sent at its start is acknowledged.
class RoundTrip {
 public:
  /// True once per round trip; the next one starts.
  bool ends(const AckEvent& ack) {
    if (ack.acknowledged <= until_) return false;
    until_ = ack.sent;
    return true;
  }

 private:
  std::uint64_t until_ = 0;
};

}  // namespace wafertlm::nic
