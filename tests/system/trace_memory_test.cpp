// SPDX-License-Identifier: Apache-2.0
// What a file of a million nodes costs: memory is counted, time only printed.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/support/fake_job.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_nodes.h"
#include "workloads/chakra/et_reader.h"
#include "workloads/chakra/et_writer.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::test {
namespace {

/// Makes nodes without holding them: a chain, or independent ones.
class ManyNodes : public chakra::NodeSource {
 public:
  ManyNodes(std::uint64_t nodes, bool chain) : nodes_(nodes), chain_(chain) {}
  bool next(chakra::Node& node) override {
    if (id_ == nodes_) return false;
    node = compute(id_, 1000, chain_ && id_ > 0 ? Parents{id_ - 1} : Parents{});
    ++id_;
    return true;
  }
  void rewind() override { id_ = 0; }
  const std::string& name() const override { return name_; }

 private:
  std::uint64_t nodes_, id_ = 0;
  bool chain_;
  std::string name_ = "many";
};

long peak_kib() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(TraceMemory, ReadingAndCheckingAMillionNodesTakesLessThanFiftyMegabytes) {
  constexpr std::uint64_t kNodes = 1'000'000;
  const TempFolder folder;
  const std::string path = folder.path() + "/job.0.et";
  ManyNodes source(kNodes, true);
  chakra::write_trace(source, path);
  const long before = peak_kib();

  chakra::EtReader reader(path);
  chakra::Node node;
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t nodes = 0;
  while (reader.next(node)) ++nodes;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(nodes, kNodes);
  const long read = peak_kib();
  EXPECT_EQ(chakra::validate(reader, 0, chakra::CommGroups(1)).nodes, kNodes);
  const long checked = peak_kib();
  std::printf("read %.3g nodes per second; %ld KiB to read, %ld KiB more to check\n",
              static_cast<double>(kNodes) / seconds.count(), read - before, checked - read);
#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory
  EXPECT_LE((checked - before) * 1024, 50'000'000);
#endif
}

}  // namespace
}  // namespace wafertlm::test
