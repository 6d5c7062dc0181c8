#include "plugins/stablehlo/literals.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/AsmParser/AsmParser.h>
#include <mlir/Dialect/Quant/IR/QuantTypes.h>
#include <mlir/IR/DialectResourceBlobManager.h>

#include <bit>
#include <cstring>

namespace hilo::stablehlo {

static_assert(std::endian::native == std::endian::little, "literals are copied as they lie in memory");

namespace {

pb::PrimitiveType integerType(mlir::IntegerType type) {
  const bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
    case 1:
      return isUnsigned ? pb::U1 : pb::PRED;
    case 2:
      return isUnsigned ? pb::U2 : pb::S2;
    case 4:
      return isUnsigned ? pb::U4 : pb::S4;
    case 8:
      return isUnsigned ? pb::U8 : pb::S8;
    case 16:
      return isUnsigned ? pb::U16 : pb::S16;
    case 32:
      return isUnsigned ? pb::U32 : pb::S32;
    case 64:
      return isUnsigned ? pb::U64 : pb::S64;
    default:
      return pb::PRIMITIVE_TYPE_INVALID;
  }
}

pb::PrimitiveType complexType(mlir::ComplexType type) {
  if (type.getElementType().isF32()) return pb::C64;
  return type.getElementType().isF64() ? pb::C128 : pb::PRIMITIVE_TYPE_INVALID;
}

std::optional<pb::ShapeProto> tensorShape(mlir::RankedTensorType type) {
  const pb::PrimitiveType element = elementTypeOf(type.getElementType());
  if (element == pb::PRIMITIVE_TYPE_INVALID) return {};
  Dims bounds;
  if (const auto list = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(type.getEncoding()))
    bounds = list.asArrayRef();
  if (const auto fields = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(type.getEncoding())) {
    if (const auto list = fields.getAs<mlir::DenseI64ArrayAttr>("bounds")) bounds = list.asArrayRef();
  }
  pb::ShapeProto shape = arrayShape(element, type.getShape());
  for (int n = 0; n < shape.dimensions_size(); ++n) {
    if (!type.isDynamicDim(n)) continue;
    const bool bounded = static_cast<size_t>(n) < bounds.size() && bounds[n] != mlir::ShapedType::kDynamic;
    shape.set_dimensions(n, bounded ? bounds[n] : INT64_MIN);
    shape.set_is_dynamic_dimension(n, true);
  }
  return shape;
}

// ---- elements

uint16_t bitsOf(double value, const llvm::fltSemantics& semantics) {
  llvm::APFloat number(value);
  bool lossy = false;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lossy);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

template <typename T>
void appendBytes(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The field of the literal that holds elements of one byte a piece; null when they are wider.
std::string* byteField(pb::LiteralProto& literal, pb::PrimitiveType type) {
  switch (type) {
    case pb::S8:
      return literal.mutable_s8s();
    case pb::U8:
      return literal.mutable_u8s();
    case pb::F8E5M2:
      return literal.mutable_f8e5m2s();
    case pb::F8E4M3:
      return literal.mutable_f8e4m3s();
    case pb::F8E4M3FN:
      return literal.mutable_f8e4m3fns();
    case pb::F8E4M3B11FNUZ:
      return literal.mutable_f8e4m3b11fnuzs();
    case pb::F8E5M2FNUZ:
      return literal.mutable_f8e5m2fnuzs();
    case pb::F8E4M3FNUZ:
      return literal.mutable_f8e4m3fnuzs();
    case pb::F8E3M4:
      return literal.mutable_f8e3m4s();
    case pb::F8E8M0FNU:
      return literal.mutable_f8e8m0fnus();
    default:
      return nullptr;
  }
}

// Fields of two-byte elements, little-endian.
std::string* halfField(pb::LiteralProto& literal, pb::PrimitiveType type) {
  switch (type) {
    case pb::F16:
      return literal.mutable_f16s();
    case pb::BF16:
      return literal.mutable_bf16s();
    case pb::S16:
      return literal.mutable_s16s();
    case pb::U16:
      return literal.mutable_u16s();
    default:
      return nullptr;
  }
}

// Of one element in memory; 0 for types that are packed.
int64_t byteSize(pb::PrimitiveType type) {
  pb::LiteralProto probe;
  if (byteField(probe, type) != nullptr) return 1;
  if (halfField(probe, type) != nullptr) return 2;
  switch (type) {
    case pb::S32:
    case pb::U32:
    case pb::F32:
      return 4;
    case pb::S64:
    case pb::U64:
    case pb::F64:
    case pb::C64:
      return 8;
    case pb::C128:
      return 16;
    default:
      return 0;
  }
}

struct PackedField {
  std::string* bytes;
  int bits;
};
// Fields of elements smaller than a byte: several a byte, the first in the low bits.
std::optional<PackedField> packedField(pb::LiteralProto& literal, pb::PrimitiveType type) {
  switch (type) {
    case pb::S4:
      return PackedField{literal.mutable_s4s(), 4};
    case pb::U4:
      return PackedField{literal.mutable_u4s(), 4};
    case pb::S2:
      return PackedField{literal.mutable_s2s(), 2};
    case pb::U2:
      return PackedField{literal.mutable_u2s(), 2};
    case pb::U1:
      return PackedField{literal.mutable_u1s(), 1};
    case pb::F4E2M1FN:
      return PackedField{literal.mutable_f4e2m1fns(), 4};
    case pb::F6E2M3FN:
      return PackedField{literal.mutable_f6e2m3fns(), 8};
    case pb::F6E3M2FN:
      return PackedField{literal.mutable_f6e3m2fns(), 8};
    default:
      return {};
  }
}

void appendPacked(const PackedField& field, size_t index, uint64_t bits) {
  const size_t perByte = 8 / field.bits;
  if (index % perByte == 0) field.bytes->push_back('\0');
  const auto mask = static_cast<uint8_t>((1u << field.bits) - 1);
  field.bytes->back() = static_cast<char>(static_cast<uint8_t>(field.bytes->back()) |
                                          ((bits & mask) << (field.bits * (index % perByte))));
}

template <typename T, typename Field>
void appendAll(llvm::ArrayRef<char> data, Field* field) {
  const size_t count = data.size() / sizeof(T);
  field->Resize(static_cast<int>(count), 0);
  std::memcpy(field->mutable_data(), data.data(), count * sizeof(T));
}

// Elements as they lie in memory, one after another. False for types stored in another way.
bool appendRaw(pb::LiteralProto& literal, llvm::ArrayRef<char> data) {
  const pb::PrimitiveType type = literal.shape().element_type();
  if (std::string* bytes = byteField(literal, type)) return bytes->assign(data.begin(), data.end()), true;
  if (std::string* bytes = halfField(literal, type)) return bytes->assign(data.begin(), data.end()), true;
  switch (type) {
    case pb::S32:
      return appendAll<int32_t>(data, literal.mutable_s32s()), true;
    case pb::U32:
      return appendAll<uint32_t>(data, literal.mutable_u32s()), true;
    case pb::S64:
      return appendAll<int64_t>(data, literal.mutable_s64s()), true;
    case pb::U64:
      return appendAll<uint64_t>(data, literal.mutable_u64s()), true;
    case pb::F32:
      return appendAll<float>(data, literal.mutable_f32s()), true;
    case pb::F64:
      return appendAll<double>(data, literal.mutable_f64s()), true;
    case pb::C64:
      return appendAll<float>(data, literal.mutable_c64s()), true;
    case pb::C128:
      return appendAll<double>(data, literal.mutable_c128s()), true;
    default:
      return false;
  }
}

// Element by element: predicates and what is smaller than a byte.
bool appendSmall(pb::LiteralProto& literal, mlir::DenseElementsAttr value) {
  const auto bitsOf = [&](auto&& each) {
    if (llvm::isa<mlir::FloatType>(value.getElementType())) {
      const auto numbers = value.tryGetValues<llvm::APFloat>();
      if (failed(numbers)) return false;
      for (const llvm::APFloat& number : *numbers) each(number.bitcastToAPInt().getZExtValue());
      return true;
    }
    const auto numbers = value.tryGetValues<llvm::APInt>();
    if (failed(numbers)) return false;
    for (const llvm::APInt& number : *numbers) each(number.getZExtValue());
    return true;
  };
  const pb::PrimitiveType type = literal.shape().element_type();
  const int64_t count = value.isSplat() ? 1 : value.getNumElements();
  int64_t at = 0;
  if (type == pb::PRED) {
    return bitsOf([&](uint64_t bits) {
      if (at++ < count) literal.add_preds(bits != 0);
    });
  }
  const auto field = packedField(literal, type);
  return field && bitsOf([&](uint64_t bits) {
           if (at < count) appendPacked(*field, static_cast<size_t>(at++), bits);
         });
}

}  // namespace

pb::PrimitiveType elementTypeOf(mlir::Type type) {
  return llvm::TypeSwitch<mlir::Type, pb::PrimitiveType>(type)
      .Case<mlir::IntegerType>([](auto t) { return integerType(t); })
      .Case<mlir::ComplexType>([](auto t) { return complexType(t); })
      .Case<mlir::quant::QuantizedType>([](auto t) {
        const auto storage = llvm::dyn_cast<mlir::IntegerType>(t.getStorageType());
        if (!storage) return elementTypeOf(t.getStorageType());
        return integerType(
            mlir::IntegerType::get(t.getContext(), storage.getWidth(),
                                   t.isSigned() ? mlir::IntegerType::Signless : mlir::IntegerType::Unsigned));
      })
      .Case<mlir::IndexType>([](auto) { return pb::S64; })
      .Case<mlir::BFloat16Type>([](auto) { return pb::BF16; })
      .Case<mlir::Float16Type>([](auto) { return pb::F16; })
      .Case<mlir::Float32Type>([](auto) { return pb::F32; })
      .Case<mlir::Float64Type>([](auto) { return pb::F64; })
      .Case<mlir::Float8E5M2Type>([](auto) { return pb::F8E5M2; })
      .Case<mlir::Float8E4M3Type>([](auto) { return pb::F8E4M3; })
      .Case<mlir::Float8E4M3FNType>([](auto) { return pb::F8E4M3FN; })
      .Case<mlir::Float8E5M2FNUZType>([](auto) { return pb::F8E5M2FNUZ; })
      .Case<mlir::Float8E4M3FNUZType>([](auto) { return pb::F8E4M3FNUZ; })
      .Case<mlir::Float8E4M3B11FNUZType>([](auto) { return pb::F8E4M3B11FNUZ; })
      .Case<mlir::Float8E3M4Type>([](auto) { return pb::F8E3M4; })
      .Case<mlir::Float8E8M0FNUType>([](auto) { return pb::F8E8M0FNU; })
      .Case<mlir::Float4E2M1FNType>([](auto) { return pb::F4E2M1FN; })
      .Case<mlir::Float6E2M3FNType>([](auto) { return pb::F6E2M3FN; })
      .Case<mlir::Float6E3M2FNType>([](auto) { return pb::F6E3M2FN; })
      .Default([](mlir::Type) { return pb::PRIMITIVE_TYPE_INVALID; });
}

bool isToken(mlir::Type type) {
  const auto opaque = llvm::dyn_cast<mlir::OpaqueType>(type);
  return opaque && opaque.getTypeData().starts_with("token");
}

bool isFuture(mlir::Type type) {
  const auto opaque = llvm::dyn_cast<mlir::OpaqueType>(type);
  return opaque && opaque.getTypeData().starts_with("future");
}

namespace {

// !mhlo.async_bundle<A, B, ...> is the tuple HLO's start gives.
mlir::Type bundleAsTuple(mlir::Type type) {
  const auto opaque = llvm::dyn_cast<mlir::OpaqueType>(type);
  llvm::StringRef elements = opaque ? opaque.getTypeData() : "";
  if (!elements.consume_front("async_bundle<")) return type;
  mlir::Type tuple = mlir::parseType("tuple<" + elements.str(), type.getContext());
  return tuple ? tuple : type;
}

}  // namespace

namespace {

// memref<2xf32>: HLO's b(f32[2]).
std::optional<pb::ShapeProto> bufferShape(mlir::MemRefType type) {
  if (!type.getLayout().isIdentity() || !mlir::TensorType::isValidElementType(type.getElementType()))
    return {};
  auto inner = shapeOf(mlir::RankedTensorType::get(type.getShape(), type.getElementType()));
  if (!inner) return {};
  pb::ShapeProto shape;
  shape.set_element_type(pb::BUFFER);
  *shape.add_tuple_shapes() = std::move(*inner);
  return shape;
}

}  // namespace

std::optional<pb::ShapeProto> shapeOf(mlir::Type type) {
  if (isToken(type)) return tokenShape();
  type = bundleAsTuple(type);
  if (const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type)) return tensorShape(tensor);
  if (const auto tuple = llvm::dyn_cast<mlir::TupleType>(type)) {
    llvm::SmallVector<pb::ShapeProto> elements;
    for (mlir::Type element : tuple.getTypes()) {
      auto shape = shapeOf(element);
      if (!shape) return {};
      elements.push_back(std::move(*shape));
    }
    return tupleShape(elements);
  }
  if (const auto buffer = llvm::dyn_cast<mlir::MemRefType>(type)) return bufferShape(buffer);
  const pb::PrimitiveType element = elementTypeOf(type);
  if (element == pb::PRIMITIVE_TYPE_INVALID) return {};
  return scalarShape(element);
}

bool isElided(mlir::ElementsAttr value) {
  const auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(value);
  return resource && resource.getRawHandle().getBlob() == nullptr;
}

std::optional<pb::LiteralProto> literalOf(mlir::ElementsAttr value, const pb::ShapeProto& shape) {
  pb::LiteralProto literal;
  *literal.mutable_shape() = shape;
  if (const auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value)) {
    if (dense.isSplat()) *literal.mutable_shape() = scalarShape(shape.element_type());
    const bool done = shape.element_type() != pb::PRED && !packedField(literal, shape.element_type())
                          ? appendRaw(literal, dense.getRawData())
                          : appendSmall(literal, dense);
    if (!done) return {};
    return literal;
  }
  const auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(value);
  const mlir::AsmResourceBlob* blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (blob == nullptr) return {};
  const llvm::ArrayRef<char> data = blob->getData();
  const int64_t size = byteSize(shape.element_type());
  if (size == 0 || static_cast<int64_t>(data.size()) / size != value.getNumElements() ||
      data.size() % size != 0)
    return {};
  if (!appendRaw(literal, data)) return {};
  return literal;
}

void appendElement(pb::LiteralProto& literal, double value) {
  const pb::PrimitiveType type = literal.shape().element_type();
  switch (type) {
    case pb::F32:
      return literal.add_f32s(static_cast<float>(value));
    case pb::F64:
      return literal.add_f64s(value);
    case pb::F16:
      return appendBytes(*literal.mutable_f16s(), bitsOf(value, llvm::APFloat::IEEEhalf()));
    case pb::BF16:
      return appendBytes(*literal.mutable_bf16s(), bitsOf(value, llvm::APFloat::BFloat()));
    case pb::C64:
      literal.add_c64s(static_cast<float>(value));
      return literal.add_c64s(0);
    case pb::C128:
      literal.add_c128s(value);
      return literal.add_c128s(0);
    default:
      return appendElement(literal, static_cast<int64_t>(value));
  }
}

void appendElement(pb::LiteralProto& literal, int64_t value) {
  const pb::PrimitiveType type = literal.shape().element_type();
  if (isFloat(type) || isComplex(type)) return appendElement(literal, static_cast<double>(value));
  if (type == pb::PRED) return literal.add_preds(value != 0);
  if (const auto field = packedField(literal, type))
    return appendPacked(*field, 0, static_cast<uint64_t>(value));
  if (type == pb::S32) return literal.add_s32s(static_cast<int32_t>(value));
  if (type == pb::U32) return literal.add_u32s(static_cast<uint32_t>(value));
  if (type == pb::U64) return literal.add_u64s(static_cast<uint64_t>(value));
  if (std::string* bytes = byteField(literal, type)) return bytes->push_back(static_cast<char>(value));
  if (std::string* bytes = halfField(literal, type)) return appendBytes(*bytes, static_cast<uint16_t>(value));
  literal.add_s64s(value);
}

}  // namespace hilo::stablehlo
