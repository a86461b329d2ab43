// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tlm/checking/socket_observer.h"

struct sqlite3;
struct sqlite3_stmt;

namespace wafertlm {

/// Every transaction of chosen sockets with the times of its phases, as an SQLite file:
///   sockets(id, name, protocol)
///   transactions(socket, number, kind, class, vc, source, destination, stream, tag, sequence, address,
///   bytes,
///                wire_bytes, begin_req_ps, head_ps, end_req_ps, begin_resp_ps, end_resp_ps)
///   kinds(protocol, kind, name), classes(class, name)
///   named_transactions: the view of all transactions with the names of socket, kind and class in place of
///   their numbers
/// `number` counts the transactions of a socket in the order in which they began. Phases that a protocol does
/// not have, or that did not come, are null. `head_ps` is when BEGIN_REQ takes effect. The table `finished`
/// has one row (end_ps, transactions) when the run came to its end.
class TransactionLog final : public SocketObserver {
 public:
  /// @throws std::invalid_argument when it cannot be written. A file that is there is replaced.
  explicit TransactionLog(const std::string& path);
  ~TransactionLog();
  TransactionLog(const TransactionLog&) = delete;
  TransactionLog& operator=(const TransactionLog&) = delete;

  /// Names the traffic classes, by number.
  void name_classes(const std::vector<std::string>& names);
  /// Returns the socket's number.
  std::size_t add_socket(const std::string& name, const std::string& protocol);
  void begun(std::size_t socket, const void* id, TimePs now, TimePs at_ps,
             const SocketTransaction& what) override;
  void phase(std::size_t socket, const void* id, SocketPhase phase, TimePs now, TimePs at_ps) override;
  /// @throws std::runtime_error if something could not be written.
  void finish(TimePs end_ps);
  std::uint64_t transactions() const { return transactions_; }
  /// The names of the sockets without a transaction: the first few, and how many more there are.
  std::string idle_sockets() const;

 private:
  struct Row {
    SocketTransaction what;
    std::uint64_t number;
    TimePs begin_ps, head_ps;
    TimePs later_ps[3];  // END_REQ, BEGIN_RESP, END_RESP; kNever: did not come
  };
  struct Socket {
    std::string name;
    SocketPhase last;
    std::uint64_t count = 0;
    std::unordered_map<const void*, Row> open;
  };
  void execute(const char* sql);
  /// One row: a number, then texts.
  void insert(const char* sql, std::uint64_t number, const std::vector<std::string>& texts);
  void write(std::size_t socket, const Row& row);
  void check(int code, int wanted) const;

  std::string path_;
  sqlite3* data_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  std::vector<Socket> sockets_;
  std::uint64_t transactions_ = 0, written_ = 0;
};

/// The first transaction in which two logs differ; empty: none. Sockets are matched by name, transactions by
/// their number on the socket. @throws std::invalid_argument for a file that is no complete log.
std::string first_divergence(const std::string& a, const std::string& b);

}  // namespace wafertlm
