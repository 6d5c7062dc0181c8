#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/workspace/document/document.h"
#include "core/workspace/document/item_contents.h"
#include "core/workspace/document/packed_bytes.h"
#include "core/workspace/document/step_json.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/store/database.h"
#include "core/workspace/store/literal_blob.h"
#include "core/workspace/store/store_schema.h"

namespace hilo {
namespace {

class DocumentWriter {
 public:
  DocumentWriter(Database& database, const HiloDocument& document, const JobContext& context)
      : database_(database), document_(document), context_(context) {}

  // Inside a transaction of the caller's.
  Status write() {
    TRY_STATUS(removeOthers());
    for (size_t n = 0; n < document_.items.size(); ++n) TRY_STATUS(writeItem(n));
    for (const DocumentSeries& series : document_.series) {
      if (series.storedId == 0) TRY_STATUS(writeSeries(series));
      if (series.storedId != 0) saved_.seriesIds.push_back(series.storedId);
    }
    return {};
  }
  SavedDocument& saved() { return saved_; }

 private:
  // Items and series that the document has and that are not to stay.
  Status removeOthers() {
    absl::flat_hash_set<int64_t> items, series;
    for (const DocumentItem& item : document_.items) items.insert(item.storedId);
    for (const DocumentSeries& each : document_.series) series.insert(each.storedId);
    TRY_STATUS(removeFrom("series", series));
    return removeFrom("item", items);
  }

  Status removeFrom(std::string_view table, const absl::flat_hash_set<int64_t>& kept) {
    std::vector<int64_t> gone;
    TRY(Statement rows, Statement::prepare(database_, fmt::format("SELECT id FROM {}", table)));
    for (;;) {
      TRY(const bool row, rows.step());
      if (!row) break;
      if (!kept.contains(rows.integer(0))) gone.push_back(rows.integer(0));
    }
    TRY(Statement remove, Statement::prepare(database_, fmt::format("DELETE FROM {} WHERE id = ?", table)));
    for (const int64_t id : gone) {
      TRY_STATUS(remove.bind(id).run());
      remove.reset();
    }
    return {};
  }

  Status writeItem(size_t index) {
    const DocumentItem& item = document_.items[index];
    const auto position = static_cast<int64_t>(index);
    if (item.storedId != 0) {
      TRY(Statement move, Statement::prepare(database_, "UPDATE item SET position = ? WHERE id = ?"));
      TRY_STATUS(move.bind(position).bind(item.storedId).run());
      saved_.itemIds.push_back(item.storedId);
      return {};
    }
    const auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&item.opened);
    TRY(Statement insert,
        Statement::prepare(database_,
                           "INSERT INTO item (position, kind, title, source_path) VALUES (?,?,?,?)"));
    insert.bind(position).bind(std::string_view(dump != nullptr ? "dump" : "file"));
    TRY_STATUS(insert.bind(std::string_view(item.title)).bind(std::string_view(item.sourcePath)).run());
    saved_.itemIds.push_back(database_.lastInsertId());
    if (dump != nullptr) {
      TRY(Diagnostics leftOut, forEachFileOf(**dump, context_, [&](const BundledFile& file) {
            return writeContent(saved_.itemIds.back(), file.name, file.bytes);
          }));
      saved_.leftOut.insert(saved_.leftOut.end(), leftOut.begin(), leftOut.end());
      return {};
    }
    const auto& file = std::get<std::shared_ptr<const OpenedFile>>(item.opened);
    context_.progress(-1, item.title);
    TRY(const std::string bytes, contentOfFile(*file));
    TRY_STATUS(writeContent(saved_.itemIds.back(), item.title, bytes));
    return writeArguments(saved_.itemIds.back(), item.arguments);
  }

  Status writeContent(int64_t item, const std::string& name, std::string_view bytes) {
    TRY(Statement insert,
        Statement::prepare(database_, "INSERT INTO content (item, name, bytes) VALUES (?,?,?)"));
    const std::optional<std::string> packed = packBytes(bytes);
    if (packed->size() > static_cast<size_t>(Database::kLargestValueBytes)) {
      return fail("document-too-large",
                  fmt::format("{} of {} bytes is too large for a document", name, bytes.size()));
    }
    return insert.bind(item).bind(std::string_view(name)).bindBlob(packed).run();
  }

  Status writeArguments(int64_t item, const std::vector<std::vector<Literal>>& lists) {
    TRY(Statement insert,
        Statement::prepare(database_,
                           "INSERT INTO argument (item, device, position, literal) VALUES (?,?,?,?)"));
    for (size_t device = 0; device < lists.size(); ++device) {
      for (size_t n = 0; n < lists[device].size(); ++n) {
        const auto blob = literalToBlob(lists[device][n], Database::kLargestValueBytes);
        if (!blob)
          return fail("document-too-large", fmt::format("argument {} is too large for a document", n));
        insert.bind(item).bind(static_cast<int64_t>(device)).bind(static_cast<int64_t>(n));
        TRY_STATUS(insert.bindBlob(blob).run());
        insert.reset();
      }
    }
    return {};
  }

  Status writeSeries(const DocumentSeries& series) {
    TRY(Statement insert, Statement::prepare(database_, "INSERT INTO series (item, title) VALUES (?,?)"));
    TRY_STATUS(insert.bind(saved_.itemIds[series.item]).bind(std::string_view(series.series->title)).run());
    const int64_t id = database_.lastInsertId();
    saved_.seriesIds.push_back(id);
    std::shared_ptr<const Module> before;
    for (size_t n = 0; n < series.series->steps.size(); ++n) {
      if (context_.cancelled()) return cancelledError();
      const SeriesStep& step = series.series->steps[n];
      if (series.series->isTheirs(n)) continue;  // the dump has them
      TRY(const auto module, step.module());
      std::optional<std::string> packed;
      if (module != before) {
        TRY(const std::string bytes, convertModule(*module, {.kind = OutputKind::Module}));
        packed = packBytes(bytes);
      }
      TRY_STATUS(writeStep(id, n, step, packed));
      before = module;
    }
    return {};
  }

  Status writeStep(int64_t series, size_t position, const SeriesStep& step,
                   const std::optional<std::string>& module) {
    TRY(Statement insert,
        Statement::prepare(database_,
                           "INSERT INTO series_step (series, position, name, pipeline, "
                           "changed, skipped, duration_ns, remarks, made, settings, module) "
                           "VALUES (?,?,?,?,?,?,?,?,?,?,?)"));
    insert.bind(series).bind(static_cast<int64_t>(position)).bind(std::string_view(step.name));
    insert.bind(std::string_view(step.pipeline)).bind(int64_t{step.changed()}).bind(int64_t{step.skipped()});
    insert.bind(step.durationNs).bind(std::string_view(remarksToJson(step.remarks)));
    insert.bind(std::string_view(step.made)).bind(std::string_view(settingsToJson(step.settings)));
    return insert.bindBlob(module).run();
  }

  Database& database_;
  const HiloDocument& document_;
  const JobContext& context_;
  SavedDocument saved_;
};

Status writeViewState(Database& database, const ViewState& viewState) {
  TRY(Statement insert,
      Statement::prepare(database, "INSERT OR REPLACE INTO view_state (key, value) VALUES (?,?)"));
  for (const auto& [key, value] : viewState) {
    TRY_STATUS(insert.bind(std::string_view(key)).bind(std::string_view(value)).run());
    insert.reset();
  }
  return {};
}

// What a store keeps about a module, read before anything is written: it may be the very file.
struct ModuleNotes {
  std::vector<RunRecord> runs;
  std::vector<Bookmark> bookmarks;
  std::vector<KeptScenario> scenarios;
  uint64_t hash = 0;
  std::string moduleName;
  std::string note;
};

Result<std::vector<ModuleNotes>> collect(const Annotations& annotations) {
  std::vector<ModuleNotes> all;
  absl::flat_hash_set<uint64_t> seen;
  for (const auto& module : annotations.modules) {
    ModuleNotes notes{.hash = moduleHash(*module), .moduleName = std::string(module->name())};
    if (annotations.store == nullptr || !seen.insert(notes.hash).second) continue;
    TRY(const auto runs, annotations.store->listOfModule(notes.hash));
    for (const RunRecord& run : runs) {
      TRY(notes.runs.emplace_back(), annotations.store->get(run.id));
    }
    TRY(notes.bookmarks, annotations.store->bookmarksOf(notes.hash));
    TRY(notes.scenarios, annotations.store->scenariosOf(notes.hash));
    TRY(notes.note, annotations.store->noteOf(notes.hash));
    all.push_back(std::move(notes));
  }
  return all;
}

// The oldest run first, so that the order by number stays.
Status keepNotes(RunStore& store, const std::vector<ModuleNotes>& all) {
  for (const ModuleNotes& notes : all) {
    for (size_t n = notes.runs.size(); n-- > 0;) TRY_STATUS(store.add(notes.runs[n]));
    for (const Bookmark& bookmark : notes.bookmarks) TRY_STATUS(store.keep(bookmark));
    for (const KeptScenario& scenario : notes.scenarios) TRY_STATUS(store.keepScenario(notes.hash, scenario));
    if (!notes.note.empty()) TRY_STATUS(store.setNote(notes.hash, notes.moduleName, notes.note));
  }
  return {};
}

Result<SavedDocument> writeInto(const std::string& path, const HiloDocument& document,
                                const JobContext& context) {
  TRY(Database database, Database::open(path, /*create=*/true));
  TRY_STATUS(prepareStore(database, path));
  DocumentWriter writer(database, document, context);
  TRY_STATUS(inTransaction(database, [&]() -> Status {
    TRY_STATUS(writer.write());
    return writeViewState(database, document.viewState);
  }));
  return std::move(writer.saved());
}

// A new file is made beside its place and moved there when it is whole.
Result<SavedDocument> writeNew(const std::string& path, const HiloDocument& document,
                               const std::vector<ModuleNotes>& notes, const JobContext& context) {
  const std::string partial = fmt::format("{}.{}.partial", path, ::getpid());
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  const auto write = [&]() -> Result<SavedDocument> {
    {
      TRY(Database database, Database::open(partial, /*create=*/true));
      TRY_STATUS(database.execute(fmt::format("PRAGMA application_id = {}", kDocumentApplicationId).c_str()));
    }
    TRY(SavedDocument saved, writeInto(partial, document, context));
    if (!notes.empty()) {
      TRY(const auto store, RunStore::open(partial));
      TRY_STATUS(keepNotes(*store, notes));
    }
    if (std::rename(partial.c_str(), path.c_str()) != 0)
      return fail("not-writable", fmt::format("{}: {}", path, std::strerror(errno)));
    return saved;
  };
  auto written = write();
  if (!written) std::filesystem::remove(partial, ignored);
  return written;
}

}  // namespace

Result<SavedDocument> saveDocument(const std::string& path, const HiloDocument& document,
                                   const Annotations& annotations, const JobContext& context) {
  const bool sameStore = annotations.store == nullptr || annotations.store->path() == path;
  TRY(const auto notes, collect(sameStore ? Annotations() : annotations));
  if (isDocument(path)) {
    {
      TRY(Database database, Database::open(path, /*create=*/false));
      TRY_STATUS(checkDocument(database, path));
    }
    TRY(SavedDocument saved, writeInto(path, document, context));
    if (!notes.empty()) {
      TRY(const auto store, RunStore::open(path));
      TRY_STATUS(keepNotes(*store, notes));
    }
    return saved;
  }
  HiloDocument fresh = document;
  for (DocumentItem& item : fresh.items) item.storedId = 0;
  for (DocumentSeries& series : fresh.series) series.storedId = 0;
  return writeNew(path, fresh, notes, context);
}

Status saveViewState(const std::string& path, const ViewState& viewState) {
  TRY(Database database, Database::open(path, /*create=*/false));
  TRY_STATUS(checkDocument(database, path));
  return inTransaction(database, [&] { return writeViewState(database, viewState); });
}

}  // namespace hilo
