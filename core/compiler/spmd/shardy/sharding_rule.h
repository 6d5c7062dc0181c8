// Which dimensions of an operation's arrays are cut together, by factor: as OpFactors, but a dimension may be
// of several factors (a reshape of [8] to [2,4] has two), and factors that cannot stay cut where the
// operation runs still hand shardings on. The same as Shardy's OpShardingRuleAttr.
#pragma once

#include <optional>

#include "core/compiler/spmd/op_factors.h"

namespace hilo::sdy {

struct RuleFactor {
  // Whole: must come together where the operation runs. Permute: parts change places.
  enum class Kind : uint8_t { Pass, Sum, Whole, Permute };
  int64_t size = 1;
  Kind kind = Kind::Pass;
  bool isBlocked = false;  // nothing is handed on along it
};

struct ShardingRule {
  using Dimension = std::vector<size_t>;  // factors, outermost first; never empty
  using Array = std::vector<Dimension>;
  std::vector<RuleFactor> factors;
  std::vector<Array> operands;  // by operand; a tuple or token has no dimension
  std::vector<Array> results;   // by leaf of the result
};

class RuleBuilder {
 public:
  explicit RuleBuilder(const Instruction& instruction);
  // All with arrays of this shape.
  RuleBuilder(Shape shape, size_t operands);

  // A factor of one dimension of each operand and result, -1: none of it.
  void add(std::span<const int64_t> operands, std::span<const int64_t> results, int64_t size,
           RuleFactor::Kind kind = RuleFactor::Kind::Pass, bool isBlocked = false);
  void add(std::initializer_list<int64_t> operands, int64_t result, int64_t size,
           RuleFactor::Kind kind = RuleFactor::Kind::Pass, bool isBlocked = false);
  // Of dimension `dimension` of everything that is no scalar.
  void addToAll(int64_t dimension, int64_t size, RuleFactor::Kind kind = RuleFactor::Kind::Pass,
                bool isBlocked = false);
  // Dimensions without a factor get one of size 1.
  ShardingRule take();

 private:
  ShardingRule rule_;
};

// By rules.def; else by op_factors.def, where a dimension without a factor must come together. nullopt: the
// operation hands no sharding on.
std::optional<ShardingRule> shardingRule(const Instruction& instruction);
// Everything as one elementwise operation of `operands` arrays.
ShardingRule identityRule(Shape shape, size_t operands);

#define RULE(opcode, function) std::optional<ShardingRule> function(const Instruction& instruction);
#include "core/compiler/spmd/shardy/rules.def"

}  // namespace hilo::sdy
