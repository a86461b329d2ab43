// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <queue>
#include <vector>

#include "models/nic/congestion/schemes.h"

namespace wafertlm::nic {

/// One queue in front of one line, senders that always have something to send, and the same delay for all:
/// the network of the papers' fixed points, written apart from models/ethernet. Packets carry no headers.
class Bottleneck {
 public:
  struct Params {
    std::uint64_t bytes_per_s = 1'250'000'000;
    TimePs rtt_ps = 100'000'000;  ///< without queue and without the time of the packet
    std::uint32_t packet_bytes = 1500;
    double kmin = 1e18, kmax = 1e18, pmax = 1;  ///< marks, by the bytes in front of a packet that comes
    TimePs from_ps = 0;                         ///< averages begin
    std::uint32_t jitter_ps = 0;                ///< most, of the time from the sender to the queue
  };

  Bottleneck(const Params& params, const SchemeParams& scheme, std::uint32_t senders)
      : params_(params), needs_(needs_of(scheme)) {
    const PathParams path{params.bytes_per_s, params.rtt_ps + ser(), params.packet_bytes, 1};
    for (std::uint32_t i = 0; i < senders; ++i) {
      senders_.emplace_back();
      senders_.back().control = make_scheme(scheme, path);
      events_.push({i * 1000, Kind::send, i, {}});
    }
  }

  void run(TimePs until) {
    while (!events_.empty() && events_.top().at < until) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      Sender& sender = senders_[event.sender];
      if (event.kind == Kind::timer && sender.control->timer_ps() <= now_) sender.control->on_timer(now_);
      if (event.kind == Kind::ack) acknowledge(sender, event.packet);
      send(sender, event.sender);
      if (const TimePs timer = sender.control->timer_ps(); timer != kNever && timer != sender.timer_ps) {
        sender.timer_ps = timer;
        events_.push({std::max(timer, now_), Kind::timer, event.sender, {}});
      }
    }
    now_ = until;
  }

  CongestionControl& control(std::uint32_t sender) { return *senders_[sender].control; }
  /// Of packets that came since `from_ps`.
  double mean_queue() const { return queue_sum_ / static_cast<double>(arrivals_); }
  double most_queue() const { return most_queue_; }
  double least_queue() const { return least_queue_; }
  /// Payload bytes per second of a sender since `from_ps`.
  double rate(std::uint32_t sender) const {
    return static_cast<double>(senders_[sender].counted) * 1e12 / static_cast<double>(now_ - params_.from_ps);
  }
  double mark_share() const { return static_cast<double>(marks_) / static_cast<double>(arrivals_); }

 private:
  enum class Kind { ack, timer, send };
  struct Packet {
    TimePs sent_ps;
    HopTelemetry hop;
    bool marked;
  };
  struct Event {
    TimePs at;
    Kind kind;
    std::uint32_t sender;
    Packet packet;
    bool operator<(const Event& other) const { return at > other.at; }
  };
  struct Sender {
    std::unique_ptr<CongestionControl> control;
    std::uint64_t sent = 0, acknowledged = 0, counted = 0;
    TimePs next_ps = 0, timer_ps = kNever, cnp_ps = 0;
    bool waits = false;
  };

  TimePs ser() const { return transfer_time_ps(params_.packet_bytes, params_.bytes_per_s); }

  void acknowledge(Sender& sender, const Packet& packet) {
    sender.acknowledged += params_.packet_bytes;
    if (now_ >= params_.from_ps) sender.counted += params_.packet_bytes;
    AckEvent ack;
    ack.now_ps = now_;
    ack.rtt_ps = now_ - packet.sent_ps;
    ack.acked_bytes = params_.packet_bytes;
    ack.acknowledged = sender.acknowledged;
    ack.sent = sender.sent;
    ack.marked = packet.marked;
    ack.hops = &packet.hop;
    ack.hop_count = 1;
    sender.control->on_ack(ack);
    if (needs_.cnps && packet.marked && now_ >= sender.cnp_ps) {
      sender.cnp_ps = now_ + needs_.cnp_interval_ps;
      sender.control->on_cnp(now_);
    }
  }

  void send(Sender& sender, std::uint32_t number) {
    while (sender.control->may_send(sender.sent - sender.acknowledged, params_.packet_bytes)) {
      if (sender.next_ps > now_) {
        if (!sender.waits) events_.push({sender.next_ps, Kind::send, number, {}});
        sender.waits = true;
        return;
      }
      sender.waits = false;
      const double gap = 1e12 * params_.packet_bytes / sender.control->rate_bytes_per_s();
      sender.next_ps = now_ + static_cast<TimePs>(std::ceil(gap));
      sender.sent += params_.packet_bytes;
      sender.control->on_sent(params_.packet_bytes, now_);
      pass_queue(number);
    }
    sender.waits = false;
  }

  void pass_queue(std::uint32_t number) {
    const double rate = static_cast<double>(params_.bytes_per_s);
    TimePs arrival = now_ + params_.rtt_ps / 2;
    if (params_.jitter_ps != 0) arrival += random() % params_.jitter_ps;
    const double queue = free_ps_ > arrival ? static_cast<double>(free_ps_ - arrival) * rate / 1e12 : 0;
    const double p = queue >= params_.kmax ? 1
                     : queue <= params_.kmin
                         ? 0
                         : params_.pmax * (queue - params_.kmin) / (params_.kmax - params_.kmin);
    Packet packet{now_, {}, p >= 1 || (p > 0 && static_cast<double>(random() >> 11) * 0x1p-53 < p)};
    if (now_ >= params_.from_ps) {
      queue_sum_ += queue;
      most_queue_ = std::max(most_queue_, queue);
      least_queue_ = std::min(least_queue_, queue);
      ++arrivals_;
      marks_ += packet.marked;
    }
    free_ps_ = std::max(free_ps_, arrival) + ser();
    served_ += params_.packet_bytes;
    packet.hop = {static_cast<std::uint64_t>(queue), served_, free_ps_, params_.bytes_per_s};
    events_.push({free_ps_ + params_.rtt_ps - params_.rtt_ps / 2, Kind::ack, number, packet});
  }

  std::uint64_t random() {
    seed_ ^= seed_ << 13;
    seed_ ^= seed_ >> 7;
    return seed_ ^= seed_ << 17;
  }

  Params params_;
  SchemeNeeds needs_;
  std::vector<Sender> senders_;
  std::priority_queue<Event> events_;
  TimePs now_ = 0, free_ps_ = 0;
  std::uint64_t served_ = 0, arrivals_ = 0, marks_ = 0, seed_ = 88172645463325252ULL;
  double queue_sum_ = 0, most_queue_ = 0, least_queue_ = 1e18;
};

}  // namespace wafertlm::nic
