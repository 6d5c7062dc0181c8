// SQLite, as the workspace uses it: a connection and prepared statements whose errors are Diagnostics (kind
// "store-failed"). Private to the workspace. Threads: a Database and its statements belong
// to one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace hilo {

// How long a change waits for another program's.
inline constexpr int kBusyTimeoutMs = 5000;

class Database {
 public:
  static constexpr int kLargestValueBytes = 1 << 30;

  // Opens the file for reading and writing (for reading alone where it may not be written); ":memory:" is a
  // database that is not kept. The file may come from anybody: triggers and views in it do nothing, and no
  // value is larger than kLargestValueBytes. Kinds: "store-not-opened".
  static Result<Database> open(const std::string& path, bool create);
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  Status execute(const char* sql);
  // The number a PRAGMA of this name has; 0 where there is none.
  Result<int64_t> pragma(const std::string& name);
  int64_t lastInsertId() const;
  int changes() const;
  // Another connection has the lock.
  bool isBusy() const;
  sqlite3* handle() const { return handle_; }

 private:
  explicit Database(sqlite3* handle) : handle_(handle) {}
  sqlite3* handle_;
};

// BEGIN IMMEDIATE, `change`, COMMIT; rolled back where `change` fails.
template <typename Change>
Status inTransaction(Database& database, Change change) {
  TRY_STATUS(database.execute("BEGIN IMMEDIATE"));
  Status status = change();
  if (status) status = database.execute("COMMIT");
  if (!status) (void)database.execute("ROLLBACK");
  return status;
}

// A prepared statement; binds count from 1, columns from 0.
class Statement {
 public:
  static Result<Statement> prepare(const Database& database, std::string_view sql);
  Statement(Statement&& other) noexcept;
  ~Statement();

  Statement& bind(int64_t value);
  Statement& bind(std::string_view value);
  // An absent blob is NULL. The bytes must outlive the next step.
  Statement& bindBlob(const std::optional<std::string>& value);

  // True: a row is there. False: no more.
  Result<bool> step();
  // For what returns no rows.
  Status run();
  // Ready to bind and step again.
  void reset();

  int64_t integer(int column) const;
  bool isNull(int column) const;
  // Valid until the next step.
  std::string_view bytes(int column) const;
  std::string text(int column) const { return std::string(bytes(column)); }

 private:
  Statement(sqlite3* handle, sqlite3_stmt* statement) : handle_(handle), statement_(statement) {}
  sqlite3* handle_;
  sqlite3_stmt* statement_;
  int next_ = 1;
};

}  // namespace hilo
