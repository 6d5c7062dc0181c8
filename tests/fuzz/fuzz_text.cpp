// Any bytes as HLO text: parse, print as read and in the other forms, and parse the print again. A module
// that was read without errors must reach a fixed point.

#include <cstdlib>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hilo;
  const ParseResult result = parseModule(std::string(reinterpret_cast<const char*>(data), size));
  if (result.module == nullptr) {
    if (!hasErrors(result.diagnostics)) std::abort();
    return 0;
  }
  for (const PrintOptions& options : {PrintOptions::longText(), PrintOptions::shortText(),
                                      PrintOptions::canonical(), PrintOptions::fingerprint()}) {
    printModule(*result.module, options);
  }
  const std::string printed = printModule(*result.module, PrintOptions::asRead(*result.module));
  const ParseResult again = parseModule(printed);
  if (hasErrors(result.diagnostics)) return 0;
  if (again.module == nullptr || hasErrors(again.diagnostics)) std::abort();
  if (printModule(*again.module, PrintOptions::asRead(*again.module)) != printed) std::abort();
  return 0;
}
