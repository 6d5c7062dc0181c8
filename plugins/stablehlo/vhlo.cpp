#include "plugins/stablehlo/vhlo.h"

#include <llvm/ADT/StringMap.h>
#include <mlir/Bytecode/BytecodeImplementation.h>
#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/Dialect/Quant/IR/QuantTypes.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

namespace hilo::stablehlo {

using llvm::SmallVector;
using llvm::SmallVectorImpl;
using mlir::Attribute;
using mlir::DialectBytecodeReader;
using mlir::Type;

namespace {

constexpr VhloOp kVhloOps[] = {
#define VHLO_OP(name, attributes) {name, attributes},
#include "plugins/stablehlo/vhlo_ops.def"
};

const VhloOp* findVhloOp(llvm::StringRef name) {
  static const auto& rows = *[] {
    auto* made = new llvm::StringMap<const VhloOp*>();
    for (const VhloOp& op : kVhloOps) made->try_emplace(op.name, &op);
    return made;
  }();
  return rows.lookup(name);
}

struct VhloProperties : mlir::BytecodeOpInterface::FallbackModel<VhloProperties> {
  static mlir::LogicalResult readProperties(DialectBytecodeReader& reader, mlir::OperationState& state) {
    const VhloOp* op = findVhloOp(state.name.stripDialect());
    if (op == nullptr) return reader.emitError("properties of an operation that has none");
    SmallVector<llvm::StringRef> names;
    llvm::StringRef(op->attributes).split(names, ' ', -1, /*KeepEmpty=*/false);
    mlir::NamedAttrList list;
    for (const llvm::StringRef name : names) {
      Attribute value;
      if (failed(reader.readAttribute(value))) return mlir::failure();
      list.append(name, value);
    }
    state.propertiesAttr = list.getDictionary(reader.getContext());
    return mlir::success();
  }
  void writeProperties(mlir::Operation*, mlir::DialectBytecodeWriter&) const {}
};

// ---- the codes of attributes and types. Facts: stablehlo/dialect/VhloBytecode.cpp.

enum AttributeCode : uint64_t {
  kArray = 1,
  kBoolean = 2,
  kComparisonDirection = 3,
  kComparisonType = 4,
  kCustomCallApiVersion = 5,
  kDictionary = 6,
  kFftType = 7,
  kFloat = 8,
  kInteger = 9,
  kOutputOperandAlias = 10,
  kPrecision = 11,
  kRngAlgorithm = 12,
  kRngDistribution = 13,
  kString = 14,
  kTensor = 15,
  kTranspose = 16,
  kType = 17,
  kTypeExtensions = 18,
  kResultAccuracyMode = 19,
  kResultAccuracy = 20,
  kSubAxisInfo = 21,
  kAxisRef = 22,
  kReplicaGroupMeshAxes = 23,
  kMeshAxis = 24,
  kMesh = 25,
};

enum TypeCode : uint64_t {
  kComplexType = 1,
  kFunctionType = 8,
  kIndexType = 9,
  kRankedTensor = 20,
  kRankedTensorWithEncoding = 21,
  kTokenType = 22,
  kTupleType = 23,
  kUniformQuantized = 24,
  kUnrankedTensor = 25,
  kWitnessType = 26,
  kUniformQuantizedPerAxis = 30,
  kNoneType = 33,
  kRankedBuffer = 41,
  kFutureType = 42,
};

// Enumerators by number.
llvm::ArrayRef<const char*> enumerators(uint64_t code) {
  static constexpr const char* kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  static constexpr const char* kTypes[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  static constexpr const char* kVersions[] = {
      "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
      "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
  static constexpr const char* kFfts[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  static constexpr const char* kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
  static constexpr const char* kAlgorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  static constexpr const char* kDistributions[] = {"", "UNIFORM", "NORMAL"};
  static constexpr const char* kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  static constexpr const char* kModes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};
  switch (code) {
    case kComparisonDirection:
      return kDirections;
    case kComparisonType:
      return kTypes;
    case kCustomCallApiVersion:
      return kVersions;
    case kFftType:
      return kFfts;
    case kPrecision:
      return kPrecisions;
    case kRngAlgorithm:
      return kAlgorithms;
    case kRngDistribution:
      return kDistributions;
    case kTranspose:
      return kTransposes;
    case kResultAccuracyMode:
      return kModes;
    default:
      return {};
  }
}

// Element types without parameters, by code; null for other codes.
Type plainType(uint64_t code, mlir::Builder& builder) {
  const auto integer = [&](unsigned width, bool isUnsigned) -> Type {
    return mlir::IntegerType::get(builder.getContext(), width,
                                  isUnsigned ? mlir::IntegerType::Unsigned : mlir::IntegerType::Signless);
  };
  auto* context = builder.getContext();
  switch (code) {
    case 0:
      return builder.getI1Type();
    case 2:
      return builder.getBF16Type();
    case 3:
      return builder.getF16Type();
    case 4:
      return builder.getF32Type();
    case 5:
      return builder.getF64Type();
    case 6:
      return mlir::Float8E4M3FNType::get(context);
    case 7:
      return mlir::Float8E5M2Type::get(context);
    case kIndexType:
      return builder.getIndexType();
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
      return integer(4u << (code - 10), false);
    case 15:
    case 16:
    case 17:
    case 18:
    case 19:
      return integer(4u << (code - 15), true);
    case 27:
      return mlir::Float8E4M3FNUZType::get(context);
    case 28:
      return mlir::Float8E5M2FNUZType::get(context);
    case 29:
      return mlir::Float8E4M3B11FNUZType::get(context);
    case 31:
      return integer(2, false);
    case 32:
      return integer(2, true);
    case kNoneType:
      return builder.getNoneType();
    case 34:
      return mlir::FloatTF32Type::get(context);
    case 35:
      return mlir::Float8E4M3Type::get(context);
    case 36:
      return mlir::Float8E3M4Type::get(context);
    case 37:
      return mlir::Float4E2M1FNType::get(context);
    case 38:
      return mlir::Float6E2M3FNType::get(context);
    case 39:
      return mlir::Float6E3M2FNType::get(context);
    case 40:
      return mlir::Float8E8M0FNUType::get(context);
    default:
      return {};
  }
}

// Lists as bytecode has them, their length first. Read one by one: the reader's own would make room for as
// many as a damaged file claims.
template <typename T, typename ReadOne>
mlir::LogicalResult readEach(DialectBytecodeReader& reader, SmallVectorImpl<T>& list,
                             const ReadOne& readOne) {
  uint64_t count = 0;
  if (failed(reader.readVarInt(count))) return mlir::failure();
  for (uint64_t n = 0; n < count; ++n) {
    T one{};
    if (failed(readOne(one))) return mlir::failure();
    list.push_back(std::move(one));
  }
  return mlir::success();
}

mlir::LogicalResult readList(DialectBytecodeReader& reader, SmallVectorImpl<Attribute>& list) {
  return readEach(reader, list, [&](Attribute& one) { return reader.readAttribute(one); });
}
mlir::LogicalResult readList(DialectBytecodeReader& reader, SmallVectorImpl<Type>& list) {
  return readEach(reader, list, [&](Type& one) { return reader.readType(one); });
}
mlir::LogicalResult readList(DialectBytecodeReader& reader, SmallVectorImpl<int64_t>& list) {
  return readEach(reader, list, [&](int64_t& one) { return reader.readSignedVarInt(one); });
}

class VhloBytecode final : public mlir::BytecodeDialectInterface {
 public:
  explicit VhloBytecode(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader& reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code))) return {};
    if (const auto words = enumerators(code); !words.empty()) return readEnumerator(reader, words);
    mlir::Builder builder(reader.getContext());
    switch (code) {
      case kArray: {
        SmallVector<Attribute> elements;
        return failed(readList(reader, elements)) ? Attribute() : builder.getArrayAttr(elements);
      }
      case kBoolean: {
        uint64_t value = 0;
        return failed(reader.readVarInt(value)) ? Attribute() : builder.getBoolAttr(value != 0);
      }
      case kDictionary:
        return readDictionary(reader);
      case kFloat:
        return readFloat(reader);
      case kInteger:
        return readInteger(reader);
      case kOutputOperandAlias:
        return readAlias(reader, builder);
      case kString: {
        llvm::StringRef text;
        return failed(reader.readString(text)) ? Attribute() : builder.getStringAttr(text);
      }
      case kTensor:
        return readTensor(reader);
      case kType: {
        Type type;
        return failed(reader.readType(type)) ? Attribute() : mlir::TypeAttr::get(type);
      }
      case kTypeExtensions: {
        SmallVector<int64_t> bounds;
        return failed(readList(reader, bounds)) ? Attribute() : builder.getDenseI64ArrayAttr(bounds);
      }
      case kResultAccuracy:
        return readAccuracy(reader, builder);
      case kSubAxisInfo: {
        int64_t before = 0, size = 0;
        if (failed(reader.readSignedVarInt(before)) || failed(reader.readSignedVarInt(size))) return {};
        return builder.getDenseI64ArrayAttr({before, size});
      }
      case kMeshAxis: {
        Attribute name;
        int64_t size = 0;
        if (failed(reader.readAttribute(name)) || failed(reader.readSignedVarInt(size))) return {};
        return fieldsOf(builder, {{"name", name}, {"size", builder.getI64IntegerAttr(size)}});
      }
      case kAxisRef:
        return readAxisRef(reader, builder);
      case kReplicaGroupMeshAxes: {
        Attribute mesh, axes;
        if (failed(reader.readAttribute(mesh)) || failed(reader.readAttribute(axes))) return {};
        return fieldsOf(builder, {{"mesh", mesh}, {"axes", axes}});
      }
      case kMesh: {
        Attribute axes, devices;
        if (failed(reader.readAttribute(axes)) || failed(reader.readOptionalAttribute(devices))) return {};
        return fieldsOf(builder, {{"axes", axes}, {"device_ids", devices}});
      }
      default:
        return reader.emitError() << "VHLO attribute of unknown code " << code, Attribute();
    }
  }

  Type readType(DialectBytecodeReader& reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code))) return {};
    mlir::Builder builder(reader.getContext());
    if (Type type = plainType(code, builder)) return type;
    switch (code) {
      case kComplexType: {
        Type element;
        if (failed(reader.readType(element))) return {};
        if (!llvm::isa<mlir::FloatType>(element))
          return reader.emitError("complex numbers of no floats"), Type();
        return mlir::ComplexType::get(element);
      }
      case kFunctionType: {
        SmallVector<Type> inputs, results;
        if (failed(readList(reader, inputs)) || failed(readList(reader, results))) return {};
        return builder.getFunctionType(inputs, results);
      }
      case kRankedTensor:
        return readRankedTensor(reader, /*hasEncoding=*/false);
      case kRankedTensorWithEncoding:
        return readRankedTensor(reader, /*hasEncoding=*/true);
      case kTokenType:
        return mlir::OpaqueType::get(builder.getStringAttr("stablehlo"), "token");
      case kTupleType: {
        SmallVector<Type> elements;
        if (failed(readList(reader, elements))) return {};
        return builder.getTupleType(elements);
      }
      case kUniformQuantized:
        return readQuantized(reader);
      case kUniformQuantizedPerAxis:
        return readQuantizedPerAxis(reader);
      case kUnrankedTensor: {
        Type element;
        if (failed(reader.readType(element))) return {};
        if (!mlir::TensorType::isValidElementType(element))
          return reader.emitError("a tensor of no elements"), Type();
        return mlir::UnrankedTensorType::get(element);
      }
      case kWitnessType:
        return mlir::OpaqueType::get(builder.getStringAttr("stablehlo"), "witness");
      case kRankedBuffer: {
        SmallVector<int64_t> dims;
        Type element;
        if (failed(readList(reader, dims)) || failed(reader.readType(element))) return {};
        return mlir::MemRefType::getChecked([&] { return reader.emitError(); }, dims, element);
      }
      case kFutureType: {
        SmallVector<Type> types;
        if (failed(readList(reader, types))) return {};
        return mlir::OpaqueType::get(builder.getStringAttr("stablehlo"), "future");
      }
      default:
        return reader.emitError() << "VHLO type of unknown code " << code, Type();
    }
  }

 private:
  static Attribute readEnumerator(DialectBytecodeReader& reader, llvm::ArrayRef<const char*> words) {
    uint64_t value = 0;
    if (failed(reader.readVarInt(value))) return {};
    if (value >= words.size()) return reader.emitError("unknown VHLO enumerator"), Attribute();
    return mlir::StringAttr::get(reader.getContext(), words[value]);
  }

  using Field = std::pair<llvm::StringRef, Attribute>;
  static Attribute fieldsOf(mlir::Builder& builder, llvm::ArrayRef<Field> fields) {
    mlir::NamedAttrList list;
    for (const auto& [name, value] : fields) {
      if (value) list.append(name, value);
    }
    return list.getDictionary(builder.getContext());
  }

  static Attribute readAxisRef(DialectBytecodeReader& reader, mlir::Builder& builder) {
    Attribute name, part;
    uint64_t hasPart = 0;
    if (failed(reader.readAttribute(name)) || failed(reader.readVarInt(hasPart)) ||
        (hasPart != 0 && failed(reader.readAttribute(part))))
      return {};
    return fieldsOf(builder, {{"name", name}, {"sub_axis_info", part}});
  }

  static Attribute readDictionary(DialectBytecodeReader& reader) {
    using Pair = std::pair<Attribute, Attribute>;
    SmallVector<Pair> pairs;
    const auto one = [&](Pair& pair) {
      return mlir::failure(failed(reader.readAttribute(pair.first)) ||
                           failed(reader.readAttribute(pair.second)));
    };
    if (failed(readEach(reader, pairs, one))) return {};
    mlir::NamedAttrList fields;
    for (const auto& [name, value] : pairs) {
      const auto key = llvm::dyn_cast<mlir::StringAttr>(name);
      if (!key) return reader.emitError("a dictionary key that is no string"), Attribute();
      fields.set(key.getValue(), value);
    }
    return fields.getDictionary(reader.getContext());
  }

  static Attribute readFloat(DialectBytecodeReader& reader) {
    Type type;
    if (failed(reader.readType(type))) return {};
    const auto floatType = llvm::dyn_cast<mlir::FloatType>(type);
    if (!floatType) return reader.emitError("a float of no float type"), Attribute();
    const auto value = reader.readAPFloatWithKnownSemantics(floatType.getFloatSemantics());
    return failed(value) ? Attribute() : mlir::FloatAttr::get(floatType, *value);
  }

  static Attribute readInteger(DialectBytecodeReader& reader) {
    Type type;
    if (failed(reader.readType(type))) return {};
    if (!type.isIntOrIndex()) return reader.emitError("an integer of no integer type"), Attribute();
    const unsigned width =
        type.isIndex() ? mlir::IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
    const auto value = reader.readAPIntWithKnownWidth(width);
    return failed(value) ? Attribute() : mlir::IntegerAttr::get(type, *value);
  }

  static Attribute readAlias(DialectBytecodeReader& reader, mlir::Builder& builder) {
    SmallVector<int64_t> output, operand;
    int64_t index = 0;
    if (failed(readList(reader, output)) || failed(reader.readSignedVarInt(index)) ||
        failed(readList(reader, operand)))
      return {};
    mlir::NamedAttrList fields;
    fields.append("output_tuple_indices", builder.getDenseI64ArrayAttr(output));
    fields.append("operand_index", builder.getI64IntegerAttr(index));
    fields.append("operand_tuple_indices", builder.getDenseI64ArrayAttr(operand));
    return fields.getDictionary(reader.getContext());
  }

  static Attribute readTensor(DialectBytecodeReader& reader) {
    Type type;
    llvm::ArrayRef<char> blob;
    if (failed(reader.readType(type)) || failed(reader.readBlob(blob))) return {};
    auto shaped = llvm::dyn_cast<mlir::RankedTensorType>(type);
    bool isSplat = false;
    if (!shaped || !shaped.hasStaticShape() ||
        !llvm::isa<mlir::IntegerType, mlir::IndexType, mlir::FloatType, mlir::ComplexType>(
            shaped.getElementType()) ||
        !mlir::DenseElementsAttr::isValidRawBuffer(shaped, blob, isSplat))
      return reader.emitError("tensor data that do not fit their type"), Attribute();
    return mlir::DenseElementsAttr::getFromRawBuffer(shaped, blob);
  }

  static Attribute readAccuracy(DialectBytecodeReader& reader, mlir::Builder& builder) {
    const auto absolute = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
    if (failed(absolute)) return {};
    const auto relative = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
    int64_t ulps = 0;
    Attribute mode;
    if (failed(relative) || failed(reader.readSignedVarInt(ulps)) || failed(reader.readAttribute(mode)))
      return {};
    mlir::NamedAttrList fields;
    fields.append("atol", builder.getF64FloatAttr(absolute->convertToDouble()));
    fields.append("rtol", builder.getF64FloatAttr(relative->convertToDouble()));
    fields.append("ulps", builder.getI64IntegerAttr(ulps));
    fields.append("mode", mode);
    return fields.getDictionary(reader.getContext());
  }

  static Type readRankedTensor(DialectBytecodeReader& reader, bool hasEncoding) {
    Attribute encoding;
    SmallVector<int64_t> dims;
    Type element;
    if ((hasEncoding && failed(reader.readAttribute(encoding))) || failed(readList(reader, dims)) ||
        failed(reader.readType(element)))
      return {};
    const bool valid = mlir::TensorType::isValidElementType(element) && llvm::all_of(dims, [](int64_t dim) {
                         return dim >= 0 || dim == mlir::ShapedType::kDynamic;
                       });
    if (!valid) return reader.emitError("a tensor of wrong dimensions or elements"), Type();
    return mlir::RankedTensorType::get(dims, element, encoding);
  }

  static Type readQuantized(DialectBytecodeReader& reader) {
    uint64_t flags = 0;
    Type storage, expressed;
    int64_t zeroPoint = 0, low = 0, high = 0;
    if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) ||
        failed(reader.readType(expressed)))
      return {};
    const auto scale = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
    if (failed(scale) || failed(reader.readSignedVarInt(zeroPoint)) || failed(reader.readSignedVarInt(low)) ||
        failed(reader.readSignedVarInt(high)))
      return {};
    return mlir::quant::UniformQuantizedType::getChecked([&] { return reader.emitError(); },
                                                         static_cast<unsigned>(flags), storage, expressed,
                                                         scale->convertToDouble(), zeroPoint, low, high);
  }

  static Type readQuantizedPerAxis(DialectBytecodeReader& reader) {
    uint64_t flags = 0, dimension = 0;
    Type storage, expressed;
    int64_t low = 0, high = 0;
    SmallVector<double> scales;
    SmallVector<int64_t> zeroPoints;
    const auto scale = [&](double& one) -> mlir::LogicalResult {
      const auto value = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
      if (failed(value)) return mlir::failure();
      one = value->convertToDouble();
      return mlir::success();
    };
    if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) ||
        failed(reader.readType(expressed)) || failed(reader.readVarInt(dimension)) ||
        failed(reader.readSignedVarInt(low)) || failed(reader.readSignedVarInt(high)) ||
        failed(readEach(reader, scales, scale)) || failed(readList(reader, zeroPoints)))
      return {};
    return mlir::quant::UniformQuantizedPerAxisType::getChecked(
        [&] { return reader.emitError(); }, static_cast<unsigned>(flags), storage, expressed, scales,
        zeroPoints, static_cast<int32_t>(dimension), low, high);
  }
};

}  // namespace

llvm::ArrayRef<VhloOp> vhloOps() { return kVhloOps; }
bool isVhloOp(llvm::StringRef name) { return findVhloOp(name) != nullptr; }

void addVhloProperties(mlir::detail::InterfaceMap& interfaces) { interfaces.insertModels<VhloProperties>(); }

void addVhloBytecode(mlir::Dialect& dialect) {
  dialect.addInterface(std::make_unique<VhloBytecode>(&dialect));
}

}  // namespace hilo::stablehlo
