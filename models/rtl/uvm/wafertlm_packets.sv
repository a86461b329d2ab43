// SPDX-License-Identifier: Apache-2.0
// Examples for UVM: a packet of a recording as a sequence item, and the sequence of those that come to one port, or leave it.
// Not run: there is no UVM in Debian. Verilator reads them beside a stand-in (tests/rtl/uvm).
package wafertlm_packets;
  import uvm_pkg::*;
`include "uvm_macros.svh"
`include "wafertlm_rec.svh"

  class wafertlm_packet extends uvm_sequence_item;
    bit leaves;  // of the model: what the switch has to send
    int port, channel, flow;
    longint sequence_number;
    longint head_ps, tail_ps;  // -1: not known
    bit has_values;
    byte unsigned payload[];

    `uvm_object_utils(wafertlm_packet)
    function new(string name = "wafertlm_packet");
      super.new(name);
    endfunction

    // The 64 bits beside its head.
    function bit [63:0] header();
      return {24'(payload.size()), 24'(sequence_number), 16'(flow)};
    endfunction

    function int flits(int flit_bytes);
      return payload.size() == 0 ? 1 : (payload.size() + flit_bytes - 1) / flit_bytes;
    endfunction

    virtual function string convert2string();
      return $sformatf("%s port %0d, channel %0d, flow %0d, packet %0d, %0d B at %0d ps", leaves ? "from" : "to", port, channel,
                       flow, sequence_number, payload.size(), head_ps);
    endfunction

    // The next one of a recording. 0: the end.
    function bit read(chandle recording);
      int kind, bytes;
      if (wafertlm_rec_next(recording, kind, port, channel, flow, sequence_number, bytes, head_ps, tail_ps) != 1) return 0;
      leaves = kind == 1;
      has_values = wafertlm_rec_byte(recording, 0) >= 0;
      payload = new[bytes];
      for (int i = 0; has_values && i < bytes; i++) payload[i] = 8'(wafertlm_rec_byte(recording, i));
      return 1;
    endfunction
  endclass

  class wafertlm_recorded_sequence extends uvm_sequence #(wafertlm_packet);
    string path;
    int port;
    bit leaves;

    `uvm_object_utils(wafertlm_recorded_sequence)
    function new(string name = "wafertlm_recorded_sequence");
      super.new(name);
    endfunction

    virtual task body();
      chandle recording = wafertlm_rec_open(path);
      wafertlm_packet packet = new();
      if (recording == null) begin
        `uvm_fatal("WAFERTLM", {"no recording: ", path})
        return;
      end
      while (packet.read(recording)) begin
        if (packet.port == port && packet.leaves == leaves) begin
          start_item(packet);
          finish_item(packet);
          packet = new();
        end
      end
      wafertlm_rec_close(recording);
    endtask
  endclass
endpackage
