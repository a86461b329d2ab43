// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "tests/support/attacks/scene.h"

namespace wafertlm::test {
namespace {

using Fate = PlainMemory::Fate;

/// Fails the n-th write of a store, and then every page must be what it was or, the stored one, what it
/// should be; a repetition must succeed.
std::string loses(const Protection& protection, Fate fate,
                  std::function<bool(const Scene&, std::uint64_t)> hits) {
  Scene scene(protection);
  bool hit = false;
  scene.memory.fate = [&](bool write, std::uint64_t address) {
    if (hit || !write || !hits(scene, address)) return Fate::served;
    hit = true;
    return fate;
  };
  const Bytes fresh = page_of(0xA7);
  scene.store(12, fresh);
  if (!hit) return "";
  for (std::uint64_t page = 0; page < Scene::kPages; ++page) {
    const std::string outcome = page == 12 ? scene.outcome(page, fresh) : scene.outcome(page);
    if (outcome != "no effect" && !(page == 12 && scene.outcome(page) == "no effect"))
      return "**loses pages**";
  }
  if (scene.store(12, fresh) != Refusal::none || scene.outcome(12, fresh) != "no effect")
    return "**loses a page**";
  return scene.tenant.journal().empty() ? "nothing lost" : "stays in the journal";
}

/// 4,096 stores under way together, none of which is taken: all fail, or their pages are revoked before they
/// come there, 256 at a time. What does the journal hold at most?
std::string overfills(const Protection& protection, bool revokes) {
  if (revokes && protection.hiding == Hiding::path_oram) return "";  // its loads fail, too
  EngineBench bench(1 << 27);
  RequesterEngineParams params = Scene::params_of(protection, 1, {});
  params.pages = params.outstanding = 4096;
  RequesterEngine& engine = bench.add(params);
  bench.grant_all(params.id, engine.layout());
  if (!revokes)
    bench.memory.fate = [](bool write, std::uint64_t) { return write ? Fate::failed : Fate::served; };
  Bytes data(4096, 1);
  std::uint64_t most = 0;
  const std::uint64_t at_once = revokes ? 256 : params.pages;
  for (std::uint64_t first = 0; first < params.pages; first += at_once) {
    for (std::uint64_t page = first; page < first + at_once; ++page)
      engine.start(true, page * 4096, 4096, data.data(), page);
    while (!engine.idle()) {
      bench.clock.run(bench.clock.now() + 2'000'000);
      if (revokes) bench.provider.revoke(first, at_once);
      most = std::max(most, engine.journal().bytes());
    }
  }
  const std::uint64_t more = engine.oram() ? engine.oram()->path_slots() : 1;
  const std::uint64_t each =
      4096 + engine.layout().tag_bytes +
      (engine.tree() ? engine.tree()->stored_levels() : 0) * engine.layout().node_bytes;
  return most <= (params.journal_pages - 1 + more) * each ? "the journal is bounded" : "**overfills it**";
}

bool is_page(const Scene& scene, std::uint64_t address) { return address < scene.tenant.layout().tags(); }
bool is_tag(const Scene& scene, std::uint64_t address) {
  return !is_page(scene, address) && address < scene.tenant.layout().nodes();
}
bool is_node(const Scene& scene, std::uint64_t address) { return address >= scene.tenant.layout().nodes(); }

}  // namespace

std::vector<Attack> faults() {
  return {
      {"fails a page's write", [](const Protection& p) { return loses(p, Fate::failed, is_page); }},
      {"tears a page's write", [](const Protection& p) { return loses(p, Fate::torn, is_page); }},
      {"fails a tag's write", [](const Protection& p) { return loses(p, Fate::failed, is_tag); }},
      {"tears a tag's write", [](const Protection& p) { return loses(p, Fate::torn, is_tag); }},
      {"fails a node's write", [](const Protection& p) { return loses(p, Fate::failed, is_node); }},
      {"tears a node's write", [](const Protection& p) { return loses(p, Fate::torn, is_node); }},
      {"fails every write for ever",
       [](const Protection& protection) {
         Scene scene(protection);
         scene.memory.fate = [](bool write, std::uint64_t) { return write ? Fate::failed : Fate::served; };
         // 64 pages fill the journal; each store may only add its own. (A Path-ORAM answers before it
         // writes.)
         Refusal refusal = Refusal::memory_error;
         for (std::uint64_t i = 0; i < 2 * Scene::kPages && refusal != Refusal::journal_full; ++i)
           refusal = scene.store(i % Scene::kPages, page_of(1));
         return std::string(to_string(refusal));
       }},
      {"fails 4,096 stores under way together", [](const Protection& p) { return overfills(p, false); }},
      {"revokes the pages of stores under way", [](const Protection& p) { return overfills(p, true); }},
      {"fills the stash of a tree with buckets of one block",
       [](const Protection& protection) -> std::string {
         if (protection.hiding != Hiding::path_oram) return "";
         try {
           Scene scene(protection, 1, {}, [](RequesterEngineParams& params) {
             params.bucket_blocks = 1;
             params.stash_pages = 10;
           });
           for (std::uint64_t i = 0; i < 1000; ++i) scene.outcome(i % Scene::kPages);
         } catch (const std::runtime_error&) {
           return "ends the run";
         }
         return kSucceeds;
       }},
  };
}

}  // namespace wafertlm::test
