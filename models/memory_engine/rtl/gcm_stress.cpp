// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/rtl/gcm_stress.h"

#include <algorithm>
#include <ctime>

#include "models/memory_engine/page_sealer.h"
#include "models/memory_engine/rtl/gcm_rtl.h"
#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

using Bytes = GcmRtl::Bytes;

void append(Bytes& to, std::uint64_t number) {
  for (unsigned k = 0; k < 8; ++k) to.push_back(static_cast<std::uint8_t>(number >> 8 * k));
}

/// A page of `bytes`, sealed and opened. Returns what is wrong.
std::string wrong_with(GcmRtl& rtl, std::uint64_t bytes, Axi4Draws& draw) {
  Key key{};
  for (auto& byte : key) byte = static_cast<unsigned char>(draw(256));
  const PageSealer sealer(key);
  const PageSealer::Context context{draw(1 << 30), draw(1 << 30), draw(1 << 30), draw(1 << 30)};
  Bytes iv, also, plain(bytes), sealed(bytes);
  for (std::uint8_t& byte : plain) byte = static_cast<std::uint8_t>(draw(256));
  append(iv, context.number);
  iv.resize(12);
  for (const std::uint64_t part : {context.slot, context.page, context.version}) append(also, part);
  const PageSealer::Tag tag = sealer.seal(context, plain.data(), bytes, sealed.data());
  const Bytes raw_key(key.begin(), key.end());
  const GcmRtl::Page made = rtl.seal(raw_key, iv, also, plain);
  if (made.bytes != sealed) return "another ciphertext than the model's";
  if (!std::equal(tag.begin(), tag.end(), made.tag.begin())) return "another tag than the model's";
  const GcmRtl::Page back = rtl.open(raw_key, iv, also, sealed, made.tag);
  if (back.bytes != plain) return "opening does not give the page back";
  if (!back.is_right) return "the right tag is refused";
  sealed[draw(bytes)] ^= static_cast<std::uint8_t>(1U << draw(8));
  return rtl.open(raw_key, iv, also, sealed, made.tag).is_right ? "a page with a wrong bit is accepted" : "";
}

}  // namespace

Axi4StressResult stress_gcm(const RtlDesign& design, RtlModel& model, RtlModel* /*twin*/,
                            const Axi4StressOptions& options, const Axi4Progress& progress) {
  const std::clock_t begin = std::clock();
  const auto seconds = [&] { return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; };
  Axi4StressResult result;
  GcmRtl rtl(design, model);
  for (std::uint32_t i = 0; result.passed() && (options.cases == 0 || i < options.cases); ++i) {
    Axi4Draws draw(options.seed + i);
    for (std::uint32_t n = 0; result.passed() && n < options.transactions; ++n) {
      if (options.seconds != 0 && seconds() > options.seconds) break;
      constexpr std::uint64_t kMost[] = {16, 100, 4096, 10'000};
      const std::uint64_t bytes = 1 + draw(kMost[draw(4)]);
      const std::string wrong = wrong_with(rtl, bytes, draw);
      ++result.transactions;
      result.beats += bytes;
      if (!wrong.empty())
        result.failure = Axi4Violation{&axi4_rule(Axi4Check::data, Axi4Channel::r), rtl.cycles(), 0,
                                       say("page ", n + 1, " of ", bytes, " B: ", wrong)};
      if (rtl.violation()) result.failure = rtl.violation();
    }
    if (options.seconds != 0 && seconds() > options.seconds && result.passed()) break;
    ++result.cases;
    if (progress) progress(result);
    if (!result.passed()) result.failed_seed = options.seed + i;
  }
  result.cycles = rtl.cycles();
  return result;
}

}  // namespace wafertlm
