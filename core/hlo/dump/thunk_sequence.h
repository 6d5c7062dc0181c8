// The thunks of a module XLA compiled, as it printed them (ThunkSequence::ToString in
// backends/gpu/runtime/thunk.cc, both the form with ids and dependencies and the older one without) or as an
// executable holds them (thunk_protos.h), and the metadata that belongs to them.
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

// Bytes of an allocation, as XLA counts these.
struct ThunkSlice {
  int64_t allocation = 0, offsetBytes = 0, sizeBytes = 0;
  bool writes = false;
};

// A field of a thunk by its path in the message, and its value as text.
struct ThunkField {
  std::string name, value;
  bool operator==(const ThunkField&) const = default;
};

struct DumpedThunk {
  std::string kind;                // of XLA:GPU "kKernel", of XLA:CPU "kernel"
  std::string description;         // what follows the kind, as printed, nested thunks left out
  std::vector<ThunkField> fields;  // of an executable: all but slices and what it runs
  std::string kernelName;          // of a kernel; "" otherwise
  int64_t id = -1;                 // not in the older form; those below are in the newer printed one alone
  int64_t previousConflict = -1;   // id of the last earlier thunk this one must wait for
  int64_t nextConflict = -1;
  std::string profileAnnotation;  // joined from the metadata by joinThunkMetadata; the instruction's name
  uint32_t line = 0;              // 0: of an executable
  // Of an executable: what the thunk itself uses; nullopt: it is not known.
  std::optional<std::vector<ThunkSlice>> slices;
  // Of XLA:CPU: numbers of the tokens it takes its turn in, within its sequence, and of the communicators: of
  // one communicator each thunk begins after those before it.
  std::vector<uint32_t> tokens, communicators;
  std::vector<ThunkGroup> groups;  // bodies of while, conditional, sequential
};

struct ThunkGroup {
  // "condition", "body", "true_branch", "branch_0", "called", "async", "slices"; "" for a sequential thunk.
  std::string label;
  std::vector<DumpedThunk> thunks;
};

// Error kind: "bad-thunk-sequence" with the line.
Result<std::vector<DumpedThunk>> parseThunkSequence(std::string_view text, const std::string& file = {});

// Fills in profile annotations by thunk id.
void joinThunkMetadata(std::vector<DumpedThunk>& thunks, const pb::ThunkMetadataListProto& metadata);

}  // namespace hilo
