#include "core/workspace/store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace hilo {
namespace {

std::unexpected<Diagnostic> databaseError(sqlite3* handle) {
  return fail("store-failed", fmt::format("database: {}", sqlite3_errmsg(handle)));
}

void trustNothing(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Database::kLargestValueBytes);
}

}  // namespace

Result<Database> Database::open(const std::string& path, bool create) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  Database database(handle);
  if (code != SQLITE_OK) return fail("store-not-opened", fmt::format("{}: {}", path, sqlite3_errmsg(handle)));
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  trustNothing(handle);
  TRY_STATUS(database.execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0"));
  return database;
}

Database::Database(Database&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
Database& Database::operator=(Database&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}
Database::~Database() { sqlite3_close_v2(handle_); }

Status Database::execute(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return databaseError(handle_);
  return {};
}

Result<int64_t> Database::pragma(const std::string& name) {
  TRY(Statement statement, Statement::prepare(*this, "PRAGMA " + name));
  TRY(const bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

int64_t Database::lastInsertId() const { return sqlite3_last_insert_rowid(handle_); }
int Database::changes() const { return sqlite3_changes(handle_); }
bool Database::isBusy() const { return sqlite3_errcode(handle_) == SQLITE_BUSY; }

Result<Statement> Statement::prepare(const Database& database, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3* handle = database.handle();
  if (sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK)
    return databaseError(handle);
  return Statement(handle, statement);
}

Statement::Statement(Statement&& other) noexcept
    : handle_(other.handle_), statement_(std::exchange(other.statement_, nullptr)), next_(other.next_) {}
Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int64_t value) {
  sqlite3_bind_int64(statement_, next_++, value);
  return *this;
}
Statement& Statement::bind(std::string_view value) {
  sqlite3_bind_text64(statement_, next_++, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}
Statement& Statement::bindBlob(const std::optional<std::string>& value) {
  if (value) {
    sqlite3_bind_blob64(statement_, next_++, value->data(), value->size(), SQLITE_STATIC);
  } else {
    sqlite3_bind_null(statement_, next_++);
  }
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return databaseError(handle_);
}

Status Statement::run() {
  TRY_STATUS(step());
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  next_ = 1;
}

int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
bool Statement::isNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::string_view Statement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {data == nullptr ? "" : data, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

}  // namespace hilo
