#include "core/workspace/store/literal_blob.h"

#include <cstring>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// "HLIT", version 1, length of the shape's text, the text, then each leaf: number of dynamic sizes, the
// sizes, its bytes. Numbers are 64-bit little-endian, as on every machine Hilo runs on.
constexpr std::string_view kMagic = "HLIT1\n";

void appendNumber64(std::string& out, int64_t value) {
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  out.append(bytes, sizeof(value));
}

bool appendLeaves(std::string& out, const Literal& literal, size_t limitBytes) {
  if (literal.isTuple()) {
    for (const Literal& element : literal.elements()) {
      if (!appendLeaves(out, element, limitBytes)) return false;
    }
    return true;
  }
  if (literal.isElided() || out.size() + literal.bytes().size() > limitBytes) return false;
  appendNumber64(out, static_cast<int64_t>(literal.dynamicSizes().size()));
  for (const int64_t size : literal.dynamicSizes()) appendNumber64(out, size);
  out.append(reinterpret_cast<const char*>(literal.bytes().data()), literal.bytes().size());
  return true;
}

class BlobReader {
 public:
  explicit BlobReader(std::string_view blob) : rest_(blob) {}
  bool read(int64_t& value) {
    if (rest_.size() < sizeof(value)) return false;
    std::memcpy(&value, rest_.data(), sizeof(value));
    rest_.remove_prefix(sizeof(value));
    return true;
  }
  std::optional<std::string_view> take(size_t count) {
    if (rest_.size() < count) return std::nullopt;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

std::unexpected<Diagnostic> corrupt(std::string_view why) {
  return fail("corrupt-literal", "a stored output cannot be read: " + std::string(why));
}

Result<Literal> readLeaves(Shape shape, BlobReader& reader) {
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (const Shape element : shape.tupleShapes()) {
      TRY(elements.emplace_back(), readLeaves(element, reader));
    }
    return Literal::tuple(std::move(elements));
  }
  int64_t sizeCount = 0;
  if (!reader.read(sizeCount)) return corrupt("it ends early");
  if (sizeCount != 0 && (!shape.isArray() || sizeCount != static_cast<int64_t>(shape.rank())))
    return corrupt("bad sizes");
  std::vector<int64_t> sizes(sizeCount);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!reader.read(sizes[d])) return corrupt("it ends early");
    if (sizes[d] < 0 || sizes[d] > shape.dimension(d)) return corrupt("bad sizes");
  }
  TRY(Literal literal, Literal::tryMake(shape, static_cast<int64_t>(reader.left())));
  const auto bytes = reader.take(literal.bytes().size());
  if (!bytes) return corrupt("it ends early");
  std::ranges::copy(*bytes, reinterpret_cast<char*>(literal.mutableBytes().data()));
  literal.setDynamicSizes(std::move(sizes));
  return literal;
}

}  // namespace

std::optional<std::string> literalToBlob(const Literal& literal, size_t limitBytes) {
  std::string blob(kMagic);
  const std::string shape = toString(literal.shape());
  appendNumber64(blob, static_cast<int64_t>(shape.size()));
  blob += shape;
  if (!appendLeaves(blob, literal, limitBytes)) return std::nullopt;
  return blob;
}

Result<Literal> literalFromBlob(std::string_view blob) {
  if (!blob.starts_with(kMagic)) return corrupt("it has another form");
  BlobReader reader(blob.substr(kMagic.size()));
  int64_t length = 0;
  if (!reader.read(length) || length < 0) return corrupt("it ends early");
  const auto text = reader.take(static_cast<size_t>(length));
  if (!text) return corrupt("it ends early");
  const auto shape = parseShape(*text);
  if (!shape) return corrupt(shape.error().message);
  TRY(Literal literal, readLeaves(*shape, reader));
  if (reader.left() != 0) return corrupt("it has bytes left over");
  return literal;
}

}  // namespace hilo
