// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/contents_proof.h"

#include <algorithm>
#include <array>

namespace wafertlm {

ContentsProof::ContentsProof(std::uint64_t seed, RequesterId host)
    : random_(derive_key({seed, host}, Purpose::contents)) {}

template <typename Visit>
void ContentsProof::each_piece(const Access& access, Visit visit) {
  for (std::uint64_t at = 0; at < access.data.size();) {
    const std::uint64_t address = access.address + at;
    const std::uint64_t bytes =
        std::min<std::uint64_t>(access.data.size() - at, kPieceBytes - address % kPieceBytes);
    visit(address / kPieceBytes, at, bytes);
    at += bytes;
  }
}

unsigned char* ContentsProof::begin(std::uint64_t token, bool write, std::uint64_t address,
                                    std::uint64_t bytes) {
  Access& access = accesses_[token] = {write, address, ++order_, Bytes(bytes)};
  if (!write) return access.data.data();
  for (unsigned char& byte : access.data) byte = static_cast<unsigned char>(random_());
  each_piece(access, [this](std::uint64_t number, std::uint64_t, std::uint64_t) {
    Piece& piece = pieces_[number];
    piece.is_together = piece.stores++ != 0;
    if (piece.is_together) piece.is_known = false;
  });
  return access.data.data();
}

std::optional<std::uint64_t> ContentsProof::end(std::uint64_t token, bool ok) {
  const Access access = std::move(accesses_.extract(token).mapped());
  ++order_;
  std::optional<std::uint64_t> wrong;
  each_piece(access, [&](std::uint64_t number, std::uint64_t at, std::uint64_t bytes) {
    if (access.write) {
      Piece& piece = pieces_[number];
      piece.ended = order_;
      --piece.stores;
      if (!ok) piece.is_known = false;
      if (ok && !piece.is_together && bytes == kPieceBytes) piece.is_known = true;
      if (ok) stored_.write(access.address + at, access.data.data() + at, bytes);
      return;
    }
    if (!ok) return;
    const auto piece = pieces_.find(number);
    if (piece != pieces_.end() &&
        (!piece->second.is_known || piece->second.stores != 0 || piece->second.ended > access.began)) {
      unproven_bytes_ += bytes;
      return;
    }
    std::array<unsigned char, kPieceBytes> expected;
    stored_.read(access.address + at, expected.data(), bytes);
    const auto from = access.data.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = expected.begin() + static_cast<std::ptrdiff_t>(bytes);
    const auto differs = std::mismatch(expected.begin(), end, from).first;
    if (differs == end)
      proven_bytes_ += bytes;
    else if (!wrong)
      wrong = access.address + at + static_cast<std::uint64_t>(differs - expected.begin());
  });
  return wrong;
}

}  // namespace wafertlm
