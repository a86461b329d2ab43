// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <deque>
#include <systemc>

namespace wafertlm {

/// axi_fifo.sv in SystemC RTL: a clocked thread with the FIFOs, and a method that shows them on the pins.
template <int P, int W, int DEPTH = 16>
class AxiFifoSystemc final : public sc_core::sc_module {
 public:
  template <int bits>
  using In = sc_core::sc_in<sc_dt::sc_bv<bits>>;
  template <int bits>
  using Out = sc_core::sc_out<sc_dt::sc_bv<bits>>;

  sc_core::sc_in<bool> aclk{"aclk"}, aresetn{"aresetn"};
  In<P> s_tvalid{"s_tvalid"}, s_tlast{"s_tlast"};
  Out<P> s_tready{"s_tready"};
  In<P * W> s_tdata{"s_tdata"};
  In<P * 16> s_tid{"s_tid"};
  In<P * 8> s_tdest{"s_tdest"};
  In<P * 64> s_tuser{"s_tuser"};
  Out<P> m_tvalid{"m_tvalid"}, m_tlast{"m_tlast"};
  In<P> m_tready{"m_tready"};
  Out<P * W> m_tdata{"m_tdata"};
  Out<P * 16> m_tid{"m_tid"};
  Out<P * 8> m_tdest{"m_tdest"};
  Out<P * 64> m_tuser{"m_tuser"};

  explicit AxiFifoSystemc(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(AxiFifoSystemc);
    SC_CTHREAD(clock, aclk.pos());
    reset_signal_is(aresetn, false);
    SC_METHOD(show);
    sensitive << edges_;
  }

 private:
  struct Flit {
    bool last;
    sc_dt::sc_bv<16> id;
    sc_dt::sc_bv<8> dest;
    sc_dt::sc_bv<64> user;
    sc_dt::sc_bv<W> data;
  };
  static bool bit(const sc_core::sc_in<sc_dt::sc_bv<P>>& pin, int i) { return pin.read()[i].to_bool(); }
  template <int bits>
  static sc_dt::sc_bv<bits> part(const sc_dt::sc_bv_base& of, int i) {
    return of.range((i + 1) * bits - 1, i * bits);
  }
  bool is_full(int i) const { return fifos_[i].size() == static_cast<std::size_t>(DEPTH); }

  void clock() {
    for (auto& fifo : fifos_) fifo.clear();
    edges_.write(edges_.read() + 1);
    for (;;) {
      wait();
      for (int i = 0; i < P; ++i) {
        std::deque<Flit>& fifo = fifos_[i];
        const bool put = bit(s_tvalid, i) && !is_full(i);
        if (!fifo.empty() && bit(m_tready, P - 1 - i)) fifo.pop_front();
        if (put)
          fifo.push_back({bit(s_tlast, i), part<16>(s_tid.read(), i), part<8>(s_tdest.read(), i),
                          part<64>(s_tuser.read(), i), part<W>(s_tdata.read(), i)});
      }
      edges_.write(edges_.read() + 1);
    }
  }

  void show() {
    sc_dt::sc_bv<P> ready, valid, last;
    sc_dt::sc_bv<P * 16> id;
    sc_dt::sc_bv<P * 8> dest;
    sc_dt::sc_bv<P * 64> user;
    sc_dt::sc_bv<P * W> data;
    for (int i = 0; i < P; ++i) {
      const int o = P - 1 - i;
      ready[i] = !is_full(i);
      if (fifos_[i].empty()) continue;
      const Flit& front = fifos_[i].front();
      valid[o] = true;
      last[o] = front.last;
      id.range(o * 16 + 15, o * 16) = front.id;
      dest.range(o * 8 + 7, o * 8) = front.dest;
      user.range(o * 64 + 63, o * 64) = front.user;
      data.range(o * W + W - 1, o * W) = front.data;
    }
    s_tready.write(ready);
    m_tvalid.write(valid);
    m_tlast.write(last);
    m_tid.write(id);
    m_tdest.write(dest);
    m_tuser.write(user);
    m_tdata.write(data);
  }

  std::deque<Flit> fifos_[P];
  sc_core::sc_signal<unsigned> edges_{"edges"};
};

}  // namespace wafertlm
