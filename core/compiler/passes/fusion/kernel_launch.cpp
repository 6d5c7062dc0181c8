#include "core/compiler/passes/fusion/kernel_launch.h"

#include <algorithm>
#include <numeric>

namespace hilo {
namespace {

constexpr int64_t kWarp = 32, kLoopThreads = 4 * kWarp, kThreadsOfCore = 2048, kMostUnrolled = 4;
constexpr int64_t kTile = 32, kMostThreads = 1024, kThreadsWanted = 256, kElementsOfThread = 16;
constexpr size_t kMostConcatenated = 10;
constexpr double kMostInWindow = 8;

int64_t ceilOf(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t elementsOf(const Shape shape) {
  if (shape.isArray()) return shape.elementCount();
  return shape.tupleShapes().empty() ? 0 : elementsOf(shape.tupleShapes()[0]);
}

bool losesWhenUnrolled(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::ReduceWindow: {
      double window = 1;
      for (const auto& dimension : i.get<Attr::Window>()->dimensions)
        window *= static_cast<double>(dimension.size);
      return window > kMostInWindow;
    }
    case Opcode::Sort:
    case Opcode::Dot:
      return true;
    case Opcode::Concatenate:
      return i.operandCount() > kMostConcatenated;
    case Opcode::Reduce:
      return i.shape().isTuple();
    default:
      return false;
  }
}

KernelLaunch loopLaunch(int64_t elements, const Instruction& root, int64_t coreCount) {
  if (elements <= 1) return {};
  const bool unrolls = elements >= kThreadsOfCore * coreCount && !losesWhenUnrolled(root);
  const int64_t work = elements / (unrolls ? std::gcd(elements, kMostUnrolled) : 1);
  const int64_t threads = std::min(kLoopThreads, work);
  return {ceilOf(work, threads), threads};
}

// Elements that a thread reads at once.
int64_t vectorOf(const Instruction& reduce, int64_t minor, int64_t threads) {
  const int64_t bits = elementBits(reduce.operand(0)->shape().elementType());
  if (minor % 2 != 0 || 2 * threads > minor || bits >= 64) return 1;
  if (bits >= 32 || 4 * threads > minor) return 2;
  return minor % 4 == 0 ? 4 : 2;
}

KernelLaunch rowLaunch(const ReductionForm& form) {
  const int64_t kept = form.sizes[1], row = form.sizes[2];
  const int64_t along = std::min(kMostThreads, kWarp * ceilOf(ceilOf(row, kElementsOfThread), kWarp));
  int64_t across = 1;
  if (2 * along <= kThreadsWanted) across = kept * along <= kThreadsWanted ? kept : kThreadsWanted / along;
  const int64_t parts = ceilOf(row, along * std::min(kElementsOfThread, ceilOf(row, along)));
  return {ceilOf(kept, across) * parts, across * along};
}

KernelLaunch columnLaunch(const Instruction& reduce, const ReductionForm& form) {
  const int64_t minor = form.sizes[2];
  if (minor < kTile) return {form.sizes[0], kLoopThreads};
  return {form.sizes[0] * ceilOf(minor, kTile * vectorOf(reduce, minor, kTile)), kTile * kTile};
}

KernelLaunch transposeLaunch(const TransposeForm& form) {
  int64_t blocks = 1;
  const size_t rank = form.sizes.size();
  const int64_t newMinor = form.order.back();
  for (size_t d = 0; d < rank; ++d) {
    const bool isTiled = static_cast<int64_t>(d) == newMinor || d + 1 == rank;
    blocks *= isTiled ? ceilOf(form.sizes[d], kTile) : form.sizes[d];
  }
  return {blocks, kLoopThreads};
}

}  // namespace

KernelLaunch kernelLaunch(const Instruction& root, KernelEmitter emitter,
                          absl::FunctionRef<bool(const Instruction&)> holds, int64_t coreCount) {
  const Instruction& hero = kernelHero(root, holds);
  if (elementsOf(root.shape()) == 0 || (hero.operandCount() > 0 && elementsOf(hero.operand(0)->shape()) == 0))
    return {};
  switch (emitter) {
    case KernelEmitter::Reduction: {
      const ReductionForm form = *reductionForm(hero);
      return form.isRow ? rowLaunch(form) : columnLaunch(hero, form);
    }
    case KernelEmitter::Transpose:
      return transposeLaunch(*tiledTranspose(hero));
    case KernelEmitter::Concatenate: {
      int64_t most = 0;
      for (const Instruction* operand : hero.operands()) most = std::max(most, elementsOf(operand->shape()));
      return loopLaunch(most, root, coreCount);
    }
    case KernelEmitter::Scatter:
      return loopLaunch(elementsOf(root.operand(root.operandCount() - 1)->shape()), root, coreCount);
    case KernelEmitter::Loop:
      return loopLaunch(root.opcode() == Opcode::DynamicUpdateSlice ? elementsOf(root.operand(1)->shape())
                                                                    : elementsOf(root.shape()),
                        root, coreCount);
  }
  return {};
}

}  // namespace hilo
