#include "core/workspace/store/store.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/workspace/store/database.h"
#include "core/workspace/store/literal_blob.h"
#include "core/workspace/store/store_schema.h"

namespace hilo {
namespace {

constexpr std::string_view kColumns =
    "id, module_name, module_hash, engine, arguments, label, flags, machine, started_at, compile_ns, "
    "samples_ns, "
    "output_digest, notes, devices, version, warm_ups, result_names";
constexpr int kOutputColumn = 17, kThunkTimesColumn = 18;

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
  run.resultNames = listFromJson<std::string>(row.bytes(16));
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

RunStore::RunStore() = default;
RunStore::~RunStore() = default;

std::string RunStore::defaultPath() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && data[0] == '/') return fmt::format("{}/hilo/runs.sqlite", data);
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : fmt::format("{}/.local/share/hilo/runs.sqlite", home);
}

Result<std::unique_ptr<RunStore>> RunStore::open(const std::string& path) {
  std::unique_ptr<RunStore> store(new RunStore());
  store->path_ = path.empty() ? defaultPath() : path;
  if (store->path_.empty())
    return fail("no-home", "no folder for the run store: neither XDG_DATA_HOME nor HOME is set", {},
                {"set one of them, or name a file with --store"});
  if (store->path_ != ":memory:") {
    std::error_code error;
    const auto folder = std::filesystem::path(store->path_).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error)
      return fail("store-failed", fmt::format("cannot make {}: {}", folder.string(), error.message()));
  }
  const auto prepare = [&]() -> Status {
    TRY(Database database, Database::open(store->path_, /*create=*/true));
    TRY(const int64_t application, database.pragma("application_id"));
    if (application == kDocumentApplicationId) TRY_STATUS(checkDocument(database, store->path_));
    TRY_STATUS(prepareStore(database, store->path_));
    store->database_ = std::make_unique<Database>(std::move(database));
    return {};
  };
  auto prepared = prepare();
  if (!prepared) {
    prepared.error().notes.push_back(fmt::format("the run store is {}", store->path_));
    return std::unexpected(std::move(prepared).error());
  }
  return store;
}

Result<RunId> RunStore::add(const RunRecord& run) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes = run.notes;
  std::optional<std::string> output;
  if (run.output) {
    output = literalToBlob(*run.output, kOutputLimitBytes);
    if (!output)
      notes.push_back(fmt::format("output over {} MiB: only its digest is kept", kOutputLimitBytes >> 20));
  }
  TRY(Statement statement,
      Statement::prepare(
          *database_,
          "INSERT INTO run (module_name, module_hash, engine, arguments, label, flags, machine, started_at, "
          "compile_ns, samples_ns, output_digest, notes, devices, version, warm_ups, result_names, "
          "thunk_times, output) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
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
      .bind(int64_t{run.warmUps})
      .bind(toJson(run.resultNames))
      .bind(toJson(run.thunkTimes))
      .bindBlob(output);
  TRY_STATUS(statement.step());
  return RunId{static_cast<uint32_t>(database_->lastInsertId())};
}

Result<std::vector<RunRecord>> RunStore::list(size_t limit) const {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(*database_, fmt::format("SELECT {} FROM run ORDER BY id DESC LIMIT ?", kColumns)));
  statement.bind(static_cast<int64_t>(limit));
  return readRows(statement);
}

Result<std::vector<RunRecord>> RunStore::listOfModule(uint64_t moduleHash, size_t limit) const {
  const std::lock_guard lock(mutex_);
  const auto sql = fmt::format("SELECT {} FROM run WHERE module_hash = ? ORDER BY id DESC LIMIT ?", kColumns);
  TRY(Statement statement, Statement::prepare(*database_, sql));
  statement.bind(static_cast<int64_t>(moduleHash)).bind(static_cast<int64_t>(limit));
  return readRows(statement);
}

Result<RunRecord> RunStore::get(RunId id) const {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(*database_,
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
      Statement::prepare(*database_,
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
      Statement::prepare(*database_,
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
      Statement::prepare(*database_, "DELETE FROM bookmark WHERE module_hash = ? AND name = ?"));
  statement.bind(static_cast<int64_t>(moduleHash)).bind(name);
  TRY_STATUS(statement.step());
  if (database_->changes() == 0)
    return fail("no-such-bookmark", fmt::format("no bookmark {} of this module in {}", name, path_));
  return {};
}

Status RunStore::keepScenario(uint64_t moduleHash, const KeptScenario& scenario) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(*database_,
                         "INSERT OR REPLACE INTO scenario (module_hash, name, text) VALUES (?,?,?)"));
  statement.bind(static_cast<int64_t>(moduleHash)).bind(scenario.name).bind(scenario.text);
  TRY_STATUS(statement.step());
  return {};
}

Result<std::vector<KeptScenario>> RunStore::scenariosOf(uint64_t moduleHash) const {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(*database_, "SELECT name, text FROM scenario WHERE module_hash = ? ORDER BY name"));
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
      Statement::prepare(*database_, "DELETE FROM scenario WHERE module_hash = ? AND name = ?"));
  statement.bind(static_cast<int64_t>(moduleHash)).bind(name);
  TRY_STATUS(statement.step());
  if (database_->changes() == 0)
    return fail("no-such-scenario", fmt::format("no scenario {} of this module in {}", name, path_));
  return {};
}

Status RunStore::keepTuning(const KeptTuning& tuning) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(
          *database_,
          "INSERT OR REPLACE INTO tuning (machine, instruction_hash, backend, compiler, config, "
          "default_ns, best_ns, tried) VALUES (?,?,?,?,?,?,?,?)"));
  statement.bind(tuning.machine).bind(static_cast<int64_t>(tuning.instructionHash)).bind(tuning.backend);
  statement.bind(tuning.compiler).bind(tuning.config).bind(tuning.defaultNs).bind(tuning.bestNs);
  statement.bind(tuning.tried);
  TRY_STATUS(statement.step());
  return {};
}

Result<std::optional<KeptTuning>> RunStore::tuningOf(const KeptTuning& wanted) const {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(*database_,
                         "SELECT config, default_ns, best_ns, tried FROM tuning WHERE machine = ? AND "
                         "instruction_hash = ? AND backend = ? AND compiler = ?"));
  statement.bind(wanted.machine).bind(static_cast<int64_t>(wanted.instructionHash));
  statement.bind(wanted.backend).bind(wanted.compiler);
  TRY(const bool row, statement.step());
  if (!row) return std::nullopt;
  KeptTuning found = wanted;
  found.config = statement.text(0);
  found.defaultNs = statement.integer(1);
  found.bestNs = statement.integer(2);
  found.tried = statement.text(3);
  return found;
}

Result<std::vector<KeptTuning>> RunStore::tuningsOf(uint64_t instructionHash) const {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(*database_,
                         "SELECT machine, backend, compiler, config, default_ns, best_ns, tried FROM tuning "
                         "WHERE instruction_hash = ? ORDER BY machine, backend, compiler"));
  statement.bind(static_cast<int64_t>(instructionHash));
  std::vector<KeptTuning> all;
  for (;;) {
    TRY(const bool row, statement.step());
    if (!row) return all;
    all.push_back({.machine = statement.text(0),
                   .instructionHash = instructionHash,
                   .backend = statement.text(1),
                   .compiler = statement.text(2),
                   .config = statement.text(3),
                   .defaultNs = statement.integer(4),
                   .bestNs = statement.integer(5),
                   .tried = statement.text(6)});
  }
}

Result<std::string> RunStore::noteOf(uint64_t moduleHash) const {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement, Statement::prepare(*database_, "SELECT text FROM note WHERE module_hash = ?"));
  statement.bind(static_cast<int64_t>(moduleHash));
  TRY(const bool row, statement.step());
  return row ? statement.text(0) : std::string();
}

Status RunStore::setNote(uint64_t moduleHash, const std::string& moduleName, const std::string& text) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement,
      Statement::prepare(*database_, text.empty() ? "DELETE FROM note WHERE module_hash = ?"
                                                  : "INSERT OR REPLACE INTO note VALUES (?,?,?)"));
  statement.bind(static_cast<int64_t>(moduleHash));
  if (!text.empty()) statement.bind(moduleName).bind(text);
  return statement.run();
}

Status RunStore::remove(RunId id) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement, Statement::prepare(*database_, "DELETE FROM run WHERE id = ?"));
  statement.bind(static_cast<int64_t>(id.value));
  TRY_STATUS(statement.step());
  if (database_->changes() == 0) return fail("no-such-run", fmt::format("no run {} in {}", id.value, path_));
  return {};
}

Status RunStore::setNotes(RunId id, const std::vector<std::string>& notes) {
  const std::lock_guard lock(mutex_);
  TRY(Statement statement, Statement::prepare(*database_, "UPDATE run SET notes = ? WHERE id = ?"));
  statement.bind(toJson(notes)).bind(static_cast<int64_t>(id.value));
  TRY_STATUS(statement.step());
  if (database_->changes() == 0) return fail("no-such-run", fmt::format("no run {} in {}", id.value, path_));
  return {};
}

}  // namespace hilo
