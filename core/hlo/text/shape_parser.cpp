#include "core/hlo/text/shape_parser.h"

#include <algorithm>

namespace hilo {
namespace {

constexpr size_t kInlineRank = 8;
// Tuple text longer than this is parsed element by element: a bound on what nesting can make us look through.
constexpr ptrdiff_t kMaxTupleExtent = 128 * 1024;

constexpr ptrdiff_t kMaxArrayExtent = 256;

// Behind the first `c` from `p` on, or null.
const char* behind(const char* p, const char* end, char c) {
  const void* found = p < end ? std::memchr(p, c, static_cast<size_t>(end - p)) : nullptr;
  return found == nullptr ? nullptr : static_cast<const char*>(found) + 1;
}

// The text of the shape that starts at `start` if it is plain enough to be told by its text alone: an array
// shape with its layout directly behind it, or a tuple up to its closing parenthesis. Empty when it is not.
std::string_view shapeExtent(const char* start, const char* end) {
  const char* p = start;
  if (*p == '(') {
    size_t depth = 0;
    end = std::min(end, start + kMaxTupleExtent);
    for (; p < end; ++p) {
      if (*p == '(') ++depth;
      if (*p == ')' && --depth == 0) return {start, static_cast<size_t>(p + 1 - start)};
      if (*p == '\n') break;
    }
    return {};
  }
  end = std::min(end, start + kMaxArrayExtent);
  while (hasClass(*p, kCharName)) ++p;
  if (*p != '[' || (p = behind(p, end, ']')) == nullptr) return {};
  if (*p == ' ')
    return p[1] == '{' && (hasClass(p[2], kCharDigit) || p[2] == ':') ? std::string_view()
                                                                      : std::string_view(start, p - start);
  if (*p != '{') return hasClass(*p, kCharTrivia) ? std::string_view() : std::string_view(start, p - start);
  if (!hasClass(p[1], kCharDigit) && p[1] != ':' && p[1] != '}') return {};
  p = behind(p, end, '}');
  return p == nullptr ? std::string_view() : std::string_view(start, p - start);
}

bool readDimensions(Reader& reader, absl::InlinedVector<int64_t, kInlineRank>& sizes,
                    absl::InlinedVector<bool, kInlineRank>& dynamic) {
  if (!reader.expect('[')) return false;
  if (reader.lexer.eat(']')) return true;
  do {
    if (!reader.roomForItem(sizes.size())) return false;
    if (reader.lexer.eat('?')) {
      sizes.push_back(kUnboundedSize);
      dynamic.push_back(true);
      continue;
    }
    dynamic.push_back(reader.lexer.eatLessEqual());
    const char* at = reader.lexer.here();
    if (!reader.readInt(sizes.emplace_back())) return false;
    if (sizes.back() < 0) return reader.errorAt(at, "bad-shape", "a dimension cannot be negative");
  } while (reader.lexer.eat(','));
  return reader.expect(']');
}

// "X(n)" where X was eaten.
bool readParenthesized(Reader& reader, int64_t& value) {
  return reader.expect('(') && reader.readInt(value) && reader.expect(')');
}

bool readElementType(Reader& reader, ElementType& type) {
  const char* at = reader.lexer.here();
  const auto found = elementTypeFromName(reader.lexer.word());
  if (found) {
    type = *found;
    return true;
  }
  reader.lexer.moveTo(at);
  return reader.expected("an element type");
}

bool readTypeInParentheses(Reader& reader, std::optional<ElementType>& type) {
  return reader.expect('(') && readElementType(reader, type.emplace()) && reader.expect(')');
}

bool readTiles(Reader& reader, std::vector<Tile>& tiles) {
  do {
    if (!reader.roomForItem(tiles.size())) return false;
    Tile& tile = tiles.emplace_back();
    const bool read = reader.readList('(', ')', [&] {
      if (reader.lexer.eat('*')) {
        tile.dimensions.push_back(Tile::kCombineDimension);
        return true;
      }
      return reader.readInt(tile.dimensions.emplace_back());
    });
    if (!read) return false;
  } while (reader.lexer.peek() == '(');
  return true;
}

bool readDimLevels(Reader& reader, std::vector<DimLevel>& levels) {
  return reader.readList('(', ')', [&] {
    DimLevel level;
    const std::string_view letter = reader.lexer.word();
    if (letter == "D")
      level.type = DimLevelType::Dense;
    else if (letter == "C")
      level.type = DimLevelType::Compressed;
    else if (letter == "S")
      level.type = DimLevelType::Singleton;
    else if (letter == "H")
      level.type = DimLevelType::LooseCompressed;
    else
      return reader.expected("a dimension level type: D, C, S or H");
    level.unique = !reader.lexer.eat('+');
    level.ordered = !reader.lexer.eat('~');
    levels.push_back(level);
    return true;
  });
}

bool readSplitConfigs(Reader& reader, std::vector<SplitConfig>& configs) {
  do {
    if (!reader.roomForItem(configs.size())) return false;
    SplitConfig& config = configs.emplace_back();
    if (!reader.expect('(') || !reader.readInt(config.dimension)) return false;
    const bool read =
        reader.readList(':', ')', [&] { return reader.readInt(config.splitIndices.emplace_back()); });
    if (!read) return false;
  } while (reader.lexer.peek() == '(');
  return true;
}

// One property after the ':' of a layout. They may come in any order.
bool readLayoutProperty(Reader& reader, Layout& layout) {
  Lexer& lexer = reader.lexer;
  if (lexer.eat('#')) return readTypeInParentheses(reader, layout.indexPrimitiveType);
  if (lexer.eat('*')) return readTypeInParentheses(reader, layout.pointerPrimitiveType);
  const char* at = lexer.here();
  const std::string_view property = lexer.word();
  if (property == "D") return readDimLevels(reader, layout.dimLevels);
  if (property == "T") return readTiles(reader, layout.tiles);
  if (property == "L") return readParenthesized(reader, layout.tailPaddingAlignment);
  if (property == "E") return readParenthesized(reader, layout.elementSizeInBits);
  if (property == "S") return readParenthesized(reader, layout.memorySpace);
  if (property == "SC") return readSplitConfigs(reader, layout.splitConfigs);
  if (property == "P") {
    Shape physical;
    if (!reader.expect('(') || !readShape(reader, physical) || !reader.expect(')')) return false;
    layout.physicalShape.assign(1, physical);
    return true;
  }
  if (property == "M") return readParenthesized(reader, layout.dynamicShapeMetadataPrefixBytes);
  lexer.moveTo(at);
  return reader.expected("a layout property: D, T, L, #, *, E, S, SC, P or M");
}

bool readTuple(Reader& reader, Shape& shape) {
  std::vector<Shape> elements;
  if (!reader.readList('(', ')', [&] { return readShape(reader, elements.emplace_back()); })) return false;
  shape = Shape::tuple(elements);
  return true;
}

// XLA takes an open brace after an array shape for a layout when an integer or a colon follows; "{}" directly
// behind the bracket is the layout of a scalar.
bool atLayout(Reader& reader) {
  const char* afterBracket = reader.lexer.position();
  if (reader.lexer.peek() != '{') return false;
  Lexer ahead = reader.lexer;
  ahead.eat('{');
  const char c = ahead.peek();
  return hasClass(c, kCharDigit) || c == ':' || (c == '}' && reader.lexer.position() == afterBracket);
}

bool isPermutation(const std::vector<int64_t>& order) {
  absl::InlinedVector<bool, kInlineRank> seen(order.size(), false);
  for (int64_t dimension : order) {
    if (dimension < 0 || dimension >= static_cast<int64_t>(order.size()) || seen[dimension]) return false;
    seen[dimension] = true;
  }
  return true;
}

bool readArray(Reader& reader, const char* at, ElementType type, Shape& shape) {
  absl::InlinedVector<int64_t, kInlineRank> sizes;
  absl::InlinedVector<bool, kInlineRank> dynamic;
  if (!readDimensions(reader, sizes, dynamic)) return false;
  if (!isArrayElement(type)) {
    if (!sizes.empty()) {
      return reader.errorAt(at, "bad-shape", fmt::format("{} has no dimensions", elementTypeName(type)));
    }
    if (type == ElementType::Tuple || type == ElementType::Buffer) {
      return reader.errorAt(at, "bad-shape",
                            fmt::format("'{}' is no array element type", elementTypeName(type)));
    }
    shape = type == ElementType::Token ? Shape::token() : Shape::opaque();
    if (!atLayout(reader)) return true;
    Layout ignored;
    return readLayout(reader, ignored);
  }
  const std::span<const bool> flags(dynamic.data(), dynamic.size());
  if (!atLayout(reader)) {
    shape = Shape::dynamicArray(type, sizes, flags);
    return true;
  }
  Layout layout;
  if (!readLayout(reader, layout)) return false;
  if (layout.minorToMajor.size() != sizes.size()) {
    return reader.errorAt(
        at, "bad-layout",
        fmt::format("the shape has {} dimensions, its layout {}", sizes.size(), layout.minorToMajor.size()));
  }
  if (!isPermutation(layout.minorToMajor)) {
    return reader.errorAt(at, "bad-layout", "the layout does not name every dimension once");
  }
  shape = Shape::dynamicArray(type, sizes, flags, &layout);
  return true;
}

bool readShapeUncached(Reader& reader, Shape& shape) {
  Reader::DepthGuard guard(reader);
  if (!guard) return false;
  const char* at = reader.lexer.here();
  if (*at == '(') return readTuple(reader, shape);
  if (*at == 'b' && at[1] == '(') {
    reader.lexer.eatWord("b");
    Shape inner;
    if (!reader.expect('(') || !readShape(reader, inner) || !reader.expect(')')) return false;
    shape = Shape::buffer(inner);
    return true;
  }
  ElementType type;
  return readElementType(reader, type) && readArray(reader, at, type, shape);
}

}  // namespace

bool atShape(Reader& reader) {
  const char* at = reader.lexer.here();
  if (*at == '(') return true;
  if (!hasClass(*at, kCharNameStart)) return false;
  if (*at == 'b' && at[1] == '(') return true;
  // No other word is followed by a bracket, and a type may have space before it.
  const char* p = at;
  while (hasClass(*p, kCharName)) ++p;
  if (*p == '[' || !hasClass(*p, kCharTrivia)) return *p == '[';
  if (!elementTypeFromName({at, static_cast<size_t>(p - at)})) return false;
  Lexer ahead = reader.lexer;
  ahead.moveTo(p);
  return ahead.peek() == '[';
}

bool readShape(Reader& reader, Shape& shape) {
  const char* start = reader.lexer.here();
  const std::string_view extent = shapeExtent(start, reader.lexer.end());
  if (extent.empty()) return readShapeUncached(reader, shape);
  if (const auto known = reader.shapes.find(extent); known != reader.shapes.end()) {
    shape = known->second;
    reader.lexer.moveTo(extent.data() + extent.size());
    return true;
  }
  if (!readShapeUncached(reader, shape)) return false;
  if (reader.lexer.position() == extent.data() + extent.size()) reader.shapes.emplace(extent, shape);
  return true;
}

bool readLayout(Reader& reader, Layout& layout) {
  if (!reader.expect('{')) return false;
  if (hasClass(reader.lexer.peek(), kCharDigit)) {
    do {
      if (!reader.roomForItem(layout.minorToMajor.size())) return false;
      if (!reader.readInt(layout.minorToMajor.emplace_back())) return false;
    } while (reader.lexer.eat(','));
  }
  if (reader.lexer.eat(':')) {
    while (reader.lexer.peek() != '}') {
      if (!readLayoutProperty(reader, layout)) return false;
    }
  }
  return reader.expect('}');
}

bool readShapeList(Reader& reader, std::span<const Shape>& shapes) {
  std::vector<Shape> list;
  if (!reader.readList('{', '}', [&] { return readShape(reader, list.emplace_back()); })) return false;
  shapes = reader.arena.copy(list);
  return true;
}

bool readProgramShape(Reader& reader, ProgramShape& shape) {
  std::vector<Shape> parameters;
  if (!reader.expect('{')) return false;
  if (!reader.readList('(', ')', [&] { return readShape(reader, parameters.emplace_back()); })) return false;
  if (!reader.lexer.eatArrow()) return reader.expected("'->'");
  if (!readShape(reader, shape.result)) return false;
  shape.parameters = reader.arena.copy(parameters);
  return reader.expect('}');
}

}  // namespace hilo
