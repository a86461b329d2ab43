// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/footprint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/workloads/chakra/trace_files.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::chakra {
namespace {

using test::comp;

/// Nodes with the storages that they read and write; storage n has bytes[n].
struct Step {
  Node node;
  std::vector<std::uint64_t> reads, writes;
};

class Steps : public NodeSource {
 public:
  Steps(std::vector<Step> steps, std::vector<std::uint64_t> bytes)
      : steps_(std::move(steps)), bytes_(std::move(bytes)) {}
  bool next(Node& node) override {
    if (at_ == steps_.size()) return false;
    node = steps_[at_].node;
    read_ = text(steps_[at_].reads);
    written_ = text(steps_[at_++].writes);
    return true;
  }
  NodeIo io() const override { return {{read_, "", ""}, {written_, "", ""}}; }
  void rewind() override { at_ = 0; }
  const std::string& name() const override { return name_; }

 private:
  std::string text(const std::vector<std::uint64_t>& storages) const {
    std::string list;
    for (const std::uint64_t storage : storages)
      list += fmt::format("{}[{}, {}, 0, {}, 1, 'cuda:0']", list.empty() ? "" : ", ", 1000 + storage, storage,
                          bytes_[storage]);
    return "[" + list + "]";
  }
  std::string name_ = "steps", read_, written_;
  std::vector<Step> steps_;
  std::vector<std::uint64_t> bytes_;
  std::size_t at_ = 0;
};

Footprint footprint(NodeSource& source) { return validate(source, 0, CommGroups(1)).footprint; }

std::vector<TensorUse> tensors(const std::string& values, const std::string& types, bool says_all) {
  std::vector<TensorUse> found;
  EXPECT_EQ(read_tensors({values, "", types}, found), says_all) << values;
  return found;
}

TEST(Tensors, AsPyTorchWritesThem) {
  const auto found = tensors(
      "[[[7, 70, 0, 64, 4, 'cuda:0'], [8, 71, 16, 48, 2, \"cuda:0\"]], [9, 72, 0, 5, 8, 'cpu'], [9, 73, 0, "
      "5, 8, 'meta'], True, None, "
      "-1.5e-3, inf, 'text with ] and \\' in it', [], [3, 3, 1, 1, 2, 2], ()]",
      "['GenericList[Tensor(float),Tensor(half)]', 'Tensor(long int)', 'Bool']", true);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].storage, 70U);
  EXPECT_EQ(found[0].bytes, 256U);
  EXPECT_EQ(found[1].storage, 71U);
  EXPECT_EQ(found[1].bytes, 128U);  // the offset is in elements
  EXPECT_TRUE(tensors("[]", "[]", true).empty());
  EXPECT_TRUE(tensors("[[7, 70, 0, 0, 4, 'cuda:0']]", "", true).empty());  // no elements
  EXPECT_EQ(tensors("[[1, 2, 0, 18446744073709551615, 8, 'cuda:0']]", "", true).front().bytes,
            kMostTensorBytes);
}

TEST(Tensors, ATextThatDoesNotSayAll) {
  tensors("", "", false);
  tensors("<Tensor>", "", false);
  tensors("[1, 2", "", false);
  tensors("[1 2]", "", false);
  tensors("[1]]", "", false);
  tensors("[5]", "['Tensor(float)']", false);
  tensors("[[7, 70, 0, 64, 4]]", "['Tensor(float)']", false);           // no device
  tensors(std::string(1000, '[') + std::string(1000, ']'), "", false);  // no Python writes lists so deep
  EXPECT_EQ(tensors("[[7, 70, 0, 64, 4, 'cuda:0'], 5]", "['Tensor(float)', 'Tensor(float)']", false).size(),
            1U);
}

// Weights of 30 that each are read once are all there from the start.
TEST(Footprints, WhatIsReadBeforeItIsWrittenIsThereFromTheStart) {
  Steps weights({{comp(1), {0}, {}}, {comp(2, {1}), {1}, {}}, {comp(3, {2}), {2}, {}}}, {30, 30, 30});
  EXPECT_EQ(footprint(weights).bytes, 90U);
  EXPECT_TRUE(footprint(weights).is_whole());
}

TEST(Footprints, ActivationsLiveFromTheirWriterToTheirLastReader) {
  // A chain: two at a time. With the first needed at the end: three.
  Steps chain({{comp(1), {}, {0}}, {comp(2, {1}), {0}, {1}}, {comp(3, {2}), {1}, {2}}}, {30, 30, 30});
  EXPECT_EQ(footprint(chain).bytes, 60U);
  Steps held({{comp(1), {}, {0}}, {comp(2, {1}), {0}, {1}}, {comp(3, {2}), {0, 1}, {2}}}, {30, 30, 30});
  EXPECT_EQ(footprint(held).bytes, 90U);
}

TEST(Footprints, AStorageThatIsWrittenAnewWasFreeInBetween) {
  // Storage 0 twice, storage 1 of 50 between its lives; read in between, it stays.
  Steps again({{comp(1), {}, {0}}, {comp(2, {1}), {}, {1}}, {comp(3, {2}), {}, {0}}}, {40, 50});
  EXPECT_EQ(footprint(again).bytes, 50U);
  Steps stays({{comp(1), {}, {0}}, {comp(2, {1}), {}, {1}}, {comp(3, {2}), {0}, {0}}}, {40, 50});
  EXPECT_EQ(footprint(stays).bytes, 90U);
}

// The file names the reader first: its parent counts before it.
TEST(Footprints, TheOrderIsThatOfTheDependencies) {
  Steps turned({{comp(2, {1}), {0}, {}}, {comp(1), {}, {0}}, {comp(3, {2}), {}, {1}}}, {40, 50});
  EXPECT_EQ(footprint(turned).bytes, 50U);
}

TEST(Footprints, AGapIsNamedAndTheRestStillCounts) {
  class Partly : public Steps {
   public:
    using Steps::Steps;
    bool next(Node& node) override {
      const bool there = Steps::next(node);
      silent_ = node.id == 2;
      return there;
    }
    NodeIo io() const override { return silent_ ? NodeIo{} : Steps::io(); }

   private:
    bool silent_ = false;
  };
  Partly source({{comp(1), {0}, {}}, {comp(2, {1}), {}, {}}, {comp(3, {2}), {1}, {}}}, {30, 30});
  EXPECT_EQ(footprint(source).bytes, 60U);
  EXPECT_NE(footprint(source).gap.find("node 2 \"compute 2\" does not name its tensors"), std::string::npos);
  std::vector<Step> cpu{{comp(1), {0}, {}}, {comp(2, {1}), {}, {}}};
  cpu[1].node.is_cpu_op = true;
  Partly host(cpu, {30});
  EXPECT_TRUE(footprint(host).is_whole());  // what a CPU operation touches does not matter
  VectorSource silent("silent", {comp(1)});
  EXPECT_EQ(footprint(silent).gap, "it does not name its tensors");
}

// Tensors of one storage share its bytes: up to the end of the longest.
TEST(Footprints, AStorageIsAsLargeAsItsLongestTensor) {
  TensorLives lives;
  lives.take(comp(1),
             {{"[[1, 7, 0, 50, 2, 'cuda:0'], [2, 7, 10, 20, 2, 'cuda:0']]", "", ""}, {"[]", "", ""}});
  lives.done(1);
  EXPECT_EQ(lives.footprint().bytes, 100U);
  EXPECT_TRUE(lives.footprint().is_whole());
}

// Inputs that cannot be read are a gap, whatever the outputs say.
TEST(Footprints, BothSidesMustBeReadable) {
  TensorLives lives;
  lives.take(comp(1), {{"<Tensor>", "", ""}, {"[[1, 7, 0, 50, 2, 'cuda:0']]", "", ""}});
  lives.done(1);
  EXPECT_EQ(lives.footprint().bytes, 100U);
  EXPECT_FALSE(lives.footprint().is_whole());
}

/// The same from the definition: which storages are there while each node works, by looking at all others.
std::uint64_t by_definition(const std::vector<Step>& steps, const std::vector<std::uint64_t>& bytes) {
  const auto names = [](const std::vector<std::uint64_t>& list, std::uint64_t storage) {
    return std::find(list.begin(), list.end(), storage) != list.end();
  };
  std::uint64_t most = 0;
  for (std::size_t now = 0; now <= steps.size(); ++now) {  // 0: before the first
    std::uint64_t there = 0;
    for (std::uint64_t storage = 0; storage < bytes.size(); ++storage) {
      bool is_there =
          now > 0 && (names(steps[now - 1].reads, storage) || names(steps[now - 1].writes, storage));
      for (std::size_t later = now + 1; later <= steps.size(); ++later) {  // who touches it next?
        if (names(steps[later - 1].reads, storage)) is_there = true;
        if (names(steps[later - 1].reads, storage) || names(steps[later - 1].writes, storage)) break;
      }
      if (is_there) there += bytes[storage];
    }
    most = std::max(most, there);
  }
  return most;
}

TEST(Footprints, ThousandRandomTraces) {
  std::mt19937 random(5);
  std::uint64_t largest = 0;
  for (int k = 0; k < 1000; ++k) {
    std::vector<std::uint64_t> bytes(1 + random() % 6);
    for (std::uint64_t& size : bytes) size = 1 + random() % 1000;
    std::vector<Step> steps(1 + random() % 12);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i].node = i == 0 ? comp(0) : comp(i, {i - 1});
      for (std::uint64_t storage = 0; storage < bytes.size(); ++storage) {
        if (random() % 4 == 0) steps[i].reads.push_back(storage);
        if (random() % 4 == 0) steps[i].writes.push_back(storage);
      }
    }
    const std::uint64_t expected = by_definition(steps, bytes);
    largest = std::max(largest, expected);
    std::vector<Step> shuffled = steps;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    Steps source(shuffled, bytes);
    ASSERT_EQ(footprint(source).bytes, expected) << "case " << k;
  }
  std::printf("1000 traces in any order of the file, largest footprint %llu: all equal\n",
              static_cast<unsigned long long>(largest));
}

// Sources that change nodes leave alone what is told beside them.
TEST(Footprints, AreThoseOfTheSourceBehindAnother) {
  class Renamed : public ForwardingSource {
   public:
    using ForwardingSource::ForwardingSource;
    bool next(Node& node) override {
      if (!source().next(node)) return false;
      node.name = "other";
      return true;
    }
  };
  Steps source({{comp(1), {0}, {}}, {comp(2, {1}), {1}, {2}}}, {30, 30, 30});
  Renamed renamed(source);
  EXPECT_EQ(renamed.name(), source.name());
  EXPECT_EQ(footprint(renamed).bytes, 60U);
  EXPECT_TRUE(footprint(renamed).is_whole());  // rewound
}

TEST(Footprints, FilesOfEveryFormKeepThem) {
  class Told : public Steps {
   public:
    using Steps::Steps;
    std::optional<std::uint64_t> memory_bytes() const override { return 12'345; }
  };
  const std::vector<Step> steps{{comp(1), {0}, {}}, {comp(2, {1}), {1}, {2}}};
  Told told(steps, {30, 30, 30});
  Steps untold(steps, {30, 30, 30});
  const test::TemporaryFolder folder;
  for (const char* form : {".et", ".et.gz", ".json"}) {
    const std::string path = folder.file("told.0") + form, other = folder.file("untold.0") + form;
    write_trace_file(told, path);
    write_trace_file(untold, other);
    const auto read = open_trace(path), read_other = open_trace(other);
    EXPECT_EQ(read->memory_bytes(), 12'345U) << form;
    EXPECT_EQ(footprint(*read).bytes, 12'345U) << form;
    EXPECT_FALSE(read_other->memory_bytes()) << form;
    EXPECT_EQ(footprint(*read_other).bytes, 60U) << form;
    EXPECT_TRUE(footprint(*read_other).is_whole()) << form;
  }
}

}  // namespace
}  // namespace wafertlm::chakra
