// SPDX-License-Identifier: Apache-2.0
#include "platform/memory_engine/price.h"

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>

#include "models/memory_engine/access_pattern.h"
#include "platform/command/format.h"
#include "platform/system/remote_pool.h"

namespace wafertlm {
namespace {

using config::MemoryEngineSpec;

/// A host, its engine, the network, the provider and its memory.
class Rung : public sc_core::sc_module, private MemoryRequesterHost {
 public:
  Rung(const sc_core::sc_module_name& name, const config::RemoteMemorySpec& spec, const PriceOptions& options,
       ScratchMemory& scratch, Scheduler& scheduler)
      : sc_module(name),
        host_("host", {kMaxRequestBytes, spec.engine->outstanding}, scratch, scheduler, *this),
        pool_(spec, 1, options.seed, scratch, scheduler, nullptr),
        scheduler_(scheduler),
        options_(options),
        page_bytes_(spec.engine->page_bytes),
        pages_(spec.capacity_bytes / page_bytes_),
        outstanding_(spec.engine->outstanding),
        pattern_(pool_.requester(0).layout(), pages_),
        random_(options.seed) {
    pool_.attach(host_, 0);
    for (std::uint32_t p = 0; p < pool_.providers(); ++p) pool_.provider(p).observe(pattern_, p);
  }

  Price measure(const std::string& what) {
    Price price;
    price.name = what;
    run(1);
    price.load_ps = mean(times_[0]);
    price.store_ps = mean(times_[1]);
    price.amplification =
        static_cast<double>(pool_.network().bytes()) / static_cast<double>(options_.accesses * page_bytes_);
    price.pattern = pattern_.result();
    const TimePs start = scheduler_.now();
    run(outstanding_);
    std::vector<TimePs> all = times_[0];
    all.insert(all.end(), times_[1].begin(), times_[1].end());
    price.mean_ps = mean(all);
    const std::size_t rank = (all.size() * 99 + 99) / 100 - 1;
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank), all.end());
    price.p99_ps = all[rank];
    price.bytes_per_s = static_cast<double>(options_.accesses * page_bytes_) / seconds(last_end_ps_ - start);
    return price;
  }

 private:
  struct Access {
    TimePs start_ps;
    bool write;
  };
  static TimePs mean(const std::vector<TimePs>& times) {
    if (times.empty()) return 0;
    Uint128 sum = 0;
    for (const TimePs time : times) sum += time;
    return static_cast<TimePs>(sum / times.size());
  }
  void run(std::uint64_t at_a_time) {
    accesses_.clear();
    times_[0].clear();
    times_[1].clear();
    for (std::uint64_t i = 0; i < std::min(at_a_time, options_.accesses); ++i) start_next();
    scheduler_.run();
  }
  void start_next() {
    const std::uint64_t page =
        random_() % (random_() % 2 == 0 ? pages_ : std::max<std::uint64_t>(1, pages_ / 16));
    const bool write = random_() % 100 >= options_.load_percent;
    pattern_.begin(page);
    accesses_.push_back({scheduler_.now(), write});
    host_.start(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND, page * page_bytes_, page_bytes_,
                accesses_.size() - 1);
  }
  void memory_done(std::uint64_t token, bool ok) override {
    if (!ok) throw std::runtime_error("a granted page access has failed");
    const Access& access = accesses_[token];
    last_end_ps_ = scheduler_.now();
    times_[access.write].push_back(last_end_ps_ - access.start_ps);
    if (accesses_.size() < options_.accesses) start_next();
  }

  MemoryRequester host_;
  RemotePool pool_;
  Scheduler& scheduler_;
  const PriceOptions options_;
  const std::uint64_t page_bytes_, pages_, outstanding_;
  AccessPattern pattern_;
  std::mt19937_64 random_;
  std::vector<Access> accesses_;
  std::vector<TimePs> times_[2];
  TimePs last_end_ps_ = 0;
};

struct Variant {
  std::string name;
  MemoryEngineSpec engine;
};

std::vector<Variant> variants_of(const MemoryEngineSpec& given) {
  MemoryEngineSpec engine = given;
  if (engine.cipher_mode == CipherMode::none) engine.cipher_mode = CipherMode::store_and_forward;
  engine.validation = Validation::page;
  engine.integrity = Integrity::mac;
  engine.hiding = Hiding::none;
  MemoryEngineSpec plain = engine;
  plain.cipher_mode = CipherMode::none;
  plain.integrity = Integrity::none;
  MemoryEngineSpec rdma = plain;
  rdma.validation = Validation::region;
  std::vector<Variant> variants = {
      {"plain RDMA", rdma}, {"validated", plain}, {"validated, encrypted, authenticated", engine}};
  const auto add = [&](const std::string& name, auto change) {
    variants.push_back({name, engine});
    change(variants.back().engine);
  };
  add("  with integrity tree", [](MemoryEngineSpec& of) { of.integrity = Integrity::tree; });
  add("  remap_on_evict", [](MemoryEngineSpec& of) { of.hiding = Hiding::remap_on_evict; });
  add("  dummy(" + std::to_string(engine.dummies) + ")",
      [](MemoryEngineSpec& of) { of.hiding = Hiding::dummy; });
  add("  path_oram", [](MemoryEngineSpec& of) { of.hiding = Hiding::path_oram; });
  return variants;
}

}  // namespace

std::vector<Price> price_of_security(const config::RemoteMemorySpec& given, std::uint32_t npus,
                                     const PriceOptions& options) {
  config::RemoteMemorySpec spec = given;
  if (spec.engine->page_bytes > kMaxRequestBytes)
    throw std::invalid_argument("remote_memory.engine.page: " + format_bytes(spec.engine->page_bytes) +
                                " is more than a request (64 KiB), and the accesses are to whole pages");
  spec.kind = PoolKind::shared;  // what its own group of providers is
  spec.npus_per_node = 0;
  spec.capacity_bytes /= npus;
  spec.capacity_bytes -= spec.capacity_bytes % spec.engine->page_bytes;
  Scheduler scheduler("scheduler");
  const auto scratch = std::make_unique<ScratchMemory>();
  std::vector<std::unique_ptr<Rung>> rungs;
  const std::vector<Variant> variants = variants_of(*given.engine);
  for (const Variant& variant : variants) {
    spec.engine = variant.engine;
    rungs.push_back(std::make_unique<Rung>(("rung_" + std::to_string(rungs.size())).c_str(), spec, options,
                                           *scratch, scheduler));
  }
  std::vector<Price> prices;
  for (std::size_t i = 0; i < variants.size(); ++i) prices.push_back(rungs[i]->measure(variants[i].name));
  return prices;
}

}  // namespace wafertlm
