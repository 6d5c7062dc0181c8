// The arrays of a module and what ties them together: the form in which shardings spread. Tuples, loops,
// branches and calls are gone: an array that goes through them is one value, or values tied by an edge.
//
// A loop's state is one value (what goes in, what the body gives, what comes out), with an edge to the
// operand and the body's root; what the body leaves as it is, is the operand itself. A branch's or call's
// argument is the operand itself, its result an edge. As add_data_flow_edges.cc and the canonical form of
// StableHLO's while and case.
#pragma once

#include "core/compiler/spmd/shardy/factor_propagation.h"
#include "core/compiler/spmd/shardy/statements.h"

namespace hilo::sdy {

using ValueId = size_t;

struct Value {
  const Instruction* owner = nullptr;
  size_t leaf = 0;
  Shape shape;
  std::optional<TensorSharding> sharding;
};

struct GraphNode {
  enum class Kind : uint8_t {
    Operation,
    Edge,      // all one and the same array
    Barrier,   // a custom call that lets shardings through in one direction
    Entrance,  // of a manual region: operand whole, result a part
    Exit,      // the other way
    Result,    // of the program
  };
  Kind kind = Kind::Operation;
  const Instruction* instruction = nullptr;
  ShardingRule rule;
  std::vector<ValueId> operands, results;
  bool isElementwise = false;
  bool operandsUsedOnce = true;  // not counting scalars
  Direction allowed = Direction::Both;
  // Of an entrance or exit: the sharding of the whole array, of which manual axes stay.
  TensorSharding outer;
  Axes manualAxes;
};

struct ValueGraph {
  std::vector<Value> values;
  std::vector<GraphNode> nodes;  // in the order of the program
  std::vector<std::vector<size_t>> nodesOfValue;
  // By leaf of an instruction's shape.
  absl::flat_hash_map<const Instruction*, std::vector<ValueId>> valuesOf;
  std::vector<std::vector<ValueId>> groups;
};

// Error kind "shardy-unsupported": a computation that is called from two places.
Result<ValueGraph> buildGraph(const Module& module, const Statements& statements);

// Manual axes taken out of a whole array's sharding, and put back in front of what the part has.
TensorSharding withoutManual(TensorSharding sharding, std::span<const AxisRef> manual);
TensorSharding withManual(const TensorSharding& outer, const TensorSharding& part,
                          std::span<const AxisRef> manual);

}  // namespace hilo::sdy
