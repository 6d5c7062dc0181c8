#include "core/compiler/codegen/gpu/reduction_form.h"

#include "core/runtime/program/program.h"

#include "core/compiler/codegen/lower/one_kernel.h"

namespace hilo::gpu {

using llvm::Value;

FoldedDimensions FoldedDimensions::of(const Instruction& reduction) {
  FoldedDimensions all{reduction.operand(0)->shape(), {}, {}};
  for (const int64_t d : majorToMinor(all.array)) {
    const bool isFolded = std::ranges::find(reduction.dimensions(), d) != reduction.dimensions().end();
    (isFolded ? all.folded : all.kept).push_back(d);
  }
  return all;
}

bool operator==(const FoldedDimensions& a, const FoldedDimensions& b) {
  return sameMemoryOrder(a.array, b.array) && a.kept == b.kept && a.folded == b.folded;
}

int64_t FoldedDimensions::countOf(const std::vector<int64_t>& dims) const {
  int64_t count = 1;
  for (const int64_t d : dims) count *= array.dimension(static_cast<size_t>(d));
  return count;
}

bool FoldedDimensions::foldsMinor() const {
  int64_t minor = -1;
  for (const int64_t d : majorToMinor(array)) {
    if (array.dimension(static_cast<size_t>(d)) > 1) minor = d;
  }
  return std::ranges::find(folded, minor) != folded.end();
}

int64_t FoldedDimensions::minorSize(const std::vector<int64_t>& dims) const {
  return dims.empty() ? 1 : array.dimension(static_cast<size_t>(dims.back()));
}

Places FoldedDimensions::split(KernelBuilder& k, const std::vector<int64_t>& dims, Value* number) const {
  std::vector<int64_t> sizes;
  for (const int64_t d : dims) sizes.push_back(array.dimension(static_cast<size_t>(d)));
  return placesOf(k, number, sizes);
}

ElementIndex FoldedDimensions::at(KernelBuilder& k, llvm::ArrayRef<Value*> keptAt,
                                  llvm::ArrayRef<Value*> foldedAt) const {
  llvm::SmallVector<Value*, 6> places(array.rank());
  for (size_t i = 0; i < kept.size(); ++i) places[static_cast<size_t>(kept[i])] = keptAt[i];
  for (size_t i = 0; i < folded.size(); ++i) places[static_cast<size_t>(folded[i])] = foldedAt[i];
  return k.indexAt(places);
}

ElementIndex FoldedDimensions::resultAt(KernelBuilder& k, llvm::ArrayRef<Value*> keptAt) const {
  llvm::SmallVector<Value*, 6> places;
  for (size_t d = 0; d < array.rank(); ++d) {
    const auto found = std::ranges::find(kept, static_cast<int64_t>(d));
    if (found != kept.end()) places.push_back(keptAt[static_cast<size_t>(found - kept.begin())]);
  }
  return k.indexAt(places);
}

namespace {

using Stages = absl::flat_hash_map<const Instruction*, size_t>;

bool hasSizes(Shape shape, Shape as) { return std::ranges::equal(shape.dimensions(), as.dimensions()); }

// A step after a reduction: each element is made of what its own row gave.
bool isOfItsRow(const Instruction& step, Shape whole, Shape kept, const Instruction& firstReduction) {
  switch (step.opcode()) {
    case Opcode::GetTupleElement:
      return true;
    case Opcode::Tuple:
      return step.isRoot();
    case Opcode::Broadcast: {
      std::vector<int64_t> stay;
      for (size_t d = 0; d < whole.rank(); ++d) {
        const auto folded = firstReduction.dimensions();
        if (std::ranges::find(folded, static_cast<int64_t>(d)) == folded.end())
          stay.push_back(static_cast<int64_t>(d));
      }
      return hasSizes(step.shape(), whole) && hasSizes(step.operand(0)->shape(), kept) &&
             std::ranges::equal(step.dimensions(), stay);
    }
    default:
      return (isElementwise(step.opcode()) || step.opcode() == Opcode::Copy) && step.shape().isArray() &&
             (hasSizes(step.shape(), whole) || hasSizes(step.shape(), kept));
  }
}

// Of each step the number of stages up to it; none where the steps are others.
std::optional<Stages> stagesOf(const Computation& fused, const Instruction& first) {
  const FoldedDimensions dimensions = FoldedDimensions::of(first);
  const Shape kept = arrayLeaves(first.shape())[0];
  Stages stages;
  for (const Instruction* step : fused.instructions()) {
    size_t before = 0;
    for (const Instruction* operand : step->operands()) before = std::max(before, stages[operand]);
    if (step->opcode() == Opcode::Reduce) {
      if (!(FoldedDimensions::of(*step) == dimensions)) return std::nullopt;
      ++before;
    } else if (before > 0 ? !isOfItsRow(*step, dimensions.array, kept, first)
                          : !isElemental(*step) || isOfMany(step->opcode())) {
      return std::nullopt;
    }
    stages[step] = before;
  }
  return stages;
}

}  // namespace

std::optional<ReductionForm> reductionFormOf(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Reduce)
    return ReductionForm{FoldedDimensions::of(instruction),
                         {{&instruction}},
                         std::vector<bool>(arrayLeaves(instruction.shape()).size(), false)};
  if (instruction.opcode() != Opcode::Fusion) return std::nullopt;
  const Computation& fused = *instruction.calledComputations()[0];
  const auto steps = fused.instructions();
  const auto first = std::ranges::find(steps, Opcode::Reduce, &Instruction::opcode);
  if (first == steps.end()) return std::nullopt;
  const auto stages = stagesOf(fused, **first);
  if (!stages) return std::nullopt;
  ReductionForm form{FoldedDimensions::of(**first), {}, {}};
  for (const Instruction* step : steps) {
    if (step->opcode() != Opcode::Reduce) continue;
    form.stages.resize(std::max(form.stages.size(), stages->at(step)));
    form.stages[stages->at(step) - 1].push_back(step);
  }
  for (const Shape output : arrayLeaves(fused.root()->shape())) {
    form.isWhole.push_back(hasSizes(output, form.dimensions.array));
    if (!form.isWhole.back() && !hasSizes(output, arrayLeaves((*first)->shape())[0])) return std::nullopt;
  }
  return form;
}

}  // namespace hilo::gpu
