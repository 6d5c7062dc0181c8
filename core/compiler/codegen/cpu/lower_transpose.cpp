// Transposes that change which dimension is dense: squares are loaded row by row, turned in registers and
// stored row by row, so that both sides touch whole cache lines.
#include "core/base/check.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/real_sizes.h"

namespace hilo::cpu {

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

// A line of memory, so that it can go past the caches whole; a quarter of one of bytes, as a line is more
// rows than can be turned at once.
int64_t sideOfSquare(int elementBytes, int64_t shorter) {
  if (elementBytes == 8) return 8;
  return elementBytes == 2 && shorter >= 32 ? 32 : 16;
}

std::optional<TransposePlan> planOf(const Instruction& instruction) {
  const bool isMove = instruction.opcode() == Opcode::Transpose || instruction.opcode() == Opcode::Copy;
  if (!isMove || !instruction.shape().isArray() || instruction.operand(0)->opcode() == Opcode::Constant)
    return std::nullopt;
  const ElementType type = instruction.shape().elementType();
  TransposePlan plan;
  plan.elementBytes = elementStorageBytes(type);
  if (elementBits(type) < 8 || plan.elementBytes > 8) return std::nullopt;
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
  if (found != 2) return std::nullopt;
  const int64_t shorter = std::min(plan.denseFrom.size, plan.denseTo.size);
  plan.lanes = sideOfSquare(plan.elementBytes, shorter);
  if (shorter < plan.lanes) return std::nullopt;
  return plan;
}

// Which element of which row each lane holds while rows become columns, and the rows themselves.
struct Row {
  Value* value;
  llvm::SmallVector<std::pair<int, int>, 32> elements;  // row, lane
};

// Two rows by a shuffle that stays within 128 bits or moves those whole: one instruction each. Lanes count on
// from the first row to the second.
Row shuffled(llvm::IRBuilder<>& b, const Row& first, const Row& second, llvm::ArrayRef<int> lanes) {
  const int count = static_cast<int>(lanes.size());
  Row row{b.CreateShuffleVector(first.value, second.value, lanes), {}};
  for (const int lane : lanes)
    row.elements.push_back(lane < count ? first.elements[static_cast<size_t>(lane)]
                                        : second.elements[static_cast<size_t>(lane - count)]);
  return row;
}

// Of every 128 bits the lower or the upper half of either row, `width` elements by turns.
llvm::SmallVector<int, 32> zipped(int lanes, int inQuarter, int width, bool upper) {
  llvm::SmallVector<int, 32> order;
  for (int quarter = 0; quarter < lanes; quarter += inQuarter) {
    for (int at = 0; at < inQuarter / 2; at += width) {
      for (const int row : {0, lanes}) {
        for (int i = 0; i < width; ++i) order.push_back(row + quarter + (upper ? inQuarter / 2 : 0) + at + i);
      }
    }
  }
  return order;
}

// Every other 128 bits of the first row, then of the second.
llvm::SmallVector<int, 32> everyOther(int lanes, int inQuarter, bool odd) {
  llvm::SmallVector<int, 32> order;
  for (const int row : {0, lanes}) {
    for (int quarter = odd ? inQuarter : 0; quarter < lanes; quarter += 2 * inQuarter) {
      for (int i = 0; i < inQuarter; ++i) order.push_back(row + quarter + i);
    }
  }
  return order;
}

// Rows become columns: rows one, then two, then four... apart are brought together.
void turn(llvm::IRBuilder<>& b, llvm::MutableArrayRef<Value*> rows, int elementBytes) {
  const int lanes = static_cast<int>(rows.size()), inQuarter = 16 / elementBytes;
  std::vector<Row> now;
  for (int row = 0; row < lanes; ++row) {
    now.push_back({rows[static_cast<size_t>(row)], {}});
    for (int lane = 0; lane < lanes; ++lane) now.back().elements.emplace_back(row, lane);
  }
  for (int apart = 1; apart < lanes; apart *= 2) {
    const auto lanesOf = [&](bool second) {
      return apart < inQuarter ? zipped(lanes, inQuarter, apart, second)
                               : everyOther(lanes, inQuarter, second);
    };
    for (int row = 0; row < lanes; ++row) {
      if ((row & apart) != 0) continue;
      const Row first = now[static_cast<size_t>(row)], second = now[static_cast<size_t>(row + apart)];
      now[static_cast<size_t>(row)] = shuffled(b, first, second, lanesOf(false));
      now[static_cast<size_t>(row + apart)] = shuffled(b, first, second, lanesOf(true));
    }
  }
  for (const Row& column : now) {
    for (int row = 0; row < lanes; ++row)
      CHECK(column.elements[static_cast<size_t>(row)] == std::pair(row, column.elements[0].second));
    rows[static_cast<size_t>(column.elements[0].second)] = column.value;
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

  // Iterations: a stripe of the dense dimension of the result, for each place of the other dimensions.
  int64_t iterations() const { return stripes() * otherPlaces(); }

  void write() {
    k_.loop(k_.begin(), k_.end(), [&](Value* i) {
      Value* rest = b_.CreateUDiv(i, k_.int64(stripes()));
      Value* start = b_.CreateMul(b_.CreateURem(i, k_.int64(stripes())), k_.int64(stripe_));
      Value *from = b_.CreateMul(start, k_.int64(plan_.denseTo.from)), *to = start;
      for (const Axis& axis : plan_.others) {
        Value* place = b_.CreateURem(rest, k_.int64(axis.size));
        rest = b_.CreateUDiv(rest, k_.int64(axis.size));
        from = b_.CreateAdd(from, b_.CreateMul(place, k_.int64(axis.from)));
        to = b_.CreateAdd(to, b_.CreateMul(place, k_.int64(axis.to)));
      }
      Value* left = b_.CreateSub(k_.int64(plan_.denseTo.size), start);
      k_.branch(
          b_.CreateICmpSGE(left, k_.int64(stripe_)), [&] { fullStripe(from, to); },
          [&] { piece(from, to, k_.int64(0), left); });
    });
  }

 private:
  int64_t otherPlaces() const {
    int64_t count = 1;
    for (const Axis& axis : plan_.others) count *= axis.size;
    return count;
  }
  int64_t stripes() const { return (plan_.denseTo.size + stripe_ - 1) / stripe_; }

  // Wide, so that every page of the result is written to in one go; not so wide that there are few pieces,
  // or that the first cache of addresses does not hold all pages that are read at once.
  int64_t stripeOf() const {
    constexpr int64_t kMostRows = 64, kPieces = 4;
    int64_t stripe = kMostRows;
    while (stripe > plan_.lanes && plan_.denseTo.size / stripe * otherPlaces() < kPieces) stripe /= 2;
    return stripe;
  }

  // Past what caches hold nothing is gained by reading the result's lines before they are written.
  bool writesPast() const {
    const auto isAligned = [&](const Axis& axis) { return axis.to % plan_.lanes == 0; };
    return plan_.elementBytes * plan_.lanes == 64 && isAligned(plan_.denseFrom) &&
           std::ranges::all_of(plan_.others, isAligned) &&
           plan_.elementBytes * plan_.denseFrom.size * plan_.denseTo.size * otherPlaces() >=
               k_.target().allCacheBytes;
  }

  // All squares of the stripe for one place of the other dense dimension after the other.
  void fullStripe(Value* from, Value* to) {
    const int64_t squares = plan_.denseFrom.size / plan_.lanes;
    k_.loop(k_.int64(0), k_.int64(squares), [&](Value* group) {
      Value* column = b_.CreateMul(group, k_.int64(plan_.lanes));
      k_.loop(k_.int64(0), k_.int64(stripe_ / plan_.lanes), [&](Value* down) {
        Value* rows = b_.CreateAdd(b_.CreateAdd(from, column),
                                   b_.CreateMul(down, k_.int64(plan_.lanes * plan_.denseTo.from)));
        askForSquareAfter(rows);
        writeSquare(rows, b_.CreateAdd(b_.CreateAdd(to, b_.CreateMul(column, k_.int64(plan_.denseFrom.to))),
                                       b_.CreateMul(down, k_.int64(plan_.lanes))));
      });
    });
    piece(from, to, k_.int64(squares * plan_.lanes), k_.int64(stripe_));
  }

  // What is read next of the same rows, when the stripe's other squares are written: a processor follows by
  // itself only so many rows. Past the end of a row it does no harm.
  void askForSquareAfter(Value* from) {
    for (int64_t i = 0; i < plan_.lanes; ++i)
      k_.prefetch(fromBuffer_, element_, b_.CreateAdd(from, k_.int64(i * plan_.denseTo.from + plan_.lanes)));
  }

  void writeSquare(Value* from, Value* to) {
    llvm::SmallVector<Value*, 32> rows;
    for (int64_t i = 0; i < plan_.lanes; ++i)
      rows.push_back(
          k_.loadRaw(fromBuffer_, row_, element_, b_.CreateAdd(from, k_.int64(i * plan_.denseTo.from))));
    turn(b_, rows, plan_.elementBytes);
    for (int64_t i = 0; i < plan_.lanes; ++i)
      k_.storeRaw(toBuffer_, element_, b_.CreateAdd(to, k_.int64(i * plan_.denseFrom.to)),
                  rows[static_cast<size_t>(i)], writesPast());
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
  int64_t stripe_ = stripeOf();
};

}  // namespace

Result<bool> lowerTransposeInSquares(const Instruction& instruction, LoweringContext& context) {
  const auto plan = planOf(instruction);
  if (!plan) return false;
  const LeafValues results = context.newLeaves(instruction.shape());
  KernelDraft draft(context, instruction, results);
  TransposeKernel kernel(draft.builder(), *plan, 0, draft.resultBuffer(0));
  kernel.write();
  const int64_t bytes = instruction.shape().elementCount() * plan->elementBytes;
  TRY_STATUS(draft.finish(kernel.iterations(), 100 + bytes / 8));
  context.values[&instruction] = results;
  passSizesOn(instruction, context);
  return true;
}

}  // namespace hilo::cpu
