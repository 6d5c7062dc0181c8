// Dots with few rows or few columns, such as a matrix by a vector, with what is before and after them.
//
// Rule: a dot of fewer than kLeastSize rows or columns and of kLeastSum products a sum or more, or a fusion
// about one, of integers that give integers, of real floats or of complex numbers. The operand with more
// lines is the matrix: each of its elements is read once, in whole lines of memory, and multiplied by those
// of every line of the other. Where sums go along its memory, threads of a warp, or of a block, share a sum
// and meet by shuffles; else the lanes of a warp have columns side by side, and the warps of a block share
// the sums and meet in shared memory. Floats of 32 bits and narrower are summed in f32, complex ones in f64.
#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/hero_form.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/thin_dot_plan.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kWarps = kBlockThreads / kWarpThreads;
constexpr int64_t kMostSharedBytes = 32 << 10;

class ThinDot {
 public:
  ThinDot(KernelDraft& draft, const Instruction& instruction, const ThinDotPlan& plan)
      : draft_(draft),
        elements_(draft.elements()),
        k_(draft.builder()),
        b_(k_.b()),
        s_(k_.scalars()),
        block_(k_),
        plan_(plan),
        root_(writtenBy(instruction)),
        type_(*dotSumType(*plan.dot)) {}

  void write() {
    findThread();
    for (int64_t i = 0; i < plan_.fewLines() * plan_.lines; ++i) sums_.push_back(k_.variable(s_.zero(type_)));
    const int64_t step = plan_.threads * plan_.depth, whole = plan_.sum() / step;
    const auto placeOf = [&](Value* i) {
      return b_.CreateMul(b_.CreateAdd(b_.CreateMul(i, k_.int64(plan_.threads)), place_),
                          k_.int64(plan_.depth), "", true, true);
    };
    k_.loop(k_.int64(0), k_.int64(whole), [&](Value* i) { addProducts(placeOf(i)); });
    if (plan_.sum() % step != 0) {
      Value* last = placeOf(k_.int64(whole));
      k_.branch(b_.CreateICmpULT(last, k_.int64(plan_.sum())), [&] { addProducts(last); });
    }
    if (!plan_.isAlongSum)
      meetAcrossWarps();
    else
      plan_.threads > kWarpThreads ? meetInBlock() : meetInWarp();
  }

 private:
  // Threads past the last lines do these too, as all must come to a shuffle, and store nothing.
  void findThread() {
    Value* lanes = k_.int64(plan_.isAlongSum ? plan_.threads : kWarpThreads);
    Value *quick = b_.CreateURem(block_.thread(), lanes), *slow = b_.CreateUDiv(block_.thread(), lanes);
    place_ = plan_.isAlongSum ? quick : slow;
    Value* group = b_.CreateAdd(b_.CreateMul(block_.piece(), k_.int64(kBlockThreads / plan_.threads)),
                                plan_.isAlongSum ? slow : quick);
    isReal_ = b_.CreateICmpULT(group, k_.int64(plan_.groups()));
    group = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, group, k_.int64(plan_.groups() - 1));
    first_ = plan_.kept(k_, b_.CreateMul(group, k_.int64(plan_.lines), "", true, true));
  }

  void addProducts(Value* summed) {
    elements_.inFrame([&] {
      const auto along = [&](const DotSide& side, const Places& kept, std::vector<Scalar>& to) {
        for (int64_t i = 0; i < plan_.depth; ++i) {
          const Scalar x = elements_.at(*side.operand, k_.indexAt(plan_.at(k_, side, kept, summed, i)));
          to.push_back(s_.convert(side.shape().elementType(), type_, x));
        }
      };
      std::vector<Scalar> matrix, other;
      for (int64_t line = 0; line < plan_.lines; ++line)
        along(plan_.many, plan_.manyLine(k_, first_, k_.int64(line)), matrix);
      for (int64_t line = 0; line < plan_.fewLines(); ++line)
        along(plan_.few, plan_.fewLine(k_, first_, k_.int64(line)), other);
      for (size_t n = 0; n < sums_.size(); ++n) {
        const auto lines = static_cast<size_t>(plan_.lines), depth = static_cast<size_t>(plan_.depth);
        Scalar sum = k_.get(sums_[n]);
        for (size_t i = 0; i < depth; ++i)
          sum = multiplyAdd(matrix[n % lines * depth + i], other[n / lines * depth + i], sum);
        k_.set(sums_[n], sum);
      }
    });
  }

  Value* multiplyAdd(Value* a, Value* b, Value* sum) {
    if (isIntegral(type_)) return b_.CreateAdd(sum, b_.CreateMul(a, b));
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, sum});
  }
  Scalar multiplyAdd(const Scalar& a, const Scalar& b, const Scalar& sum) {
    if (!isComplex(type_)) return {multiplyAdd(a.value, b.value, sum.value)};
    Value* real = multiplyAdd(b_.CreateFNeg(a.imaginary), b.imaginary, sum.value);
    Value* imaginary = multiplyAdd(a.imaginary, b.value, sum.imaginary);
    return {multiplyAdd(a.value, b.value, real), multiplyAdd(a.value, b.imaginary, imaginary)};
  }

  Scalar add(const Scalar& a, const Scalar& b) { return s_.binary(Opcode::Add, type_, a, b); }

  Scalar sumOfLanes(const KernelBuilder::Variable& sum, int64_t width) {
    Scalar own = k_.get(sum);
    for (int by = 1; by < width; by *= 2)
      own = add(own, block_.fromLaneBeyond(own, by, static_cast<int>(width)));
    return own;
  }

  void meetInWarp() {
    std::vector<Scalar> totals;
    for (const auto& sum : sums_) totals.push_back(sumOfLanes(sum, plan_.threads));
    k_.branch(b_.CreateAnd(isReal_, b_.CreateICmpEQ(place_, k_.int64(0))), [&] {
      for (int64_t n = 0; n < static_cast<int64_t>(totals.size()); ++n)
        give(k_.int64(n / plan_.lines), k_.int64(n % plan_.lines), totals[static_cast<size_t>(n)]);
    });
  }

  // What the warps have of each of `count` sums comes to a thread each.
  void meetInBlock() {
    const auto count = static_cast<int64_t>(sums_.size());
    SharedAccumulators shared(block_, k_, {type_}, count * kWarps);
    Value* warp = b_.CreateUDiv(block_.thread(), k_.int64(kWarpThreads));
    Value* isFirst = b_.CreateICmpEQ(b_.CreateURem(block_.thread(), k_.int64(kWarpThreads)), k_.int64(0));
    std::vector<Scalar> totals;
    for (const auto& sum : sums_) totals.push_back(sumOfLanes(sum, kWarpThreads));
    const auto placeOf = [&](Value* w, Value* sum) {
      return b_.CreateAdd(b_.CreateMul(w, k_.int64(count)), sum);
    };
    block_.barrier();  // the piece before has been read
    k_.branch(isFirst, [&] {
      for (int64_t n = 0; n < count; ++n)
        shared.store(placeOf(warp, k_.int64(n)), {totals[static_cast<size_t>(n)]});
    });
    block_.barrier();
    k_.branch(b_.CreateICmpULT(block_.thread(), k_.int64(count)), [&] {
      Value* lines = k_.int64(plan_.lines);
      const Scalar total = sumOfWarps(shared, [&](Value* w) { return placeOf(w, block_.thread()); });
      give(b_.CreateUDiv(block_.thread(), lines), b_.CreateURem(block_.thread(), lines), total);
    });
  }

  Scalar sumOfWarps(SharedAccumulators& shared, const std::function<Value*(Value*)>& placeOf) {
    Scalar total = shared.load(placeOf(k_.int64(0)))[0];
    for (int64_t w = 1; w < kWarps; ++w) total = add(total, shared.load(placeOf(k_.int64(w)))[0]);
    return total;
  }

  // Some of the other operand's lines at once, a warp each; lanes are side by side, so none meet in a bank.
  void meetAcrossWarps() {
    const int64_t lines = plan_.lines, bytes = kBlockThreads * lines * elementStorageBytes(type_);
    const int64_t most = std::min({plan_.fewLines(), kWarps, kMostSharedBytes / bytes});
    SharedAccumulators shared(block_, k_, {type_}, most * lines * kBlockThreads);
    Value* lane = b_.CreateURem(block_.thread(), k_.int64(kWarpThreads));
    const auto placeOf = [&](Value* few, int64_t line, Value* warp) {
      Value* row = b_.CreateAdd(b_.CreateMul(few, k_.int64(lines)), k_.int64(line));
      row = b_.CreateAdd(b_.CreateMul(row, k_.int64(kWarps)), warp);
      return b_.CreateAdd(b_.CreateMul(row, k_.int64(kWarpThreads)), lane);
    };
    for (int64_t first = 0; first < plan_.fewLines(); first += most) {
      const int64_t count = std::min(most, plan_.fewLines() - first);
      block_.barrier();  // those before have been read
      for (int64_t n = 0; n < count * lines; ++n)
        shared.store(placeOf(k_.int64(n / lines), n % lines, place_),
                     {k_.get(sums_[static_cast<size_t>(first * lines + n)])});
      block_.barrier();
      k_.branch(b_.CreateAnd(isReal_, b_.CreateICmpULT(place_, k_.int64(count))), [&] {
        for (int64_t line = 0; line < lines; ++line)
          give(b_.CreateAdd(place_, k_.int64(first)), k_.int64(line),
               sumOfWarps(shared, [&](Value* w) { return placeOf(place_, line, w); }));
      });
    }
  }

  void give(Value* few, Value* many, const Scalar& sum) {
    elements_.inFrame([&] {
      const auto shapes = arrayLeaves(root_.shape());
      const ElementIndex index =
          plan_.resultAt(k_, plan_.manyLine(k_, first_, many), plan_.fewLine(k_, first_, few));
      elements_.know(*plan_.dot, index, {s_.convert(type_, plan_.dot->shape().elementType(), sum)});
      for (size_t i = 0; i < shapes.size(); ++i)
        k_.store(draft_.resultBuffer(i), shapes[i], index, resultAt(elements_, root_, i, index));
    });
  }

  KernelDraft& draft_;
  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  ScalarEmitter& s_;
  Block block_;
  const ThinDotPlan& plan_;
  const Instruction& root_;
  const ElementType type_;
  std::vector<KernelBuilder::Variable> sums_;  // of each line of the other operand, those of the matrix
  Value *place_ = nullptr, *isReal_ = nullptr;
  Places first_;  // of the matrix
};

}  // namespace

Result<bool> lowerThinDot(const Instruction& instruction, LoweringContext& context) {
  const auto dots = heroesOf(instruction, isThinDot);
  if (dots.size() != 1) return false;
  const ThinDotPlan plan = thinDotPlan(*dots[0]);
  const LeafValues results = context.newLeaves(instruction.shape());
  KernelDraft draft(context, instruction, results);
  ThinDot(draft, instruction, plan).write();
  const Status done =
      draft.finish(Block::iterations(plan.pieces()), 100 + plan.groups() * plan.lines * plan.sum());
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  context.values[&instruction] = results;
  return true;
}

}  // namespace hilo::gpu
