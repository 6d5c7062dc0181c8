#include <absl/container/flat_hash_map.h>
#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "core/workspace/document/document.h"
#include "core/workspace/document/packed_bytes.h"
#include "core/workspace/document/step_json.h"
#include "core/workspace/open/opened_dump.h"
#include "core/workspace/store/database.h"
#include "core/workspace/store/literal_blob.h"
#include "core/workspace/store/store_schema.h"

namespace hilo {
namespace {

constexpr size_t kMostItems = 10'000;
constexpr size_t kMostSteps = 100'000;
constexpr size_t kMostArguments = 1'000'000;
constexpr size_t kMostKeys = 10'000;
// Of all that a document holds, inflated.
constexpr size_t kLargestDocumentBytes = size_t{8} << 30;

std::unexpected<Diagnostic> tooLarge(std::string_view what) {
  return fail("document-too-large", fmt::format("the document holds too many {}", what));
}

// "F.hilo#2" into "F.hilo" and 2; 0 where there is no number.
std::pair<std::string, size_t> splitAddress(const std::string& path) {
  const size_t hash = path.rfind('#');
  size_t number = 0;
  if (hash == std::string::npos || !absl::SimpleAtoi(path.substr(hash + 1), &number)) return {path, 0};
  return {path.substr(0, hash), number};
}

class DocumentReader {
 public:
  DocumentReader(Database& database, std::string path, const JobContext& context)
      : database_(database), path_(std::move(path)), context_(context) {}

  // All of it as it was at one moment: inside one transaction.
  Result<HiloDocument> read(size_t onlyItem) {
    TRY_STATUS(database_.execute("BEGIN"));
    TRY_STATUS(readItems(onlyItem));
    if (document_.items.empty())
      return fail("empty-document", fmt::format("{} holds no module", path_), {},
                  {"the number after # counts the modules from 1"});
    if (onlyItem == 0) TRY_STATUS(readSeries());
    TRY_STATUS(readViewState());
    return std::move(document_);
  }

 private:
  Status readItems(size_t onlyItem) {
    TRY(Statement rows, Statement::prepare(database_,
                                           "SELECT id, kind, title, source_path FROM item "
                                           "ORDER BY position, id"));
    for (size_t number = 1;; ++number) {
      TRY(const bool row, rows.step());
      if (!row) return {};
      if (number > kMostItems) return tooLarge("modules");
      if (onlyItem != 0 && number != onlyItem) continue;
      context_.progress(-1, rows.text(2));
      if (context_.cancelled()) return cancelledError();
      DocumentItem item{.storedId = rows.integer(0), .title = rows.text(2), .sourcePath = rows.text(3)};
      const std::string name = number == 1 ? path_ : fmt::format("{}#{}", path_, number);
      TRY(item.opened, rows.text(1) == "dump" ? readDump(item.storedId, name) : readFile(item, name));
      itemOf_.emplace(item.storedId, document_.items.size());
      document_.items.push_back(std::move(item));
    }
  }

  Result<std::string> unpack(std::string_view packed) {
    TRY(std::string bytes, unpackBytes(packed));
    total_ += bytes.size();
    if (total_ > kLargestDocumentBytes) return tooLarge("bytes");
    return bytes;
  }

  Result<std::vector<BundledFile>> contentsOf(int64_t item) {
    TRY(Statement rows,
        Statement::prepare(database_, "SELECT name, bytes FROM content WHERE item = ? ORDER BY name"));
    rows.bind(item);
    std::vector<BundledFile> files;
    for (;;) {
      TRY(const bool row, rows.step());
      if (!row) return files;
      if (context_.cancelled()) return cancelledError();
      if (files.size() == kMaxDumpFilesInDocument) return tooLarge("files");
      TRY(std::string bytes, unpack(rows.bytes(1)));
      files.push_back({rows.text(0), std::move(bytes)});
    }
  }

  Result<OpenedItem> readDump(int64_t item, const std::string& name) {
    TRY(std::vector<BundledFile> files, contentsOf(item));
    return openBundledDump(std::move(files), name);
  }

  Result<OpenedItem> readFile(DocumentItem& item, const std::string& name) {
    TRY(std::vector<BundledFile> files, contentsOf(item.storedId));
    if (files.size() != 1)
      return fail("store-damaged", fmt::format("{}: an item without its contents", name));
    TRY(auto file, openBytes(std::move(files[0].bytes), name, context_.cancel()));
    TRY(item.arguments, argumentsOf(item.storedId));
    if (item.arguments.empty()) return file;
    auto withArguments = std::make_shared<OpenedFile>(*file);
    withArguments->arguments = item.arguments;
    withArguments->result.reset();  // it is of the snapshot's own arguments
    return withArguments;
  }

  Result<std::vector<std::vector<Literal>>> argumentsOf(int64_t item) {
    TRY(Statement rows, Statement::prepare(database_,
                                           "SELECT device, literal FROM argument WHERE item = ? "
                                           "ORDER BY device, position"));
    rows.bind(item);
    std::vector<std::vector<Literal>> lists;
    int64_t device = -1;
    for (size_t count = 0;; ++count) {
      TRY(const bool row, rows.step());
      if (!row) return lists;
      if (count == kMostArguments) return tooLarge("arguments");
      if (lists.empty() || rows.integer(0) != device) lists.emplace_back();
      device = rows.integer(0);
      total_ += rows.bytes(1).size();
      if (total_ > kLargestDocumentBytes) return tooLarge("bytes");
      TRY(Literal literal, literalFromBlob(rows.bytes(1)));
      lists.back().push_back(std::move(literal));
    }
  }

  Status readSeries() {
    TRY(Statement rows, Statement::prepare(database_, "SELECT id, item, title FROM series ORDER BY id"));
    for (;;) {
      TRY(const bool row, rows.step());
      if (!row) return {};
      const auto item = itemOf_.find(rows.integer(1));
      if (item == itemOf_.end()) continue;
      auto series = std::make_shared<PassSeries>();
      series->title = rows.text(2);
      TRY_STATUS(readSteps(rows.integer(0), *series));
      if (series->steps.size() > 1) document_.series.push_back({rows.integer(0), item->second, series});
    }
  }

  Status readSteps(int64_t id, PassSeries& series) {
    TRY(Statement rows,
        Statement::prepare(
            database_,
            "SELECT name, pipeline, changed, skipped, duration_ns, remarks, module, made, settings "
            "FROM series_step WHERE series = ? ORDER BY position"));
    rows.bind(id);
    std::shared_ptr<const Module> module;
    for (;;) {
      TRY(const bool row, rows.step());
      if (!row) return {};
      if (++steps_ > kMostSteps) return tooLarge("steps");
      if (context_.cancelled()) return cancelledError();
      if (!rows.isNull(6)) {
        TRY(std::string bytes, unpack(rows.bytes(6)));
        TRY(const auto file, openBytes(std::move(bytes), fmt::format("{}: {}", path_, rows.text(0))));
        module = file->module;
      }
      if (module == nullptr)
        return fail("store-damaged", fmt::format("{}: a series without its input", path_));
      SeriesStep step = makeStep(rows.text(0), module);
      step.pipeline = rows.text(1);
      const bool changed = rows.integer(2) != 0, skipped = rows.integer(3) != 0;
      step.durationNs = rows.integer(4);
      step.remarks = remarksFromJson(rows.bytes(5), module.get());
      step.made = rows.text(7);
      if (!series.steps.empty()) {
        step.kind = step.made.empty() ? StepKind::Pass : StepKind::Lowering;
        const PassOutcome whySkipped =
            step.kind == StepKind::Lowering ? PassOutcome::Failed : PassOutcome::Disabled;
        step.outcome = changed ? PassOutcome::Changed : skipped ? whySkipped : PassOutcome::Unchanged;
      }
      step.settings = settingsFromJson(rows.bytes(8));
      series.steps.push_back(std::move(step));
    }
  }

  Status readViewState() {
    TRY(Statement rows, Statement::prepare(database_, "SELECT key, value FROM view_state"));
    for (;;) {
      TRY(const bool row, rows.step());
      if (!row) return {};
      if (document_.viewState.size() == kMostKeys) return tooLarge("keys");
      document_.viewState.emplace(rows.text(0), rows.text(1));
    }
  }

  Database& database_;
  std::string path_;
  const JobContext& context_;
  HiloDocument document_;
  absl::flat_hash_map<int64_t, size_t> itemOf_;
  size_t total_ = 0;
  size_t steps_ = 0;
};

}  // namespace

bool isDocument(const std::string& address) {
  const std::string path = splitAddress(address).first;
  // Of SQLite's header: its name, and the application's number at byte 68, big-endian.
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr size_t kNumberAt = 68;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::array<char, kNumberAt + 4> head{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(head.data(), head.size()) || std::string_view(head.data(), kMagic.size()) != kMagic)
    return false;
  int64_t number = 0;
  for (size_t n = kNumberAt; n < head.size(); ++n) number = number << 8 | static_cast<unsigned char>(head[n]);
  return number == kDocumentApplicationId;
}

Result<HiloDocument> readDocument(const std::string& path, const JobContext& context) {
  TRY(Database database, Database::open(path, /*create=*/false));
  TRY_STATUS(checkDocument(database, path));
  return DocumentReader(database, path, context).read(0);
}

Result<DocumentItem> readDocumentItem(const std::string& address, const JobContext& context) {
  const auto [path, number] = splitAddress(address);
  TRY(Database database, Database::open(path, /*create=*/false));
  TRY_STATUS(checkDocument(database, path));
  TRY(HiloDocument document, DocumentReader(database, path, context).read(std::max<size_t>(number, 1)));
  return std::move(document.items.front());
}

}  // namespace hilo
