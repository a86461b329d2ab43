// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/memory_engine/engine_params.h"

namespace wafertlm {

class PathOram;

/// The access to a page: which slots of the providers it reads and writes.
struct PageAccess {
  static constexpr std::uint64_t kNoSlot = ~std::uint64_t{0};
  using Bytes = std::vector<unsigned char>;

  std::uint64_t page = 0;
  bool write = false, is_partial = false;
  std::vector<std::uint64_t> pages;  ///< whose slots are accessed, with dummies
  std::vector<std::uint64_t> read_slots, write_slots;
  std::vector<std::uint64_t> leaves;                ///< path_oram: of the paths
  std::uint64_t fresh_slot = kNoSlot;               ///< remap_on_evict: where the page goes
  std::unordered_map<std::uint64_t, Bytes> images;  ///< contents by slot, sealed and then opened
};

/// How a requester hides from its providers which page is accessed; this one: page p is in slot p, for all to
/// see. The others are in page_hiding.cpp, one for each Hiding.
class PageHiding {
 public:
  using Bytes = PageAccess::Bytes;

  virtual ~PageHiding() = default;
  static std::unique_ptr<PageHiding> make(const RequesterEngineParams& params);
  /// Slots that the pages of such an engine take.
  static std::uint64_t slots_of(const RequesterEngineParams& params);

  /// Which pages an access to `page` touches.
  virtual std::vector<std::uint64_t> choose_pages(std::uint64_t page) { return {page}; }
  /// Each access waits for the one before.
  virtual bool one_at_a_time() const { return false; }
  /// The host is answered when the page has been read; what is written afterwards is no affair of its own.
  virtual bool answers_before_writing() const { return false; }
  /// Slots that the access writes, at most.
  virtual std::uint64_t most_written(const PageAccess& access) const {
    return access.write ? access.pages.size() : 0;
  }
  /// Fills in the slots, when it is the access' turn.
  virtual void plan(PageAccess& access);

  // What happens to a planned access, in this order. What could not be written is in the engine's journal and
  // counts as written.
  virtual void read(PageAccess& /*access*/) {}
  virtual void begin_writing(PageAccess& /*access*/) {}
  /// With contents: all of it is on its way; what is in slots need not be kept.
  virtual void sent(PageAccess& /*access*/) {}
  virtual void written(PageAccess& /*access*/) {}
  /// In place of all these: something could not be read.
  virtual void failed(PageAccess& /*access*/) {}

  /// The slot where `page` is, if that is where the next access to it goes.
  virtual std::optional<std::uint64_t> known_slot(std::uint64_t page) const { return slot_of(page); }

  // With contents.
  struct Holding {
    std::uint64_t page, version;
  };
  /// What a slot of the access holds: when it is opened, and after begin_writing() when it is sealed.
  virtual Holding holding(const PageAccess& /*access*/, std::uint64_t slot) const { return {slot, 0}; }
  /// Of the accessed page, between read() and sent(); made if it is not there.
  virtual Bytes& contents(PageAccess& access) { return access.images[slot_of(access.page)]; }
  /// That go into a slot; null: zeros.
  virtual const Bytes* contents_for(const PageAccess& access, std::uint64_t slot) const;

  /// Null without one.
  virtual const PathOram* oram() const { return nullptr; }

 protected:
  virtual std::uint64_t slot_of(std::uint64_t page) const { return page; }
  /// A store of a whole page, too.
  virtual bool always_reads() const { return false; }
};

}  // namespace wafertlm
