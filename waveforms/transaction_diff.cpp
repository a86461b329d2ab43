// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "waveforms/transaction_log.h"

namespace wafertlm {
namespace {

/// The columns that are compared: all but the socket's number in its file.
const char* const kColumns[] = {"number",        "kind",       "class",        "vc",       "source",
                                "destination",   "stream",     "tag",          "sequence", "address",
                                "bytes",         "wire_bytes", "begin_req_ps", "head_ps",  "end_req_ps",
                                "begin_resp_ps", "end_resp_ps"};
constexpr int kBeginColumn = 12;

class Rows {
 public:
  Rows(sqlite3* data, const std::string& sql) {
    if (sqlite3_prepare_v2(data, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
      throw std::invalid_argument(sqlite3_errmsg(data));
  }
  ~Rows() { sqlite3_finalize(statement_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  /// False at the end, and from then on. @throws std::invalid_argument if the file is damaged
  bool next() {
    if (at_end_) return false;
    const int state = sqlite3_step(statement_);
    if (state != SQLITE_ROW && state != SQLITE_DONE)
      throw std::invalid_argument(sqlite3_errmsg(sqlite3_db_handle(statement_)));
    at_end_ = state == SQLITE_DONE;
    return !at_end_;
  }
  std::uint64_t number(int column) const {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
  }
  std::optional<std::uint64_t> value(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return {};
    return number(column);
  }
  std::string text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text ? text : "null";
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  bool at_end_ = false;
};

class Log {
 public:
  explicit Log(const std::string& path) : path_(path) {
    const auto bad = [&](const std::string& why) {
      return std::invalid_argument(path + " is no complete transaction log (" + why +
                                   "); write it with `wafertlm run --log`");
    };
    sqlite3* data = nullptr;
    const int opened = sqlite3_open_v2(path.c_str(), &data, SQLITE_OPEN_READONLY, nullptr);
    data_.reset(data);
    if (opened != SQLITE_OK) throw bad(sqlite3_errmsg(data));
    try {
      Rows sound(data, "PRAGMA integrity_check(1)");  // a file that lost its end, or a part
      if (!sound.next() || sound.text(0) != "ok") throw std::invalid_argument("it is damaged");
      const std::uint64_t bytes = pragma("page_size") * pragma("page_count");
      if (std::filesystem::file_size(path) < bytes) throw std::invalid_argument("its end is missing");
      Rows finished(data, "SELECT transactions FROM finished");
      Rows count(data, "SELECT count(*) FROM transactions");
      if (!finished.next() || !count.next()) throw std::invalid_argument("its run did not come to its end");
      if (finished.number(0) != count.number(0)) throw std::invalid_argument("transactions are missing");
      for (Rows sockets(data, "SELECT name, id FROM sockets"); sockets.next();)
        ids_[sockets.text(0)] = sockets.number(1);
    } catch (const std::invalid_argument& error) {
      throw bad(error.what());
    }
  }

  const std::string& path() const { return path_; }
  const std::map<std::string, std::uint64_t>& sockets() const { return ids_; }
  std::unique_ptr<Rows> rows(std::uint64_t socket) const {
    std::string sql = "SELECT ";
    for (const char* column : kColumns) sql += std::string(column == kColumns[0] ? "" : ", ") + column;
    return std::make_unique<Rows>(
        data_.get(), fmt::format("{} FROM transactions WHERE socket = {} ORDER BY number", sql, socket));
  }

 private:
  std::uint64_t pragma(const std::string& name) const {
    Rows value(data_.get(), "PRAGMA " + name);
    return value.next() ? value.number(0) : 0;
  }

  struct Close {
    void operator()(sqlite3* data) const { sqlite3_close(data); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> data_;
  std::map<std::string, std::uint64_t> ids_;
};

std::string row_text(const Rows& rows) {
  std::string text;
  for (int i = 0; i < static_cast<int>(std::size(kColumns)); ++i)
    if (rows.value(i)) text += std::string(text.empty() ? "" : ", ") + kColumns[i] + " " + rows.text(i);
  return text;
}

struct Difference {
  TimePs at_ps = kNever;
  std::string text;
};

/// When two rows of the same number begin to differ: at the first phase whose time is another; in anything
/// else, as they begin. kNever: they do not.
TimePs divergence(const Rows* a, const Rows* b, std::string& what) {
  what.clear();
  if (!a || !b) return (a ? a : b)->number(kBeginColumn);
  TimePs at = kNever;
  for (int i = 0; i < static_cast<int>(std::size(kColumns)); ++i) {
    const auto in_a = a->value(i), in_b = b->value(i);
    if (in_a == in_b) continue;
    what += std::string(what.empty() ? "" : ", ") + kColumns[i];
    at = std::min<TimePs>(at, i < kBeginColumn ? std::min(a->number(kBeginColumn), b->number(kBeginColumn))
                                               : std::min(in_a.value_or(kNever), in_b.value_or(kNever)));
  }
  return at;
}

bool next_of(Rows& rows, const Log& log) {
  try {
    return rows.next();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(log.path() + " is damaged: " + error.what());
  }
}

/// Where the two begin to differ on a socket, if that is before `before`.
Difference compare(const std::string& name, Rows& a, Rows& b, const Log& log_a, const Log& log_b,
                   TimePs before) {
  Difference first;
  first.at_ps = before;
  std::string what;
  for (;;) {
    const bool in_a = next_of(a, log_a), in_b = next_of(b, log_b);
    if (!in_a && !in_b) return first;
    const TimePs at = divergence(in_a ? &a : nullptr, in_b ? &b : nullptr, what);
    if (at >= first.at_ps) continue;
    first.at_ps = at;
    first.text = fmt::format("first divergence at {} ps on {}, transaction {}: {}\n  {}: {}\n  {}: {}\n", at,
                             name, (in_a ? a : b).text(0), what.empty() ? "only one has it" : what,
                             log_a.path(), in_a ? row_text(a) : "no such transaction", log_b.path(),
                             in_b ? row_text(b) : "no such transaction");
  }
}

}  // namespace

std::string first_divergence(const std::string& path_a, const std::string& path_b) {
  const Log a(path_a), b(path_b);
  for (const auto* pair : {&a, &b})
    for (const auto& [name, id] : pair->sockets())
      if ((pair == &a ? b : a).sockets().count(name) == 0)
        throw std::invalid_argument("only " + pair->path() + " has the socket " + name +
                                    "; choose the same sockets with --log in both runs");
  Difference first;
  for (const auto& [name, id] : a.sockets()) {
    Difference found = compare(name, *a.rows(id), *b.rows(b.sockets().at(name)), a, b, first.at_ps);
    if (found.at_ps < first.at_ps) first = std::move(found);
  }
  return first.text;
}

}  // namespace wafertlm
