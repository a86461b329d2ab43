// SPDX-License-Identifier: Apache-2.0
// The transaction log, read back by SQLite.
#include "waveforms/transaction_log.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

/// What a query gives, a line per row, fields with commas between.
std::string answer(const std::string& path, const std::string& query) {
  sqlite3* data = nullptr;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &data, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  std::string text;
  const auto row = [](void* to, int fields, char** values, char**) {
    for (int i = 0; i < fields; ++i)
      *static_cast<std::string*>(to) +=
          std::string(values[i] ? values[i] : "null") + (i + 1 < fields ? ',' : '\n');
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(data, query.c_str(), row, &text, nullptr), SQLITE_OK) << sqlite3_errmsg(data);
  sqlite3_close(data);
  return text;
}

class TransactionLogs : public testing::Test {
 protected:
  test::TempFolder folder;
  const std::string path = folder.path() + "/log";
};

TEST_F(TransactionLogs, AViewHasNamesInPlaceOfNumbers) {
  SocketTransaction write;
  write.kind = 1;
  write.traffic_class = 1;
  write.bytes = 64;
  SocketTransaction unknown;
  unknown.kind = 77;
  unknown.traffic_class = 9;
  const int ids[2] = {};
  {
    TransactionLog log(path);
    log.name_classes({"mp", "dp"});
    log.add_socket("memory_3", "memory");
    log.add_socket("router0_to_router1", "fabric");
    log.begun(0, &ids[0], 100, 110, write);
    log.begun(1, &ids[1], 101, 111, unknown);
    log.finish(500);
  }
  EXPECT_EQ(answer(path,
                   "SELECT socket, protocol, kind, class, bytes, begin_req_ps FROM named_transactions "
                   "ORDER BY begin_req_ps"),
            "memory_3,memory,write,dp,64,100\nrouter0_to_router1,fabric,null,null,0,101\n");
  EXPECT_EQ(answer(path, "SELECT count(*) FROM kinds WHERE protocol = 'operation'"), "6\n");
}

TEST_F(TransactionLogs, HoldsEveryFieldAndPhase) {
  SocketTransaction what;
  what.bytes = 1;
  what.wire_bytes = 2;
  what.stream = 3;
  what.tag = 4;
  what.sequence = 5;
  what.address = 6;
  what.source = 7;
  what.destination = 8;
  what.kind = 9;
  what.traffic_class = 10;
  what.vc = 11;
  const int ids[3] = {};
  {
    TransactionLog log(path);
    EXPECT_EQ(log.add_socket("link", "fabric"), 0U);
    EXPECT_EQ(log.add_socket("port", "memory"), 1U);
    EXPECT_EQ(log.idle_sockets(), "link, port");
    log.begun(1, &ids[0], 100, 110, what);
    log.begun(0, &ids[0], 101, 111, what);
    log.begun(1, &ids[1], 102, 112, what);
    log.begun(1, &ids[2], 103, 113, what);  // is under way as the run ends
    log.phase(1, &ids[1], SocketPhase::end_req, 120, 121);
    log.phase(1, &ids[0], SocketPhase::begin_resp, 130, 131);
    log.phase(0, &ids[0], SocketPhase::end_req, 140, 141);
    log.phase(1, &ids[1], SocketPhase::begin_resp, 150, 151);
    log.phase(1, &ids[1], SocketPhase::end_resp, 160, 161);
    log.phase(1, &ids[1], SocketPhase::end_resp, 170, 171);  // it has ended
    log.phase(1, &ids[0], SocketPhase::end_resp, 180, 181);
    log.phase(1, &ids[2], SocketPhase::end_req, 190, 191);
    EXPECT_EQ(log.transactions(), 4U);
    EXPECT_EQ(log.idle_sockets(), "");
    log.finish(1000);
  }
  EXPECT_EQ(answer(path, "SELECT * FROM sockets"), "0,link,fabric\n1,port,memory\n");
  EXPECT_EQ(answer(path, "SELECT * FROM finished"), "1000,4\n");
  EXPECT_EQ(
      answer(path,
             "SELECT socket, number, kind, class, vc, source, destination, stream, tag, sequence, address, "
             "bytes, wire_bytes FROM transactions WHERE socket = 0"),
      "0,0,9,10,11,7,8,3,4,5,6,1,2\n");
  EXPECT_EQ(answer(path,
                   "SELECT socket, number, begin_req_ps, head_ps, end_req_ps, begin_resp_ps, end_resp_ps "
                   "FROM transactions ORDER BY socket, number"),
            "0,0,101,111,141,null,null\n"
            "1,0,100,110,null,131,181\n"
            "1,1,102,112,121,151,161\n"
            "1,2,103,113,191,null,null\n");
}

TEST_F(TransactionLogs, ManyRowsAndAFileThatIsReplaced) {
  folder.write("log", "something else");
  constexpr int kRows = 60'000;  // 50000 go into the file at a time
  {
    TransactionLog log(path);
    const std::size_t socket = log.add_socket("link", "fabric");
    for (int i = 0; i < kRows; ++i) {
      const auto at = static_cast<TimePs>(i);
      log.begun(socket, &i, at, at + 1, {});
      log.phase(socket, &i, SocketPhase::end_req, at, at + 2);
    }
    log.finish(kRows);
  }
  EXPECT_EQ(
      answer(path, "SELECT count(*), min(number), max(number), sum(end_req_ps - number) FROM transactions"),
      "60000,0,59999,120000\n");
  EXPECT_EQ(first_divergence(path, path), "");
}

TEST_F(TransactionLogs, NamesTheFirstFourSocketsWithoutATransaction) {
  TransactionLog log(path);
  for (int i = 0; i < 4; ++i) log.add_socket("a" + std::to_string(i), "fabric");
  EXPECT_EQ(log.idle_sockets(), "a0, a1, a2, a3");
  log.add_socket("a4", "fabric");
  EXPECT_EQ(log.idle_sockets(), "a0, a1, a2, a3 and 1 more");
  const int id = 0;
  log.begun(1, &id, 0, 0, {});
  log.add_socket("a5", "fabric");
  log.add_socket("a6", "fabric");
  EXPECT_EQ(log.idle_sockets(), "a0, a2, a3, a4 and 2 more");
}

TEST_F(TransactionLogs, AnUnfinishedOneIsNoLog) {
  {
    TransactionLog log(path);
    log.add_socket("a", "fabric");
  }
  EXPECT_THROW(first_divergence(path, path), std::invalid_argument);
  EXPECT_THROW(TransactionLog("/nowhere/at/all"), std::invalid_argument);
  TransactionLog log(path);
  log.add_socket("a", "fabric");
  EXPECT_THROW(log.add_socket("a", "fabric"), std::runtime_error) << "names are unique";
}

}  // namespace
}  // namespace wafertlm
