// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/fabric/packet.h"
#include "tlm/link/class_table.h"
#include "tlm/link/credit_window.h"
#include "tlm/link/line.h"
#include "tlm/units.h"

namespace wafertlm {

enum class InputQueue {
  fifo,        ///< one queue per virtual channel: a blocked head holds up what is behind it
  per_output,  ///< one queue per virtual channel and output, sharing the channel's buffer
};

/// An output port and the link behind it, up to the next input buffer.
struct OutputParams {
  std::uint64_t bytes_per_s = 0;
  TimePs latency_ps = 0;
  std::uint64_t buffer_bytes = 0;  ///< of the next input, per virtual channel
};

struct SwitchParams {
  TimePs pipeline_ps = 0;  ///< head in → ready for arbitration
  InputQueue input_queue = InputQueue::per_output;
  std::vector<TimePs> credit_delay_ps;  ///< per input: tail out → room known upstream
  std::vector<OutputParams> outputs;
};

/// What one output counted. Waits are sums over packets, from eligible to sent.
struct OutputCounters {
  std::uint64_t packets = 0, payload_bytes = 0, wire_bytes = 0;
  TimePs credit_blocked_ps = 0;  ///< idle with a ready packet for lack of credit
  TimePs queue_wait_ps = 0, credit_wait_ps = 0;
  std::array<TimePs, kMaxClasses> contention_wait_ps{};  ///< by the class that was served
  std::array<TimePs, kMaxClasses> longest_wait_ps{};     ///< starvation, by the class that waited
};

/// Chooses the output of a packet; the fabric's routing.
class RouteFunction {
 public:
  virtual PortId output_for(const Packet& packet) const = 0;

 protected:
  ~RouteFunction() = default;
};

/// What a switch core tells its shell.
class SwitchHost {
 public:
  /// The head leaves `output` now and reaches the next input at `head_ps`; hands the packet over.
  virtual void forward(PortId output, Packet& packet, TimePs head_ps) = 0;
  /// The packet's room in the buffer of `input` (channel packet.vc) is known free upstream at `at`.
  virtual void return_credit(PortId input, Packet& packet, TimePs at) = 0;
  /// Call SwitchCore::wake(output, at) at `at`. Earlier requests stay.
  virtual void request_wake(PortId output, TimePs at) = 0;

 protected:
  ~SwitchHost() = default;
};

/// The link-and-port engine: an input-buffered, output-arbitrated switch with virtual cut-through, byte
/// credits and virtual channels. Every fabric is made of it; with one input and one output it is an NPU's
/// injection port.
///
/// A packet has a head and a tail time at every port:
///   start = max(head_in + pipeline, output free, credit),  output free = start + bytes/bandwidth,
///   tail_out = max(output free, tail_in + pipeline);  next input: head = start + latency, tail = tail_out +
///   latency.
/// Both are known when the packet is granted, so a hop costs one event: arrivals are announced ahead and each
/// output computes its own next wake-up. Contenders are served by class priority, round-robin among the
/// virtual channels of one priority and among the inputs within a channel. Outputs do not share state within
/// an instant, so the order in which ports or switches are woken does not matter.
class SwitchCore {
 public:
  /// `classes`, `routes` and `host` must outlive the core.
  SwitchCore(SwitchParams params, const ClassTable& classes, const RouteFunction& routes, SwitchHost& host);
  SwitchCore(const SwitchCore&) = delete;
  SwitchCore& operator=(const SwitchCore&) = delete;

  /// BEGIN_REQ: the head of `packet` reaches `input` at `head_ps` >= now. Takes the packet over.
  void arrive(PortId input, Packet& packet, TimePs head_ps);
  /// END_REQ: `bytes` of the next buffer's channel `vc` are free from `at` >= now on.
  void credit(PortId output, VcId vc, std::uint32_t bytes, TimePs at, TimePs now);
  /// Arbitrates `output`; returns whether a packet left.
  bool wake(PortId output, TimePs now);

  std::size_t inputs() const { return params_.credit_delay_ps.size(); }
  std::size_t outputs() const { return outputs_.size(); }
  const OutputCounters& counters(PortId output) const { return outputs_[index_of(output)].counters; }
  const OutputParams& output_params(PortId output) const { return params_.outputs[index_of(output)]; }
  /// Packets waiting here.
  std::uint64_t queued() const { return queued_; }
  /// Credits of all outputs that are neither here nor promised, in bytes.
  std::uint64_t outstanding_credits() const;

 private:
  struct Queue {
    Packet* head = nullptr;
    Packet* tail = nullptr;
    TimePs free_ps = 0;  // its read port
  };
  struct Output {
    Output(const OutputParams& params, std::size_t vcs, std::size_t words);
    Line line;
    ClassId current_class{};  // of the packet on the line
    TimePs wake_ps = kNever;  // earliest wake-up asked for
    TimePs blocked_since_ps = kNever;
    std::uint32_t requesting_vcs = 0;       // bit per channel with a waiting head
    std::uint32_t starved_vcs = 0;          // bit per next channel that a ready packet waits for
    std::vector<std::uint64_t> requests;    // [vc][word]: bit per input with a waiting head
    std::vector<std::uint32_t> next_input;  // [vc]
    std::vector<std::uint32_t> next_vc;     // [priority group]
    std::vector<CreditWindow> credits;      // [vc of the next input]
    std::vector<std::uint64_t> needed;      // [vc of the next input]: room a starved packet waits for
    OutputCounters counters;
  };
  struct Group {
    std::vector<std::uint32_t> vcs;
    std::uint32_t mask = 0;
  };

  Queue& queue(std::size_t input, std::size_t vc, std::size_t output);
  void expose(Queue& queue, std::size_t input, TimePs not_before);
  void charge(Output& output, Packet& waiting, TimePs from, TimePs until) const;
  Packet* first_ready(std::size_t output, std::size_t vc, TimePs now, TimePs& next);
  bool choose_vc(Output& output, const Packet& packet, TimePs now, TimePs& next, std::uint32_t& vc);
  void send(std::size_t output, std::size_t input, Packet& packet, std::uint32_t vc, TimePs now);
  void ask_wake(std::size_t output, TimePs at);
  template <typename Visit>
  void for_each_waiting(std::size_t output, std::size_t vc, std::size_t from, Visit visit);

  SwitchParams params_;
  const ClassTable& classes_;
  const RouteFunction& routes_;
  SwitchHost& host_;
  std::size_t vcs_, words_, queues_per_vc_;
  std::vector<Group> groups_;  // by falling priority
  std::vector<Queue> queues_;
  std::vector<Output> outputs_;
  std::uint64_t queued_ = 0;
  std::size_t winner_ = 0;  // input of the packet that first_ready found
};

}  // namespace wafertlm
