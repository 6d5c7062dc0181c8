// Windows of all elements up to a place, such as a cumulative sum: one pass over each line.
//
// Rule: a reduce-window whose windows are such (core/analysis/cumulative_window.h). Where neighbours of a
// line are so in memory a block does it, 256 elements after the other: lanes of a warp add up by shuffles,
// warps through shared memory, and what was so far goes on to the next 256. Elsewhere a thread does a line,
// beside the neighbours'.
#include "core/analysis/cumulative_window.h"
#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/places.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kWarps = kBlockThreads / kWarpThreads;

class CumulativeKernel {
 public:
  CumulativeKernel(KernelDraft& draft, const Instruction& window, CumulativeWindow form)
      : draft_(draft),
        elements_(draft.elements()),
        k_(draft.builder()),
        b_(k_.b()),
        form_(form),
        shape_(window.operand(0)->shape()),
        length_(shape_.dimension(form.dimension)),
        fold_(elements_, window) {}

  int64_t lines() const { return shape_.elementCount() / length_; }
  bool isAlongMemory() const {
    return layoutStrides(shape_)[form_.dimension] == 1 && length_ >= kWarpThreads;
  }

  void writeByThreads() {
    place_ = lineAt(k_, shape_, form_.dimension, k_.begin());
    std::vector<KernelBuilder::Variable> sums;
    for (const Scalar& start : fold_.initial()) sums.push_back(k_.variable(start));
    k_.loop(k_.int64(0), k_.int64(length_), [&](Value* i) {
      elements_.inFrame([&] {
        const Scalars next = fold_.combine(get(sums), fold_.element(at(i)));
        set(sums, next);
        store(i, next);
      });
    });
  }

  void writeByBlocks() {
    Block block(k_);
    place_ = lineAt(k_, shape_, form_.dimension, block.piece());
    SharedAccumulators warps(block, k_, fold_.types(), kWarps);
    Value* lane = b_.CreateURem(block.thread(), k_.int64(kWarpThreads));
    Value* warp = b_.CreateUDiv(block.thread(), k_.int64(kWarpThreads));
    std::vector<KernelBuilder::Variable> before;
    for (const Scalar& start : fold_.initial()) before.push_back(k_.variable(start));
    k_.loop(k_.int64(0), k_.int64((length_ + kBlockThreads - 1) / kBlockThreads), [&](Value* chunk) {
      Value* i = b_.CreateAdd(b_.CreateMul(chunk, k_.int64(kBlockThreads)), block.thread());
      elements_.inFrame([&] {
        // Threads past the end read the last element: nobody before them takes what they have.
        Value* read = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, i, k_.int64(length_ - 1));
        const Scalars own = addUpWarp(block, fold_.element(at(read)), lane);
        block.barrier();  // the warps' sums before have been read
        k_.branch(b_.CreateICmpEQ(lane, k_.int64(kWarpThreads - 1)), [&] { warps.store(warp, own); });
        block.barrier();
        Scalars ahead = get(before), all = ahead;
        for (int64_t w = 0; w < kWarps; ++w) {
          all = fold_.combine(all, warps.load(k_.int64(w)));
          ahead = choose(b_.CreateICmpULT(k_.int64(w), warp), all, ahead);
        }
        set(before, all);
        k_.branch(b_.CreateICmpULT(i, k_.int64(length_)), [&] { store(i, fold_.combine(ahead, own)); });
      });
    });
  }

 private:
  // Each lane's value becomes that of all lanes up to it.
  Scalars addUpWarp(Block& block, Scalars own, Value* lane) {
    for (int by = 1; by < kWarpThreads; by *= 2) {
      Scalars other;
      for (const Scalar& value : own) other.push_back(block.fromLaneBefore(value, by));
      own = choose(b_.CreateICmpUGE(lane, k_.int64(by)), fold_.combine(other, own), own);
    }
    return own;
  }

  Scalars choose(Value* condition, const Scalars& yes, const Scalars& no) {
    Scalars chosen;
    for (size_t i = 0; i < yes.size(); ++i) chosen.push_back(k_.scalars().select(condition, yes[i], no[i]));
    return chosen;
  }

  ElementIndex at(Value* i) {
    auto place = place_;
    place[form_.dimension] = form_.isFromEnd ? b_.CreateSub(k_.int64(length_ - 1), i) : i;
    return k_.indexAt(place);
  }

  void store(Value* i, const Scalars& total) {
    const auto shapes = arrayLeaves(fold_.reduction().shape());
    const Scalars values = fold_.result(total);
    for (size_t r = 0; r < shapes.size(); ++r) k_.store(draft_.resultBuffer(r), shapes[r], at(i), values[r]);
  }

  Scalars get(const std::vector<KernelBuilder::Variable>& variables) {
    Scalars values;
    for (const auto& variable : variables) values.push_back(k_.get(variable));
    return values;
  }
  void set(const std::vector<KernelBuilder::Variable>& variables, const Scalars& values) {
    for (size_t i = 0; i < values.size(); ++i) k_.set(variables[i], values[i]);
  }

  KernelDraft& draft_;
  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const CumulativeWindow form_;
  const Shape shape_;
  const int64_t length_;
  Accumulator fold_;
  Places place_;  // of the line
};

}  // namespace

Result<bool> lowerCumulative(const Instruction& instruction, LoweringContext& context) {
  if (instruction.opcode() != Opcode::ReduceWindow) return false;
  const auto form = cumulativeWindow(instruction);
  if (!form || instruction.operand(0)->shape().elementCount() == 0) return false;
  const LeafValues results = context.newLeaves(instruction.shape());
  KernelDraft draft(context, instruction, results);
  CumulativeKernel kernel(draft, instruction, *form);
  const bool byBlocks = kernel.isAlongMemory();
  byBlocks ? kernel.writeByBlocks() : kernel.writeByThreads();
  const Status done = draft.finish(byBlocks ? Block::iterations(kernel.lines()) : kernel.lines(),
                                   100 + instruction.operand(0)->shape().elementCount());
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  context.values[&instruction] = results;
  return true;
}

}  // namespace hilo::gpu
