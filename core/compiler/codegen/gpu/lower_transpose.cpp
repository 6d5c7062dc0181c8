// Transposes through memory that a block shares, so that both sides are read and written along memory, with
// what is computed before and after it.
//
// Rule: the fastest varying dimension of the result is another than that of the operand, and each has
// kLeastSize elements or more. Of a fusion: all such transposes are of one kind, and what is made of them is
// elementwise. A block turns squares of 32 by 32; a line of the square is one element longer, so that no two
// lanes meet in a bank.
#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/hero_form.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kSide = kWarpThreads, kWarps = kBlockThreads / kWarpThreads;
constexpr int64_t kLeastSize = 8;
constexpr int64_t kMostSharedBytes = 48 << 10;

// The last one of more than one element; none of an array of one.
std::optional<size_t> minorOf(Shape shape) {
  std::optional<size_t> minor;
  for (const int64_t d : majorToMinor(shape)) {
    if (shape.dimension(static_cast<size_t>(d)) > 1) minor = static_cast<size_t>(d);
  }
  return minor;
}

// Dimensions of the result: where the operand's neighbours are, and the result's.
struct Turn {
  size_t from, to;
};
std::optional<Turn> turnOf(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::Transpose) return std::nullopt;
  const auto to = minorOf(instruction.shape()), read = minorOf(instruction.operand(0)->shape());
  if (!to || !read) return std::nullopt;
  const auto permutation = instruction.dimensions();
  const auto from =
      static_cast<size_t>(std::ranges::find(permutation, static_cast<int64_t>(*read)) - permutation.begin());
  const Shape shape = instruction.shape();
  if (from == *to || shape.dimension(from) < kLeastSize || shape.dimension(*to) < kLeastSize)
    return std::nullopt;
  return Turn{from, *to};
}

bool areOfOneKind(const Instruction& a, const Instruction& b) {
  return std::ranges::equal(a.dimensions(), b.dimensions()) && sameMemoryOrder(a.shape(), b.shape()) &&
         sameMemoryOrder(a.operand(0)->shape(), b.operand(0)->shape());
}

using Turned = std::vector<const Instruction*>;

// Elements from one line of a square to the next.
int64_t pitchOf(ElementType type) {
  constexpr int64_t kWordBytes = 4;
  return kSide + std::max<int64_t>(1, kWordBytes / elementStorageBytes(type));
}

int64_t sharedBytes(const Turned& turned) {
  int64_t bytes = 0;
  for (const Instruction* transpose : turned)
    bytes += kSide * pitchOf(transpose->shape().elementType()) *
             elementStorageBytes(transpose->shape().elementType());
  return bytes;
}

// The transposes of a fusion, or the one that the instruction is; empty where the rule does not hold.
Turned turnedBy(const Instruction& instruction) {
  Turned turned = heroesOf(instruction, [](const Instruction& step) { return turnOf(step).has_value(); });
  const bool isOne =
      std::ranges::all_of(turned, [&](const Instruction* t) { return areOfOneKind(*turned[0], *t); });
  if (!isOne || sharedBytes(turned) > kMostSharedBytes) return {};
  return turned;
}

class TransposeKernel {
 public:
  TransposeKernel(KernelDraft& draft, const Instruction& instruction, const Turned& turned)
      : draft_(draft),
        elements_(draft.elements()),
        k_(draft.builder()),
        b_(k_.b()),
        s_(k_.scalars()),
        block_(k_),
        turned_(turned),
        root_(writtenBy(instruction)),
        shape_(turned[0]->shape()),
        turn_(*turnOf(*turned[0])) {
    for (const Instruction* transpose : turned) {
      const ElementType type = transpose->shape().elementType();
      tiles_.push_back(block_.shared(s_.storageType(type), kSide * pitchOf(type)));
      imaginary_.push_back(isComplex(type) ? block_.shared(s_.storageType(type), kSide * pitchOf(type))
                                           : SharedArray{});
    }
  }

  static int64_t pieces(const Instruction& transpose) {
    const Turn turn = *turnOf(transpose);
    int64_t count = 1;
    for (size_t d = 0; d < transpose.shape().rank(); ++d) count *= squaresIn(transpose.shape(), turn, d);
    return count;
  }

  void write() {
    lane_ = b_.CreateURem(block_.thread(), k_.int64(kSide));
    warp_ = b_.CreateUDiv(block_.thread(), k_.int64(kSide));
    findSquare();
    block_.barrier();  // the square before has been read
    forEachLine(turn_.to, turn_.from, [&](const auto& place, Value* line) { read(place, line); });
    block_.barrier();
    forEachLine(turn_.from, turn_.to, [&](const auto& place, Value* line) { store(place, line); });
  }

 private:
  using Place = llvm::SmallVector<Value*, 6>;

  static int64_t squaresIn(Shape shape, Turn turn, size_t d) {
    const int64_t size = shape.dimension(d);
    return d == turn.from || d == turn.to ? (size + kSide - 1) / kSide : size;
  }

  // Its first place in the dimensions of the result, along memory.
  void findSquare() {
    square_.resize(shape_.rank());
    Value* rest = block_.piece();
    const auto order = majorToMinor(shape_);
    for (size_t i = order.size(); i-- > 0;) {
      const auto d = static_cast<size_t>(order[i]);
      Value* squares = k_.int64(squaresIn(shape_, turn_, d));
      square_[d] = i == 0 ? rest : b_.CreateURem(rest, squares);
      if (i > 0) rest = b_.CreateUDiv(rest, squares);
      if (d == turn_.from || d == turn_.to) square_[d] = b_.CreateMul(square_[d], k_.int64(kSide));
    }
  }

  // The lines of the square in which the lanes go along `along`, each eighth for the warp: where a lane is
  // and the line.
  void forEachLine(size_t across, size_t along, const std::function<void(const Place&, Value*)>& body) {
    for (int64_t i = 0; i < kSide; i += kWarps) {
      Value* line = b_.CreateAdd(warp_, k_.int64(i));
      Place place = square_;
      place[across] = b_.CreateAdd(square_[across], line);
      place[along] = b_.CreateAdd(square_[along], lane_);
      Value* isIn = b_.CreateAnd(b_.CreateICmpULT(place[across], k_.int64(shape_.dimension(across))),
                                 b_.CreateICmpULT(place[along], k_.int64(shape_.dimension(along))));
      k_.branch(isIn, [&] { elements_.inFrame([&] { body(place, line); }); });
    }
  }

  Value* placeInSquare(ElementType type, Value* line, Value* column) {
    return b_.CreateAdd(b_.CreateMul(line, k_.int64(pitchOf(type))), column);
  }

  void read(const Place& place, Value* line) {
    Place from(shape_.rank());
    for (size_t d = 0; d < place.size(); ++d)
      from[static_cast<size_t>(turned_[0]->dimensions()[d])] = place[d];
    for (size_t i = 0; i < turned_.size(); ++i) {
      const Scalar element = elements_.at(*turned_[i]->operand(0), k_.indexAt(from));
      const ElementType type = turned_[i]->shape().elementType();
      block_.store(tiles_[i], placeInSquare(type, line, lane_), s_.toStorage(type, element));
      if (isComplex(type)) block_.store(imaginary_[i], placeInSquare(type, line, lane_), element.imaginary);
    }
  }

  void store(const Place& place, Value* line) {
    const ElementIndex index = k_.indexAt(place);
    for (size_t i = 0; i < turned_.size(); ++i) {
      const ElementType type = turned_[i]->shape().elementType();
      Value* at = placeInSquare(type, lane_, line);
      Value* imaginary = isComplex(type) ? block_.load(imaginary_[i], at) : nullptr;
      elements_.know(*turned_[i], index, {s_.fromStorage(type, block_.load(tiles_[i], at), imaginary)});
    }
    const auto shapes = arrayLeaves(root_.shape());
    for (size_t i = 0; i < shapes.size(); ++i)
      k_.store(draft_.resultBuffer(i), shapes[i], index, resultAt(elements_, root_, i, index));
  }

  KernelDraft& draft_;
  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  ScalarEmitter& s_;
  Block block_;
  const Turned& turned_;
  const Instruction& root_;
  const Shape shape_;
  const Turn turn_;
  std::vector<SharedArray> tiles_, imaginary_;
  Value *lane_ = nullptr, *warp_ = nullptr;
  Place square_;
};

}  // namespace

Result<bool> lowerTransposeTiles(const Instruction& instruction, LoweringContext& context) {
  const Turned turned = turnedBy(instruction);
  if (turned.empty()) return false;
  const LeafValues results = context.newLeaves(instruction.shape());
  KernelDraft draft(context, instruction, results);
  TransposeKernel(draft, instruction, turned).write();
  const Status done = draft.finish(Block::iterations(TransposeKernel::pieces(*turned[0])),
                                   100 + turned[0]->shape().elementCount());
  if (!done && done.error().kind == "too-large") return false;
  TRY_STATUS(done);
  context.values[&instruction] = results;
  return true;
}

}  // namespace hilo::gpu
