// scatter.
//
// Rule: one thread an element of the updates where no two of them meet (unique_indices), or where they are
// put together by atomic operations: one array of 32 or 64 bits an element and an operation that may be
// applied in any order, an instruction of its own for integers and for sums of floats, else a loop of compare
// and swap. In all other cases updates go one after the other as the evaluator applies them: a thread for
// each place of the windows' whole dimensions, whose updates never meet those of another. That is the same in
// each run; sums of floats by atomic operations are not, and a scatter with the frontend attribute
// hilo_deterministic="true" has none.
#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/places.h"
#include "core/compiler/codegen/lower/scatter_form.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr const char* kDeterministic = "hilo_deterministic";

// How updates that meet are put together; none where they go one after the other.
struct AtomicUpdate {
  Opcode opcode;
  std::optional<llvm::AtomicRMWInst::BinOp> instruction;  // none: by compare and swap
};

std::optional<llvm::AtomicRMWInst::BinOp> instructionFor(Opcode opcode, ElementType type) {
  using Op = llvm::AtomicRMWInst;
  if (isFloat(type)) return opcode == Opcode::Add ? std::optional(Op::FAdd) : std::nullopt;
  switch (opcode) {
    case Opcode::Add:
      return Op::Add;
    case Opcode::And:
      return Op::And;
    case Opcode::Or:
      return Op::Or;
    case Opcode::Xor:
      return Op::Xor;
    case Opcode::Maximum:
      return isSigned(type) ? Op::Max : Op::UMax;
    case Opcode::Minimum:
      return isSigned(type) ? Op::Min : Op::UMin;
    default:
      return std::nullopt;
  }
}

bool isDeterministic(const Instruction& scatter) {
  return std::ranges::any_of(scatter.get<Attr::FrontendAttributes>(), [](const FrontendAttribute& attribute) {
    return attribute.name == kDeterministic && attribute.value == "true";
  });
}

std::optional<AtomicUpdate> atomicUpdate(const Instruction& scatter) {
  if (!scatter.shape().isArray()) return std::nullopt;
  const ElementType type = scatter.shape().elementType();
  const int bits = elementBits(type);
  const auto opcode = singleBinaryOpcode(*scatter.get<Attr::ToApply>());
  if (!opcode || isComplex(type) || (bits != 32 && bits != 64) || !isInAnyOrder(*opcode, type))
    return std::nullopt;
  if (isFloat(type) && isDeterministic(scatter)) return std::nullopt;
  return AtomicUpdate{*opcode, instructionFor(*opcode, type)};
}

class ScatterKernel {
 public:
  ScatterKernel(KernelDraft& draft, const ScatterForm& form)
      : draft_(draft), k_(draft.builder()), b_(k_.b()), form_(form), type_(form.shape.elementType()) {}

  // A thread an element of the updates.
  void writeEach(const std::optional<AtomicUpdate>& atomic) {
    std::vector<int64_t> sizes = form_.positionSizes;
    sizes.insert(sizes.end(), form_.windowSizes.begin(), form_.windowSizes.end());
    const Places all = placesOf(k_, k_.begin(), sizes);
    const auto position = llvm::ArrayRef(all).take_front(form_.positionSizes.size());
    const auto window = llvm::ArrayRef(all).drop_front(form_.positionSizes.size());
    draft_.elements().inFrame([&] {
      const auto start = form_.startAt(position, draft_.elements());
      k_.branch(form_.isInside(start, k_), [&] {
        draft_.elements().inFrame([&] {
          const ElementIndex update = form_.updateAt(position, window, k_),
                             at = form_.resultAt(start, window, k_);
          atomic ? writeAtomic(*atomic, update, at) : scatterElement(form_, draft_, update, at);
        });
      });
    });
  }

  // A thread a place of the whole dimensions, all updates after each other.
  void writeInOrder() {
    const Places whole = placesOf(k_, k_.begin(), wholeSizes(form_));
    std::vector<int64_t> others;
    for (size_t i = 0; i < form_.windowSizes.size(); ++i) {
      if (!isWhole(form_, i)) others.push_back(form_.windowSizes[i]);
    }
    draft_.elements().nestInFrame(form_.positionSizes, [&](llvm::ArrayRef<Value*> position) {
      const auto start = form_.startAt(position, draft_.elements());
      k_.branch(form_.isInside(start, k_), [&] {
        draft_.elements().nestInFrame(others, [&](llvm::ArrayRef<Value*> other) {
          Places window;
          for (size_t i = 0, w = 0, o = 0; i < form_.windowSizes.size(); ++i)
            window.push_back(isWhole(form_, i) ? whole[w++] : other[o++]);
          scatterElement(form_, draft_, form_.updateAt(position, window, k_),
                         form_.resultAt(start, window, k_));
        });
      });
    });
  }

  // A window's dimension that is all of the operand's begins at 0 wherever an update is applied.
  static bool isWhole(const ScatterForm& form, size_t i) {
    return form.windowSizes[i] == form.shape.dimension(form.operandDims[i]);
  }
  static std::vector<int64_t> wholeSizes(const ScatterForm& form) {
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < form.windowSizes.size(); ++i) {
      if (isWhole(form, i)) sizes.push_back(form.windowSizes[i]);
    }
    return sizes;
  }

 private:
  void writeAtomic(const AtomicUpdate& atomic, const ElementIndex& update, const ElementIndex& at) {
    Value* place = k_.pointerTo(draft_.resultBuffer(0), form_.shape, at);
    const llvm::MaybeAlign alignment(static_cast<uint64_t>(elementStorageBytes(type_)));
    if (!atomic.instruction) return swap(place, alignment, update);
    Value* value = draft_.elements().at(*form_.scatter.operand(2), update).value;
    b_.CreateAtomicRMW(*atomic.instruction, place, value, alignment, llvm::AtomicOrdering::Monotonic);
  }

  // Until nobody was between reading the element and writing what it becomes.
  void swap(Value* place, llvm::MaybeAlign alignment, const ElementIndex& update) {
    llvm::Type* bits = b_.getIntNTy(static_cast<unsigned>(elementBits(type_)));
    ScalarEmitter& s = k_.scalars();
    llvm::Function* function = b_.GetInsertBlock()->getParent();
    auto* again = llvm::BasicBlock::Create(b_.getContext(), "again", function);
    auto* done = llvm::BasicBlock::Create(b_.getContext(), "swapped", function);
    // Operands are read before the loop.
    draft_.elements().at(*form_.scatter.operand(2), update);
    llvm::LoadInst* first = b_.CreateAlignedLoad(bits, place, alignment);
    first->setAtomic(llvm::AtomicOrdering::Monotonic);
    llvm::BasicBlock* before = b_.GetInsertBlock();
    b_.CreateBr(again);
    b_.SetInsertPoint(again);
    llvm::PHINode* seen = b_.CreatePHI(bits, 2);
    seen->addIncoming(first, before);
    const auto next = scatteredElements(form_, draft_, update, {s.fromBits(type_, seen)});
    Value* swapped = b_.CreateAtomicCmpXchg(place, seen, s.toBits(type_, next[0]), alignment,
                                            llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
    seen->addIncoming(b_.CreateExtractValue(swapped, 0), b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateExtractValue(swapped, 1), done, again);
    b_.SetInsertPoint(done);
  }

  KernelDraft& draft_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const ScatterForm& form_;
  const ElementType type_;
};

}  // namespace

Status lowerScatter(const Instruction& instruction, LoweringContext& context) {
  const ScatterForm form(instruction);
  const LeafValues results = scatteredInto(instruction, context);
  const int64_t count = form.update.elementCount();
  if (count > 0) {
    KernelDraft draft(context, instruction, results);
    ScatterKernel kernel(draft, form);
    const auto atomic = atomicUpdate(instruction);
    int64_t iterations = count;
    if (atomic || instruction.get<Attr::UniqueIndices>().value_or(false)) {
      kernel.writeEach(atomic);
    } else {
      kernel.writeInOrder();
      iterations = 1;
      for (const int64_t size : ScatterKernel::wholeSizes(form)) iterations *= size;
    }
    TRY_STATUS(draft.finish(iterations, 10 * count));
  }
  context.values[&instruction] = results;
  return {};
}

}  // namespace hilo::gpu
