// Transposes that change which dimension is dense: squares are loaded row by row, turned in registers and
// stored row by row, so that both sides touch whole cache lines.
#include "core/compiler/codegen/kernel_draft.h"

namespace hilo {

using llvm::Value;

namespace {

struct Axis {
  int64_t size, from, to;  // strides in elements of the operand and of the result
};

// The move as loops: the two dense dimensions, and all others.
struct TransposePlan {
  Axis denseFrom, denseTo;  // dense in the operand, dense in the result
  std::vector<Axis> others;
  int elementBytes;
  int64_t lanes;  // of a square's side
};

// Dimensions that stay neighbours are walked as one.
std::vector<Axis> axesOf(const Instruction& instruction) {
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  const auto fromStrides = layoutStrides(from), toStrides = layoutStrides(to);
  std::vector<Axis> axes;
  for (const int64_t dimension : majorToMinor(to)) {
    const auto d = static_cast<size_t>(dimension);
    const size_t source =
        instruction.opcode() == Opcode::Transpose ? static_cast<size_t>(instruction.dimensions()[d]) : d;
    const Axis axis{to.dimension(d), fromStrides[source], toStrides[d]};
    if (axis.size == 1) continue;
    if (!axes.empty() && axes.back().from == axis.from * axis.size && axes.back().to == axis.to * axis.size) {
      axes.back() = {axes.back().size * axis.size, axis.from, axis.to};
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

std::optional<TransposePlan> planOf(const Instruction& instruction) {
  const bool isMove = instruction.opcode() == Opcode::Transpose || instruction.opcode() == Opcode::Copy;
  if (!isMove || !instruction.shape().isArray() || instruction.operand(0)->opcode() == Opcode::Constant)
    return std::nullopt;
  const ElementType type = instruction.shape().elementType();
  TransposePlan plan;
  plan.elementBytes = elementStorageBytes(type);
  if (elementBits(type) < 8 || plan.elementBytes > 8) return std::nullopt;
  plan.lanes = plan.elementBytes == 8 ? 8 : 16;
  int found = 0;
  for (const Axis& axis : axesOf(instruction)) {
    if (axis.from == 1 && axis.to == 1) return std::nullopt;
    if (axis.from == 1) {
      plan.denseFrom = axis;
    } else if (axis.to == 1) {
      plan.denseTo = axis;
    } else {
      plan.others.push_back(axis);
      continue;
    }
    ++found;
  }
  if (found != 2 || plan.denseFrom.size < plan.lanes || plan.denseTo.size < plan.lanes) return std::nullopt;
  return plan;
}

// Rows become columns: blocks beside the diagonal change places, of one element, then of two, of four...
void turn(llvm::IRBuilder<>& b, llvm::MutableArrayRef<Value*> rows) {
  const int lanes = static_cast<int>(rows.size());
  for (int block = 1; block < lanes; block *= 2) {
    llvm::SmallVector<int, 16> upper, lower;
    for (int lane = 0; lane < lanes; ++lane) {
      const bool isLeft = (lane & block) == 0;
      upper.push_back(isLeft ? lane : lanes + lane - block);
      lower.push_back(isLeft ? lane + block : lanes + lane);
    }
    for (int row = 0; row < lanes; ++row) {
      if ((row & block) != 0) continue;
      Value *first = rows[static_cast<size_t>(row)], *second = rows[static_cast<size_t>(row + block)];
      rows[static_cast<size_t>(row)] = b.CreateShuffleVector(first, second, upper);
      rows[static_cast<size_t>(row + block)] = b.CreateShuffleVector(first, second, lower);
    }
  }
}

class TransposeKernel {
 public:
  TransposeKernel(KernelBuilder& kernel, const TransposePlan& plan, int from, int to)
      : k_(kernel),
        b_(kernel.b()),
        plan_(plan),
        fromBuffer_(from),
        toBuffer_(to),
        element_(b_.getIntNTy(static_cast<unsigned>(8 * plan.elementBytes))),
        row_(llvm::FixedVectorType::get(element_, static_cast<unsigned>(plan.lanes))) {}

  // Iterations: `lanes` places of the dense dimension of the result, for each place of the other dimensions.
  int64_t iterations() const {
    int64_t count = stripes();
    for (const Axis& axis : plan_.others) count *= axis.size;
    return count;
  }

  void write() {
    k_.loop(k_.begin(), k_.end(), [&](Value* i) {
      Value* rest = b_.CreateUDiv(i, k_.int64(stripes()));
      Value* start = b_.CreateMul(b_.CreateURem(i, k_.int64(stripes())), k_.int64(plan_.lanes));
      Value *from = b_.CreateMul(start, k_.int64(plan_.denseTo.from)), *to = start;
      for (const Axis& axis : plan_.others) {
        Value* place = b_.CreateURem(rest, k_.int64(axis.size));
        rest = b_.CreateUDiv(rest, k_.int64(axis.size));
        from = b_.CreateAdd(from, b_.CreateMul(place, k_.int64(axis.from)));
        to = b_.CreateAdd(to, b_.CreateMul(place, k_.int64(axis.to)));
      }
      Value* left = b_.CreateSub(k_.int64(plan_.denseTo.size), start);
      k_.branch(
          b_.CreateICmpSGE(left, k_.int64(plan_.lanes)), [&] { fullStripe(from, to); },
          [&] { piece(from, to, k_.int64(0), left); });
    });
  }

 private:
  int64_t stripes() const { return (plan_.denseTo.size + plan_.lanes - 1) / plan_.lanes; }

  void fullStripe(Value* from, Value* to) {
    const int64_t squares = plan_.denseFrom.size / plan_.lanes;
    k_.loop(k_.int64(0), k_.int64(squares), [&](Value* square) {
      Value* column = b_.CreateMul(square, k_.int64(plan_.lanes));
      llvm::SmallVector<Value*, 16> rows;
      for (int64_t i = 0; i < plan_.lanes; ++i) {
        Value* place = b_.CreateAdd(b_.CreateAdd(from, column), k_.int64(i * plan_.denseTo.from));
        rows.push_back(k_.loadRaw(fromBuffer_, row_, element_, place));
      }
      turn(b_, rows);
      for (int64_t i = 0; i < plan_.lanes; ++i) {
        Value* place = b_.CreateAdd(column, k_.int64(i));
        k_.storeRaw(toBuffer_, element_, b_.CreateAdd(to, b_.CreateMul(place, k_.int64(plan_.denseFrom.to))),
                    rows[static_cast<size_t>(i)]);
      }
    });
    piece(from, to, k_.int64(squares * plan_.lanes), k_.int64(plan_.lanes));
  }

  // One by one: the columns from `column` on, `rows` of each.
  void piece(Value* from, Value* to, Value* column, Value* rows) {
    k_.loop(column, k_.int64(plan_.denseFrom.size), [&](Value* a) {
      k_.loop(k_.int64(0), rows, [&](Value* b) {
        Value* source = b_.CreateAdd(b_.CreateAdd(from, a), b_.CreateMul(b, k_.int64(plan_.denseTo.from)));
        Value* target = b_.CreateAdd(b_.CreateAdd(to, b), b_.CreateMul(a, k_.int64(plan_.denseFrom.to)));
        k_.storeRaw(toBuffer_, element_, target, k_.loadRaw(fromBuffer_, element_, element_, source));
      });
    });
  }

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const TransposePlan& plan_;
  int fromBuffer_, toBuffer_;
  llvm::Type* element_;
  llvm::Type* row_;
};

}  // namespace

Result<bool> Lowering::lowerTransposeInSquares(const Instruction& instruction, Scope& scope) {
  const auto plan = planOf(instruction);
  if (!plan) return false;
  const LeafValues results = newLeaves(instruction.shape());
  KernelDraft draft(*this, instruction, scope, results);
  TransposeKernel kernel(draft.builder(), *plan, 0, draft.resultBuffer(0));
  kernel.write();
  const int64_t bytes = instruction.shape().elementCount() * plan->elementBytes;
  TRY_STATUS(draft.finish(kernel.iterations(), 100 + bytes / 8));
  scope.values[&instruction] = results;
  passSizesOn(instruction, scope);
  return true;
}

}  // namespace hilo
