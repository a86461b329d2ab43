// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tlm/kernel/module_list.h"
#include "tlm/packets/message.h"
#include "tlm/packets/protocol.h"
#include "tlm/remote/crossing.h"
#include "tlm/remote/part.h"

namespace wafertlm {

class Scheduler;
class RemoteBegin;
class RemoteEnd;

/// The links between the switches of this process and those of others. Packets go out over them and credits
/// come back as bytes with time stamps, a batch for each other process; who carries the batches is not its
/// business. What arrives must not lie before now: the link's latency, and the delay of its credits, are the
/// time that a batch may take.
class RemoteLinks {
 public:
  RemoteLinks(Part part, Scheduler& scheduler, PacketPool& packets, MessagePool& messages);
  ~RemoteLinks();

  const Part& part() const { return part_; }
  /// The beginning of `link`, whose end is in a process with `wafer`: bind an output to it.
  FabricTargetSocket& begin(std::uint32_t link, std::uint32_t wafer);
  /// An input here is the end of `link`, whose beginning is in a process with `wafer`.
  void end(std::uint32_t link, std::uint32_t wafer, FabricTargetSocket& input);

  /// Processes that links lead to or come from, in ascending order.
  std::vector<std::uint32_t> neighbours() const;
  /// The least time at which something that has gone to other processes since the last call is there; kNever:
  /// nothing has.
  TimePs take_earliest_ps() { return std::exchange(earliest_ps_, kNever); }
  /// What has gone to a process since the last call.
  std::vector<std::byte> take_batch(std::uint32_t process);
  /// From any process. @throws std::logic_error: a packet or a credit that lies before now, or of a link that
  /// does not end (begin) here.
  void deliver(const std::vector<std::byte>& batch);

 private:
  friend RemoteBegin;
  friend RemoteEnd;
  void send(std::uint32_t link, std::uint32_t process, Packet& packet, TimePs head_ps);
  void give_back(std::uint32_t process, const CrossingCredit& credit);
  void arrive(const CrossingPacket& crossing, ByteReader& from);
  Message& message_of(const CrossingPacket& crossing);

  const Part part_;
  Scheduler& scheduler_;
  PacketPool& packets_;
  MessagePool& messages_;
  ModuleList<RemoteBegin> begins_;
  ModuleList<RemoteEnd> ends_;
  std::map<std::uint32_t, RemoteBegin*> begin_of_;  // by link
  std::map<std::uint32_t, RemoteEnd*> end_of_;
  std::map<std::uint32_t, ByteWriter> out_;  // by process
  TimePs earliest_ps_ = kNever;
  /// A message that comes from elsewhere: the link (it may come by again over another one), its source, its
  /// destination, operation and tag.
  using Key = std::tuple<std::uint32_t, NpuId, NpuId, std::uint64_t, std::uint64_t>;
  struct Incoming {
    Message* message = nullptr;
    std::uint64_t bytes = 0;  // that have come
  };
  std::map<Key, Incoming> incoming_;
};

}  // namespace wafertlm
