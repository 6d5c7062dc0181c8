#include "core/compiler/codegen/gpu/thin_dot_plan.h"

#include <algorithm>

#include "core/compiler/codegen/gpu/memory_source.h"
#include "core/compiler/codegen/gpu/vectors.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kLeastSize = 16;  // of rows and columns: other shapes take those
constexpr int64_t kLeastSum = 16;
constexpr int64_t kMostSums = 32;     // of a thread: they are in registers
constexpr int64_t kManyPieces = 256;  // a block each fills a GPU
constexpr int64_t kDepth = 4;         // lines of columns that a thread asks for at once

}  // namespace

bool isThinDot(const Instruction& dot) {
  if (dot.opcode() != Opcode::Dot || dot.operandCount() != 2 || !dotSumType(dot)) return false;
  const DotForm form = dotFormOf(dot);
  return std::min(form.rows(), form.columns()) < kLeastSize && form.sum() >= kLeastSum &&
         dot.shape().elementCount() > 0;
}

namespace {

// Pairs of dimensions, so that those of the matrix are from the slowest to the fastest.
void inMemoryOrder(const MemorySource& matrix, std::vector<int64_t>& own, std::vector<int64_t>* others) {
  std::vector<size_t> order(own.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {},
                    [&](size_t i) { return std::pair(-matrix.strides[static_cast<size_t>(own[i])], i); });
  std::vector<int64_t> ownNow, othersNow;
  for (const size_t i : order) {
    ownNow.push_back(own[i]);
    if (others != nullptr) othersNow.push_back((*others)[i]);
  }
  own = std::move(ownNow);
  if (others != nullptr) *others = std::move(othersNow);
}

int64_t lastSize(const DotSide& side, const std::vector<int64_t>& dims) {
  return dims.empty() ? 1 : side.shape().dimension(static_cast<size_t>(dims.back()));
}

int64_t dividing(int64_t most, int64_t size) {
  int64_t length = most;
  while (length > 1 && size % length != 0) length /= 2;
  return std::max<int64_t>(length, 1);
}

void shareAlongSum(ThinDotPlan& plan, int64_t vector) {
  plan.depth = dividing(vector, lastSize(plan.many, plan.many.summed));
  const int64_t steps = (plan.sum() + plan.depth - 1) / plan.depth;
  const bool isLong = steps >= (plan.groups() < kManyPieces ? 1 : 2) * int64_t{kBlockThreads};
  const auto wanted = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(steps)));
  plan.threads = isLong ? int64_t{kBlockThreads} : std::min<int64_t>(wanted, kWarpThreads);
  const int64_t most = std::min<int64_t>(4, kMostSums / plan.fewLines());
  const int64_t lines =
      dividing(std::bit_floor(static_cast<uint64_t>(most)), lastSize(plan.many, plan.many.free));
  while (plan.lines < lines && plan.pieces() >= 2 * kManyPieces) plan.lines *= 2;
}

void shareColumns(ThinDotPlan& plan, int64_t vector) {
  plan.threads = kBlockThreads / kWarpThreads;
  plan.depth = dividing(kDepth, lastSize(plan.many, plan.many.summed));
  const int64_t most = std::min<int64_t>(vector, kMostSums / plan.fewLines());
  const int64_t lines =
      dividing(std::bit_floor(static_cast<uint64_t>(most)), lastSize(plan.many, plan.many.free));
  while (plan.lines < lines && plan.pieces() >= 2 * kManyPieces) plan.lines *= 2;
}

}  // namespace

ThinDotPlan thinDotPlan(const Instruction& dot) {
  const DotForm form = dotFormOf(dot);
  const bool isManyLeft = form.rows() > form.columns();
  ThinDotPlan plan{.dot = &dot,
                   .many = isManyLeft ? form.left : form.right,
                   .few = isManyLeft ? form.right : form.left,
                   .isManyLeft = isManyLeft};
  const MemorySource matrix = memorySourceOf(*plan.many.operand);
  inMemoryOrder(matrix, plan.many.summed, &plan.few.summed);
  inMemoryOrder(matrix, plan.many.batch, &plan.few.batch);
  inMemoryOrder(matrix, plan.many.free, nullptr);
  const auto isNext = [&](const std::vector<int64_t>& dims) {
    return !dims.empty() && matrix.strides[static_cast<size_t>(dims.back())] == 1;
  };
  plan.isAlongSum = isNext(plan.many.summed) || !isNext(plan.many.free) || plan.manyLines() < kLeastSize;
  const int64_t vector = std::max<int64_t>(1, kVectorBytes / elementStorageBytes(matrix.type));
  const bool canBeSideBySide =
      !isComplex(matrix.type) && isNext(plan.isAlongSum ? plan.many.summed : plan.many.free);
  plan.isAlongSum ? shareAlongSum(plan, canBeSideBySide ? vector : 1)
                  : shareColumns(plan, canBeSideBySide ? vector : 1);
  return plan;
}

Places ThinDotPlan::kept(KernelBuilder& k, Value* number) const {
  std::vector<int64_t> dims = many.batch, sizes;
  dims.insert(dims.end(), many.free.begin(), many.free.end());
  for (const int64_t d : dims) sizes.push_back(many.shape().dimension(static_cast<size_t>(d)));
  const Places own = placesOf(k, number, sizes);
  Places places(many.shape().rank());
  for (size_t i = 0; i < dims.size(); ++i) places[static_cast<size_t>(dims[i])] = own[i];
  return places;
}

Places ThinDotPlan::manyLine(KernelBuilder& k, const Places& first, Value* line) const {
  Places places = first;
  if (many.free.empty()) return places;
  Value*& last = places[static_cast<size_t>(many.free.back())];
  last = k.b().CreateAdd(last, line, "", true, true);
  return places;
}

Places ThinDotPlan::fewLine(KernelBuilder& k, const Places& first, Value* line) const {
  Places places(few.shape().rank());
  for (size_t i = 0; i < few.batch.size(); ++i)
    places[static_cast<size_t>(few.batch[i])] = first[static_cast<size_t>(many.batch[i])];
  placeIn(k, few, few.free, line, places);
  return places;
}

Places ThinDotPlan::at(KernelBuilder& k, const DotSide& side, Places line, Value* summed, int64_t i) const {
  placeIn(k, side, side.summed, summed, line);
  Value*& last = line[static_cast<size_t>(side.summed.back())];
  if (i > 0) last = k.b().CreateAdd(last, k.int64(i), "", true, true);
  return line;
}

ElementIndex ThinDotPlan::resultAt(KernelBuilder& k, const Places& manyAt, const Places& fewAt) const {
  const DotForm form = dotFormOf(*dot);  // with dimensions in the result's order
  const Places &left = isManyLeft ? manyAt : fewAt, &right = isManyLeft ? fewAt : manyAt;
  Places result;
  for (const int64_t d : form.left.batch) result.push_back(left[static_cast<size_t>(d)]);
  for (const int64_t d : form.left.free) result.push_back(left[static_cast<size_t>(d)]);
  for (const int64_t d : form.right.free) result.push_back(right[static_cast<size_t>(d)]);
  return k.indexAt(result);
}

}  // namespace hilo::gpu
