// Barriers of blocks and clusters, fences, asynchronous copies, mbarriers.
#include "core/compiler/codegen/simulate/translations.h"
#include "core/runtime/device/simulated/async_copies.h"
#include "core/runtime/device/simulated/sim_abi.h"

namespace hilo {
namespace {

using Value = FunctionEmitter::Value;

constexpr PtxType kPredicate{PtxTypeKind::Predicate, 1, 1};

Value shared(FunctionEmitter& f, const PtxOperand& address) {
  const bool isGeneric =
      !f.at().has("shared") && !f.at().has("shared::cta") && !f.at().has("shared::cluster");
  return f.pointer(address, isGeneric ? PtxSpace::Generic : PtxSpace::Shared, f.at().has("shared::cluster"));
}

bool isReduction(PtxOp op) {
  return op == PtxOp::BarRed || op == PtxOp::BarCtaRed || op == PtxOp::BarrierRed ||
         op == PtxOp::BarrierCtaRed;
}
bool isArrival(PtxOp op) {
  return op == PtxOp::BarArrive || op == PtxOp::BarCtaArrive || op == PtxOp::BarrierArrive ||
         op == PtxOp::BarrierCtaArrive;
}

}  // namespace

// bar.sync number, count; bar.red.op result, number, count, predicate.
Status emitBarrier(FunctionEmitter& f) {
  auto& ir = f.b();
  const bool reduces = isReduction(f.at().op);
  const size_t first = reduces ? 1 : 0, last = f.operands() - (reduces ? 1 : 0);
  Value number = first < last ? f.readBits(first, 32) : ir.getInt32(0);
  Value count = first + 1 < last ? f.readBits(first + 1, 32) : ir.getInt32(0);
  Value predicate = reduces ? ir.CreateZExt(f.predicate(f.operand(last)), ir.getInt32Ty()) : ir.getInt32(0);
  BarrierMode mode = isArrival(f.at().op) ? BarrierMode::Arrive : BarrierMode::Sync;
  if (reduces)
    mode = f.at().has("popc") ? BarrierMode::Count : f.at().has("and") ? BarrierMode::And : BarrierMode::Or;
  const auto *constantNumber = llvm::dyn_cast<llvm::ConstantInt>(number),
             *constantCount = llvm::dyn_cast<llvm::ConstantInt>(count);
  const bool isFull = !reduces && constantNumber != nullptr && constantNumber->isZero() &&
                      constantCount != nullptr && constantCount->isZero();
  Value values[] = {number, count, predicate};
  for (uint32_t i = 0; !isFull && i < 3; ++i)
    ir.CreateStore(ir.CreateZExt(values[i], ir.getInt64Ty()), f.recordPlace(i));
  f.wait({.kind = SimPointKind::Barrier,
          .detail = static_cast<uint32_t>(mode),
          .values = isFull ? 0u : 3u,
          .isFull = isFull});
  if (!reduces) return {};
  Value result = ir.CreateLoad(ir.getInt64Ty(), f.recordPlace(0));
  if (mode == BarrierMode::Count)
    f.write(ir.CreateTrunc(result, ir.getInt32Ty()), {PtxTypeKind::Unsigned, 32, 1});
  else
    f.write(ir.CreateIsNotNull(result), kPredicate);
  return {};
}

Status emitClusterBarrier(FunctionEmitter& f) {
  if (f.at().op == PtxOp::BarrierClusterArrive)
    f.call("cluster_arrive", f.b().getVoidTy(), {f.line()});
  else
    f.wait({.kind = SimPointKind::ClusterWait});
  return {};
}

// Threads run one at a time, in the order of the program: a fence is for check mode alone.
Status emitFence(FunctionEmitter& f) {
  const bool orders = f.at().op == PtxOp::Membar || f.at().has("sc") || f.at().has("acq_rel") ||
                      f.at().has("acquire") || f.at().has("release");
  if (f.context().isChecked && orders)
    f.call("fence", f.b().getVoidTy(), {f.b().getInt32(f.at().has("cta"))});
  return {};
}

// cp.async [to], [from], bytes, bytes of the source (or a predicate to ignore it).
Status emitCpAsync(FunctionEmitter& f) {
  auto& ir = f.b();
  if (f.operands() < 3) return f.unsupported();
  Value bytes = f.readBits(2, 32), taken = bytes;
  if (f.operands() > 3 && !f.at().has("L2::cache_hint")) {
    const PtxOperand& last = f.operand(3);
    const bool isPredicate = last.kind == PtxOperand::Kind::Register &&
                             f.function().registers[last.index].type.kind == PtxTypeKind::Predicate;
    taken = isPredicate ? ir.CreateSelect(f.predicate(last), ir.getInt32(0), bytes) : f.readBits(3, 32);
  }
  Value to = f.pointer(f.operand(0), PtxSpace::Shared), from = f.pointer(f.operand(1), PtxSpace::Global);
  f.call("copy", ir.getVoidTy(), {to, from, bytes, taken, f.line()});
  return {};
}

Status emitCpAsyncCommit(FunctionEmitter& f) {
  f.call("copy_commit", f.b().getVoidTy(), {});
  return {};
}

Status emitCpAsyncWait(FunctionEmitter& f) {
  Value left = f.operands() > 0 ? f.readBits(0, 32) : f.b().getInt32(kAllCopies);
  f.call("copy_wait", f.b().getVoidTy(), {left});
  return {};
}

Status emitCpAsyncMbarrier(FunctionEmitter& f) {
  // Without .noinc the arrival is one more than the phase expects, which evens out.
  const bool isCounted = f.at().has("noinc");
  f.call("copy_arrive", f.b().getVoidTy(), {shared(f, f.operand(0)), f.b().getInt32(isCounted), f.line()});
  return {};
}

// Between shared and global memory, or to another block of the cluster.
Status emitCpBulk(FunctionEmitter& f) {
  auto& ir = f.b();
  if (f.at().modifiers.size() < 2 || f.operands() < 3 || f.at().has("multicast::cluster"))
    return f.unsupported();
  const auto pointer = [&](const std::string& space, size_t i) {
    const bool isShared = space.starts_with("shared");
    return f.pointer(f.operand(i), isShared ? PtxSpace::Shared : PtxSpace::Global,
                     space == "shared::cluster");
  };
  Value to = pointer(f.at().modifiers[0], 0), from = pointer(f.at().modifiers[1], 1);
  const bool completes = f.at().has("mbarrier::complete_tx::bytes");
  Value barrier = completes ? f.pointer(f.operand(3), PtxSpace::Shared, true)
                            : llvm::ConstantPointerNull::get(ir.getPtrTy());
  f.call("bulk_copy", ir.getVoidTy(), {to, from, f.readBits(2, 32), barrier, f.line()});
  return {};
}

// cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [to], [map, {x, y}],
// [barrier], or .2d.global.shared::cta.tile.bulk_group [map, {x, y}], [from].
Status emitCpTensor(FunctionEmitter& f) {
  auto& ir = f.b();
  const auto has = [&](std::string_view word) { return f.at().has(word); };
  const bool toShared = f.at().modifiers.size() > 2 && f.at().modifiers[1].starts_with("shared");
  const bool isPrefetch = has("prefetch");
  if (isPrefetch) return {};
  const bool isTile = std::ranges::none_of(f.at().modifiers, [](const std::string& word) {
    return word.starts_with("im2col") || word.starts_with("multicast") || word.starts_with("tile::");
  });
  const PtxOperand& map = f.operand(toShared ? 1 : 0);
  if (!isTile || f.operands() < (toShared ? 3u : 2u) || map.kind != PtxOperand::Kind::Address ||
      map.parts.size() < 2)
    return f.unsupported("only boxes of tiles are");
  const PtxOperand& at = map.parts[1];
  const size_t rank = at.kind == PtxOperand::Kind::Vector ? at.parts.size() : 1;
  if (rank > 5) return f.unsupported("its coordinates");
  Value coordinates = f.room(ir.getInt32Ty(), 5);
  for (size_t i = 0; i < rank; ++i)
    ir.CreateStore(f.read(f.part(at, i), {PtxTypeKind::Signed, 32, 1}),
                   ir.CreatePtrAdd(coordinates, ir.getInt64(4 * i)));
  Value box = f.pointer(f.operand(toShared ? 0 : 1), PtxSpace::Shared, has("shared::cluster"));
  Value barrier = toShared ? f.pointer(f.operand(2), PtxSpace::Shared, true)
                           : llvm::ConstantPointerNull::get(ir.getPtrTy());
  f.call("tensor_copy", ir.getVoidTy(),
         {f.pointer(map, PtxSpace::Generic), box, coordinates, ir.getInt32(toShared), barrier, f.line()});
  return {};
}

// Of a state: arrivals that its phase still waits for.
Status emitMbarrierPending(FunctionEmitter& f) {
  f.write(f.b().CreateAnd(f.b().CreateTrunc(f.readBits(1, 64), f.b().getInt32Ty()),
                          f.b().getInt32((1 << 20) - 1)),
          {PtxTypeKind::Unsigned, 32, 1});
  return {};
}

Status emitCpBulkCommit(FunctionEmitter& f) {
  f.call("bulk_commit", f.b().getVoidTy(), {});
  return {};
}

// .read waits for the sources alone; the results come then too.
Status emitCpBulkWait(FunctionEmitter& f) {
  f.call("bulk_wait", f.b().getVoidTy(), {f.readBits(0, 32)});
  return {};
}

Status emitMbarrierInit(FunctionEmitter& f) {
  f.call("mbarrier_init", f.b().getVoidTy(), {shared(f, f.operand(0)), f.readBits(1, 32), f.line()});
  return {};
}

// mbarrier.arrive state, [address], count; with .expect_tx the last operand is a number of bytes.
Status emitMbarrierArrive(FunctionEmitter& f) {
  auto& ir = f.b();
  const bool hasResult = f.operand(0).kind != PtxOperand::Kind::Address;
  const size_t at = hasResult ? 1 : 0;
  Value address = shared(f, f.operand(at));
  Value count = ir.getInt32(1);
  if (f.at().has("expect_tx")) {
    f.call("mbarrier_bytes", ir.getVoidTy(),
           {address, ir.CreateZExt(f.readBits(at + 1, 32), ir.getInt64Ty()), f.line()});
  } else if (f.operands() > at + 1) {
    count = f.readBits(at + 1, 32);
  }
  const bool drops = f.at().op == PtxOp::MbarrierArriveDrop;
  Value state = f.call("mbarrier_arrive", ir.getInt64Ty(), {address, count, ir.getInt32(drops), f.line()});
  if (hasResult) f.write(state, {PtxTypeKind::Bits, 64, 1});
  return {};
}

Status emitMbarrierBytes(FunctionEmitter& f) {
  auto& ir = f.b();
  Value bytes = ir.CreateZExt(f.readBits(1, 32), ir.getInt64Ty());
  if (f.at().op == PtxOp::MbarrierCompleteTx) bytes = ir.CreateNeg(bytes);
  f.call("mbarrier_bytes", ir.getVoidTy(), {shared(f, f.operand(0)), bytes, f.line()});
  return {};
}

Status emitMbarrierWait(FunctionEmitter& f) {
  auto& ir = f.b();
  const bool hasParity = f.at().has("parity");
  Value phase = hasParity ? f.readBits(2, 32) : f.readBits(2, 64);
  Value isOver = f.call(hasParity ? "mbarrier_parity" : "mbarrier_test", ir.getInt32Ty(),
                        {shared(f, f.operand(1)), phase, f.line()});
  f.write(ir.CreateIsNotNull(isOver), kPredicate);
  return {};
}

}  // namespace hilo
