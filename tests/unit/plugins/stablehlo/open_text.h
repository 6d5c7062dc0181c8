// StableHLO text through the plug-in, as HLO text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/hlo/text/print.h"
#include "core/workspace/open/opened.h"

namespace hilo {

// A function of StableHLO operations in short HLO text; "" and a failure when it does not open.
inline std::string hloOf(const std::string& mlir) {
  const auto file = openBytes(mlir, "t.mlir");
  if (!file) {
    ADD_FAILURE() << toString(file.error());
    return "";
  }
  EXPECT_FALSE(hasErrors((*file)->diagnostics)) << toString((*file)->diagnostics[0]);
  PrintOptions options = PrintOptions::shortText();
  options.largeConstants = true;
  return printModule(*(*file)->module, options);
}

// Why it does not open, or what is wrong with what opened.
inline std::string errorOf(const std::string& mlir) {
  const auto file = openBytes(mlir, "t.mlir");
  if (!file) return toString(file.error());
  return (*file)->diagnostics.empty() ? "" : toString((*file)->diagnostics[0]);
}

}  // namespace hilo
