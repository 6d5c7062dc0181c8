// Kernels around concatenates whose elements stand where the result has them: the result is cut into pieces,
// each a loop of its own in which every concatenate is one of its operands.
#include "core/compiler/codegen/cpu/choices/kernel_cost.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/cpu/walk.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/real_sizes.h"

namespace hilo::cpu {

using llvm::Value;

namespace {

// Where the result is cut in one dimension: begins of the pieces, and the end of the last.
struct Cuts {
  size_t along = 0;
  std::vector<const Instruction*> concatenates;
  std::vector<int64_t> places;
};

// Concatenates of the kernel, from its root down through what works element by element. Those along another
// dimension than the first choose their operand for each element.
Cuts cutsOf(const Instruction& instruction) {
  const Instruction& root = writtenBy(instruction);
  const bool isAlone = &root == &instruction;
  Cuts cuts;
  std::vector<const Instruction*> open = {&root};
  absl::flat_hash_set<const Instruction*> seen = {&root};
  while (!open.empty()) {
    const Instruction* inner = open.back();
    open.pop_back();
    if (inner->opcode() == Opcode::Concatenate) {
      const auto along = static_cast<size_t>(inner->dimensions()[0]);
      if (cuts.concatenates.empty()) cuts.along = along;
      if (cuts.along == along) cuts.concatenates.push_back(inner);
    }
    if (isAlone || (inner->opcode() != Opcode::Tuple && !isElementwise(inner->opcode()))) continue;
    for (const Instruction* operand : inner->operands()) {
      if (operand->shape().isArray() && operand->shape().rank() > 0 && seen.insert(operand).second)
        open.push_back(operand);
    }
  }
  cuts.places = {0};
  for (const Instruction* concatenate : cuts.concatenates) {
    int64_t place = 0;
    for (const Instruction* operand : concatenate->operands())
      cuts.places.push_back(place += operand->shape().dimension(cuts.along));
  }
  std::ranges::sort(cuts.places);
  const auto repeated = std::ranges::unique(cuts.places);
  cuts.places.erase(repeated.begin(), repeated.end());
  return cuts;
}

// From here on elements of the concatenates lie at `place`.
void choose(ElementEmitter& elements, const Cuts& cuts, int64_t place) {
  for (const Instruction* concatenate : cuts.concatenates) {
    int64_t begin = 0;
    size_t i = 0;
    for (; begin + concatenate->operand(i)->shape().dimension(cuts.along) <= place; ++i)
      begin += concatenate->operand(i)->shape().dimension(cuts.along);
    elements.choose(*concatenate, i, begin);
  }
}

Shape pieceOf(Shape shape, size_t along, int64_t size) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[along] = size;
  return Shape::array(shape.elementType(), sizes, shape.layout());
}

// body(index) for every index of the result whose place in the dimension that is cut is `place` or one of the
// `size - 1` after it, as iterations from `before` on. How many there are.
int64_t goOver(KernelBuilder& k, Shape shape, size_t along, int64_t place, int64_t size, int64_t before,
               const std::function<void(ElementIndex)>& body) {
  const Walk walk = walkOver(pieceOf(shape, along, size), false);
  const auto own = [&](Value* iteration) {
    Value* fromZero = k.b().CreateSub(iteration, k.int64(before));
    Value* low = k.b().CreateBinaryIntrinsic(llvm::Intrinsic::smax, fromZero, k.int64(0));
    return k.b().CreateBinaryIntrinsic(llvm::Intrinsic::smin, low, k.int64(walk.iterations));
  };
  walk.part(k, own(k.begin()), own(k.end()), [&](ElementIndex index) {
    auto dims = k.dimsOf(index);
    dims[along] = k.b().CreateAdd(dims[along], k.int64(place), "", true, true);
    body(k.indexAt(dims));
  });
  return walk.iterations;
}

}  // namespace

Result<bool> lowerInPieces(const Instruction& instruction, LoweringContext& context) {
  const Cuts cuts = cutsOf(instruction);
  const size_t pieces = cuts.places.size() - 1;
  const auto shapes = arrayLeaves(instruction.shape());
  if (pieces < 2 || shapes[0].elementCount() == 0) return false;
  LeafValues results = context.newLeaves(instruction.shape());
  // Few to a kernel, which several threads compile.
  constexpr size_t kPieces = 16;
  for (size_t first = 0; first < pieces; first += kPieces) {
    KernelDraft draft(context, instruction, results);
    KernelBuilder& k = draft.builder();
    const size_t end = std::min(first + kPieces, pieces);
    int64_t iterations = 0;
    for (size_t piece = first; piece < end; ++piece) {
      const int64_t place = cuts.places[piece], size = cuts.places[piece + 1] - place;
      choose(draft.elements(), cuts, place);
      draft.elements().inFrame([&] {
        iterations +=
            goOver(k, shapes[0], cuts.along, place, size, iterations, [&](const ElementIndex& index) {
              const auto values = draft.elements().allAt(writtenBy(instruction), index);
              for (size_t i = 0; i < shapes.size(); ++i)
                k.store(draft.resultBuffer(i), shapes[i], index, values[i]);
            });
      });
    }
    const int64_t share = cuts.places[end] - cuts.places[first], all = cuts.places.back();
    const int64_t elements = shapes[0].elementCount() / all * share;
    TRY_STATUS(draft.finish(iterations, kernelCostNs(instruction, elements)));
  }
  context.values[&instruction] = std::move(results);
  passSizesOn(instruction, context);
  return true;
}

}  // namespace hilo::cpu
