#include "core/compiler/codegen/gpu/dot_form.h"

#include <algorithm>

#include "core/compiler/codegen/gpu/places.h"
#include "core/compiler/codegen/gpu/vectors.h"

namespace hilo::gpu {

using llvm::Value;

int64_t DotSide::count(const std::vector<int64_t>& dims) const {
  int64_t product = 1;
  for (const int64_t d : dims) product *= shape().dimension(static_cast<size_t>(d));
  return product;
}

bool DotSide::isDense(const std::vector<int64_t>& dims, int64_t length) const {
  if (dims.empty()) return false;
  const auto last = static_cast<size_t>(dims.back());
  return layoutStrides(shape())[last] == 1 && shape().dimension(last) % length == 0;
}

void placeIn(KernelBuilder& k, const DotSide& side, const std::vector<int64_t>& dims, Value* number,
             Places& at) {
  std::vector<int64_t> sizes;
  for (const int64_t d : dims) sizes.push_back(side.shape().dimension(static_cast<size_t>(d)));
  const Places own = placesOf(k, number, sizes);
  for (size_t i = 0; i < dims.size(); ++i) at[static_cast<size_t>(dims[i])] = own[i];
}

namespace {

DotSide sideOf(const Instruction& dot, size_t operand, std::span<const int64_t> batch,
               std::span<const int64_t> summed) {
  DotSide side{dot.operand(operand), {batch.begin(), batch.end()}, {}, {summed.begin(), summed.end()}};
  const auto contains = [](const std::vector<int64_t>& list, int64_t d) {
    return std::ranges::find(list, d) != list.end();
  };
  for (int64_t d = 0; d < static_cast<int64_t>(side.shape().rank()); ++d) {
    if (!contains(side.batch, d) && !contains(side.summed, d)) side.free.push_back(d);
  }
  return side;
}

}  // namespace

std::optional<ElementType> dotSumType(const Instruction& dot) {
  const ElementType types[] = {dot.shape().elementType(), dot.operand(0)->shape().elementType(),
                               dot.operand(1)->shape().elementType()};
  if (std::ranges::all_of(types, isComplex)) return ElementType::C128;
  if (std::ranges::all_of(types, isFloat))
    return std::ranges::find(types, ElementType::F64) != std::end(types) ? ElementType::F64
                                                                         : ElementType::F32;
  if (std::ranges::all_of(types, [](ElementType t) { return isIntegral(t) && t != ElementType::Pred; }))
    return elementBits(types[0]) <= 32 ? ElementType::S32 : ElementType::S64;
  return std::nullopt;
}

DotForm dotFormOf(const Instruction& dot) {
  DotForm form{&dot, sideOf(dot, 0, dot.get<Attr::LhsBatchDims>(), dot.get<Attr::LhsContractingDims>()),
               sideOf(dot, 1, dot.get<Attr::RhsBatchDims>(), dot.get<Attr::RhsContractingDims>())};
  if (dot.opcode() == Opcode::RaggedDot) {
    for (const int64_t group : dot.get<Attr::RhsGroupDims>()) std::erase(form.right.free, group);
  }
  return form;
}

ElementIndex DotForm::resultAt(KernelBuilder& k, Value* batchNumber, Value* row, Value* column) const {
  Places result;
  const auto add = [&](const DotSide& side, const std::vector<int64_t>& dims, Value* number) {
    Places at(side.shape().rank());
    placeIn(k, side, dims, number, at);
    for (const int64_t d : dims) result.push_back(at[static_cast<size_t>(d)]);
  };
  add(left, left.batch, batchNumber);
  add(left, left.free, row);
  add(right, right.free, column);
  return k.indexAt(result);
}

void DotTile::fill(Value* batch, Value* firstLine, Value* firstSummed,
                   const std::function<void(Value*, Value*, const Scalar&, Value*)>& give) {
  llvm::IRBuilder<>& b = k_.b();
  const int64_t most = kVectorBytes / elementStorageBytes(side_.shape().elementType());
  // Along memory, as many elements at once as are 16 bytes.
  const bool alongLines = side_.isAlongFree();
  const auto& fast = alongLines ? side_.free : side_.summed;
  int64_t width = std::max<int64_t>(most, 1);
  while (width > 1 && (!side_.isDense(fast, width) || lines_ * depth_ / width < kBlockThreads)) width /= 2;
  const int64_t fastCount = (alongLines ? lines_ : depth_) / width;
  for (int64_t first = 0; first < lines_ * depth_ / width; first += kBlockThreads) {
    Value* number = b.CreateAdd(block_.thread(), k_.int64(first));
    Value* quick = b.CreateMul(b.CreateURem(number, k_.int64(fastCount)), k_.int64(width), "", true, true);
    Value* slow = b.CreateUDiv(number, k_.int64(fastCount));
    Value *line = alongLines ? quick : slow, *i = alongLines ? slow : quick;
    Value *row = b.CreateAdd(firstLine, line), *summed = b.CreateAdd(firstSummed, i);
    const int64_t rows = side_.count(side_.free), depth = side_.count(side_.summed);
    Value* isIn = b.CreateAnd(b.CreateICmpULT(row, k_.int64(rows)), b.CreateICmpULT(summed, k_.int64(depth)));
    const auto within = [&](Value* at, int64_t count, bool isFast) {
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, k_.int64(count - (isFast ? width : 1)));
    };
    Places at(side_.shape().rank());
    for (const auto& [d, place] : others_) at[static_cast<size_t>(d)] = place;
    placeIn(k_, side_, side_.batch, batch, at);
    placeIn(k_, side_, side_.free, within(row, rows, alongLines), at);
    placeIn(k_, side_, side_.summed, within(summed, depth, !alongLines), at);
    elements_.inFrame([&] {
      std::vector<Scalar> all;
      for (int64_t v = 0; v < width; ++v) {
        Places own = at;
        if (v > 0)
          own[static_cast<size_t>(fast.back())] =
              b.CreateAdd(at[static_cast<size_t>(fast.back())], k_.int64(v), "", true, true);
        all.push_back(elements_.at(*side_.operand, k_.indexAt(own)));
      }
      for (int64_t v = 0; v < width; ++v) {
        Value* on = k_.int64(v);
        give(alongLines ? b.CreateAdd(line, on) : line, alongLines ? i : b.CreateAdd(i, on),
             all[static_cast<size_t>(v)], isIn);
      }
    });
  }
}

}  // namespace hilo::gpu
