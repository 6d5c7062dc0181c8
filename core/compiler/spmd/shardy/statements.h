// What a module says of its shardings, read from the attributes and custom calls that Shardy leaves in HLO.
#pragma once

#include "core/compiler/spmd/shardy/attribute_text.h"

namespace hilo::sdy {

// One custom call that turns whole arrays into each device's parts (xla.sdy.GlobalToLocalShape) or back
// (xla.sdy.LocalToGlobalShape), at the border of a region whose program tells devices along `axes` apart.
struct ManualBorder {
  bool isEntrance = false;
  std::vector<TensorSharding> shardings;  // of the whole arrays, by leaf
  Axes axes;                              // of this region alone, in the order of the mesh
};

// Axes along which the program of a computation tells devices apart, with those of regions around it.
struct ManualRegion {
  size_t mesh = 0;
  Axes axes;
};

struct Statements {
  MeshTable meshes;
  // By leaf of the instruction; nullopt where it says nothing.
  absl::flat_hash_map<const Instruction*, std::vector<std::optional<TensorSharding>>> shardings;
  absl::flat_hash_map<const Instruction*, ShardingRule> rules;  // the program's own
  absl::flat_hash_map<const Instruction*, ManualBorder> borders;
  absl::flat_hash_map<const Computation*, ManualRegion> regions;
  absl::flat_hash_map<const Instruction*, int64_t>
      barriers;  // custom calls: 0 none, 1 forward, 2 backward, 3 both
  std::map<int64_t, std::vector<const Instruction*>> groups;  // whose arrays end up alike
  std::vector<std::optional<TensorSharding>> results;         // by leaf of the entry's root

  const TensorSharding* of(const Instruction* instruction, size_t leaf = 0) const;
  void set(const Instruction* instruction, size_t leaf, TensorSharding sharding);
};

// Reads and takes away: marks of results (xla.sdy.FuncResultSharding) and of groups go, the other calls stay.
// Error kinds: "sharding-invalid", "shard-group-mismatch", "shardy-unsupported".
Result<Statements> readStatements(Module& module);

// Axes of one device cut nothing: they go from all that is said. As Shardy's remove_size_one_axes.cc.
void dropUnitAxes(Statements& statements);

// Before shardings spread: a closed constraint holds for its operand too where that says nothing itself and
// no other constraint disagrees; of a loop's value, for the operand's other uses. As Shardy's
// apply_sharding_constraints.cc.
void applyConstraints(Module& module, Statements& statements);

// A constant expression or broadcast scalar with several users becomes one a user, so that each is cut as its
// user needs it. mergeConstants makes one again of those that ended up alike. As Shardy's
// constant_or_scalar_splitter.cc.
void splitConstants(Module& module);
void mergeConstants(Module& module);

// The instruction that makes an array behind elements of tuples, and which of its leaves the array is.
std::pair<const Instruction*, size_t> originOf(const Instruction* instruction);
std::string_view frontendAttribute(const Instruction& instruction, std::string_view name);
bool isConstraint(const Instruction& instruction);
// Whether a computation is the body of a manual region, by its name.
bool isManualBody(const Computation& computation);

}  // namespace hilo::sdy
