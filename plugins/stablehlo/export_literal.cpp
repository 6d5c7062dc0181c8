#include "plugins/stablehlo/export_literal.h"

#include <llvm/ADT/StringExtras.h>

#include <cstring>

#include "plugins/stablehlo/literals.h"

namespace hilo::stablehlo {
namespace {

// The element type's name; "" where StableHLO has none.
llvm::StringRef elementText(pb::PrimitiveType type) {
  switch (type) {
    case pb::PRED:
      return "i1";
    case pb::S2:
      return "i2";
    case pb::S4:
      return "i4";
    case pb::S8:
      return "i8";
    case pb::S16:
      return "i16";
    case pb::S32:
      return "i32";
    case pb::S64:
      return "i64";
    case pb::U2:
      return "ui2";
    case pb::U4:
      return "ui4";
    case pb::U8:
      return "ui8";
    case pb::U16:
      return "ui16";
    case pb::U32:
      return "ui32";
    case pb::U64:
      return "ui64";
    case pb::F16:
      return "f16";
    case pb::BF16:
      return "bf16";
    case pb::F32:
      return "f32";
    case pb::F64:
      return "f64";
    case pb::C64:
      return "complex<f32>";
    case pb::C128:
      return "complex<f64>";
    case pb::F8E5M2:
      return "f8E5M2";
    case pb::F8E4M3:
      return "f8E4M3";
    case pb::F8E4M3FN:
      return "f8E4M3FN";
    case pb::F8E4M3B11FNUZ:
      return "f8E4M3B11FNUZ";
    case pb::F8E5M2FNUZ:
      return "f8E5M2FNUZ";
    case pb::F8E4M3FNUZ:
      return "f8E4M3FNUZ";
    case pb::F8E3M4:
      return "f8E3M4";
    case pb::F8E8M0FNU:
      return "f8E8M0FNU";
    default:
      return "";
  }
}

template <typename List>
std::string bytesOf(const List& list) {
  return std::string(reinterpret_cast<const char*>(list.data()),
                     static_cast<size_t>(list.size()) * sizeof(*list.data()));
}

// The elements as they lie in memory, little-endian; "" for types that are packed.
std::string rawBytes(const pb::LiteralProto& literal) {
  switch (literal.shape().element_type()) {
    case pb::S8:
      return literal.s8s();
    case pb::U8:
      return literal.u8s();
    case pb::S16:
      return literal.s16s();
    case pb::U16:
      return literal.u16s();
    case pb::F16:
      return literal.f16s();
    case pb::BF16:
      return literal.bf16s();
    case pb::S32:
      return bytesOf(literal.s32s());
    case pb::U32:
      return bytesOf(literal.u32s());
    case pb::S64:
      return bytesOf(literal.s64s());
    case pb::U64:
      return bytesOf(literal.u64s());
    case pb::F32:
      return bytesOf(literal.f32s());
    case pb::F64:
      return bytesOf(literal.f64s());
    case pb::C64:
      return bytesOf(literal.c64s());
    case pb::C128:
      return bytesOf(literal.c128s());
    case pb::F8E5M2:
      return literal.f8e5m2s();
    case pb::F8E4M3:
      return literal.f8e4m3s();
    case pb::F8E4M3FN:
      return literal.f8e4m3fns();
    case pb::F8E4M3B11FNUZ:
      return literal.f8e4m3b11fnuzs();
    case pb::F8E5M2FNUZ:
      return literal.f8e5m2fnuzs();
    case pb::F8E4M3FNUZ:
      return literal.f8e4m3fnuzs();
    case pb::F8E3M4:
      return literal.f8e3m4s();
    case pb::F8E8M0FNU:
      return literal.f8e8m0fnus();
    default:
      return "";
  }
}

// Packed elements as a list of numbers nested by dimension.
std::optional<std::string> listText(const pb::LiteralProto& literal) {
  const pb::PrimitiveType type = literal.shape().element_type();
  const std::string& packed = type == pb::S4   ? literal.s4s()
                              : type == pb::U4 ? literal.u4s()
                              : type == pb::S2 ? literal.s2s()
                                               : literal.u2s();
  const int bits = type == pb::S4 || type == pb::U4 ? 4 : 2;
  const bool isSigned = type == pb::S4 || type == pb::S2;
  const Dims dims = dimsOf(literal.shape());
  int64_t count = 1;
  for (const int64_t size : dims) count *= size;
  // Packed, or (as XLA also writes them) one a byte.
  const size_t perByte = static_cast<int64_t>(packed.size()) == count ? 1 : static_cast<size_t>(8 / bits);
  size_t at = 0;
  bool whole = true;
  const auto element = [&]() -> std::string {
    const size_t index = at++;
    if (type == pb::PRED) {
      if (index >= static_cast<size_t>(literal.preds_size())) whole = false;
      return whole && literal.preds(static_cast<int>(index)) ? "true" : "false";
    }
    if (index / perByte >= packed.size()) return whole = false, "0";
    int value =
        (static_cast<uint8_t>(packed[index / perByte]) >> (bits * (index % perByte))) & ((1 << bits) - 1);
    if (isSigned && value >= 1 << (bits - 1)) value -= 1 << bits;
    return std::to_string(value);
  };
  const auto nested = [&](const auto& self, size_t dim) -> std::string {
    if (dim == dims.size()) return element();
    std::string text = "[";
    for (int64_t n = 0; n < dims[dim] && whole; ++n) text += (n == 0 ? "" : ", ") + self(self, dim + 1);
    return text + "]";
  };
  std::string text = nested(nested, 0);
  if (!whole) return {};
  return text;
}

}  // namespace

std::optional<std::string> typeText(const pb::ShapeProto& shape) {
  if (shape.element_type() == pb::TOKEN) return "!stablehlo.token";
  const llvm::StringRef element = elementText(shape.element_type());
  if (element.empty()) return {};
  std::string text = "tensor<", bounds;
  bool anyBound = false;
  for (int n = 0; n < shape.dimensions_size(); ++n) {
    const bool dynamic = n < shape.is_dynamic_dimension_size() && shape.is_dynamic_dimension(n);
    const bool bounded = dynamic && shape.dimensions(n) >= 0;
    text += (dynamic ? "?" : std::to_string(shape.dimensions(n))) + "x";
    bounds += (n == 0 ? "" : ", ") + (bounded ? std::to_string(shape.dimensions(n)) : "?");
    anyBound |= bounded;
  }
  return text + element.str() + (anyBound ? ", #stablehlo.bounds<" + bounds + ">" : "") + ">";
}

std::optional<std::string> literalText(const pb::LiteralProto& literal) {
  const pb::ShapeProto& shape = literal.shape();
  int64_t count = 1;
  for (const int64_t size : shape.dimensions()) count *= size;
  if (count == 0) return "dense<>";
  const bool isList = shape.element_type() == pb::PRED || shape.element_type() == pb::S4 ||
                      shape.element_type() == pb::U4 || shape.element_type() == pb::S2 ||
                      shape.element_type() == pb::U2;
  if (isList) {
    auto list = listText(literal);
    if (!list) return "dense_resource<__elided__>";
    return "dense<" + *list + ">";
  }
  const std::string bytes = rawBytes(literal);
  if (bytes.empty())
    return elementText(shape.element_type()).empty()
               ? std::nullopt
               : std::optional<std::string>("dense_resource<__elided__>");
  return "dense<\"0x" + llvm::toHex(bytes) + "\">";
}

std::string quoted(llvm::StringRef text) {
  std::string escaped;
  llvm::raw_string_ostream stream(escaped);
  stream << '"';
  llvm::printEscapedString(text, stream);
  stream << '"';
  return escaped;
}

}  // namespace hilo::stablehlo
