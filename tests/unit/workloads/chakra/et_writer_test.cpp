// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/et_writer.h"

#include <unistd.h>

#include <cstdio>
#include <system_error>

#include "tests/unit/workloads/chakra/random_nodes.h"
#include "tests/unit/workloads/chakra/trace_files.h"
#include "workloads/chakra/et_reader.h"

namespace wafertlm::chakra::test {
namespace {

std::vector<Node> some_nodes() {
  std::vector<Node> nodes{comp(0), comp(1, {0}), collective(2, CollectiveType::AllGather, 4096, "4"),
                          send(3, 1, 9, 100), receive(4, 2, 9, 200)};
  nodes[1].ctrl_deps = {0, 77};
  nodes[1].duration_ps = 1'000'001;  // not a whole microsecond
  nodes[1].num_ops = 123;
  nodes[1].is_cpu_op = true;
  nodes[2].comm_class = "dp";
  nodes[2].comm_priority = 3;
  nodes[2].involved_dim = {true, false};
  nodes[2].name = "α \"quoted\" \n name";
  Node load;
  load.id = ~std::uint64_t{0};
  load.type = NodeType::MemLoad;
  load.tensor_size = ~std::uint64_t{0};
  nodes.push_back(load);
  return nodes;
}

/// Output of a shell command and its exit status.
std::pair<std::string, int> run(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {"", -1};
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output.push_back(static_cast<char>(c));
  return {output, ::pclose(pipe)};
}

TEST(EtWriting, ReadsBackEqual) {
  const TemporaryFolder folder;
  const std::string path = folder.file("job.0.et");
  VectorSource source("nodes", some_nodes());
  EXPECT_EQ(write_trace(source, path), some_nodes().size());
  EtReader reader(path);
  EXPECT_EQ(reader.version(), "0.0.4");
  EXPECT_EQ(read_all(reader), some_nodes());
}

TEST(EtWriting, RandomNodesReadBackEqual) {
  const std::vector<Node> nodes = random_nodes(2000);
  const TemporaryFolder folder;
  VectorSource source("nodes", nodes);
  write_trace(source, folder.file("job.0.et"));
  EtReader reader(folder.file("job.0.et"));
  EXPECT_EQ(read_all(reader), nodes);
}

TEST(EtWriting, ProtocReadsEveryMessage) {
  const TemporaryFolder folder;
  const std::string path = folder.file("job.0.et");
  VectorSource source("nodes", some_nodes());
  write_trace(source, path);
  const std::string content = read_bytes(path);
  std::vector<std::string> decoded;
  for (std::size_t at = 0; at < content.size();) {
    std::uint64_t length = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(content.at(at++));
      length |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) break;
    }
    write_bytes(folder.file("message"), content.substr(at, length));
    at += length;
    const std::string schema = std::string(WAFERTLM_SOURCE_DIR) + "/workloads/chakra";
    const auto [text, status] =
        run("protoc --decode=ChakraProtoMsg." + std::string(decoded.empty() ? "GlobalMetadata" : "Node") +
            " -I '" + schema + "' et_def.proto < '" + folder.file("message") + "'");
    EXPECT_EQ(status, 0);
    decoded.push_back(text);
  }
  ASSERT_EQ(decoded.size(), 1 + some_nodes().size());
  EXPECT_NE(decoded[0].find("version: \"0.0.4\""), std::string::npos);
  EXPECT_NE(decoded[0].find("fixed64_val: 6"), std::string::npos);
  EXPECT_NE(decoded[2].find("duration_micros: 2"), std::string::npos) << "rounded up:\n" << decoded[2];
  EXPECT_NE(decoded[2].find("uint64_val: 1000001"), std::string::npos);
  EXPECT_NE(decoded[3].find("type: COMM_COLL_NODE"), std::string::npos);
  EXPECT_NE(decoded[3].find("int64_val: 4096"), std::string::npos);
  EXPECT_NE(decoded[3].find("string_val: \"dp\""), std::string::npos);
}

TEST(EtWriting, ATruncatedFileIsRefusedAtEveryByte) {
  const TemporaryFolder folder;
  const std::string path = folder.file("job.0.et");
  VectorSource source("nodes", some_nodes());
  write_trace(source, path);
  const std::string content = read_bytes(path);
  ASSERT_GT(content.size(), 200U);
  for (std::size_t length = 0; length < content.size(); ++length) {
    write_bytes(path, content.substr(0, length));
    expect_error(
        [&] {
          EtReader reader(path);
          read_all(reader);
        },
        {path, "byte " + std::to_string(length) + ":"});
  }
}

TEST(EtWriting, ADamagedByteIsAnErrorOrANode) {
  const TemporaryFolder folder;
  const std::string path = folder.file("job.0.et");
  VectorSource source("nodes", some_nodes());
  write_trace(source, path);
  const std::string content = read_bytes(path);
  ::testing::internal::CaptureStderr();  // protobuf reports text that is not UTF-8
  for (std::size_t at = 0; at < content.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string damaged = content;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      write_bytes(path, damaged);
      try {
        EtReader reader(path);
        EXPECT_EQ(read_all(reader).size(), some_nodes().size());
      } catch (const TraceError& error) {
        EXPECT_NE(std::string(error.what()).find("byte "), std::string::npos) << error.what();
      }
    }
  }
  ::testing::internal::GetCapturedStderr();
}

TEST(EtWriting, TheFileAppearsWhenItIsComplete) {
  const TemporaryFolder folder;
  const std::string path = folder.file("job.0.et");
  {
    EtWriter writer(path);
    writer.write(comp(1));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_EQ(folder.entries(), 0U) << "an abandoned temporary file stays behind";
  EtWriter writer(path);
  writer.close();
  EXPECT_EQ(folder.entries(), 1U);
  expect_error([&] { writer.write(comp(1)); }, {path, "after close"});
}

TEST(EtWriting, WhatCannotBeWrittenIsAnError) {
  const TemporaryFolder folder;
  try {
    EtWriter(folder.file("missing/job.0.et"));
    ADD_FAILURE();
  } catch (const std::system_error& error) {
    const std::string file = folder.file("missing/job.0.et");
    EXPECT_EQ(error.what(), file + ": cannot create " + file + ".tmp" + std::to_string(getpid()) +
                                ": No such file or directory");
  }
  EtWriter writer(folder.file("job.0.et"));
  expect_error([&] { writer.write(collective(4, CollectiveType::AllReduce, ~std::uint64_t{0})); },
               {"job.0.et", "node 4", "comm_size"});
}

}  // namespace
}  // namespace wafertlm::chakra::test
