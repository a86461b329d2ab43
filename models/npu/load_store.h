// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/npu/remote_transfers.h"
#include "tlm/memory/requester.h"

namespace wafertlm {

inline ::tlm::tlm_command command_of(bool write) {
  return write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND;
}

/// Does an NPU's loads and stores; MemoryRequesterHost::memory_done(token) of the requester's host, or
/// transfer_done(token), follows.
class LoadStore {
 public:
  virtual ~LoadStore() = default;
  virtual void start(bool store, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) = 0;
  /// A RemoteTransferHost::access() is over.
  virtual void access_done(std::uint64_t /*token*/, bool /*ok*/) {}
};

/// From and to one memory.
class OneMemory final : public LoadStore {
 public:
  explicit OneMemory(MemoryRequester& memory) : memory_(memory) {}
  void start(bool store, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) override {
    memory_.start(command_of(store), address, bytes, token);
  }

 private:
  MemoryRequester& memory_;
};

/// Between a remote memory and the NPU's own.
class BetweenMemories final : public LoadStore {
 public:
  BetweenMemories(const RemoteTransferParams& params, MemoryRequester& remote, RemoteTransferHost& host)
      : remote_(remote), transfers_(params, host) {}
  void start(bool store, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) override {
    if (bytes == 0)
      remote_.start(command_of(store), address, 0, token);
    else
      transfers_.start(store, address, bytes, token);
  }
  void access_done(std::uint64_t token, bool ok) override { transfers_.access_done(token, ok); }

 private:
  MemoryRequester& remote_;
  RemoteTransfers transfers_;
};

}  // namespace wafertlm
