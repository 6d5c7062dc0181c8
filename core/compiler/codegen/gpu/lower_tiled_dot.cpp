// Dots by tiles in memory that a block shares, each thread with 16 elements of the result, with what is
// computed before and after it.
//
// Rule: a dot of kLeastSize rows, columns and products a sum, or a fusion about one, also a ragged one with
// groups of rows, each of which goes over the tiles that have rows of it; of integers that give integers, or
// of real floats that give floats; what has tensor cores was taken before. Sums are as dotSumType says, of
// floats of 32 bits and narrower kDepth products first and then these sums.
#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/dot_form.h"
#include "core/compiler/codegen/gpu/hero_form.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kSide = 64, kDepth = 16, kThreadSide = 4, kThreads = kSide / kThreadSide;
constexpr int64_t kPitch = kSide + 2;  // lanes that store 4 products of 8 lines meet in no bank
constexpr int64_t kLeastSize = 16;

// Each group's rows are multiplied by a matrix of its own.
bool hasGroupsOfRows(const Instruction& dot) {
  if (dot.opcode() != Opcode::RaggedDot) return false;
  const DotForm form = dotFormOf(dot);
  const auto ragged = dot.get<Attr::LhsRaggedDims>();
  return std::ranges::equal(form.left.free, ragged) && dot.get<Attr::RhsGroupDims>().size() == 1 &&
         dot.operand(2)->shape().rank() == 1;
}

bool isTiled(const Instruction& dot) {
  if (!(dot.opcode() == Opcode::Dot && dot.operandCount() == 2) && !hasGroupsOfRows(dot)) return false;
  const auto type = dotSumType(dot);
  if (!type || isComplex(*type)) return false;
  const DotForm form = dotFormOf(dot);
  return form.rows() >= kLeastSize && form.columns() >= kLeastSize && form.sum() >= kLeastSize &&
         form.batch() > 0;
}

class TiledDot {
 public:
  TiledDot(KernelDraft& draft, const Instruction& instruction, const DotForm& form)
      : draft_(draft),
        elements_(draft.elements()),
        k_(draft.builder()),
        b_(k_.b()),
        s_(k_.scalars()),
        block_(k_),
        form_(form),
        root_(writtenBy(instruction)),
        type_(*dotSumType(*form.dot)),
        left_(block_.shared(s_.valueType(type_), kDepth * kPitch)),
        right_(block_.shared(s_.valueType(type_), kDepth * kPitch)) {}

  static int64_t squares(int64_t size) { return (size + kSide - 1) / kSide; }
  static int64_t pieces(const DotForm& form) {
    return form.batch() * squares(form.rows()) * squares(form.columns());
  }

  void write() {
    const int64_t across = squares(form_.columns()), down = squares(form_.rows());
    Value* square = b_.CreateUDiv(block_.piece(), k_.int64(across));
    column_ = b_.CreateMul(b_.CreateURem(block_.piece(), k_.int64(across)), k_.int64(kSide));
    row_ = b_.CreateMul(b_.CreateURem(square, k_.int64(down)), k_.int64(kSide));
    batch_ = b_.CreateUDiv(square, k_.int64(down));
    threadColumn_ = b_.CreateURem(block_.thread(), k_.int64(kThreads));
    threadRow_ = b_.CreateUDiv(block_.thread(), k_.int64(kThreads));
    for (int64_t i = 0; i < kThreadSide * kThreadSide; ++i) sums_.push_back(k_.variable(s_.zero(type_)));
    form_.dot->opcode() == Opcode::RaggedDot ? forEachGroup([&](const Group& group) { addProducts(&group); })
                                             : addProducts(nullptr);
    store();
  }

 private:
  struct Group {
    Value *number, *begin, *end;  // rows of the left side
  };

  // Those that have rows of the square. Rows past the last group are of none.
  void forEachGroup(const std::function<void(const Group&)>& body) {
    const Instruction& sizes = *form_.dot->operand(2);
    const auto end = k_.variable({k_.int64(0)});
    k_.loop(k_.int64(0), k_.int64(sizes.shape().elementCount()), [&](Value* number) {
      elements_.inFrame([&] {
        Value* begin = k_.get(end).value;
        Value* size = clampIndex(k_, elements_.integerAt(sizes, k_.indexAt({number})), form_.rows());
        const Group group{number, begin, b_.CreateAdd(begin, size)};
        k_.set(end, {group.end});
        Value* isIn = b_.CreateAnd(b_.CreateICmpULT(begin, b_.CreateAdd(row_, k_.int64(kSide))),
                                   b_.CreateICmpUGT(group.end, row_));
        k_.branch(isIn, [&] { elements_.inFrame([&] { body(group); }); });
      });
    });
  }

  void addProducts(const Group* group) {
    k_.loop(k_.int64(0), k_.int64((form_.sum() + kDepth - 1) / kDepth), [&](Value* step) {
      Value* first = b_.CreateMul(step, k_.int64(kDepth));
      block_.barrier();  // the tiles before have been read
      fill(form_.left, left_, row_, first, group);
      fill(form_.right, right_, column_, first, group);
      block_.barrier();
      multiply();
    });
  }

  Value* zero() { return s_.zero(type_).value; }

  // Of a group's rows alone, and of its own matrix.
  void fill(const DotSide& side, const SharedArray& tile, Value* firstLine, Value* firstSummed,
            const Group* group) {
    const bool isLeft = &side == &form_.left;
    DotTile from(elements_, block_, side, kSide, kDepth);
    if (group != nullptr && !isLeft) from.setPlace(form_.dot->get<Attr::RhsGroupDims>()[0], group->number);
    from.fill(batch_, firstLine, firstSummed, [&](Value* line, Value* i, const Scalar& element, Value* isIn) {
      const Scalar wide = s_.convert(side.shape().elementType(), type_, element);
      Value* place = b_.CreateAdd(b_.CreateMul(i, k_.int64(kPitch)), line);
      if (group != nullptr && isLeft) {
        Value* row = b_.CreateAdd(firstLine, line);
        isIn = b_.CreateAnd(
            isIn, b_.CreateAnd(b_.CreateICmpUGE(row, group->begin), b_.CreateICmpULT(row, group->end)));
      }
      block_.store(tile, place, b_.CreateSelect(isIn, wide.value, zero()));
    });
  }

  // Every 16th line of the tile, from the thread's on: neighbouring lanes read neighbouring ones.
  std::vector<Value*> linesAt(const SharedArray& tile, Value* i, Value* first) {
    std::vector<Value*> lines;
    for (int64_t n = 0; n < kThreadSide; ++n) {
      Value* line = b_.CreateAdd(first, k_.int64(n * kThreads));
      lines.push_back(block_.load(tile, b_.CreateAdd(b_.CreateMul(i, k_.int64(kPitch)), line)));
    }
    return lines;
  }

  void multiply() {
    std::vector<KernelBuilder::Variable> part;
    for (size_t i = 0; i < sums_.size(); ++i) part.push_back(k_.variable(s_.zero(type_)));
    const auto add = [&](const KernelBuilder::Variable& sum, Value* a, Value* b) {
      Value* old = k_.get(sum).value;
      Value* sumOf = isFloat(type_) ? b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, old})
                                    : b_.CreateAdd(old, b_.CreateMul(a, b));
      k_.set(sum, {sumOf});
    };
    k_.loop(k_.int64(0), k_.int64(kDepth), [&](Value* i) {
      const auto rows = linesAt(left_, i, threadRow_), columns = linesAt(right_, i, threadColumn_);
      for (size_t n = 0; n < part.size(); ++n) add(part[n], rows[n / kThreadSide], columns[n % kThreadSide]);
    });
    for (size_t n = 0; n < part.size(); ++n) {
      Value *old = k_.get(sums_[n]).value, *more = k_.get(part[n]).value;
      k_.set(sums_[n], {isFloat(type_) ? b_.CreateFAdd(old, more) : b_.CreateAdd(old, more)});
    }
  }

  void store() {
    const auto shapes = arrayLeaves(root_.shape());
    const ElementType type = form_.dot->shape().elementType();
    for (int64_t n = 0; n < kThreadSide * kThreadSide; ++n) {
      Value* row = b_.CreateAdd(b_.CreateAdd(row_, threadRow_), k_.int64(n / kThreadSide * kThreads));
      Value* column =
          b_.CreateAdd(b_.CreateAdd(column_, threadColumn_), k_.int64(n % kThreadSide * kThreads));
      Value* isIn = b_.CreateAnd(b_.CreateICmpULT(row, k_.int64(form_.rows())),
                                 b_.CreateICmpULT(column, k_.int64(form_.columns())));
      k_.branch(isIn, [&] {
        elements_.inFrame([&] {
          const ElementIndex index = form_.resultAt(k_, batch_, row, column);
          elements_.know(*form_.dot, index, {s_.convert(type_, type, k_.get(sums_[static_cast<size_t>(n)]))});
          for (size_t i = 0; i < shapes.size(); ++i)
            k_.store(draft_.resultBuffer(i), shapes[i], index, resultAt(elements_, root_, i, index));
        });
      });
    }
  }

  KernelDraft& draft_;
  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  ScalarEmitter& s_;
  Block block_;
  const DotForm& form_;
  const Instruction& root_;
  const ElementType type_;
  const SharedArray left_, right_;
  std::vector<KernelBuilder::Variable> sums_;
  Value *row_ = nullptr, *column_ = nullptr, *batch_ = nullptr, *threadRow_ = nullptr,
        *threadColumn_ = nullptr;
};

}  // namespace

Result<bool> lowerTiledDot(const Instruction& instruction, LoweringContext& context) {
  const auto dots = heroesOf(instruction, isTiled);
  if (dots.size() != 1) return false;
  const DotForm form = dotFormOf(*dots[0]);
  const LeafValues results = context.newLeaves(instruction.shape());
  KernelDraft draft(context, instruction, results);
  TiledDot(draft, instruction, form).write();
  const Status done = draft.finish(Block::iterations(TiledDot::pieces(form)),
                                   100 + form.batch() * form.rows() * form.columns());
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  context.values[&instruction] = results;
  return true;
}

}  // namespace hilo::gpu
