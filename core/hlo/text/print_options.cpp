#include "core/hlo/text/print_options.h"

#include "core/hlo/ir/module.h"

namespace hilo {

PrintOptions PrintOptions::shortText() {
  PrintOptions options;
  options.largeConstants = true;
  options.metadata = false;
  options.operandIndexInterval = 0;
  options.programShapes = false;
  options.percent = false;
  options.controlPredecessors = false;
  return options;
}

PrintOptions PrintOptions::canonical() {
  PrintOptions options;
  options.subcomputations = Subcomputations::FullBodies;
  options.metadata = false;
  options.backendConfig = false;
  options.operandNames = false;
  options.operandShapes = true;
  options.operandIndexInterval = 0;
  options.programShapes = false;
  options.percent = false;
  options.controlPredecessors = false;
  options.canonicalNames = true;
  return options;
}

PrintOptions PrintOptions::fingerprint() {
  PrintOptions options = canonical();
  options.infeedOutfeedConfig = false;
  options.essentialConstants = true;
  options.ids = false;
  options.fullReplicaGroups = true;
  return options;
}

PrintOptions PrintOptions::asRead(const Module& module) {
  const TextStyle& style = module.textStyle();
  PrintOptions options;
  options.largeConstants = true;
  options.header = style.header;
  options.entryKeyword = style.entryKeyword;
  options.emptyStackFrameTables = style.stackFrameTables;
  options.compactEntryLayout = style.compactEntryLayout;
  options.closeLastComputation = !style.unclosedComputation;
  options.unclosedSignature = style.unclosedSignature;
  options.trailingNewlines = style.trailingNewlines;
  options.percent = style.percent;
  options.programShapes = style.programShapes;
  options.resultShapes = style.resultShapes;
  options.operandShapes = style.operandShapes;
  options.operandIndexInterval = style.operandIndexComments ? 5 : 0;
  options.nameAfterClosingBrace = style.nameAfterClosingBrace;
  options.compactGte = style.compactGte;
  options.quotedJsonConfigs = style.quotedJsonConfigs;
  options.syntaxSugarAsyncOps = style.syntaxSugarAsyncOps;
  return options;
}

}  // namespace hilo
