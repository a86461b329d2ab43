// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tlm/kernel/free_numbers.h"
#include "tlm/kernel/ring_queue.h"

namespace wafertlm {

struct RemoteTransferParams {
  std::uint32_t chunk_bytes = 65'536;
  std::uint32_t window = 32;  ///< chunks under way at most, of loads and of stores each
};

class RemoteTransferHost {
 public:
  /// RemoteTransfers::access_done(token) follows, not from within.
  virtual void access(bool remote, bool write, std::uint64_t address, std::uint64_t bytes,
                      std::uint64_t token) = 0;
  virtual void transfer_done(std::uint64_t token, bool ok) = 0;

 protected:
  ~RemoteTransferHost() = default;
};

/// Loads and stores between a remote memory and the NPU's own, in chunks: a load's chunk is written to the
/// local memory when it has come, a store's goes out when it has been read there. Both memories work at the
/// same time, so with bandwidth and latency of both, and chunks that go evenly into `bytes`, an idle transfer
/// takes
///   latency + latency + max(bytes / remote + chunk / local, chunk / remote + bytes / local)
/// as long as the window keeps the slower one busy. Transfers that run at the same time take turns.
class RemoteTransfers {
 public:
  /// Chunks and a window of at least 1.
  RemoteTransfers(const RemoteTransferParams& params, RemoteTransferHost& host)
      : params_(params), host_(host) {}

  /// Of at least a byte; both memories use the same address. transfer_done(token) follows.
  void start(bool store, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) {
    const std::uint32_t number = take_number(transfers_, free_transfers_);
    transfers_[number] = {store, true, address, bytes, token, 0};
    Direction& direction = directions_[store];
    direction.turns.push_back(number);
    go_on(direction);
  }
  /// A chunk's first or second access is over.
  void access_done(std::uint64_t token, bool ok) {
    const auto number = static_cast<std::uint32_t>(token);
    Chunk& chunk = chunks_[number];
    Transfer& transfer = transfers_[chunk.transfer];
    if (!ok) fail(chunk.transfer);
    if (ok && !chunk.is_half_way) {
      chunk.is_half_way = true;
      return host_.access(transfer.store, true, chunk.address, chunk.bytes, token);
    }
    const std::uint32_t of = chunk.transfer;
    const bool store = transfer.store;
    free_chunks_.push_back(number);
    --directions_[store].under_way;
    --transfer.chunks;
    go_on(directions_[store]);
    if (transfers_[of].chunks == 0 && transfers_[of].bytes == 0) finish(of);
  }

 private:
  struct Transfer {
    bool store, ok;
    std::uint64_t address, bytes;  // of what has not begun
    std::uint64_t token;
    std::uint32_t chunks;  // under way
  };
  struct Chunk {
    std::uint32_t transfer;
    bool is_half_way;
    std::uint64_t address, bytes;
  };
  struct Direction {
    RingQueue<std::uint32_t> turns;  // transfers with something left to begin
    std::uint32_t under_way = 0;
  };
  /// It begins no more chunks.
  void fail(std::uint32_t number) {
    Transfer& transfer = transfers_[number];
    transfer.ok = false;
    if (transfer.bytes == 0) return;
    transfer.bytes = 0;
    RingQueue<std::uint32_t>& turns = directions_[transfer.store].turns;
    std::size_t at = 0;
    while (turns[at] != number) ++at;
    turns.erase(at);
  }
  void go_on(Direction& direction) {
    while (direction.under_way < params_.window && !direction.turns.empty()) {
      const std::uint32_t of = direction.turns.front();
      direction.turns.pop_front();
      Transfer& transfer = transfers_[of];
      const std::uint64_t bytes = std::min<std::uint64_t>(transfer.bytes, params_.chunk_bytes);
      const std::uint32_t number = take_number(chunks_, free_chunks_);
      chunks_[number] = {of, false, transfer.address, bytes};
      transfer.address += bytes;
      transfer.bytes -= bytes;
      ++transfer.chunks;
      ++direction.under_way;
      const std::uint64_t from = chunks_[number].address;
      if (transfer.bytes != 0) direction.turns.push_back(of);
      host_.access(!transfer.store, false, from, bytes, number);
    }
  }
  void finish(std::uint32_t number) {
    const Transfer done = transfers_[number];
    free_transfers_.push_back(number);
    host_.transfer_done(done.token, done.ok);
  }

  const RemoteTransferParams params_;
  RemoteTransferHost& host_;
  std::vector<Transfer> transfers_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_transfers_, free_chunks_;
  std::array<Direction, 2> directions_;
};

}  // namespace wafertlm
