#include "plugins/stablehlo/assembly.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/TypeUtilities.h>

#include "plugins/stablehlo/attribute_syntax.h"
#include "plugins/stablehlo/shardy_assembly.h"
#include "plugins/stablehlo/vhlo_text.h"

namespace hilo::stablehlo {

using llvm::SmallVector;
using llvm::StringRef;
using mlir::Attribute;
using mlir::failure;
using mlir::OpAsmParser;
using mlir::ParseResult;
using mlir::success;
using mlir::Type;

namespace {

using Operands = SmallVector<OpAsmParser::UnresolvedOperand, 4>;

// The columns of OpRow::attributes.
class AttributeNames {
 public:
  explicit AttributeNames(const char* text) : text_(text) {}
  StringRef ofKey(StringRef key) const {
    SmallVector<StringRef> words;
    StringRef(text_).split(words, ' ');
    for (StringRef word : words) {
      const auto [from, to] = word.split('=');
      if (from == key && !to.empty()) return to;
    }
    return key;
  }
  // The `index`-th name marked with `mark`; "" when there are fewer.
  StringRef ofPosition(char mark, size_t index) const {
    SmallVector<StringRef> words;
    StringRef(text_).split(words, ' ');
    for (StringRef word : words) {
      if (word.starts_with(StringRef(&mark, 1)) && index-- == 0) return word.drop_front();
    }
    return {};
  }

 private:
  const char* text_;
};

// Operands and attributes between the operation's name and its attribute dictionary.
class ItemReader {
 public:
  ItemReader(const OpRow& row, OpAsmParser& parser, mlir::OperationState& state)
      : names_(row.attributes), parser_(parser), state_(state) {}

  ParseResult read(Operands& operands) {
    while (true) {
      const auto found = item(operands);
      if (!found.has_value()) return success();
      if (*found) return failure();
      if (succeeded(parser_.parseOptionalComma())) continue;
      if (!joined_) return success();
    }
  }

 private:
  // One item; nothing when none begins here. Sets joined_ where the next may follow without a comma.
  mlir::OptionalParseResult item(Operands& operands) {
    joined_ = false;
    OpAsmParser::UnresolvedOperand operand;
    if (const auto found = parser_.parseOptionalOperand(operand); found.has_value()) {
      if (*found) return ParseResult(failure());
      operands.push_back(operand);
      return succeeded(parser_.parseOptionalLSquare()) ? subscript() : ParseResult(success());
    }
    if (succeeded(parser_.parseOptionalLParen())) return group(operands);
    if (const StringRef name = names_.ofPosition('@', attributes_); !name.empty()) return bareAttribute(name);
    StringRef word;
    if (succeeded(parser_.parseOptionalKeyword(&word))) return keyword(word);
    return std::nullopt;
  }

  ParseResult group(Operands& operands) {
    if (succeeded(parser_.parseOptionalRParen()) ||
        (succeeded(read(operands)) && succeeded(parser_.parseRParen()))) {
      joined_ = true;
      return success();
    }
    return failure();
  }

  ParseResult keyword(StringRef word) {
    if (failed(parser_.parseOptionalEqual())) return bareWord(word);
    Attribute value;
    if (parseKeyedValue(parser_, word, value)) return failure();
    state_.addAttribute(names_.ofKey(word), value);
    return success();
  }

  ParseResult bareWord(StringRef word) {
    const StringRef name = names_.ofPosition('#', words_++);
    if (name.empty())
      return parser_.emitError(parser_.getCurrentLocation(), "expected '=' after '") << word << "'";
    state_.addAttribute(name, parser_.getBuilder().getStringAttr(word));
    return success();
  }

  mlir::OptionalParseResult bareAttribute(StringRef name) {
    Attribute value;
    const auto found = parser_.parseOptionalAttribute(value);
    if (!found.has_value() || *found) return found;
    ++attributes_;
    if (const auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(value)) value = symbol.getAttr();
    state_.addAttribute(name, value);
    joined_ = llvm::isa<mlir::StringAttr>(value);
    return ParseResult(success());
  }

  // `[2]` of a tuple, `[0:4:2, 1:3]` of a slice.
  ParseResult subscript() {
    SmallVector<int64_t> starts, limits, strides;
    const auto bounds = [&]() -> ParseResult {
      int64_t start = 0, limit = 0, stride = 1;
      if (parser_.parseInteger(start)) return failure();
      starts.push_back(start);
      if (failed(parser_.parseOptionalColon())) return success();
      if (parser_.parseInteger(limit)) return failure();
      if (succeeded(parser_.parseOptionalColon()) && parser_.parseInteger(stride)) return failure();
      limits.push_back(limit);
      strides.push_back(stride);
      return success();
    };
    if (failed(parser_.parseOptionalRSquare()) &&
        (parser_.parseCommaSeparatedList(bounds) || parser_.parseRSquare()))
      return failure();
    auto& builder = parser_.getBuilder();
    if (names_.ofPosition('[', 0) == "index") {
      if (starts.size() != 1) return parser_.emitError(parser_.getCurrentLocation(), "expected one index");
      state_.addAttribute("index", builder.getI64IntegerAttr(starts[0]));
      return success();
    }
    state_.addAttribute("start_indices", builder.getDenseI64ArrayAttr(starts));
    state_.addAttribute("limit_indices", builder.getDenseI64ArrayAttr(limits));
    state_.addAttribute("strides", builder.getDenseI64ArrayAttr(strides));
    return success();
  }

  AttributeNames names_;
  OpAsmParser& parser_;
  mlir::OperationState& state_;
  size_t words_ = 0;
  size_t attributes_ = 0;
  bool joined_ = false;
};

Type realTypeOf(Type type) {
  const auto shaped = llvm::dyn_cast<mlir::RankedTensorType>(type);
  const auto complex =
      shaped ? llvm::dyn_cast<mlir::ComplexType>(shaped.getElementType()) : mlir::ComplexType();
  if (!complex) return type;
  return mlir::RankedTensorType::get(shaped.getShape(), complex.getElementType(), shaped.getEncoding());
}

// What one type, or a list of them, after the colon says of operands and results.
ParseResult spreadTypes(const OpRow& row, OpAsmParser& parser, SmallVector<Type> given, size_t operandCount,
                        SmallVector<Type>& operands, SmallVector<Type>& results) {
  const auto all = [&](Type type) { operands.assign(operandCount, type); };
  switch (row.types) {
    case TypeTail::Same:
      if (given.size() != 1) return parser.emitError(parser.getCurrentLocation(), "expected one type");
      all(given[0]);
      results = given;
      return success();
    case TypeTail::Complex:
      all(realTypeOf(given[0]));
      results = {given[0]};
      return success();
    case TypeTail::Results:
      all(given[0]);
      results = std::move(given);
      return success();
    case TypeTail::Pairwise:
      operands = given;
      results = std::move(given);
      return success();
    case TypeTail::NoResult:
      if (given.size() == operandCount) {
        operands = std::move(given);
      } else {
        all(given[0]);
      }
      return success();
    case TypeTail::Predicated:
      all(given.back());
      if (operandCount > 0) operands[0] = given[0];
      results = {given.back()};
      return success();
    case TypeTail::RandomState:
      results = std::move(given);
      return success();
    case TypeTail::TupleElements:
      if (const auto tuple = llvm::dyn_cast<mlir::TupleType>(given[0]))
        llvm::append_range(operands, tuple.getTypes());
      results = {given[0]};
      return success();
  }
  return failure();
}

// `: type, ...`, `: (types) -> types`, `: types -> types`.
ParseResult parseTypes(const OpRow& row, OpAsmParser& parser, size_t operandCount,
                       SmallVector<Type>& operands, SmallVector<Type>& results) {
  SmallVector<Type> given;
  if (parser.parseTypeList(given)) return failure();
  if (const auto function = llvm::dyn_cast<mlir::FunctionType>(given[0])) {
    operands.assign(function.getInputs().begin(), function.getInputs().end());
    results.assign(function.getResults().begin(), function.getResults().end());
    return success();
  }
  if (succeeded(parser.parseOptionalArrow())) {
    operands = std::move(given);
    if (succeeded(parser.parseOptionalLParen()))
      return failure(parser.parseTypeList(results) || parser.parseRParen());
    return parser.parseTypeList(results);
  }
  return spreadTypes(row, parser, std::move(given), operandCount, operands, results);
}

// Operations written without types: mhlo.xla.rng_get_and_update_state, whose result is always two u64, and
// check.expect_eq_const %a, dense<...> : type.
ParseResult impliedTypes(const OpRow& row, mlir::OperationState& state, size_t operandCount,
                         SmallVector<Type>& operands, SmallVector<Type>& results) {
  if (row.types == TypeTail::RandomState) {
    auto* context = state.getContext();
    results = {
        mlir::RankedTensorType::get({2}, mlir::IntegerType::get(context, 64, mlir::IntegerType::Unsigned))};
    return success();
  }
  if (const auto value = llvm::dyn_cast_or_null<mlir::TypedAttr>(state.attributes.get("value")))
    operands.assign(operandCount, value.getType());
  return success();
}

// `window = {stride = ..., pad = ...}` as the attributes of the generic form.
void spreadWindow(mlir::OperationState& state) {
  const auto window = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(state.attributes.get("window"));
  if (!window) return;
  state.attributes.erase("window");
  static constexpr std::pair<StringRef, StringRef> kNames[] = {{"stride", "window_strides"},
                                                               {"pad", "padding"},
                                                               {"lhs_dilate", "lhs_dilation"},
                                                               {"rhs_dilate", "rhs_dilation"},
                                                               {"reverse", "window_reversal"}};
  for (const auto& [written, name] : kNames) {
    if (Attribute value = window.get(written)) state.addAttribute(name, value);
  }
}

ParseResult parseItems(const OpRow& row, OpAsmParser& parser, mlir::OperationState& state) {
  Operands operands;
  SmallVector<Type> operandTypes, resultTypes;
  const auto where = parser.getCurrentLocation();
  if (ItemReader(row, parser, state).read(operands)) return failure();
  if (succeeded(parser.parseOptionalLParen())) {  // composite regions
    do {
      if (parser.parseRegion(*state.addRegion())) return failure();
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRParen()) return failure();
  }
  if (parser.parseOptionalAttrDict(state.attributes)) return failure();
  const bool typed = succeeded(parser.parseOptionalColon());
  if (typed && parser.parseOptionalAttrDict(state.attributes)) return failure();
  if (typed ? parseTypes(row, parser, operands.size(), operandTypes, resultTypes)
            : impliedTypes(row, state, operands.size(), operandTypes, resultTypes))
    return failure();
  spreadWindow(state);
  state.addTypes(resultTypes);
  return parser.resolveOperands(operands, operandTypes, where, state.operands);
}

ParseResult parseConstant(OpAsmParser& parser, mlir::OperationState& state) {
  if (succeeded(parser.parseOptionalLParen())) {  // stablehlo.constant() {value = ...} : () -> type
    mlir::FunctionType type;
    if (parser.parseRParen()) return failure();
    if (succeeded(parser.parseOptionalLess()) &&
        (parser.parseAttribute(state.propertiesAttr) || parser.parseGreater()))
      return failure();
    if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type)) return failure();
    state.addTypes(type.getResults());
    return success();
  }
  Attribute value;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseAttribute(value)) return failure();
  const auto typed = llvm::dyn_cast<mlir::TypedAttr>(value);
  if (!typed)
    return parser.emitError(parser.getCurrentLocation(), "expected a constant with a type before this");
  state.addAttribute("value", value);
  state.addTypes(typed.getType());
  return success();
}

// ---- reduce

// The body `applies OP` stands for: one operation on the two arguments.
void addReduceBody(OpAsmParser& parser, mlir::OperationState& state, mlir::OperationName inner,
                   Type element) {
  const auto where = parser.getEncodedSourceLoc(parser.getNameLoc());
  mlir::Block& block = state.addRegion()->emplaceBlock();
  mlir::OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  const Type scalar = mlir::RankedTensorType::get({}, element);
  mlir::OperationState one(where, inner);
  one.addOperands({block.addArgument(scalar, where), block.addArgument(scalar, where)});
  one.addTypes(scalar);
  mlir::OperationState last(where, (inner.getDialectNamespace() + ".return").str());
  last.addOperands(builder.create(one)->getResults());
  builder.create(last);
}

// (%a : type, %b : type) groups: the elements first, then the accumulators.
ParseResult parseReducerArguments(OpAsmParser& parser, SmallVector<OpAsmParser::Argument>& arguments) {
  SmallVector<OpAsmParser::Argument> accumulators;
  while (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseArgument(arguments.emplace_back(), /*allowType=*/true) || parser.parseComma() ||
        parser.parseArgument(accumulators.emplace_back(), /*allowType=*/true) || parser.parseRParen())
      return failure();
  }
  arguments.append(accumulators);
  return success();
}

ParseResult parseReduce(OpAsmParser& parser, mlir::OperationState& state) {
  Operands inputs, inits;
  const auto where = parser.getCurrentLocation();
  const auto pair = [&] {
    return failure(parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) ||
                   parser.parseKeyword("init") || parser.parseColon() ||
                   parser.parseOperand(inits.emplace_back()) || parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(pair)) return failure();
  std::optional<mlir::OperationName> inner;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    const auto name = parser.parseCustomOperationName();
    if (failed(name)) return failure();
    inner = *name;
  }
  Attribute dimensions;
  mlir::FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseValue(parser, dimensions) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  state.addAttribute("dimensions", dimensions);
  state.addTypes(type.getResults());
  inputs.append(inits);
  if (parser.resolveOperands(inputs, type.getInputs(), where, state.operands)) return failure();
  if (inner) {
    if (inputs.empty()) return parser.emitError(where, "reduce of nothing");
    addReduceBody(parser, state, *inner, mlir::getElementTypeOrSelf(type.getInput(0)));
    return success();
  }
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseKeyword("reducer") || parseReducerArguments(parser, arguments) ||
                 parser.parseRegion(*state.addRegion(), arguments));
}

// ---- while, scan

ParseResult parseWhile(OpAsmParser& parser, mlir::OperationState& state) {
  Operands operands;
  SmallVector<OpAsmParser::Argument> arguments;
  const auto where = parser.getCurrentLocation();
  const auto pair = [&] {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, pair)) return failure();
  if (!operands.empty() && parser.parseColonTypeList(state.types)) return failure();
  if (parser.resolveOperands(operands, state.types, where, state.operands)) return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, state.types)) argument.type = type;
  return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseKeyword("cond") ||
                 parser.parseRegion(*state.addRegion(), arguments) || parser.parseKeyword("do") ||
                 parser.parseRegion(*state.addRegion(), arguments));
}

ParseResult parseScan(OpAsmParser& parser, mlir::OperationState& state) {
  Operands inputs, inits;
  int64_t dimension = 0;
  mlir::FunctionType type;
  const auto where = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("dimension") ||
      parser.parseEqual() || parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseRegion(*state.addRegion()) ||
      parser.parseColonType(type))
    return failure();
  state.addAttribute("dimension", parser.getBuilder().getI64IntegerAttr(dimension));
  state.addAttribute("operandSegmentSizes",
                     parser.getBuilder().getDenseI32ArrayAttr(
                         {static_cast<int32_t>(inputs.size()), static_cast<int32_t>(inits.size())}));
  state.addTypes(type.getResults());
  inputs.append(inits);
  return parser.resolveOperands(inputs, type.getInputs(), where, state.operands);
}

}  // namespace

ParseResult parseOp(const OpRow& row, OpAsmParser& parser, mlir::OperationState& state) {
  switch (row.form) {
    case Form::Items:
      return parseItems(row, parser, state);
    case Form::Constant:
      return parseConstant(parser, state);
    case Form::Reduce:
      return parseReduce(parser, state);
    case Form::While:
      return parseWhile(parser, state);
    case Form::Scan:
      return parseScan(parser, state);
    case Form::ShardyMesh:
      return parseShardyMesh(parser, state);
    case Form::ShardyValue:
      return parseShardyValue(parser, state);
    case Form::ShardyRegion:
      return parseShardyRegion(parser, state);
    case Form::VhloFunction:
      return parseVhloFunction(parser, state);
  }
  return failure();
}

}  // namespace hilo::stablehlo
