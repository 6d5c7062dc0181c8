// What lanes of a warp do together: operands into a record, one call, results out of it.
#include <bit>
#include <charconv>

#include "core/compiler/codegen/simulate/translations.h"
#include "core/runtime/device/simulated/sim_abi.h"
#include "core/runtime/device/simulated/warp.h"

namespace hilo {
namespace {

using Value = FunctionEmitter::Value;

constexpr PtxType kPredicate{PtxTypeKind::Predicate, 1, 1};
constexpr PtxType kWord{PtxTypeKind::Bits, 32, 1};

// What a lane lays down, and then takes back: 64 bits a value.
class Record {
 public:
  Record(FunctionEmitter& f, uint32_t size) : f_(f), size_(size) {}
  void put(uint32_t i, Value value) {
    f_.b().CreateStore(f_.b().CreateZExt(f_.bitsOf(value), f_.b().getInt64Ty()), f_.recordPlace(i));
  }
  Value get(uint32_t i, unsigned bits = 32) {
    return f_.b().CreateTrunc(f_.b().CreateLoad(f_.b().getInt64Ty(), f_.recordPlace(i)),
                              f_.b().getIntNTy(bits));
  }
  // The mask comes after the values.
  void meet(WarpOp operation, uint32_t detail, Value mask) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(mask);
    const bool isFull = constant != nullptr && constant->isMinusOne();
    if (!isFull) put(size_, mask);
    f_.wait({.kind = SimPointKind::Warp,
             .operation = static_cast<uint32_t>(operation),
             .detail = detail,
             .values = size_,
             .isFull = isFull});
  }

 private:
  FunctionEmitter& f_;
  uint32_t size_;
};

template <typename T>
struct Word {
  std::string_view word;
  T value;
};
template <typename T, size_t kSize>
const T* find(const PtxInstruction& at, const Word<T> (&words)[kSize]) {
  for (const Word<T>& known : words) {
    if (at.has(known.word)) return &known.value;
  }
  return nullptr;
}

constexpr Word<ShuffleMode> kShuffles[] = {{"up", ShuffleMode::Up},
                                           {"down", ShuffleMode::Down},
                                           {"bfly", ShuffleMode::Butterfly},
                                           {"idx", ShuffleMode::Index}};
constexpr Word<VoteMode> kVotes[] = {
    {"all", VoteMode::All}, {"any", VoteMode::Any}, {"uni", VoteMode::Uniform}, {"ballot", VoteMode::Ballot}};

Value all(FunctionEmitter& f) { return f.b().getInt32(~0u); }

const PtxOperand& firstOf(const PtxOperand& operand) {
  return operand.kind == PtxOperand::Kind::Pair ? operand.parts[0] : operand;
}
void writeSecond(FunctionEmitter& f, const PtxOperand& operand, Value value) {
  if (operand.kind == PtxOperand::Kind::Pair) f.write(operand.parts[1], value, kPredicate);
}

}  // namespace

Status emitShfl(FunctionEmitter& f) {
  const ShuffleMode* mode = find(f.at(), kShuffles);
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
  record.meet(WarpOp::Shuffle, detail, hasMask ? f.readBits(4, 32) : all(f));
  f.write(firstOf(f.operand(0)), record.get(0), kWord);
  writeSecond(f, f.operand(0), record.get(1, 1));
  return {};
}

Status emitVote(FunctionEmitter& f) {
  const VoteMode* mode = find(f.at(), kVotes);
  const bool hasMask = f.at().has("sync");
  if (mode == nullptr || f.operands() != (hasMask ? 3u : 2u)) return f.unsupported();
  Record record(f, 1);
  record.put(0, f.predicate(f.operand(1)));
  record.meet(WarpOp::Vote, static_cast<uint32_t>(*mode), hasMask ? f.readBits(2, 32) : all(f));
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
  const ReduceMode* found = find(f.at(), kSigned);
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

namespace {

Result<uint32_t> matrixDetailOf(FunctionEmitter& f) {
  if (!f.at().has("m8n8") || !f.at().has("b16")) return f.unsupported("its shape");
  const uint32_t count = f.at().has("x4") ? 4 : f.at().has("x2") ? 2 : 1;
  return count | (f.at().has("trans") ? kMatrixTransposed : 0);
}

Value rowAddress(FunctionEmitter& f, size_t operand) {
  const bool isShared = f.at().has("shared") || f.at().has("shared::cta");
  return f.b().CreatePtrToInt(f.pointer(f.operand(operand), isShared ? PtxSpace::Shared : PtxSpace::Generic),
                              f.b().getInt64Ty());
}

}  // namespace

Status emitLdmatrix(FunctionEmitter& f) {
  TRY(const uint32_t detail, matrixDetailOf(f));
  Record record(f, 4);
  record.put(0, rowAddress(f, 1));
  record.meet(WarpOp::LoadMatrix, detail, all(f));
  for (uint32_t i = 0; i < (detail & kMatrixCount); ++i)
    f.write(f.part(f.operand(0), i), record.get(i), kWord);
  return {};
}

Status emitStmatrix(FunctionEmitter& f) {
  TRY(const uint32_t detail, matrixDetailOf(f));
  Record record(f, 5);
  record.put(0, rowAddress(f, 0));
  for (uint32_t i = 0; i < (detail & kMatrixCount); ++i)
    record.put(1 + i, f.read(f.part(f.operand(1), i), kWord));
  record.meet(WarpOp::StoreMatrix, detail, all(f));
  return {};
}

Status emitMovmatrix(FunctionEmitter& f) {
  Record record(f, 1);
  record.put(0, f.readBits(1, 32));
  record.meet(WarpOp::MoveMatrix, 0, all(f));
  f.write(record.get(0), kWord);
  return {};
}

namespace {

constexpr Word<MatrixType> kMatrixTypes[] = {
    {"f16", MatrixType::F16},   {"bf16", MatrixType::BF16}, {"tf32", MatrixType::TF32},
    {"f32", MatrixType::F32},   {"f64", MatrixType::F64},   {"s8", MatrixType::S8},
    {"u8", MatrixType::U8},     {"s32", MatrixType::S32},   {"e4m3", MatrixType::E4M3},
    {"e5m2", MatrixType::E5M2}, {"s4", MatrixType::S4},     {"u4", MatrixType::U4},
};

// The element types of D, A, B and C, in the order they are written.
std::vector<MatrixType> matrixTypes(const PtxInstruction& at) {
  std::vector<MatrixType> types;
  for (const std::string& modifier : at.modifiers) {
    for (const auto& known : kMatrixTypes) {
      if (known.word == modifier) types.push_back(known.value);
    }
  }
  return types;
}

// "m16n8k16"
bool readShape(const std::string& word, uint32_t (&shape)[3]) {
  const char* at = word.data();
  const char* end = at + word.size();
  for (int i = 0; i < 3; ++i) {
    if (at == end || *at != "mnk"[i]) return false;
    const auto read = std::from_chars(at + 1, end, shape[i]);
    if (read.ec != std::errc()) return false;
    at = read.ptr;
  }
  return at == end;
}

}  // namespace

// mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d, a, b, c.
Status emitMma(FunctionEmitter& f) {
  uint32_t shape[3] = {};
  const bool hasShape =
      std::ranges::any_of(f.at().modifiers, [&](const std::string& word) { return readShape(word, shape); });
  const std::vector<MatrixType> types = matrixTypes(f.at());
  if (!hasShape || types.size() != 4 || f.operands() != 4) return f.unsupported("its shape");
  // Volta's own shape lies otherwise.
  const bool isVolta = shape[0] == 8 && types[1] == MatrixType::F16;
  if (isVolta || !f.at().has("row") || !f.at().has("col") || f.at().has("block_scale"))
    return f.unsupported("its shape");
  const auto [m, n, k] = shape;
  if ((m != 8 && m != 16) || n != 8 || k < 4 || k > 64 || !std::has_single_bit(k))
    return f.unsupported("its shape");
  const size_t sizes[] = {matrixRegisters(types[1], m * k), matrixRegisters(types[2], k * n),
                          matrixRegisters(types[3], m * n)};
  const auto size = static_cast<uint32_t>(sizes[0] + sizes[1] + sizes[2]);
  Record record(f, size);
  const bool isDouble = types[0] == MatrixType::F64;
  const PtxType reg{PtxTypeKind::Bits, static_cast<uint16_t>(isDouble ? 64 : 32), 1};
  uint32_t at = 0;
  for (size_t matrix = 0; matrix < 3; ++matrix) {
    for (size_t i = 0; i < sizes[matrix]; ++i)
      record.put(at++, f.read(f.part(f.operand(1 + matrix), i), reg));
  }
  record.meet(WarpOp::Multiply,
              matrixDetail(types[1], types[2], types[3], types[0], shape[0], shape[1], shape[2],
                           f.at().has("satfinite")),
              all(f));
  for (uint32_t i = 0; i < matrixRegisters(types[0], m * n); ++i)
    f.write(f.part(f.operand(0), i), record.get(i, reg.bits), reg);
  return {};
}

}  // namespace hilo
