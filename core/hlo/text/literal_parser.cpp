#include "core/hlo/text/literal_parser.h"

#include "core/base/number_text.h"
#include "core/hlo/text/element_types.h"
#include "core/hlo/text/shape_parser.h"

namespace hilo {
namespace {

// What may be allocated beyond the text's own size, for a literal whose text leaves elements out.
constexpr int64_t kMaxSparseLiteralBytes = int64_t{1} << 26;

// The text of one real number: digits, sign, point and exponent, or inf, nan and their negatives, with the
// NaN payload when there is one. Empty when no number comes next.
std::string_view numberText(Reader& reader) {
  const char* start = reader.lexer.here();
  const char* p = start;
  if (*p == '-' || *p == '+') ++p;
  while (hasClass(*p, kCharName) || ((*p == '+') && (p[-1] == 'e' || p[-1] == 'E'))) ++p;
  if (p - start >= 3 && std::string_view(p - 3, 3) == "nan" && *p == '(') {
    while (*p != ')' && *p != '\0' && *p != '\n') ++p;
    if (*p == ')') ++p;
  }
  reader.lexer.moveTo(p);
  return {start, static_cast<size_t>(p - start)};
}

template <FloatElement T>
bool readFloat(Reader& reader, T& value) {
  const char* at = reader.lexer.here();
  const std::string_view text = numberText(reader);
  if (text.empty()) return reader.expected("a number");
  // Small whole numbers are most of what literals hold.
  if (text.size() == 1 && hasClass(text[0], kCharDigit)) {
    value = T(static_cast<float>(text[0] - '0'));
    return true;
  }
  auto parsed = parseNumber<T>(text);
  if (!parsed) return reader.errorAt(at, parsed.error().kind, parsed.error().message);
  value = *parsed;
  return true;
}

bool readInteger(Reader& reader, int bits, bool isSigned, int64_t& value) {
  const char* at = reader.lexer.here();
  if (reader.lexer.eatWord("true")) {
    value = 1;
    return true;
  }
  if (reader.lexer.eatWord("false")) {
    value = 0;
    return true;
  }
  if (!reader.readInt(value)) return false;
  // "1.5" or "1e3" for an integer: the number goes on where the integer ended.
  if (hasClass(*reader.lexer.position(), kCharName)) {
    reader.lexer.moveTo(at);
    return reader.expected("an integer");
  }
  if (bits == 64) return true;
  auto checked = checkIntegerRange(value, bits, isSigned);
  return checked.has_value() || reader.errorAt(at, checked.error().kind, checked.error().message);
}

template <typename T>
bool readElement(Reader& reader, ElementType type, T& value) {
  if constexpr (kIsComplex<T>) {
    typename T::value_type real{}, imaginary{};
    if (!reader.lexer.eat('(')) {
      if (!readFloat(reader, real)) return false;
    } else if (!readFloat(reader, real) || !reader.expect(',') || !readFloat(reader, imaginary) ||
               !reader.expect(')')) {
      return false;
    }
    value = T(real, imaginary);
    return true;
  } else if constexpr (FloatElement<T>) {
    return readFloat(reader, value);
  } else {
    int64_t wide = 0;
    const bool isPred = std::is_same_v<T, bool>;
    if (!readInteger(reader, isPred ? 64 : elementBits(type), std::is_signed_v<T>, wide)) return false;
    value = isPred ? wide != 0 : static_cast<T>(wide);
    return true;
  }
}

// Reads the nested braces of one array in row-major order.
template <typename T>
class ArrayReader {
 public:
  ArrayReader(Reader& reader, Shape shape, std::span<T> values)
      : reader_(reader), shape_(shape), values_(values) {}

  bool read() { return readDimension(0); }

 private:
  bool readDimension(size_t dimension) {
    if (dimension == shape_.rank()) return readElement(reader_, shape_.elementType(), values_[next_++]);
    const char* at = reader_.lexer.here();
    if (!reader_.expect('{')) return false;
    const int64_t size = shape_.dimension(dimension);
    for (int64_t i = 0; i < size; ++i) {
      if (i != 0 && !reader_.lexer.eat(',')) {
        if (reader_.lexer.peek() != '}') return reader_.expected("',' or '}'");
        return wrongCount(at, dimension, i);
      }
      if (i == 0 && reader_.lexer.peek() == '}') return wrongCount(at, dimension, 0);
      if (!readDimension(dimension + 1)) return false;
    }
    if (reader_.lexer.peek() == ',') {
      return reader_.errorAt(at, "literal-wrong-size",
                             fmt::format("more than the {} elements of dimension {}", size, dimension));
    }
    return reader_.expect('}');
  }

  bool wrongCount(const char* at, size_t dimension, int64_t found) {
    return reader_.errorAt(
        at, "literal-wrong-size",
        fmt::format("dimension {} has {} elements, found {}", dimension, shape_.dimension(dimension), found));
  }

  Reader& reader_;
  Shape shape_;
  std::span<T> values_;
  size_t next_ = 0;
};

// A dimension of size 0 is written "{}" however deep the shape goes; braces are all there is to read.
bool readEmptyArray(Reader& reader) {
  const char* at = reader.lexer.here();
  const auto text = reader.lexer.braces();
  if (!text) return reader.expected("'{'");
  const char* close = reader.lexer.position();
  reader.lexer.moveTo(at);
  while (reader.lexer.here() < close) {
    if (!reader.lexer.eat('{') && !reader.lexer.eat('}') && !reader.lexer.eat(',')) {
      return reader.errorAt(at, "literal-wrong-size", "a literal of this shape has no elements");
    }
  }
  return true;
}

// A number alone for an array: XLA's parser takes it for the first element and leaves the rest zero.
bool readFirstElementOnly(Reader& reader, Shape shape, Literal& literal) {
  const char* at = reader.lexer.here();
  auto made = Literal::tryMake(shape, kMaxSparseLiteralBytes);
  if (!made) return reader.errorAt(at, made.error().kind, made.error().message);
  const bool read = withStorageType(shape.elementType(), [&]<typename T>() {
    T value{};
    if (!readElement(reader, shape.elementType(), value)) return false;
    if (shape.elementCount() > 0) made->template mutableData<T>()[0] = value;
    return true;
  });
  if (!read) return false;
  reader.warnAt(at, "literal-wrong-size", "one number for an array: the other elements are zero");
  literal = *std::move(made);
  return true;
}

bool readArrayLiteral(Reader& reader, Shape shape, Literal& literal) {
  const char* at = reader.lexer.here();
  if (shape.rank() > 0 && *at != '{' && *at != '(') return readFirstElementOnly(reader, shape, literal);
  if (shape.rank() > Reader::kMaxDepth)
    return reader.error("nesting-too-deep", "this literal has too many dimensions");
  // An element takes at least a byte of text, so a shape larger than the text that is left cannot be filled.
  if (shape.elementCount() > reader.lexer.end() - at) {
    return reader.errorAt(
        at, "literal-wrong-size",
        fmt::format("the text ends before the {} elements of this literal", shape.elementCount()));
  }
  auto made = Literal::tryMake(shape);
  if (!made) return reader.errorAt(at, made.error().kind, made.error().message);
  if (shape.elementCount() == 0 && shape.rank() > 0) {
    if (!readEmptyArray(reader)) return false;
  } else {
    const bool read = withStorageType(shape.elementType(), [&]<typename T>() {
      return ArrayReader<T>(reader, shape, made->template mutableData<T>()).read();
    });
    if (!read) return false;
  }
  literal = *std::move(made);
  return true;
}

bool atElision(Reader& reader) {
  Lexer ahead = reader.lexer;
  size_t depth = 0;
  while (ahead.eat('{')) ++depth;
  return depth > 0 && ahead.eatDots();
}

// "{...}", or "{ {...}, {...} }": nothing of the values is there.
bool readElision(Reader& reader) {
  const auto text = reader.lexer.braces();
  return text.has_value() || reader.expected("'{...}'");
}

bool readTupleLiteral(Reader& reader, Shape shape, Literal& literal) {
  const char* at = reader.lexer.here();
  const auto shapes = shape.tupleShapes();
  std::vector<Literal> elements;
  const bool read = reader.readList('(', ')', [&] {
    if (elements.size() == shapes.size()) {
      return reader.errorAt(at, "literal-wrong-size",
                            fmt::format("this tuple has {} elements", shapes.size()));
    }
    // Elements of a literal printed with shapes repeat theirs.
    Shape element = shapes[elements.size()];
    if (reader.lexer.peek() != '(' && atShape(reader) && !readShape(reader, element)) return false;
    return readLiteral(reader, element, elements.emplace_back());
  });
  if (!read) return false;
  if (elements.size() != shapes.size()) {
    return reader.errorAt(
        at, "literal-wrong-size",
        fmt::format("this tuple has {} elements, found {}", shapes.size(), elements.size()));
  }
  literal = Literal::tuple(std::move(elements)).withShape(shape);
  return true;
}

// The real sizes of dynamic dimensions, "(2,3)", which follow the shape.
bool readDynamicSizes(Reader& reader, Shape shape, std::vector<int64_t>& sizes) {
  const char* at = reader.lexer.here();
  std::span<const int64_t> read;
  if (!reader.readInts('(', ')', read)) return false;
  if (read.size() != shape.rank()) {
    return reader.errorAt(at, "literal-wrong-size",
                          fmt::format("{} sizes for {} dimensions", read.size(), shape.rank()));
  }
  for (size_t i = 0; i < read.size(); ++i) {
    if (read[i] < 0 || read[i] > shape.dimension(i)) {
      return reader.errorAt(at, "literal-wrong-size",
                            fmt::format("size {} of dimension {} is out of bounds", read[i], i));
    }
  }
  sizes.assign(read.begin(), read.end());
  return true;
}

// Moves the elements of `compact` (dimensions as in `sizes`) to their places in a literal of the bounds.
Literal spread(const Literal& compact, Shape shape, const std::vector<int64_t>& sizes) {
  Literal literal(shape);
  literal.setDynamicSizes(sizes);
  const size_t elementBytes = static_cast<size_t>(elementStorageBytes(shape.elementType()));
  const auto from = compact.bytes();
  const auto to = literal.mutableBytes();
  std::vector<int64_t> index(shape.rank(), 0);
  for (size_t i = 0; i * elementBytes < from.size(); ++i) {
    int64_t position = 0;
    for (size_t d = 0; d < index.size(); ++d) position = position * shape.dimension(d) + index[d];
    std::memcpy(to.data() + position * elementBytes, from.data() + i * elementBytes, elementBytes);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
  return literal;
}

bool readDynamicLiteral(Reader& reader, Shape shape, Literal& literal) {
  std::vector<int64_t> sizes;
  if (!readDynamicSizes(reader, shape, sizes)) return false;
  if (atElision(reader)) {
    literal = Literal::elided(shape);
    literal.setDynamicSizes(sizes);
    return readElision(reader);
  }
  if (shape.byteSize() > kMaxSparseLiteralBytes) {
    return reader.error("literal-too-large", "a literal with dynamic sizes has too large bounds");
  }
  Literal compact;
  if (!readArrayLiteral(reader, Shape::array(shape.elementType(), sizes), compact)) return false;
  literal = spread(compact, shape, sizes);
  return true;
}

}  // namespace

bool readLiteral(Reader& reader, Shape shape, Literal& literal) {
  Reader::DepthGuard guard(reader);
  if (!guard) return false;
  if (atElision(reader)) {
    literal = Literal::elided(shape);
    return readElision(reader);
  }
  if (shape.isTuple()) return readTupleLiteral(reader, shape, literal);
  if (shape.isToken()) {
    reader.lexer.eatWord("token");
    literal = *Literal::tryMake(shape);
    return true;
  }
  if (!shape.isArray()) {
    return reader.error("unsupported-type", fmt::format("no literal can have shape {}", toString(shape)));
  }
  if (shape.isDynamic() && shape.rank() > 0 && reader.lexer.peek() == '(') {
    return readDynamicLiteral(reader, shape, literal);
  }
  return readArrayLiteral(reader, shape, literal);
}

bool readShapedLiteral(Reader& reader, Literal& literal) {
  Reader::DepthGuard guard(reader);
  if (!guard) return false;
  if (reader.lexer.peek() == '(') {
    std::vector<Literal> elements;
    if (!reader.readList('(', ')', [&] { return readShapedLiteral(reader, elements.emplace_back()); }))
      return false;
    literal = Literal::tuple(std::move(elements));
    return true;
  }
  Shape shape;
  return readShape(reader, shape) && readLiteral(reader, shape, literal);
}

}  // namespace hilo
