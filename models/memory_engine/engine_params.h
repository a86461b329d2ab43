// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// A requester, as providers know it.
enum class RequesterId : std::uint16_t {};

/// Why an access was refused or failed; `none` if it was not.
enum class Refusal : std::uint8_t {
  none,
  outside_region,  ///< the host asks for more than its engine has
  not_granted,     ///< never granted to anybody
  revoked,         ///< was this requester's and is no longer
  of_another,      ///< is, or was last, another requester's
  no_right,        ///< a write to what may be read only, or the other way round
  memory_error,    ///< the provider's memory answered with an error
  tampered,        ///< what came back is not what was stored
  no_bytes,        ///< nothing was asked for
  forged,          ///< the requester is not who it says it is
  journal_full,    ///< providers have not taken what was written before
  halted,          ///< a path of the Path-ORAM was tampered: the engine accesses nothing any more
};
constexpr std::size_t kRefusals = 12;
const char* to_string(Refusal refusal);
using RefusalCounts = std::array<std::uint64_t, kRefusals>;

/// AES-GCM over whole pages.
enum class CipherMode : std::uint8_t {
  none,
  store_and_forward,
  cut_through,  ///< cipher and MAC pass bytes on before the page is complete
};
/// What is found of what a provider does to a page.
enum class Integrity : std::uint8_t {
  none,
  mac,   ///< tampering and splicing: changed pages, and right ones in a wrong place; not old ones (replay)
  tree,  ///< replay too
};
enum class Hiding : std::uint8_t { none, remap_on_evict, dummy, path_oram };

/// Work at a number of bytes each cycle, and a latency that takes no bandwidth.
struct PipelineParams {
  std::uint64_t bytes_per_cycle = 16;
  std::uint64_t clock_hz = 250'000'000;
  std::uint64_t latency_cycles = 40;
};

/// Whose keys: from one's none of another's follows.
struct KeyOwner {
  std::uint64_t seed;
  RequesterId tenant;
  std::uint32_t epoch = 0;
};

struct DmaParams {
  std::uint64_t bytes_per_s = 32'000'000'000;
  TimePs latency_ps = 400'000;
};

/// What an access goes through between a host and the engine network.
struct RequesterEngineParams {
  RequesterId id{};
  std::uint64_t page_bytes = 4096;  ///< a power of two, at least 4 KiB
  std::uint64_t pages = 0;          ///< that the host has behind the engine
  std::uint64_t base_address = 0;   ///< of its region in each provider's memory
  std::uint32_t providers = 1;      ///< that its pages are spread over
  std::uint64_t stripe_pages = 1;   ///< in a row with one provider; 0: each provider has one contiguous part
  std::uint32_t outstanding = 16;   ///< page accesses under way
  DmaParams dma;
  TimePs validate_ps = 40'000;
  CipherMode cipher_mode = CipherMode::store_and_forward;
  Integrity integrity = Integrity::mac;
  PipelineParams cipher, mac;
  std::uint32_t tree_arity = 8;     ///< children of a node
  std::uint32_t cached_levels = 4;  ///< of the tree, from the root on; all others are stored remotely
  Hiding hiding = Hiding::none;
  std::uint32_t dummies = 3;         ///< for each real access, with Hiding::dummy
  std::uint64_t spare_slots = 1024;  ///< beyond the pages, with Hiding::remap_on_evict
  std::uint32_t bucket_blocks = 4;   ///< Z, with Hiding::path_oram
  /// Pages that the engine holds at most of those that found no place on their path (path_oram). With Z = 4
  /// more than 147 have a chance of 2^-128 (Stefanov et al., CCS 2013, fig. 3).
  std::uint64_t stash_pages = 147;
  /// From so many pages on that providers have not taken nothing is written. What is under way has its room
  /// among them, so the journal never holds more, save by what one access writes (dummy, path_oram: several
  /// pages).
  std::uint64_t journal_pages = 64;
  bool functional = false;         ///< pages have contents and really are enciphered
  bool makes_up_contents = false;  ///< functional, for a host without: see ContentsProof
  std::uint64_t seed = 1;
  /// How often an engine with this seed and id has begun before: of a monotonic counter that the engine must
  /// keep where no provider can set it back. Equal epochs have equal keys: all of an earlier life is
  /// accepted.
  std::uint32_t epoch = 0;

  KeyOwner key_owner() const { return {seed, id, epoch}; }
  bool encrypts() const { return cipher_mode != CipherMode::none; }
  bool cuts_through() const { return cipher_mode == CipherMode::cut_through; }
};

/// What of a provider's doings is found, in words.
const char* stopped_by(const RequesterEngineParams& params);

/// What validation goes by: a whole region, as RDMA does it (whoever has a page may access all), or pages.
enum class Validation : std::uint8_t { region, page };

struct ProviderEngineParams {
  Validation validation = Validation::page;
  TimePs validate_ps = 40'000;
  bool authenticated = true;  ///< the network says who sends: nobody passes for another requester
};

struct EngineNetworkParams {
  std::uint64_t bytes_per_s = 12'500'000'000;  ///< of an engine's link, each direction
  TimePs hop_ps = 500'000;
  std::uint32_t hops = 1;
  std::uint64_t header_bytes = 64;
};

/// Returns them. @throws std::invalid_argument that says what to change.
const RequesterEngineParams& require_sound(const RequesterEngineParams& params);

}  // namespace wafertlm
