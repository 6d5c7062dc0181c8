#include "core/hlo/eval/npy.h"

#include <charconv>
#include <cstring>

#include "core/base/files.h"
#include "core/hlo/eval/element_dispatch.h"
#include "core/hlo/eval/indexing.h"
#include "core/hlo/eval/kernel.h"
#include "core/hlo/eval/literal_access.h"
#include "core/hlo/ir/computation.h"

namespace hilo {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeaderBytes = 1 << 20;
constexpr size_t kMaxRank = 64;

std::unexpected<Diagnostic> bad(std::string message) { return fail("malformed-npy", std::move(message)); }

struct NpyHeader {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> dimensions;
  size_t dataOffset = 0;
};

// The header is a Python dict literal: strings, True and False, and a tuple of integers.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  Result<NpyHeader> read() {
    NpyHeader header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{')) return bad("the header is no dictionary");
    while (!take('}')) {
      TRY(const std::string key, readString());
      if (!take(':')) return bad("a header key lacks its value");
      if (key == "descr") {
        if (peek() == '[') return fail("unsupported-type", "structured arrays are not read");
        TRY(header.descr, readString());
        hasDescr = true;
      } else if (key == "fortran_order") {
        TRY(header.fortranOrder, readBool());
        hasOrder = true;
      } else if (key == "shape") {
        TRY(header.dimensions, readTuple());
        hasShape = true;
      } else {
        return bad(fmt::format("unknown header key '{}'", key));
      }
      take(',');
    }
    if (!hasDescr || !hasOrder || !hasShape) return bad("the header lacks descr, fortran_order or shape");
    return header;
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  Result<std::string> readString() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return bad("expected a string in the header");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return bad("a string in the header does not end");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  Result<bool> readBool() {
    peek();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    return bad("expected True or False in the header");
  }
  Result<std::vector<int64_t>> readTuple() {
    std::vector<int64_t> values;
    if (!take('(')) return bad("expected a tuple in the header");
    while (!take(')')) {
      peek();
      int64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0 || values.size() >= kMaxRank)
        return bad("a dimension in the header is no size");
      at_ = static_cast<size_t>(end - text_.data());
      values.push_back(value);
      if (!take(',') && peek() != ')') return bad("the shape in the header does not end");
    }
    return values;
  }

  std::string_view text_;
  size_t at_ = 0;
};

Result<NpyHeader> readHeader(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic) || text.size() < 10) return bad("the file does not start as a .npy does");
  const int major = static_cast<unsigned char>(text[6]);
  if (major < 1 || major > 3) return bad(fmt::format("format version {} is unknown", major));
  const size_t lengthBytes = major == 1 ? 2 : 4;
  if (text.size() < 8 + lengthBytes) return bad("the file ends in its header");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(text[8 + i])) << (8 * i);
  const size_t start = 8 + lengthBytes;
  if (length > kMaxHeaderBytes || length > text.size() - start) return bad("the file ends in its header");
  TRY(NpyHeader header, HeaderReader(text.substr(start, length)).read());
  header.dataOffset = start + length;
  return header;
}

struct FileType {
  std::optional<ElementType> type;  // none: raw bytes whose meaning the target gives
  int bytes = 0;
  bool swapped = false;
};

constexpr std::pair<std::string_view, ElementType> kNamedTypes[] = {
    {"bfloat16", ElementType::BF16},
    {"float8_e3m4", ElementType::F8E3M4},
    {"float8_e4m3", ElementType::F8E4M3},
    {"float8_e4m3fn", ElementType::F8E4M3FN},
    {"float8_e4m3b11fnuz", ElementType::F8E4M3B11FNUZ},
    {"float8_e4m3fnuz", ElementType::F8E4M3FNUZ},
    {"float8_e5m2", ElementType::F8E5M2},
    {"float8_e5m2fnuz", ElementType::F8E5M2FNUZ},
    {"float8_e8m0fnu", ElementType::F8E8M0FNU},
    {"float6_e2m3fn", ElementType::F6E2M3FN},
    {"float6_e3m2fn", ElementType::F6E3M2FN},
    {"float4_e2m1fn", ElementType::F4E2M1FN},
    {"int2", ElementType::S2},
    {"int4", ElementType::S4},
    {"uint2", ElementType::U2},
    {"uint4", ElementType::U4},
};

constexpr std::pair<std::string_view, ElementType> kCodes[] = {
    {"b1", ElementType::Pred}, {"i1", ElementType::S8},   {"i2", ElementType::S16}, {"i4", ElementType::S32},
    {"i8", ElementType::S64},  {"u1", ElementType::U8},   {"u2", ElementType::U16}, {"u4", ElementType::U32},
    {"u8", ElementType::U64},  {"f2", ElementType::F16},  {"f4", ElementType::F32}, {"f8", ElementType::F64},
    {"c8", ElementType::C64},  {"c16", ElementType::C128}};

Result<FileType> fileTypeOf(std::string_view descr) {
  for (const auto& [name, type] : kNamedTypes) {
    if (descr == name) return FileType{type, elementStorageBytes(type), false};
  }
  FileType found;
  std::string_view code = descr;
  if (!code.empty() && std::string_view("<>|=").contains(code[0])) {
    found.swapped = code[0] == '>';
    code.remove_prefix(1);
  }
  if (code == "?") code = "b1";
  for (const auto& [name, type] : kCodes) {
    if (code == name) {
      found.type = type;
      found.bytes = elementStorageBytes(type);
      return found;
    }
  }
  if (code == "V1" || code == "V2") {
    found.bytes = code[1] - '0';
    // Two raw bytes are what bf16 leaves in a file; one could be many things.
    if (found.bytes == 2) found.type = ElementType::BF16;
    return found;
  }
  return fail("unsupported-type", fmt::format("NumPy type '{}' has no counterpart", descr));
}

// The element type the literal gets, from what the file says and what is asked for.
Result<ElementType> settleType(const FileType& file, std::optional<Shape> target) {
  if (!target) {
    if (file.type) return *file.type;
    return fail("unsupported-type", "elements of one raw byte need a target type");
  }
  const ElementType wanted = target->elementType();
  if (file.type == wanted) return wanted;
  const bool sameBytes = elementStorageBytes(wanted) == file.bytes;
  const bool rawBytes = !file.type || (file.type == ElementType::BF16 && wanted == ElementType::F16);
  if (rawBytes && sameBytes && wanted != ElementType::Pred) return wanted;
  const bool subByte = isIntegral(wanted) && elementBits(wanted) < 8 && file.type == computeType(wanted);
  if (subByte) return wanted;
  return fail("wrong-argument",
              fmt::format("the file holds {}, not {}", file.type ? elementTypeName(*file.type) : "raw bytes",
                          elementTypeName(wanted)));
}

void swapBytes(std::span<std::byte> bytes, int elementBytes, bool isComplexType) {
  const auto unit = static_cast<size_t>(isComplexType ? elementBytes / 2 : elementBytes);
  for (size_t i = 0; i + unit <= bytes.size(); i += unit)
    std::reverse(bytes.begin() + i, bytes.begin() + i + unit);
}

// Brings hostile or sloppy elements into the form literals keep them in.
Status normalise(Literal& literal) {
  const ElementType type = literal.shape().elementType();
  const int bits = elementBits(type);
  auto bytes = literal.mutableBytes();
  if (type == ElementType::Pred) {
    for (std::byte& byte : bytes) byte = std::byte(byte != std::byte{0});
  } else if (isFloat(type) && bits < 8) {
    for (std::byte& byte : bytes) byte &= std::byte((1 << bits) - 1);
  } else if (isIntegral(type) && bits < 8) {
    std::vector<std::byte> wrapped(bytes.size());
    convertElements(wrapped.data(), type, bytes.data(), computeType(type),
                    static_cast<int64_t>(bytes.size()));
    if (!std::ranges::equal(wrapped, bytes))
      return fail("wrong-argument", fmt::format("a value does not fit {}", elementTypeName(type)));
  }
  return {};
}

bool fitsInto(std::span<const int64_t> sizes, Shape target) {
  if (sizes.size() != target.rank()) return false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t bound = target.dimension(d);
    if (sizes[d] != bound && !(target.isDynamicDimension(d) && sizes[d] < bound)) return false;
  }
  return true;
}

// The array with padding up to the target's bounds.
Result<Literal> withinBounds(Literal array, Shape target) {
  const Shape from = array.shape();
  if (std::ranges::equal(from.dimensions(), target.dimensions())) return array;
  TRY(Literal padded,
      Literal::tryMake(target.withoutLayout().withElementType(from.elementType()), kNpyLimitBytes));
  moveStrided(padded.mutableBytes().data(), {0, rowMajorStrides(target.dimensions())}, array.bytes().data(),
              {0, rowMajorStrides(from.dimensions())}, elementStorageBytes(from.elementType()),
              from.dimensions());
  padded.setDynamicSizes({from.dimensions().begin(), from.dimensions().end()});
  return padded;
}

}  // namespace

Result<Literal> readNpy(std::span<const std::byte> file, std::optional<Shape> target) {
  TRY(const NpyHeader header, readHeader(file));
  TRY(const FileType fileType, fileTypeOf(header.descr));
  TRY(const ElementType type, settleType(fileType, target));
  const Shape shape = Shape::array(type, header.dimensions);
  if (target && !fitsInto(header.dimensions, *target)) {
    return fail("wrong-argument",
                fmt::format("the file holds {}, not {}", toString(shape), toString(*target)));
  }
  const size_t available = file.size() - header.dataOffset;
  if (shape.elementCount() > static_cast<int64_t>(available) / fileType.bytes)
    return bad("the file ends in its data");
  TRY(Literal literal, Literal::tryMake(shape, kNpyLimitBytes));
  auto bytes = literal.mutableBytes();
  const std::byte* data = file.data() + header.dataOffset;
  if (header.fortranOrder && shape.rank() > 1) {
    // Column-major: the first dimension is the dense one.
    DimVector strides(shape.rank());
    int64_t stride = 1;
    for (size_t d = 0; d < shape.rank(); ++d) {
      strides[d] = stride;
      stride *= shape.dimension(d);
    }
    std::vector<std::byte> aligned(data, data + bytes.size());
    copyStrided(bytes.data(), aligned.data(), fileType.bytes, shape.dimensions(), {0, strides});
  } else if (!bytes.empty()) {
    std::memcpy(bytes.data(), data, bytes.size());
  }
  if (fileType.swapped) swapBytes(bytes, fileType.bytes, isComplex(type));
  TRY_STATUS(normalise(literal));
  return target ? withinBounds(std::move(literal), *target) : literal;
}

Result<std::vector<std::byte>> writeNpy(const Literal& literal) {
  if (literal.shape().isArray() && !literal.isElided() && !literal.dynamicSizes().empty()) {
    TRY(const Literal real, realPart(literal, literal.dynamicSizes()));
    return writeNpy(real);
  }
  if (!literal.shape().isArray() || literal.isElided())
    return fail("unsupported-type", "only arrays with values can be written");
  const ElementType type = literal.shape().elementType();
  std::string descr;
  for (const auto& [code, coded] : kCodes) {
    if (coded == computeType(type) && (isIntegral(type) || coded == type))
      descr = (elementStorageBytes(coded) == 1 ? "|" : "<") + std::string(code);
  }
  if (type == ElementType::F16) descr = "<f2";
  if (descr.empty()) descr = elementStorageBytes(type) == 2 ? "<V2" : "|V1";
  std::string dimensions;
  for (const int64_t size : literal.shape().dimensions()) dimensions += fmt::format("{},", size);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dimensions);
  // Data starts at a multiple of 64.
  const size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  if (header.size() > 0xffff)
    return fail("unsupported-type", "the array has too many dimensions to be written");
  std::string start(kMagic);
  start += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  start += header;
  std::vector<std::byte> file(start.size() + literal.bytes().size());
  std::memcpy(file.data(), start.data(), start.size());
  if (!literal.bytes().empty())
    std::memcpy(file.data() + start.size(), literal.bytes().data(), literal.bytes().size());
  return file;
}

Result<Literal> loadNpy(const std::string& path, std::optional<Shape> target) {
  TRY(const std::string bytes, readBytes(path, {}, kNpyLimitBytes));
  auto literal = readNpy(std::as_bytes(std::span(bytes)), target);
  if (!literal) literal.error().message = fmt::format("{}: {}", path, literal.error().message);
  return literal;
}

Status saveNpy(const std::string& path, const Literal& literal) {
  TRY(const std::vector<std::byte> bytes, writeNpy(literal));
  return writeBytes(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<std::vector<Literal>> loadArguments(const std::string& path, const Computation& computation) {
  std::vector<NamedShape> parameters;
  for (const Instruction* parameter : computation.parameters())
    parameters.push_back({std::string(parameter->name()), parameter->shape()});
  return loadArguments(path, parameters);
}

Result<std::vector<Literal>> loadArguments(const std::string& path, std::span<const NamedShape> parameters) {
  std::vector<Literal> arguments(parameters.size());
  if (!path.ends_with(".npz")) {
    if (parameters.size() != 1) {
      return fail(
          "wrong-argument",
          fmt::format("{} holds one array, the computation takes {} arguments", path, parameters.size()), {},
          {"a .npz file holds several: arg0, arg1, ..., or by the parameters' names"});
    }
    TRY(arguments[0], loadNpy(path, parameters[0].shape));
    return arguments;
  }
  const auto parameterOf = [&](std::string_view name) -> std::optional<size_t> {
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (name == parameters[i].name || name == fmt::format("arg{}", i)) return i;
    }
    return std::nullopt;
  };
  TRY(auto members, loadNpz(path, [&](std::string_view name) -> std::optional<Shape> {
        const auto parameter = parameterOf(name);
        return parameter ? std::optional(parameters[*parameter].shape) : std::nullopt;
      }));
  std::vector<bool> given(parameters.size());
  for (NamedLiteral& member : members) {
    if (const auto parameter = parameterOf(member.name)) {
      arguments[*parameter] = std::move(member.literal);
      given[*parameter] = true;
    }
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!given[i])
      return fail("wrong-argument", fmt::format("{} has no member arg{} or {}", path, i, parameters[i].name));
  }
  return arguments;
}

}  // namespace hilo
