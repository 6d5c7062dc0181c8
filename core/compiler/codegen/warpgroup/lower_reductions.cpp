// Reductions: first what a thread holds itself, then by shuffles what its warp holds, then through shared
// memory what the warpgroup holds.
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <bit>

#include "core/compiler/codegen/warpgroup/kernel_lowering.h"
#include "core/hlo/ir/element_type.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

struct Kind {
  std::string_view name;
  Opcode opcode;
  bool isUnsigned = false;
};
constexpr Kind kKinds[] = {{"add", Opcode::Add},
                           {"mul", Opcode::Multiply},
                           {"and", Opcode::And},
                           {"or", Opcode::Or},
                           {"xor", Opcode::Xor},
                           {"maximumf", Opcode::Maximum},
                           {"maxsi", Opcode::Maximum},
                           {"maxui", Opcode::Maximum, true},
                           {"minimumf", Opcode::Minimum},
                           {"minsi", Opcode::Minimum},
                           {"minui", Opcode::Minimum, true}};

Result<Kind> kindOf(const KernelOp& op) {
  const auto* word = op.attribute<std::string>("kind");
  const auto at = word ? std::ranges::find(kKinds, *word, &Kind::name) : std::end(kKinds);
  if (at != std::end(kKinds)) return *at;
  return refuse(op, "its kind is add, mul, and, or, xor, or a maximum or minimum as MLIR names them");
}

class Reduction {
 public:
  Reduction(KernelLowering& lowering, Kind kind, ElementType type)
      : lowering_(lowering), kind_(kind), type_(kind.isUnsigned ? asUnsigned(type) : type) {}

  Scalar combine(Scalar a, Scalar b) { return lowering_.scalars().binary(kind_.opcode, type_, a, b); }

  // With the elements of lanes whose number differs in this bit: both get the same.
  Scalar withLane(Scalar x, int64_t bit) {
    llvm::IRBuilder<>& b = lowering_.b();
    llvm::Type* type = x.value->getType();
    const unsigned bits = type->getScalarSizeInBits(), words = (bits + 31) / 32;
    Value* all = b.CreateZExt(b.CreateBitCast(x.value, b.getIntNTy(bits)), b.getIntNTy(32 * words));
    Value* moved = llvm::ConstantInt::get(all->getType(), 0);
    for (unsigned i = 0; i < words; ++i) {
      Value* word = b.CreateTrunc(b.CreateLShr(all, 32 * i), b.getInt32Ty());
      Value* got = b.CreateIntrinsic(
          llvm::Intrinsic::nvvm_shfl_sync_bfly_i32,
          {b.getInt32(~0u), word, lowering_.code().int32(bit), lowering_.code().int32(kLanesOfWarp - 1)});
      moved = b.CreateOr(moved, b.CreateShl(b.CreateZExt(got, all->getType()), 32 * i));
    }
    return combine(x, {b.CreateBitCast(b.CreateTrunc(moved, b.getIntNTy(bits)), type)});
  }

  // With those of the same lane of the warps of a group: `times` of them, `below` apart.
  std::vector<Scalar> withWarps(std::vector<Scalar> own, int64_t below, int64_t times) {
    ThreadCode& code = lowering_.code();
    llvm::IRBuilder<>& b = lowering_.b();
    MemoryView view{.element = asSigned(type_),
                    .elementBytes = elementStorageBytes(type_),
                    .dimensions = dimensionsOf({static_cast<int64_t>(own.size()), kThreadsOfWarpgroup},
                                               {kThreadsOfWarpgroup, 1}),
                    .offset = code.int64(0)};
    view.base = lowering_.scratch(elementCount(view.shape()) * view.elementBytes);
    code.warpgroupBarrier();
    for (size_t i = 0; i < own.size(); ++i)
      store(code, view, {code.int64(static_cast<int64_t>(i)), code.threadOfGroup()}, own[i]);
    code.warpgroupBarrier();
    Value* digit = b.CreateURem(b.CreateUDiv(code.warp(), code.int64(below)), code.int64(times));
    Value* first = b.CreateSub(code.threadOfGroup(), b.CreateMul(digit, code.int64(below * kLanesOfWarp)));
    for (size_t i = 0; i < own.size(); ++i) {
      const auto of = [&](int64_t warp) {
        Value* thread = b.CreateAdd(first, code.int64(warp * below * kLanesOfWarp));
        return load(code, view, {code.int64(static_cast<int64_t>(i)), thread}, 1)[0];
      };
      own[i] = of(0);
      for (int64_t warp = 1; warp < times; ++warp) own[i] = combine(own[i], of(warp));
    }
    return own;
  }

 private:
  KernelLowering& lowering_;
  Kind kind_;
  ElementType type_;
};

bool isAmong(const Sizes& axes, int64_t axis) { return std::ranges::find(axes, axis) != axes.end(); }

Sizes without(const Sizes& index, const Sizes& axes) {
  Sizes left;
  for (size_t i = 0; i < index.size(); ++i)
    if (!isAmong(axes, static_cast<int64_t>(i))) left.push_back(index[i]);
  return left;
}

// Which of the logical dimensions a dimension of the tiled array is part of.
size_t logicalDimension(const TiledLayout& layout, const RegisterMap& map, const ThreadDimension& dim) {
  Sizes unit(layout.tiling.tiledShape(map.shape())->size(), 0);
  unit[unit.size() - static_cast<size_t>(-dim.dimension)] = 1;
  const Sizes weights = layout.tiling.untiled(std::move(unit));
  return static_cast<size_t>(std::ranges::find_if(weights, [](int64_t w) { return w != 0; }) -
                             weights.begin());
}

// Digits of a warp's or lane's number that number elements along the axes: how far apart, and how many.
struct Digit {
  int64_t below = 1, size = 1;
};
std::vector<Digit> reducedDigits(const TiledLayout& layout, const RegisterMap& map,
                                 const std::vector<ThreadDimension>& dims, const Sizes& axes) {
  std::vector<Digit> digits;
  int64_t below = 1;
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    const int64_t size = dim->isCopies() ? dim->times : layout.sizeOf(*dim);
    if (!dim->isCopies() && isAmong(axes, static_cast<int64_t>(logicalDimension(layout, map, *dim))))
      digits.push_back({below, size});
    below *= size;
  }
  return digits;
}

// Elements of a thread by the element of the result they go to, numbered as `numberOf` says.
std::vector<Scalar> withinThread(Reduction& reduction, const RegisterArray& source, size_t count,
                                 const std::function<std::optional<size_t>(const Sizes&)>& numberOf) {
  std::vector<Scalar> sums(count);
  for (size_t i = 0; i < source.elements.size(); ++i) {
    const auto number = numberOf(*source.map.elementAt(placeOf(source.map, i)));
    if (!number || *number >= count) return {};
    Scalar& sum = sums[*number];
    sum = sum.value ? reduction.combine(sum, source.elements[i]) : source.elements[i];
  }
  return sums;
}

Result<std::vector<Scalar>> withOthers(const KernelOp& op, Reduction& reduction, const RegisterArray& source,
                                       const Sizes& axes, std::vector<Scalar> sums) {
  const auto& layout = std::get<TiledLayout>(source.map.layout());
  for (const Digit& digit : reducedDigits(layout, source.map, layout.laneDims, axes)) {
    if (!std::has_single_bit(static_cast<uint64_t>(digit.size))) return refuse(op, "lanes by threes");
    for (int64_t bit = digit.below; bit < digit.below * digit.size; bit *= 2)
      for (Scalar& sum : sums) sum = reduction.withLane(sum, bit);
  }
  for (const Digit& digit : reducedDigits(layout, source.map, layout.warpDims, axes))
    if (digit.size > 1) sums = reduction.withWarps(std::move(sums), digit.below, digit.size);
  return sums;
}

// All elements of a strided array: of every thread, whatever it holds.
std::vector<Scalar> withAllThreads(Reduction& reduction, std::vector<Scalar> sums) {
  for (int64_t bit = 1; bit < kLanesOfWarp; bit *= 2) sums[0] = reduction.withLane(sums[0], bit);
  return reduction.withWarps(std::move(sums), 1, kWarpsOfWarpgroup);
}

}  // namespace

Status lowerMultiReduction(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 2, 1));
  TRY(const Kind kind, kindOf(one));
  TRY(const Sizes axes, listOf(one, "reduction_dims"));
  TRY(const RegisterArray source, lowering.array(op, 0));
  TRY(const RegisterArray before, lowering.array(op, 1));
  TRY(RegisterMap map, lowering.resultMap(op));
  if (!std::holds_alternative<TiledLayout>(source.map.layout()))
    return refuse(one, "an array that is not tiled");
  Reduction reduction(lowering, kind, source.type);
  auto sums = withinThread(reduction, source, elementsOf(map),
                           [&](const Sizes& index) { return elementAt(map, without(index, axes), 0); });
  if (sums.empty() || !std::ranges::all_of(sums, [](const Scalar& sum) { return sum.value; }))
    return refuse(one, "a result that is laid out in another way than what is left of its operand");
  TRY(sums, withOthers(one, reduction, source, axes, std::move(sums)));
  RegisterArray result{source.type, std::move(map), {}};
  for (size_t i = 0; i < sums.size(); ++i)
    result.elements.push_back(reduction.combine(sums[i], before.elements[before.isSplat() ? 0 : i]));
  lowering.give(one.results[0], std::move(result));
  return {};
}

Status lowerReduction(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 1));
  TRY(const Kind kind, kindOf(one));
  TRY(const RegisterArray source, lowering.array(op, 0));
  if (source.isSplat()) return refuse(one, "of an array whose elements are all equal");
  Reduction reduction(lowering, kind, source.type);
  auto sums = withinThread(reduction, source, 1, [](const Sizes&) { return 0; });
  if (std::holds_alternative<StridedLayout>(source.map.layout())) {
    sums = withAllThreads(reduction, std::move(sums));
  } else {
    Sizes axes;
    for (size_t i = 0; i < source.map.shape().size(); ++i) axes.push_back(static_cast<int64_t>(i));
    TRY(sums, withOthers(one, reduction, source, axes, std::move(sums)));
  }
  if (one.operands.size() > 1) {
    TRY(const RegisterArray before, lowering.array(op, 1));
    sums[0] = reduction.combine(sums[0], before.elements[0]);
  }
  lowering.give(one.results[0], scalarArray(source.type, sums[0]));
  return {};
}

}  // namespace hilo::warpgroup
