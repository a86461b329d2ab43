// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "models/ethernet/network/ecn.h"
#include "models/ethernet/network/frame_format.h"
#include "models/ethernet/network/load_balance.h"
#include "models/ethernet/network/shared_buffer.h"
#include "models/nic/congestion/schemes.h"
#include "models/nic/transport/sequences.h"

namespace wafertlm::ethernet {

/// What a switch does with a packet that has no room.
enum class Loss : std::uint8_t {
  pause,  ///< PFC: there always is room
  drop,   ///< the packet is lost
  trim,   ///< its headers go on, before all others (NDP, Ultra Ethernet)
};

/// When an output's queue decides whether a packet is marked.
enum class EcnPoint : std::uint8_t {
  joining,  ///< with the packet itself in the queue: RED, as DCQCN's paper has it
  leaving,  ///< with what it leaves behind: ns-3's and htsim's switches
};

/// How much a NIC has under way over a queue pair, whatever its congestion control says.
enum class WindowLimit : std::uint8_t {
  none,
  bdp,          ///< the bandwidth-delay product of the way
  bdp_of_rate,  ///< that of the congestion control's rate
};

struct EthernetSwitchParams {
  Loss loss = Loss::pause;
  std::uint64_t buffer_bytes = 32'000'000;  ///< of a switch, with headroom and what is reserved
  std::uint64_t reserved_bytes = 0;         ///< of each port
  Threshold threshold;                      ///< of each port
  std::uint64_t headroom_bytes = 0;   ///< of each port; 0: by the formula, the pipeline added to the response
  bool check_headroom = true;         ///< refuse less than the formula
  std::optional<TimePs> response_ps;  ///< of who is paused; none: the standard's allowance for its speed
  std::uint32_t pause_quanta = 65'535;  ///< a pause frame's; it is repeated when half of them are over
  std::uint64_t queue_limit_bytes = 0;  ///< drop and trim: of an output; 0: only the buffer limits
  EcnPoint ecn_point = EcnPoint::joining;
  EcnParams ecn;                                    ///< of every output,
  std::map<std::uint64_t, EcnParams> ecn_of_speed;  ///< but these, by bytes/s
  TimePs pipeline_ps = 0;                           ///< from input to output, without waiting
  bool cut_through = false;                         ///< where the output is no faster than the input
  bool fair_inputs = true;  ///< inputs take turns at an output; else first come, first served
  LoadBalance balance = LoadBalance::ecmp;
  TimePs flowlet_gap_ps = 50'000'000;
};

struct NicParams {
  nic::SchemeParams scheme = nic::NoControlParams{};
  nic::TransportParams transport;
  TimePs timeout_ps = 0;  ///< without an answer a sender starts again; 0: never, where nothing is lost
  WindowLimit window = WindowLimit::none;
  /// A message has a queue pair of its own: another hash, and a congestion control that remembers nothing.
  bool connects_per_message = false;
  bool completes_with_ack = false;  ///< a message is there when its last ACK is back; else when its bytes are
};

struct EthernetParams {
  FrameFormat format;
  EthernetSwitchParams switches;
  NicParams nics;
  std::uint64_t seed = 1;     ///< of marks and of hashes
  bool watch_queues = false;  ///< count how much data each packet finds before it (queue_found())
};

}  // namespace wafertlm::ethernet
