#include "ui/models/session_selection.h"

#include "ui/models/text_of.h"

namespace hilo {

const Snapshot* snapshotFor(const Session& session, const Selection& selection) {
  return selection.snapshot.valid() ? session.snapshot(selection.snapshot) : session.current();
}

Selection selectionOf(const Snapshot& snapshot, const Instruction& instruction) {
  return {snapshot.document, snapshot.id, instruction.parent().id(), instruction.id()};
}

Selection selectionOf(const Snapshot& snapshot, const Computation& computation) {
  return {snapshot.document, snapshot.id, computation.id(), {}};
}

Selection findByName(const Session& session, const QString& name) {
  const Snapshot* shown = session.current();
  if (shown == nullptr) return {};
  const std::string text = toStd(name);
  if (const Instruction* i = shown->module->findInstruction(text)) return selectionOf(*shown, *i);
  if (const Computation* c = shown->module->findComputation(text)) return selectionOf(*shown, *c);
  return {};
}

}  // namespace hilo
