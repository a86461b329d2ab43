// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <set>

#include "models/memory_engine/access_pattern.h"
#include "tests/support/attacks/scene.h"

namespace wafertlm::test {
namespace {

/// The slots that accesses touch.
class Watcher : public ProviderObserver {
 public:
  explicit Watcher(Scene& scene) : layout_(scene.tenant.layout()) { scene.provider.observe(*this); }
  std::set<std::uint64_t> seen;

 private:
  void accessed(std::uint32_t provider, RequesterId, bool, const Segment& segment, TimePs) override {
    if (segment.address < layout_.tags()) seen.insert(layout_.slot_at(provider, segment.address));
  }
  const RegionLayout layout_;
};

std::string pattern(const Protection& protection) {
  Scene scene(protection);
  AccessPattern seen(scene.tenant.layout(), Scene::kPages);
  scene.provider.observe(seen);
  std::mt19937_64 random(4);
  for (int i = 0; i < 1500; ++i) {
    const std::uint64_t page = random() % 2 == 0 ? random() % Scene::kPages : random() % 4;
    seen.begin(page);
    Bytes data;
    scene.load(page, data);
  }
  return seen.result().z > 3.09 ? kSucceeds : "hidden";  // one independent case in a thousand is above
}

/// One load (or store) fails; the next one is for the same page or for another. Which of the two?
std::string links_a_repetition(const Protection& protection, bool write) {
  const auto slots_of_the_next = [&](bool same) {
    Scene scene(protection);
    Watcher watcher(scene);
    Bytes data;
    const auto access = [&](std::uint64_t page) {
      if (write)
        scene.store(page, page_of(1));
      else
        scene.load(page, data);
    };
    scene.memory.fate = [write](bool writes, std::uint64_t) {
      return writes == write ? PlainMemory::Fate::failed : PlainMemory::Fate::served;
    };
    access(20);
    const std::set<std::uint64_t> first = watcher.seen;
    scene.memory.fate = nullptr;
    watcher.seen.clear();
    access(same ? 20 : 41);
    // Of what was seen before all, some or nothing; and is there more?
    std::set<std::uint64_t> again;
    std::set_intersection(first.begin(), first.end(), watcher.seen.begin(), watcher.seen.end(),
                          std::inserter(again, again.end()));
    return std::pair(again.size() == first.size(), watcher.seen.size() > again.size());
  };
  return slots_of_the_next(true) == slots_of_the_next(false) ? "hidden" : kSucceeds;
}

/// What the provider's memory is asked to do, in order: to read or to write.
std::vector<bool> directions(const Protection& protection, bool write, std::uint64_t bytes) {
  Scene scene(protection);
  std::vector<bool> seen;
  scene.memory.fate = [&](bool writes, std::uint64_t) {
    seen.push_back(writes);
    return PlainMemory::Fate::served;
  };
  Bytes data(bytes, 7);
  scene.access(scene.tenant, write, 20 * 4096, bytes, data.data());
  return seen;
}

/// What two lives of an engine with the same seed and id have sealed alike tells how the pages differ.
std::string joins_two_lives(const Protection& protection) {
  const auto sealed = [&](std::uint32_t epoch, unsigned char mark) {
    Scene scene(protection, 1, {}, [epoch](RequesterEngineParams& params) { params.epoch = epoch; });
    const std::uint64_t page = scene.target();
    scene.store(page, page_of(mark));
    Bytes any;
    for (std::uint64_t other = 0; scene.slot_of(page) == PageAccess::kNoSlot; ++other) scene.load(other, any);
    return Scene::read(scene.memory, scene.page_at(scene.slot_of(page)));
  };
  const Bytes first = sealed(0, 0x31), second = sealed(1, 0x99), a = page_of(0x31), b = page_of(0x99);
  for (std::size_t i = 0; i < a.size(); ++i)
    if ((first[i] ^ second[i]) != (a[i] ^ b[i])) return "no effect";
  return kSucceeds;
}

/// Did a generator with a small or related seed choose the paths?
std::string guesses_leaves(const Protection& protection) {
  if (protection.hiding != Hiding::path_oram) return "";
  Scene scene(protection);
  std::vector<std::uint64_t> leaves;
  for (int i = 0; i < 12; ++i) {
    Watcher watcher(scene);
    Bytes data;
    scene.load(9, data);
    leaves.push_back(*watcher.seen.rbegin() / 4 - 31);  // 6 levels of buckets of 4
  }
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    std::mt19937_64 guess(seed);
    std::vector<std::uint64_t> guessed(1000);
    for (std::uint64_t& leaf : guessed) leaf = guess() & 31;
    if (std::search(guessed.begin(), guessed.end(), leaves.begin(), leaves.end()) != guessed.end())
      return kSucceeds;
  }
  return "not found";
}

/// Opens a page of the tenant with every key that another tenant, with the same seed, has or could derive by
/// counting on.
std::string opens_with_related_keys(const Protection& protection) {
  if (!encrypts(protection)) return kSucceeds;
  Scene scene(protection);
  const std::uint64_t page = scene.target(8), slot = scene.slot_of(page);
  const Bytes sealed = Scene::read(scene.memory, scene.page_at(slot)),
              record = Scene::read(scene.memory, scene.tag_at(slot));
  std::uint64_t number = 0;
  for (unsigned i = 0; i < 8; ++i) number |= std::uint64_t{record[i]} << 8 * i;
  PageSealer::Tag tag;
  std::copy_n(record.begin() + 8, tag.size(), tag.begin());
  const auto opens = [&](std::uint64_t seed, RequesterId tenant, Purpose purpose, std::uint32_t provider) {
    const PageSealer sealer(derive_key({seed, tenant}, purpose, provider));
    Bytes opened(4096);
    sealer.open({slot, page, 0, number}, sealed.data(), sealed.size(), tag, opened.data());
    return opened == page_of(static_cast<unsigned char>(page));
  };
  // With its own key it does open: what follows is no mistake of this test.
  if (!opens(1, Scene::kTenant, Purpose::pages, 0)) return "the tenant's key does not fit";
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    for (std::uint16_t tenant = 0; tenant < 8; ++tenant)
      for (const Purpose purpose : {Purpose::pages, Purpose::nodes, Purpose::hiding})
        for (std::uint32_t provider = 0; provider < 3; ++provider) {
          const bool own = seed == 1 && tenant == 0 && purpose == Purpose::pages && provider == 0;
          if (!own && opens(seed, RequesterId{tenant}, purpose, provider)) return kSucceeds;
        }
  return "not found";
}

}  // namespace

std::vector<Attack> attacks_on_secrets() {
  return {
      {"opens a page with keys related to its own", opens_with_related_keys},
      {"guesses the seed of the paths", guesses_leaves},
      {"learns from addresses which page is accessed", pattern},
      {"fails a load and sees whether it is repeated",
       [](const Protection& protection) { return links_a_repetition(protection, false); }},
      {"fails a store and sees whether it is repeated",
       [](const Protection& protection) { return links_a_repetition(protection, true); }},
      {"tells loads from stores",
       [](const Protection& protection) -> std::string {
         return directions(protection, false, 4096) == directions(protection, true, 4096) ? "hidden"
                                                                                          : kSucceeds;
       }},
      {"counts the pages of an access",
       [](const Protection& protection) -> std::string {
         return directions(protection, false, 4096) == directions(protection, false, 3 * 4096) ? "hidden"
                                                                                               : kSucceeds;
       }},
      {"joins what two lives of an engine have sealed", joins_two_lives},
  };
}

}  // namespace wafertlm::test
