// The tables of the run store and of .hilo documents, which are the same: a document is a store that carries
// what it speaks of as well. Private to the workspace.
#pragma once

#include "core/workspace/store/database.h"

namespace hilo {

inline constexpr int kStoreSchemaVersion = 11;
// "HILO", in a document's header, where no other store has a number.
inline constexpr int64_t kDocumentApplicationId = 0x48494c4f;

// Makes the tables of a new database, brings those of an older one up to date, and refuses a newer one (kind
// "store-too-new") untouched. `path` is for messages.
Status prepareStore(Database& database, const std::string& path);

// Refuses what is no document (kind "not-a-document"), was written by a newer Hilo ("store-too-new"), or has
// any table, index, view or trigger other than a document has ("bad-schema").
Status checkDocument(Database& database, const std::string& path);

}  // namespace hilo
