// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/memory_engine/access_order.h"
#include "models/memory_engine/engine_network.h"
#include "models/memory_engine/integrity_tree.h"
#include "models/memory_engine/page_hiding.h"
#include "models/memory_engine/page_sealer.h"
#include "models/memory_engine/page_times.h"
#include "models/memory_engine/path_oram.h"
#include "models/memory_engine/provider_engine.h"
#include "models/memory_engine/stream_stage.h"
#include "models/memory_engine/write_journal.h"
#include "tlm/kernel/ring_queue.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

class RequesterEngineHost {
 public:
  /// The access started with `token` is over. A read's data is there if `cause` is none, else nothing is.
  virtual void access_done(std::uint64_t token, Refusal cause) = 0;

 protected:
  ~RequesterEngineHost() = default;
};

struct RequesterCounters {
  std::uint64_t accesses = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;  ///< that the host asked for and got
  std::uint64_t slots_read = 0, slots_written = 0;  ///< pages moved, with dummies
  std::uint64_t nodes_read = 0, nodes_written = 0;  ///< of the integrity tree
  std::uint64_t remote_bytes = 0;                   ///< of all of these, with tags
  RefusalCounts refusals{};                         ///< accesses by cause
  TimePs busy_ps = 0;                               ///< with accesses of the host under way
  std::uint64_t late_failures = 0;                  ///< write-backs that failed behind the answer (path_oram)
};

/// The requester's side: what a host's loads and stores become. An access is cut at pages. Each page goes
/// through one or two rounds of remote accesses:
///   read:  what must be known first: the page (load, store of a part, hiding), nodes of the tree
///   write: the page, or what hiding makes of it, and the nodes
/// Without cipher only the bytes asked for move. Time of a page on an idle path, store and forward:
///   load:  validate + link(header) + provider + link(page + tag) + MAC + cipher + DMA
///   store: DMA + validate + cipher + MAC + link(page + tag) + provider + link(header)
/// Path-ORAM answers after the read round; the write-back holds up the next access only.
///
/// A request is refused as a whole before anything of it moves, as far as the grants of its pages tell. What
/// a provider does not take of a write stays in the journal, and is written again, alone, before the next
/// access that comes; so a failed transfer loses nothing that could be read before. What is revoked meanwhile
/// stays until its room is needed.
class RequesterEngine final : public EngineNode, private Wakeable {
 public:
  /// `providers`: as many as the parameters say.
  /// @throws std::invalid_argument, see require_sound().
  RequesterEngine(const RequesterEngineParams& params, std::vector<ProviderPort> providers,
                  EngineClock& clock, EngineNetwork& network, RequesterEngineHost& host);

  /// Node of the network.
  std::uint32_t node() const { return node_; }
  /// Starts a load or store; access_done(token) follows, not from within. `data` has
  /// `bytes` bytes and stays until then; null without contents.
  void start(bool write, std::uint64_t address, std::uint64_t bytes, unsigned char* data,
             std::uint64_t token);

  static RegionLayout layout_of(const RequesterEngineParams& params);
  /// Where things lie in the providers' memories: what it must have been granted.
  const RegionLayout& layout() const { return layout_; }
  std::uint64_t bytes() const { return params_.pages * params_.page_bytes; }
  /// These slots are another's or were: what is in them is not this engine's, and reads as zero. No access to
  /// them may be under way.
  void forget(std::uint64_t first_slot, std::uint64_t count);
  const WriteJournal& journal() const { return journal_; }
  const RequesterEngineParams& params() const { return params_; }
  const RequesterCounters& counters() const { return counters_; }
  /// From the host's request to its answer, of pages that were not refused.
  const PageTimes& page_times() const { return page_times_; }
  const IntegrityTree* tree() const { return tree_ ? &*tree_ : nullptr; }
  const PathOram* oram() const { return hiding_->oram(); }
  bool idle() const { return open_requests_ == 0 && active_ == 0; }

 private:
  enum Event : std::uint32_t { kBegin, kSend, kUnitDone, kAnswer, kOver, kRefused };
  static constexpr unsigned kEventBits = 3;
  using Bytes = std::vector<unsigned char>;

  struct Request {  // of the host
    std::uint64_t token = 0, bytes = 0;
    unsigned char* data = nullptr;
    bool write = false;
    Refusal cause = Refusal::none;
    std::uint32_t open = 0;  // pages
    TimePs start_ps = 0;
    Bytes loaded;
  };
  struct Access : PageAccess {
    std::uint32_t request = 0;
    bool is_writing = false, answers_early = false, is_answered = false, is_over = false;
    bool is_repair = false;                       // of no request: writes what is in the journal
    std::uint64_t offset = 0, bytes = 0, at = 0;  // `at`: of the page's bytes in the request's
    Span from_host{};
    AccessOrder::Uses uses;
    Refusal cause = Refusal::none;
    std::uint32_t open = 0;      // units of the round
    std::uint64_t reserved = 0;  // pages of room in the journal
    IntegrityTree::Images nodes;
  };
  struct Unit {  // one message
    EngineMessage message;
    std::uint32_t access = 0;
    enum class Kind : std::uint8_t { bytes, slot, node } kind = Kind::bytes;
    std::uint64_t slot = 0;
    IntegrityTree::Node node{};
  };

  void arrived(EngineMessage& message, Span span) override;
  void wake(std::uint32_t what, TimePs now) override;
  void later(TimePs at, std::uint32_t number, Event event) {
    clock_.schedule(at, *this, number << kEventBits | event);
  }

  Refusal check(bool write, std::uint64_t address, std::uint64_t bytes) const;
  Refusal check_page(bool write, std::uint64_t page, bool is_partial) const;
  std::vector<Segment> place_of(const Segment& segment) const;
  bool may_write(std::uint32_t provider_node, const Segment& segment) const;
  AccessOrder::Uses uses_of(const Access& access) const;
  void start_waiting();
  enum class Room { free, taken, none };
  Room make_room(const Access& access);
  bool waits_for_repair() const;
  void repair();
  void read_round(std::uint32_t number);
  void write_round(std::uint32_t number);
  std::uint32_t add_unit(std::uint32_t access, bool write, Unit::Kind kind, std::uint32_t provider_node);
  std::uint32_t add_slot(std::uint32_t access, bool write, std::uint64_t slot);
  std::uint32_t add_node(std::uint32_t access, bool write, const IntegrityTree::Node& node);
  void unit_done(std::uint32_t number);
  void round_done(std::uint32_t number);
  bool open_images(Access& access);
  void not_taken(const EngineMessage& message);
  void settle(EngineMessage& message);
  SlotSealer::Content content_of(std::uint64_t slot, const Access& access) const;
  void merge(Access& access);
  void over(std::uint32_t number);
  void answer(std::uint32_t number);
  void close(std::uint32_t request);
  void finish(std::uint32_t number);

  const RequesterEngineParams params_;
  const std::vector<ProviderPort> providers_;
  EngineClock& clock_;
  EngineNetwork& network_;
  RequesterEngineHost& host_;
  std::uint32_t node_;
  SlotSealer sealer_;
  const Sealers node_sealers_;
  WriteJournal journal_;
  std::uint64_t reserved_ = 0;  // pages of room in it, by accesses under way
  bool repair_is_due_ = false, is_halted_ = false;
  std::unique_ptr<PageHiding> hiding_;
  std::optional<IntegrityTree> tree_;
  RegionLayout layout_{};
  StreamStage dma_in_, dma_out_, cipher_in_, cipher_out_, mac_in_, mac_out_;

  std::vector<Request> requests_;
  std::vector<Access> accesses_;
  std::vector<std::unique_ptr<Unit>> units_;
  std::vector<std::uint32_t> free_requests_, free_accesses_, free_units_;
  RingQueue<std::uint32_t> waiting_;
  AccessOrder order_;
  std::uint32_t active_ = 0, open_requests_ = 0;

  Bytes zeros_;
  RequesterCounters counters_;
  PageTimes page_times_;
  TimePs busy_since_ps_ = 0;
};

}  // namespace wafertlm
