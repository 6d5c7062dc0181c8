// The state of a module that is being partitioned, and what the handlers of operations ask of it.
// Instructions of one device's program are made in front of those they stand for; when a computation is
// through, the old ones go. A computation is partitioned once: its own parameters and root say how.
#pragma once

#include "core/compiler/spmd/op_factors.h"
#include "core/compiler/spmd/reshard.h"
#include "core/compiler/spmd/windowed_dot.h"

namespace hilo {

// A value on the devices: of a tuple one tiling a leaf.
struct Value {
  Instruction* local = nullptr;
  Shape global;
  Tilings tilings;
};

class Partitioner {
 public:
  Partitioner(Module& module, PassContext& context, const PartitionSettings& settings)
      : builder_(module, context), settings_(settings) {}

  Status run();

  LocalBuilder& builder() { return builder_; }
  const PartitionSettings& settings() const { return settings_; }
  int64_t partitions() const { return builder_.partitions(); }

  // What an instruction that stands before is on the devices.
  const Value& valueOf(const Instruction* original) const { return values_.at(original); }
  Part partOf(const Instruction* original) const;
  // The tilings that an instruction is to have: of its own sharding, else whole.
  Result<Tilings> wantedTilings(const Instruction& instruction) const;
  // Operand `index` of the instruction at hand, brought into tilings. Error kind "spmd-manual-mismatch".
  Result<Part> operandAs(const Instruction& user, size_t index, const Tiling& tiling);
  Result<Value> valueAs(const Value& value, const Tilings& tilings, const MoveRemark& cause);
  // Gives an array that was made in one tiling to its users in the tiling its sharding says.
  Status finish(const Instruction& original, const Part& made);
  Status finish(const Instruction& original, Value made);
  // The same where it is as it should be.
  void setValue(const Instruction& original, Value value) { values_[&original] = std::move(value); }

  // How the result of a called computation lies: as it was partitioned, as its root says, or `otherwise`.
  Result<Tilings> rootTilings(const Computation& callee, const Tilings& otherwise) const;
  Result<Tilings> parameterTilings(const Computation& callee, size_t index, const Tilings& otherwise) const;
  // With these tilings of its parameters and root. Error kind "spmd-conflict" when it was done with others.
  Status partitionComputation(Computation& computation, const std::vector<Tilings>& parameters,
                              const Tilings& root);

 private:
  Status partitionInstruction(Instruction& instruction);
  void enterParameters(Computation& computation, const std::vector<Tilings>& parameters);
  void leave(Computation& computation, std::span<Instruction* const> originals);
  void updateEntryLayout();

  LocalBuilder builder_;
  PartitionSettings settings_;
  absl::flat_hash_map<const Instruction*, Value> values_;
  struct Signature {
    std::vector<Tilings> parameters;
    Tilings root;
  };
  absl::flat_hash_map<const Computation*, Signature> done_;
};

// Handlers: partition one instruction, and finish() it.
#define HANDLER(opcode, function) Status function(Partitioner& partitioner, Instruction& instruction);
#include "core/compiler/spmd/handlers.def"
// By its factors; of an operation with none everything is whole.
Status partitionByFactors(Partitioner& partitioner, Instruction& instruction);

std::unexpected<Diagnostic> refuse(const Instruction& instruction, std::string kind, std::string message,
                                   std::vector<std::string> notes = {});

}  // namespace hilo
