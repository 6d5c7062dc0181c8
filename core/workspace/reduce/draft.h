// A candidate while moves change it. Private to the room.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <vector>

#include "core/base/cancel.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// What the instructions of a module's entry give, worked out when somebody asks for the first time: all of
// them that the evaluator can tell in a few seconds and a few GiB.
class EntryValues {
 public:
  EntryValues(std::shared_ptr<const Module> module, std::span<const Literal> arguments, CancelToken cancel)
      : module_(std::move(module)),
        arguments_(arguments.begin(), arguments.end()),
        cancel_(std::move(cancel)) {}
  // Null where it is not known.
  const Literal* of(InstructionId id) const;

 private:
  void workOut() const;

  std::shared_ptr<const Module> module_;
  std::vector<Literal> arguments_;
  mutable bool isKnown_ = false;
  CancelToken cancel_;
  mutable absl::flat_hash_map<InstructionId, Literal> values_;
};

struct Draft {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;       // one a parameter of the entry; none where hasValues is false
  const EntryValues* values = nullptr;  // as the module had them when the move began
  bool hasValues = true;                // what is watched depends on them

  // What it had; made up where that is not known. Arrays and tuples of arrays.
  Literal valueOf(const Instruction& instruction) const;
  // A parameter of the entry that stands for the instruction, with its value as argument.
  Instruction* addParameterFor(const Instruction& instruction);
  Instruction* addParameter(Shape shape);
};

// Whether a value of this shape can be handed in.
bool isValueShape(Shape shape);

// Parameters for the elements of a parameter of the entry that is a tuple; it is left
// without users, to be removed.
void splitParameter(Draft& draft, Instruction& parameter);

// Removes what nothing uses, and what the header says of parameters and results, which are others now.
void tidy(Draft& draft);

}  // namespace hilo
