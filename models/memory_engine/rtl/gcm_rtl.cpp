// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/rtl/gcm_rtl.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/rtl/axi4/transfers.h"

namespace wafertlm {
namespace {

// Addresses of axi_gcm.sv.
constexpr std::uint64_t kKey = 0x000, kIv = 0x020, kControl = 0x030, kStatus = 0x040, kTag = 0x050,
                        kExpected = 0x060, kAlso = 0x080, kChunk = 0x1000;
constexpr std::size_t kChunkBytes = 4096;
constexpr std::uint64_t kPatience = 100'000;  // cycles for a command

}  // namespace

GcmRtl::GcmRtl(const RtlDesign& design, RtlModel& model)
    : shape_(axi4_shape(design)),
      bench_(design, model,
             [this](const Axi4Violation& violation) {
               if (!violation_) violation_ = violation;
             }),
      master_([this](Axi4Transaction&& over) { over_ = std::move(over); }) {}

GcmRtl::Page GcmRtl::seal(const Bytes& key, const Bytes& iv, const Bytes& also, const Bytes& plain) {
  return run(Command::seal, key, iv, also, plain, Tag());
}

GcmRtl::Page GcmRtl::open(const Bytes& key, const Bytes& iv, const Bytes& also, const Bytes& sealed,
                          const Tag& tag) {
  return run(Command::open, key, iv, also, sealed, tag);
}

GcmRtl::Page GcmRtl::run(Command what, const Bytes& key, const Bytes& iv, const Bytes& also,
                         const Bytes& page, const Tag& tag) {
  if (key.size() != 32 || iv.size() != 12 || also.size() > kMostData)
    throw std::invalid_argument(
        "AES-256-GCM in RTL takes a key of 32 B, an IV of 12 B and at most 64 B beside");
  if (!is_reset_) bench_.reset();
  is_reset_ = true;
  const std::uint64_t begin = bench_.cycles();
  Page made;
  put(kKey, key);
  put(kIv, iv);
  if (!also.empty()) put(kAlso, also);
  put(kExpected, Bytes(tag.begin(), tag.end()));
  command(Command::begin, 0, also.size());
  for (std::size_t at = 0; at < page.size(); at += kChunkBytes) {
    const auto first = page.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t bytes = std::min(kChunkBytes, page.size() - at);
    put(kChunk, Bytes(first, first + static_cast<std::ptrdiff_t>(bytes)));
    command(what, static_cast<std::uint32_t>(bytes), also.size());
    const Bytes done = get(kChunk, bytes);
    made.bytes.insert(made.bytes.end(), done.begin(), done.end());
  }
  command(Command::end, 0, also.size());
  const Bytes made_tag = get(kTag, made.tag.size());
  std::copy(made_tag.begin(), made_tag.end(), made.tag.begin());
  made.is_right = get(kStatus, 1)[0] == 1;
  made.cycles = bench_.cycles() - begin;
  return made;
}

void GcmRtl::put(std::uint64_t address, const Bytes& bytes) {
  master_.issue(axi4_write(shape_, address, bytes));
  finish();
}

GcmRtl::Bytes GcmRtl::get(std::uint64_t address, std::uint64_t bytes) {
  master_.issue(axi4_read(shape_, address, bytes));
  finish();
  return axi4_bytes(shape_, *over_, bytes);
}

void GcmRtl::command(Command which, std::uint32_t bytes, std::size_t also) {
  Bytes control(6);
  for (std::size_t k = 0; k < 4; ++k) control[k] = static_cast<std::uint8_t>(bytes >> 8 * k);
  control[4] = static_cast<std::uint8_t>(also);
  control[5] = static_cast<std::uint8_t>(which);
  put(kControl, control);
}

void GcmRtl::finish() {
  for (std::uint64_t left = kPatience; master_.under_way() != 0; --left) {
    if (left == 0) throw std::runtime_error("the RTL of the cipher does not answer");
    bench_.cycle(master_);
  }
}

}  // namespace wafertlm
