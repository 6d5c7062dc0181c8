#include "ui/shell/navigation.h"

#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"

namespace hilo {

Navigation::Navigation(const ViewContext& context, QObject* parent) : QObject(parent), context_(context) {
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &Navigation::visit);
}

void Navigation::visit(const Selection& selection) {
  Session& session = context_.session;
  if (selection.snapshot.valid() && session.snapshot(selection.snapshot) != nullptr)
    session.setCurrent(selection.snapshot);
  if (!isTravelling_ && !selection.empty()) history_.visit(selection);
  Q_EMIT changed();
}

void Navigation::goTo(const Selection& place) {
  isTravelling_ = true;
  if (context_.session.snapshot(place.snapshot) != nullptr) context_.bus.activate(place);
  isTravelling_ = false;
  Q_EMIT changed();
}

void Navigation::goBack() {
  if (canGoBack()) goTo(history_.back());
}

void Navigation::goForward() {
  if (canGoForward()) goTo(history_.forward());
}

void Navigation::goToRoot() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr || snapshot->module->entry() == nullptr) return;
  const Instruction* root = snapshot->module->entry()->root();
  if (root != nullptr) context_.bus.activate(selectionOf(*snapshot, *root));
}

bool Navigation::goToName(const QString& name) {
  const Selection found = findByName(context_.session, name);
  if (!found.empty()) context_.bus.activate(found);
  return !found.empty();
}

QString Navigation::selectedName() const {
  const Selection& selected = context_.bus.selected();
  const Snapshot* snapshot = snapshotFor(context_.session, selected);
  if (snapshot == nullptr) return {};
  const Instruction* instruction = instructionOf(*snapshot->module, selected);
  const Computation* computation = computationOf(*snapshot->module, selected);
  return instruction != nullptr   ? qs(instruction->name())
         : computation != nullptr ? qs(computation->name())
                                  : QString();
}

}  // namespace hilo
