#include "plugins/stablehlo/attribute_syntax.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

namespace hilo::stablehlo {

using llvm::StringRef;
using mlir::Attribute;
using mlir::failure;
using mlir::ParseResult;
using mlir::success;

namespace {

// All integers: one dense array; else a list.
Attribute listOf(mlir::AsmParser& parser, llvm::ArrayRef<Attribute> elements) {
  auto& builder = parser.getBuilder();
  llvm::SmallVector<int64_t> numbers;
  for (Attribute element : elements) {
    const auto number = llvm::dyn_cast<mlir::IntegerAttr>(element);
    if (!number || number.getType().isInteger(1)) return builder.getArrayAttr(elements);
    numbers.push_back(number.getInt());
  }
  return builder.getDenseI64ArrayAttr(numbers);
}

ParseResult parseNumber(mlir::AsmParser& parser, const llvm::APInt& integer, Attribute& value) {
  // Two's complement or unsigned: who reads it knows which.
  if (integer.getSignificantBits() > 64 && integer.getActiveBits() > 64)
    return parser.emitError(parser.getCurrentLocation(), "integer too large");
  value = parser.getBuilder().getI64IntegerAttr(static_cast<int64_t>(integer.sextOrTrunc(64).getZExtValue()));
  return success();
}

// `(1)2`: a part of a mesh axis.
ParseResult parseSubAxis(mlir::AsmParser& parser, Attribute& value) {
  int64_t before = 0, size = 0;
  if (parser.parseInteger(before) || parser.parseRParen() || parser.parseInteger(size)) return failure();
  value = parser.getBuilder().getDenseI64ArrayAttr({before, size});
  return success();
}

// A word, or an attribute of MLIR's own syntax; types count as words.
ParseResult parseWordOrAttribute(mlir::AsmParser& parser, Attribute& value) {
  auto& builder = parser.getBuilder();
  std::string text;  // As an attribute it would take the ": type" that may follow.
  if (succeeded(parser.parseOptionalString(&text))) {
    value = builder.getStringAttr(text);
    return success();
  }
  if (const auto parsed = parser.parseOptionalAttribute(value); parsed.has_value()) {
    if (*parsed) return failure();
    if (const auto type = llvm::dyn_cast<mlir::TypeAttr>(value)) {
      llvm::raw_string_ostream(text) << type.getValue();
      value = builder.getStringAttr(text);
    }
    return success();
  }
  StringRef word;
  if (parser.parseOptionalKeyword(&word))
    return parser.emitError(parser.getCurrentLocation(), "expected a value");
  value = builder.getStringAttr(word);
  return success();
}

// A value in a list, where `"x":(1)2` is a part of the mesh axis "x".
ParseResult parseElement(mlir::AsmParser& parser, Attribute& value) {
  if (parseValue(parser, value)) return failure();
  if (!llvm::isa<mlir::StringAttr>(value) || failed(parser.parseOptionalColon())) return success();
  Attribute part;
  if (parser.parseLParen() || parseSubAxis(parser, part)) return failure();
  mlir::NamedAttrList fields;
  fields.append("name", value);
  fields.append("sub_axis_info", part);
  value = fields.getDictionary(parser.getContext());
  return success();
}

ParseResult parseOne(mlir::AsmParser& parser, Attribute& value) {
  if (succeeded(parser.parseOptionalLSquare())) {
    llvm::SmallVector<Attribute> elements;
    const auto element = [&] { return parseElement(parser, elements.emplace_back()); };
    if (failed(parser.parseOptionalRSquare()) &&
        (parser.parseCommaSeparatedList(element) || parser.parseRSquare()))
      return failure();
    value = listOf(parser, elements);
    return success();
  }
  mlir::NamedAttrList fields;
  if (succeeded(parser.parseOptionalLBrace())) {
    if (parseFields(parser, '}', fields)) return failure();
    value = fields.getDictionary(parser.getContext());
    return success();
  }
  if (succeeded(parser.parseOptionalLess())) {
    if (parseFields(parser, '>', fields)) return failure();
    value = fields.getDictionary(parser.getContext());
    return success();
  }
  if (succeeded(parser.parseOptionalLParen())) return parseSubAxis(parser, value);
  if (succeeded(parser.parseOptionalQuestion())) {
    value = parser.getBuilder().getI64IntegerAttr(mlir::ShapedType::kDynamic);
    return success();
  }
  llvm::APInt integer;
  if (const auto number = parser.parseOptionalInteger(integer); number.has_value())
    return *number ? failure() : parseNumber(parser, integer, value);
  return parseWordOrAttribute(parser, value);
}

ParseResult parseOptionalClose(mlir::AsmParser& parser, char close) {
  return close == '>' ? parser.parseOptionalGreater() : parser.parseOptionalRBrace();
}

bool isFloat(StringRef key) { return key == "tolerance" || key == "atol" || key == "rtol"; }

// What stands between < and > of an attribute, the first word of it already read.
Attribute parseBodyAfterWord(mlir::DialectAsmParser& parser, StringRef word) {
  mlir::NamedAttrList fields;
  if (succeeded(parser.parseOptionalEqual())) {
    Attribute first;
    if (parseKeyedValue(parser, word, first)) return {};
    fields.append(word, first);
    if (succeeded(parser.parseOptionalComma()) ? parseFields(parser, '>', fields) : parser.parseGreater())
      return {};
    return fields.getDictionary(parser.getContext());
  }
  if (word == "raw") {
    if (parseFields(parser, '>', fields)) return {};
    return fields.getDictionary(parser.getContext());
  }
  if (parser.parseGreater()) return {};
  return parser.getBuilder().getStringAttr(word);
}

Attribute parseBody(mlir::DialectAsmParser& parser) {
  if (succeeded(parser.parseOptionalGreater())) return parser.getBuilder().getDenseI64ArrayAttr({});
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) return parseBodyAfterWord(parser, word);
  llvm::SmallVector<Attribute> values;
  const auto one = [&] { return parseValue(parser, values.emplace_back()); };
  if (parser.parseCommaSeparatedList(one) || parser.parseGreater()) return {};
  const bool isNumber = llvm::isa<mlir::IntegerAttr>(values[0]);
  return values.size() == 1 && !isNumber ? values[0] : listOf(parser, values);
}

}  // namespace

ParseResult parseValue(mlir::AsmParser& parser, Attribute& value) {
  if (parseOne(parser, value)) return failure();
  llvm::SmallVector<Attribute> parts{value};
  while (llvm::isa<mlir::DenseI64ArrayAttr, mlir::ArrayAttr>(parts.back()) &&
         (succeeded(parser.parseOptionalKeyword("x")) || succeeded(parser.parseOptionalArrow()))) {
    if (parseOne(parser, parts.emplace_back())) return failure();
  }
  if (parts.size() > 1) value = parser.getBuilder().getArrayAttr(parts);
  return success();
}

ParseResult parseKeyedValue(mlir::AsmParser& parser, StringRef key, Attribute& value) {
  if (!isFloat(key)) return parseValue(parser, value);
  double number = 0;
  if (parser.parseFloat(number)) return failure();
  value = parser.getBuilder().getF64FloatAttr(number);
  return success();
}

ParseResult parseFields(mlir::AsmParser& parser, char close, mlir::NamedAttrList& fields) {
  while (failed(parseOptionalClose(parser, close))) {
    StringRef key;
    Attribute value;
    if (parser.parseKeyword(&key) || parser.parseEqual() || parseKeyedValue(parser, key, value))
      return failure();
    fields.append(key, value);
    if (succeeded(parser.parseOptionalComma())) continue;
    return close == '>' ? parser.parseGreater() : parser.parseRBrace();
  }
  return success();
}

Attribute parseDialectAttribute(mlir::DialectAsmParser& parser) {
  StringRef name, word;
  if (parser.parseKeyword(&name)) return {};
  // Kept as text: nothing here looks into it.
  if (name == "original_value") return parser.getBuilder().getStringAttr(parser.getFullSymbolSpec());
  if (succeeded(parser.parseOptionalLess())) return parseBody(parser);
  if (succeeded(parser.parseOptionalKeyword(&word))) return parser.getBuilder().getStringAttr(word);
  return parser.getBuilder().getStringAttr(name);
}

mlir::Type parseDialectType(mlir::DialectAsmParser& parser, StringRef dialect) {
  return mlir::OpaqueType::get(parser.getBuilder().getStringAttr(dialect), parser.getFullSymbolSpec());
}

}  // namespace hilo::stablehlo
