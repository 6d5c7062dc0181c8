// Runs, bookmarks, notes and schedule scenarios kept in an SQLite file: the user's own store, or a .hilo
// document (document/document.h), whose modules they are of.
//
// Several programs may use one file at a time: write-ahead log, a busy timeout of 5 s, every change one
// transaction. The file carries its schema version; an older one is brought up to date on opening, a newer
// one is refused (kind "store-too-new") untouched. Outputs are kept up to kOutputLimitBytes a run; a larger
// output is kept by its digest alone, with a note. Threads: a RunStore may be used from any thread, one call
// at a time (it locks).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/workspace/run/runs.h"

namespace hilo {

class Database;

// A place a person wants to find again, with what they had to say about it.
struct Bookmark {
  uint64_t moduleHash = 0;  // moduleHash() of runs.h
  std::string moduleName;
  std::string name;  // of an instruction or a computation; one bookmark a name and module
  std::string note;
  friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

// A scenario of a module's schedule that was kept by name, in its text form (schedule_scenario.h).
struct KeptScenario {
  std::string name;  // one scenario a name and module
  std::string text;
  friend bool operator==(const KeptScenario&, const KeptScenario&) = default;
};

// How an instruction was found to be best compiled (tune/tune.h).
struct KeptTuning {
  std::string machine;           // as runs name it
  uint64_t instructionHash = 0;  // moduleHash() of the instruction as a module of its own
  std::string backend, compiler;
  std::string config;
  int64_t defaultNs = 0, bestNs = 0;  // medians
  std::string tried = {};             // all that was, as its tuner writes it (JSON); "": not kept
  friend bool operator==(const KeptTuning&, const KeptTuning&) = default;
};

class RunStore {
 public:
  static constexpr size_t kOutputLimitBytes = size_t{64} << 20;

  // Opens or makes the file, folders included. "" stands for defaultPath(), ":memory:" for one that
  // is not kept.
  static Result<std::unique_ptr<RunStore>> open(const std::string& path = {});
  // $XDG_DATA_HOME/hilo/runs.sqlite, or ~/.local/share/hilo/runs.sqlite; "" where neither is known.
  static std::string defaultPath();
  ~RunStore();

  // Keeps a run; gives it its id.
  Result<RunId> add(const RunRecord& run);
  // Newest first, without outputs and times of thunks. At most `limit`.
  Result<std::vector<RunRecord>> list(size_t limit = 1000) const;
  // Only runs of one module.
  Result<std::vector<RunRecord>> listOfModule(uint64_t moduleHash, size_t limit = 1000) const;
  // With its times of thunks, and its output where it was kept. Kind "no-such-run".
  Result<RunRecord> get(RunId id) const;
  Status remove(RunId id);
  Status setNotes(RunId id, const std::vector<std::string>& notes);

  // Makes the bookmark, or replaces its note.
  Status keep(const Bookmark& bookmark);
  // By the order they were made.
  Result<std::vector<Bookmark>> bookmarksOf(uint64_t moduleHash) const;
  // Kind "no-such-bookmark".
  Status removeBookmark(uint64_t moduleHash, const std::string& name);
  // Makes the scenario, or replaces what its name stood for.
  Status keepScenario(uint64_t moduleHash, const KeptScenario& scenario);
  // By name.
  Result<std::vector<KeptScenario>> scenariosOf(uint64_t moduleHash) const;
  // Kind "no-such-scenario".
  Status removeScenario(uint64_t moduleHash, const std::string& name);
  // Keeps what was found, in place of what was found before for the same machine, instruction,
  // backend and compiler.
  Status keepTuning(const KeptTuning& tuning);
  // Of `wanted` only these four say what is looked for. nullopt: nothing was kept.
  Result<std::optional<KeptTuning>> tuningOf(const KeptTuning& wanted) const;
  // All of the instruction, by machine, backend and compiler.
  Result<std::vector<KeptTuning>> tuningsOf(uint64_t instructionHash) const;
  // What a person wrote about a module; "" where nothing. Writing "" removes it.
  Result<std::string> noteOf(uint64_t moduleHash) const;
  Status setNote(uint64_t moduleHash, const std::string& moduleName, const std::string& text);
  const std::string& path() const { return path_; }

 private:
  RunStore();
  std::unique_ptr<Database> database_;
  mutable std::mutex mutex_;
  std::string path_;
};

}  // namespace hilo
