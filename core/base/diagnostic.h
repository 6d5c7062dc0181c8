// What Hilo says about anything that comes from outside: a stable kind a script can match, a message for
// a person, the place, and notes (often the remedy). Producers such as the parser and the verifier collect
// many in a Diagnostics; a function that can only succeed or fail returns Result<T> (result.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hilo {

enum class Severity : uint8_t { kNote, kWarning, kError };

// Where a diagnostic points: a file position, an instruction, or both. Lines and columns count from 1;
// 0 says unknown. Columns count bytes.
struct Place {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  std::string computation;
  std::string instruction;
};

struct Diagnostic {
  Severity severity = Severity::kError;
  // Stable, lower-case, hyphenated: "unexpected-token", "shape-mismatch". Never reworded once released.
  std::string kind;
  std::string message;
  Place place;
  std::vector<std::string> notes;
};

// "FILE:LINE:COL: error: kind: message" and one indented line a note. Parts that are unknown are left out.
std::string toString(const Diagnostic& diagnostic);

using Diagnostics = std::vector<Diagnostic>;

bool hasErrors(const Diagnostics& diagnostics);

}  // namespace hilo
