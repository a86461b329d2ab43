// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/memory_engine/page_hiding.h"
#include "models/remote_memory/pool_engine.h"
#include "platform/describe/value_types.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/remote_memory_spec.h"

namespace wafertlm::config {
namespace {

std::shared_ptr<const Struct<PipelineParams>> pipeline_type() {
  auto type = std::make_shared<Struct<PipelineParams>>("pipeline");
  type->optional("bytes_per_cycle", &PipelineParams::bytes_per_cycle, integer<std::uint64_t>(1, 65'536),
                 "Width: 16 is 128 bits a cycle")
      .optional("clock", &PipelineParams::clock_hz, whole_quantity(frequency_dimension(), "1 Hz", "1000 GHz"),
                "Clock of the pipeline")
      .optional("latency_cycles", &PipelineParams::latency_cycles, integer<std::uint64_t>(0, 1'000'000),
                "Depth of the pipeline; takes no bandwidth");
  return type;
}

std::shared_ptr<const Struct<DmaParams>> dma_type() {
  auto type = std::make_shared<Struct<DmaParams>>("engine_dma");
  type->optional("bandwidth", &DmaParams::bytes_per_s, any_bandwidth(), "Each direction")
      .optional("latency", &DmaParams::latency_ps, any_time(), "Of one transfer");
  return type;
}

std::shared_ptr<const Struct<EngineNetworkParams>> network_type() {
  auto type = std::make_shared<Struct<EngineNetworkParams>>("engine_network");
  type->optional("bandwidth", &EngineNetworkParams::bytes_per_s, any_bandwidth(),
                 "Of an engine's link, each direction")
      .optional("hop_latency", &EngineNetworkParams::hop_ps, any_time(), "Of one hop")
      .optional("hops", &EngineNetworkParams::hops, integer<std::uint32_t>(1, 1000),
                "Between a requester and its provider")
      .optional("header_bytes", &EngineNetworkParams::header_bytes, any_size("0 B", "64 KiB"),
                "Of a message");
  return type;
}

std::shared_ptr<const Struct<RemoteFaultSpec>> remote_fault_type() {
  using F = RemoteFaultSpec;
  const auto page = integer<std::uint64_t>(0, 1'000'000'000'000);
  auto type = std::make_shared<Struct<F>>("remote_fault");
  type->required(
          "kind", &F::kind, one_of<F::Kind>({"flip", "swap", "replay", "drop"}),
          "What the provider does: flip a bit of a page; swap two pages with their tags; put a page and "
          "its tag back as they were earlier; acknowledge the next store and drop it")
      .required("npu", &F::npu, integer<std::uint32_t>(0, 65'535), "Whose page")
      .required("page", &F::page, page, "Page of the NPU's remote memory (path_oram, remap_on_evict: slot)")
      .required("at", &F::at_ps, whole_quantity(time_dimension(), "0 ps", "9000000 s"), "When it does it")
      .optional("bit", &F::bit, integer<std::uint64_t>(0, (std::uint64_t{1} << 33) - 1), "Bit of the page")
      .when(&F::kind, F::Kind::flip)
      .required("with", &F::with, or_none<std::uint64_t>(page, 0), "The other page")
      .when(&F::kind, F::Kind::swap)
      .required("from", &F::from_ps,
                or_none<std::uint64_t>(whole_quantity(time_dimension(), "0 ps", "9000000 s"), 0),
                "When the page was what it becomes again")
      .when(&F::kind, F::Kind::replay)
      .check([](const F& fault, const Check& check) {
        if (fault.kind == F::Kind::swap && fault.with == fault.page)
          check.fail({&fault.with, &fault.page, &fault.kind}, "is the page itself: nothing would change");
        if (fault.kind == F::Kind::replay && fault.from_ps >= fault.at_ps)
          check.fail({&fault.from_ps, &fault.at_ps, &fault.kind}, "must be before {}",
                     check.path(&fault.at_ps));
      });
  return type;
}

void check_engine(const MemoryEngineSpec& spec, const Check& check) {
  if ((spec.page_bytes & (spec.page_bytes - 1)) != 0)
    check.fail({&spec.page_bytes}, "a page is a power of two from 4 KiB on");
  const bool ciphers = spec.cipher_mode != CipherMode::none;
  if (!ciphers && spec.integrity != Integrity::none)
    check.fail({&spec.cipher_mode, &spec.integrity},
               "a MAC or a tree needs encrypted pages (AES-GCM makes ciphertext and tag together); set {}, "
               "or {} to none",
               check.path(&spec.cipher_mode), check.path(&spec.integrity));
  if (!ciphers && spec.hiding != Hiding::none)
    check.fail({&spec.cipher_mode, &spec.hiding},
               "where a page is cannot be hidden while it can be read; set {}, or {} to none",
               check.path(&spec.cipher_mode), check.path(&spec.hiding));
  if (spec.hiding == Hiding::remap_on_evict && spec.spare_slots < spec.outstanding)
    check.fail({&spec.spare_slots, &spec.outstanding, &spec.hiding},
               "remap_on_evict needs a spare page for each outstanding one ({})", spec.outstanding);
  if (!spec.faults.empty() && !spec.functional)
    check.fail({&spec.faults, &spec.functional},
               "a page has contents only in functional mode; set {} to true", check.path(&spec.functional));
  for (const RemoteFaultSpec& fault : spec.faults)
    if (fault.kind == RemoteFaultSpec::Kind::flip && fault.bit >= spec.page_bytes * 8)
      check.fail({&fault.bit, &spec.page_bytes}, "a page of {} B has bits 0 to {}", spec.page_bytes,
                 spec.page_bytes * 8 - 1);
  if (spec.stripe_pages != 1 && (spec.placement != Placement::interleaved || spec.providers == 1))
    check.fail({&spec.stripe_pages, &spec.placement, &spec.providers},
               "stripes are of pages that several providers have interleaved");
  if (spec.placement != Placement::interleaved && spec.providers == 1)
    check.fail({&spec.placement, &spec.providers}, "one provider has all pages; there is nothing to place");
}

std::shared_ptr<const Struct<MemoryEngineSpec>> engine_type() {
  auto type = std::make_shared<Struct<MemoryEngineSpec>>("memory_engine");
  type->optional("providers", &MemoryEngineSpec::providers, integer<std::uint32_t>(1, 4096),
                 "Memory nodes, each with a server of the pool and an engine: so many for all NPUs (kind: "
                 "shared), for each node (per_node) or for each NPU (per_npu)")
      .optional("placement", &MemoryEngineSpec::placement,
                one_of<Placement>({"interleaved", "blocked", "by_npu"}),
                "Who has a page of several providers: in turn; each a contiguous part of every NPU's pages; "
                "or NPU n's all with provider n mod providers")
      .optional("stripe_pages", &MemoryEngineSpec::stripe_pages, integer<std::uint64_t>(1, 1'000'000'000),
                "interleaved: pages in a row with one provider")
      .optional("page", &MemoryEngineSpec::page_bytes, any_size("4 KiB", "1 GiB"),
                "What is granted, encrypted and moved as a whole: a power of two")
      .optional("validation", &MemoryEngineSpec::validation,
                choice<Validation>({{"page", Validation::page}, {"region", Validation::region}}),
                "page: every access against a page table; region: as RDMA, whoever has a page has all")
      .optional("authenticated", &MemoryEngineSpec::authenticated, boolean(),
                "The engines' network says who sends; false: a requester may pass for another")
      .optional("validate", &MemoryEngineSpec::validate_ps, any_time(),
                "What a validation by page takes, at the requester and at the provider")
      .optional(
          "cipher", &MemoryEngineSpec::cipher_mode,
          one_of<CipherMode>({"none", "store_and_forward", "cut_through"}),
          "AES-GCM over whole pages; cut_through: cipher and MAC pass bytes on before the page is complete")
      .optional("cipher_pipeline", &MemoryEngineSpec::cipher, pipeline_type(),
                "Of the cipher, each direction")
      .optional("mac_pipeline", &MemoryEngineSpec::mac, pipeline_type(), "Of the MAC, each direction")
      .optional(
          "integrity", &MemoryEngineSpec::integrity, one_of<Integrity>({"none", "mac", "tree"}),
          "What is found of what a provider does. mac: tampering and splicing (changed pages, right ones in "
          "a wrong place), not replay (old pages with their tags); tree: replay too")
      .optional("tree_arity", &MemoryEngineSpec::tree_arity, integer<std::uint32_t>(2, 64),
                "Children of a node of the integrity tree")
      .when(&MemoryEngineSpec::integrity, Integrity::tree)
      .optional("tree_cached_levels", &MemoryEngineSpec::cached_levels, integer<std::uint32_t>(1, 64),
                "Levels in the engine, from the root on; the others are in the remote memory")
      .when(&MemoryEngineSpec::integrity, Integrity::tree)
      .optional("hiding", &MemoryEngineSpec::hiding,
                one_of<Hiding>({"none", "remap_on_evict", "dummy", "path_oram"}),
                "What hides the access pattern from the provider")
      .optional("dummies", &MemoryEngineSpec::dummies, integer<std::uint32_t>(1, 64),
                "Accesses beside each real one")
      .when(&MemoryEngineSpec::hiding, Hiding::dummy)
      .optional("spare_pages", &MemoryEngineSpec::spare_slots, integer<std::uint64_t>(1, 1'000'000'000),
                "Slots beyond the pages")
      .when(&MemoryEngineSpec::hiding, Hiding::remap_on_evict)
      .optional("bucket_blocks", &MemoryEngineSpec::bucket_blocks, integer<std::uint32_t>(1, 64),
                "Blocks of a bucket, Z; with less than 4 the stash soon overflows")
      .when(&MemoryEngineSpec::hiding, Hiding::path_oram)
      .optional("stash_pages", &MemoryEngineSpec::stash_pages, integer<std::uint64_t>(1, 1'000'000'000),
                "Pages that found no place on their path, at most; one more ends the run. With 4 blocks a "
                "bucket more than 147 have a chance of 2^-128 (Stefanov et al., CCS 2013)")
      .when(&MemoryEngineSpec::hiding, Hiding::path_oram)
      .optional("journal_pages", &MemoryEngineSpec::journal_pages, integer<std::uint64_t>(1, 1'000'000'000),
                "From so many pages on that providers have failed to write nothing more is written")
      .optional("outstanding", &MemoryEngineSpec::outstanding, integer<std::uint32_t>(1, 4096),
                "Page accesses of a requester under way")
      .optional("dma", &MemoryEngineSpec::dma, dma_type(), "Between host and engine")
      .optional("network", &MemoryEngineSpec::network, network_type(), "Between the engines")
      .optional(
          "functional", &MemoryEngineSpec::functional, boolean(),
          "Pages have contents, made up for stores, really enciphered and proven at every load; takes as "
          "much of the host's memory as is stored")
      .optional("faults", &MemoryEngineSpec::faults, list_of<RemoteFaultSpec>(remote_fault_type(), 0, 1000),
                "What providers do to pages, to see what stops it")
      .check(check_engine);
  return type;
}

std::shared_ptr<const Struct<PoolStage>> stage_type() {
  auto type = std::make_shared<Struct<PoolStage>>("pool_stage");
  type->required("bandwidth", &PoolStage::bytes_per_s, any_bandwidth(), "Of a link of the stage")
      .optional("latency", &PoolStage::latency_ps, any_time(),
                "Part of the stage's time: the next chunk waits for it. See remote_memory.latency for one "
                "that is pipelined")
      .optional("fan_in", &PoolStage::fan_in, integer<std::uint32_t>(1, 65'536),
                "In-switch gather and reduce: so many links carry a part of each chunk at the same time");
  return type;
}

std::shared_ptr<const Struct<PoolStages>> stages_type() {
  const auto stage = stage_type();
  const auto number = [](std::size_t n) {
    return [n](auto& stages) -> auto& { return stages[n]; };
  };
  auto type = std::make_shared<Struct<PoolStages>>("pool_stages");
  type->required("memory", number(0), stage, "Remote memory to out-node switch; of all NPUs")
      .required("out_switch", number(1), stage, "Out-node switch to a node's switch; of all")
      .required("in_switch", number(2), stage, "In-node switch; of a node")
      .required("npu_link", number(3), stage, "To the NPU; its own");
  return type;
}

void check_pool(const RemoteMemorySpec& spec, const Check& check) {
  const bool staged = spec.kind == PoolKind::hierarchical;
  if (spec.service == PoolService::accesses && (staged || spec.engine || spec.local == LocalMemory::hbm))
    check.fail({&spec.service, &spec.local, &spec.kind, &spec.engine},
               "only a pool without stages and engines serves whole accesses, and {} must be free: chunks "
               "that pass through the HBM are not whole",
               check.path(&spec.local));
  if (spec.engine && staged)
    check.fail({&spec.kind, &spec.engine},
               "memory engines have a network of their own, and a hierarchical pool's switches cannot gather "
               "or reduce what is enciphered; set kind to shared, per_node or per_npu");
}

}  // namespace

PoolParams pool_params(const RemoteMemorySpec& spec, std::uint32_t npus) {
  PoolParams params = spec;
  params.npus = npus;
  return params;
}

std::uint32_t RemoteMemorySpec::requests_under_way() const {
  if (outstanding) return static_cast<std::uint32_t>(*outstanding);
  const PoolEngine pool(pool_params(*this, std::max(1U, npus_per_node)));
  TimePs all = latency_ps, slowest = 1;
  if (stages) {
    for (std::uint32_t stage = 0; stage < kPoolStages; ++stage) {
      const TimePs time = pool.stage_ps(stage, request_bytes);
      all += time;
      slowest = std::max(slowest, time);
    }
  } else {
    slowest = std::max<TimePs>(slowest, transfer_time_ps(request_bytes, bytes_per_s));
    all += slowest;
  }
  return static_cast<std::uint32_t>(std::clamp<TimePs>(all / slowest + 2, 16, 1024));
}

std::uint32_t engine_group(const RemoteMemorySpec& spec, std::uint32_t npus) {
  if (spec.kind == PoolKind::per_npu) return 1;
  return spec.kind == PoolKind::per_node ? spec.npus_per_node : npus;
}

ProviderEngineParams provider_params(const MemoryEngineSpec& spec) {
  // A region's bounds are in the network card: they take no time of their own.
  return {spec.validation, spec.validation == Validation::page ? spec.validate_ps : 0, spec.authenticated};
}

RequesterEngineParams requester_params(const MemoryEngineSpec& spec, std::uint64_t bytes) {
  RequesterEngineParams params = spec;
  params.pages = bytes / spec.page_bytes;
  if (spec.placement == Placement::by_npu) params.providers = 1;
  if (spec.placement == Placement::blocked) params.stripe_pages = 0;
  if (spec.validation == Validation::region) params.validate_ps = 0;
  params.makes_up_contents = spec.functional;
  return params;
}

std::shared_ptr<const Struct<RemoteMemorySpec>> remote_memory_type() {
  auto type = std::make_shared<Struct<RemoteMemorySpec>>("remote_memory");
  type->required("kind", &RemoteMemorySpec::kind,
                 one_of<PoolKind>({"per_npu", "per_node", "shared", "hierarchical"}),
                 "Who shares a server: nobody, the NPUs of a node, all; or stages of memory and switches")
      .optional("service", &RemoteMemorySpec::service, one_of<PoolService>({"requests", "accesses"}),
                "What a server serves one after the other: requests, with a pipelined latency; or whole "
                "loads and stores, latency + bytes / bandwidth each, as ASTRA-sim does (per_npu: none waits)")
      .optional(
          "local", &RemoteMemorySpec::local, one_of<LocalMemory>({"hbm", "free"}),
          "hbm: what is loaded is written to the NPU's HBM, what is stored is read from it; free: neither")
      .required("capacity", &RemoteMemorySpec::capacity_bytes, any_size("4 KiB", "1000 PB"),
                "Of all; each NPU has an equal part")
      .required("bandwidth", &RemoteMemorySpec::bytes_per_s, or_none<std::uint64_t>(any_bandwidth(), 0),
                "Of a server, loads and stores together")
      .when(&RemoteMemorySpec::kind, PoolKind::per_npu, PoolKind::per_node, PoolKind::shared)
      .optional("latency", &RemoteMemorySpec::latency_ps, any_time(),
                "Of a request, pipelined: takes no bandwidth")
      .required("npus_per_node", &RemoteMemorySpec::npus_per_node,
                or_none(integer<std::uint32_t>(1, 65'536), 0U), "Divides the number of NPUs")
      .when(&RemoteMemorySpec::kind, PoolKind::per_node, PoolKind::hierarchical)
      .required("stages", &RemoteMemorySpec::stages, maybe<PoolStages>(stages_type()),
                "Memory, switches and links on the way")
      .when(&RemoteMemorySpec::kind, PoolKind::hierarchical)
      .optional("request_bytes", &RemoteMemorySpec::request_bytes, any_size("1 B", "64 KiB"),
                "Largest request; of a hierarchical pool the chunk that goes from stage to stage")
      .optional("outstanding", &RemoteMemorySpec::outstanding, auto_or(integer<std::uint64_t>(1, 4096)),
                "Requests of an NPU under way, loads and stores each; auto: so many that an idle pool is "
                "busy, 16 to 1024")
      .optional("engine", &RemoteMemorySpec::engine, maybe<MemoryEngineSpec>(engine_type()),
                "Memory engines between the NPUs and the pool: grants, encryption, integrity, hiding; not of "
                "hierarchical pools")
      .check(check_pool);
  return type;
}

void check_remote_memory(const RemoteMemorySpec& spec, const WaferSpec& wafer, const Check& check) {
  const std::uint32_t npus = wafer.npu_count();
  if (spec.npus_per_node != 0 && npus % spec.npus_per_node != 0)
    check.fail({&spec.npus_per_node, &wafer.width, &wafer.height}, "nodes of {} do not divide {} NPUs",
               spec.npus_per_node, npus);
  std::vector<const void*> sizes{&spec.capacity_bytes, &wafer.width, &wafer.height};
  if (spec.engine) sizes.push_back(&spec.engine->page_bytes);
  if (spec.capacity_bytes / npus < (spec.engine ? spec.engine->page_bytes : 1))
    check.fail(sizes, "is too little for {} NPUs", npus);
  if (!spec.engine) return;
  const RequesterEngineParams params = requester_params(*spec.engine, spec.capacity_bytes / npus);
  const std::uint64_t slots = PageHiding::slots_of(params);
  for (const RemoteFaultSpec& fault : spec.engine->faults) {
    if (fault.npu >= npus)
      check.fail({&fault.npu, &wafer.width, &wafer.height}, "there is no NPU {}; there are NPUs 0 to {}",
                 fault.npu, npus - 1);
    for (const std::uint64_t* page : {&fault.page, &fault.with}) {
      sizes.front() = page;
      if (*page >= slots) check.fail(sizes, "an NPU has no page {}, only 0 to {}", *page, slots - 1);
    }
  }
}

}  // namespace wafertlm::config
