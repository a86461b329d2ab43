// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/support/attacks/scene.h"

namespace wafertlm::test {
namespace {

std::string yes(bool succeeds) { return succeeds ? kSucceeds : "no effect"; }

/// Changes one bit in a page that lies in the memory, or in what belongs to it.
template <typename Part>
auto flip(Part part) {
  return [part](const Protection& protection) -> std::string {
    Scene scene(protection);
    const std::uint64_t page = scene.target(5), slot = scene.slot_of(page);
    const Segment of = part(scene, slot);
    if (of.bytes == 0) return "";
    scene.memory_of(slot).byte(of.address + of.bytes / 2) ^= 0x10;
    return scene.outcome(page);
  };
}

/// The lowest node above a page, where there are nodes.
Segment node_above(const Scene& scene, std::uint64_t slot) {
  const IntegrityTree* const tree = scene.tenant.tree();
  return tree ? scene.tenant.layout().node(tree->offset({0, slot / 8})) : Segment{};
}

/// Puts back what lay there before the last store of a page.
template <typename What>
auto replay(What what) {
  return [what](const Protection& protection) -> std::string {
    Scene scene(protection);
    const std::uint64_t page = scene.target(3);
    const auto old = scene.memory.contents;
    const Bytes fresh = page_of(0xA0);
    if (scene.store(page, fresh) != Refusal::none) return "the store is refused";
    Bytes any;
    for (std::uint64_t other = 0; scene.slot_of(page) == PageAccess::kNoSlot; ++other) scene.load(other, any);
    if (!what(scene, scene.slot_of(page), old)) return "";
    return scene.outcome(page, fresh);
  };
}

using Contents = decltype(PlainMemory::contents);

void exchange(PlainMemory& memory, const Segment& a, const Segment& b) {
  const Bytes first = Scene::read(memory, a);
  Scene::write(memory, a, Scene::read(memory, b));
  Scene::write(memory, b, first);
}

/// A slot of a Path-ORAM's bucket, with its tag.
template <typename Change>
void each_of_bucket(const Scene& scene, std::uint64_t bucket, Change change) {
  for (std::uint64_t slot = bucket * 4; slot < bucket * 4 + 4; ++slot)
    for (const Segment& part : {scene.page_at(slot), scene.tag_at(slot)}) change(slot, part);
}

/// An engine begins again with the same seed and id, and the provider puts all that lay there before in place
/// of what the second life has stored as often.
std::string replays_a_life(const Protection& protection, std::uint32_t next_epoch) {
  const auto live = [&](std::uint32_t epoch) {
    return Scene(protection, 1, {}, [epoch](RequesterEngineParams& params) { params.epoch = epoch; });
  };
  Scene first = live(0), second = live(next_epoch);
  const Bytes old = page_of(0xA0), fresh = page_of(0xB0);
  first.store(9, old);
  second.store(9, fresh);
  second.memory.contents = first.memory.contents;
  return second.outcome(9, fresh);
}

Bytes bytes_of(const Contents& contents, const Segment& segment) {
  Bytes bytes;
  for (std::uint64_t i = segment.address; i < segment.address + segment.bytes; ++i)
    bytes.push_back(contents.at(i / 4096)[i % 4096]);
  return bytes;
}

std::string acknowledged(const Protection& protection, PlainMemory::Fate fate) {
  Scene scene(protection);
  const std::uint64_t page = scene.target(2);
  const Bytes fresh = page_of(0xB0);
  scene.memory.fate = [&](bool write, std::uint64_t) { return write ? fate : PlainMemory::Fate::served; };
  if (const Refusal refusal = scene.store(page, fresh); refusal != Refusal::none) return to_string(refusal);
  scene.memory.fate = nullptr;
  return scene.outcome(page, fresh);
}

}  // namespace

std::vector<Attack> attacks_on_contents() {
  return {
      {"reads a page",
       [](const Protection& protection) {
         Scene scene(protection);
         const std::uint64_t page = scene.target(), slot = scene.slot_of(page);
         return yes(Scene::read(scene.memory, scene.page_at(slot)) ==
                    page_of(static_cast<unsigned char>(page)));
       }},
      {"sees that a store changes nothing",
       [](const Protection& protection) {
         Scene scene(protection);
         const std::uint64_t page = scene.target(1);
         const auto before = scene.memory.contents;
         scene.store(page, page_of(static_cast<unsigned char>(page)));
         return yes(scene.memory.contents == before);
       }},
      {"sees that two pages are alike",
       [](const Protection& protection) {
         Scene scene(protection);
         scene.store(10, page_of(99));
         scene.store(11, page_of(99));
         std::vector<Bytes> pages;
         for (const auto& [number, contents] : scene.memory.contents) pages.push_back(contents);
         std::sort(pages.begin(), pages.end());
         return yes(std::adjacent_find(pages.begin(), pages.end()) != pages.end());
       }},
      {"flips a bit of a page",
       flip([](const Scene& scene, std::uint64_t slot) { return scene.page_at(slot); })},
      {"flips a bit of a tag", flip([](const Scene& scene, std::uint64_t slot) {
         const Segment tag = scene.tag_at(slot);
         return tag.bytes == 0 ? tag : Segment{tag.address + 8, 16};
       })},
      {"changes the number of a sealing", flip([](const Scene& scene, std::uint64_t slot) {
         const Segment tag = scene.tag_at(slot);
         return tag.bytes == 0 ? tag : Segment{tag.address, 2};
       })},
      {"flips a bit of a node's counters", flip([](const Scene& scene, std::uint64_t slot) {
         const Segment node = node_above(scene, slot);
         return node.bytes == 0 ? node : Segment{node.address, 48};
       })},
      {"flips a bit of a node's MAC", flip([](const Scene& scene, std::uint64_t slot) {
         const Segment node = node_above(scene, slot);
         return node.bytes == 0 ? node : Segment{node.address + 48, 16};
       })},
      {"puts a page in another's place",
       [](const Protection& protection) {
         Scene scene(protection);
         scene.copy(scene.slot_of(scene.target(1)), scene.slot_of(scene.target(2)), false);
         return scene.outcome(scene.target(2));
       }},
      {"puts a page and its tag in another's place",
       [](const Protection& protection) -> std::string {
         if (!encrypts(protection)) return "";
         Scene scene(protection);
         scene.copy(scene.slot_of(scene.target(1)), scene.slot_of(scene.target(2)), true);
         return scene.outcome(scene.target(2));
       }},
      {"exchanges a page and its tag with another's",
       [](const Protection& protection) {
         Scene scene(protection, 2);
         std::uint64_t first = 0, second = 1;
         while (scene.slot_of(first) == PageAccess::kNoSlot) ++first;
         const auto provider = [&](std::uint64_t page) {
           return scene.tenant.layout().provider_of(scene.slot_of(page));
         };
         while (scene.slot_of(second) == PageAccess::kNoSlot || provider(second) == provider(first)) ++second;
         scene.copy(scene.slot_of(first), scene.slot_of(second), encrypts(protection));
         return scene.outcome(second);
       }},
      {"clears a page and its tag",
       [](const Protection& protection) {
         Scene scene(protection);
         const std::uint64_t page = scene.target(4), slot = scene.slot_of(page);
         Scene::write(scene.memory, scene.page_at(slot), Bytes(4096));
         Scene::write(scene.memory, scene.tag_at(slot), Bytes(scene.tag_at(slot).bytes));
         return scene.outcome(page);
       }},
      {"clears a page, its tag and all nodes",
       [](const Protection& protection) -> std::string {
         if (!has_nodes(protection)) return "";
         Scene scene(protection);
         Scene::write(scene.memory, scene.page_at(4), Bytes(4096));
         Scene::write(scene.memory, scene.tag_at(4), Bytes(kTagBytes));
         for (std::uint64_t node = 0; node < 8; ++node)
           Scene::write(scene.memory, node_above(scene, node * 8), Bytes(64));
         return scene.outcome(4);
       }},
      {"exchanges two nodes",
       [](const Protection& protection) -> std::string {
         if (!has_nodes(protection)) return "";
         Scene scene(protection);
         exchange(scene.memory, node_above(scene, 0), node_above(scene, 8));
         return scene.outcome(0);
       }},
      {"exchanges the tags of two pages",
       [](const Protection& protection) -> std::string {
         if (!encrypts(protection)) return "";
         Scene scene(protection);
         const std::uint64_t page = scene.target(1);
         exchange(scene.memory, scene.tag_at(scene.slot_of(page)),
                  scene.tag_at(scene.slot_of(scene.target(2))));
         return scene.outcome(page);
       }},
      {"exchanges two buckets below the root",
       [](const Protection& protection) -> std::string {
         if (protection.hiding != Hiding::path_oram) return "";
         Scene scene(protection);
         each_of_bucket(scene, 1, [&](std::uint64_t slot, const Segment& part) {
           exchange(scene.memory, part,
                    part.bytes == 4096 ? scene.page_at(slot + 4) : scene.tag_at(slot + 4));
         });
         return scene.outcome(scene.target());
       }},
      {"flips a bit in each slot of the root",
       [](const Protection& protection) -> std::string {
         if (protection.hiding != Hiding::path_oram) return "";
         Scene scene(protection);
         each_of_bucket(scene, 0, [&](std::uint64_t, const Segment& part) {
           if (part.bytes == 4096) scene.memory.byte(part.address) ^= 1;
         });
         const std::string first = scene.outcome(20);
         const std::uint64_t accesses = scene.memory.accesses;
         std::string then;
         for (std::uint64_t page = 0; page < Scene::kPages; ++page) then = scene.outcome(page);
         return scene.memory.accesses == accesses ? first + ", then " + then : kSucceeds;
       }},
      {"replays a page's bucket", replay([](Scene& scene, std::uint64_t slot, const Contents& old) {
         if (!scene.tenant.oram()) return false;
         each_of_bucket(scene, slot / 4, [&](std::uint64_t, const Segment& part) {
           Scene::write(scene.memory, part, bytes_of(old, part));
         });
         return true;
       })},
      {"replays an old page and its tag", replay([](Scene& scene, std::uint64_t slot, const Contents& old) {
         Scene::write(scene.memory, scene.page_at(slot), bytes_of(old, scene.page_at(slot)));
         Scene::write(scene.memory, scene.tag_at(slot), bytes_of(old, scene.tag_at(slot)));
         return true;
       })},
      {"replays an old tag beside the new page",
       replay([](Scene& scene, std::uint64_t slot, const Contents& old) {
         Scene::write(scene.memory, scene.tag_at(slot), bytes_of(old, scene.tag_at(slot)));
         return scene.tag_at(slot).bytes != 0;
       })},
      {"joins half of an old page to half of the new one",
       replay([](Scene& scene, std::uint64_t slot, const Contents& old) {
         const Segment half{scene.page_at(slot).address + 2048, 2048};
         Scene::write(scene.memory, half, bytes_of(old, half));
         return true;
       })},
      {"replays an old page, its tag and its lowest node",
       replay([](Scene& scene, std::uint64_t slot, const Contents& old) {
         for (const Segment& part : {scene.page_at(slot), scene.tag_at(slot), node_above(scene, slot)})
           Scene::write(scene.memory, part, bytes_of(old, part));
         return scene.tenant.tree() != nullptr;
       })},
      {"replays the memory of an engine's earlier life",
       [](const Protection& protection) { return replays_a_life(protection, 1); }},
      {"replays it where the counter of epochs was set back",
       [](const Protection& protection) { return replays_a_life(protection, 0); }},
      {"fails a store and serves the old page",
       [](const Protection& protection) {
         Scene scene(protection);
         scene.memory.fate = [](bool write, std::uint64_t) {
           return write ? PlainMemory::Fate::failed : PlainMemory::Fate::served;
         };
         const Bytes fresh = page_of(0xA0);
         scene.store(13, fresh);
         return scene.outcome(13, fresh);
       }},
      {"replays its whole memory", replay([](Scene& scene, std::uint64_t, const Contents& old) {
         scene.memory.contents = old;
         return true;
       })},
      {"replays a node alone", replay([](Scene& scene, std::uint64_t slot, const Contents& old) {
         const Segment node = node_above(scene, slot);
         if (node.bytes == 0) return false;
         Scene::write(scene.memory, node, bytes_of(old, node));
         return true;
       })},
      {"acknowledges stores and drops them",
       [](const Protection& protection) { return acknowledged(protection, PlainMemory::Fate::dropped); }},
      {"keeps an old page for one that moved on",
       [](const Protection& protection) -> std::string {
         if (protection.hiding != Hiding::path_oram) return "";
         // Everything that is written back is dropped for a while.
         Scene scene(protection);
         scene.memory.fate = [](bool write, std::uint64_t) {
           return write ? PlainMemory::Fate::dropped : PlainMemory::Fate::served;
         };
         std::uint64_t wrong = 0;
         std::string stopped = "no effect";
         for (std::uint64_t page = 0; page < Scene::kPages && stopped != "tampered"; ++page) {
           const std::string outcome = scene.outcome(page);
           wrong += outcome == kSucceeds;
           if (outcome == "tampered") stopped = outcome;
         }
         return wrong != 0 ? kSucceeds : stopped;
       }},
      {"puts in another tenant's page and tag",
       [](const Protection& protection) {
         Scene scene(protection);
         RequesterEngineParams params = Scene::params_of(protection, 1, {});
         params.id = Scene::kOther;
         params.base_address = scene.tenant.layout().end();
         RequesterEngine& other = scene.add(params);
         scene.grant_all(params.id, other.layout());
         const std::uint64_t page = scene.target(6), slot = scene.slot_of(page);
         Bytes data = page_of(0xC0);
         scene.access(other, true, page * 4096, 4096, data.data());
         Scene::write(scene.memory, scene.page_at(slot),
                      Scene::read(scene.memory, {other.layout().slot_address(slot), 4096}));
         Scene::write(scene.memory, scene.tag_at(slot), Scene::read(scene.memory, other.layout().tag(slot)));
         return scene.outcome(page);
       }},
  };
}

}  // namespace wafertlm::test
