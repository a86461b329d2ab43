// SPDX-License-Identifier: Apache-2.0
// What the benches of both protocols have in common: the stimulus in memories, when it is due, and what has to come out.
// Included into a module that has P, W, VC, clk and rst_n. `wafertlm rtl export` writes stimulus.svh and the .hex files.

// A line of each file. Cycles count from the first event of the recording.
typedef struct packed {
  logic [47:0] cycle;
  logic [31:0] span;  // cycles from the head to the tail, as it came
  logic [7:0] channel;
  logic [7:0] dest;
  logic [63:0] header;
  logic [31:0] flits;
  logic [31:0] words;  // of config.hex that must have been written before
  logic [31:0] first;  // line in flits.hex
  logic [31:0] next;  // packet of the same input and channel; all ones: none
} packet_t;
typedef struct packed {
  logic [47:0] cycle;
  logic [15:0] entry;
  logic [7:0] word;
  logic [31:0] value;
  logic [31:0] gone;  // copies of packets of the entry that must have left before
} word_t;
typedef struct packed {
  logic [47:0] cycle;
  logic [7:0] port;
  logic [7:0] channel;
  logic [31:0] flits;
} credit_t;
typedef struct packed {
  logic [47:0] cycle;  // of the model's head; all ones: not recorded
  logic [7:0] port;
  logic [63:0] header;
  logic [31:0] flits;
  logic [31:0] first;  // line in expected_flits.hex
  logic [7:0] channel;
  logic [31:0] stream;  // packets of it keep their order at an output,
  logic [31:0] place;  // … which is that of these numbers
} expected_t;

localparam int unsigned NONE = '1;
localparam longint NEVER = 64'h7fffffffffffffff;
localparam int PATIENCE = 256;  // cycles without a move after which time goes on to what is due next
packet_t packets[`REPLAY_PACKETS+1];
logic [W-1:0] flits[`REPLAY_FLITS+1];
word_t words[`REPLAY_WORDS+1];
credit_t credit_list[`REPLAY_CREDITS+1];
expected_t expected[`REPLAY_EXPECTED+1];
logic [W-1:0] expected_flits[`REPLAY_EXPECTED_FLITS+1];
logic [31:0] queue[P*VC];  // the packet that is next at an input and channel
logic [31:0] rooms[P*VC];  // flits behind an output beyond the module's credits; all ones: no limit

longint now;  // the cycle that begins
int unsigned next_word, next_credit, seen, sent, quiet;
longint earliest, latest;  // a head's difference from the model's
bit active, over, any;
int index_of[bit [47:0]];  // of what is expected, by output, number and flow
bit is_out[`REPLAY_EXPECTED+1];
int last_out[bit [39:0]];  // the place of the last packet that has left, by stream and output
int unsigned gone[bit [15:0]];  // copies that have left, by entry
int going[P];  // packet on its way into an input; -1: none
int unsigned given[P];  // flits of it
int leaving[P*VC];  // what is leaving by an output and channel; -1: nothing
int unsigned left[P*VC];  // flits of it

initial begin
  $readmemh("packets.hex", packets, 0, `REPLAY_PACKETS);
  $readmemh("flits.hex", flits, 0, `REPLAY_FLITS);
  $readmemh("config.hex", words, 0, `REPLAY_WORDS);
  $readmemh("credits.hex", credit_list, 0, `REPLAY_CREDITS);
  $readmemh("expected.hex", expected, 0, `REPLAY_EXPECTED);
  $readmemh("expected_flits.hex", expected_flits, 0, `REPLAY_EXPECTED_FLITS);
  $readmemh("queues.hex", queue, 0, P * VC - 1);
  $readmemh("rooms.hex", rooms, 0, P * VC - 1);
  for (int i = 0; i < `REPLAY_EXPECTED; i++) index_of[{expected[i].port, expected[i].header[39:0]}] = i;
  for (int i = 0; i < P; i++) going[i] = -1;
  for (int i = 0; i < P * VC; i++) leaving[i] = -1;
end

function automatic string name_of(int i);
  return $sformatf("expected.hex line %0d (flow %0d, number %0d, in stimulus.txt)", i + 1, expected[i].header[15:0],
                   expected[i].header[39:16]);
endfunction

task automatic fail(string what);
  if (!over) begin
    $display("FAILED in cycle %0d: %s", now, what);
    over = 1;
    $fatal(1, "the RTL does not do what the recording says");
  end
endtask

// Nothing of what is always there may be unknown.
task automatic check_known(string side, int port, logic all);
  if (all === 1'bx) fail($sformatf("%s %0d: a pin is unknown", side, port));
endtask

// A head leaves by an output: which of the expected packets it is; -1: none.
function automatic int find_packet(int port, logic [63:0] header);
  return index_of.exists({8'(port), header[39:0]}) == 0 ? -1 : index_of[{8'(port), header[39:0]}];
endfunction

// The bits of a flit that are payload.
function automatic logic [W-1:0] payload_of(int i, int unsigned flit);
  int bytes = int'(expected[i].header[63:40]) - int'(flit) * W / 8;
  return bytes >= W / 8 ? '1 : bytes <= 0 ? '0 : ~('1 << (8 * bytes));
endfunction

// A flit leaves by an output. (Without `return`, `break` and `continue`: Verilator 5.006 moves writes to arrays behind them.)
task automatic check_flit(int port, int channel, logic head, logic tail, logic [63:0] header, logic [W-1:0] data);
  int q = port * VC + channel, i;
  bit [39:0] stream;
  logic [W-1:0] right, mask;
  active = 1;
  if (head) begin
    i = find_packet(port, header);
    if (i < 0) begin
      fail($sformatf("output %0d: nothing with the header %h (flow %0d, number %0d) leaves here", port, header,
                     header[15:0], header[39:16]));
    end else begin
      longint late = now - longint'(expected[i].cycle);
      if (header !== expected[i].header)
        fail($sformatf("output %0d: header %h in place of %h of %s", port, header, expected[i].header, name_of(i)));
      if (is_out[i]) fail($sformatf("output %0d: twice: %s", port, name_of(i)));
      if (channel / `REPLAY_CLASS_VC != int'(expected[i].channel) / `REPLAY_CLASS_VC)
        fail($sformatf("output %0d: channel %0d in place of %0d of %s", port, channel, expected[i].channel, name_of(i)));
      stream = {expected[i].stream, 8'(port)};
      if (last_out.exists(stream) != 0 && last_out[stream] > int'(expected[i].place))
        fail($sformatf("output %0d: after a packet that entered behind it: %s", port, name_of(i)));
      last_out[stream] = int'(expected[i].place);
      if (expected[i].cycle != '1) begin
        if (!any || late < earliest) earliest = late;
        if (!any || late > latest) latest = late;
        any = 1;
      end
    end
    leaving[q] = i;
    left[q] = 0;
  end
  i = leaving[q];
  if (i < 0) begin
    fail($sformatf("output %0d: a flit that follows no head", port));
  end else if (left[q] >= expected[i].flits) begin
    fail($sformatf("output %0d: more than %0d flits of %s", port, expected[i].flits, name_of(i)));
  end else begin
    mask = payload_of(i, left[q]);
    right = expected_flits[expected[i].first+left[q]];
    if (((data ^ right) & mask) !== 0)
      fail($sformatf("output %0d: flit %0d of %s: expected %h, got %h", port, left[q], name_of(i), right & mask, data & mask));
    left[q] = left[q] + 1;
    if (tail) begin
      if (left[q] != expected[i].flits)
        fail($sformatf("output %0d: %0d flits in place of %0d of %s", port, left[q], expected[i].flits, name_of(i)));
      is_out[i] = 1;
      seen = seen + 1;
      gone[header[15:0]] = (gone.exists(header[15:0]) == 0 ? 0 : gone[header[15:0]]) + 1;
      leaving[q] = -1;
    end
  end
endtask

// The word that is due, if it may be written.
function automatic bit word_is_due();
  word_t word = words[next_word];
  if (next_word == `REPLAY_WORDS || longint'(word.cycle) > now) return 0;
  return word.gone == 0 || (gone.exists(word.entry) != 0 && gone[word.entry] >= word.gone);
endfunction

// Of an input, the packet that begins now: the one that came first, of any channel with room for all of it; -1: none.
function automatic int next_packet(int port, int unsigned room[P*VC], int unsigned depth);
  int best = -1;
  for (int c = 0; c < VC; c++) begin
    logic [31:0] i = queue[port*VC+c];
    if (i != NONE) begin
      if (longint'(packets[i].cycle) <= now && packets[i].words <= next_word &&
          room[port*VC+c] >= (packets[i].flits < depth ? packets[i].flits : depth) &&
          (best < 0 || packets[i].cycle < packets[best].cycle))
        best = int'(i);
    end
  end
  return best;
endfunction

// Whether the next flit of the packet that is going in has come: it may come slower than the clock.
function automatic bit flit_is_due(int port);
  packet_t of = packets[going[port]];
  return longint'(of.cycle) + longint'(of.span) * longint'(given[port]) / longint'(of.flits) <= now;
endfunction

// A flit has gone into `port`.
task automatic count_flit(int port);
  packet_t of = packets[going[port]];
  active = 1;
  given[port] = given[port] + 1;
  if (given[port] == of.flits) begin
    queue[port*VC+int'(of.channel)] = of.next;
    going[port] = -1;
    sent = sent + 1;
  end
endtask

// The earliest of what is yet to come; the last number: nothing.
function automatic longint next_due();
  longint due = NEVER;
  for (int i = 0; i < P * VC; i++)
    if (queue[i] != NONE && longint'(packets[queue[i]].cycle) > now && longint'(packets[queue[i]].cycle) < due)
      due = longint'(packets[queue[i]].cycle);
  if (next_word < `REPLAY_WORDS && longint'(words[next_word].cycle) > now && longint'(words[next_word].cycle) < due)
    due = longint'(words[next_word].cycle);
  if (next_credit < `REPLAY_CREDITS && seen != `REPLAY_EXPECTED && longint'(credit_list[next_credit].cycle) < due)
    due = longint'(credit_list[next_credit].cycle);
  return due;
endfunction

// The next cycle; or, when nothing moves, the one in which something is due.
task automatic advance();
  now = now + 1;
  quiet = active ? 0 : quiet + 1;
  active = 0;
  if (quiet >= PATIENCE || (quiet > 16 && seen == `REPLAY_EXPECTED && sent == `REPLAY_PACKETS)) begin
    longint due = next_due();
    quiet = 0;
    if (due == NEVER) finish();
    else if (due > now) now = due;
  end
endtask

task automatic finish();
  for (int i = 0; i < `REPLAY_EXPECTED; i++)
    if (!is_out[i]) fail($sformatf("output %0d: nothing moves any more, and missing is %s", expected[i].port, name_of(i)));
  if (sent != `REPLAY_PACKETS) fail($sformatf("%0d of %0d packets did not go in", `REPLAY_PACKETS - sent, `REPLAY_PACKETS));
  if (!over) $display("PASSED: %0d packets in, %0d out, all data equal%s", sent, seen, any ? $sformatf(
             "; heads leave %0d to %0d cycles after the model's", earliest, latest) : "");
  over = 1;
  $finish;
endtask
