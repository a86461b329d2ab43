// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <unordered_map>
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

/// What a provider has granted, as its requesters' engines know it (the messages that tell them take no
/// time).
class Grants {
 public:
  /// May `requester` do this? `none`, or why not.
  virtual Refusal check(RequesterId requester, bool write, const Segment& segment) const = 0;

 protected:
  ~Grants() = default;
};

/// A provider, as a requester's engine sees it.
struct ProviderPort {
  std::uint32_t node;  ///< of the network
  const Grants* grants;
};

/// The provider's side: validates every access of a requester and passes what is granted on to the memory.
/// A message is refused as a whole, before any byte moves; a read that loses its grant meanwhile is refused
/// when it is about to leave.
class ProviderEngine final : public EngineNode, public Grants, private Wakeable {
 public:
  ProviderEngine(const ProviderEngineParams& params, PageTable table, EngineClock& clock,
                 EngineNetwork& network, ProviderMemory& memory);

  /// `node` of the network is `requester`'s: with `authenticated`, only messages from there are.
  void enrol(std::uint32_t node, RequesterId requester) { enrolled_[node] = requester; }

  /// Grants pages, or does nothing and returns false while another requester's accesses to one of them are
  /// under way. A grant that takes rights away ends, and calls `done`, as a revocation does: when the memory
  /// has nothing under way that it does not allow.
  /// @throws std::invalid_argument as PageTable::grant.
  bool grant(RequesterId requester, std::uint64_t first, std::uint64_t count, PageRights rights = {},
             std::function<void()> done = {});
  /// From now on whatever comes for these pages is refused. The revocation is over, and `done` is called,
  /// when the memory has no access to them under way: from within, if it has none.
  void revoke(std::uint64_t first, std::uint64_t count, std::function<void()> done = {});

  Refusal check(RequesterId requester, bool write, const Segment& segment) const override;
  ProviderPort port() const { return {node_, this}; }
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
  void end_revocations(std::uint32_t number);
  bool overlaps(const EngineMessage& message, std::uint64_t first, std::uint64_t count) const;
  /// Calls `done` when the memory has none of these messages under way any more.
  template <typename Of>
  void drain(Of of, std::function<void()> done);

  const ProviderEngineParams params_;
  PageTable table_;
  EngineClock& clock_;
  EngineNetwork& network_;
  ProviderMemory& memory_;
  std::uint32_t node_;
  std::vector<EngineMessage*> under_way_;  // null: free
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::uint32_t, RequesterId> enrolled_;  // by node
  struct Revocation {                                        // or a grant that takes rights away
    std::vector<std::uint32_t> waits_for;                    // numbers of messages under way
    std::function<void()> done;
  };
  std::vector<Revocation> revocations_;  // that are not over
  RefusalCounts refusals_{};
  std::uint64_t served_ = 0, bytes_[2] = {0, 0};
  ProviderObserver* observer_ = nullptr;
  std::uint32_t observed_as_ = 0;
};

}  // namespace wafertlm
