#include "plugins/stablehlo/vhlo_text.h"

#include <llvm/ADT/StringSwitch.h>
#include <mlir/Dialect/Quant/IR/QuantTypes.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

#include "plugins/stablehlo/attribute_syntax.h"

namespace hilo::stablehlo {
namespace {

using llvm::SmallVector;
using llvm::StringRef;
using mlir::Attribute;
using mlir::DialectAsmParser;
using mlir::failure;
using mlir::ParseResult;
using mlir::Type;

// Types without parameters, their version set aside.
Type plainType(StringRef name, mlir::Builder& builder) {
  auto* context = builder.getContext();
  unsigned width = 0;
  StringRef digits = name;
  if (digits.consume_front("ui") && !digits.getAsInteger(10, width) && width <= 64)
    return mlir::IntegerType::get(context, width, mlir::IntegerType::Unsigned);
  digits = name;
  if (digits.consume_front("i") && !digits.getAsInteger(10, width) && width <= 64)
    return builder.getIntegerType(width);
  return llvm::StringSwitch<Type>(name)
      .Case("bool", builder.getI1Type())
      .Case("bf16", builder.getBF16Type())
      .Case("f16", builder.getF16Type())
      .Case("f32", builder.getF32Type())
      .Case("f64", builder.getF64Type())
      .Case("f4E2M1FN", mlir::Float4E2M1FNType::get(context))
      .Case("f6E2M3FN", mlir::Float6E2M3FNType::get(context))
      .Case("f6E3M2FN", mlir::Float6E3M2FNType::get(context))
      .Case("f8E3M4", mlir::Float8E3M4Type::get(context))
      .Case("f8E4M3", mlir::Float8E4M3Type::get(context))
      .Case("f8E4M3FN", mlir::Float8E4M3FNType::get(context))
      .Case("f8E5M2", mlir::Float8E5M2Type::get(context))
      .Case("f8E4M3FNUZ", mlir::Float8E4M3FNUZType::get(context))
      .Case("f8E4M3B11FNUZ", mlir::Float8E4M3B11FNUZType::get(context))
      .Case("f8E5M2FNUZ", mlir::Float8E5M2FNUZType::get(context))
      .Case("f8E8M0FNU", mlir::Float8E8M0FNUType::get(context))
      .Case("tf31", mlir::FloatTF32Type::get(context))
      .Case("index", builder.getIndexType())
      .Case("none", builder.getNoneType())
      .Case("token", mlir::OpaqueType::get(builder.getStringAttr("stablehlo"), "token"))
      .Case("witness", mlir::OpaqueType::get(builder.getStringAttr("stablehlo"), "witness"))
      .Default({});
}

ParseResult parseTypes(DialectAsmParser& parser, SmallVector<Type>& types) {
  if (succeeded(parser.parseOptionalGreater())) return mlir::success();
  if (parser.parseTypeList(types)) return failure();
  return parser.parseGreater();
}

Type wrong(DialectAsmParser& parser, const char* what) {
  parser.emitError(parser.getCurrentLocation(), what);
  return {};
}

// `4x?x!vhlo.f32_v1>`, perhaps with `, #vhlo.type_extensions_v1<bounds = [...]>` before the end.
Type parseTensor(DialectAsmParser& parser) {
  SmallVector<int64_t> dims;
  Type element;
  Attribute encoding;
  if (parser.parseDimensionList(dims) || parser.parseType(element) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(encoding)) || parser.parseGreater())
    return {};
  if (!mlir::TensorType::isValidElementType(element)) return wrong(parser, "a tensor of no elements");
  if (const auto fields = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(encoding))
    encoding = fields.get("bounds");
  return mlir::RankedTensorType::get(dims, element, encoding);
}

// `(A, B) -> C>`
Type parseFunction(DialectAsmParser& parser) {
  SmallVector<Type> inputs, results;
  const auto types = [&](SmallVector<Type>& list) -> ParseResult {
    if (failed(parser.parseOptionalLParen())) return parser.parseType(list.emplace_back());
    if (succeeded(parser.parseOptionalRParen())) return mlir::success();
    return failure(parser.parseTypeList(list) || parser.parseRParen());
  };
  if (types(inputs) || parser.parseArrow() || types(results) || parser.parseGreater()) return {};
  return parser.getBuilder().getFunctionType(inputs, results);
}

// The parts of a quantized type: storage:expressed, [dimension, [scales], [zero points] | scale:zero
// point], low:high, flags.
struct Quantized {
  Type storage, expressed;
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  int64_t low = 0, high = 0, dimension = 0, flags = 0;
};

ParseResult parseScales(DialectAsmParser& parser, Quantized& q, bool perAxis) {
  const auto scale = [&] { return parser.parseFloat(q.scales.emplace_back()); };
  const auto zeroPoint = [&] { return parser.parseInteger(q.zeroPoints.emplace_back()); };
  if (!perAxis) return failure(scale() || parser.parseColon() || zeroPoint());
  const auto square = mlir::AsmParser::Delimiter::Square;
  return failure(parser.parseInteger(q.dimension) || parser.parseComma() ||
                 parser.parseCommaSeparatedList(square, scale) || parser.parseComma() ||
                 parser.parseCommaSeparatedList(square, zeroPoint));
}

Type parseQuantized(DialectAsmParser& parser, bool perAxis) {
  Quantized q;
  if (parser.parseType(q.storage) || parser.parseColon() || parser.parseType(q.expressed) ||
      parser.parseComma() || parseScales(parser, q, perAxis) || parser.parseComma() ||
      parser.parseInteger(q.low) || parser.parseColon() || parser.parseInteger(q.high) ||
      parser.parseComma() || parser.parseInteger(q.flags) || parser.parseGreater())
    return {};
  const auto error = [&] { return parser.emitError(parser.getCurrentLocation()); };
  const auto flags = static_cast<unsigned>(q.flags);
  if (!perAxis)
    return mlir::quant::UniformQuantizedType::getChecked(error, flags, q.storage, q.expressed, q.scales[0],
                                                         q.zeroPoints[0], q.low, q.high);
  return mlir::quant::UniformQuantizedPerAxisType::getChecked(error, flags, q.storage, q.expressed, q.scales,
                                                              q.zeroPoints, static_cast<int32_t>(q.dimension),
                                                              q.low, q.high);
}

Type parseComplex(DialectAsmParser& parser) {
  Type element;
  if (parser.parseType(element) || parser.parseGreater()) return {};
  if (!llvm::isa<mlir::FloatType>(element)) return wrong(parser, "complex numbers of no floats");
  return mlir::ComplexType::get(element);
}

Type parseUnranked(DialectAsmParser& parser) {
  Type element;
  if (parser.parseType(element) || parser.parseGreater()) return {};
  if (!mlir::TensorType::isValidElementType(element)) return wrong(parser, "a tensor of no elements");
  return mlir::UnrankedTensorType::get(element);
}

// ---- attributes

// `[a, b]>`
Attribute parseArray(DialectAsmParser& parser) {
  SmallVector<Attribute> elements;
  const auto one = [&] { return parser.parseAttribute(elements.emplace_back()); };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, one) || parser.parseGreater())
    return {};
  return parser.getBuilder().getArrayAttr(elements);
}

// `{#vhlo.string_v1<"name"> = value, ...}>`
Attribute parseDictionary(DialectAsmParser& parser) {
  mlir::NamedAttrList fields;
  const auto one = [&]() -> ParseResult {
    Attribute key, value;
    if (parser.parseAttribute(key) || parser.parseEqual() || parser.parseAttribute(value)) return failure();
    const auto name = llvm::dyn_cast<mlir::StringAttr>(key);
    if (!name) return parser.emitError(parser.getCurrentLocation(), "a key that is no string");
    fields.set(name, value);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Braces, one) || parser.parseGreater())
    return {};
  return fields.getDictionary(parser.getContext());
}

// `1.0 : !vhlo.f32_v1>`
Attribute parseFloat(DialectAsmParser& parser) {
  double value = 0;
  Type type;
  if (parser.parseFloat(value) || parser.parseColon() || parser.parseType(type) || parser.parseGreater())
    return {};
  if (!llvm::isa<mlir::FloatType>(type)) return wrong(parser, "a float of no float type"), Attribute();
  return mlir::FloatAttr::get(type, value);
}

// A builtin attribute alone: a string, a number, dense elements.
Attribute parseBuiltin(DialectAsmParser& parser) {
  Attribute value;
  return parser.parseAttribute(value) || parser.parseGreater() ? Attribute() : value;
}

Attribute parseTypeAttribute(DialectAsmParser& parser) {
  Type type;
  return parser.parseType(type) || parser.parseGreater() ? Attribute() : mlir::TypeAttr::get(type);
}

Attribute parseStructure(DialectAsmParser& parser, StringRef name) {
  mlir::NamedAttrList fields;
  if (parseFields(parser, '>', fields)) return {};
  // The names StableHLO has for the same.
  if (name == "output_operand_alias") {
    for (const auto& [written, meant] :
         {std::pair<StringRef, StringRef>{"outputTupleIndices", "output_tuple_indices"},
          {"operandIndex", "operand_index"},
          {"operandTupleIndices", "operand_tuple_indices"}}) {
      if (Attribute value = fields.erase(written)) fields.set(meant, value);
    }
  }
  if (name == "sub_axis_info") {
    const auto size = [&](StringRef key) {
      return llvm::dyn_cast_or_null<mlir::IntegerAttr>(fields.get(key));
    };
    if (!size("pre_size") || !size("size"))
      return wrong(parser, "a part of an axis needs two sizes"), Attribute();
    return parser.getBuilder().getDenseI64ArrayAttr({size("pre_size").getInt(), size("size").getInt()});
  }
  return fields.getDictionary(parser.getContext());
}

}  // namespace

Type parseVhloType(DialectAsmParser& parser) {
  StringRef name;
  if (parser.parseKeyword(&name)) return {};
  name = name.take_front(name.rfind("_v"));
  if (Type type = plainType(name, parser.getBuilder())) return type;
  if (parser.parseLess()) return {};
  if (name == "tensor") return parseTensor(parser);
  if (name == "complex") return parseComplex(parser);
  if (name == "func") return parseFunction(parser);
  if (name == "unranked_tensor") return parseUnranked(parser);
  if (name == "quant" || name == "quant_per_axis") return parseQuantized(parser, name == "quant_per_axis");
  SmallVector<Type> types;
  if (name == "tuple") return parseTypes(parser, types) ? Type() : parser.getBuilder().getTupleType(types);
  if (name == "future")
    return parseTypes(parser, types)
               ? Type()
               : mlir::OpaqueType::get(parser.getBuilder().getStringAttr("stablehlo"), "future");
  return wrong(parser, "a VHLO type that is not known");
}

Attribute parseVhloAttribute(DialectAsmParser& parser) {
  StringRef name;
  if (succeeded(parser.parseOptionalLess())) {  // #vhlo<precision_v1 DEFAULT>
    StringRef word;
    if (parser.parseKeyword(&name) || parser.parseKeyword(&word) || parser.parseGreater()) return {};
    return parser.getBuilder().getStringAttr(word);
  }
  if (parser.parseKeyword(&name)) return {};
  name = name.take_front(name.rfind("_v"));
  StringRef word;
  // #vhlo<precision_v1 DEFAULT>, where MLIR has read the bracket already.
  if (succeeded(parser.parseOptionalKeyword(&word))) return parser.getBuilder().getStringAttr(word);
  if (parser.parseLess()) return {};
  if (name == "array") return parseArray(parser);
  if (name == "dict") return parseDictionary(parser);
  if (name == "float") return parseFloat(parser);
  if (name == "type") return parseTypeAttribute(parser);
  if (name == "string" || name == "integer" || name == "bool" || name == "tensor")
    return parseBuiltin(parser);
  return parseStructure(parser, name);
}

ParseResult parseVhloFunction(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  mlir::StringAttr name;
  SmallVector<mlir::OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  (void)parser.parseOptionalKeyword("private");
  if (parser.parseSymbolName(name, "sym_name", state.attributes) ||
      parser.parseArgumentList(arguments, mlir::OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  if (succeeded(parser.parseOptionalArrow())) {
    if (failed(parser.parseOptionalLParen())) {
      if (parser.parseType(results.emplace_back())) return failure();
    } else if (failed(parser.parseOptionalRParen()) &&
               (parser.parseTypeList(results) || parser.parseRParen())) {
      return failure();
    }
  }
  return failure(parser.parseRegion(*state.addRegion(), arguments) ||
                 parser.parseOptionalAttrDict(state.attributes));
}

}  // namespace hilo::stablehlo
