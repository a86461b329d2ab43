// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/engine_params.h"

#include <stdexcept>
#include <string>

#include "models/memory_engine/page_hiding.h"
#include "tlm/checking/checking.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 40;  // their index is part of a nonce

}  // namespace

const char* to_string(Refusal refusal) {
  constexpr std::array<const char*, kRefusals> kNames = {
      "none",         "outside_region", "not_granted", "revoked", "of_another",   "no_right",
      "memory_error", "tampered",       "no_bytes",    "forged",  "journal_full", "halted"};
  return kNames[static_cast<std::size_t>(refusal)];
}

const char* stopped_by(const RequesterEngineParams& params) {
  if (params.integrity == Integrity::none) return "nothing";
  // Who keeps a map of its pages counts their versions there.
  const bool counts = params.hiding == Hiding::remap_on_evict || params.hiding == Hiding::path_oram;
  return params.integrity == Integrity::tree || counts ? "tampering, splicing and replay"
                                                       : "tampering and splicing, not replay";
}

const RequesterEngineParams& require_sound(const RequesterEngineParams& params) {
  const auto require = [](bool holds, const std::string& otherwise) {
    if (!holds) throw std::invalid_argument("memory engine: " + otherwise);
  };
  require(params.page_bytes >= 4096 && (params.page_bytes & (params.page_bytes - 1)) == 0 &&
              params.page_bytes <= (1U << 30),
          say("pages of ", params.page_bytes, " B; must be a power of two from 4 KiB to 1 GiB"));
  require(params.pages != 0 && params.pages <= (std::uint64_t{1} << 40) / (params.page_bytes / 4096),
          say(params.pages, " pages; must be at least 1, and at most 4 PiB together"));
  require(params.base_address % params.page_bytes == 0, "the region must begin with a page");
  require(params.providers != 0, "pages need at least one provider");
  require(params.outstanding != 0, "at least one page access must be under way");
  require(params.dma.bytes_per_s != 0, "the host's DMA needs a bandwidth");
  for (const PipelineParams* pipeline : {&params.cipher, &params.mac})
    require(pipeline->bytes_per_cycle != 0 && pipeline->clock_hz != 0,
            "a pipeline needs bytes per cycle and a clock");
  require(params.tree_arity >= 2 && params.tree_arity <= 64, "a tree's nodes have 2 to 64 children");
  require(params.hiding != Hiding::dummy || params.dummies != 0, "dummy needs at least one dummy access");
  require(params.hiding != Hiding::remap_on_evict || params.spare_slots >= params.outstanding,
          "remap_on_evict needs a spare slot for each outstanding page access");
  require(params.bucket_blocks != 0 && params.bucket_blocks <= 64, "a bucket has 1 to 64 blocks");
  require(params.stash_pages != 0, "a Path-ORAM needs room for a page in the engine");
  require(params.journal_pages != 0, "the journal needs room for a page");
  require(params.hiding != Hiding::dummy || params.dummies < params.pages,
          "there must be more pages than dummies");
  require(params.integrity == Integrity::none || params.encrypts(),
          "a MAC or a tree needs encrypted pages: AES-GCM makes ciphertext and tag together");
  require(
      params.integrity != Integrity::tree || PageHiding::slots_of(params) / params.tree_arity < kMostNodes,
      "an integrity tree has at most 2^40 nodes of a level");
  require(params.hiding == Hiding::none || params.encrypts(),
          "hiding where a page is makes no sense while it can be read: encrypt it");
  return params;
}

}  // namespace wafertlm
