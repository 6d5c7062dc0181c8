#include "core/hlo/text/parse.h"

#include "core/hlo/text/literal_parser.h"
#include "core/hlo/text/original_value_parser.h"
#include "core/hlo/text/parse_state.h"
#include "core/hlo/text/pasted.h"
#include "core/hlo/text/shape_parser.h"
#include "core/hlo/text/sharding_parser.h"
#include "core/hlo/text/value_parsers.h"

namespace hilo {
namespace {

// Without a header: whether computations come, or instructions without any.
bool atComputation(Lexer lexer) {
  if (lexer.eatWord("ENTRY")) return true;
  if (lexer.name().empty()) return false;
  const char c = lexer.peek();
  return c == '{' || c == '(';
}

// Whether the line of `p` ends with an open brace.
bool opensBrace(const char* p) {
  std::string_view line(p, std::strcspn(p, "\n"));
  const size_t last = line.find_last_not_of(" \t\r");
  return last != line.npos && line[last] == '{';
}

// To the next line that can start a computation, after one that could not be read.
void skipToNextComputation(ParseState& state) {
  const char* p = state.lexer.position();
  const char* end = state.lexer.end();
  while (p < end) {
    const void* newline = std::memchr(p, '\n', static_cast<size_t>(end - p));
    if (newline == nullptr) break;
    p = static_cast<const char*>(newline) + 1;
    const char* line = p;
    while (*p == ' ' || *p == '\t') ++p;
    if (*p == '}' || *p == '\n' || (p != line && !opensBrace(p))) continue;
    Lexer ahead = state.lexer;
    ahead.moveTo(p);
    if (atComputation(ahead)) {
      state.lexer.moveTo(p);
      return;
    }
  }
  state.lexer.moveTo(end);
}

void readComputations(ParseState& state) {
  while (!state.lexer.atEnd() && !state.reader.full()) {
    if (eatLeftOutLines(state)) continue;
    const char* before = state.lexer.position();
    if (readComputation(state)) continue;
    if (state.lexer.position() == before) state.lexer.moveTo(before + 1);
    skipToNextComputation(state);
  }
  // XLA takes the last computation where none is marked.
  if (state.module.entry() == nullptr && !state.module.computations().empty()) {
    state.module.setEntry(state.module.computations().back());
  }
}

void readText(ParseState& state) {
  state.style.entryKeyword = false;
  state.style.header = false;
  Lexer ahead = state.lexer;
  if (ahead.eatWord("HloModule")) {
    if (!readHeader(state) || !readStackFrameTables(state)) skipToNextComputation(state);
    readComputations(state);
  } else {
    state.isPart = true;
    atComputation(state.lexer) ? readComputations(state) : readBareInstructions(state);
  }
  if (!state.style.header && state.module.entry() != nullptr) {
    state.module.setName(fmt::format("module_{}", state.module.entry()->name()));
  }
}

uint8_t trailingNewlines(std::string_view text) {
  uint8_t count = 0;
  while (count < 8 && count < text.size() && text[text.size() - 1 - count] == '\n') ++count;
  return count;
}

// Reads one value that must be the whole text.
template <typename T, typename F>
Result<T> parseWhole(std::string_view text, Arena& storage, F&& read) {
  // The arena copy ends in a NUL and keeps what the value views.
  std::string terminated(text);
  terminated += '\0';
  const std::string_view kept = storage.copy(std::string_view(terminated)).substr(0, text.size());
  Reader reader(kept, storage);
  T value{};
  if (read(reader, value) && !reader.lexer.atEnd()) reader.expected("the end of the text");
  Diagnostics diagnostics = reader.takeDiagnostics("", 1);
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::kError) return std::unexpected(std::move(diagnostic));
  }
  return value;
}

}  // namespace

ParseResult parseModule(std::shared_ptr<const std::string> text, const ParseOptions& options) {
  if (isWrapped(*text)) text = std::make_shared<const std::string>(unwrapped(*text));
  ParseResult result;
  result.module = std::make_unique<Module>("");
  result.module->setSourceText(text);
  ParseState state(*text, *result.module, options);
  if (state.lexer.atEnd()) {
    state.reader.error("empty-text", "there is no HLO in this text");
  } else {
    readText(state);
  }
  state.style.trailingNewlines = trailingNewlines(*text);
  result.diagnostics = state.reader.takeDiagnostics(options.fileName, options.firstLine);
  if (result.module->computations().empty()) {
    if (!hasErrors(result.diagnostics)) {
      result.diagnostics.push_back(
          {Severity::kError, "empty-module", "this module has no computation", {options.fileName}, {}});
    }
    result.module.reset();
  }
  return result;
}

ParseResult parseModule(std::string text, const ParseOptions& options) {
  return parseModule(std::make_shared<const std::string>(std::move(text)), options);
}

Result<std::unique_ptr<Module>> parseModuleStrictly(std::string text, const ParseOptions& options) {
  ParseResult result = parseModule(std::move(text), options);
  for (Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity == Severity::kError) return std::unexpected(std::move(diagnostic));
  }
  return std::move(result.module);
}

std::vector<ModuleText> splitModules(std::string_view text) {
  constexpr std::string_view kCut = "// -----";
  std::vector<ModuleText> pieces;
  const auto add = [&](size_t from, size_t to, uint32_t line) {
    const std::string_view piece = text.substr(from, to - from);
    std::string terminated(piece);
    if (!Lexer(terminated).atEnd()) pieces.push_back({piece, line});
  };
  size_t start = 0;
  uint32_t startLine = 1, line = 1;
  for (size_t lineStart = 0; lineStart < text.size();) {
    const size_t newline = text.find('\n', lineStart);
    const size_t next = newline == text.npos ? text.size() : newline + 1;
    if (text.substr(lineStart, kCut.size()) == kCut) {
      add(start, lineStart, startLine);
      start = next;
      startLine = line + 1;
    }
    lineStart = next;
    ++line;
  }
  if (start == 0) return {{text, 1}};
  add(start, text.size(), startLine);
  return pieces;
}

Result<Shape> parseShape(std::string_view text) {
  Arena storage;
  return parseWhole<Shape>(text, storage, readShape);
}

Result<Layout> parseLayout(std::string_view text) {
  Arena storage;
  return parseWhole<Layout>(text, storage, readLayout);
}

Result<Literal> parseLiteral(std::string_view text, Shape shape) {
  Arena storage;
  return parseWhole<Literal>(
      text, storage, [&](Reader& reader, Literal& literal) { return readLiteral(reader, shape, literal); });
}

Result<Literal> parseLiteral(std::string_view text) {
  Arena storage;
  return parseWhole<Literal>(text, storage, readShapedLiteral);
}

Result<Sharding> parseSharding(std::string_view text, Arena& storage) {
  return parseWhole<Sharding>(text, storage, readSharding);
}

Result<ReplicaGroups> parseReplicaGroups(std::string_view text, Arena& storage) {
  return parseWhole<ReplicaGroups>(text, storage, readReplicaGroups);
}

}  // namespace hilo
