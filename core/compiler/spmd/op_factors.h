// Which dimensions of an operation's operands and result go together: what both the spreading of shardings
// and the partitioner ask of an operation. A factor is one index of the loop nest that the operation is: of
// f32[M,N] dot(f32[M,K], f32[K,N]) M and N pass through, K is summed over. Dimensions that belong to no
// factor must be whole where the operation runs. The same view as Shardy's op sharding rules.
#pragma once

#include <vector>

#include "core/hlo/ir/instruction.h"

namespace hilo {

struct Factor {
  enum class Kind : uint8_t { Pass, Sum };
  Kind kind = Kind::Pass;
  int64_t size = 1;
  std::vector<int64_t> operands;  // by operand: its dimension, or -1
  int64_t result = -1;            // dimension of the result, of each where there are several
  // Of a gather or scatter: which of an index vector picks along this factor; of a dynamic-update-slice: the
  // dimension that a start is for. It counts from a part's start.
  int64_t counted = -1;
  // Of which dimension of a window, or of the array of a pad or slice, when tiles of the result need other
  // ranges of the operands than their own tiles (windows.h).
  int64_t window = -1;
  // The number of parts divides this, where it is not 0: groups of a convolution stay together.
  int64_t groups = 0;
};

struct OpFactors {
  std::vector<Factor> factors;
  bool isKnown = false;  // false: nothing is known of the operation, all of it must be whole
  // How the parts of Sum factors are put together: a binary opcode.
  Opcode combine = Opcode::Add;
  bool canCombine = true;  // else parts of Sum factors cannot be put together: they must be whole
};

// By the tables of op_factors.def; of an opcode without a line: nothing is known.
OpFactors opFactors(const Instruction& instruction);

// One dimension of the operand, or of the result, by factor: -1 where the factor has none there.
std::vector<int64_t> factorOfDimension(const OpFactors& factors, size_t operand, size_t rank);
std::vector<int64_t> factorOfResult(const OpFactors& factors, size_t rank);
std::vector<int64_t> dimensionOfFactor(const OpFactors& factors, size_t operand);
std::vector<int64_t> resultOfFactor(const OpFactors& factors);

// Adds factors: for the files of the families.
class FactorList {
 public:
  explicit FactorList(const Instruction& of) : instruction_(of) { list_.isKnown = true; }
  // A Pass factor of operand `operand`, dimension `from`, and the result's dimension `to`.
  Factor& pass(size_t operand, int64_t from, int64_t to);
  Factor& sum(size_t operand, int64_t dimension);
  // Of every operand with the result's rank, dimension `dimension`, and the result's.
  Factor& passAll(int64_t dimension);
  // passAll; where tiles do not simply pass through, by ranges.
  void window(int64_t dimension, bool passes);
  // Of a dimension of an operand; null where it has none yet.
  Factor* factorOf(size_t operand, int64_t dimension);
  void combineBy(Opcode opcode) { list_.combine = opcode; }
  void neverCombine() { list_.canCombine = false; }
  OpFactors take();

 private:
  Factor& add(Factor::Kind kind, int64_t size);
  const Instruction& instruction_;
  OpFactors list_;
};

#define FACTORS(opcode, function) OpFactors function(const Instruction& instruction);
#include "core/compiler/spmd/op_factors.def"

// How many dimensions in front a custom call computes one by one, as JAX states of the libraries that it
// knows (frontend attribute num_batch_dims); 0 where nothing is said, or its arrays have no such dimensions.
int64_t batchDimensionsOf(const Instruction& call);
// How many it may be cut along: these, and of XLA's TopK all but the last.
int64_t freeDimensionsOf(const Instruction& call);

// What a spatial dimension of a convolution is: where the window is all of it, one place, or moves past a
// single element, it is a dimension of a product. As XLA's service/dot_as_convolution_util.cc.
enum class SpatialRole : uint8_t { Window, Batch, LhsFree, RhsFree, Contracting };
SpatialRole spatialRole(const Instruction& convolution, size_t spatial);
bool isProduct(const Instruction& convolution);  // none of its spatial dimensions is a window

// The binary operation that a computation of two scalars is, when it is nothing else and its neutral element
// is known: add, multiply, maximum, minimum, and, or.
std::optional<Opcode> plainCombiner(const Computation* computation);
// What changes nothing when it is combined; nullopt where the type has no such number.
std::optional<Literal> neutralElement(Opcode combiner, ElementType type);

}  // namespace hilo
