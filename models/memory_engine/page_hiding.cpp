// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/page_hiding.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/memory_engine/key_derivation.h"
#include "models/memory_engine/path_oram.h"
#include "tlm/checking/checking.h"

namespace wafertlm {
namespace {

Key key_of(const RequesterEngineParams& params) { return derive_key(params.key_owner(), Purpose::hiding); }

/// Each access is one among several pages.
class DummyPages final : public PageHiding {
 public:
  explicit DummyPages(const RequesterEngineParams& params)
      : pages_(params.pages), dummies_(params.dummies), random_(key_of(params)) {}

  std::vector<std::uint64_t> choose_pages(std::uint64_t page) override {
    std::vector<std::uint64_t> chosen = {page};
    while (chosen.size() <= dummies_) {
      const std::uint64_t dummy = random_.below(pages_);
      if (std::find(chosen.begin(), chosen.end(), dummy) == chosen.end()) chosen.push_back(dummy);
    }
    std::swap(chosen.front(), chosen[random_.below(chosen.size())]);
    return chosen;
  }

 private:
  bool always_reads() const override { return true; }

  const std::uint64_t pages_;
  const std::uint32_t dummies_;
  KeyedRandom random_;
};

/// A page goes to a random free slot each time it is written.
class RemappedPages final : public PageHiding {
 public:
  explicit RemappedPages(const RequesterEngineParams& params) : random_(key_of(params)) {
    for (std::uint64_t slot = params.pages; slot < slots_of(params); ++slot) free_slots_.push_back(slot);
  }

  void plan(PageAccess& access) override {
    PageHiding::plan(access);
    if (!access.write) return;
    std::uint64_t& chosen = free_slots_[random_.below(free_slots_.size())];
    access.fresh_slot = chosen;
    access.write_slots.front() = chosen;
    chosen = free_slots_.back();
    free_slots_.pop_back();
  }
  void begin_writing(PageAccess& access) override { ++places_[access.page].version; }
  void written(PageAccess& access) override {
    if (access.fresh_slot == PageAccess::kNoSlot) return;
    free_slots_.push_back(slot_of(access.page));
    places_[access.page].slot = access.fresh_slot;
  }
  void failed(PageAccess& access) override {
    if (access.fresh_slot != PageAccess::kNoSlot) free_slots_.push_back(access.fresh_slot);
  }
  std::optional<std::uint64_t> known_slot(std::uint64_t /*page*/) const override { return std::nullopt; }
  Holding holding(const PageAccess& access, std::uint64_t /*slot*/) const override {
    const auto found = places_.find(access.page);
    return {access.page, found == places_.end() ? 0 : found->second.version};
  }
  const Bytes* contents_for(const PageAccess& access, std::uint64_t slot) const override {
    return PageHiding::contents_for(access, slot == access.fresh_slot ? slot_of(access.page) : slot);
  }

 private:
  std::uint64_t slot_of(std::uint64_t page) const override {
    const auto found = places_.find(page);
    return found == places_.end() || found->second.slot == PageAccess::kNoSlot ? page : found->second.slot;
  }

  struct Place {
    std::uint64_t slot = PageAccess::kNoSlot, version = 0;
  };
  std::unordered_map<std::uint64_t, Place> places_;  // of pages that were written
  std::vector<std::uint64_t> free_slots_;
  KeyedRandom random_;
};

/// Each access reads and writes a path of a Path-ORAM. A path that could not be read has been seen by the
/// provider: if only a repeated access read it again, the two would be known to be for the same page. So the
/// next access reads it in any case, whatever page it is for, besides a path of its own.
class OramPages final : public PageHiding {
 public:
  explicit OramPages(const RequesterEngineParams& params)
      : page_bytes_(params.page_bytes),
        most_stash_(params.stash_pages),
        oram_(params.pages, params.bucket_blocks, key_of(params)) {}

  bool one_at_a_time() const override { return true; }
  bool answers_before_writing() const override { return true; }
  std::uint64_t most_written(const PageAccess& /*access*/) const override {
    return (owed_leaves_.size() + 1) * oram_.path_slots();
  }
  void plan(PageAccess& access) override {
    const auto owed = std::find(owed_pages_.begin(), owed_pages_.end(), access.page);
    access.leaves = owed_leaves_;
    access.leaves.push_back(owed == owed_pages_.end() ? oram_.leaf_of(access.page) : oram_.random_leaf());
    access.read_slots = access.write_slots = oram_.paths(access.leaves);
  }
  void failed(PageAccess& access) override {
    owed_leaves_ = access.leaves;
    if (owed_leaves_.size() > kMostOwed)
      throw std::runtime_error(say("memory engine: ", owed_leaves_.size(),
                                   " accesses in a row could not read their paths of the Path-ORAM"));
    if (std::find(owed_pages_.begin(), owed_pages_.end(), access.page) == owed_pages_.end())
      owed_pages_.push_back(access.page);
  }
  void read(PageAccess& access) override {
    oram_.take(access.leaves);
    for (const std::uint64_t page : owed_pages_) oram_.remap(page);
    oram_.remap(access.page);
    oram_.hold(access.page);
    owed_pages_.clear();
    owed_leaves_.clear();
  }
  void begin_writing(PageAccess& access) override {
    oram_.put_back(access.leaves);
    if (oram_.stash() > most_stash_)
      throw std::runtime_error(say("memory engine: the stash of the Path-ORAM holds ", oram_.stash(),
                                   " pages, more than its ", most_stash_,
                                   ": buckets are too small for it (bucket_blocks; 4 or more are safe)"));
  }
  Holding holding(const PageAccess& /*access*/, std::uint64_t slot) const override {
    const std::uint64_t page = oram_.content(slot);
    return {page, page == PathOram::kDummy ? 0 : oram_.version(page)};
  }
  std::optional<std::uint64_t> known_slot(std::uint64_t /*page*/) const override { return std::nullopt; }
  void sent(PageAccess& access) override {
    for (const std::uint64_t slot : access.write_slots)
      if (const std::uint64_t page = oram_.content(slot); page != PathOram::kDummy) stash_.erase(page);
  }
  Bytes& contents(PageAccess& access) override {
    for (auto& [slot, image] : access.images)
      if (const std::uint64_t page = oram_.content(slot); page != PathOram::kDummy)
        stash_[page] = std::move(image);
    Bytes& page = stash_[access.page];
    page.resize(page_bytes_);
    return page;
  }
  const Bytes* contents_for(const PageAccess& /*access*/, std::uint64_t slot) const override {
    const std::uint64_t page = oram_.content(slot);
    return page == PathOram::kDummy ? nullptr : &stash_.at(page);
  }
  const PathOram* oram() const override { return &oram_; }

 private:
  static constexpr std::size_t kMostOwed = 32;
  const std::uint64_t page_bytes_, most_stash_;
  PathOram oram_;
  PathOram::Leaves owed_leaves_;                    // of paths that could not be read
  std::vector<std::uint64_t> owed_pages_;           // that lie on them
  std::unordered_map<std::uint64_t, Bytes> stash_;  // contents of the ORAM's stash, by page
};

}  // namespace

std::unique_ptr<PageHiding> PageHiding::make(const RequesterEngineParams& params) {
  switch (params.hiding) {
    case Hiding::none:
      break;
    case Hiding::remap_on_evict:
      return std::make_unique<RemappedPages>(params);
    case Hiding::dummy:
      return std::make_unique<DummyPages>(params);
    case Hiding::path_oram:
      return std::make_unique<OramPages>(params);
  }
  return std::make_unique<PageHiding>();
}

std::uint64_t PageHiding::slots_of(const RequesterEngineParams& params) {
  if (params.hiding == Hiding::remap_on_evict) return params.pages + params.spare_slots;
  if (params.hiding == Hiding::path_oram) return PathOram::slots_for(params.pages, params.bucket_blocks);
  return params.pages;
}

void PageHiding::plan(PageAccess& access) {
  std::vector<std::uint64_t> slots;
  for (const std::uint64_t page : access.pages) slots.push_back(slot_of(page));
  if (!access.write || access.is_partial || always_reads()) access.read_slots = slots;
  if (access.write) access.write_slots = std::move(slots);
}

const PageHiding::Bytes* PageHiding::contents_for(const PageAccess& access, std::uint64_t slot) const {
  const auto found = access.images.find(slot);
  return found == access.images.end() ? nullptr : &found->second;
}

}  // namespace wafertlm
