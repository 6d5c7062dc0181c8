// Operations as JAX printed them before; upgrade.h makes what they are now of them.
//
//   mosaic_gpu.initialize_barrier %pointer 1 : memref<2x!mosaic_gpu.barrier>        to October 2025
//   mosaic_gpu.async_load source(%a : T) destination(%b : T) barrier(%c : T)
//       indices(%i) predicate(%p) {...}                                             to December 2025
//   mosaic_gpu.arrive_expect_tx barrier(%b : T) 4096                                to July 2026
#include "plugins/mosaic/dialect.h"

namespace hilo::mosaic {
namespace {

using mlir::OpAsmParser;
using mlir::OperationState;
using mlir::ParseResult;
using Operand = OpAsmParser::UnresolvedOperand;

// `name(%value : type)`.
ParseResult parseTyped(OpAsmParser& parser, OperationState& state, llvm::StringRef name) {
  Operand operand;
  mlir::Type type;
  return mlir::failure(parser.parseKeyword(name) || parser.parseLParen() || parser.parseOperand(operand) ||
                       parser.parseColonType(type) || parser.parseRParen() ||
                       parser.resolveOperand(operand, type, state.operands));
}

// `name(%value, ...)`, all of one type. How many they are.
mlir::FailureOr<int32_t> parseList(OpAsmParser& parser, OperationState& state, llvm::StringRef name,
                                   mlir::Type type) {
  llvm::SmallVector<Operand> operands;
  if (parser.parseKeyword(name) || parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.resolveOperands(operands, type, state.operands))
    return mlir::failure();
  return static_cast<int32_t>(operands.size());
}

// `typed` with their types, then indices and predicate. The segments end in `absent`
// operands that came later.
ParseResult parseCopy(OpAsmParser& parser, OperationState& state, llvm::ArrayRef<llvm::StringRef> typed,
                      int absent) {
  llvm::SmallVector<int32_t> segments(typed.size(), 1);
  for (const llvm::StringRef name : typed) {
    if (parseTyped(parser, state, name)) return mlir::failure();
  }
  const auto indices = parseList(parser, state, "indices", parser.getBuilder().getI32Type());
  if (failed(indices)) return mlir::failure();
  const auto predicates = parseList(parser, state, "predicate", parser.getBuilder().getI1Type());
  if (failed(predicates) || parser.parseOptionalAttrDict(state.attributes)) return mlir::failure();
  segments.append({*indices, *predicates});
  segments.append(static_cast<size_t>(absent), 0);
  state.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(segments));
  return mlir::success();
}

}  // namespace

ParseResult AsyncLoadOp::parse(OpAsmParser& parser, OperationState& state) {
  return parseCopy(parser, state, {"source", "destination", "barrier"}, 1);
}
ParseResult AsyncPrefetchOp::parse(OpAsmParser& parser, OperationState& state) {
  return parseCopy(parser, state, {"source"}, 0);
}
ParseResult AsyncStoreOp::parse(OpAsmParser& parser, OperationState& state) {
  return parseCopy(parser, state, {"source", "destination"}, 1);
}

ParseResult InitializeBarrierOp::parse(OpAsmParser& parser, OperationState& state) {
  Operand pointer;
  int64_t arrivals = 0;
  mlir::Type type;
  mlir::Builder& builder = parser.getBuilder();
  const auto shared = mlir::LLVM::LLVMPointerType::get(builder.getContext(), 3);
  if (parser.parseOperand(pointer) || parser.parseInteger(arrivals) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(pointer, shared, state.operands))
    return mlir::failure();
  state.addAttribute("arrival_count", builder.getI64IntegerAttr(arrivals));
  state.addTypes(type);
  return mlir::success();
}

ParseResult ArriveExpectTxOp::parse(OpAsmParser& parser, OperationState& state) {
  if (parseTyped(parser, state, "barrier")) return mlir::failure();
  Operand bytes;
  mlir::Builder& builder = parser.getBuilder();
  const auto given = parser.parseOptionalOperand(bytes);
  if (given.has_value()) {
    if (failed(*given) || parser.resolveOperand(bytes, builder.getI32Type(), state.operands))
      return mlir::failure();
  } else {
    int32_t number = 0;
    if (parser.parseInteger(number)) return mlir::failure();
    state.addAttribute("expect_tx", builder.getI32IntegerAttr(number));
  }
  return parser.parseOptionalAttrDict(state.attributes);
}
void ArriveExpectTxOp::print(mlir::OpAsmPrinter& printer) {
  printer << " barrier(" << getBarrier() << " : " << getBarrier().getType() << ") " << getExpectTx();
  printer.printOptionalAttrDict((*this)->getAttrs());
}

}  // namespace hilo::mosaic
