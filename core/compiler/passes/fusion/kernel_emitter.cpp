#include "core/compiler/passes/fusion/kernel_emitter.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

namespace hilo {
namespace {

constexpr int64_t kWarp = 32;
constexpr int64_t kMostInBatch = 8;
constexpr int64_t kMostRow = kWarp * kWarp * 16, kMostColumn = kWarp * 128;

using Holds = absl::FunctionRef<bool(const Instruction&)>;

bool fitsOneBlock(const ReductionForm& form) {
  return form.isRow ? form.sizes[2] <= kMostRow && form.sizes[0] <= kMostInBatch
                    : form.sizes[1] <= kMostColumn;
}

bool isReductionHero(const Instruction& result, const Instruction& hero) {
  return hero.opcode() == Opcode::Reduce && isSharedReduction(hero) &&
         (&result == &hero || fitsOneBlock(*reductionForm(hero)));
}

TransposeForm transposeForm(const Instruction& transpose) {
  TransposeForm form;
  std::vector<int64_t> last;
  const auto dims = transpose.dimensions();
  const auto follows = [&](int64_t d) {
    for (int64_t k = last.back() + 1; k < d; ++k) {
      if (transpose.operand(0)->shape().dimension(static_cast<size_t>(k)) != 1) return false;
    }
    return last.back() < d;
  };
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = transpose.shape().dimension(i);
    if (size == 1) continue;
    if (!last.empty() && follows(dims[i])) {
      form.sizes.back() *= size;
      last.back() = dims[i];
    } else {
      form.sizes.push_back(size);
      last.push_back(dims[i]);
    }
  }
  std::vector<int64_t> sorted = last;
  std::ranges::sort(sorted);
  for (const int64_t d : last) form.order.push_back(std::ranges::find(sorted, d) - sorted.begin());
  return form;
}

constexpr int64_t kTile = 16, kSmallTile = 8, kLeastOfSmallTiles = 64 * 128, kMostMinorBits = 64;

bool isTiledTranspose(const Instruction& i) {
  if (i.opcode() != Opcode::Transpose) return false;
  const TransposeForm form = transposeForm(i);
  const size_t rank = form.sizes.size();
  if (rank < 2) return false;
  const auto place = [&](size_t d) {
    return static_cast<size_t>(std::ranges::find(form.order, static_cast<int64_t>(d)) - form.order.begin());
  };
  const int64_t minor = form.sizes.back();
  if (form.order.back() == static_cast<int64_t>(rank) - 1) {
    const int64_t bits = elementBits(i.shape().elementType()) * minor;
    const int64_t other = std::min(form.sizes[place(rank - 2)], form.sizes[rank - 2]);
    return bits <= kMostMinorBits && bits * other >= 8 * kTile;
  }
  const int64_t other = form.sizes[place(rank - 1)];
  return std::min(minor, other) >= kTile ||
         (std::min(minor, other) >= kSmallTile && minor * other >= kLeastOfSmallTiles);
}

// Elementwise work, which an emitter does on the way from its hero to the result.
bool isBetween(const Instruction& i, size_t mostOperands) {
  if (i.operandCount() == 0 || i.operandCount() > mostOperands) return false;
  if (i.opcode() == Opcode::Copy) return i.shape() == i.operand(0)->shape();
  return isElementwise(i.opcode()) || i.opcode() == Opcode::Bitcast || i.opcode() == Opcode::Reshape;
}

// The only one of its kind that is reached through elementwise work.
const Instruction* onlyOne(const Instruction& from, Holds holds, bool (*isWanted)(const Instruction&)) {
  std::vector<const Instruction*> order{&from};
  absl::flat_hash_set<const Instruction*> seen{&from};
  const Instruction* found = nullptr;
  for (size_t k = 0; k < order.size(); ++k) {
    if (isWanted(*order[k])) {
      if (found != nullptr) return nullptr;
      found = order[k];
      continue;
    }
    if (!isBetween(*order[k], 3)) continue;
    for (const Instruction* operand : order[k]->operands()) {
      if (holds(*operand) && seen.insert(operand).second) order.push_back(operand);
    }
  }
  return found;
}

using Heroes = std::vector<const Instruction*>;

bool isReductionKernel(std::span<const Instruction* const> results, const Heroes& heroes) {
  const Instruction* first = nullptr;
  for (size_t k = 0; k < results.size() && first == nullptr; ++k) {
    if (isReductionHero(*results[k], *heroes[k])) first = heroes[k];
  }
  if (first == nullptr) return false;
  for (size_t k = 0; k < results.size(); ++k) {
    if (isReductionHero(*results[k], *heroes[k])) {
      if (reductionForm(*heroes[k]) != reductionForm(*first)) return false;
    } else if (!results[k]->shape().isArray() ||
               results[k]->shape().elementCount() != first->operand(0)->shape().elementCount()) {
      return false;
    }
  }
  return true;
}

bool isTransposeKernel(std::span<const Instruction* const> results, const Heroes& heroes) {
  const Instruction* first = nullptr;
  for (const Instruction* hero : heroes) {
    if (!isTiledTranspose(*hero)) continue;
    if (first != nullptr && transposeForm(*hero) != transposeForm(*first)) return false;
    if (first == nullptr) first = hero;
  }
  if (first == nullptr) return false;
  for (size_t k = 0; k < results.size(); ++k) {
    if (!isTiledTranspose(*heroes[k]) &&
        (!results[k]->shape().isArray() ||
         results[k]->shape().elementCount() != first->shape().elementCount()))
      return false;
  }
  return true;
}

}  // namespace

std::optional<ReductionForm> reductionForm(const Instruction& reduce) {
  struct Part {
    bool isReduced;
    int64_t size;
  };
  std::vector<Part> parts;
  const Shape shape = reduce.operand(0)->shape();
  for (size_t d = 0; d < shape.rank(); ++d) {
    const bool isReduced =
        std::ranges::find(reduce.dimensions(), static_cast<int64_t>(d)) != reduce.dimensions().end();
    if (shape.dimension(d) == 1) continue;
    if (!parts.empty() && parts.back().isReduced == isReduced) {
      parts.back().size *= shape.dimension(d);
    } else {
      parts.push_back({isReduced, shape.dimension(d)});
    }
  }
  if (parts.size() > 3) return std::nullopt;
  ReductionForm form{parts.empty() || parts.back().isReduced};
  if (!form.isRow) {
    form.sizes[2] = parts.back().size;
    if (parts.size() > 1) form.sizes[1] = parts[parts.size() - 2].size;
    if (parts.size() > 2) form.sizes[0] = parts[0].size;
    return form;
  }
  for (size_t k = 0; k < parts.size(); ++k) form.sizes[3 - parts.size() + k] = parts[k].size;
  return form;
}

std::optional<TransposeForm> tiledTranspose(const Instruction& instruction) {
  return isTiledTranspose(instruction) ? std::optional(transposeForm(instruction)) : std::nullopt;
}

const Instruction& kernelHero(const Instruction& result, Holds holds) {
  const Instruction* hero = &result;
  while (isBetween(*hero, 1) && holds(*hero->operand(0))) hero = hero->operand(0);
  if (const Instruction* transpose = onlyOne(*hero, holds, isTiledTranspose)) return *transpose;
  const auto isConcatenate = [](const Instruction& i) { return i.opcode() == Opcode::Concatenate; };
  if (const Instruction* concatenate = onlyOne(*hero, holds, isConcatenate)) return *concatenate;
  return hero->opcode() == Opcode::Reduce ? *hero : result;
}

bool isSharedReduction(const Instruction& reduce) {
  const auto form = reductionForm(reduce);
  if (!form) return false;
  const int64_t minor = form->sizes[2], major = form->sizes[1];
  if (form->isRow) return minor >= kWarp || (minor > 0 && kWarp % minor == 0);
  const bool isSmall = major < kWarp || (major < 2 * kWarp && minor < kWarp) ||
                       (major < 4 * kWarp && minor < 8) || (major < 8 * kWarp && minor < 3);
  return !isSmall;
}

KernelEmitter kernelEmitter(std::span<const Instruction* const> results, Holds holds) {
  Heroes heroes;
  for (const Instruction* result : results) heroes.push_back(&kernelHero(*result, holds));
  if (isReductionKernel(results, heroes)) return KernelEmitter::Reduction;
  if (isTransposeKernel(results, heroes)) return KernelEmitter::Transpose;
  if (results.size() != 1) return KernelEmitter::Loop;
  if (results[0]->opcode() == Opcode::Scatter) return KernelEmitter::Scatter;
  const bool concatenates = heroes[0]->opcode() == Opcode::Concatenate && heroes[0]->operandCount() <= 4;
  return concatenates ? KernelEmitter::Concatenate : KernelEmitter::Loop;
}

KernelEmitter kernelEmitter(const Computation& fused) {
  std::vector<const Instruction*> results{fused.root()};
  if (fused.root()->opcode() == Opcode::Tuple)
    results.assign(fused.root()->operands().begin(), fused.root()->operands().end());
  if (results.empty()) return KernelEmitter::Loop;
  return kernelEmitter(results, [](const Instruction& i) { return i.opcode() != Opcode::Parameter; });
}

}  // namespace hilo
