// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/et_reader.h"

#include <chrono>
#include <filesystem>
#include <iterator>

#include "tests/support/same_node.h"
#include "tests/unit/workloads/chakra/trace_files.h"
#include "tests/unit/workloads/chakra/wire_bytes.h"

namespace wafertlm::chakra::test {
namespace {

class EtReading : public ::testing::Test {
 protected:
  std::vector<Node> read(const std::string& content) {
    write_bytes(path_, content);
    EtReader reader(path_);
    return read_all(reader);
  }
  void expect_refused(const std::string& content, std::initializer_list<std::string> parts) {
    expect_error([&] { read(content); }, parts);
    expect_error([&] { read(content); }, {path_});
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("job.0.et");
};

TEST_F(EtReading, ReadsWhatTheWireFactsSay) {
  const std::string packed = bytes(5, varint(1) + varint(300));  // proto3 packs repeated integers
  const auto nodes =
      read(metadata("1.0.0") +
           record(node(7, "compute", 4,
                       number(4, 9) + packed + number(7, 12) + attribute("num_ops", number(13, 5)))) +
           record(node(8, "reduce", 7,
                       attribute("comm_type", number(9, 7)) + attribute("comm_size", number(9, 1 << 20)) +
                           attribute("pg_name", bytes(29, "3")) +
                           attribute("involved_dim", bytes(28, bytes(1, {'\1', '\0', '\1'}))) +
                           attribute("wafertlm_class", bytes(29, "dp")))));
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].id, 7U);
  EXPECT_EQ(nodes[0].name, "compute");
  EXPECT_EQ(nodes[0].type, NodeType::Comp);
  EXPECT_EQ(nodes[0].ctrl_deps, std::vector<std::uint64_t>{9});
  EXPECT_EQ(nodes[0].data_deps, (std::vector<std::uint64_t>{1, 300}));
  EXPECT_EQ(nodes[0].duration_ps, 12'000'000U);
  EXPECT_EQ(nodes[0].num_ops, 5U);
  EXPECT_FALSE(nodes[0].is_cpu_op);
  EXPECT_EQ(nodes[1].comm_type, CollectiveType::ReduceScatter);
  EXPECT_EQ(nodes[1].comm_size, 1U << 20);
  EXPECT_EQ(nodes[1].pg_name, "3");
  EXPECT_EQ(nodes[1].involved_dim, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(nodes[1].comm_class, "dp");
  EXPECT_FALSE(nodes[1].num_ops) << "left over from the node before";
}

// What a trace says and nobody knows is named with its count, what PyTorch records besides is not.
TEST_F(EtReading, CountsAttributesThatNobodyKnows) {
  const std::string known = attribute("rf_id", number(9, 4)), group = attribute("comm_group", number(9, 3));
  write_bytes(path_, metadata() + record(node(1, "a", 4, group + known)) +
                         record(node(2, "b", 4, group + attribute("Num_ops", number(9, 4)))));
  EtReader reader(path_);
  Node each;
  for (int pass = 0; pass < 2; ++pass, reader.rewind()) {
    while (reader.next(each)) {
    }
    EXPECT_EQ(reader.unknown_attributes(), (AttributeCounts{{"Num_ops", 1}, {"comm_group", 2}}));
  }
}

TEST_F(EtReading, EveryIntegerWidthIsAccepted) {
  constexpr std::uint64_t kValue = 1000;
  constexpr std::uint64_t kZigzag = 2 * kValue;
  for (const std::string& value :
       {number(7, kValue), number(9, kValue), number(11, kValue), number(13, kValue), number(15, kZigzag),
        number(17, kZigzag), fixed(19, kValue, 4), fixed(21, kValue, 8), fixed(23, kValue, 4),
        fixed(25, kValue, 8)}) {
    const auto nodes = read(metadata() + record(node(1, "load", 2, attribute("tensor_size", value))));
    EXPECT_EQ(nodes.at(0).tensor_size, kValue);
  }
}

TEST_F(EtReading, OurDurationWinsOverMicroseconds) {
  const auto nodes =
      read(metadata() +
           record(node(1, "c", 4, attribute("wafertlm_duration_ps", number(13, 1234567)) + number(7, 2))));
  EXPECT_EQ(nodes.at(0).duration_ps, 1234567U);
}

TEST_F(EtReading, ACpuCollectiveWithoutTypeIsALaunch) {
  const auto nodes =
      read(metadata() +
           record(node(1, "c10d::allreduce_", 7, number(7, 85) + attribute("is_cpu_op", number(27, 1)))) +
           record(node(2, "barrier", 7, attribute("comm_type", number(9, 9)))));
  EXPECT_TRUE(nodes.at(0).is_launch());
  EXPECT_EQ(nodes.at(0).duration_ps, 85'000'000U);
  EXPECT_TRUE(nodes.at(1).is_collective()) << "a barrier has no size";
}

TEST_F(EtReading, SendsCarryForeignCollectiveTypes) {
  const auto nodes = read(
      metadata() + record(node(1, "s", 5,
                               attribute("comm_type", number(9, 77)) + attribute("comm_size", number(9, 8)) +
                                   attribute("comm_dst", number(7, 1)))));
  EXPECT_FALSE(nodes.at(0).comm_type);
  EXPECT_EQ(nodes.at(0).comm_dst, 1U);
}

TEST_F(EtReading, BadAttributesNameByteNodeAndAttribute) {
  const std::uint64_t minus_one = ~std::uint64_t{0};
  const auto refuse = [&](unsigned type, const std::string& attributes, const std::string& part) {
    // Metadata is 8 bytes long.
    expect_refused(metadata() + record(node(5, "the node", type, attributes)),
                   {"byte 8", "node 5 \"the node\"", part});
  };
  refuse(7, "", "comm_type");
  refuse(7, attribute("comm_type", number(9, 0)), "comm_size");
  refuse(7, attribute("comm_type", number(9, 10)), "comm_type is not a collective");
  refuse(7, attribute("comm_type", bytes(29, "ALL_REDUCE")), "comm_type is not an integer");
  refuse(7, attribute("comm_type", number(9, 0)) + attribute("comm_size", number(9, minus_one)),
         "comm_size is negative (-1)");
  refuse(7, attribute("comm_type", number(9, 0)) + attribute("comm_type", number(9, 1)), "given twice");
  refuse(7, attribute("pg_name", ""), "pg_name is not a string");
  refuse(5, attribute("comm_size", number(9, 1)), "comm_dst");
  refuse(6, attribute("comm_size", number(9, 1)), "comm_src");
  refuse(6, attribute("comm_src", number(9, 1ULL << 32U)), "does not fit 32 bits");
  refuse(2, "", "MEM_LOAD without the attribute tensor_size");
  refuse(3, attribute("tensor_size", ""), "tensor_size is not an integer");
  refuse(4, attribute("is_cpu_op", number(9, 2)), "is_cpu_op");
  refuse(4, attribute("involved_dim", number(27, 1)), "involved_dim");
  const auto numbers = [](std::initializer_list<std::uint64_t> list) {
    std::string packed;
    for (const std::uint64_t each : list) packed += varint(each);
    return attribute("wafertlm_products", bytes(14, bytes(1, packed)));
  };
  refuse(4, numbers({1, 2, 3}), "wafertlm_products is not a list of m, n, k, count");
  refuse(4, numbers({1, 0, 3, 1}), "wafertlm_products has a 0");
  refuse(4, attribute("wafertlm_products", number(9, 1)), "wafertlm_products is not a list of uint64");
  refuse(4, number(7, 9'300'000'000'000ULL), "duration_micros");
  refuse(4, attribute("wafertlm_duration_ps", number(13, minus_one)), "106 days");
  refuse(0, "", "INVALID");
  refuse(8, "", "node type 8");
}

TEST_F(EtReading, WhatIsNotATraceIsRefused) {
  const std::string good = record(node(1, "c", 4));
  expect_refused("", {"byte 0", "empty"});
  expect_refused(good, {"byte 0", "GlobalMetadata"});
  expect_refused("\x1f\x8b\x08 something gzipped", {"byte 0"});
  expect_refused(
      "{\"workload_graph\": [], \"more\": \"text that is long enough for a record ................."
      "....................................\"}",
      {"byte 0"});
  expect_refused(metadata("0.0.3") + good, {"byte 0", "\"0.0.3\"", "0.0.4 and 1.0.0"});
  expect_refused(record(bytes(2, bytes(1, "schema") + bytes(29, "1.0.2-chakra.0.0.1"))) + good,
                 {"1.0.2-chakra.0.0.1"});
  expect_refused(metadata() + record(number(1, 4) + number(3, 4) + number(12, 1)), {"byte 8", "field 12"});
  expect_refused(metadata() + good + std::string(1, '\0'), {"byte 16", "INVALID"});  // trailing bytes
  expect_refused(metadata() + good + "\x05x", {"byte 18", "starts at byte 16"});
  expect_refused(metadata() + std::string(12, '\xff'), {"byte 8", "length"});
  expect_error([] { EtReader("/nowhere/job.0.et"); }, {"/nowhere/job.0.et", "cannot be read"});
  expect_error([this] { EtReader(folder_.file("")); }, {"not a regular file"});
}

TEST_F(EtReading, RewindStartsAgain) {
  write_bytes(path_, metadata() + record(node(1, "a", 4)) + record(node(2, "b", 4, number(4, 1))));
  EtReader reader(path_);
  const auto first = read_all(reader);
  reader.rewind();
  EXPECT_EQ(read_all(reader), first);
  ASSERT_EQ(first.size(), 2U);
}

std::size_t open_files() {
  const std::filesystem::directory_iterator first("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(first, std::filesystem::directory_iterator()));
}

const std::string kLongName(5000, 'n');

TEST_F(EtReading, AFileIsOpenOnlyWhileItIsRead) {
  write_bytes(path_, metadata() + record(node(1, kLongName, 4)) + record(node(2, "b", 4)));
  const std::size_t before = open_files();
  EtReader reader(path_);
  Node each;
  for (int pass = 0; pass < 2; ++pass, reader.rewind()) {
    EXPECT_EQ(open_files(), before);
    EXPECT_TRUE(reader.next(each));
    EXPECT_EQ(open_files(), before + 1);
    EXPECT_TRUE(reader.next(each));
    EXPECT_FALSE(reader.next(each));
    EXPECT_EQ(open_files(), before);
    EXPECT_FALSE(reader.next(each));
  }
  EXPECT_TRUE(reader.next(each));
  reader.rewind();
  EXPECT_EQ(open_files(), before);
}

TEST_F(EtReading, AShortFileIsReadOnce) {
  write_bytes(path_, metadata() + record(node(1, "a", 4)));
  const std::size_t before = open_files();
  EtReader reader(path_);
  const auto first = read_all(reader);
  std::filesystem::remove(path_);
  reader.rewind();
  EXPECT_EQ(read_all(reader), first);
  EXPECT_EQ(first.size(), 1U);
  EXPECT_EQ(open_files(), before);
}

TEST_F(EtReading, AFileThatHasChangedIsRefused) {
  write_bytes(path_, metadata() + record(node(1, kLongName, 4)));
  EtReader reader(path_);
  write_bytes(path_, metadata() + record(node(1, kLongName + "er", 4)));
  expect_error([&] { read_all(reader); }, {path_, "has changed while it was read"});
  // As long as before, and written later.
  write_bytes(path_, metadata() + record(node(1, kLongName, 4)));
  EtReader same_length(path_);
  std::filesystem::last_write_time(path_,
                                   std::filesystem::last_write_time(path_) + std::chrono::nanoseconds(1));
  expect_error([&] { read_all(same_length); }, {path_, "has changed while it was read"});
  std::filesystem::remove(path_);
  expect_error([&] { read_all(reader); }, {path_, "cannot be read"});
}

}  // namespace
}  // namespace wafertlm::chakra::test
