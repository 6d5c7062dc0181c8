// What a view can point at: typed ids, never pointers, so that a selection outlives the module it names and
// can be carried to another snapshot of the same pipeline.
#pragma once

#include <QMetaType>

#include "core/hlo/ir/instruction.h"
#include "core/workspace/session/ids.h"

namespace hilo {

// Fields from the outside in; an invalid id says "the whole of what the field before it names".
struct Selection {
  DocumentId document;
  SnapshotId snapshot;
  ComputationId computation;
  InstructionId instruction;

  bool empty() const { return !document.valid() && !snapshot.valid(); }
  friend bool operator==(const Selection&, const Selection&) = default;
};

// What `selection` names in `module`; null when it names none, or one that is not in this snapshot.
inline const Instruction* instructionOf(const Module& module, const Selection& selection);
inline const Computation* computationOf(const Module& module, const Selection& selection);

}  // namespace hilo

#include "core/hlo/ir/module.h"

namespace hilo {

inline const Instruction* instructionOf(const Module& module, const Selection& selection) {
  return selection.instruction.valid() ? module.instruction(selection.instruction) : nullptr;
}
inline const Computation* computationOf(const Module& module, const Selection& selection) {
  if (const Instruction* instruction = instructionOf(module, selection)) return &instruction->parent();
  return selection.computation.valid() ? module.computation(selection.computation) : nullptr;
}

}  // namespace hilo

Q_DECLARE_METATYPE(hilo::Selection)
