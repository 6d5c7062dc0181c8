// The few largest or smallest elements of lines, without sorting the lines.
//
// Rule: k of at most 16 (`isOfFewBest`) along the last dimension, of real numbers. A warp does a short line,
// a block a long one. Each thread keeps the best of the elements it reads in registers, in order; two
// threads' become one by taking the better of the first of one and the last of the other, and so on, and a
// few exchanges; the lanes of a warp hand theirs on by shuffles, the warps through shared memory. An element
// is kept as a number that is larger the better it is: floats in total order, and of equal ones the first.
// Others are sorted by the host, or as `topk-decomposer` writes them.
#include "core/analysis/few_best.h"
#include "core/compiler/codegen/gpu/block.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/places.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kShortLine = 4096;  // as much as a warp goes through
constexpr int64_t kWarps = kBlockThreads / kWarpThreads;

class TopKKernel {
 public:
  TopKKernel(KernelDraft& draft, const Instruction& topK)
      : draft_(draft),
        elements_(draft.elements()),
        k_(draft.builder()),
        b_(k_.b()),
        block_(k_),
        topK_(topK),
        values_(*topK.operand(0)),
        shape_(values_.shape()),
        along_(shape_.rank() - 1),
        length_(shape_.dimension(along_)),
        kept_(*topK.get<Attr::K>()),
        width_(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(kept_)))),
        bits_(static_cast<unsigned>(orderedBitCount(shape_.elementType()))),
        type_(b_.getIntNTy(bits_ <= 32 ? 64 : 128)) {}

  int64_t lines() const { return shape_.elementCount() / length_; }
  int64_t threads() const { return length_ <= kShortLine ? kWarpThreads : kBlockThreads; }
  int64_t pieces() const { return (lines() * threads() + kBlockThreads - 1) / kBlockThreads; }

  void write() {
    Value* lane = b_.CreateURem(block_.thread(), k_.int64(kWarpThreads));
    Value* warp = b_.CreateUDiv(block_.thread(), k_.int64(kWarpThreads));
    const bool byWarps = threads() == kWarpThreads;
    Value* line =
        byWarps ? b_.CreateAdd(b_.CreateMul(block_.piece(), k_.int64(kWarps)), warp) : block_.piece();
    // Warps past the last line do it too, and store nothing.
    Value* isReal = b_.CreateICmpULT(line, k_.int64(lines()));
    place_ = lineAt(k_, shape_, along_,
                    b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, line, k_.int64(lines() - 1)));
    std::vector<Value*> best = bestOfLanes(read(byWarps ? lane : block_.thread()), kWarpThreads);
    Value* isFirst = b_.CreateICmpEQ(lane, k_.int64(0));
    if (byWarps) {
      k_.branch(b_.CreateAnd(isReal, isFirst), [&] { store(best); });
      return;
    }
    const SharedArray shared = block_.shared(type_, kWarps * width_);
    // Warps side by side, so that lanes that read meet in no bank.
    const auto placeOf = [&](Value* of, int64_t i) { return b_.CreateAdd(of, k_.int64(i * kWarps)); };
    block_.barrier();  // the line before has been read
    k_.branch(isFirst, [&] {
      for (int64_t i = 0; i < width_; ++i)
        block_.store(shared, placeOf(warp, i), best[static_cast<size_t>(i)]);
    });
    block_.barrier();
    Value* from = b_.CreateURem(lane, k_.int64(kWarps));
    for (int64_t i = 0; i < width_; ++i) best[static_cast<size_t>(i)] = block_.load(shared, placeOf(from, i));
    best = bestOfLanes(std::move(best), kWarps);
    k_.branch(b_.CreateICmpEQ(block_.thread(), k_.int64(0)), [&] { store(best); });
  }

 private:
  // The best of every threads()th element from `first` on. No element is 0.
  std::vector<Value*> read(Value* first) {
    std::vector<KernelBuilder::Variable> best;
    for (int64_t i = 0; i < width_; ++i) best.push_back(k_.variable({llvm::ConstantInt::get(type_, 0)}));
    k_.loop(k_.int64(0), k_.int64((length_ + threads() - 1) / threads()), [&](Value* i) {
      Value* at = b_.CreateAdd(b_.CreateMul(i, k_.int64(threads())), first);
      k_.branch(b_.CreateICmpULT(at, k_.int64(length_)), [&] {
        elements_.inFrame([&] {
          Value* number = numberOf(at);
          k_.branch(b_.CreateICmpUGT(number, k_.get(best.back()).value), [&] { insert(best, number); });
        });
      });
    });
    std::vector<Value*> values;
    for (const auto& variable : best) values.push_back(k_.get(variable).value);
    return values;
  }

  void insert(const std::vector<KernelBuilder::Variable>& best, Value* number) {
    for (const auto& variable : best) {
      Value* there = k_.get(variable).value;
      k_.set(variable, {larger(there, number)});
      number = smaller(there, number);
    }
  }

  Value* larger(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b); }
  Value* smaller(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b); }

  // Its order above, what is left to the end of the line below.
  Value* numberOf(Value* at) {
    Value* order = k_.scalars().orderedBits(shape_.elementType(), elements_.at(values_, indexAt(at)));
    if (topK_.get<Attr::Largest>().value_or(true) == false) order = b_.CreateNot(order);
    Value* left = b_.CreateSub(k_.int64(int64_t{1} << 32), b_.CreateAdd(at, k_.int64(1)));
    return b_.CreateOr(b_.CreateShl(b_.CreateZExt(order, type_), 32), b_.CreateZExt(left, type_));
  }
  Value* placeOf(Value* number) {
    Value* left = b_.CreateAnd(b_.CreateZExtOrTrunc(number, b_.getInt64Ty()), k_.int64(UINT32_MAX));
    return b_.CreateSub(k_.int64(UINT32_MAX), left);
  }

  // Those of `lanes` lanes, for the first.
  std::vector<Value*> bestOfLanes(std::vector<Value*> own, int64_t lanes) {
    for (int by = 1; by < lanes; by *= 2) {
      std::vector<Value*> other;
      for (Value* number : own)
        other.push_back(block_.fromLaneBeyond({number}, by, static_cast<int>(lanes)).value);
      for (size_t i = 0; i < own.size(); ++i) own[i] = larger(own[i], other[own.size() - 1 - i]);
      inOrder(own);
    }
    return own;
  }

  // Of numbers that rise and then fall, or the other way round.
  void inOrder(std::vector<Value*>& numbers) {
    for (size_t apart = numbers.size() / 2; apart > 0; apart /= 2) {
      for (size_t i = 0; i < numbers.size(); ++i) {
        if ((i & apart) != 0) continue;
        Value *a = numbers[i], *b = numbers[i + apart];
        numbers[i] = larger(a, b);
        numbers[i + apart] = smaller(a, b);
      }
    }
  }

  void store(const std::vector<Value*>& best) {
    const auto shapes = arrayLeaves(topK_.shape());
    elements_.inFrame([&] {
      for (int64_t i = 0; i < kept_; ++i) {
        Value* at = placeOf(best[static_cast<size_t>(i)]);
        Places place = place_;
        place[along_] = k_.int64(i);
        const ElementIndex to = k_.indexAt(place);
        k_.store(draft_.resultBuffer(0), shapes[0], to, elements_.at(values_, indexAt(at)));
        k_.store(draft_.resultBuffer(1), shapes[1], to, {b_.CreateTrunc(at, b_.getInt32Ty())});
      }
    });
  }

  ElementIndex indexAt(Value* at) {
    Places place = place_;
    place[along_] = at;
    return k_.indexAt(place);
  }

  KernelDraft& draft_;
  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  Block block_;
  const Instruction& topK_;
  const Instruction& values_;
  const Shape shape_;
  const size_t along_;
  const int64_t length_, kept_, width_;
  const unsigned bits_;
  llvm::Type* type_;  // of the numbers
  Places place_;      // of the line
};

}  // namespace

Status lowerTopKOrHost(const Instruction& instruction, LoweringContext& context) {
  if (!isOfFewBest(instruction)) return lowerTopK(instruction, context);
  const LeafValues results = context.newLeaves(instruction.shape());
  KernelDraft draft(context, instruction, results);
  TopKKernel kernel(draft, instruction);
  kernel.write();
  TRY_STATUS(
      draft.finish(Block::iterations(kernel.pieces()), 100 + instruction.operand(0)->shape().elementCount()));
  context.values[&instruction] = results;
  return {};
}

}  // namespace hilo::gpu
