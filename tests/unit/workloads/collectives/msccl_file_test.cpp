// SPDX-License-Identifier: Apache-2.0
// MSCCL programs: what of a file becomes an operation, and what is refused, with its line.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/temp_folder.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {
namespace {

using Texts = std::vector<std::string>;

/// Two ranks, three thread blocks; a chunk each way.
const char* const kProgram = R"(<algo name="t" coll="allreduce" ngpus="2" nchunksperloop="4">
<gpu id="1" s_chunks="3">
<tb id="0" send="0" recv="0" chan="5">
<step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="o" dstoff="0" cnt="2" depid="1" deps="0" hasdep="0"/>
<step s="1" type="rcs" srcbuf="i" srcoff="0" dstbuf="o" dstoff="3" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="2" type="rrc" srcbuf="i" srcoff="0" dstbuf="s" dstoff="2" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="3" type="rrs" srcbuf="i" srcoff="0" dstbuf="s" dstoff="2" cnt="2" depid="0" deps="1" hasdep="0"/>
</tb>
<tb id="1" send="-1" recv="-1">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="s" dstoff="1" cnt="2" depid="-1" deps="-1" hasdep="1"/>
<step s="1" type="re" srcbuf="s" srcoff="1" dstbuf="i" dstoff="2" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="2" type="nop" depid="0" deps="3" hasdep="0"/>
</tb>
</gpu>
<gpu id="0">
<tb id="0" send="1" recv="1" chan="5">
<step s="0" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="2" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="rrcs" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>
)";

std::string text_of(const CustomChunks& chunks) {
  return chunks.count == 0
             ? "-"
             : fmt::format("{}{}x{}", "ios"[static_cast<int>(chunks.buffer)], chunks.first, chunks.count);
}

Texts texts_of(const CustomRank& rank) {
  static const char* const kKinds[] = {"send", "receive", "receive_reduce", "copy", "reduce", "wait"};
  Texts texts;
  for (const CustomThread& thread : rank.threads)
    for (const CustomOperation& op : thread.operations) {
      texts.push_back(fmt::format("{} {}:{} {} {}->{}", thread.name, op.line, op.step,
                                  kKinds[static_cast<int>(op.kind)], text_of(op.from), text_of(op.to)));
      if (op.kind <= CustomOperation::Kind::receive_reduce) texts.back() += fmt::format(" peer {}", op.peer);
      texts.back() += fmt::format(" channel {}{}", op.channel, op.pays_reduction ? " and adds" : "");
      if (op.after_thread != Step::kNone)
        texts.back() += fmt::format(" after {}.{}", op.after_thread, op.after_count);
      if (op.delay_ps) texts.back() += fmt::format(" delay {}", *op.delay_ps);
    }
  return texts;
}

class MscclFiles : public testing::Test {
 protected:
  static std::string changed(const std::string& what, const std::string& by) {
    std::string text = kProgram;
    EXPECT_NE(text.find(what), std::string::npos) << what;
    return text.replace(text.find(what), what.size(), by);
  }
  std::string problem(const std::string& text) {
    const std::string path = folder_.write("p.xml", text);
    try {
      read_msccl_file(path);
    } catch (const std::invalid_argument& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.substr(0, path.size()), path);
      return message.substr(path.size());
    }
    return "";
  }
  /// The message when a part of the program is another.
  std::string with(const std::string& what, const std::string& by) { return problem(changed(what, by)); }

  test::TempFolder folder_;
};

TEST_F(MscclFiles, StepsAreOperations) {
  const CustomAlgorithm read = read_msccl_file(folder_.write("p.xml", kProgram));
  EXPECT_EQ(read.type, CollectiveType::all_reduce);
  EXPECT_FALSE(read.in_place);
  EXPECT_EQ(read.chunks, 4U);
  EXPECT_EQ(read.scratch_chunks, 5U) << "three, and two of rrs";
  ASSERT_EQ(read.ranks.size(), 2U);
  EXPECT_EQ(read.ranks[0].file, folder_.path() + "/p.xml");
  EXPECT_EQ(texts_of(read.ranks[0]), (Texts{"tb 0 17:0 receive -->i1x2 peer 1 channel 5",
                                            "tb 0 18:1 receive_reduce i1x1->i1x1 peer 1 channel 5",
                                            "tb 0 18:1 send i1x1->- peer 1 channel 5"}));
  EXPECT_EQ(
      texts_of(read.ranks[1]),
      (Texts{"tb 0 4:0 send i1x2->- peer 0 channel 5 after 1.1", "tb 0 5:1 receive -->o3x1 peer 0 channel 5",
             "tb 0 5:1 send o3x1->- peer 0 channel 5", "tb 0 6:2 receive -->s2x1 peer 0 channel 5 and adds",
             "tb 0 6:2 reduce i0x1->s2x1 channel 5 delay 0",
             "tb 0 7:3 receive -->s3x2 peer 0 channel 5 and adds after 0.3",
             "tb 0 7:3 reduce i0x2->s3x2 channel 5 delay 0", "tb 0 7:3 send s3x2->- peer 0 channel 5",
             "tb 1 10:0 copy i0x2->s1x2 channel 0", "tb 1 11:1 reduce s1x1->i2x1 channel 0",
             "tb 1 12:2 wait -->- channel 0 after 0.8 delay 0"}));
  EXPECT_EQ(read.place(1, 0, read.ranks[1].threads[0].operations[4]),
            folder_.path() + "/p.xml:6: gpu 1, tb 0, step 2");
}

TEST_F(MscclFiles, TheCollective) {
  const auto type = [&](const std::string& name, const std::string& in_place) {
    return read_msccl_file(folder_.write(
        "p.xml", changed("coll=\"allreduce\"", "coll=\"" + name + "\" inplace=\"" + in_place + "\"")));
  };
  EXPECT_TRUE(type("allreduce", "1").in_place);
  EXPECT_FALSE(type("allreduce", "0").in_place);
  EXPECT_EQ(type("alltoall", "0").type, CollectiveType::all_to_all);
  EXPECT_EQ(with("coll=\"allreduce\"", "coll=\"alltoall\" inplace=\"1\""),
            ":1: an all-to-all in place is not supported: write outofplace=\"1\"");
  EXPECT_EQ(with("coll=\"allreduce\"", "coll=\"gather\""),
            ":1: coll is 'gather'; expected allreduce, allgather, reduce_scatter or alltoall");
  for (const char* name : {"allgather", "reduce_scatter", "reducescatter"}) {
    std::string text = changed("coll=\"allreduce\"", std::string("coll=\"") + name + "\"");
    text.replace(text.find("loop=\"4\""), 8, "loop=\"5\"");
    EXPECT_EQ(problem(text),
              ":1: nchunksperloop is 5, no multiple of the 2 ranks, whose blocks have equally many chunks");
  }
  EXPECT_EQ(with("nchunksperloop=\"4\"", "nchunksperloop=\"5\""), "")
      << "the vector of an all-reduce has no blocks";
}

// Of an all-gather the input is a block, of a reduce-scatter the output.
TEST_F(MscclFiles, RoomOfBuffers) {
  CustomAlgorithm algorithm;
  algorithm.chunks = 12;
  algorithm.scratch_chunks = 7;
  algorithm.ranks.resize(3);
  using Buffer = CustomChunks::Buffer;
  for (const auto& [type, input, output] : {std::tuple{CollectiveType::all_reduce, 12U, 12U},
                                            {CollectiveType::all_gather, 4U, 12U},
                                            {CollectiveType::reduce_scatter, 12U, 4U},
                                            {CollectiveType::all_to_all, 12U, 12U}}) {
    algorithm.type = type;
    EXPECT_EQ(algorithm.size_of(Buffer::input), input);
    EXPECT_EQ(algorithm.size_of(Buffer::output), output);
    EXPECT_EQ(algorithm.size_of(Buffer::scratch), 7U);
  }
}

TEST_F(MscclFiles, WhatIsRefusedWithItsLine) {
  EXPECT_EQ(problem("<other/>"), ":1: expected an MSCCL program, <algo …>");
  EXPECT_NE(with("</algo>", "").find(": cannot be read as XML: XML_ERROR_"), std::string::npos);
  EXPECT_EQ(with("name=\"t\" coll=\"allreduce\"", ""), ":1: <algo> has no 'coll'");
  EXPECT_EQ(with("nchunksperloop=\"4\"", "nchunksperloop=\"0\""),
            ":1: 'nchunksperloop' is '0'; expected a whole number from 1 to 1048576");
  EXPECT_EQ(with("nchunksperloop=\"4\"", "nchunksperloop=\"x\""),
            ":1: 'nchunksperloop' is 'x'; expected a whole number from 1 to 1048576");
  EXPECT_EQ(with("ngpus=\"2\"", "ngpus=\"3\""), ":1: there is no gpu 2");
  EXPECT_EQ(with("<gpu id=\"0\"", "<gpu id=\"1\""), ":15: gpu 1 is there twice");
  EXPECT_EQ(with("<gpu id=\"0\"", "<gpu id=\"2\""), ":15: 'id' is '2'; expected a whole number from 0 to 1");
  EXPECT_EQ(with("<gpu id=\"1\" s_chunks=\"3\">", "<x/><gpu id=\"1\" s_chunks=\"3\">"),
            ":2: expected <gpu>, not <x>");
  EXPECT_EQ(with("<tb id=\"0\"", "<y/><tb id=\"0\""), ":3: gpu 1: expected <tb>, not <y>");
  EXPECT_EQ(with("<tb id=\"1\"", "<tb id=\"2\""),
            ":9: gpu 1: thread blocks are numbered from 0 on; expected id=\"1\"");
  EXPECT_EQ(with("send=\"0\"", "send=\"2\""),
            ":3: gpu 1: 'send' is '2'; expected a whole number from -1 to 1");
  EXPECT_EQ(with("send=\"0\"", "send=\"1\""), ":3: gpu 1: a rank does not communicate with itself; use cpy");
  EXPECT_EQ(with("send=\"-1\" recv=\"-1\"", "send=\"0\" recv=\"-1\" chan=\"5\""),
            ":9: gpu 1: tb 1: another thread block has gpu 0 on channel 5 already");
  EXPECT_EQ(with("send=\"-1\" recv=\"-1\"", "send=\"-1\" recv=\"0\" chan=\"5\""),
            ":9: gpu 1: tb 1: another thread block has gpu 0 on channel 5 already");
  EXPECT_EQ(with("send=\"-1\" recv=\"-1\"", "send=\"0\" recv=\"0\" chan=\"6\""), "");
  EXPECT_EQ(with("<step s=\"1\" type=\"rcs\"", "<z/><step s=\"1\" type=\"rcs\""),
            ":5: gpu 1: tb 0, step 0: expected <step>, not <z>");
  EXPECT_EQ(with("<step s=\"1\" type=\"rcs\"", "<step s=\"2\" type=\"rcs\""),
            ":5: gpu 1: tb 0, step 1: steps are numbered from 0 on; expected s=\"1\"");
  EXPECT_EQ(with("type=\"rcs\"", "type=\"rcz\""),
            ":5: gpu 1: tb 0, step 1: type is 'rcz'; expected s, r, rcs, rrc, rrs, rrcs, re, cpy or nop");
  EXPECT_EQ(with("srcbuf=\"i\"", "srcbuf=\"q\""),
            ":4: gpu 1: tb 0, step 0: 'srcbuf' is 'q'; expected i, o or s");
  EXPECT_EQ(with("dstoff=\"3\" cnt=\"1\"", "dstoff=\"3\" cnt=\"2\""),
            ":5: gpu 1: tb 0, step 1: chunks 3 to 4 of buffer o, which has 4");
  EXPECT_EQ(with("s_chunks=\"3\"", "s_chunks=\"2\""),
            ":6: gpu 1: tb 0, step 2: chunks 2 to 2 of buffer s, which has 2");
  EXPECT_EQ(with("cnt=\"2\"", "cnt=\"0\""),
            ":4: gpu 1: tb 0, step 0: 'cnt' is '0'; expected a whole number from 1 to 1048576");
  EXPECT_EQ(with("send=\"0\" recv=\"0\"", "send=\"-1\" recv=\"0\""),
            ":4: gpu 1: tb 0, step 0: the thread block has no peer to send to");
  EXPECT_EQ(with("send=\"0\" recv=\"0\"", "send=\"0\" recv=\"-1\""),
            ":5: gpu 1: tb 0, step 1: the thread block has no peer to receive from");
  EXPECT_EQ(with("depid=\"1\" deps=\"0\"", "depid=\"2\" deps=\"0\""),
            ":4: gpu 1: depends on step 0 of tb 2, which is not there");
  EXPECT_EQ(with("depid=\"1\" deps=\"0\"", "depid=\"1\" deps=\"3\""),
            ":4: gpu 1: depends on step 3 of tb 1, which is not there");
  EXPECT_EQ(with("depid=\"1\" deps=\"0\"", "depid=\"1\" deps=\"2\""), "");
}

}  // namespace
}  // namespace wafertlm
