// How a module's text was written, so that printing it as read gives the same bytes. Detected by the parser,
// kept with the module, used by the printer's as-read options. The defaults are XLA's current dump form.
#pragma once

#include <cstdint>
#include <string_view>

namespace hilo {

struct TextStyle {
  bool header = true;                // "HloModule name, ..."
  bool entryKeyword = true;          // ENTRY before the entry computation
  bool percent = true;               // %name
  bool operandShapes = false;        // f32[2] %name in operand lists
  bool operandIndexComments = true;  // /*index=5*/ before every fifth operand
  bool resultShapes = true;
  bool programShapes = true;  // %comp (p: f32[]) -> f32[] {
  bool ids = false;
  bool syntaxSugarAsyncOps = true;     // foo-start for an async-start that wraps foo
  bool nameAfterClosingBrace = false;  // "} // name"
  bool compactGte = false;             // %tuple#0 for the get-tuple-element of %tuple
  bool quotedJsonConfigs = false;      // backend_config="{\"a\":1}"
  bool compactEntryLayout = false;  // entry_computation_layout={(f32[2],f32[2])->...}: no space after a comma
  bool stackFrameTables = false;    // FileNames and the rest, even when they are empty
  bool unclosedComputation = false;    // the text ended inside the last computation, ...
  std::string_view unclosedSignature;  // ... which promised these parameters and this result
  uint8_t trailingNewlines = 2;        // at the very end; an empty line follows every computation
};

}  // namespace hilo
