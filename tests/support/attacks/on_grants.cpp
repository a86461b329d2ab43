// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <utility>

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

using Take = std::function<void(ProviderEngine&, std::uint64_t page, std::function<void()> done)>;
/// What the memory has under way when a right to a page is taken away moves no byte after that is over, and
/// nothing of it comes to the requester.
std::string while_taken(const Protection& protection, bool write, const Take& take) {
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
  take(scene.provider, page, [&] { at_the_end = Scene::read(scene.memory, {page * 4096, 4096}); });
  const bool waits = at_the_end.empty();
  scene.clock.run();
  const bool drained = waits && at_the_end == Scene::read(scene.memory, {page * 4096, 4096});
  if (!drained || (!write && message.data != Bytes(4096, 0))) return kSucceeds;
  return write ? "this waits" : to_string(message.refusal);
}
void revoke(ProviderEngine& provider, std::uint64_t page, std::function<void()> done) {
  provider.revoke(page, 1, std::move(done));
}
void narrow(ProviderEngine& provider, std::uint64_t page, std::function<void()> done) {
  provider.grant(Scene::kOther, page, 1, {true, false}, std::move(done));
}
void bar_reading(ProviderEngine& provider, std::uint64_t page, std::function<void()> done) {
  provider.grant(Scene::kOther, page, 1, {false, true}, std::move(done));
}
void revoke_and_narrow(ProviderEngine& provider, std::uint64_t page, std::function<void()> done) {
  provider.revoke(page, 1);
  narrow(provider, page, std::move(done));
}
/// Nobody else gets the page before.
void pass_on(ProviderEngine& provider, std::uint64_t page, std::function<void()> done) {
  provider.revoke(page, 1, [=, &provider] {
    if (provider.grant(Scene::kTenant, page, 1)) done();
  });
  if (provider.grant(Scene::kTenant, page, 1)) done();
}

}  // namespace

std::vector<Attack> attacks_on_grants() {
  return {
      {"reads without a grant",
       [](const Protection& protection) { return Intruder(protection, false).read(1 << 20); }},
      {"reads another's page", [](const Protection& protection) { return Intruder(protection).read(4096); }},
      {"writes another's page",
       [](const Protection& protection) {
         return Intruder(protection).write({{4096, 4096}});
       }},
      {"writes from its own page into another's",
       [](const Protection& protection) {
         Intruder intruder(protection);
         return intruder.write({{intruder.own() - 64, 128}});
       }},
      {"writes its own page and another's in one message",
       [](const Protection& protection) {
         Intruder intruder(protection);
         return intruder.write({{intruder.own(), 64}, {0, 64}});
       }},
      {"writes what it may only read",
       [](const Protection& protection) {
         Intruder intruder(protection);
         intruder.scene.provider.grant(Scene::kOther, intruder.own() / 4096, 1, {true, false});
         return intruder.write({{intruder.own(), 64}});
       }},
      {"reads beyond the memory",
       [](const Protection& protection) { return Intruder(protection).read((1 << 22) - 64, 128); }},
      {"reads around the end of all addresses",
       [](const Protection& protection) { return Intruder(protection).read(~std::uint64_t{0} - 63, 128); }},
      {"asks for no bytes of another's page",
       [](const Protection& protection) {
         return Intruder(protection).write({{4096, 0}});
       }},
      {"asks for nothing at all",
       [](const Protection& protection) { return Intruder(protection).write({}); }},
      {"says it is another",
       [](const Protection& protection) { return Intruder(protection).read(4096, 64, Scene::kTenant); }},
      {"says it is another where ids are not authenticated",
       [](const Protection& protection) {
         ProviderEngineParams params;
         params.authenticated = false;
         return Intruder(protection, true, params).read(4096, 64, Scene::kTenant);
       }},
      {"says it is a tenant without an id",
       [](const Protection& protection) {
         Scene scene(protection);
         Impostor stranger(scene);
         Bytes data(64, 0);
         const Refusal refusal = stranger.ask(Scene::kTenant, false, 4096, data);
         return refusal == Refusal::none ? kSucceeds : to_string(refusal);
       }},
      {"reads another's page where regions are validated",
       [](const Protection& protection) { return Intruder(protection, true, region()).read(4096); }},
      {"reads on when its last page of a region is revoked",
       [](const Protection& protection) {
         Intruder intruder(protection, true, region());
         intruder.scene.provider.revoke(intruder.own() / 4096, 8);
         return intruder.read(intruder.own());
       }},
      {"reads a revoked page",
       [](const Protection& protection) {
         Intruder intruder(protection);
         intruder.scene.provider.revoke(intruder.own() / 4096, 1);
         return intruder.read(intruder.own());
       }},
      {"has a store on its way when its page is revoked",
       [](const Protection& protection) { return while_taken(protection, true, revoke); }},
      {"has a store on its way when its page becomes read-only",
       [](const Protection& protection) { return while_taken(protection, true, narrow); }},
      {"has a store on its way when its page is revoked and granted read-only",
       [](const Protection& protection) { return while_taken(protection, true, revoke_and_narrow); }},
      {"has a store on its way when its page goes to another",
       [](const Protection& protection) { return while_taken(protection, true, pass_on); }},
      {"has a load on its way when its page may only be written",
       [](const Protection& protection) { return while_taken(protection, false, bar_reading); }},
      {"has a load on its way when its page is revoked",
       [](const Protection& protection) { return while_taken(protection, false, revoke); }},
      {"answers in the provider's place",
       [](const Protection& protection) {
         Scene scene(protection);
         Impostor stranger(scene);
         const std::uint64_t before = scene.memory.accesses;
         Bytes data(4096);
         scene.tenant.start(false, 14 * 4096, 4096, data.data(), 1);
         while (scene.memory.accesses == before) scene.clock.run(scene.clock.now() + 1000);
         std::deque<EngineMessage> answers(200);  // one for each unit that there may be
         for (std::uint32_t unit = 0; unit < answers.size(); ++unit) {
           EngineMessage& answer = answers[unit];
           answer.is_answer = true;
           answer.from = stranger.node();
           answer.to = scene.tenant.node();
           answer.unit = unit;
           answer.segments = {{0, 64}};
           answer.data = Bytes(64, 0xDD);
           scene.network.send(answer);
         }
         scene.clock.run();
         return scene.ended.at(1).cause == Refusal::none && data == page_of(14) ? "no effect" : kSucceeds;
       }},
      {"reads what another has left in a page that comes back",
       [](const Protection& protection) -> std::string {
         Intruder intruder(protection);
         Scene& scene = intruder.scene;
         const std::uint64_t page = scene.target(7), slot = scene.slot_of(page);
         const std::uint64_t place = scene.page_at(slot).address / 4096;
         scene.provider.revoke(place, 1);
         scene.provider.grant(Scene::kOther, place, 1);
         intruder.write({scene.page_at(slot)});
         scene.provider.revoke(place, 1);
         scene.tenant.forget(slot, 1);
         scene.provider.grant(Scene::kTenant, place, 1);
         Bytes data;
         if (const Refusal refusal = scene.load(page, data); refusal != Refusal::none)
           return to_string(refusal);
         return data == Bytes(4096, 0) ? "zeros" : kSucceeds;
       }},
      {"reads what is left in a page that changes hands",
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
      {"stores over two pages of which it has one",
       [](const Protection& protection) -> std::string {
         Scene scene(protection);
         if (scene.tenant.oram()) return "";  // any of its slots may be either page's
         scene.provider.revoke(1, 1);
         const auto before = scene.memory.contents;
         Bytes data(8192, 0xDD);
         const Refusal refusal = scene.access(scene.tenant, true, 0, 8192, data.data());
         return scene.memory.contents == before ? to_string(refusal) : kSucceeds;
       }},
      {"loads no bytes",
       [](const Protection& protection) {
         Scene scene(protection);
         return std::string(to_string(scene.access(scene.tenant, false, 4096, 0)));
       }},
      {"loads beyond its region",
       [](const Protection& protection) {
         Scene scene(protection);
         Bytes data(128);
         return std::string(
             to_string(scene.access(scene.tenant, false, Scene::kPages * 4096 - 64, 128, data.data())));
       }},
  };
}

}  // namespace wafertlm::test
