#include "core/workspace/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "core/workspace/literal_blob.h"

namespace hilo {

struct RunStore::Database {
  sqlite3* handle = nullptr;
  ~Database() { sqlite3_close_v2(handle); }
};

namespace {

constexpr int kBusyTimeoutMs = 5000;

std::unexpected<Diagnostic> databaseError(sqlite3* handle, std::string_view doing) {
  return fail("store-failed", fmt::format("{}: {}", doing, sqlite3_errmsg(handle)));
}

Status execute(sqlite3* handle, const char* sql) {
  if (sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return databaseError(handle, "run store");
  return {};
}

// A prepared statement; binds count from 1, columns from 0.
class Statement {
 public:
  static Result<Statement> prepare(sqlite3* handle, std::string_view sql) {
    Statement statement(handle);
    if (sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &statement.statement_,
                           nullptr) != SQLITE_OK) {
      return databaseError(handle, "run store");
    }
    return statement;
  }
  Statement(Statement&& other) noexcept
      : handle_(other.handle_), statement_(std::exchange(other.statement_, nullptr)), next_(other.next_) {}
  ~Statement() { sqlite3_finalize(statement_); }

  Statement& bind(int64_t value) {
    sqlite3_bind_int64(statement_, next_++, value);
    return *this;
  }
  Statement& bind(std::string_view value) {
    sqlite3_bind_text64(statement_, next_++, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
  }
  // An absent blob is NULL.
  Statement& bindBlob(const std::optional<std::string>& value) {
    if (value) {
      sqlite3_bind_blob64(statement_, next_++, value->data(), value->size(), SQLITE_TRANSIENT);
    } else {
      sqlite3_bind_null(statement_, next_++);
    }
    return *this;
  }

  // True: a row is there. False: no more.
  Result<bool> step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return databaseError(handle_, "run store");
  }
  int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  bool isNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  // Valid until the next step.
  std::string_view bytes(int column) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return {data == nullptr ? "" : data, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
  }
  std::string text(int column) const { return std::string(bytes(column)); }

 private:
  explicit Statement(sqlite3* handle) : handle_(handle) {}
  sqlite3* handle_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 1;
};

constexpr const char* kSchema = R"(
CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  module_name TEXT NOT NULL,
  module_hash INTEGER NOT NULL,
  engine TEXT NOT NULL,
  arguments TEXT NOT NULL,
  label TEXT NOT NULL,
  flags TEXT NOT NULL,
  machine TEXT NOT NULL,
  started_at TEXT NOT NULL,
  compile_ns INTEGER NOT NULL,
  samples_ns TEXT NOT NULL,      -- JSON list
  output_digest INTEGER NOT NULL,
  output BLOB,                   -- NULL: too large to keep, or no output
  notes TEXT NOT NULL,           -- JSON list
  devices INTEGER NOT NULL DEFAULT 1,
  version TEXT NOT NULL DEFAULT '',
  warm_ups INTEGER NOT NULL DEFAULT 0,
  thunk_times TEXT NOT NULL DEFAULT '[]'  -- JSON list of lists, in the order of ThunkTime's fields
);
CREATE INDEX run_by_module ON run(module_hash, id);
CREATE TABLE bookmark (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  module_hash INTEGER NOT NULL,
  module_name TEXT NOT NULL,
  name TEXT NOT NULL,
  note TEXT NOT NULL,
  UNIQUE (module_hash, name)
);
CREATE TABLE scenario (
  module_hash INTEGER NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,            -- JSON
  PRIMARY KEY (module_hash, name)
);
PRAGMA user_version = 5;
)";
// What brings a store of an older version to the next one: kUpdates[v] from v.
constexpr const char* kUpdates[RunStore::kSchemaVersion] = {
    kSchema,
    "ALTER TABLE run ADD COLUMN devices INTEGER NOT NULL DEFAULT 1; PRAGMA user_version = 2;",
    "CREATE TABLE bookmark (id INTEGER PRIMARY KEY AUTOINCREMENT, module_hash INTEGER NOT NULL, "
    "module_name TEXT NOT NULL, name TEXT NOT NULL, note TEXT NOT NULL, UNIQUE (module_hash, name)); "
    "PRAGMA user_version = 3;",
    "CREATE TABLE scenario (module_hash INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, "
    "PRIMARY KEY (module_hash, name)); PRAGMA user_version = 4;",
    "ALTER TABLE run ADD COLUMN version TEXT NOT NULL DEFAULT ''; "
    "ALTER TABLE run ADD COLUMN warm_ups INTEGER NOT NULL DEFAULT 0; "
    "ALTER TABLE run ADD COLUMN thunk_times TEXT NOT NULL DEFAULT '[]'; PRAGMA user_version = 5;",
};
constexpr std::string_view kColumns =
    "id, module_name, module_hash, engine, arguments, label, flags, machine, started_at, compile_ns, "
    "samples_ns, "
    "output_digest, notes, devices, version, warm_ups";
constexpr int kOutputColumn = 16, kThunkTimesColumn = 17;

Result<int> schemaVersion(sqlite3* handle) {
  TRY(Statement statement, Statement::prepare(handle, "PRAGMA user_version"));
  TRY(const bool row, statement.step());
  return row ? static_cast<int>(statement.integer(0)) : 0;
}

// Two programs may come here at once: the version is looked at again inside the transaction.
Status updateSchema(sqlite3* handle) {
  TRY_STATUS(execute(handle, "BEGIN IMMEDIATE"));
  const auto finish = [&]() -> Status {
    for (;;) {
      TRY(const int version, schemaVersion(handle));
      if (version < 0 || version >= RunStore::kSchemaVersion) return execute(handle, "COMMIT");
      TRY_STATUS(execute(handle, kUpdates[version]));
    }
  };
  Status status = finish();
  if (!status) (void)execute(handle, "ROLLBACK");
  return status;
}

// Refused for :memory:, which needs none. Two programs may make one new file at once, and then SQLite says
// busy to one of them without asking its busy handler: to change the mode it turns a read lock into a write
// lock, and waiting there could be for ever. So the waiting is done here.
Status useWriteAheadLog(sqlite3* handle) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  for (;;) {
    Status status = execute(handle, "PRAGMA journal_mode = WAL");
    if (status || sqlite3_errcode(handle) != SQLITE_BUSY) return status;
    if (std::chrono::steady_clock::now() > deadline) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Status prepareDatabase(sqlite3* handle, const std::string& path) {
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  TRY(const int version, schemaVersion(handle));
  if (version > RunStore::kSchemaVersion) {
    return fail("store-too-new", fmt::format("{} was written by a newer Hilo (schema {}, this one knows {})",
                                             path, version, RunStore::kSchemaVersion));
  }
  TRY_STATUS(useWriteAheadLog(handle));  // first: it cannot change inside a transaction
  TRY_STATUS(execute(handle, "PRAGMA synchronous = NORMAL"));
  if (version < RunStore::kSchemaVersion) TRY_STATUS(updateSchema(handle));
  return {};
}

template <typename T>
std::vector<T> listFromJson(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::vector<T> values;
  if (!json.is_array()) return values;
  for (const auto& item : json) {
    if constexpr (std::is_integral_v<T>) {
      if (item.is_number_integer()) values.push_back(item.template get<T>());
    } else {
      if (item.is_string()) values.push_back(item.template get<T>());
    }
  }
  return values;
}

// Bytes that are no UTF-8 are replaced: a name from a dump may hold any.
std::string toJson(const std::vector<std::string>& list) {
  return nlohmann::json(list).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string toJson(const std::vector<ThunkTime>& times) {
  auto list = nlohmann::json::array();
  for (const ThunkTime& t : times)
    list.push_back({t.name, t.kind, t.instruction, t.sequence, t.thunk, t.times, t.totalNs});
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// What does not have the form is left out: the file may be anybody's.
std::vector<ThunkTime> thunkTimesFromJson(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::vector<ThunkTime> times;
  if (!json.is_array()) return times;
  for (const auto& row : json) {
    if (!row.is_array() || row.size() != 7 || !row[0].is_string() || !row[1].is_string()) continue;
    if (!std::ranges::all_of(row.begin() + 2, row.end(), [](const auto& n) { return n.is_number_integer(); }))
      continue;
    times.push_back({.name = row[0].get<std::string>(),
                     .kind = row[1].get<std::string>(),
                     .instruction = row[2].get<uint32_t>(),
                     .sequence = row[3].get<uint32_t>(),
                     .thunk = row[4].get<uint32_t>(),
                     .times = row[5].get<int64_t>(),
                     .totalNs = row[6].get<int64_t>()});
  }
  return times;
}

RunRecord readRow(const Statement& row) {
  RunRecord run;
  run.id = RunId{static_cast<uint32_t>(row.integer(0))};
  run.moduleName = row.text(1);
  run.moduleHash = static_cast<uint64_t>(row.integer(2));
  run.engine = row.text(3);
  run.argumentsDescription = row.text(4);
  run.label = row.text(5);
  run.flags = row.text(6);
  run.machine = row.text(7);
  run.startedAt = row.text(8);
  run.compileNs = row.integer(9);
  run.timings.samplesNs = listFromJson<int64_t>(row.bytes(10));
  run.outputDigest = static_cast<uint64_t>(row.integer(11));
  run.notes = listFromJson<std::string>(row.bytes(12));
  run.devices = row.integer(13);
  run.version = row.text(14);
  run.warmUps = static_cast<int>(row.integer(15));
  return run;
}

Result<std::vector<RunRecord>> readRows(Statement& statement) {
  std::vector<RunRecord> runs;
  for (;;) {
    TRY(const bool row, statement.step());
    if (!row) return runs;
    runs.push_back(readRow(statement));
  }
}

}  // namespace

RunStore::RunStore() : database_(std::make_unique<Database>()) {}
RunStore::~RunStore() = default;

std::string RunStore::defaultPath() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && data[0] == '/') return fmt::format("{}/hilo/runs.sqlite", data);
  const char* home = std::getenv("HOME");
  return fmt::format("{}/.local/share/hilo/runs.sqlite", home == nullptr ? "." : home);
}

Result<std::unique_ptr<RunStore>> RunStore::open(const std::string& path) {
  std::unique_ptr<RunStore> store(new RunStore());
  store->path_ = path.empty() ? defaultPath() : path;
  if (store->path_ != ":memory:") {
    std::error_code error;
    const auto folder = std::filesystem::path(store->path_).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error)
      return fail("store-failed", fmt::format("cannot make {}: {}", folder.string(), error.message()));
  }
  sqlite3*& handle = store->database_->handle;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(store->path_.c_str(), &handle, flags, nullptr) != SQLITE_OK) {
    return databaseError(handle, store->path_);
  }
  auto prepared = prepareDatabase(handle, store->path_);
  if (!prepared) {
    prepared.error().notes.push_back(fmt::format("the run store is {}", store->path_));
    return std::unexpected(std::move(prepared).error());
  }
  return store;
}

Result<RunId> RunStore::add(const RunRecord& run) {
  const std::lock_guard lock(mutex_);
  sqlite3* handle = database_->handle;
  std::vector<std::string> notes = run.notes;
  std::optional<std::string> output;
  if (run.output) {
    output = literalToBlob(*run.output, kOutputLimitBytes);
    if (!output)
      notes.push_back(fmt::format("output over {} MiB: only its digest is kept", kOutputLimitBytes >> 20));
  }
  TRY(Statement statement,
      Statement::prepare(
          handle,
          "INSERT INTO run (module_name, module_hash, engine, arguments, label, flags, machine, started_at, "
          "compile_ns, samples_ns, output_digest, notes, devices, version, warm_ups, thunk_times, output) "
          "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  statement.bind(run.moduleName).bind(static_cast<int64_t>(run.moduleHash)).bind(run.engine);
  statement.bind(run.argumentsDescription)
      .bind(run.label)
      .bind(run.flags)
      .bind(run.machine)
      .bind(run.startedAt);
  statement.bind(run.compileNs).bind(nlohmann::json(run.timings.samplesNs).dump());
  statement.bind(static_cast<int64_t>(run.outputDigest))
      .bind(toJson(notes))
      .bind(run.devices)
      .bind(run.version)
      .bind(run.warmUps)
      .bind(toJson(run.thunkTimes))
      .bindBlob(output);
  TRY_STATUS(statement.step());
  return RunId{static_cast<uint32_t>(sqlite3_last_insert_rowid(handle))};
}

Result<std::vector<RunRecord>> RunStore::list(size_t limit) const {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(database_->handle,
                         fmt::format("SELECT {} FROM run ORDER BY id DESC LIMIT ?", kColumns)));
  statement.bind(static_cast<int64_t>(limit));
  return readRows(statement);
}

Result<std::vector<RunRecord>> RunStore::listOfModule(uint64_t moduleHash, size_t limit) const {
  const std::lock_guard lock(mutex_);
  const auto sql = fmt::format("SELECT {} FROM run WHERE module_hash = ? ORDER BY id DESC LIMIT ?", kColumns);
  TRY(Statement statement, Statement::prepare(database_->handle, sql));
  statement.bind(static_cast<int64_t>(moduleHash)).bind(static_cast<int64_t>(limit));
  return readRows(statement);
}

Result<RunRecord> RunStore::get(RunId id) const {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(database_->handle,
                         fmt::format("SELECT {}, output, thunk_times FROM run WHERE id = ?", kColumns)));
  statement.bind(static_cast<int64_t>(id.value));
  TRY(const bool row, statement.step());
  if (!row) return fail("no-such-run", fmt::format("no run {} in {}", id.value, path_));
  RunRecord run = readRow(statement);
  run.thunkTimes = thunkTimesFromJson(statement.bytes(kThunkTimesColumn));
  if (!statement.isNull(kOutputColumn)) {
    TRY(run.output, literalFromBlob(statement.bytes(kOutputColumn)));
  }
  return run;
}

Status RunStore::keep(const Bookmark& bookmark) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(database_->handle,
                         "INSERT INTO bookmark (module_hash, module_name, name, note) VALUES (?,?,?,?) "
                         "ON CONFLICT (module_hash, name) DO UPDATE SET note = excluded.note"));
  statement.bind(static_cast<int64_t>(bookmark.moduleHash)).bind(bookmark.moduleName);
  statement.bind(bookmark.name).bind(bookmark.note);
  TRY_STATUS(statement.step());
  return {};
}

Result<std::vector<Bookmark>> RunStore::bookmarksOf(uint64_t moduleHash) const {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(database_->handle,
                         "SELECT module_name, name, note FROM bookmark WHERE module_hash = ? ORDER BY id"));
  statement.bind(static_cast<int64_t>(moduleHash));
  std::vector<Bookmark> bookmarks;
  for (;;) {
    TRY(const bool row, statement.step());
    if (!row) return bookmarks;
    bookmarks.push_back({moduleHash, statement.text(0), statement.text(1), statement.text(2)});
  }
}

Status RunStore::removeBookmark(uint64_t moduleHash, const std::string& name) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(database_->handle, "DELETE FROM bookmark WHERE module_hash = ? AND name = ?"));
  statement.bind(static_cast<int64_t>(moduleHash)).bind(name);
  TRY_STATUS(statement.step());
  if (sqlite3_changes(database_->handle) == 0)
    return fail("no-such-bookmark", fmt::format("no bookmark {} of this module in {}", name, path_));
  return {};
}

Status RunStore::keepScenario(uint64_t moduleHash, const KeptScenario& scenario) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(database_->handle,
                         "INSERT OR REPLACE INTO scenario (module_hash, name, text) VALUES (?,?,?)"));
  statement.bind(static_cast<int64_t>(moduleHash)).bind(scenario.name).bind(scenario.text);
  TRY_STATUS(statement.step());
  return {};
}

Result<std::vector<KeptScenario>> RunStore::scenariosOf(uint64_t moduleHash) const {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(database_->handle,
                         "SELECT name, text FROM scenario WHERE module_hash = ? ORDER BY name"));
  statement.bind(static_cast<int64_t>(moduleHash));
  std::vector<KeptScenario> scenarios;
  for (;;) {
    TRY(const bool row, statement.step());
    if (!row) return scenarios;
    scenarios.push_back({statement.text(0), statement.text(1)});
  }
}

Status RunStore::removeScenario(uint64_t moduleHash, const std::string& name) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(database_->handle, "DELETE FROM scenario WHERE module_hash = ? AND name = ?"));
  statement.bind(static_cast<int64_t>(moduleHash)).bind(name);
  TRY_STATUS(statement.step());
  if (sqlite3_changes(database_->handle) == 0)
    return fail("no-such-scenario", fmt::format("no scenario {} of this module in {}", name, path_));
  return {};
}

Status RunStore::remove(RunId id) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement, Statement::prepare(database_->handle, "DELETE FROM run WHERE id = ?"));
  statement.bind(static_cast<int64_t>(id.value));
  TRY_STATUS(statement.step());
  if (sqlite3_changes(database_->handle) == 0)
    return fail("no-such-run", fmt::format("no run {} in {}", id.value, path_));
  return {};
}

Status RunStore::setNotes(RunId id, const std::vector<std::string>& notes) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement, Statement::prepare(database_->handle, "UPDATE run SET notes = ? WHERE id = ?"));
  statement.bind(toJson(notes)).bind(static_cast<int64_t>(id.value));
  TRY_STATUS(statement.step());
  if (sqlite3_changes(database_->handle) == 0)
    return fail("no-such-run", fmt::format("no run {} in {}", id.value, path_));
  return {};
}

}  // namespace hilo
