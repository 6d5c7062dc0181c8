// How a module's text was written, so that printing it as read gives the same bytes. Detected by the parser,
// kept with the module, used by the printer's as-read options. The defaults are XLA's current dump form.
#pragma once

namespace hilo {

struct TextStyle {
  bool percent = true;         // %name
  bool operandShapes = false;  // f32[2] %name in operand lists
  bool resultShapes = true;
  bool programShapes = true;  // %comp (p: f32[]) -> f32[] {
  bool ids = false;
  bool syntaxSugarAsyncOps = true;
  bool quotedJsonConfigs = false;  // backend_config="{\"a\":1}"
  bool trailingNewline = true;
};

}  // namespace hilo
