// SPDX-License-Identifier: Apache-2.0
// Where waveforms go, and who is told of what passes through a socket.
#include "platform/report/run_waves.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

class WaveFiles : public testing::Test {
 protected:
  /// A program of that name is all that is found along PATH, behind a folder without one.
  void install(const std::string& script) const {
    const std::string program = folder.write("bin/vcd2fst", "#!/bin/sh\n" + script + "\n");
    fs::permissions(program, fs::perms::owner_all);
    set_path("/nowhere:" + folder.path() + "/bin:" + folder.path());
  }
  static void set_path(const std::string& path) { ASSERT_EQ(::setenv("PATH", path.c_str(), 1), 0); }

  test::TempFolder folder;
  const std::string name = folder.path() + "/a.fst";
};

// Until it is complete.
TEST_F(WaveFiles, AVcdFileHasAnotherName) {
  set_path("");
  for (const std::string complete : {"a.vcd", "fst", "a.fst.vcd", "a.fs"}) {
    WaveFile file(folder.path() + "/" + complete);
    const std::string incomplete = file.vcd();
    EXPECT_EQ(incomplete.rfind(folder.path() + "/.wafertlm-", 0), 0U);
    std::ofstream(incomplete) << "waves\n";
    EXPECT_EQ(file.finish(false), incomplete);
    EXPECT_EQ(file.finish(true), folder.path() + "/" + complete);
    EXPECT_EQ(test::read_text(folder.path() + "/" + complete), "waves\n");
    EXPECT_FALSE(fs::exists(incomplete));
  }
}

TEST_F(WaveFiles, AnFstFileIsConvertedFromTheOneBesideIt) {
  install("read line <\"$1\"; echo \"from $line\" >\"$2\"");
  for (const bool complete : {true, false}) {
    WaveFile file(name);
    const std::string vcd = file.vcd();
    std::ofstream(vcd) << "waves\n";
    const std::string made = file.finish(complete);
    EXPECT_EQ(made + ".vcd", complete ? name + ".vcd" : vcd);
    EXPECT_EQ(test::read_text(made), "from waves\n");
    EXPECT_FALSE(fs::exists(file.vcd()));
  }
}

TEST_F(WaveFiles, AConverterThatFailsLeavesTheVcdFile) {
  for (const char* const script : {"exit 1", "kill -9 $$"}) {
    install(script);
    WaveFile file(name);
    std::ofstream(file.vcd()) << "waves\n";
    try {
      file.finish(true);
      ADD_FAILURE() << script;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "vcd2fst could not make " + file.vcd().substr(0, file.vcd().size() - 4) +
                                  " of " + file.vcd());
    }
    EXPECT_TRUE(fs::exists(file.vcd()));
  }
}

TEST_F(WaveFiles, WithoutTheConverterAnFstFileIsRefused) {
  install("exit 0");
  fs::permissions(folder.path() + "/bin/vcd2fst", fs::perms::owner_read);
  for (const std::string& path : {std::string(), folder.path(), folder.path() + "/bin"}) {
    if (path == folder.path() + "/bin" && ::geteuid() == 0)
      fs::remove(path + "/vcd2fst");  // root may run all
    set_path(path);
    try {
      const WaveFile file(name);
      ADD_FAILURE() << path;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), name +
                                  ": an FST file needs vcd2fst, which is not installed; install gtkwave, or "
                                  "write a .vcd file");
    }
  }
}

const void* const kId = "a transaction";

struct Heard final : SocketObserver {
  void begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
             const SocketTransaction& what) override {
    EXPECT_EQ(id, kId);
    told.push_back("begun " + std::to_string(socket) + ' ' + std::to_string(now) + ' ' +
                   std::to_string(at_ps) + ' ' + std::to_string(what.bytes));
  }
  void phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) override {
    EXPECT_EQ(id, kId);
    told.push_back("phase " + std::to_string(socket) + ' ' + std::to_string(static_cast<int>(phase)) + ' ' +
                   std::to_string(now) + ' ' + std::to_string(at_ps));
  }
  std::vector<std::string> told;
};

// A checker tells one; the hub tells all who asked, each with its own number for the socket.
TEST(SocketHubs, TellAllObserversOfASocket) {
  SocketHub hub;
  std::map<std::string, ObservedSocket> checkers;
  const auto socket = [&](const std::string& its_name) {
    return ObservableSocket{
        its_name, "fabric", [&checkers, its_name](SocketObserver& observer, std::size_t number) {
          EXPECT_TRUE(checkers.emplace(its_name, ObservedSocket{&observer, number}).second);
        }};
  };
  Heard first, second;
  hub.add(socket("a"), first, 5);
  hub.add(socket("b"), first, 6);
  hub.add(socket("b"), second, 0);
  ASSERT_EQ(checkers.size(), 2U) << "each checker has one observer";
  SocketTransaction what;
  what.bytes = 64;
  for (const char* const each : {"a", "b"}) {
    const ObservedSocket& checker = checkers.at(each);
    checker.observer->begun(checker.number, kId, 10, 20, what);
    checker.observer->phase(checker.number, kId, SocketPhase::end_resp, 30, 40);
  }
  EXPECT_EQ(first.told, (std::vector<std::string>{"begun 5 10 20 64", "phase 5 4 30 40", "begun 6 10 20 64",
                                                  "phase 6 4 30 40"}));
  EXPECT_EQ(second.told, (std::vector<std::string>{"begun 0 10 20 64", "phase 0 4 30 40"}));
}

}  // namespace
}  // namespace wafertlm
