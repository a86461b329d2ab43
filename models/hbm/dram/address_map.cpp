// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/address_map.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

constexpr const char* kNames[] = {"row", "bank", "group", "column", "channel", "stack"};
constexpr const char* kHashedOrder = "row bank group:1 channel column group:1";

unsigned log2_of(std::uint64_t value) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < value) ++bits;
  return bits;
}

/// All bits of `value` (the lowest 16 times `bits`), `bits` (at most 7) at a time, by exclusive or.
std::uint32_t fold(std::uint64_t value, unsigned bits) {
  value ^= value >> 8 * bits;
  value ^= value >> 4 * bits;
  value ^= value >> 2 * bits;
  value ^= value >> bits;
  return static_cast<std::uint32_t>(value) & ((1U << bits) - 1);
}

}  // namespace

AddressMap::AddressMap(const DramTiming& timing, const AddressMapParams& params)
    : hashed_(params.given.empty()),
      stacks_(params.stacks),
      stack_channels_(timing.pseudo_channels),
      access_bytes_(timing.access_bytes),
      channel_bits_(log2_of(timing.pseudo_channels)),
      group_bits_(log2_of(timing.bank_groups)),
      bank_bits_(log2_of(timing.banks_per_group)) {
  if (params.stacks == 0) throw std::invalid_argument("an HBM has at least one stack");
  const unsigned stack_bits = log2_of(params.stacks);
  if (!hashed_ && (1U << stack_bits) != params.stacks)
    throw std::invalid_argument(
        say("a given address map needs a power of two of stacks; take the hashed one for ", params.stacks));
  const unsigned bits[kFields] = {32,
                                  bank_bits_,
                                  group_bits_,
                                  log2_of(timing.row_bytes / timing.access_bytes),
                                  channel_bits_,
                                  hashed_ ? 0 : stack_bits};
  parse(hashed_ ? kHashedOrder : params.given, bits);
}

void AddressMap::parse(const std::string& text, const unsigned (&bits)[kFields]) {
  struct Piece {
    Field field;
    unsigned bits;  // 0: what is left
  };
  std::vector<Piece> pieces;  // highest first
  unsigned left[kFields];
  std::copy(bits, bits + kFields, left);
  std::istringstream words(text);
  const auto fail = [&](const std::string& why) {
    throw std::invalid_argument("address map '" + text + "': " + why);
  };
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find(':'));
    const auto* const found = std::find(std::begin(kNames), std::end(kNames), name);
    if (found == std::end(kNames))
      fail("there is no field '" + name + "'; there are row, bank, group, column, channel and stack");
    const auto field = static_cast<Field>(found - std::begin(kNames));
    unsigned count = 0;
    if (name.size() != word.size()) {
      const std::string number = word.substr(name.size() + 1);
      if (number.empty() || number.size() > 2 ||
          number.find_first_not_of("0123456789") != std::string::npos ||
          (count = static_cast<unsigned>(std::stoul(number))) == 0)
        fail("'" + word + "' should say how many bits, as in 'column:2'");
      if (count > left[field]) fail(say("'", word, "' is too much: ", name, " has ", bits[field], " bits"));
      left[field] -= count;
    }
    pieces.push_back({field, count});
  }
  for (Piece& piece : pieces)
    if (piece.bits == 0) {
      piece.bits = left[piece.field];
      left[piece.field] = 0;
      if (piece.bits == 0 && bits[piece.field] != 0)
        fail(std::string("nothing is left for '") + kNames[piece.field] + "'");
    }
  for (unsigned field = kBank; field < kFields; ++field)
    if (left[field] != 0) fail(say("it lacks ", left[field], " bits of '", kNames[field], "'"));
  if (std::none_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.field == kRow; }))
    fail("it lacks 'row'");

  unsigned shift = 0, filled[kFields] = {0, 0, 0, 0, 0, 0};
  bool in_piece = true, columns = false;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    segments_.push_back({piece->field, static_cast<std::uint8_t>(shift),
                         static_cast<std::uint8_t>(piece->bits),
                         static_cast<std::uint8_t>(filled[piece->field])});
    filled[piece->field] += piece->bits;
    shift += piece->bits;
    in_piece &= piece->field == kColumn || (piece->field == kGroup && !columns);
    if (!in_piece) continue;
    columns |= piece->field == kColumn;
    if (!columns) low_groups_ += piece->bits;
    piece_bits_ += piece->bits;
  }
  if (shift > 63) fail("it has more than 63 bits");
  if (!hashed_ && shift + log2_of(access_bytes_) < 64) reach_bytes_ = std::uint64_t{access_bytes_} << shift;
}

AddressMap::Walk::Walk(const AddressMap& map, std::uint64_t access) : map_(&map), access_(access) {
  if (!map.hashed_) return;
  const std::uint64_t piece = access >> map.piece_bits_;
  const std::uint64_t round = map.stacks_ == 1 ? piece : piece / map.stacks_;
  in_round_ = static_cast<std::uint32_t>(piece - round * map.stacks_);
  new_round(round);
  visit_.first = access & 1;
}

/// A round has a piece in each stack.
void AddressMap::Walk::turn_stacks() { first_stack_ = fold(round_, 6) % map_->stacks_; }

/// kHashedOrder, and what it is folded with.
void AddressMap::Walk::new_stripe(std::uint64_t stripe) {
  stripe_ = stripe;
  const auto bits = [](std::uint64_t value, unsigned count) {
    return static_cast<std::uint32_t>(value) & ((1U << count) - 1);
  };
  const unsigned high_groups = map_->group_bits_ - 1;
  const std::uint64_t row = stripe >> (high_groups + map_->bank_bits_);
  channel_xor_ = fold(stripe, map_->channel_bits_);
  visit_.groups = 2;
  visit_.base_group = static_cast<std::uint8_t>((bits(stripe, high_groups) << 1) ^
                                                fold(row >> 1 ^ row << 1, map_->group_bits_));
  visit_.bank =
      static_cast<std::uint8_t>(bits(stripe >> high_groups, map_->bank_bits_) ^ fold(row, map_->bank_bits_));
  visit_.row = static_cast<std::uint32_t>(row);
}

AddressMap::Location AddressMap::location(std::uint64_t access) const {
  if (hashed_) return Walk(*this, access).location();
  std::uint64_t value[kFields] = {0, 0, 0, 0, 0, 0};
  for (const Segment& each : segments_)
    value[each.field] |= (access >> each.shift & ((std::uint64_t{1} << each.bits) - 1)) << each.at;
  RowVisit visit;
  const std::uint32_t in_turn = (1U << low_groups_) - 1;
  visit.groups = static_cast<std::uint8_t>(in_turn + 1);
  visit.first = static_cast<std::uint8_t>(access & in_turn);
  visit.base_group = static_cast<std::uint8_t>(value[kGroup] ^ visit.first);
  visit.bank = static_cast<std::uint8_t>(value[kBank]);
  visit.row = static_cast<std::uint32_t>(value[kRow]);
  return {static_cast<std::uint32_t>(value[kStack]) * stack_channels_ +
              static_cast<std::uint32_t>(value[kChannel]),
          visit};
}

}  // namespace wafertlm
