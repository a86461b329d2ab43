// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/hbm/dram/dram_params.h"
#include "models/hbm/dram/row_visit.h"

namespace wafertlm {

/// Where an address is. The hashed map is "row bank group:1 channel column group:1" with the stack, the
/// channel, bank and group folded (by exclusive or) with all bits above them, so that strides of any power of
/// two use all of them; successive pieces of two rows' length go to the stacks in turn.
class AddressMap {
 public:
  /// @throws std::invalid_argument that says what is wrong with a given map.
  AddressMap(const DramTiming& timing, const AddressMapParams& params);

  std::uint32_t channels() const { return stacks_ * stack_channels_; }
  /// Contiguous bytes in one row visit.
  std::uint64_t piece_bytes() const { return std::uint64_t{access_bytes_} << piece_bits_; }
  std::uint32_t access_bytes() const { return access_bytes_; }

  struct Location {
    std::uint32_t channel;
    RowVisit visit;  ///< of one access
  };
  /// Of access number `access`, that is address / access_bytes().
  Location location(std::uint64_t access) const;

  /// Successive pieces. What a hashed map folds is the same for all pieces of a stripe (as many as there are
  /// channels of a stack, for each stack), and is folded once for them.
  class Walk {
   public:
    /// The first piece begins at access number `access`, maybe in its middle.
    Walk(const AddressMap& map, std::uint64_t access);
    /// Of the first access of this piece that is asked for.
    Location location() const { return map_->hashed_ ? Location{channel_, visit_} : map_->location(access_); }
    /// Of a hashed map.
    std::uint32_t channel() const { return channel_; }
    /// How many pieces from this one on are in the same rows of different channels, if they are whole; a
    /// given map does not tell.
    std::uint64_t pieces_in_same_row() const {
      if (!map_->hashed_ || (access_ & (map_->accesses_per_piece() - 1)) != 0) return 0;
      const std::uint64_t in_stripe = round_ & ((std::uint64_t{1} << map_->channel_bits_) - 1);
      return ((std::uint64_t{1} << map_->channel_bits_) - in_stripe) * map_->stacks_ - in_round_;
    }
    void next_piece() {
      access_ = (access_ | (map_->accesses_per_piece() - 1)) + 1;
      if (!map_->hashed_) return;
      visit_.first = 0;
      if (++in_round_ < map_->stacks_) {
        set_channel();
      } else {
        in_round_ = 0;
        new_round(round_ + 1);
      }
    }

   private:
    void new_round(std::uint64_t round) {
      round_ = round;
      if (map_->stacks_ > 1) turn_stacks();
      if (round >> map_->channel_bits_ != stripe_) new_stripe(round >> map_->channel_bits_);
      in_stack_ = (static_cast<std::uint32_t>(round) & ((1U << map_->channel_bits_) - 1)) ^ channel_xor_;
      set_channel();
    }
    void turn_stacks();
    void new_stripe(std::uint64_t stripe);
    void set_channel() {
      std::uint32_t stack = in_round_ + first_stack_;
      if (stack >= map_->stacks_) stack -= map_->stacks_;
      channel_ = stack * map_->stack_channels_ + in_stack_;
    }

    const AddressMap* map_;
    std::uint64_t access_, round_ = 0;
    std::uint64_t stripe_ = ~std::uint64_t{0};  // of channel_xor_ and visit_
    std::uint32_t in_round_ = 0, first_stack_ = 0, in_stack_ = 0, channel_xor_ = 0, channel_ = 0;
    RowVisit visit_;
  };
  /// Bytes that the map tells apart: above them, addresses of a given map whose rows have few bits repeat.
  std::uint64_t reach_bytes() const { return reach_bytes_; }
  std::uint64_t accesses_per_piece() const { return std::uint64_t{1} << piece_bits_; }

 private:
  enum Field : std::uint8_t { kRow, kBank, kGroup, kColumn, kChannel, kStack, kFields };
  struct Segment {
    Field field;
    std::uint8_t shift, bits, at;  ///< in the access' number, and where it goes in the field
  };
  void parse(const std::string& text, const unsigned (&bits)[kFields]);

  bool hashed_;
  std::uint32_t stacks_, stack_channels_, access_bytes_;
  unsigned channel_bits_, group_bits_, bank_bits_;
  unsigned piece_bits_ = 0, low_groups_ = 0;  ///< of a piece; bits of the group below its columns
  std::uint64_t reach_bytes_ = ~std::uint64_t{0};
  std::vector<Segment> segments_;
};

}  // namespace wafertlm
