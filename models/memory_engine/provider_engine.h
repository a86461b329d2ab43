// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "models/memory_engine/engine_network.h"
#include "models/memory_engine/page_table.h"

namespace wafertlm {

class ProviderMemory {
 public:
  /// ProviderEngine::memory_done(token, ok) follows, not from within. `data` is null without contents.
  virtual void start(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token,
                     unsigned char* data) = 0;

 protected:
  ~ProviderMemory() = default;
};

/// Sees what providers see: the accesses that their memories get.
class ProviderObserver {
 public:
  virtual void accessed(std::uint32_t provider, RequesterId requester, bool write, const Segment& segment,
                        TimePs now) = 0;

 protected:
  ~ProviderObserver() = default;
};

/// The provider's side: validates every access of a requester and passes what is granted on to the memory.
/// A message is refused as a whole, before any byte moves; a read that loses its grant meanwhile is refused
/// when it is about to leave.
class ProviderEngine final : public EngineNode, private Wakeable {
 public:
  ProviderEngine(const ProviderEngineParams& params, PageTable table, EngineClock& clock,
                 EngineNetwork& network, ProviderMemory& memory);

  /// Grants pages, or does nothing and returns false while accesses to one of them are under way that were
  /// begun under another grant.
  /// @throws std::invalid_argument as PageTable::grant.
  bool grant(RequesterId requester, std::uint64_t first, std::uint64_t count, PageRights rights = {});
  void revoke(std::uint64_t first, std::uint64_t count) { table_.revoke(first, count); }

  const PageTable& table() const { return table_; }
  /// Node of the network.
  std::uint32_t node() const { return node_; }
  /// Messages refused, and failed in the memory, by cause.
  const RefusalCounts& refusals() const { return refusals_; }
  std::uint64_t served() const { return served_; }
  std::uint64_t bytes_read() const { return bytes_[0]; }
  std::uint64_t bytes_written() const { return bytes_[1]; }
  /// `number`: the observer's for this provider.
  void observe(ProviderObserver& observer, std::uint32_t number = 0) {
    observer_ = &observer;
    observed_as_ = number;
  }

  void memory_done(std::uint64_t token, bool ok);

 private:
  void arrived(EngineMessage& message, Span span) override;
  void wake(std::uint32_t what, TimePs now) override { begin(what, now); }
  Refusal check(const EngineMessage& message) const;
  void begin(std::uint32_t number, TimePs now);
  void answer(std::uint32_t number);
  bool overlaps(const EngineMessage& message, std::uint64_t first, std::uint64_t count) const;

  const ProviderEngineParams params_;
  PageTable table_;
  EngineClock& clock_;
  EngineNetwork& network_;
  ProviderMemory& memory_;
  std::uint32_t node_;
  std::vector<EngineMessage*> under_way_;  // null: free
  std::vector<std::uint32_t> free_;
  std::vector<bool> has_pages_;  // by requester, for Validation::region
  RefusalCounts refusals_{};
  std::uint64_t served_ = 0, bytes_[2] = {0, 0};
  ProviderObserver* observer_ = nullptr;
  std::uint32_t observed_as_ = 0;
};

}  // namespace wafertlm
