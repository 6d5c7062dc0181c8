#include "core/workspace/store/store_schema.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <thread>
#include <tuple>

namespace hilo {
namespace {

constexpr const char* kContents = R"(
CREATE TABLE note (module_hash INTEGER PRIMARY KEY, module_name TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE item (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,         -- "file" or "dump"
  title TEXT NOT NULL,
  source_path TEXT NOT NULL   -- where it was read from, for people
);
CREATE TABLE content (        -- of a file one row, of a dump one a file
  item INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  bytes BLOB NOT NULL,        -- gzip where that is smaller
  PRIMARY KEY (item, name)
);
CREATE TABLE argument (
  item INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  device INTEGER NOT NULL,
  position INTEGER NOT NULL,
  literal BLOB NOT NULL,
  PRIMARY KEY (item, device, position)
);
CREATE TABLE series (         -- passes that Hilo ran
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  title TEXT NOT NULL
);
CREATE TABLE series_step (
  series INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  changed INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,
  remarks TEXT NOT NULL,      -- JSON
  module BLOB,                -- NULL: that of the step before
  PRIMARY KEY (series, position)
);
CREATE TABLE view_state (key TEXT PRIMARY KEY, value TEXT NOT NULL);
PRAGMA user_version = 6;
)";

// What brings a store of an older version to the next one: kUpdates[v] from v; a new one takes them all.
constexpr const char* kUpdates[kStoreSchemaVersion] = {
    R"(
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
  notes TEXT NOT NULL            -- JSON list
);
CREATE INDEX run_by_module ON run(module_hash, id);
PRAGMA user_version = 1;
)",
    "ALTER TABLE run ADD COLUMN devices INTEGER NOT NULL DEFAULT 1; PRAGMA user_version = 2;",
    "CREATE TABLE bookmark (id INTEGER PRIMARY KEY AUTOINCREMENT, module_hash INTEGER NOT NULL, "
    "module_name TEXT NOT NULL, name TEXT NOT NULL, note TEXT NOT NULL, UNIQUE (module_hash, name)); "
    "PRAGMA user_version = 3;",
    "CREATE TABLE scenario (module_hash INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, "  // JSON
    "PRIMARY KEY (module_hash, name)); PRAGMA user_version = 4;",
    "ALTER TABLE run ADD COLUMN version TEXT NOT NULL DEFAULT ''; "
    "ALTER TABLE run ADD COLUMN warm_ups INTEGER NOT NULL DEFAULT 0; "
    "ALTER TABLE run ADD COLUMN thunk_times TEXT NOT NULL DEFAULT '[]'; PRAGMA user_version = 5;",
    kContents,
    "ALTER TABLE series_step ADD COLUMN made TEXT NOT NULL DEFAULT ''; PRAGMA user_version = 7;",
    "CREATE TABLE tuning (machine TEXT NOT NULL, instruction_hash INTEGER NOT NULL, backend TEXT NOT NULL, "
    "compiler TEXT NOT NULL, config TEXT NOT NULL, default_ns INTEGER NOT NULL, best_ns INTEGER NOT NULL, "
    "PRIMARY KEY (machine, instruction_hash, backend, compiler)); PRAGMA user_version = 8;",
    "ALTER TABLE run ADD COLUMN result_names TEXT NOT NULL DEFAULT '[]'; PRAGMA user_version = 9;",
    "ALTER TABLE series_step ADD COLUMN settings TEXT NOT NULL DEFAULT '[]'; PRAGMA user_version = 10;",
    "ALTER TABLE tuning ADD COLUMN tried TEXT NOT NULL DEFAULT ''; PRAGMA user_version = 11;",
};

// Two programs may come here at once: the version is looked at again inside the transaction.
Status updateSchema(Database& database) {
  return inTransaction(database, [&]() -> Status {
    for (;;) {
      TRY(const int64_t version, database.pragma("user_version"));
      if (version < 0 || version >= kStoreSchemaVersion) return {};
      TRY_STATUS(database.execute(kUpdates[version]));
    }
  });
}

// Refused for :memory:, which needs none. Two programs may make one new file at once, and then SQLite says
// busy to one of them without asking its busy handler: to change the mode it turns a read lock into a write
// lock, and waiting there could be for ever. So the waiting is done here.
Status useWriteAheadLog(Database& database) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  for (;;) {
    Status status = database.execute("PRAGMA journal_mode = WAL");
    if (status || !database.isBusy()) return status;
    if (std::chrono::steady_clock::now() > deadline) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

std::unexpected<Diagnostic> tooNew(const std::string& path, int64_t version) {
  return fail("store-too-new", fmt::format("{} was written by a newer Hilo (schema {}, this one knows {})",
                                           path, version, kStoreSchemaVersion));
}

using SchemaEntry = std::tuple<std::string, std::string, std::string>;  // type, name, SQL

Result<std::set<SchemaEntry>> schemaOf(const Database& database) {
  constexpr size_t kMostEntries = 100;
  std::set<SchemaEntry> entries;
  TRY(Statement statement,
      Statement::prepare(database, "SELECT type, name, coalesce(sql, '') FROM sqlite_schema"));
  for (;;) {
    TRY(const bool row, statement.step());
    if (!row || entries.size() > kMostEntries) return entries;
    // SQLite's own statistics; harmless, and made by ANALYZE alone.
    if (!statement.bytes(1).starts_with("sqlite_stat"))
      entries.emplace(statement.text(0), statement.text(1), statement.text(2));
  }
}

}  // namespace

Status prepareStore(Database& database, const std::string& path) {
  TRY(const int64_t version, database.pragma("user_version"));
  if (version > kStoreSchemaVersion) return tooNew(path, version);
  TRY(const int64_t application, database.pragma("application_id"));
  // A document is one file at every moment, so that it can be copied and sent: no log beside it.
  if (application != kDocumentApplicationId) {
    TRY_STATUS(useWriteAheadLog(database));  // first: it cannot change inside a transaction
    TRY_STATUS(database.execute("PRAGMA synchronous = NORMAL"));
  }
  if (version < kStoreSchemaVersion) TRY_STATUS(updateSchema(database));
  return database.execute("PRAGMA foreign_keys = ON");
}

Status checkDocument(Database& database, const std::string& path) {
  TRY(const int64_t application, database.pragma("application_id"));
  if (application != kDocumentApplicationId)
    return fail("not-a-document", fmt::format("{} is a database, but no .hilo document", path));
  TRY(const int64_t version, database.pragma("user_version"));
  if (version > kStoreSchemaVersion) return tooNew(path, version);
  TRY(Database fresh, Database::open(":memory:", true));
  TRY_STATUS(updateSchema(fresh));
  TRY(const auto expected, schemaOf(fresh));
  TRY(const auto found, schemaOf(database));
  if (found != expected) {
    return fail("bad-schema", fmt::format("{} has other tables than a .hilo document", path), {},
                {"it was not written by Hilo, or was changed since; nothing of it was read"});
  }
  return {};
}

}  // namespace hilo
