// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/page_hiding.h"

#include <algorithm>
#include <random>
#include <utility>

#include "models/memory_engine/path_oram.h"

namespace wafertlm {
namespace {

/// Each access is one among several pages.
class DummyPages final : public PageHiding {
 public:
  DummyPages(const RequesterEngineParams& params, std::uint64_t seed)
      : pages_(params.pages), dummies_(params.dummies), random_(seed) {}

  std::vector<std::uint64_t> choose_pages(std::uint64_t page) override {
    std::vector<std::uint64_t> chosen = {page};
    while (chosen.size() <= dummies_) {
      const std::uint64_t dummy = random_() % pages_;
      if (std::find(chosen.begin(), chosen.end(), dummy) == chosen.end()) chosen.push_back(dummy);
    }
    std::swap(chosen.front(), chosen[random_() % chosen.size()]);
    return chosen;
  }

 private:
  bool always_reads() const override { return true; }

  const std::uint64_t pages_;
  const std::uint32_t dummies_;
  std::mt19937_64 random_;
};

/// A page goes to a random free slot each time it is written.
class RemappedPages final : public PageHiding {
 public:
  RemappedPages(const RequesterEngineParams& params, std::uint64_t seed) : random_(seed) {
    for (std::uint64_t slot = params.pages; slot < slots_of(params); ++slot) free_slots_.push_back(slot);
  }

  void plan(PageAccess& access) override {
    PageHiding::plan(access);
    if (!access.write) return;
    std::uint64_t& chosen = free_slots_[random_() % free_slots_.size()];
    access.fresh_slot = chosen;
    access.write_slots.front() = chosen;
    chosen = free_slots_.back();
    free_slots_.pop_back();
  }
  void written(PageAccess& access) override {
    if (access.fresh_slot == PageAccess::kNoSlot) return;
    free_slots_.push_back(slot_of(access.page));
    slots_[access.page] = access.fresh_slot;
  }
  void failed(PageAccess& access) override {
    if (access.fresh_slot != PageAccess::kNoSlot) free_slots_.push_back(access.fresh_slot);
  }
  const Bytes* contents_for(const PageAccess& access, std::uint64_t slot) const override {
    return PageHiding::contents_for(access, slot == access.fresh_slot ? slot_of(access.page) : slot);
  }

 private:
  std::uint64_t slot_of(std::uint64_t page) const override {
    const auto found = slots_.find(page);
    return found == slots_.end() ? page : found->second;
  }

  std::unordered_map<std::uint64_t, std::uint64_t> slots_;  // of pages that have moved
  std::vector<std::uint64_t> free_slots_;
  std::mt19937_64 random_;
};

/// Each access reads and writes a path of a Path-ORAM.
class OramPages final : public PageHiding {
 public:
  OramPages(const RequesterEngineParams& params, std::uint64_t seed)
      : page_bytes_(params.page_bytes), oram_(params.pages, params.bucket_blocks, seed) {}

  bool one_at_a_time() const override { return true; }
  bool answers_before_writing() const override { return true; }
  void plan(PageAccess& access) override {
    access.leaf = oram_.leaf_of(access.page);
    access.read_slots = access.write_slots = oram_.path(access.leaf);
  }
  void read(PageAccess& access) override { oram_.take(access.leaf, access.page); }
  void begin_writing(PageAccess& access) override { oram_.put_back(access.leaf); }
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
  const std::uint64_t page_bytes_;
  PathOram oram_;
  std::unordered_map<std::uint64_t, Bytes> stash_;  // contents of the ORAM's stash, by page
};

}  // namespace

std::unique_ptr<PageHiding> PageHiding::make(const RequesterEngineParams& params, std::uint64_t seed) {
  switch (params.hiding) {
    case Hiding::none:
      break;
    case Hiding::remap_on_evict:
      return std::make_unique<RemappedPages>(params, seed + 1);
    case Hiding::dummy:
      return std::make_unique<DummyPages>(params, seed + 1);
    case Hiding::path_oram:
      return std::make_unique<OramPages>(params, seed + 2);
  }
  return std::make_unique<PageHiding>();
}

std::uint64_t PageHiding::slots_of(const RequesterEngineParams& params) {
  if (params.hiding == Hiding::remap_on_evict) return params.pages + params.spare_slots;
  if (params.hiding == Hiding::path_oram) return PathOram(params.pages, params.bucket_blocks, 0).slots();
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
