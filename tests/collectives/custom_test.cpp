// SPDX-License-Identifier: Apache-2.0
// Custom algorithms: MSCCL programs and Chakra traces, proven, run with values, and compared with the
// built-in algorithms where the schedule is the same.
#include <gtest/gtest.h>

#include <string>

#include "tests/collectives/simulated.h"
#include "tests/support/refusal.h"
#include "tests/support/shared_traces.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/trace_jobs.h"
#include "workloads/collectives/custom/algorithm.h"

namespace wafertlm {
namespace {

/// Writes an MSCCL program, thread block by thread block.
class Msccl {
 public:
  Msccl(const std::string& coll, int gpus, int chunks, bool in_place = true)
      : text_("<algo name=\"t\" coll=\"" + coll + "\" ngpus=\"" + std::to_string(gpus) +
              "\" nchunksperloop=\"" + std::to_string(chunks) + "\" inplace=\"" + (in_place ? "1" : "0") +
              "\">\n") {}

  void gpu(int id, int scratch = 0) {
    close_gpu();
    tbs_ = 0;
    text_ += "<gpu id=\"" + std::to_string(id) + "\" s_chunks=\"" + std::to_string(scratch) + "\">\n";
    open_gpu_ = true;
  }
  /// The number of the thread block.
  int tb(int send, int receive) {
    close_tb();
    steps_ = 0;
    text_ += "<tb id=\"" + std::to_string(tbs_) + "\" send=\"" + std::to_string(send) + "\" recv=\"" +
             std::to_string(receive) + "\" chan=\"0\">\n";
    open_tb_ = true;
    return tbs_++;
  }
  /// `from` and `to`: a buffer and the first chunk, "i3".
  void step(const std::string& type, const std::string& from, const std::string& to, int after_tb = -1,
            int after_step = -1, int count = 1) {
    text_ += "<step s=\"" + std::to_string(steps_++) + "\" type=\"" + type + "\" srcbuf=\"" + from[0] +
             "\" srcoff=\"" + from.substr(1) + "\" dstbuf=\"" + to[0] + "\" dstoff=\"" + to.substr(1) +
             "\" cnt=\"" + std::to_string(count) + "\" depid=\"" + std::to_string(after_tb) + "\" deps=\"" +
             std::to_string(after_step) + "\" hasdep=\"0\"/>\n";
  }
  std::string text() {
    close_gpu();
    return text_ + "</algo>\n";
  }

 private:
  void close_tb() {
    if (open_tb_) text_ += "</tb>\n";
    open_tb_ = false;
  }
  void close_gpu() {
    close_tb();
    if (open_gpu_) text_ += "</gpu>\n";
    open_gpu_ = false;
  }

  int tbs_ = 0, steps_ = 0;
  bool open_tb_ = false, open_gpu_ = false;
  std::string text_;
};

std::string chunk(char buffer, int number) { return buffer + std::to_string(number); }

std::string ring_program(int p) {
  Msccl program("allreduce", p, p);
  for (int r = 0; r < p; ++r) {
    const auto block = [&](int behind) { return chunk('i', (r + 2 * p - behind) % p); };
    program.gpu(r);
    program.tb((r + 1) % p, (r + p - 1) % p);
    for (int k = 0; k < 2 * (p - 1); ++k) {
      program.step("s", block(k), block(k));
      program.step(k < p - 1 ? "rrc" : "r", block(k + 1), block(k + 1));
    }
  }
  return program.text();
}

class Custom : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) { return folder_.write(name, text); }

  /// Without time.
  void prove_it(const std::string& name, const std::string& text, CollectiveType type) {
    EXPECT_NO_THROW(read_custom_algorithms(write(name, text), type)) << text;
  }
  void refused(const std::string& text, CollectiveType type, const std::string& why) {
    try {
      read_custom_algorithms(write("refused.xml", text), type);
      FAIL() << "expected: " << why << "\n" << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }
  /// A fabric of dimensions, in functional mode.
  config::PlatformSpec dimensions(const std::string& list, const std::vector<std::string>& overrides = {}) {
    return config::load_platform(
        write("platform.yaml", "platform: t\nwafer:\n  fabric:\n    kind: dimensional\n    dimensions: [" +
                                   list + "]\nrun: {functional: true, checkers: true}\n"),
        overrides);
  }
  /// The time of a collective with values that were proven, ps.
  TimePs time_of(const config::PlatformSpec& spec, CollectiveType type, std::uint64_t bytes,
                 const std::string& algorithm) {
    CollectiveOptions options;
    options.type = to_string(type);
    options.algorithm = algorithm;
    const CollectiveSetup setup(spec, options);
    const auto result = run_in_child([&]() -> nlohmann::json {
      const CollectiveResult done =
          run_collectives(spec, [&](const FabricTraits& fabric) { return setup.plan(bytes, fabric); });
      return {{"time", done.time_ps}, {"proven", done.proven}};
    });
    EXPECT_TRUE(result["proven"].get<bool>());
    return result["time"].get<TimePs>();
  }

  test::TempFolder folder_;
};

const std::string kLink = ", bandwidth: 50 GB/s, latency: 500 ns}";

TEST_F(Custom, RingTakesAsLongAsTheBuiltIn) {
  const config::PlatformSpec ring = dimensions("{topology: ring, size: 5" + kLink);
  const std::string file = write("ring.xml", ring_program(5));
  const std::uint64_t bytes = 5 * 4 * 1000;
  EXPECT_EQ(time_of(ring, CollectiveType::all_reduce, bytes, file),
            time_of(ring, CollectiveType::all_reduce, bytes, "ring"));
  // A vector that does not cut evenly, and parts of chunks one after the other.
  time_of(ring, CollectiveType::all_reduce, 4 * 1003, file);
  config::PlatformSpec parts = ring;
  parts.collectives.chunks = 3;
  time_of(parts, CollectiveType::all_reduce, bytes, file);
}

/// Reduce-scatter in a pair of neighbours, all-reduce across the pairs, all-gather in the pair: ranks 0 to 3,
/// two chunks.
std::string pairs_of_pairs_program() {
  Msccl program("allreduce", 4, 2);
  for (int r = 0; r < 4; ++r) {
    const int near = r ^ 1, far = r ^ 2;
    const std::string own = chunk('i', r % 2), other = chunk('i', near % 2);
    program.gpu(r, 2);
    const int inside = program.tb(near, near);
    program.step("s", other, other);
    program.step("rrc", own, own);
    program.step("s", own, own, inside + 1, 2);
    program.step("r", other, other);
    program.tb(far, far);
    program.step("s", own, "s0", inside, 1);
    program.step("r", "s0", "s0");
    program.step("re", "s0", own);
  }
  return program.text();
}

TEST_F(Custom, HierarchicalTakesItsClosedForm) {
  const config::PlatformSpec fabric = dimensions(
      "{topology: fully_connected, size: 2" + kLink + ", {topology: fully_connected, size: 2" + kLink,
      {"collectives.chunks=1", "collectives.dimensions.all_reduce=[direct]"});
  const std::string file = write("pairs.xml", pairs_of_pairs_program());
  const TimePs message = 500'000 + 40'000'000 / 50 / 2, time = 3 * message;
  EXPECT_EQ(time_of(fabric, CollectiveType::all_reduce, 40'000, file), time);
}

std::string all_to_all_program(int p) {
  Msccl program("alltoall", p, p, false);
  for (int r = 0; r < p; ++r) {
    program.gpu(r);
    for (int j = 0; j < p; ++j) {
      program.tb(j == r ? -1 : j, j == r ? -1 : j);
      if (j == r) {
        program.step("cpy", chunk('i', r), chunk('o', r));
        continue;
      }
      program.step("s", chunk('i', j), chunk('o', r));
      program.step("r", chunk('i', j), chunk('o', j));
    }
  }
  return program.text();
}

TEST_F(Custom, AllToAllTakesAsLongAsTheBuiltIn) {
  const config::PlatformSpec fabric = dimensions("{topology: fully_connected, size: 4" + kLink);
  EXPECT_EQ(time_of(fabric, CollectiveType::all_to_all, 64'000, write("a2a.xml", all_to_all_program(4))),
            time_of(fabric, CollectiveType::all_to_all, 64'000, "direct"));
}

/// Everybody sends chunk j to rank j, which adds what comes and sends the sum to all.
std::string all_pairs(int p) {
  Msccl program("allreduce", p, p);
  for (int r = 0; r < p; ++r) {
    program.gpu(r, p);
    const auto first = [&](int peer) { return peer < r ? peer : peer - 1; };
    for (int j = 0; j < p; ++j) {
      if (j == r) continue;
      program.tb(j, j);
      program.step("s", chunk('i', j), chunk('s', r));
      program.step("r", chunk('s', j), chunk('s', j));
      program.step("s", chunk('i', r), chunk('i', r), p - 1, p - 2);
      program.step("r", chunk('i', j), chunk('i', j));
    }
    program.tb(-1, -1);
    for (int j = 0; j < p; ++j)
      if (j != r) program.step("re", chunk('s', j), chunk('i', r), first(j), 1);
  }
  return program.text();
}

TEST_F(Custom, AllPairsTakesAsLongAsTheBuiltIn) {
  const config::PlatformSpec fabric =
      dimensions("{topology: fully_connected, size: 4" + kLink, {"collectives.chunks=1"});
  EXPECT_EQ(time_of(fabric, CollectiveType::all_reduce, 64'000, write("pairs.xml", all_pairs(4))),
            time_of(fabric, CollectiveType::all_reduce, 64'000, "dimensional"));
}

// Every type of step, buffers apart.
TEST_F(Custom, StepsOfEveryTypeAreProven) {
  constexpr int p = 4;
  Msccl gathers("allgather", p, p, false), scatters("reduce_scatter", p, p, false),
      reduces("allreduce", p, 1);
  for (int r = 0; r < p; ++r) {
    const auto behind = [&](int by) { return (r + 2 * p - by) % p; };
    gathers.gpu(r);
    gathers.tb((r + 1) % p, behind(1));
    gathers.step("cpy", "i0", chunk('o', r));
    gathers.step("s", chunk('o', r), chunk('o', r));
    for (int k = 1; k < p; ++k) gathers.step(k + 1 < p ? "rcs" : "r", "i0", chunk('o', behind(k)));
    scatters.gpu(r);
    scatters.tb((r + 1) % p, behind(1));
    scatters.step("s", chunk('i', behind(1)), "o0");
    for (int k = 2; k < p; ++k) scatters.step("rrs", chunk('i', behind(k)), "o0");
    scatters.step("rrc", chunk('i', r), "o0");
    reduces.gpu(r);
    reduces.tb(r + 1 < p ? r + 1 : 0, behind(1));
    if (r == 0) reduces.step("s", "i0", "i0");
    reduces.step(r == 0 ? "r" : r + 1 < p ? "rrs" : "rrcs", "i0", "i0");
    if (r + 2 < p) reduces.step(r == 0 ? "s" : "rcs", "i0", "i0");
    if (r > 0 && r + 2 == p) reduces.step("r", "i0", "i0");
  }
  prove_it("gathers.xml", gathers.text(), CollectiveType::all_gather);
  prove_it("scatters.xml", scatters.text(), CollectiveType::reduce_scatter);
  prove_it("reduces.xml", reduces.text(), CollectiveType::all_reduce);
}

TEST_F(Custom, WrongProgramsAreRefusedByFileLineAndStep) {
  const auto changed = [](std::string text, const std::string& what, const std::string& by) {
    return text.replace(text.find(what), what.size(), by);
  };
  const CollectiveType reduce = CollectiveType::all_reduce;
  const std::string ring = ring_program(3), line3 = R"(<step s="0" type="s" srcbuf="i" srcoff="0")",
                    line4 = R"(<step s="1" type="rrc" srcbuf="i" srcoff="2" dstbuf="i" dstoff="2")";
  prove_it("right.xml", ring, reduce);
  refused(changed(ring, line4, R"(<step s="1" type="rrc" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1")"),
          reduce, "not an all_reduce: rank 0, chunk");
  refused(changed(ring, line4, R"(<step s="1" type="rx" srcbuf="i" srcoff="2" dstbuf="i" dstoff="2")"),
          reduce, "refused.xml:5: gpu 0: tb 0, step 1: type is 'rx'");
  refused(changed(ring, line3, R"(<step s="0" type="s" srcbuf="i" srcoff="3")"), reduce,
          "refused.xml:4: gpu 0: tb 0, step 0: chunks 3 to 3 of buffer i, which has 3");
  refused(changed(ring, line3, R"(<step s="0" type="nop" srcbuf="i" srcoff="0")"), reduce,
          "nobody sends message");
  refused(changed(ring, "depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"9\""), reduce,
          "depends on step 9 of tb 0, which is not there");
  refused(changed(ring, "depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"3\""), reduce,
          "waits for ever: a deadlock");
  refused(changed(ring, "send=\"1\"", "send=\"7\""), reduce,
          "'send' is '7'; expected a whole number from -1 to 2");
  refused(changed(ring, "<gpu id=\"1\"", "<gpu id=\"0\""), reduce, "gpu 0 is there twice");
  refused(changed(ring, "</algo>", ""), reduce, "cannot be read as XML");
  try {
    read_custom_algorithms("/nowhere.xml", reduce);
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "/nowhere.xml: cannot be read: No such file or directory");
  }
  refused(ring, CollectiveType::all_gather, "this is an algorithm for all_reduce, not for all_gather");
  const config::PlatformSpec other = dimensions("{topology: ring, size: 4" + kLink);
  EXPECT_THROW(time_of(other, reduce, 4096, write("three.xml", ring)), std::exception);
}

/// Rank 0 adds what rank 1 sends twice, in two thread blocks; then rank 1 gets it.
std::string two_adds(const std::string& into, bool ordered) {
  Msccl program("allreduce", 2, 1);
  program.gpu(0, 1);
  program.tb(1, 1);
  program.step("r", "s0", "s0");
  program.step("re", "s0", "i0");
  program.step("nop", "i0", "i0", 1, 1);
  program.step("s", "i0", "i0");
  program.tb(-1, -1);
  program.step("nop", "i0", "i0", 0, 0);
  program.step("re", "s0", into, ordered ? 0 : -1, ordered ? 1 : -1);
  program.gpu(1);
  program.tb(0, 0);
  program.step("s", "i0", "i0");
  program.step("r", "i0", "i0");
  return program.text();
}

// Report of MSCCL 38: two thread blocks that add into one chunk.
TEST_F(Custom, AccessesWithoutAnOrderAreRefused) {
  const CollectiveType reduce = CollectiveType::all_reduce;
  refused(
      two_adds("i0", false), reduce,
      "refused.xml:5: gpu 0, tb 0, step 1 and tb 1, step 1 (line 11) both add into i[0] without an order");
  refused(two_adds("i0", true), reduce, "not an all_reduce");
  refused(two_adds("s0", false), reduce,
          "refused.xml:5: gpu 0, tb 0, step 1 reads s[0] and tb 1, step 1 (line 11) adds into it without an");
}

/// Of two ranks; each adds what the other sends in one message to its copy.
std::string pair_program(const std::string& attributes) {
  std::string text =
      "<algo name=\"t\" coll=\"allreduce\" ngpus=\"2\" nchunksperloop=\"1\" " + attributes + ">\n";
  for (const char* rank : {"0", "1"}) {
    const std::string peer = *rank == '0' ? "1" : "0";
    text += std::string("<gpu id=\"") + rank + "\" s_chunks=\"1\"><tb id=\"0\" send=\"" + peer +
            "\" recv=\"" + peer + "\" chan=\"0\">\n";
    int number = 0;
    for (const auto& [type, from, to] : {std::tuple{"s", 'i', 'i'}, {"rrc", 'i', 's'}, {"cpy", 's', 'o'}})
      text += "<step s=\"" + std::to_string(number++) + "\" type=\"" + type + "\" srcbuf=\"" + from +
              "\" srcoff=\"0\" dstbuf=\"" + to +
              "\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
    text += "</tb></gpu>\n";
  }
  return text + "</algo>\n";
}

TEST_F(Custom, ProgramsAreForTheirSizes) {
  const CollectiveType reduce = CollectiveType::all_reduce;
  for (const char* use :
       {"inplace=\"1\"", "inplace=\"0\"", "outofplace=\"1\"", "inplace=\"1\" outofplace=\"1\""})
    prove_it("use.xml", pair_program(use), reduce);
  refused(pair_program("inplace=\"0\" outofplace=\"0\""), reduce, "it is for no call");
  refused(pair_program("minBytes=\"9\" maxBytes=\"8\""), reduce,
          "it is for no size: minBytes is 9, maxBytes 8");
  // In place the output is there from the start, out of place it is not.
  std::string ring = ring_program(3);
  refused(ring.replace(ring.find("inplace"), 0, "outofplace=\"1\" "), reduce, "not an all_reduce");

  write("table/small.xml", pair_program("minBytes=\"0\" maxBytes=\"1024\""));
  write("table/large.xml", pair_program("minBytes=\"1028\" maxBytes=\"1048576\""));
  write("table/other.xml", all_to_all_program(2));
  const std::string folder = folder_.path() + "/table";
  const auto table = read_custom_algorithms(folder, reduce);
  EXPECT_EQ(table->of(2, 1024)->name, "custom:small");
  EXPECT_EQ(table->of(2, 1028)->name, "custom:large");
  EXPECT_EQ(table->of(2, 0)->name, "custom:large") << "nothing to move: the first that is there";
  EXPECT_EQ(test::refusal_of<std::invalid_argument>([&] { table->of(2, 1048580); }),
            "no custom all_reduce for 2 ranks and 1048580 B: " + folder +
                "/large.xml is for 2 ranks and 1028 B to 1048576 B; " + folder +
                "/small.xml is for 2 ranks and 0 B to 1024 B");
  write("table/third.xml", pair_program("minBytes=\"1024\""));
  EXPECT_NE(test::refusal_of<std::invalid_argument>([&] {
              read_custom_algorithms(folder, reduce);
            }).find("both for 2 ranks and the same sizes"),
            std::string::npos);
}

// The same ring as traces, whose computations take 7 us each: the built-in one is 7 x 7 us faster.
TEST_F(Custom, TracesAreAlgorithms) {
  const config::PlatformSpec ring = dimensions("{topology: ring, size: 8" + kLink);
  const std::string job = test::write_ring_job(folder_.path() + "/ring", 8, 1 << 20);
  EXPECT_EQ(time_of(ring, CollectiveType::all_reduce, 1 << 20, job),
            time_of(ring, CollectiveType::all_reduce, 1 << 20, "ring") + 49'000'000);
}

class CustomSample : public test::WithSampleTraces<Custom> {};

// ASTRA-sim's example: that ring as traces and as an MSCCL program.
TEST_F(CustomSample, TracesAndProgram) {
  const config::PlatformSpec ring = dimensions("{topology: ring, size: 8" + kLink);
  const std::string sample = trace("custom_ring_allreduce_8npus_1MB/custom_allreduce");
  const TimePs built_in = time_of(ring, CollectiveType::all_reduce, 1 << 20, "ring");
  EXPECT_EQ(time_of(ring, CollectiveType::all_reduce, 1 << 20, sample), built_in + 49'000'000);
  EXPECT_EQ(time_of(ring, CollectiveType::all_reduce, 1 << 20, sample + ".xml"), built_in);
}

TEST_F(Custom, AstraSimNamesThemInItsSystemFile) {
  const std::string program = write("custom_allreduce.xml", ring_program(8));
  const std::string job = test::write_collective_job(folder_.path() + "/job/all_reduce",
                                                     chakra::CollectiveType::AllReduce, 8, 1 << 20);
  const auto run = [&](const std::string& implementation) {
    return test::run_tool(
        "astra-sim --workload-configuration=" + job + " --system-configuration=" +
        write("system.json",
              "{\"scheduling-policy\": \"FIFO\", \"preferred-dataset-splits\": 1, "
              "\"all-reduce-implementation" +
                  implementation + "\"]}") +
        " --network-configuration=" +
        write("network.yml",
              "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n") +
        " --logging-folder=" + folder_.path() + "/out");
  };
  const test::ToolResult custom = run("-custom\": [\"" + program), built_in = run("\": [\"ring");
  ASSERT_EQ(custom.exit_code, 0) << custom.error;
  EXPECT_EQ(custom.error, "");
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(first_line(custom.out), first_line(built_in.out));
  EXPECT_NE(custom.out.find("custom:custom_allreduce"), std::string::npos) << custom.out;
  EXPECT_EQ(run("-custom\": [\"nowhere/ring").exit_code, 2);
}

}  // namespace
}  // namespace wafertlm
