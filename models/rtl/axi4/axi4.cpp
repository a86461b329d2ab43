// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/axi4/axi4.h"

namespace wafertlm {
namespace {

/// Of lanes that are enabled.
bool same_lanes(const Axi4WritePins& a, const Axi4WritePins& b) {
  for (std::uint32_t lane = 0; lane < kAxi4MaxBytes; ++lane)
    if ((a.strobes >> lane & 1) != 0 && a.data[lane] != b.data[lane]) return false;
  return true;
}

}  // namespace

std::uint64_t Axi4Burst::beat_address(std::uint32_t beat) const {
  if (beat == 0 || type == Axi4BurstType::fixed) return address;
  const std::uint64_t at = aligned() + (std::uint64_t{beat} << size_log2);
  if (type != Axi4BurstType::wrap) return at;
  const std::uint64_t boundary = address / bytes() * bytes();
  return at >= boundary + bytes() ? at - bytes() : at;
}

std::uint64_t Axi4Burst::lanes(std::uint32_t beat, std::uint32_t data_bytes) const {
  const std::uint64_t at = beat_address(beat);
  const std::uint64_t first = at % data_bytes,
                      end = (at >> size_log2 << size_log2) % data_bytes + beat_bytes();
  const std::uint64_t below_end = end >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
  return below_end & ~((std::uint64_t{1} << first) - 1);
}

std::array<std::uint64_t, 2> Axi4Burst::range() const {
  if (type == Axi4BurstType::fixed) return {address, aligned() + beat_bytes()};
  if (type == Axi4BurstType::wrap)
    return {address / bytes() * bytes(), address / bytes() * bytes() + bytes()};
  return {address, aligned() + bytes()};
}

bool same_payload(const Axi4Cycle& a, const Axi4Cycle& b, Axi4Channel channel) {
  switch (channel) {
    case Axi4Channel::aw:
      return a.aw.burst == b.aw.burst;
    case Axi4Channel::ar:
      return a.ar.burst == b.ar.burst;
    case Axi4Channel::w:
      return a.w.strobes == b.w.strobes && a.w.last == b.w.last && same_lanes(a.w, b.w);
    case Axi4Channel::b:
      return a.b.id == b.b.id && a.b.response == b.b.response;
    case Axi4Channel::r:
      return a.r.id == b.r.id && a.r.response == b.r.response && a.r.last == b.r.last && a.r.data == b.r.data;
  }
  return true;
}

}  // namespace wafertlm
