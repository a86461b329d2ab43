// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/study_database.h"

#include <fmt/format.h>

#include <sqlite3.h>
#include <unistd.h>

#include <boost/algorithm/string/predicate.hpp>
#include <map>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "platform/commands/study/study_table.h"
#include "platform/commands/study/sweep/cell_files.h"
#include "platform/commands/study/sweep/journal.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Database {
 public:
  explicit Database(const fs::path& file) {
    fs::remove(file);
    check(sqlite3_open(file.c_str(), &data_), SQLITE_OK);
    // Nobody reads it before it is complete, and an unfinished one is worth nothing.
    execute("PRAGMA journal_mode = OFF");
    execute("PRAGMA synchronous = OFF");
    execute("BEGIN");
  }
  ~Database() {
    sqlite3_finalize(insert_);
    sqlite3_close(data_);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// The rows that follow are of this table.
  void create(const std::string& table, const std::vector<std::string>& columns) {
    execute(fmt::format("CREATE TABLE {}({})", table, fmt::join(columns, ", ")));
    sqlite3_finalize(insert_);
    insert_ = nullptr;
    const std::string sql =
        fmt::format("INSERT INTO {} VALUES(?{})", table, repeated(",?", columns.size() - 1));
    check(sqlite3_prepare_v2(data_, sql.c_str(), -1, &insert_, nullptr), SQLITE_OK);
  }
  void add(const std::vector<json>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) bind(static_cast<int>(i + 1), row[i]);
    check(sqlite3_step(insert_), SQLITE_DONE);
    sqlite3_reset(insert_);
  }
  void finish() { execute("COMMIT"); }

 private:
  static std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
  }
  void bind(int parameter, const json& value) {
    if (value.is_null()) {
      sqlite3_bind_null(insert_, parameter);
    } else if (value.is_number_float()) {
      sqlite3_bind_double(insert_, parameter, value.get<double>());
    } else if (value.is_number() || value.is_boolean()) {
      sqlite3_bind_int64(insert_, parameter, value.get<sqlite3_int64>());
    } else {
      const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      sqlite3_bind_text(insert_, parameter, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
  }
  void execute(const std::string& sql) {
    check(sqlite3_exec(data_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  }
  void check(int code, int wanted) const {
    if (code != wanted)
      throw std::runtime_error(std::string("the study's database: ") + sqlite3_errmsg(data_));
  }

  sqlite3* data_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

/// A name of a column in quotes.
std::string quoted_name(const std::string& name) {
  std::string quoted = "\"";
  for (const char character : name) quoted += character == '"' ? "\"\"" : std::string(1, character);
  return quoted + '"';
}

void add_study(Database& data, const StudyResult& result) {
  const StudyTable table = study_table(result);
  std::string number = "cell";  // of the cell, by which all tables are joined
  const auto is_taken = [&](const std::string& name) { return boost::algorithm::iequals(name, number); };
  std::vector<std::string> columns = {quoted_name(number) + " INTEGER PRIMARY KEY"};
  for (const std::string& name : table.columns)
    columns.push_back(quoted_name(is_taken(name) ? name + " 2" : name));
  data.create("study", columns);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<json> row = {i};
    row.insert(row.end(), table.rows[i].begin(), table.rows[i].end());
    data.add(row);
  }
}

void add_cells(Database& data, const StudyResult& result, const std::vector<Attempt>& attempts) {
  struct Own {
    std::size_t attempts = 0;
    const Attempt* last = nullptr;  // that ended, if one did
  };
  std::map<std::string, Own> of;
  for (const Attempt& attempt : attempts) {
    Own& own = of[attempt.id];
    ++own.attempts;
    if (own.last == nullptr || attempt.state != Attempt::State::running) own.last = &attempt;
  }
  data.create("cells", {"cell INTEGER PRIMARY KEY", "id", "command", "state", "attempts", "exit_code",
                        "seconds", "processor_s", "peak_memory_bytes", "worker", "error"});
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const std::string &id = result.jobs[i].id, &error = result.outcomes[i].error;
    std::vector<json> row = {i, id, command_line(result.jobs[i].words), name_of(result.outcomes[i].status)};
    const auto own = of.find(id);
    if (own == of.end()) {  // of an earlier study, whose journal is gone
      row.insert(row.end(), {0, json(), json(), json(), json(), json()});
    } else {
      const Attempt& last = *own->second.last;
      row.insert(row.end(), {own->second.attempts, last.exit_code, last.seconds, last.processor_s,
                             last.peak_memory_bytes, last.worker});
    }
    row.push_back(error.empty() ? json() : json(error));
    data.add(row);
  }
}

void add_attempts(Database& data, const std::vector<Attempt>& attempts) {
  data.create("attempts", {"id", "worker", "state", "started_unix_s", "exit_code", "seconds", "processor_s",
                           "peak_memory_bytes", "error"});
  for (const Attempt& attempt : attempts)
    data.add({attempt.id, attempt.worker,
              attempt.state == Attempt::State::running ? "lost" : name_of(attempt.state),
              attempt.started_unix_s, attempt.exit_code, attempt.seconds, attempt.processor_s,
              attempt.peak_memory_bytes, attempt.error});
}

}  // namespace

void write_study_database(const fs::path& file, const StudyResult& result, const fs::path& study_folder) {
  const std::vector<Attempt> attempts = read_journals(CellFiles(study_folder).sweep() / "journal");
  const fs::path local = fs::temp_directory_path() / fmt::format("wafertlm-study-{}.sqlite", getpid());
  {
    Database data(local);
    add_study(data, result);
    add_cells(data, result, attempts);
    add_attempts(data, attempts);
    data.finish();
  }
  std::error_code copied, ignored;
  fs::copy_file(local, file, fs::copy_options::overwrite_existing, copied);
  fs::remove(local, ignored);
  if (copied) throw std::runtime_error("cannot write " + file.string() + " (" + copied.message() + ")");
}

}  // namespace wafertlm
