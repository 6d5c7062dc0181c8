#include "plugins/mosaic/known_values.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/LLVMIR/NVVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Matchers.h>

#include "plugins/mosaic/dialect.h"

namespace hilo::mosaic {
namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
using mlir::Operation;
using mlir::Value;

// The value as its type holds it: wrapped, with its sign.
int64_t wrapped(int64_t value, mlir::Type type) {
  const auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer || integer.getWidth() >= 64 || integer.getWidth() == 0) return value;
  const unsigned unused = 64 - integer.getWidth();
  const auto shifted = static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
  return integer.getWidth() == 1 ? shifted & 1 : shifted;
}

uint64_t unsignedOf(int64_t value, mlir::Type type) {
  const auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  const auto bits = static_cast<uint64_t>(value);
  return !integer || integer.getWidth() >= 64 ? bits : bits & ((uint64_t{1} << integer.getWidth()) - 1);
}

bool compares(arith::CmpIPredicate how, int64_t a, int64_t b, mlir::Type type) {
  using P = arith::CmpIPredicate;
  const uint64_t ua = unsignedOf(a, type), ub = unsignedOf(b, type);
  switch (how) {
    case P::eq:
      return a == b;
    case P::ne:
      return a != b;
    case P::slt:
      return a < b;
    case P::sle:
      return a <= b;
    case P::sgt:
      return a > b;
    case P::sge:
      return a >= b;
    case P::ult:
      return ua < ub;
    case P::ule:
      return ua <= ub;
    case P::ugt:
      return ua > ub;
    case P::uge:
      return ua >= ub;
  }
  return false;
}

// Of two numbers; nothing for what divides by 0, shifts too far, or is no such operation.
std::optional<int64_t> ofTwo(Operation* op, int64_t a, int64_t b) {
  const mlir::Type type = op->getOperand(0).getType();
  const uint64_t ua = unsignedOf(a, type), ub = unsignedOf(b, type);
  const auto add = [](int64_t x, int64_t y) {
    return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
  };
  if (llvm::isa<arith::AddIOp>(op)) return add(a, b);
  if (llvm::isa<arith::SubIOp>(op))
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  if (llvm::isa<arith::MulIOp>(op))
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  if (llvm::isa<arith::AndIOp>(op)) return a & b;
  if (llvm::isa<arith::OrIOp>(op)) return a | b;
  if (llvm::isa<arith::XOrIOp>(op)) return a ^ b;
  if (llvm::isa<arith::MinSIOp>(op)) return std::min(a, b);
  if (llvm::isa<arith::MaxSIOp>(op)) return std::max(a, b);
  if (llvm::isa<arith::MinUIOp>(op)) return ua < ub ? a : b;
  if (llvm::isa<arith::MaxUIOp>(op)) return ua > ub ? a : b;
  if (llvm::isa<arith::ShLIOp>(op))
    return ub < 64 ? std::optional(static_cast<int64_t>(ua << ub)) : std::nullopt;
  if (llvm::isa<arith::ShRUIOp>(op))
    return ub < 64 ? std::optional(static_cast<int64_t>(ua >> ub)) : std::nullopt;
  if (llvm::isa<arith::ShRSIOp>(op)) return ub < 64 ? std::optional(a >> ub) : std::nullopt;
  if (b == 0 || (b == -1 && a == INT64_MIN)) return {};
  if (llvm::isa<arith::DivSIOp>(op)) return a / b;
  if (llvm::isa<arith::RemSIOp>(op)) return a % b;
  if (llvm::isa<arith::DivUIOp>(op)) return static_cast<int64_t>(ua / ub);
  if (llvm::isa<arith::RemUIOp>(op)) return static_cast<int64_t>(ua % ub);
  const bool isUneven = a % b != 0 && (a < 0) != (b < 0);
  if (llvm::isa<arith::FloorDivSIOp>(op)) return a / b - (isUneven ? 1 : 0);
  if (llvm::isa<arith::CeilDivSIOp>(op)) return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
  if (llvm::isa<arith::CeilDivUIOp>(op)) return static_cast<int64_t>(ua / ub + (ua % ub != 0 ? 1 : 0));
  return {};
}

// Shared memory of the block, from its first byte on.
constexpr KnownPlace kFirst{0, 0};

}  // namespace

std::optional<int64_t> KnownPlace::begin() const {
  if (!base || !offset) return {};
  return *base + *offset;
}

int64_t elementBits(mlir::Type element) {
  if (llvm::isa<BarrierType>(element)) return 64;
  if (llvm::isa<P2B6Type>(element)) return 8;
  if (llvm::isa<B6x16P32Type>(element)) return 128;
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : element.isIndex() ? 64 : 0;
}

std::optional<int64_t> bytesOf(mlir::MemRefType type) {
  constexpr int64_t kMost = int64_t{1} << 50;
  const int64_t bits = elementBits(type.getElementType());
  if (!type.hasStaticShape() || bits == 0) return {};
  int64_t elements = 1;
  for (const int64_t size : type.getShape()) {
    if (size != 0 && elements > kMost / size) return {};
    elements *= size;
  }
  return (elements * bits + 7) / 8;
}

std::optional<int64_t> KnownValues::number(Value value) const {
  const auto known = numbers_.find(value);
  return known == numbers_.end() ? std::nullopt : std::optional(known->second);
}

KnownPlace KnownValues::place(Value value) const {
  const auto known = places_.find(value);
  return known == places_.end() ? KnownPlace{} : known->second;
}

void KnownValues::setNumber(Value value, std::optional<int64_t> number) {
  if (number) {
    numbers_[value] = wrapped(*number, value.getType());
  } else {
    numbers_.erase(value);
  }
}

void KnownValues::copy(Value from, Value to) {
  setNumber(to, number(from));
  places_[to] = place(from);
}

void KnownValues::enter(Operation* op) {
  auto launch = llvm::cast<mlir::gpu::LaunchOp>(op);
  const auto three = [&](const mlir::gpu::KernelDim3& to, Value x, Value y, Value z) {
    setNumber(to.x, number(x)), setNumber(to.y, number(y)), setNumber(to.z, number(z));
  };
  const auto zero = [&](const mlir::gpu::KernelDim3& to, int64_t x) {
    setNumber(to.x, x), setNumber(to.y, 0), setNumber(to.z, 0);
  };
  zero(launch.getBlockIds(), 0);
  zero(launch.getThreadIds(), thread_);
  three(launch.getGridSize(), launch.getGridSizeX(), launch.getGridSizeY(), launch.getGridSizeZ());
  three(launch.getBlockSize(), launch.getBlockSizeX(), launch.getBlockSizeY(), launch.getBlockSizeZ());
  if (const auto ids = launch.getClusterIds()) zero(*ids, 0);
  if (const auto sizes = launch.getClusterSize())
    three(*sizes, launch.getClusterSizeX(), launch.getClusterSizeY(), launch.getClusterSizeZ());
}

void KnownValues::evaluate(Operation* op) {
  // A loop's second turn must not see what the first knew.
  for (const Value result : op->getResults()) numbers_.erase(result), places_.erase(result);
  (void)(evaluateNumber(op) || evaluateThread(op) || evaluateLocal(op) || evaluatePlace(op) ||
         evaluatePointer(op));
}

bool KnownValues::evaluateNumber(Operation* op) {
  if (op->getNumResults() != 1) return false;
  const Value result = op->getResult(0);
  llvm::APInt constant;
  if (mlir::matchPattern(op, mlir::m_ConstantInt(&constant))) {
    if (constant.getSignificantBits() <= 64) setNumber(result, constant.getSExtValue());
    return true;
  }
  if (auto compare = llvm::dyn_cast<arith::CmpIOp>(op)) {
    const auto a = number(compare.getLhs()), b = number(compare.getRhs());
    if (a && b)
      setNumber(result, compares(compare.getPredicate(), *a, *b, compare.getLhs().getType()) ? 1 : 0);
    return true;
  }
  if (auto select = llvm::dyn_cast<arith::SelectOp>(op)) {
    if (const auto chosen = number(select.getCondition()))
      copy(*chosen != 0 ? select.getTrueValue() : select.getFalseValue(), result);
    return true;
  }
  if (llvm::isa<arith::ExtUIOp, arith::IndexCastUIOp>(op)) {
    if (const auto a = number(op->getOperand(0)))
      setNumber(result, static_cast<int64_t>(unsignedOf(*a, op->getOperand(0).getType())));
    return true;
  }
  if (llvm::isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp, AssumeMultipleOp>(op)) {
    const auto a = number(op->getOperand(0));
    const bool isFlag = op->getOperand(0).getType().isInteger(1);
    if (a) setNumber(result, isFlag && llvm::isa<arith::ExtSIOp, arith::IndexCastOp>(op) ? -*a : *a);
    return true;
  }
  if (!llvm::isa_and_present<arith::ArithDialect>(op->getDialect()) || op->getNumOperands() != 2)
    return false;
  const auto a = number(op->getOperand(0)), b = number(op->getOperand(1));
  if (a && b) setNumber(result, ofTwo(op, *a, *b));
  return true;
}

// Its index, that of its block, and what its warp or it is chosen for.
bool KnownValues::evaluateThread(Operation* op) {
  if (op->getNumResults() != 1) return false;
  const Value result = op->getResult(0);
  using mlir::gpu::Dimension;
  if (auto id = llvm::dyn_cast<mlir::gpu::ThreadIdOp>(op)) {
    setNumber(result, id.getDimension() == Dimension::x ? thread_ : 0);
  } else if (llvm::isa<mlir::gpu::BlockIdOp, mlir::gpu::ClusterIdOp, mlir::gpu::ClusterBlockIdOp>(op)) {
    setNumber(result, 0);
  } else if (llvm::isa<mlir::NVVM::ThreadIdXOp>(op)) {
    setNumber(result, thread_);
  } else if (llvm::isa<mlir::NVVM::ThreadIdYOp, mlir::NVVM::ThreadIdZOp, mlir::NVVM::BlockIdXOp,
                       mlir::NVVM::BlockIdYOp, mlir::NVVM::BlockIdZOp>(op)) {
    setNumber(result, 0);
  } else if (auto shuffle = llvm::dyn_cast<mlir::NVVM::ShflOp>(op)) {
    copy(shuffle.getVal(), result);  // of the first lane, which is followed
  } else if (llvm::isa<mlir::NVVM::ElectSyncOp>(op)) {
    setNumber(result, 1);
  } else {
    return false;
  }
  return true;
}

// Scalars that a thread keeps in memory of its own: the phases of its barriers.
bool KnownValues::evaluateLocal(Operation* op) {
  const auto isScalar = [](Value array) {
    return llvm::cast<mlir::MemRefType>(array.getType()).getRank() == 0;
  };
  if (auto store = llvm::dyn_cast<memref::StoreOp>(op)) {
    if (!isScalar(store.getMemRef()) || !store.getMemRef().getDefiningOp<memref::AllocaOp>()) return false;
    const auto value = number(store.getValueToStore());
    if (value) locals_[store.getMemRef()] = *value;
    if (!value) locals_.erase(store.getMemRef());
    return true;
  }
  auto load = llvm::dyn_cast<memref::LoadOp>(op);
  if (!load) return false;
  const auto held = locals_.find(load.getMemRef());
  if (held == locals_.end()) return false;
  setNumber(load.getResult(), held->second);
  return true;
}

bool KnownValues::evaluatePlace(Operation* op) {
  if (auto slice = llvm::dyn_cast<SliceSMEMOp>(op)) {
    places_[slice.getResult()] = {slice.getOffset(), 0};
  } else if (auto slice = llvm::dyn_cast<SliceTmemOp>(op)) {
    KnownPlace at = place(slice.getSource());
    if (at.offset) *at.offset += slice.getOffset();
    places_[slice.getResult()] = at;
  } else if (auto alloc = llvm::dyn_cast<TmemAllocOp>(op)) {
    const int64_t columns =
        alloc.getResult().getType().getDimSize(1) / std::max<int64_t>(alloc.getPacking(), 1);
    places_[alloc.getResult()] = {nextColumn_, 0};
    nextColumn_ += static_cast<int64_t>(
        llvm::PowerOf2Ceil(static_cast<uint64_t>(std::clamp<int64_t>(columns, 32, 4096))));
  } else if (llvm::isa<mlir::gpu::DynamicSharedMemoryOp>(op)) {
    places_[op->getResult(0)] = kFirst;
  } else if (auto view = llvm::dyn_cast<memref::ViewOp>(op)) {
    KnownPlace at = place(view.getSource());
    const auto shift = number(view.getByteShift());
    at.base = at.base && shift ? std::optional(*at.base + *shift) : std::nullopt;
    places_[view.getResult()] = at;
  } else if (auto part = llvm::dyn_cast<memref::SubViewOp>(op)) {
    KnownPlace at = place(part.getSource());
    const auto [strides, first] = part.getSourceType().getStridesAndOffset();
    int64_t elements = 0;
    for (const auto& [dimension, offset] : llvm::enumerate(part.getMixedOffsets())) {
      const auto known =
          llvm::isa<Value>(offset) ? number(llvm::cast<Value>(offset)) : mlir::getConstantIntValue(offset);
      if (!known || mlir::ShapedType::isDynamic(strides[dimension])) at.offset.reset();
      if (at.offset) elements += *known * strides[dimension];
    }
    if (at.offset) *at.offset += elements * elementBits(part.getSourceType().getElementType()) / 8;
    places_[part.getResult()] = at;
  } else if (op->getNumResults() == 1 && llvm::isa<mlir::MemRefType>(op->getResult(0).getType()) &&
             op->getNumOperands() >= 1 && llvm::isa<mlir::MemRefType>(op->getOperand(0).getType())) {
    places_[op->getResult(0)] = place(op->getOperand(0));  // the same array with another shape or type
  } else {
    return false;
  }
  return true;
}

// Arrays taken apart to pointers and put together of them, as structs of pointer, pointer, offset.
bool KnownValues::evaluatePointer(Operation* op) {
  if (op->getNumResults() != 1) return false;
  const Value result = op->getResult(0);
  if (llvm::isa<mlir::UnrealizedConversionCastOp>(op) && op->getNumOperands() == 1) {
    places_[result] = place(op->getOperand(0));
    if (const auto address = number(op->getOperand(0))) places_[result] = {*address, 0};
  } else if (auto field = llvm::dyn_cast<mlir::LLVM::ExtractValueOp>(op);
             field && field.getPosition().size() == 1) {
    const KnownPlace at = place(field.getContainer());
    const int64_t which = field.getPosition()[0];
    // A pointer includes the offset here.
    if (which <= 1) setNumber(result, at.begin());
    if (which == 2 && at.begin()) setNumber(result, 0);
  } else if (auto insert = llvm::dyn_cast<mlir::LLVM::InsertValueOp>(op);
             insert && insert.getPosition().size() == 1) {
    KnownPlace at = place(insert.getContainer());
    if (insert.getPosition()[0] == 1) at = {number(insert.getValue()), 0};
    places_[result] = at;
  } else if (auto pointer = llvm::dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op)) {
    setNumber(result, place(pointer.getSource()).begin());
  } else if (llvm::isa<mlir::LLVM::IntToPtrOp, mlir::LLVM::PtrToIntOp, mlir::LLVM::AddrSpaceCastOp>(op)) {
    setNumber(result, number(op->getOperand(0)));
  } else if (auto gep = llvm::dyn_cast<mlir::LLVM::GEPOp>(op); gep && gep.getIndices().size() == 1) {
    const auto base = number(gep.getBase());
    const auto index = *gep.getIndices().begin();
    const auto step = llvm::isa<Value>(index)
                          ? number(llvm::cast<Value>(index))
                          : std::optional<int64_t>(llvm::cast<mlir::IntegerAttr>(index).getInt());
    const int64_t bits = elementBits(gep.getElemType());
    if (base && step && bits > 0) setNumber(result, *base + *step * bits / 8);
  } else {
    return false;
  }
  return true;
}

}  // namespace hilo::mosaic
