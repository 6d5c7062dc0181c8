// The thunks of a compiled GPU module as XLA prints them (ThunkSequence::ToString in
// backends/gpu/runtime/thunk.cc, both the form with ids and dependencies and the older one without), and the
// metadata that belongs to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

namespace pb {
class ThunkMetadataListProto;
}

struct ThunkGroup;

struct PrintedThunk {
  std::string kind;               // "kKernel"
  std::string description;        // what follows the kind, as printed, nested thunks left out
  std::string kernelName;         // of a kKernel; "" otherwise
  int64_t id = -1;                // newer form only, as those below
  int64_t previousConflict = -1;  // id of the last earlier thunk this one must wait for
  int64_t nextConflict = -1;
  std::string profileAnnotation;  // joined from the metadata by joinThunkMetadata
  uint32_t line = 0;
  std::vector<ThunkGroup> groups;  // bodies of while, conditional, sequential
};

struct ThunkGroup {
  std::string label;  // "condition", "body", "true_branch", "branch_0"; "" for a sequential thunk
  std::vector<PrintedThunk> thunks;
};

// Error kind: "bad-thunk-sequence" with the line.
Result<std::vector<PrintedThunk>> parseThunkSequence(std::string_view text, const std::string& file = {});

// Fills in profile annotations by thunk id.
void joinThunkMetadata(std::vector<PrintedThunk>& thunks, const pb::ThunkMetadataListProto& metadata);

}  // namespace hilo
