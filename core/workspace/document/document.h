// .hilo documents: one SQLite file that holds modules and dumps themselves (not only where they lay), their
// arguments, the passes that were run over them, runs, bookmarks, notes, and what the windows showed. A bug
// report in one file.
//
// The file is whole at every moment: every change is one transaction, nothing lies beside it but SQLite's own
// rollback journal while one is under way, and a program that is killed leaves what was committed last.
// Several programs may use one file; changes wait up to 5 s for each other. A document is a RunStore too
// (store.h): runs, bookmarks and notes go through that, at once.
//
// The file may come from a stranger. Tables other than a document's are refused (kind "bad-schema"), values
// are bounded, and modules go through the same readers as files do. Kinds besides: "not-a-document",
// "store-too-new", "store-damaged", "document-too-large", "empty-document".
//
// All functions may be called from any thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/workspace/job_queue.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/passes/pass_series.h"
#include "core/workspace/store/store.h"

namespace hilo {

// A file or a dump in a document.
struct DocumentItem {
  int64_t storedId = 0;  // in the document it was read from; 0: in none yet
  std::string title;
  std::string sourcePath;  // where it was read from at first, for people
  OpenedItem opened;
  // What the module is to run with, one list a device; saved where the file itself has none.
  std::vector<std::vector<Literal>> arguments;
};

// Passes that Hilo ran over the module of an item.
struct DocumentSeries {
  int64_t storedId = 0;
  size_t item = 0;  // of HiloDocument::items
  std::shared_ptr<const PassSeries> series;
};

// What a window showed, as the window writes it: "selected", "query", ...
using ViewState = std::map<std::string, std::string>;

struct HiloDocument {
  std::vector<DocumentItem> items;
  std::vector<DocumentSeries> series;
  ViewState viewState;
};

// Whether a file is a database with a document's number in its header; false for what cannot be read.
// `address` is a path, or that of a document with the number of one of its items: "F.hilo#2".
bool isDocument(const std::string& address);

// The opened files are called `path`, or `path`#N from the second on.
Result<HiloDocument> readDocument(const std::string& path, const JobContext& context = {});
// One item alone, the first where the address has no number.
Result<DocumentItem> readDocumentItem(const std::string& address, const JobContext& context = {});

// What is kept in another store about some modules, to go into a document with them.
struct Annotations {
  const RunStore* store = nullptr;
  std::vector<std::shared_ptr<const Module>> modules;
};

struct SavedDocument {
  std::vector<int64_t> itemIds, seriesIds;  // the storedIds, in the order of what was given
  Diagnostics leftOut;                      // warnings: files of a dump that are too large
};

// Writes a new file, or makes an existing document hold just these items and series: what has a storedId
// stays as it is. Runs, bookmarks and notes that an existing document has stay.
Result<SavedDocument> saveDocument(const std::string& path, const HiloDocument& document,
                                   const Annotations& annotations = {}, const JobContext& context = {});

// Keys that are not named keep their values.
Status saveViewState(const std::string& path, const ViewState& viewState);

}  // namespace hilo
