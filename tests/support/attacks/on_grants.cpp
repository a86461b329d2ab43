// SPDX-License-Identifier: Apache-2.0
#include "tests/support/attacks/scene.h"

namespace wafertlm::test {
namespace {

/// How an access of `size` bytes to `address` ends, by a tenant that has been granted the memory behind the
/// first's region, if anything.
struct Intruder {
  explicit Intruder(const Protection& protection, bool has_pages = true,
                    const ProviderEngineParams& params = {})
      : scene(protection, 1, params), impostor(scene) {
    scene.provider.enrol(impostor.node(), Scene::kOther);
    if (has_pages) scene.provider.grant(Scene::kOther, own() / 4096, 8);
  }
  std::uint64_t own() const { return scene.tenant.layout().end(); }
  std::string read(std::uint64_t address, std::uint64_t size = 4096, RequesterId as = Scene::kOther) {
    Bytes data(size, 0xEE);
    const Refusal refusal = impostor.ask(as, false, address, data);
    if (refusal != Refusal::none) return data == Bytes(size, 0) ? to_string(refusal) : kSucceeds;
    return kSucceeds;
  }
  /// Nothing of what the tenants have may change.
  std::string write(std::vector<Segment> segments, RequesterId as = Scene::kOther) {
    std::uint64_t bytes = 0;
    for (const Segment& segment : segments) bytes += segment.bytes;
    const auto before = scene.memory.contents;
    Bytes data(bytes, 0xDD);
    const Refusal refusal = impostor.ask(as, true, std::move(segments), data);
    if (scene.memory.contents != before) return kSucceeds;
    return refusal == Refusal::none ? "no effect" : to_string(refusal);
  }
  Scene scene;
  Impostor impostor;
};

ProviderEngineParams region() {
  ProviderEngineParams params;
  params.validation = Validation::region;
  return params;
}

/// What the memory has under way when a page is revoked moves no byte after the revocation is over, and
/// nothing of it comes to the requester.
std::string during_revocation(const Protection& protection, bool write) {
  Intruder intruder(protection);
  Scene& scene = intruder.scene;
  const std::uint64_t page = intruder.own() / 4096;
  scene.memory.byte(intruder.own()) = 0x77;
  EngineMessage message;
  message.write = write;
  message.requester = Scene::kOther;
  message.segments = {{intruder.own(), 4096}};
  message.data.assign(4096, write ? 0xDD : 0);
  const std::uint64_t before = scene.memory.accesses;
  intruder.impostor.send(message);
  while (scene.memory.accesses == before) scene.clock.run(scene.clock.now() + 1000);
  Bytes at_the_end;
  scene.provider.revoke(page, 1, [&] { at_the_end = Scene::read(scene.memory, {page * 4096, 4096}); });
  const bool waits = at_the_end.empty();
  scene.clock.run();
  const bool drained = waits && at_the_end == Scene::read(scene.memory, {page * 4096, 4096});
  if (!drained || (!write && message.data != Bytes(4096, 0))) return kSucceeds;
  return write ? "revocation waits" : to_string(message.refusal);
}

}  // namespace

std::vector<Attack> attacks_on_grants() {
  return {
      {"tenant", "reads without a grant",
       [](const Protection& protection) { return Intruder(protection, false).read(1 << 20); }},
      {"tenant", "reads another's page",
       [](const Protection& protection) { return Intruder(protection).read(4096); }},
      {"tenant", "writes another's page",
       [](const Protection& protection) {
         return Intruder(protection).write({{4096, 4096}});
       }},
      {"tenant", "writes from its own page into another's",
       [](const Protection& protection) {
         Intruder intruder(protection);
         return intruder.write({{intruder.own() - 64, 128}});
       }},
      {"tenant", "writes its own page and another's in one message",
       [](const Protection& protection) {
         Intruder intruder(protection);
         return intruder.write({{intruder.own(), 64}, {0, 64}});
       }},
      {"tenant", "writes what it may only read",
       [](const Protection& protection) {
         Intruder intruder(protection);
         intruder.scene.provider.grant(Scene::kOther, intruder.own() / 4096, 1, {true, false});
         return intruder.write({{intruder.own(), 64}});
       }},
      {"tenant", "reads beyond the memory",
       [](const Protection& protection) { return Intruder(protection).read((1 << 22) - 64, 128); }},
      {"tenant", "reads around the end of all addresses",
       [](const Protection& protection) { return Intruder(protection).read(~std::uint64_t{0} - 63, 128); }},
      {"tenant", "asks for no bytes of another's page",
       [](const Protection& protection) {
         return Intruder(protection).write({{4096, 0}});
       }},
      {"tenant", "asks for nothing at all",
       [](const Protection& protection) { return Intruder(protection).write({}); }},
      {"tenant", "says it is another",
       [](const Protection& protection) { return Intruder(protection).read(4096, 64, Scene::kTenant); }},
      {"tenant", "says it is another where ids are not authenticated",
       [](const Protection& protection) {
         ProviderEngineParams params;
         params.authenticated = false;
         return Intruder(protection, true, params).read(4096, 64, Scene::kTenant);
       }},
      {"stranger", "without an id says it is a tenant",
       [](const Protection& protection) {
         Scene scene(protection);
         Impostor stranger(scene);
         Bytes data(64, 0);
         const Refusal refusal = stranger.ask(Scene::kTenant, false, 4096, data);
         return refusal == Refusal::none ? kSucceeds : to_string(refusal);
       }},
      {"tenant", "reads another's page where regions are validated",
       [](const Protection& protection) { return Intruder(protection, true, region()).read(4096); }},
      {"tenant", "reads on when its last page of a region is revoked",
       [](const Protection& protection) {
         Intruder intruder(protection, true, region());
         intruder.scene.provider.revoke(intruder.own() / 4096, 8);
         return intruder.read(intruder.own());
       }},
      {"tenant", "reads a revoked page",
       [](const Protection& protection) {
         Intruder intruder(protection);
         intruder.scene.provider.revoke(intruder.own() / 4096, 1);
         return intruder.read(intruder.own());
       }},
      {"tenant", "has a store on its way when its page is revoked",
       [](const Protection& protection) { return during_revocation(protection, true); }},
      {"tenant", "has a load on its way when its page is revoked",
       [](const Protection& protection) { return during_revocation(protection, false); }},
      {"tenant", "reads what is left in a page that changes hands",
       [](const Protection& protection) -> std::string {
         Intruder intruder(protection);
         Scene& scene = intruder.scene;
         const std::uint64_t page = scene.target(7), slot = scene.slot_of(page);
         const Segment at = scene.page_at(slot);
         scene.provider.revoke(at.address / 4096, 1);
         scene.provider.grant(Scene::kOther, at.address / 4096, 1);
         Bytes data(4096);
         intruder.impostor.ask(Scene::kOther, false, at.address, data);
         return data == page_of(static_cast<unsigned char>(page)) ? kSucceeds : "ciphertext";
       }},
      {"tenant", "stores over two pages of which it has one",
       [](const Protection& protection) -> std::string {
         Scene scene(protection);
         if (scene.tenant.oram()) return "";  // any of its slots may be either page's
         scene.provider.revoke(1, 1);
         const auto before = scene.memory.contents;
         Bytes data(8192, 0xDD);
         const Refusal refusal = scene.access(scene.tenant, true, 0, 8192, data.data());
         return scene.memory.contents == before ? to_string(refusal) : kSucceeds;
       }},
      {"tenant", "loads no bytes",
       [](const Protection& protection) {
         Scene scene(protection);
         return std::string(to_string(scene.access(scene.tenant, false, 4096, 0)));
       }},
      {"tenant", "loads beyond its region",
       [](const Protection& protection) {
         Scene scene(protection);
         Bytes data(128);
         return std::string(
             to_string(scene.access(scene.tenant, false, Scene::kPages * 4096 - 64, 128, data.data())));
       }},
  };
}

}  // namespace wafertlm::test
