// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <systemc>

/// A memory behind AXI4: a beat of reads and one of writes per cycle, bursts in their order. The first beat
/// of an idle read comes 8 cycles after its address, the answer of an idle write of n beats 7 + n after.
class Scratchpad final : public sc_core::sc_module {
 public:
  static constexpr int kDataBits = 512, kAddressBits = 40, kIdBits = 4;
  static constexpr std::uint64_t kLatency = 8;  // cycles
  static constexpr std::size_t kBursts = 16;    // under way, reads and writes each
  template <int bits>
  using In = sc_core::sc_in<sc_dt::sc_bv<bits>>;
  template <int bits>
  using Out = sc_core::sc_out<sc_dt::sc_bv<bits>>;
  using Bit = sc_core::sc_in<bool>;
  using BitOut = sc_core::sc_out<bool>;

  Bit aclk{"aclk"}, aresetn{"aresetn"};
  In<kIdBits> s_axi_awid{"s_axi_awid"}, s_axi_arid{"s_axi_arid"};
  In<kAddressBits> s_axi_awaddr{"s_axi_awaddr"}, s_axi_araddr{"s_axi_araddr"};
  In<8> s_axi_awlen{"s_axi_awlen"}, s_axi_arlen{"s_axi_arlen"};
  In<3> s_axi_awsize{"s_axi_awsize"}, s_axi_arsize{"s_axi_arsize"};
  In<2> s_axi_awburst{"s_axi_awburst"}, s_axi_arburst{"s_axi_arburst"};
  Bit s_axi_awlock{"s_axi_awlock"}, s_axi_arlock{"s_axi_arlock"};  // answered with OKAY: not exclusive
  Bit s_axi_awvalid{"s_axi_awvalid"}, s_axi_arvalid{"s_axi_arvalid"};
  BitOut s_axi_awready{"s_axi_awready"}, s_axi_arready{"s_axi_arready"};
  In<kDataBits> s_axi_wdata{"s_axi_wdata"};
  In<kDataBits / 8> s_axi_wstrb{"s_axi_wstrb"};
  Bit s_axi_wlast{"s_axi_wlast"}, s_axi_wvalid{"s_axi_wvalid"};
  BitOut s_axi_wready{"s_axi_wready"};
  Out<kIdBits> s_axi_bid{"s_axi_bid"}, s_axi_rid{"s_axi_rid"};
  Out<2> s_axi_bresp{"s_axi_bresp"}, s_axi_rresp{"s_axi_rresp"};
  BitOut s_axi_bvalid{"s_axi_bvalid"}, s_axi_rvalid{"s_axi_rvalid"};
  Bit s_axi_bready{"s_axi_bready"}, s_axi_rready{"s_axi_rready"};
  Out<kDataBits> s_axi_rdata{"s_axi_rdata"};
  BitOut s_axi_rlast{"s_axi_rlast"};

  explicit Scratchpad(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(Scratchpad);
    SC_CTHREAD(clock, aclk.pos());
    reset_signal_is(aresetn, false);
    SC_METHOD(show);
    sensitive << edges_;
  }

 private:
  using Word = sc_dt::sc_bv<kDataBits>;
  struct Burst {
    sc_dt::sc_bv<kIdBits> id;
    std::uint64_t address;  // of the next beat
    std::uint64_t length;   // beats less one
    std::uint64_t left;     // of the beats behind the next one
    std::uint64_t size, kind;
    std::uint64_t at;  // cycle from which it may be served

    void advance() {
      const std::uint64_t bytes = std::uint64_t{1} << size, whole = (length + 1) << size;
      const std::uint64_t next = address / bytes * bytes + bytes;
      if (kind == 1) address = next;                                    // INCR
      if (kind == 2) address = address / whole * whole + next % whole;  // WRAP; FIXED stays
      if (left != 0) --left;
    }
  };
  struct Beat {
    sc_dt::sc_bv<kIdBits> id;
    Word data;
    bool is_last;
  };

  template <class Id, class Address, class Length, class Size, class Kind>
  Burst burst(const Id& id, const Address& address, const Length& length, const Size& size,
              const Kind& kind) const {
    const std::uint64_t beats = length.read().to_uint64();
    return {id.read(),
            address.read().to_uint64(),
            beats,
            beats,
            size.read().to_uint64(),
            kind.read().to_uint64(),
            edges_.read() + kLatency - 1};
  }
  bool takes_data() const { return !writes_.empty() && answers_.size() < kBursts; }

  void write_beat() {
    Burst& now = writes_.front();
    Word& word = words_[now.address * 8 / kDataBits];
    for (int byte = 0; byte < kDataBits / 8; ++byte)
      if (s_axi_wstrb.read()[byte].to_bool())
        word.range(8 * byte + 7, 8 * byte) = s_axi_wdata.read().range(8 * byte + 7, 8 * byte);
    now.advance();
    if (!s_axi_wlast.read()) return;
    now.at = edges_.read() + kLatency - 2;  // its address came an edge before
    answers_.push_back(now);
    writes_.pop_front();
  }
  void load_beat() {
    beat_.reset();
    if (reads_.empty() || reads_.front().at > edges_.read()) return;
    Burst& now = reads_.front();
    beat_ = Beat{now.id, words_[now.address * 8 / kDataBits], now.left == 0};
    now.advance();
    if (beat_->is_last) reads_.pop_front();
  }
  void load_answer() {
    answer_.reset();
    if (answers_.empty() || answers_.front().at > edges_.read()) return;
    answer_ = answers_.front().id;
    answers_.pop_front();
  }

  /// What an edge sees on the pins is what show() made of the state behind the last one.
  void clock() {
    reads_.clear();
    writes_.clear();
    answers_.clear();
    beat_.reset();
    answer_.reset();
    edges_.write(edges_.read() + 1);
    for (;;) {
      wait();
      const bool takes_write = s_axi_awvalid.read() && writes_.size() < kBursts;
      const bool takes_read = s_axi_arvalid.read() && reads_.size() < kBursts;
      const bool takes_beat = s_axi_wvalid.read() && takes_data();
      if (!beat_ || s_axi_rready.read()) load_beat();
      if (!answer_ || s_axi_bready.read()) load_answer();
      if (takes_beat) write_beat();
      if (takes_write)
        writes_.push_back(burst(s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst));
      if (takes_read)
        reads_.push_back(burst(s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst));
      edges_.write(edges_.read() + 1);
    }
  }

  void show() {
    s_axi_awready.write(writes_.size() < kBursts);
    s_axi_arready.write(reads_.size() < kBursts);
    s_axi_wready.write(takes_data());
    s_axi_bvalid.write(answer_.has_value());
    s_axi_rvalid.write(beat_.has_value());
    s_axi_bresp.write(0);
    s_axi_rresp.write(0);
    if (answer_) s_axi_bid.write(*answer_);
    if (!beat_) return;
    s_axi_rid.write(beat_->id);
    s_axi_rdata.write(beat_->data);
    s_axi_rlast.write(beat_->is_last);
  }

  std::map<std::uint64_t, Word> words_;  // what was never written is 0
  std::deque<Burst> reads_, writes_, answers_;
  std::optional<Beat> beat_;
  std::optional<sc_dt::sc_bv<kIdBits>> answer_;
  sc_core::sc_signal<std::uint64_t> edges_{"edges"};
};
