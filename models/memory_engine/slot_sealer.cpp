// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/slot_sealer.h"

#include <algorithm>

#include "models/memory_engine/region_layout.h"

namespace wafertlm {

void SlotSealer::seal(std::uint64_t slot, std::uint64_t version, const unsigned char* page, Bytes& image) {
  image.assign(page_bytes_ + kTagBytes, 0);
  const PageSealer::Context context{slot, version, ++sealings_};
  const PageSealer::Tag tag = sealer_.seal(context, page, page_bytes_, image.data());
  unsigned char* record = image.data() + page_bytes_;
  for (unsigned i = 0; i < 8; ++i) record[i] = static_cast<unsigned char>(context.number >> 8 * i);
  std::copy(tag.begin(), tag.end(), record + 8);
}

bool SlotSealer::open(std::uint64_t slot, std::uint64_t version, Bytes& image) const {
  if (written_.count(slot) == 0) {
    image.assign(page_bytes_, 0);
    return true;
  }
  PageSealer::Context context{slot, version, 0};
  const unsigned char* record = image.data() + page_bytes_;
  PageSealer::Tag tag;
  for (unsigned i = 0; i < 8; ++i) context.number |= std::uint64_t{record[i]} << 8 * i;
  std::copy_n(record + 8, tag.size(), tag.begin());
  const bool right = sealer_.open(context, image.data(), page_bytes_, tag, image.data());
  image.resize(page_bytes_);
  return right || !checks_tags_;
}

}  // namespace wafertlm
