// What to print and how. The names follow XLA's HloPrintOptions (hlo/ir/hlo_print_options.h); a default-made
// one is XLA's long form.
#pragma once

#include <cstdint>
#include <string_view>

namespace hilo {

class Module;

struct PrintOptions {
  enum class Subcomputations : uint8_t {
    Off,         // not mentioned
    NameOnly,    // to_apply=%add
    FullBodies,  // written in place
  };

  // Of a module.
  bool header = true;
  bool entryKeyword = true;
  bool stackFrameTables = true;        // when there are any, and metadata is printed
  bool emptyStackFrameTables = false;  // even when they are empty
  bool compactEntryLayout =
      false;  // no spaces or index comments between the parameters of the entry's layout
  bool closeLastComputation = true;
  std::string_view unclosedSignature;  // of a last computation that is not closed
  uint8_t trailingNewlines = 2;

  // Of names.
  bool percent = true;
  bool ids = true;  // module, entry and thread names: what differs between runs of one program
  bool operandNames = true;
  bool canonicalNames = false;  // tmp_0, tmp_1, ... in the order of printing
  bool programShapes = true;
  bool nameAfterClosingBrace = false;

  // Of shapes and operands.
  bool resultShapes = true;
  bool operandShapes = false;
  bool layouts = true;
  uint32_t operandIndexInterval = 5;  // "/*index=5*/" before every fifth operand; 0: never
  bool compactOperands = false;       // only the first four
  bool compactGte = false;            // %tuple#0 in place of its get-tuple-element

  // Of constants.
  bool largeConstants = false;      // those of more than 10 elements, and tuples
  bool essentialConstants = false;  // only 0, 1 and integers, for a fingerprint

  // Of attributes.
  bool extraAttributes = true;
  bool metadata = true;
  bool metadataOnlyOpName = false;
  bool inlineStackFrames = false;  // file and line in place of a frame's number
  bool backendConfig = true;
  bool sortBackendConfig = false;
  bool infeedOutfeedConfig = true;
  bool originalValue = true;
  bool frontendAttributes = true;
  bool controlPredecessors = true;
  bool parameterNumbers = true;
  bool channelIds = true;
  bool fullReplicaGroups = false;   // the list, whatever form it has
  bool quotedJsonConfigs = false;   // JSON in quotes, as older versions write it
  bool syntaxSugarAsyncOps = true;  // foo-start for an async-start of foo
  Subcomputations subcomputations = Subcomputations::NameOnly;

  static PrintOptions longText() { return {}; }
  // Everything the parser needs and no more, for tests: no metadata, no percent, no signatures.
  static PrintOptions shortText();
  // Independent of names.
  static PrintOptions canonical();
  // canonical() without what differs between runs.
  static PrintOptions fingerprint();
  // As the module's text was written, so that a dump comes back byte for byte; longText() with all constants
  // for a module that was not parsed from text.
  static PrintOptions asRead(const Module& module);
};

}  // namespace hilo
