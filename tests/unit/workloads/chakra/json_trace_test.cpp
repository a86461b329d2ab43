// SPDX-License-Identifier: Apache-2.0
// Traces in Chakra's JSON form.
#include "workloads/chakra/json_trace.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/same_node.h"
#include "tests/unit/workloads/chakra/random_nodes.h"
#include "tests/unit/workloads/chakra/trace_files.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm::chakra::test {
namespace {

Node read_node(const std::string& text) {
  Node node;
  JsonIo io;
  from_json(text, node, io);
  return node;
}

std::string problem_of(const std::string& text) {
  try {
    read_node(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

class JsonTraces : public testing::Test {
 protected:
  std::vector<Node> read(const std::string& text) {
    write_bytes(path, text);
    JsonReader reader(path);
    return read_all(reader);
  }
  void expect_refused(const std::string& text, const std::string& where) {
    write_bytes(path, text);
    try {
      JsonReader reader(path);
      read_all(reader);
      ADD_FAILURE() << "no error in " << text;
    } catch (const TraceError& error) {
      EXPECT_EQ(error.what(), path + ": " + where) << text;
    }
  }

  const TemporaryFolder folder;
  const std::string path = folder.file("job.0.json");
};

TEST_F(JsonTraces, EveryKeyOfANode) {
  Node node = read_node(
      R"({"Id": 7, "Name": "a", "NodeType": 7, "ctrlDeps": [1], "data_deps": [2, 3], "runtime": 4, "is_cpu_op": true,
          "num_ops": 5, "tensor_size": 6, "wafertlm_products": [1, 2, 3, 4], "comm_type": 2, "comm_size": 8,
          "comm_src": 9, "comm_dst": 10, "comm_tag": 11, "comm_priority": 12, "pg_name": "g",
          "involved_dim": [true, false], "wafertlm_class": "dp", "something": {"else": [1]}})");
  Node expected;
  expected.id = 7;
  expected.name = "a";
  expected.type = NodeType::CommColl;
  expected.ctrl_deps = {1};
  expected.data_deps = {2, 3};
  expected.duration_ps = 4'000'000;
  expected.is_cpu_op = true;
  expected.num_ops = 5;
  expected.tensor_size = 6;
  expected.products = {{1, 2, 3, 4}};
  expected.comm_type = CollectiveType::AllGather;
  expected.comm_size = 8;
  expected.comm_src = 9;
  expected.comm_dst = 10;
  expected.comm_tag = 11;
  expected.comm_priority = 12;
  expected.pg_name = "g";
  expected.involved_dim = {true, false};
  expected.comm_class = "dp";
  EXPECT_EQ(node, expected);
  node = read_node(
      R"({"Id": 0, "NodeType": 7, "ctrl_deps": [5], "is_cpu_op": 0, "wafertlm_io": 1, "comm_type": 5,
                       "comm_size": 1, "duration_micros": 3, "wafertlm_duration_ps": 2500001})");
  EXPECT_EQ(node.name, "");
  EXPECT_EQ(node.ctrl_deps, std::vector<std::uint64_t>{5});
  EXPECT_FALSE(node.is_cpu_op);
  EXPECT_TRUE(node.io_stream);
  EXPECT_EQ(node.duration_ps, 2'500'001U) << "more exact than microseconds";
  // Converters give both, and put other numbers on sends.
  node = read_node(
      R"({"Id": 1, "NodeType": 5, "runtime": 3, "duration_micros": 3, "comm_type": 99, "comm_size": 1,
                       "comm_dst": 0})");
  EXPECT_EQ(node.duration_ps, 3'000'000U);
  EXPECT_FALSE(node.comm_type);
}

TEST_F(JsonTraces, WhatANodeReadsAndWrites) {
  Node node;
  JsonIo io;
  from_json(R"({"Id": 1, "NodeType": 4, "inputs": {"values": [[1, 2]], "shapes": "s", "types": ["t"]},
                "outputs": {"values": "v"}})",
            node, io);
  EXPECT_EQ(io.inputs.values, "[[1,2]]");
  EXPECT_EQ(io.inputs.shapes, "s");
  EXPECT_EQ(io.inputs.types, "[\"t\"]");
  EXPECT_EQ(io.outputs.values, "v");
  EXPECT_EQ(io.outputs.shapes, "");
  from_json(R"({"Id": 1, "NodeType": 4, "inputs": 3})", node, io);
  EXPECT_EQ(io.inputs.values + io.outputs.values, "") << "left over from the node before";
}

TEST_F(JsonTraces, TensorsWithoutValuesAreKeptInEveryForm) {
  write_bytes(
      path,
      R"({"workload_graph": [{"Id": 1, "NodeType": 4, "inputs": {"types": "t"}, "outputs": {"shapes": "s"}}]})");
  for (const char* const name : {"a.0.et", "a.0.et.gz", "a.0.json"}) {
    JsonReader reader(path);
    write_trace_file(reader, folder.file(name));
    const auto again = open_trace(folder.file(name));
    Node node;
    ASSERT_TRUE(again->next(node));
    EXPECT_EQ(again->io().inputs.types, "t") << name;
    EXPECT_EQ(again->io().outputs.shapes, "s") << name;
  }
}

TEST_F(JsonTraces, WhatIsNoNode) {
  const auto comp = [](const std::string& more) {
    return problem_of(R"({"Id": 1, "NodeType": 4, )" + more + "}");
  };
  EXPECT_EQ(problem_of("[]"), "a node is an object");
  EXPECT_EQ(problem_of("{").substr(0, 13), "JSON syntax: ");
  EXPECT_EQ(problem_of(R"({"NodeType": 4})"), "a node without Id");
  EXPECT_EQ(problem_of(R"({"Id": 4})"), "a node without NodeType");
  EXPECT_EQ(problem_of(R"({"Id": -1, "NodeType": 4})"), "Id is not an integer from 0 on");
  for (const char* type : {"0", "8"})
    EXPECT_EQ(problem_of(std::string(R"({"Id": 1, "NodeType": )") + type + "}"),
              std::string("NodeType ") + type + " is none that we know (1 to 7)");
  EXPECT_EQ(problem_of(R"({"Id": 1, "NodeType": 1})"), "");
  EXPECT_EQ(comp(R"("runtime": 2, "Name": 3)"), "Name is not a string");
  EXPECT_EQ(comp(R"("num_ops": 1.5)"), "num_ops is not an integer from 0 on");
  EXPECT_EQ(comp(R"("comm_tag": 4294967295)"), "");
  EXPECT_EQ(comp(R"("comm_tag": 4294967296)"), "comm_tag does not fit 32 bits");
  EXPECT_EQ(comp(R"("pg_name": 4)"), "") << "a number stands for a name";
  EXPECT_EQ(comp(R"("pg_name": [])"), "pg_name is not a string");
  EXPECT_EQ(comp(R"("is_cpu_op": 1)"), "");
  EXPECT_EQ(comp(R"("is_cpu_op": 2)"), "is_cpu_op is neither a bool nor 0 or 1");
  EXPECT_EQ(comp(R"("is_cpu_op": "true")"), "is_cpu_op is neither a bool nor 0 or 1");
  EXPECT_EQ(comp(R"("data_deps": 4)"), "data_deps is not a list");
  EXPECT_EQ(comp(R"("data_deps": [1, -4])"), "data_deps is not an integer from 0 on");
  EXPECT_EQ(comp(R"("involved_dim": true)"), "involved_dim is not a list");
  EXPECT_EQ(comp(R"("involved_dim": [1])"), "involved_dim is not a list of bools");
  EXPECT_EQ(comp(R"("wafertlm_products": [1, 2, 3])"),
            "wafertlm_products is not a list of m, n, k, count for each product");
  EXPECT_EQ(comp(R"("wafertlm_products": [1, 2, 3, 0])"), "wafertlm_products has a 0");
  EXPECT_EQ(comp(R"("num_ops": 1, "num_ops": 1)"), "num_ops is given twice");
  EXPECT_EQ(comp(R"("inputs": {"a": 1, "b": {"a": 1}}, "other": {"a": 2})"), "") << "keys of objects inside";
  EXPECT_EQ(comp(R"("runtime": 1, "duration_micros": 2)"),
            "runtime contradicts the other of runtime and duration_micros");
  // 2^63 - 1 ps are 9223372036854.775807 s of microseconds.
  EXPECT_EQ(comp(R"("runtime": 9223372036854)"), "");
  EXPECT_EQ(comp(R"("runtime": 9223372036855)"), "runtime is longer than the 106 days of simulated time");
  EXPECT_EQ(comp(R"("wafertlm_duration_ps": 9223372036854775807)"), "");
  EXPECT_EQ(comp(R"("wafertlm_duration_ps": 9223372036854775808)"),
            "wafertlm_duration_ps is longer than the 106 days of simulated time");
  EXPECT_EQ(problem_of(R"({"Id": 1, "NodeType": 7, "comm_type": 9})"), "") << "a barrier";
  EXPECT_EQ(problem_of(R"({"Id": 1, "NodeType": 7, "comm_type": 10, "comm_size": 1})"),
            "comm_type is not a collective that we know");
  EXPECT_EQ(problem_of(R"({"Id": 1, "NodeType": 7, "comm_type": 0})"),
            "COMM_COLL without the attribute comm_size");
  EXPECT_EQ(problem_of(R"({"Id": 1, "NodeType": 7})"), "COMM_COLL without the attribute comm_type");
  EXPECT_EQ(problem_of(R"({"Id": 1, "NodeType": 5, "comm_size": 1})"),
            "COMM_SEND without the attribute comm_dst");
  EXPECT_EQ(problem_of(R"({"Id": 1, "NodeType": 5, "comm_dst": 1})"),
            "COMM_SEND without the attribute comm_size");
  EXPECT_EQ(problem_of(R"({"Id": 1, "NodeType": 6, "comm_size": 1})"),
            "COMM_RECV without the attribute comm_src");
  EXPECT_EQ(problem_of(R"({"Id": 1, "NodeType": 6, "comm_src": 1})"),
            "COMM_RECV without the attribute comm_size");
  for (const char* type : {"2", "3"})
    EXPECT_EQ(problem_of(std::string(R"({"Id": 1, "NodeType": )") + type + "}"),
              std::string(*type == '2' ? "MEM_LOAD" : "MEM_STORE") + " without the attribute tensor_size");
  EXPECT_EQ(problem_of(R"({"Id": 1, "NodeType": 7, "comm_type": 0, "comm_size": 1, "wafertlm_io": true})"),
            "wafertlm_io is for collectives of type BROADCAST (in) and REDUCE (out)");
}

TEST_F(JsonTraces, ANodeAsText) {
  Node node;
  node.id = 3;
  node.name = "n \"q\"";
  node.type = NodeType::Comp;
  node.duration_ps = 2'000'000;
  EXPECT_EQ(to_json(node),
            R"({"Id":3,"Name":"n \"q\"","NodeType":4,"ctrlDeps":[],"data_deps":[],"runtime":2,)"
            R"("is_cpu_op":false})");
  node.duration_ps = 2'000'001;  // microseconds are rounded up
  node.data_deps = {1, 2};
  EXPECT_EQ(
      to_json(node, {{"[1]", "[2]", "[3]"}, {}}),
      R"({"Id":3,"Name":"n \"q\"","NodeType":4,"ctrlDeps":[],"data_deps":[1,2],"runtime":3,"is_cpu_op":false,)"
      R"("wafertlm_duration_ps":2000001,"inputs":{"values":"[1]","shapes":"[2]","types":"[3]"}})");
}

// Many times the size of a block, so that nodes lie across its ends; with spaces, and other keys around the
// list.
TEST_F(JsonTraces, RandomNodesReadBackEqual) {
  std::vector<Node> nodes = random_nodes(600);
  std::string text =
      " \t\r\n{ \"be\\\"fore\" : {\"a\": [\"}]\\\"\", {}]}, \"wafertlm_memory_bytes\": "
      "12,\n\"workload_graph\": "
      "[";
  for (Node& node : nodes) {
    node.name += " \"} ]\\";
    node.duration_ps %= std::uint64_t{1} << 62;
    text += (text.back() == '[' ? "" : " , ") + to_json(node) + "\n ";
  }
  text += "], \"after\": \"]}\", \"more\": [1] }\n ";
  write_bytes(path, text);
  JsonReader reader(path);
  EXPECT_EQ(reader.memory_bytes(), 12U);
  EXPECT_EQ(reader.name(), path);
  EXPECT_EQ(read_all(reader), nodes);
  Node node;
  EXPECT_FALSE(reader.next(node)) << "it stays at its end";
  for (const int taken : {1, 400}) {
    reader.rewind();
    for (int i = 0; i < taken; ++i) EXPECT_TRUE(reader.next(node));
    reader.rewind();
    EXPECT_EQ(read_all(reader), nodes) << taken;
  }
  EXPECT_TRUE(read(R"({"workload_graph": []})").empty());
}

TEST_F(JsonTraces, WhatIsNoTraceIsRefusedWithItsByte) {
  const std::string node = R"({"Id":1,"NodeType":4})";  // 21 bytes
  const std::string list = R"({"workload_graph":[)";    // 19 bytes
  expect_refused("", "byte 0: the file is empty");
  expect_refused(" \n", "byte 0: the file is empty");
  expect_refused("[]",
                 "byte 0: expected '{' at the start: a trace is an object with the list \"workload_graph\"");
  expect_refused(" {}", "byte 2: the object ends without the list \"workload_graph\"");
  expect_refused(R"({"a":1,})", "byte 7: the object ends without the list \"workload_graph\"");
  expect_refused(R"({"a" 1})", "byte 5: expected ':' after a key");
  expect_refused(R"({a:1})", "byte 1: expected a key in quotes");
  expect_refused(R"({"a":bad,)", "byte 5: not a JSON value");
  expect_refused(R"({"a":1]})", "byte 6: expected a key in quotes");
  expect_refused(R"({"a":[1}])", "byte 7: a '}' too many");
  expect_refused(R"({"wafertlm_memory_bytes":"x",)",
                 "byte 25: wafertlm_memory_bytes is not an integer from 0 on");
  expect_refused(R"({"workload_graph":{}})", "byte 18: expected '[' after \"workload_graph\"");
  expect_refused(R"({"a":)", "byte 5: the file ends inside of the JSON text");
  expect_refused("{", "byte 1: the file ends inside of the JSON text");
  expect_refused(list, "byte 19: the file ends inside of the JSON text");
  expect_refused(list + node, "byte 40: the file ends inside of the JSON text");
  expect_refused(list + node + "]", "byte 41: the file ends inside of the JSON text");
  expect_refused(list + node + node + "]}", "byte 40: expected ',' between two nodes");
  expect_refused(list + node + "]]", "byte 41: expected ',' or '}' after a value");
  expect_refused(list + node + R"(],"a":bad})", "byte 46: not a JSON value");
  expect_refused(list + node + R"(],"workload_graph":[]})", "byte 41: a second list \"workload_graph\"");
  expect_refused(list + node + "]} x", "byte 43: the file goes on after its object");
  expect_refused(list + R"({"Id":1,"NodeType":0}]})", "byte 19: NodeType 0 is none that we know (1 to 7)");
  expect_refused(list + node + R"(,{"Id":5,"Name":"five","NodeType":2}]})",
                 "byte 41: node 5 \"five\": MEM_LOAD without the attribute tensor_size");
  expect_error([] { JsonReader("/nowhere/job.0.json"); }, {"/nowhere/job.0.json: cannot be read"});
}

}  // namespace
}  // namespace wafertlm::chakra::test
