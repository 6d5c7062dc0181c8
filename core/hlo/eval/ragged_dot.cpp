// ragged-dot multiplies groups of lhs rows (consecutive in the ragged dimension, sizes given by the third
// operand) each with its own rhs. The mode follows from what the ragged dimension is in the lhs:
//  - neither batch nor contracting: row r of group g is multiplied with rhs[g]; rows beyond all
//    groups give 0;
//  - contracting: result[g] sums over group g's part of the contraction;
//  - batch: an ordinary product, with batches beyond all groups 0.
// Group sizes have the dimensions outside the ragged one in front of their own, or none of them.
// Each mode is a sum or list of ordinary products of the lhs with the elements outside some group
// set to zero.
#include <cstring>

#include "core/hlo/eval/contraction.h"
#include "core/hlo/eval/handlers.h"

namespace hilo::eval {
namespace {

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

enum class RaggedMode { Rows, Contracting, Batch };

struct RaggedDot {
  DotDimensions dims;
  int64_t ragged = 0;
  int64_t groupDim = -1;  // of the rhs, in Rows mode
  RaggedMode mode = RaggedMode::Rows;
  int64_t groupCount = 0;
  std::vector<int64_t> groupOf;  // of each lhs element; -1: none
};

// Lhs dimensions that lie outside the ragged one and so have group sizes of their own.
DimVector outerDimensions(const RaggedDot& ragged, Shape lhs) {
  DimVector outer;
  for (const int64_t d : ragged.dims.lhsBatch) {
    if (d == ragged.ragged) break;
    outer.push_back(d);
  }
  if (ragged.mode != RaggedMode::Rows) return outer;
  for (int64_t d = 0; d < static_cast<int64_t>(lhs.rank()); ++d) {
    if (!contains(ragged.dims.lhsBatch, d) && !contains(ragged.dims.lhsContracting, d) && d != ragged.ragged)
      outer.push_back(d);
  }
  return outer;
}

Status assignGroups(const Instruction& instruction, RaggedDot& ragged, Shape lhs, const Literal& groupSizes,
                    EvalContext& context) {
  const Shape groups = groupSizes.shape();
  const DimVector outer = outerDimensions(ragged, lhs), strides = rowMajorStrides(groups.dimensions());
  const bool shared = groups.rank() == 1;
  EVAL_REQUIRE(shared || groups.rank() == outer.size() + 1,
               "group sizes do not have the dimensions outside the ragged one");
  DimVector offsets(lhs.rank(), 0);
  for (size_t i = 0; !shared && i < outer.size(); ++i) {
    EVAL_REQUIRE(groups.dimension(i) == lhs.dimension(outer[i]),
                 "group sizes differ from the dimensions outside the ragged one");
    offsets[outer[i]] = strides[i];
  }
  const auto sizes = elementsAs<int64_t>(groupSizes, ElementType::S64);
  ragged.groupOf.reserve(static_cast<size_t>(lhs.elementCount()));
  for (StridedCounter<1> at(lhs.dimensions(), {offsets}); !at.done(); at.next()) {
    const int64_t row = at.index(static_cast<size_t>(ragged.ragged));
    if (ragged.groupOf.size() % 1024 == 0) TRY_STATUS(context.poll());
    int64_t found = -1, end = 0;
    for (int64_t g = 0; g < ragged.groupCount && found < 0; ++g) {
      const int64_t size =
          std::clamp<int64_t>(sizes[static_cast<size_t>(at.offset(0) + g)], 0, lhs.dimension(ragged.ragged));
      end += size;
      if (row < end) found = g;
    }
    ragged.groupOf.push_back(found);
  }
  return {};
}

Result<RaggedDot> readRaggedDot(const Instruction& instruction, std::span<const Literal> operands,
                                EvalContext& context) {
  const Shape lhs = operands[0].shape(), rhs = operands[1].shape(), groups = operands[2].shape();
  RaggedDot ragged{.dims = dotDimensionsOf(instruction)};
  const auto raggedDims = instruction.get<Attr::LhsRaggedDims>(),
             groupDims = instruction.get<Attr::RhsGroupDims>();
  TRY_STATUS(checkDotDimensions(instruction, lhs, rhs, ragged.dims));
  EVAL_REQUIRE(raggedDims.size() == 1 && areDistinctDimensions(raggedDims, lhs.rank()),
               "needs one ragged dimension");
  EVAL_REQUIRE(groups.isArray() && groups.rank() >= 1 && holdsIntegers(operands[2]),
               "group sizes must be integers");
  ragged.ragged = raggedDims[0];
  ragged.groupCount = groups.dimension(groups.rank() - 1);
  if (contains(ragged.dims.lhsBatch, ragged.ragged)) ragged.mode = RaggedMode::Batch;
  if (contains(ragged.dims.lhsContracting, ragged.ragged)) ragged.mode = RaggedMode::Contracting;
  if (ragged.mode == RaggedMode::Rows) {
    EVAL_REQUIRE(groupDims.size() == 1 && areDistinctDimensions(groupDims, rhs.rank()) &&
                     !contains(ragged.dims.rhsBatch, groupDims[0]) &&
                     !contains(ragged.dims.rhsContracting, groupDims[0]) &&
                     rhs.dimension(groupDims[0]) == ragged.groupCount,
                 "needs one group dimension of the rhs, of as many groups as there are sizes");
    ragged.groupDim = groupDims[0];
  } else {
    EVAL_REQUIRE(groupDims.empty(), "only a free ragged dimension has a group dimension");
  }
  TRY_STATUS(assignGroups(instruction, ragged, lhs, operands[2], context));
  return ragged;
}

// The lhs as numbers of T with every element outside the group zero; group -1 keeps what is in any group.
template <typename T>
Result<Literal> maskedLhs(const Literal& lhs, const RaggedDot& ragged, int64_t group, EvalContext& context) {
  constexpr ElementType kType = kAccumulationType<T>;
  TRY(Literal masked, context.make(Shape::array(kType, lhs.shape().dimensions())));
  T* out = masked.mutableData<T>().data();
  convertElements(out, kType, lhs.bytes().data(), lhs.shape().elementType(), lhs.shape().elementCount());
  for (size_t i = 0; i < ragged.groupOf.size(); ++i) {
    const bool keep = group < 0 ? ragged.groupOf[i] >= 0 : ragged.groupOf[i] == group;
    if (!keep) out[i] = T();
  }
  return masked;
}

std::vector<int64_t> without(std::span<const int64_t> list, int64_t dimension) {
  std::vector<int64_t> lowered;
  for (const int64_t d : list) lowered.push_back(d > dimension ? d - 1 : d);
  return lowered;
}

// One group's product in Rows mode: its rows with its slice of the rhs.
template <typename T>
Result<DotProduct<T>> rowsProduct(const Literal& lhs, const Literal& rhs, const RaggedDot& ragged,
                                  int64_t group, EvalContext& context) {
  DimVector sizes(rhs.shape().dimensions().begin(), rhs.shape().dimensions().end()),
      strides = rowMajorStrides(sizes);
  const int64_t base = group * strides[ragged.groupDim];
  sizes.erase(sizes.begin() + ragged.groupDim);
  strides.erase(strides.begin() + ragged.groupDim);
  TRY(Literal own, context.make(Shape::array(rhs.shape().elementType(), sizes)));
  copyStrided(own.mutableBytes().data(), rhs.bytes().data(), storageBytes(rhs.shape()), sizes,
              {base, strides});
  const auto batch = without(ragged.dims.rhsBatch, ragged.groupDim),
             contracting = without(ragged.dims.rhsContracting, ragged.groupDim);
  return multiply<T>(lhs, own, {ragged.dims.lhsBatch, batch, ragged.dims.lhsContracting, contracting},
                     context);
}

template <typename T>
Result<DotProduct<T>> groupedProduct(const Literal& lhs, const Literal& rhs, const RaggedDot& ragged,
                                     EvalContext& context) {
  DotProduct<T> total;
  for (int64_t g = 0; g < ragged.groupCount; ++g) {
    TRY(const Literal masked, maskedLhs<T>(lhs, ragged, g, context));
    if (ragged.mode == RaggedMode::Contracting) {
      TRY(const DotProduct<T> product, multiply<T>(masked, rhs, ragged.dims, context));
      total.dimensions = product.dimensions;
      total.values.insert(total.values.end(), product.values.begin(), product.values.end());
    } else {
      TRY(const DotProduct<T> product, rowsProduct<T>(masked, rhs, ragged, g, context));
      total.dimensions = product.dimensions;
      total.values.resize(product.values.size());
      for (size_t i = 0; i < product.values.size(); ++i) total.values[i] += product.values[i];
    }
  }
  if (ragged.mode == RaggedMode::Contracting)
    total.dimensions.insert(total.dimensions.begin(), ragged.groupCount);
  return total;
}

}  // namespace

Result<Literal> raggedDot(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  TRY_STATUS(
      checkDotRoom(instruction, {operands[0].shape(), operands[1].shape(), instruction.shape()}, context));
  TRY(const RaggedDot ragged, readRaggedDot(instruction, operands, context));
  if (ragged.groupCount == 0) return context.make(instruction.shape());
  const ElementType type =
      commonAccumulation({operands[0].shape(), operands[1].shape(), instruction.shape()}, context);
  return visitAccumulationType(type, [&]<typename T>() -> Result<Literal> {
    if (ragged.mode == RaggedMode::Batch) {
      TRY(const Literal masked, maskedLhs<T>(operands[0], ragged, -1, context));
      TRY(const DotProduct<T> product, multiply<T>(masked, operands[1], ragged.dims, context));
      return roundedProduct(instruction, product, type, context);
    }
    TRY(const DotProduct<T> product, groupedProduct<T>(operands[0], operands[1], ragged, context));
    return roundedProduct(instruction, product, type, context);
  });
}

}  // namespace hilo::eval
