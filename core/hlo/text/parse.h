// HLO text to a Module.
//
// Accepts what XLA prints and what its parser accepts (hlo/parser/hlo_parser.cc): long and short form, files
// without a header (computations alone, or bare instructions whose operands become parameters), the stack
// frame tables, comments, and text that stands in a log, an issue or a string of a test (pasted.h). What
// XLA's versions disagree on is accepted in all forms. An opcode or attribute Hilo does not know is kept as
// it is written, with a warning.
//
// How the text was written is left in Module::textStyle(), so that printing as read gives the
// same bytes (print.h).
//
// Errors are collected, up to 100, each at its line and column; parsing goes on with the next instruction. An
// instruction that could not be read becomes an Opaque one of its name, so that the rest can still be shown:
// a module that came with errors is for looking at, not for compiling. Bounds: nesting 200 deep; memory by
// the text's size, never by a size the text claims. Thread-safe: calls share nothing but the shape table.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct ParseOptions {
  // For the places of diagnostics.
  std::string fileName;
  uint32_t firstLine = 1;
  // Gives the result shape of an instruction whose text has none, from its opcode, operands and attributes.
  // Without it such an instruction is an error ("missing-shape"). hlo/verify has one.
  Result<Shape> (*inferShape)(const Instruction& instruction) = nullptr;
};

struct ParseResult {
  // Null when the text holds no computation at all.
  std::unique_ptr<Module> module;
  Diagnostics diagnostics;
};

// `text` is kept by the module: names and strings are views into it.
ParseResult parseModule(std::shared_ptr<const std::string> text, const ParseOptions& options = {});
ParseResult parseModule(std::string text, const ParseOptions& options = {});

// The module, or the first error.
Result<std::unique_ptr<Module>> parseModuleStrictly(std::string text, const ParseOptions& options = {});

// A piece of a file that holds several modules.
struct ModuleText {
  std::string_view text;
  uint32_t firstLine = 1;
};
// Cuts a file at its "// -----" lines, as lit tests with split input have them. Pieces without anything but
// comments are left out. One piece when there is nothing to cut.
std::vector<ModuleText> splitModules(std::string_view text);
// More pieces than any file has. Readers refuse a file of more: each takes some kilobytes however
// short it is.
inline constexpr size_t kMaxModulesInFile = 10'000;

// Values alone, for tests, queries and tools: the whole text must be used up.
Result<Shape> parseShape(std::string_view text);
Result<Layout> parseLayout(std::string_view text);
// "1.5", "{1,2}" for a shape known, or with the shape in front: parseLiteral("f32[2] {1, 2}").
Result<Literal> parseLiteral(std::string_view text, Shape shape);
Result<Literal> parseLiteral(std::string_view text);

// Payloads view into `storage`.
Result<Sharding> parseSharding(std::string_view text, Arena& storage);
Result<ReplicaGroups> parseReplicaGroups(std::string_view text, Arena& storage);

}  // namespace hilo
