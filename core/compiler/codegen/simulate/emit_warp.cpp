// What lanes of a warp do together: operands into a record, one call, results out of it.
#include "core/compiler/codegen/simulate/translations.h"
#include "core/compiler/codegen/simulate/warp_record.h"

namespace hilo {
namespace {

using Value = FunctionEmitter::Value;

constexpr PtxType kPredicate{PtxTypeKind::Predicate, 1, 1};
constexpr PtxType kWord{PtxTypeKind::Bits, 32, 1};

constexpr Word<ShuffleMode> kShuffles[] = {{"up", ShuffleMode::Up},
                                           {"down", ShuffleMode::Down},
                                           {"bfly", ShuffleMode::Butterfly},
                                           {"idx", ShuffleMode::Index}};
constexpr Word<VoteMode> kVotes[] = {
    {"all", VoteMode::All}, {"any", VoteMode::Any}, {"uni", VoteMode::Uniform}, {"ballot", VoteMode::Ballot}};

const PtxOperand& firstOf(const PtxOperand& operand) {
  return operand.kind == PtxOperand::Kind::Pair ? operand.parts[0] : operand;
}
void writeSecond(FunctionEmitter& f, const PtxOperand& operand, Value value) {
  if (operand.kind == PtxOperand::Kind::Pair) f.write(operand.parts[1], value, kPredicate);
}

}  // namespace

Status emitShfl(FunctionEmitter& f) {
  const ShuffleMode* mode = findWord(f.at(), kShuffles);
  const bool hasMask = f.at().has("sync");
  if (mode == nullptr || f.operands() != (hasMask ? 5u : 4u)) return f.unsupported();
  Value b = f.readBits(2, 32), c = f.readBits(3, 32);
  const auto *constantB = llvm::dyn_cast<llvm::ConstantInt>(b),
             *constantC = llvm::dyn_cast<llvm::ConstantInt>(c);
  const bool isConstant = constantB != nullptr && constantC != nullptr;
  Record record(f, 3);
  record.put(0, f.readBits(1, 32));
  if (!isConstant) {
    record.put(1, b);
    record.put(2, c);
  }
  const uint32_t detail = isConstant ? shuffleDetail(*mode, static_cast<uint32_t>(constantB->getZExtValue()),
                                                     static_cast<uint32_t>(constantC->getZExtValue()))
                                     : static_cast<uint32_t>(*mode);
  record.meet(WarpOp::Shuffle, detail, hasMask ? f.readBits(4, 32) : allLanes(f));
  f.write(firstOf(f.operand(0)), record.get(0), kWord);
  writeSecond(f, f.operand(0), record.get(1, 1));
  return {};
}

Status emitVote(FunctionEmitter& f) {
  const VoteMode* mode = findWord(f.at(), kVotes);
  const bool hasMask = f.at().has("sync");
  if (mode == nullptr || f.operands() != (hasMask ? 3u : 2u)) return f.unsupported();
  Record record(f, 1);
  record.put(0, f.predicate(f.operand(1)));
  record.meet(WarpOp::Vote, static_cast<uint32_t>(*mode), hasMask ? f.readBits(2, 32) : allLanes(f));
  if (*mode == VoteMode::Ballot)
    f.write(record.get(0), kWord);
  else
    f.write(record.get(0, 1), kPredicate);
  return {};
}

Status emitMatch(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  Record record(f, 2);
  record.put(0, f.read(1, type));
  const auto mode = f.at().has("all") ? MatchMode::All : MatchMode::Any;
  record.meet(WarpOp::Match, static_cast<uint32_t>(mode), f.readBits(2, 32));
  f.write(firstOf(f.operand(0)), record.get(0), kWord);
  writeSecond(f, f.operand(0), record.get(1, 1));
  return {};
}

Status emitRedux(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  static constexpr Word<ReduceMode> kSigned[] = {
      {"add", ReduceMode::Add}, {"min", ReduceMode::MinSigned}, {"max", ReduceMode::MaxSigned},
      {"and", ReduceMode::And}, {"or", ReduceMode::Or},         {"xor", ReduceMode::Xor}};
  const ReduceMode* found = findWord(f.at(), kSigned);
  if (found == nullptr) return f.unsupported();
  ReduceMode mode = *found;
  const bool isMin = mode == ReduceMode::MinSigned, isMax = mode == ReduceMode::MaxSigned;
  if (type.isFloat() && (isMin || isMax))
    mode = isMin ? ReduceMode::MinFloat : ReduceMode::MaxFloat;
  else if (!type.isSigned() && (isMin || isMax))
    mode = isMin ? ReduceMode::MinUnsigned : ReduceMode::MaxUnsigned;
  const uint32_t detail = static_cast<uint32_t>(mode) | (f.at().has("abs") ? kReduceAbs : 0) |
                          (f.at().has("NaN") ? kReduceNan : 0);
  Record record(f, 1);
  record.put(0, f.readBits(1, 32));
  record.meet(WarpOp::Reduce, detail, f.readBits(2, 32));
  f.write(record.get(0), kWord);
  return {};
}

Status emitActivemask(FunctionEmitter& f) {
  f.wait({.kind = SimPointKind::ActiveMask, .values = 1});
  f.write(f.b().CreateTrunc(f.b().CreateLoad(f.b().getInt64Ty(), f.recordPlace(0)), f.b().getInt32Ty()),
          kWord);
  return {};
}

Status emitElect(FunctionEmitter& f) {
  Record record(f, 2);
  record.put(0, f.b().getInt32(0));
  record.meet(WarpOp::Elect, 0, f.readBits(1, 32));
  f.write(firstOf(f.operand(0)), record.get(0), kWord);
  writeSecond(f, f.operand(0), record.get(1, 1));
  return {};
}

Status emitBarWarp(FunctionEmitter& f) {
  Record record(f, 0);
  record.meet(WarpOp::Sync, 0, f.readBits(0, 32));
  return {};
}

}  // namespace hilo
