// The module's header line and the stack frame tables behind it.

#include "core/hlo/text/parse_state.h"

namespace hilo {
namespace {

// To the first ',' or white space: names of old dumps hold what no other name does.
std::string_view readModuleName(ParseState& state) {
  const char* start = state.lexer.here();
  const char* p = start;
  while (*p != ',' && !hasClass(*p, kCharSpace) && p < state.lexer.end()) ++p;
  state.lexer.moveTo(p);
  std::string_view name(start, static_cast<size_t>(p - start));
  if (name.ends_with(':')) name.remove_suffix(1);
  return name;
}

// Whether the parameters of an entry layout are written "f32[2],f32[2]": no space after the first comma
// between shapes, which is two brackets deep.
bool isCompactLayout(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '(' || c == '[') ++depth;
    if (c == '}' || c == ')' || c == ']') --depth;
    if (c == ',' && depth == 2) return text[i + 1] != ' ';
  }
  return false;
}

bool readHeaderAttribute(ParseState& state) {
  const char* at = state.lexer.here();
  std::string_view name;
  if (!state.reader.readKey(name)) return false;
  const char* valueAt = state.lexer.here();
  Attribute attribute{.key = Attr::Opaque};
  const auto attr = headerAttribute(name);
  const bool read = attr ? readAttributeValue(state, *attr, {}, attribute)
                         : readOpaqueAttribute(state, at, name, "a module header", attribute);
  if (!read) return false;
  if (attribute.key != Attr::Opaque && state.module.attributes().has(attribute.key)) {
    return state.reader.errorAt(at, "duplicate-attribute", fmt::format("'{}' is given twice", name));
  }
  if (attribute.key == Attr::EntryComputationLayout) {
    state.style.compactEntryLayout =
        isCompactLayout({valueAt, static_cast<size_t>(state.lexer.position() - valueAt)});
  }
  state.module.attributes().append(state.reader.arena, attribute);
  return true;
}

// Rows "1 "text"" up to something else.
bool readStrings(ParseState& state, std::vector<std::string_view>& strings) {
  int64_t id = 0;
  while (hasClass(state.lexer.peek(), kCharDigit)) {
    if (!state.reader.readInt(id) || !state.reader.readString(strings.emplace_back())) return false;
  }
  return true;
}

// One row "1 {key=int key=int ...}"; `field` says where a key's number goes, null for an unknown key.
template <typename F>
bool readRow(ParseState& state, F&& field) {
  int64_t id = 0;
  if (!state.reader.readInt(id) || !state.reader.expect('{')) return false;
  while (!state.lexer.eat('}')) {
    const char* at = state.lexer.here();
    std::string_view key;
    if (!state.reader.readKey(key)) return false;
    int32_t* value = field(key);
    if (value == nullptr) {
      return state.reader.errorAt(at, "unknown-attribute", fmt::format("this table has no field '{}'", key));
    }
    if (!state.reader.readInt32(*value)) return false;
    state.lexer.eat(',');
  }
  return true;
}

bool readLocations(ParseState& state, std::vector<FileLocation>& locations) {
  while (hasClass(state.lexer.peek(), kCharDigit)) {
    FileLocation& location = locations.emplace_back();
    const bool read = readRow(state, [&](std::string_view key) -> int32_t* {
      if (key == "file_name_id") return &location.fileNameId;
      if (key == "function_name_id") return &location.functionNameId;
      if (key == "line") return &location.line;
      if (key == "end_line") return &location.endLine;
      if (key == "column") return &location.column;
      if (key == "end_column") return &location.endColumn;
      return nullptr;
    });
    if (!read) return false;
  }
  return true;
}

// In text a parent is one more than its frame's number, so that 1 says none; the tables keep 0 for none.
bool readFrames(ParseState& state, std::vector<StackFrame>& frames) {
  while (hasClass(state.lexer.peek(), kCharDigit)) {
    StackFrame& frame = frames.emplace_back();
    const bool read = readRow(state, [&](std::string_view key) -> int32_t* {
      if (key == "file_location_id") return &frame.fileLocationId;
      if (key == "parent_frame_id") return &frame.parentFrameId;
      return nullptr;
    });
    if (!read) return false;
    if (frame.parentFrameId > std::numeric_limits<int32_t>::min()) --frame.parentFrameId;
  }
  return true;
}

}  // namespace

bool readHeader(ParseState& state) {
  state.lexer.eatWord("HloModule");
  state.style.header = true;
  state.module.setName(readModuleName(state));
  while (state.lexer.eat(',')) {
    if (!roomForAttribute(state, state.module.attributes().all().size())) return false;
    if (!readHeaderAttribute(state)) return false;
  }
  return true;
}

bool readStackFrameTables(ParseState& state) {
  if (!state.lexer.eatWord("FileNames")) return true;
  StackFrameTables& tables = state.module.stackFrames();
  state.style.stackFrameTables = true;
  if (!readStrings(state, tables.fileNames)) return false;
  if (!state.lexer.eatWord("FunctionNames")) return state.reader.expected("FunctionNames");
  if (!readStrings(state, tables.functionNames)) return false;
  if (!state.lexer.eatWord("FileLocations")) return state.reader.expected("FileLocations");
  if (!readLocations(state, tables.fileLocations)) return false;
  if (!state.lexer.eatWord("StackFrames")) return state.reader.expected("StackFrames");
  return readFrames(state, tables.stackFrames);
}

}  // namespace hilo
