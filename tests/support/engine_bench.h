// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/memory_engine/provider_engine.h"
#include "models/memory_engine/requester_engine.h"

namespace wafertlm {

/// Time without SystemC.
class QueueClock : public EngineClock {
 public:
  TimePs now() const override { return now_; }
  void schedule(TimePs at, Wakeable& target, std::uint32_t what) override {
    queue_.push(now_, at, target, what);
  }
  /// Until nothing is left to do, or the next event lies behind `until`.
  void run(TimePs until = kNever) {
    while (const WakeQueue::Entry* next = queue_.front()) {
      if (next->at > until) break;
      const WakeQueue::Entry entry = *next;
      queue_.pop();
      now_ = entry.at;
      entry.target->wake(entry.what, now_);
    }
    if (until != kNever) now_ = until;
  }

 private:
  WakeQueue queue_{100'000};
  TimePs now_ = 0;
};

/// A memory with bandwidth and latency, whose bytes a test may read and change.
class PlainMemory : public ProviderMemory, private Wakeable {
 public:
  explicit PlainMemory(EngineClock& clock) : clock_(clock) {}
  static constexpr TimePs kLatencyPs = 50'000;
  static constexpr std::uint64_t kBytesPerS = 100'000'000'000;
  ProviderEngine* provider = nullptr;
  std::uint64_t accesses = 0, fail_from = ~std::uint64_t{0};
  /// What becomes of an access; a torn write moves half of it, and like a failed one is answered with an
  /// error.
  enum class Fate { served, failed, torn, dropped };
  std::function<Fate(bool write, std::uint64_t address)> fate;

  unsigned char& byte(std::uint64_t address) { return page(address)[address % 4096]; }
  /// Everything as it is now.
  std::unordered_map<std::uint64_t, std::vector<unsigned char>> contents;

 private:
  struct Done {
    bool write;
    std::uint64_t address, bytes, token;
    unsigned char* data;
  };
  std::vector<unsigned char>& page(std::uint64_t address) {
    std::vector<unsigned char>& bytes = contents[address / 4096];
    if (bytes.empty()) bytes.resize(4096);
    return bytes;
  }
  void start(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token,
             unsigned char* data) override {
    ++accesses;
    const TimePs start = std::max(clock_.now(), free_ps_);
    free_ps_ = start + transfer_time_ps(bytes, kBytesPerS);
    done_.push_back({write, address, bytes, token, data});
    clock_.schedule(free_ps_ + kLatencyPs, *this, static_cast<std::uint32_t>(done_.size() - 1));
  }
  void wake(std::uint32_t what, TimePs) override {
    const Done done = done_[what];
    const Fate becomes = fate                       ? fate(done.write, done.address)
                         : done.address < fail_from ? Fate::served
                                                    : Fate::failed;
    const std::uint64_t moved = becomes == Fate::served ? done.bytes
                                : becomes == Fate::torn ? done.bytes / 2
                                                        : 0;
    for (std::uint64_t i = 0; done.data && i < moved;) {
      const std::uint64_t offset = (done.address + i) % 4096, part = std::min(moved - i, 4096 - offset);
      unsigned char* const here = page(done.address + i).data() + offset;
      if (done.write)
        std::copy_n(done.data + i, part, here);
      else
        std::copy_n(here, part, done.data + i);
      i += part;
    }
    provider->memory_done(done.token, becomes == Fate::served || becomes == Fate::dropped);
  }
  EngineClock& clock_;
  TimePs free_ps_ = 0;
  std::vector<Done> done_;
};

/// A provider and its memory.
struct BenchProvider {
  BenchProvider(const ProviderEngineParams& params, PageTable table, EngineClock& clock,
                EngineNetwork& network)
      : memory(clock), engine(params, std::move(table), clock, network, memory) {
    memory.provider = &engine;
  }
  PlainMemory memory;
  ProviderEngine engine;
};

/// Requesters, a network, and providers with memories of the same size.
class EngineBench : public RequesterEngineHost {
 public:
  explicit EngineBench(std::uint64_t memory_bytes, const EngineNetworkParams& net = {},
                       const ProviderEngineParams& params = {}, std::uint64_t page_bytes = 4096,
                       std::uint32_t count = 1)
      : network(net, clock),
        providers(make(count, params, page_bytes, memory_bytes)),
        memory(providers[0]->memory),
        provider(providers[0]->engine) {}
  /// Its pages are with the first providers, as many as the parameters say.
  RequesterEngine& add(const RequesterEngineParams& params) {
    std::vector<ProviderPort> ports;
    for (std::uint32_t p = 0; p < params.providers; ++p) ports.push_back(providers.at(p)->engine.port());
    requesters.push_back(std::make_unique<RequesterEngine>(params, ports, clock, network, *this));
    for (const auto& each : providers) each->engine.enrol(requesters.back()->node(), params.id);
    return *requesters.back();
  }
  void grant_all(RequesterId id, const RegionLayout& layout, PageRights rights = {}) {
    for (std::uint32_t p = 0; p < layout.providers; ++p)
      providers[p]->engine.grant(id, layout.base / layout.page_bytes, layout.bytes() / layout.page_bytes,
                                 rights);
  }
  /// Runs one access to its end.
  Refusal access(RequesterEngine& requester, bool write, std::uint64_t address, std::uint64_t bytes,
                 unsigned char* data = nullptr) {
    const std::uint64_t token = next_token_++;
    requester.start(write, address, bytes, data, token);
    clock.run();
    return ended.at(token).cause;
  }
  void access_done(std::uint64_t token, Refusal cause) override { ended[token] = {cause, clock.now()}; }

  struct End {
    Refusal cause;
    TimePs at;
  };
  QueueClock clock;
  EngineNetwork network;
  std::vector<std::unique_ptr<BenchProvider>> providers;
  PlainMemory& memory;       // the first provider's
  ProviderEngine& provider;  // the first
  std::vector<std::unique_ptr<RequesterEngine>> requesters;
  std::map<std::uint64_t, End> ended;  // by token

 private:
  std::vector<std::unique_ptr<BenchProvider>> make(std::uint32_t count, const ProviderEngineParams& params,
                                                   std::uint64_t page_bytes, std::uint64_t memory_bytes) {
    std::vector<std::unique_ptr<BenchProvider>> made;
    for (std::uint32_t p = 0; p < count; ++p)
      made.push_back(
          std::make_unique<BenchProvider>(params, PageTable(page_bytes, memory_bytes), clock, network));
    return made;
  }
  std::uint64_t next_token_ = std::uint64_t{1} << 32;
};

}  // namespace wafertlm
