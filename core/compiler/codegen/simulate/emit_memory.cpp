// Loads, stores, atomics, and addresses of one space as those of another.
#include "core/compiler/codegen/simulate/float_emit.h"
#include "core/compiler/codegen/simulate/translations.h"
#include "core/runtime/device/simulated/sim_abi.h"
#include "core/runtime/device/simulated/sim_thread.h"

namespace hilo {
namespace {

using Value = FunctionEmitter::Value;

struct SpaceWord {
  std::string_view word;
  PtxSpace space;
  bool inCluster = false;
};
constexpr SpaceWord kSpaces[] = {
    {"global", PtxSpace::Global},      {"shared", PtxSpace::Shared},
    {"shared::cta", PtxSpace::Shared}, {"shared::cluster", PtxSpace::Shared, true},
    {"local", PtxSpace::Local},        {"param", PtxSpace::Param},
    {"param::entry", PtxSpace::Param}, {"param::func", PtxSpace::Param},
    {"const", PtxSpace::Const},
};
constexpr std::string_view kStrong[] = {"volatile", "relaxed", "acquire", "release", "mmio"};

SpaceWord spaceOf(const PtxInstruction& instruction) {
  for (const std::string& modifier : instruction.modifiers) {
    for (const SpaceWord& known : kSpaces) {
      if (known.word == modifier) return known;
    }
  }
  return {"", PtxSpace::Generic};
}

bool isStrong(const PtxInstruction& at) {
  return std::ranges::any_of(kStrong, [&](std::string_view word) { return at.has(word); });
}

unsigned vectorOf(const PtxInstruction& at) {
  return at.has("v8") ? 8 : at.has("v4") ? 4 : at.has("v2") ? 2 : 1;
}

uint32_t sharing(FunctionEmitter& f, const SpaceWord& space) {
  return (isStrong(f.at()) ? kAccessAtomic : 0) | (space.space == PtxSpace::Shared ? kAccessShared : 0) |
         (space.space == PtxSpace::Local ? kAccessLocal : 0);
}

// Parameters and constants need no check.
bool isWatched(PtxSpace space) {
  return space == PtxSpace::Generic || space == PtxSpace::Global || space == PtxSpace::Shared ||
         space == PtxSpace::Local;
}

bool isVolatile(const PtxInstruction& at) {
  return at.has("volatile") || at.has("relaxed") || at.has("acquire");
}

bool isParamOfKernel(FunctionEmitter& f, const PtxOperand& address) {
  const PtxOperand& base = address.kind == PtxOperand::Kind::Address ? address.parts[0] : address;
  return f.function().isEntry && base.kind == PtxOperand::Kind::Name &&
         f.context().paramOffsets.contains(base.name);
}

void fenceFor(FunctionEmitter& f, std::string_view word) {
  const bool orders = f.at().has(word) || f.at().has("acq_rel");
  if (orders && f.context().isChecked)
    f.call("fence", f.b().getVoidTy(), {f.b().getInt32(f.at().has("cta"))});
}

Value addressType(FunctionEmitter& f, Value address, unsigned bits) {
  return f.b().CreateZExtOrTrunc(f.b().CreatePtrToInt(address, f.b().getInt64Ty()), f.b().getIntNTy(bits));
}

}  // namespace

namespace {

bool names(const PtxOperand& operand, uint32_t index) {
  if (operand.kind == PtxOperand::Kind::Register) return operand.index == index;
  return std::ranges::any_of(operand.parts, [&](const PtxOperand& part) { return names(part, index); });
}

// How many bits of a register an instruction reads, from the lowest on; none where it does not name it.
unsigned bitsRead(const PtxInstruction& reader, const PtxOperand& target, unsigned bits) {
  const auto namesIt = [&](const PtxOperand& operand) { return names(operand, target.index); };
  if (reader.guard == target.index) return bits;
  if (std::ranges::none_of(reader.operands, namesIt)) return 0;
  const bool isFirst =
      reader.operands.size() >= 2 && namesIt(reader.operands[1]) && !namesIt(reader.operands[0]);
  // What a shift to the left pushes out, and parts of a pair that are let go.
  if (isFirst && reader.op == PtxOp::Shl && reader.operands.size() == 3 &&
      reader.operands[2].kind == PtxOperand::Kind::Integer)
    return bits - static_cast<unsigned>(std::min<uint64_t>(reader.operands[2].bits, bits));
  if (isFirst && reader.op == PtxOp::Mov && reader.operands[0].kind == PtxOperand::Kind::Vector) {
    const auto& parts = reader.operands[0].parts;
    size_t used = parts.size();
    while (used > 0 && parts[used - 1].kind == PtxOperand::Kind::Sink) --used;
    return static_cast<unsigned>(bits * used / parts.size());
  }
  return bits;
}

// Of a register that a load writes, how many of its bits, from the lowest on, anything reads.
unsigned bitsRead(FunctionEmitter& f, const PtxOperand& target, unsigned bits) {
  if (target.kind == PtxOperand::Kind::Sink) return 0;
  if (target.kind != PtxOperand::Kind::Register) return bits;
  unsigned most = 0;
  for (const PtxInstruction& other : f.function().instructions) {
    if (&other != &f.at()) most = std::max(most, bitsRead(other, target, bits));
  }
  return most;
}

// How many bytes of a vector are read for somebody. LLVM reads 16 bytes where 12 are wanted: they lie in
// memory that is there, as allocations begin and end at multiples of 16, and nobody looks at the last 4.
uint64_t usedBytes(FunctionEmitter& f, unsigned count, uint64_t bytes) {
  if (!f.context().isChecked || count == 1) return bytes * count;
  const auto bits = static_cast<unsigned>(8 * bytes);
  for (unsigned used = count; used > 0; --used) {
    const unsigned last = bitsRead(f, f.part(f.operand(0), used - 1), bits);
    if (last > 0) return bytes * (used - 1) + (last + 7) / 8;
  }
  return bytes;
}

}  // namespace

Status emitLd(FunctionEmitter& f) {
  TRY(PtxType type, f.type(f.types().size() - 1));
  const SpaceWord space = spaceOf(f.at());
  const unsigned count = vectorOf(f.at());
  const uint64_t bytes = uint64_t{std::max(8u, type.totalBits())} / 8;
  Value pointer = f.pointer(f.operand(1), space.space, space.inCluster);
  if (isWatched(space.space))
    f.tellAccess(pointer, bytes * count, kAccessReads | sharing(f, space), usedBytes(f, count, bytes));
  for (unsigned i = 0; i < count; ++i) {
    auto* load = f.b().CreateAlignedLoad(f.b().getIntNTy(type.totalBits()),
                                         f.b().CreatePtrAdd(pointer, f.b().getInt64(bytes * i)),
                                         llvm::Align(1), isVolatile(f.at()));
    const bool isOfKernel = space.space == PtxSpace::Param && isParamOfKernel(f, f.operand(1));
    if (isOfKernel)
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(f.b().getContext(), {}));
    const PtxOperand& to = count == 1 ? f.operand(0) : f.part(f.operand(0), i);
    f.write(to, load, type);
  }
  fenceFor(f, "acquire");
  return {};
}

Status emitSt(FunctionEmitter& f) {
  TRY(PtxType type, f.type(f.types().size() - 1));
  const SpaceWord space = spaceOf(f.at());
  const unsigned count = vectorOf(f.at());
  const uint64_t bytes = uint64_t{std::max(8u, type.totalBits())} / 8;
  fenceFor(f, "release");
  Value pointer = f.pointer(f.operand(0), space.space, space.inCluster);
  if (isWatched(space.space)) f.tellAccess(pointer, bytes * count, kAccessWrites | sharing(f, space));
  for (unsigned i = 0; i < count; ++i) {
    const PtxOperand& from = count == 1 ? f.operand(1) : f.part(f.operand(1), i);
    f.b().CreateAlignedStore(f.bitsOf(f.read(from, type)),
                             f.b().CreatePtrAdd(pointer, f.b().getInt64(bytes * i)), llvm::Align(1),
                             f.at().has("volatile"));
  }
  return {};
}

namespace {

// The new value of an atomic operation, of integers.
Value integerUpdate(FunctionEmitter& f, const PtxType& type, Value old, Value operand) {
  auto& ir = f.b();
  const PtxInstruction& at = f.at();
  if (at.has("add")) return ir.CreateAdd(old, operand);
  if (at.has("and")) return ir.CreateAnd(old, operand);
  if (at.has("or")) return ir.CreateOr(old, operand);
  if (at.has("xor")) return ir.CreateXor(old, operand);
  if (at.has("exch")) return operand;
  if (at.has("min"))
    return f.intrinsic(type.isSigned() ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, old, operand);
  if (at.has("max"))
    return f.intrinsic(type.isSigned() ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, old, operand);
  Value zero = llvm::ConstantInt::get(old->getType(), 0), one = llvm::ConstantInt::get(old->getType(), 1);
  if (at.has("inc")) return ir.CreateSelect(ir.CreateICmpUGE(old, operand), zero, ir.CreateAdd(old, one));
  if (at.has("dec")) {
    Value wraps = ir.CreateOr(ir.CreateIsNull(old), ir.CreateICmpUGT(old, operand));
    return ir.CreateSelect(wraps, operand, ir.CreateSub(old, one));
  }
  return nullptr;
}

Value floatUpdate(FunctionEmitter& f, const PtxType& type, Value old, Value operand) {
  std::vector<Value> a = lanesOf(f, old, type), b = lanesOf(f, operand, type);
  for (size_t i = 0; i < a.size(); ++i) {
    if (f.at().has("add"))
      a[i] = f.b().CreateFAdd(a[i], b[i]);
    else if (f.at().has("min"))
      a[i] = f.intrinsic(llvm::Intrinsic::minnum, a[i], b[i]);
    else if (f.at().has("max"))
      a[i] = f.intrinsic(llvm::Intrinsic::maxnum, a[i], b[i]);
    else
      return nullptr;
  }
  return joinLanes(f, a, type);
}

}  // namespace

// Threads run one at a time: reading, then writing, is atomic.
Status emitAtom(FunctionEmitter& f) {
  TRY(const PtxType type, f.type(f.types().size() - 1));
  const SpaceWord space = spaceOf(f.at());
  const bool isRed = f.at().op == PtxOp::Red;
  const size_t at = isRed ? 0 : 1;
  if (vectorOf(f.at()) > 1 || f.operands() < at + 2) return f.unsupported("vectors");
  fenceFor(f, "release");
  Value pointer = f.pointer(f.operand(at), space.space, space.inCluster);
  const uint64_t bytes = type.totalBits() / 8;
  f.tellAccess(
      pointer, bytes,
      kAccessReads | kAccessWrites | kAccessAtomic | (space.space == PtxSpace::Shared ? kAccessShared : 0));
  Value old = f.b().CreateAlignedLoad(f.b().getIntNTy(type.totalBits()), pointer, llvm::Align(1), true);
  Value updated = nullptr;
  if (f.at().has("cas")) {
    Value wanted = f.bitsOf(f.read(at + 1, type)), other = f.bitsOf(f.read(at + 2, type));
    updated = f.b().CreateSelect(f.b().CreateICmpEQ(old, wanted), other, old);
  } else if (type.isFloat()) {
    Value operand = f.read(at + 1, type);
    updated = floatUpdate(f, type, f.b().CreateBitCast(old, f.valueType(type)), operand);
  } else {
    updated = integerUpdate(f, type, old, f.bitsOf(f.read(at + 1, type)));
  }
  if (updated == nullptr) return f.unsupported("its operation");
  f.b().CreateAlignedStore(f.bitsOf(updated), pointer, llvm::Align(1), true);
  fenceFor(f, "acquire");
  if (!isRed) f.write(old, type);
  return {};
}

// Between an address of a space and the generic one.
Status emitCvta(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  const SpaceWord space = spaceOf(f.at());
  Value address = f.read(1, type);
  if (space.space == PtxSpace::Shared) {
    Value base = f.field(offsetof(SimThread, shared), 64);
    Value wide = f.b().CreateZExt(address, f.b().getInt64Ty());
    if (f.at().has("to")) {
      wide = f.b().CreateSub(wide, base);
    } else {
      Value pointer = f.sharedPointer(address, space.inCluster);
      wide = f.b().CreatePtrToInt(pointer, f.b().getInt64Ty());
    }
    address = f.b().CreateTrunc(wide, f.b().getIntNTy(type.totalBits()));
  }
  f.write(address, type);
  return {};
}

Status emitIsspacep(FunctionEmitter& f) {
  const SpaceWord space = spaceOf(f.at());
  Value pointer = f.b().CreateIntToPtr(f.readBits(1, 64), f.b().getPtrTy());
  if (space.space != PtxSpace::Shared && space.space != PtxSpace::Global) return f.unsupported("its space");
  Value isShared = f.b().CreateIsNotNull(f.call("is_shared", f.b().getInt32Ty(), {pointer}));
  f.write(space.space == PtxSpace::Shared ? isShared : f.b().CreateNot(isShared),
          {PtxTypeKind::Predicate, 1, 1});
  return {};
}

// The same place in the window of another block of the cluster.
Status emitMapa(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  auto& ir = f.b();
  Value rank = f.readBits(2, 32);
  if (f.at().has("shared::cluster")) {
    Value place = ir.CreateAnd(f.read(1, type), (uint64_t{1} << kClusterRankShift) - 1);
    Value window = ir.CreateShl(ir.CreateAdd(rank, ir.getInt32(1)), kClusterRankShift);
    f.write(ir.CreateOr(place, ir.CreateZExtOrTrunc(window, place->getType())), type);
    return {};
  }
  Value pointer = ir.CreateIntToPtr(f.read(1, type), ir.getPtrTy());
  f.write(addressType(f, f.call("map_rank", ir.getPtrTy(), {pointer, rank}), type.totalBits()), type);
  return {};
}

Status emitGetctarank(FunctionEmitter& f) {
  TRY(const PtxType type, f.type());
  auto& ir = f.b();
  if (f.at().has("shared::cluster")) {
    Value window = ir.CreateLShr(f.readBits(1, 32), kClusterRankShift);
    Value own = f.field(offsetof(SimThread, clusterCtarank));
    f.write(ir.CreateSelect(ir.CreateIsNull(window), own, ir.CreateSub(window, ir.getInt32(1))), type);
    return {};
  }
  f.write(f.call("rank_of", ir.getInt32Ty(), {ir.CreateIntToPtr(f.read(1, type), ir.getPtrTy())}), type);
  return {};
}

}  // namespace hilo
