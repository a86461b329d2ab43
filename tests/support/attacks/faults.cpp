// SPDX-License-Identifier: Apache-2.0
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

bool is_page(const Scene& scene, std::uint64_t address) { return address < scene.tenant.layout().tags(); }
bool is_tag(const Scene& scene, std::uint64_t address) {
  return !is_page(scene, address) && address < scene.tenant.layout().nodes();
}
bool is_node(const Scene& scene, std::uint64_t address) { return address >= scene.tenant.layout().nodes(); }

}  // namespace

std::vector<Attack> faults() {
  return {
      {"memory", "fails a page's write", [](const Protection& p) { return loses(p, Fate::failed, is_page); }},
      {"memory", "tears a page's write", [](const Protection& p) { return loses(p, Fate::torn, is_page); }},
      {"memory", "fails a tag's write", [](const Protection& p) { return loses(p, Fate::failed, is_tag); }},
      {"memory", "tears a tag's write", [](const Protection& p) { return loses(p, Fate::torn, is_tag); }},
      {"memory", "fails a node's write", [](const Protection& p) { return loses(p, Fate::failed, is_node); }},
      {"memory", "tears a node's write", [](const Protection& p) { return loses(p, Fate::torn, is_node); }},
      {"memory", "fails every write for ever",
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
      {"chance", "fills the stash of a tree with buckets of one block",
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
