// SPDX-License-Identifier: Apache-2.0
#include "waveforms/transaction_log.h"

#include <fmt/core.h>

#include <sqlite3.h>

#include <cstdio>
#include <stdexcept>

#include "tlm/operation/operation.h"
#include "tlm/packets/packet.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kRowsPerCommit = 50'000;

struct KindName {
  const char* protocol;
  std::uint64_t kind;
  const char* name;
};
std::uint64_t number(Operation::Kind kind) { return static_cast<std::uint64_t>(kind); }
std::uint64_t number(PacketKind kind) { return static_cast<std::uint64_t>(kind); }
const std::vector<KindName> kKinds = {{"memory", 0, "read"},
                                      {"memory", 1, "write"},
                                      {"fabric", number(PacketKind::data), "data"},
                                      {"fabric", number(PacketKind::ack), "ack"},
                                      {"fabric", number(PacketKind::nack), "nack"},
                                      {"fabric", number(PacketKind::repeat), "repeat"},
                                      {"operation", number(Operation::Kind::compute), "compute"},
                                      {"operation", number(Operation::Kind::collective), "collective"},
                                      {"operation", number(Operation::Kind::send), "send"},
                                      {"operation", number(Operation::Kind::receive), "receive"},
                                      {"operation", number(Operation::Kind::memory_load), "memory_load"},
                                      {"operation", number(Operation::Kind::memory_store), "memory_store"}};

void bind(sqlite3_stmt* statement, int parameter, std::uint64_t value) {
  sqlite3_bind_int64(statement, parameter, static_cast<sqlite3_int64>(value));
}

}  // namespace

TransactionLog::TransactionLog(const std::string& path) : path_(path) {
  std::remove(path.c_str());
  if (sqlite3_open(path.c_str(), &data_) != SQLITE_OK) {
    sqlite3_close(data_);
    throw std::invalid_argument("cannot write the transaction log " + path);
  }
  // Nobody reads it before it is complete, and an unfinished one is worth nothing: no journal.
  execute("PRAGMA journal_mode = OFF");
  execute("PRAGMA synchronous = OFF");
  execute("CREATE TABLE sockets(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, protocol TEXT NOT NULL)");
  execute(
      "CREATE TABLE transactions(socket INTEGER NOT NULL, number INTEGER NOT NULL, kind INTEGER, "
      "class INTEGER, vc INTEGER, source INTEGER, destination INTEGER, stream INTEGER, tag INTEGER, "
      "sequence INTEGER, address INTEGER, bytes INTEGER, wire_bytes INTEGER, "
      "begin_req_ps INTEGER NOT NULL, head_ps INTEGER, end_req_ps INTEGER, begin_resp_ps INTEGER, "
      "end_resp_ps INTEGER)");
  execute("CREATE TABLE finished(end_ps INTEGER, transactions INTEGER)");
  execute("CREATE TABLE classes(class INTEGER PRIMARY KEY, name TEXT NOT NULL)");
  execute(
      "CREATE TABLE kinds(protocol TEXT NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL, "
      "PRIMARY KEY(protocol, kind))");
  execute(
      "CREATE VIEW named_transactions AS SELECT s.name AS socket, s.protocol, t.number, k.name AS kind, "
      "c.name AS class, t.vc, t.source, t.destination, t.stream, t.tag, t.sequence, t.address, t.bytes, "
      "t.wire_bytes, t.begin_req_ps, t.head_ps, t.end_req_ps, t.begin_resp_ps, t.end_resp_ps "
      "FROM transactions t JOIN sockets s ON s.id = t.socket "
      "LEFT JOIN kinds k ON k.protocol = s.protocol AND k.kind = t.kind "
      "LEFT JOIN classes c ON c.class = t.class");
  execute("BEGIN");
  for (const auto& [protocol, kind, name] : kKinds)
    insert("INSERT INTO kinds VALUES(?2,?1,?3)", kind, {protocol, name});
  check(sqlite3_prepare_v2(data_, "INSERT INTO transactions VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1,
                           &insert_, nullptr),
        SQLITE_OK);
}

TransactionLog::~TransactionLog() {
  sqlite3_finalize(insert_);
  sqlite3_close(data_);
}

void TransactionLog::check(int code, int wanted) const {
  if (code != wanted)
    throw std::runtime_error("cannot write the transaction log " + path_ + ": " + sqlite3_errmsg(data_));
}

void TransactionLog::execute(const char* sql) {
  check(sqlite3_exec(data_, sql, nullptr, nullptr, nullptr), SQLITE_OK);
}

void TransactionLog::insert(const char* sql, std::uint64_t number, const std::vector<std::string>& texts) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(data_, sql, -1, &statement, nullptr), SQLITE_OK);
  bind(statement, 1, number);
  int parameter = 1;
  for (const std::string& text : texts)
    sqlite3_bind_text(statement, ++parameter, text.c_str(), -1, SQLITE_TRANSIENT);
  const int code = sqlite3_step(statement);
  sqlite3_finalize(statement);
  check(code, SQLITE_DONE);
}

void TransactionLog::name_classes(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) insert("INSERT INTO classes VALUES(?,?)", i, {names[i]});
}

std::size_t TransactionLog::add_socket(const std::string& name, const std::string& protocol) {
  insert("INSERT INTO sockets VALUES(?,?,?)", sockets_.size(), {name, protocol});
  sockets_.push_back({name, protocol == "fabric" ? SocketPhase::end_req : SocketPhase::end_resp, 0, {}});
  return sockets_.size() - 1;
}

void TransactionLog::begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
                           const SocketTransaction& what) {
  Socket& at = sockets_[socket];
  at.open[id] = {what, at.count++, now, at_ps, {kNever, kNever, kNever}};
  ++transactions_;
}

void TransactionLog::phase(std::size_t socket, const void* id, SocketPhase phase, TimePs, TimePs at_ps) {
  Socket& at = sockets_[socket];
  const auto found = at.open.find(id);
  if (found == at.open.end()) return;
  found->second.later_ps[static_cast<std::size_t>(phase) - 2] = at_ps;
  if (phase != at.last) return;
  write(socket, found->second);
  at.open.erase(found);
}

void TransactionLog::write(std::size_t socket, const Row& row) {
  const SocketTransaction& what = row.what;
  const std::uint64_t values[] = {socket,          row.number,    what.kind,        what.traffic_class,
                                  what.vc,         what.source,   what.destination, what.stream,
                                  what.tag,        what.sequence, what.address,     what.bytes,
                                  what.wire_bytes, row.begin_ps,  row.head_ps};
  int parameter = 0;
  for (const std::uint64_t value : values) bind(insert_, ++parameter, value);
  for (const TimePs later : row.later_ps) {
    if (later == kNever)
      sqlite3_bind_null(insert_, ++parameter);
    else
      bind(insert_, ++parameter, later);
  }
  check(sqlite3_step(insert_), SQLITE_DONE);
  sqlite3_reset(insert_);
  if (++written_ % kRowsPerCommit == 0) {
    execute("COMMIT");
    execute("BEGIN");
  }
}

void TransactionLog::finish(TimePs end_ps) {
  for (std::size_t socket = 0; socket < sockets_.size(); ++socket)
    for (const auto& [id, row] : sockets_[socket].open) write(socket, row);
  const std::string sql = fmt::format("INSERT INTO finished VALUES({},{})", end_ps, transactions_);
  execute(sql.c_str());
  execute("CREATE UNIQUE INDEX by_number ON transactions(socket, number)");
  execute("COMMIT");
}

std::string TransactionLog::idle_sockets() const {
  constexpr std::size_t kShown = 4;
  std::string names;
  std::size_t idle = 0;
  for (const Socket& socket : sockets_)
    if (socket.count == 0 && ++idle <= kShown) names += (idle == 1 ? "" : ", ") + socket.name;
  if (idle > kShown) names += fmt::format(" and {} more", idle - kShown);
  return names;
}

}  // namespace wafertlm
