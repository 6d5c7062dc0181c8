#include "plugins/stablehlo/shardy_assembly.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>

namespace hilo::stablehlo {

using llvm::SmallVector;
using llvm::StringRef;
using mlir::failure;
using mlir::OpAsmParser;
using mlir::ParseResult;
using mlir::success;

namespace {

bool consumeOpen(OpAsmParser& parser) {
  return succeeded(parser.parseOptionalLess()) || succeeded(parser.parseOptionalLSquare()) ||
         succeeded(parser.parseOptionalLBrace()) || succeeded(parser.parseOptionalLParen());
}

bool consumeClose(OpAsmParser& parser) {
  return succeeded(parser.parseOptionalGreater()) || succeeded(parser.parseOptionalRSquare()) ||
         succeeded(parser.parseOptionalRBrace()) || succeeded(parser.parseOptionalRParen());
}

bool consumeLeaf(OpAsmParser& parser) {
  std::string string;
  StringRef word;
  mlir::StringAttr symbol;
  llvm::APInt integer;
  return succeeded(parser.parseOptionalString(&string)) || succeeded(parser.parseOptionalKeyword(&word)) ||
         succeeded(parser.parseOptionalSymbolName(symbol)) || succeeded(parser.parseOptionalComma()) ||
         succeeded(parser.parseOptionalEqual()) || succeeded(parser.parseOptionalColon()) ||
         succeeded(parser.parseOptionalQuestion()) || succeeded(parser.parseOptionalArrow()) ||
         succeeded(parser.parseOptionalStar()) || parser.parseOptionalInteger(integer).has_value();
}

// The text from an opening bracket to its partner; nothing when none begins here.
mlir::OptionalParseResult parseBalanced(OpAsmParser& parser, StringRef& text) {
  const char* begin = parser.getCurrentLocation().getPointer();
  if (!consumeOpen(parser)) return std::nullopt;
  for (int depth = 1; depth > 0;) {
    const char* at = parser.getCurrentLocation().getPointer();
    if (consumeOpen(parser)) {
      ++depth;
    } else if (consumeClose(parser)) {
      --depth;
      text = StringRef(begin, at + 1 - begin);
    } else if (!consumeLeaf(parser)) {
      return ParseResult(parser.emitError(parser.getCurrentLocation(), "unexpected token in a sharding"));
    }
  }
  return ParseResult(success());
}

// `key=value`, the value bracketed text, a number or a word.
ParseResult parseKeyed(OpAsmParser& parser, mlir::OperationState& state, StringRef key) {
  if (parser.parseEqual()) return failure();
  StringRef text;
  const char* begin = parser.getCurrentLocation().getPointer();
  if (const auto found = parseBalanced(parser, text); found.has_value()) {
    if (*found) return failure();
  } else {
    if (!consumeLeaf(parser)) return parser.emitError(parser.getCurrentLocation(), "expected a value");
    text = StringRef(begin, parser.getCurrentLocation().getPointer() - begin).rtrim();
  }
  state.addAttribute(key, parser.getBuilder().getStringAttr(text));
  return success();
}

// The items before the types: operands, bracketed text, `key=value`.
ParseResult parseItems(OpAsmParser& parser, mlir::OperationState& state,
                       SmallVector<OpAsmParser::UnresolvedOperand>& operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    StringRef text;
    if (const auto found = parser.parseOptionalOperand(operand); found.has_value()) {
      if (*found) return failure();
      operands.push_back(operand);
    } else if (succeeded(parser.parseOptionalKeyword(&text, {"max", "min", "sum"}))) {
      state.addAttribute("reduction", parser.getBuilder().getStringAttr(text));
    } else if (succeeded(parser.parseOptionalKeyword(&text))) {
      if (parseKeyed(parser, state, text)) return failure();
    } else if (const auto bracketed = parseBalanced(parser, text); bracketed.has_value()) {
      if (*bracketed) return failure();
      state.addAttribute(text.starts_with("<") ? "sharding" : "axes",
                         parser.getBuilder().getStringAttr(text));
    } else {
      return success();
    }
    (void)parser.parseOptionalComma();
  }
}

}  // namespace

ParseResult parseShardyMesh(OpAsmParser& parser, mlir::OperationState& state) {
  mlir::StringAttr name;
  StringRef text;
  if (parser.parseSymbolName(name, "sym_name", state.attributes) || parser.parseEqual()) return failure();
  const auto found = parseBalanced(parser, text);
  if (!found.has_value()) return parser.emitError(parser.getCurrentLocation(), "expected a mesh");
  if (*found) return failure();
  state.addAttribute("mesh", parser.getBuilder().getStringAttr(text));
  return parser.parseOptionalAttrDict(state.attributes);
}

ParseResult parseShardyValue(OpAsmParser& parser, mlir::OperationState& state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  const auto where = parser.getCurrentLocation();
  mlir::Type type;
  if (parseItems(parser, state, operands) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (const auto function = llvm::dyn_cast<mlir::FunctionType>(type)) {
    state.addTypes(function.getResults());
    return parser.resolveOperands(operands, function.getInputs(), where, state.operands);
  }
  if (!state.name.getStringRef().ends_with("sharding_group")) state.addTypes(type);
  return parser.resolveOperands(operands, type, state.operands);
}

ParseResult parseShardyRegion(OpAsmParser& parser, mlir::OperationState& state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  const auto where = parser.getCurrentLocation();
  std::string name;
  if (succeeded(parser.parseOptionalLess())) {  // sdy.named_computation<"name">
    if (parser.parseString(&name) || parser.parseGreater()) return failure();
    state.addAttribute("name", parser.getBuilder().getStringAttr(name));
  }
  StringRef key;
  mlir::FunctionType type;
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren)) return failure();
  while (succeeded(parser.parseOptionalKeyword(&key))) {
    if (parseKeyed(parser, state, key)) return failure();
  }
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*state.addRegion(), arguments) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  state.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), where, state.operands);
}

}  // namespace hilo::stablehlo
