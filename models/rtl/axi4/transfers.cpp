// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/axi4/transfers.h"

#include <algorithm>

namespace wafertlm {
namespace {

Axi4Transaction transfer(const Axi4Shape& shape, bool write, std::uint64_t address, std::uint64_t bytes) {
  Axi4Transaction made;
  made.write = write;
  made.burst.address = address;
  while ((1U << made.burst.size_log2) < shape.data_bytes) ++made.burst.size_log2;
  made.burst.beats =
      static_cast<std::uint32_t>((address + bytes - 1) / shape.data_bytes - address / shape.data_bytes + 1);
  return made;
}

}  // namespace

std::uint64_t axi4_burst_end(const Axi4Shape& shape, std::uint64_t address, std::uint64_t end) {
  const std::uint64_t longest = std::min<std::uint64_t>(kAxi4Boundary, std::uint64_t{256} * shape.data_bytes);
  return std::min(end, (address / longest + 1) * longest);
}

Axi4Transaction axi4_write(const Axi4Shape& shape, std::uint64_t address,
                           const std::vector<std::uint8_t>& bytes) {
  Axi4Transaction made = transfer(shape, true, address, bytes.size());
  made.data.resize(made.burst.beats);
  made.strobes.resize(made.burst.beats);
  const std::uint64_t first = address % shape.data_bytes;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const std::uint64_t at = first + n;
    made.data[at / shape.data_bytes][at % shape.data_bytes] = bytes[n];
    made.strobes[at / shape.data_bytes] |= std::uint64_t{1} << at % shape.data_bytes;
  }
  return made;
}

Axi4Transaction axi4_read(const Axi4Shape& shape, std::uint64_t address, std::uint64_t bytes) {
  return transfer(shape, false, address, bytes);
}

std::vector<std::uint8_t> axi4_bytes(const Axi4Shape& shape, const Axi4Transaction& read,
                                     std::uint64_t bytes) {
  std::vector<std::uint8_t> got(bytes);
  const std::uint64_t first = read.burst.address % shape.data_bytes;
  for (std::size_t n = 0; n < bytes; ++n)
    got[n] = read.data[(first + n) / shape.data_bytes][(first + n) % shape.data_bytes];
  return got;
}

}  // namespace wafertlm
