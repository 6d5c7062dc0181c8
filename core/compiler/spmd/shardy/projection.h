// The shardings around one operation, by factor instead of by dimension: where factors are settled and from
// where they go back to dimensions. As Shardy's sharding_projection.h.
#pragma once

#include "core/compiler/spmd/shardy/sharding_rule.h"
#include "core/compiler/spmd/shardy/tensor_sharding.h"

namespace hilo::sdy {

struct FactorSharding {
  bool isUsed = false;  // whether the array has the factor at all
  bool isClosed = false;
  bool isInnermost = false;  // of its dimension
  Axes axes;
  // What the dimension has besides and the factor cannot take, as its size does not divide. It stays.
  Axes overflow;
};

struct ArrayProjection {
  std::vector<FactorSharding> factors;  // by factor of the rule
  Axes replicated, unreduced;
};

struct Projection {
  std::vector<ArrayProjection> operands, results;
};

// `sharding` null: all dimensions open.
ArrayProjection project(const ShardingRule& rule, const ShardingRule::Array& array,
                        const TensorSharding* sharding);
// Back to dimensions; mesh, replicated and unreduced axes are those of `like`.
TensorSharding unproject(const ShardingRule& rule, const ShardingRule::Array& array,
                         const ArrayProjection& projection, const TensorSharding& like);

}  // namespace hilo::sdy
