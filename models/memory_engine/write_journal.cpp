// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/write_journal.h"

#include <algorithm>
#include <iterator>

namespace wafertlm {

WriteJournal::Pieces::const_iterator WriteJournal::first(std::uint32_t node, std::uint64_t address) const {
  auto piece = pieces_.lower_bound({node, address});
  if (piece == pieces_.begin()) return piece;
  const auto before = std::prev(piece);
  return before->first.first == node && before->first.second + before->second.bytes > address ? before
                                                                                              : piece;
}

void WriteJournal::drop(std::uint32_t node, const Segment& segment) {
  const std::uint64_t end = segment.address + segment.bytes;
  std::vector<Piece> rests;
  for (auto piece = first(node, segment.address);
       piece != pieces_.end() && piece->first.first == node && piece->first.second < end;) {
    const auto& [bytes, data] = piece->second;
    const std::uint64_t begin = piece->first.second, piece_end = begin + bytes;
    const auto rest = [&, &all = data](std::uint64_t from, std::uint64_t to) {
      if (from >= to) return;
      Bytes part;
      if (!all.empty())
        part.assign(all.begin() + static_cast<std::ptrdiff_t>(from - begin),
                    all.begin() + static_cast<std::ptrdiff_t>(to - begin));
      rests.push_back({node, {from, to - from}, std::move(part)});
    };
    rest(begin, segment.address);
    rest(end, piece_end);
    bytes_ -= bytes;
    piece = pieces_.erase(piece);
  }
  for (Piece& rest : rests) {
    bytes_ += rest.segment.bytes;
    pieces_[{node, rest.segment.address}] = {rest.segment.bytes, std::move(rest.data)};
  }
}

void WriteJournal::keep(std::uint32_t node, const Segment& segment, const unsigned char* data) {
  drop(node, segment);
  bytes_ += segment.bytes;
  pieces_[{node, segment.address}] = {segment.bytes, data ? Bytes(data, data + segment.bytes) : Bytes()};
}

bool WriteJournal::overlay(std::uint32_t node, const Segment& segment, unsigned char* data) const {
  const std::uint64_t end = segment.address + segment.bytes;
  std::uint64_t covered = 0;
  for (auto piece = first(node, segment.address);
       piece != pieces_.end() && piece->first.first == node && piece->first.second < end; ++piece) {
    const std::uint64_t begin = piece->first.second, from = std::max(begin, segment.address),
                        to = std::min(begin + piece->second.bytes, end);
    covered += to - from;
    if (data && !piece->second.data.empty())
      std::copy_n(piece->second.data.data() + (from - begin), to - from, data + (from - segment.address));
  }
  return covered == segment.bytes;
}

bool WriteJournal::has(const Filter& of) const {
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const Pieces::value_type& piece) {
    return of(piece.first.first, {piece.first.second, piece.second.bytes});
  });
}

std::vector<WriteJournal::Piece> WriteJournal::pieces(const Filter& of) const {
  std::vector<Piece> all;
  for (const auto& [place, kept] : pieces_)
    if (const Segment segment{place.second, kept.bytes}; !of || of(place.first, segment))
      all.push_back({place.first, segment, kept.data});
  return all;
}

}  // namespace wafertlm
