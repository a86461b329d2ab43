// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/attacks/attacks.h"
#include "tests/support/engine_bench.h"

namespace wafertlm::test {

using Bytes = std::vector<unsigned char>;

inline Bytes page_of(unsigned char mark) {
  Bytes page(4096);
  for (std::size_t i = 0; i < page.size(); ++i) page[i] = static_cast<unsigned char>(mark + i * 7);
  return page;
}

/// A node of the engines' network that says what it likes.
class Impostor : public EngineNode {
 public:
  explicit Impostor(EngineBench& bench) : bench_(bench), node_(bench.network.attach(*this)) {}
  std::uint32_t node() const { return node_; }
  void send(EngineMessage& message) {
    message.from = node_;
    message.to = bench_.provider.node();
    message.is_answer = false;
    bench_.network.send(message);
  }
  /// To the first provider; `data` goes out, or is what came.
  Refusal ask(RequesterId as, bool write, std::vector<Segment> segments, Bytes& data) {
    EngineMessage message;
    message.write = write;
    message.requester = as;
    message.segments = std::move(segments);
    message.data = data;
    send(message);
    bench_.clock.run();
    if (!write) data = message.data;
    return message.refusal;
  }
  Refusal ask(RequesterId as, bool write, std::uint64_t address, Bytes& data) {
    return ask(as, write, {{address, data.size()}}, data);
  }

 private:
  void arrived(EngineMessage&, Span) override {}
  EngineBench& bench_;
  std::uint32_t node_;
};

/// A tenant with 64 pages, page p filled with page_of(p), in the memories of its providers.
class Scene : public EngineBench {
 public:
  static constexpr std::uint64_t kPages = 64;
  static constexpr RequesterId kTenant{0}, kOther{1};

  explicit Scene(const Protection& protection, std::uint32_t count = 1,
                 const ProviderEngineParams& params = {},
                 const std::function<void(RequesterEngineParams&)>& change = {})
      : EngineBench(1 << 22, {}, params, 4096, count), tenant(add(params_of(protection, count, change))) {
    grant_all(kTenant, tenant.layout());
    for (std::uint64_t page = 0; page < kPages; ++page)
      store(page, page_of(static_cast<unsigned char>(page)));
  }
  static RequesterEngineParams params_of(const Protection& protection, std::uint32_t count,
                                         const std::function<void(RequesterEngineParams&)>& change) {
    RequesterEngineParams params;
    params.pages = kPages;
    params.functional = true;
    params.cached_levels = 1;
    params.cipher_mode = protection.cipher;
    params.integrity = protection.integrity;
    params.hiding = protection.hiding;
    params.providers = count;
    if (change) change(params);
    return params;
  }

  Refusal store(std::uint64_t page, Bytes data) {
    return access(tenant, true, page * 4096, 4096, data.data());
  }
  Refusal load(std::uint64_t page, Bytes& data) {
    data.assign(4096, 0xEE);
    return access(tenant, false, page * 4096, 4096, data.data());
  }
  /// What a load of the page gives after an attack on it.
  std::string outcome(std::uint64_t page, const Bytes& expected) {
    Bytes data;
    const Refusal refusal = load(page, data);
    if (refusal != Refusal::none) return to_string(refusal);
    return data == expected ? "no effect" : kSucceeds;
  }
  std::string outcome(std::uint64_t page) { return outcome(page, page_of(static_cast<unsigned char>(page))); }

  /// The slot of a page; of a Path-ORAM kNoSlot for one that is in the stash.
  std::uint64_t slot_of(std::uint64_t page) const {
    if (!tenant.oram()) return page;
    for (std::uint64_t slot = 0; slot < tenant.layout().slots; ++slot)
      if (tenant.oram()->content(slot) == page) return slot;
    return PageAccess::kNoSlot;
  }
  /// The n-th page that lies in a slot.
  std::uint64_t target(std::uint64_t n = 0) const {
    for (std::uint64_t page = 0;; ++page)
      if (slot_of(page) != PageAccess::kNoSlot && n-- == 0) return page;
  }
  PlainMemory& memory_of(std::uint64_t slot) { return providers[tenant.layout().provider_of(slot)]->memory; }
  Segment page_at(std::uint64_t slot) const { return {tenant.layout().slot_address(slot), 4096}; }
  Segment tag_at(std::uint64_t slot) const { return tenant.layout().tag(slot); }

  static Bytes read(PlainMemory& of, const Segment& segment) {
    Bytes bytes(segment.bytes);
    for (std::uint64_t i = 0; i < segment.bytes; ++i) bytes[i] = of.byte(segment.address + i);
    return bytes;
  }
  static void write(PlainMemory& of, const Segment& segment, const Bytes& bytes) {
    for (std::uint64_t i = 0; i < segment.bytes; ++i) of.byte(segment.address + i) = bytes[i];
  }
  void copy(std::uint64_t from, std::uint64_t to, bool with_tag) {
    write(memory_of(to), page_at(to), read(memory_of(from), page_at(from)));
    if (with_tag) write(memory_of(to), tag_at(to), read(memory_of(from), tag_at(from)));
  }

  RequesterEngine& tenant;
};

inline bool encrypts(const Protection& protection) { return protection.cipher != CipherMode::none; }
inline bool has_nodes(const Protection& protection) { return protection.integrity == Integrity::tree; }

}  // namespace wafertlm::test
