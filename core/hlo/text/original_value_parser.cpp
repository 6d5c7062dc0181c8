#include "core/hlo/text/original_value_parser.h"

namespace hilo {
namespace {

bool readNode(Reader& reader, OriginalValueNode& node) {
  Reader::DepthGuard guard(reader);
  if (!guard) return false;
  if (reader.lexer.peek() == '(') {
    node.isTuple = true;
    std::vector<OriginalValueNode> elements;
    if (!reader.readList('(', ')', [&] { return readNode(reader, elements.emplace_back()); })) return false;
    node.elements = reader.arena.copy(elements);
    return true;
  }
  if (!reader.expect('{')) return false;
  if (reader.lexer.eat('}')) return true;
  node.hasArray = true;
  if (!reader.readString(node.instruction)) return false;
  if (reader.lexer.peek() == '{' && !reader.readInts('{', '}', node.shapeIndex)) return false;
  return reader.expect('}');
}

}  // namespace

bool readOriginalValue(Reader& reader, OriginalValue& value) {
  if (!reader.expect('{')) return false;
  if (reader.lexer.eat('[')) {
    value.isSyntheticCall = true;
    if (!reader.lexer.eatWord("synthetic_call")) return reader.expected("synthetic_call");
    return reader.expect(']') && reader.expect('}');
  }
  const char c = reader.lexer.peek();
  if (c == '"') {
    // The array alone, without braces of its own.
    value.root.hasArray = true;
    if (!reader.readString(value.root.instruction)) return false;
    if (reader.lexer.peek() == '{' && !reader.readInts('{', '}', value.root.shapeIndex)) return false;
  } else if (c != '}' && !readNode(reader, value.root)) {
    return false;
  }
  return reader.expect('}');
}

}  // namespace hilo
