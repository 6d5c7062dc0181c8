#include "ui/shell/window_follow.h"

#include <QAction>
#include <QStatusBar>
#include <QToolButton>

#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/shell/main_window.h"
#include "ui/shell/window_status.h"

namespace hilo {

WindowFollow::WindowFollow(MainWindow& leader, MainWindow& follower)
    : leader_(leader), follower_(follower), button_(new QToolButton) {
  QAction* action = follower.action("window.follow");
  action->setVisible(true);
  button_->setDefaultAction(action);
  button_->setAutoRaise(true);
  button_->setFocusPolicy(Qt::NoFocus);
  follower.statusBar()->insertPermanentWidget(0, button_);  // messages do not hide it
  connect(action, &QAction::toggled, this, &WindowFollow::switchTo);
  connect(&leader.bus(), &SelectionBus::selectionChanged, this, &WindowFollow::select);
  // What was selected there before this module was here.
  connect(&follower.context().changes, &SessionChanges::currentChanged, this, &WindowFollow::select);
  TimeCursor& there = leader.bus().time();
  TimeCursor& here = follower.bus().time();
  connect(&there, &TimeCursor::pointedChanged, this, [this, action, &there, &here] {
    if (action->isChecked()) here.point(this->here(there.pointed()));
  });
  connect(&there, &TimeCursor::placedChanged, this, [this, action, &there, &here] {
    if (action->isChecked()) here.place(this->here(there.placed()));
  });
  switchTo(action->isChecked());
}

WindowFollow::~WindowFollow() {
  follower_.action("window.follow")->setVisible(false);
  delete button_;
}

void WindowFollow::switchTo(bool on) {
  QAction* action = button_->defaultAction();
  action->setIconText(on ? "Follows the first window" : "Follow the first window");
  action->setToolTip(
      on ? "Selection and time cursor are those of the first window, by the names of instructions; "
           "press to end it"
         : "Take over selection and time cursor of the first window");
  if (!on) return;
  select();
  follower_.bus().time().place(here(leader_.bus().time().placed()));
}

void WindowFollow::select() {
  const Snapshot* here = follower_.session().current();
  const Selection& there = leader_.bus().selected();
  const Snapshot* from = snapshotFor(leader_.session(), there);
  if (!button_->defaultAction()->isChecked() || here == nullptr || from == nullptr) return;
  const Computation* computation = computationOf(*from->module, there);
  if (computation == nullptr) return follower_.bus().select({here->document, here->id, {}, {}});
  const Instruction* instruction = instructionOf(*from->module, there);
  const std::string_view name = instruction == nullptr ? computation->name() : instruction->name();
  const Selection found = findByName(follower_.session(), qs(name));
  if (found.empty()) return follower_.status().say(qs(name) + " of the first window is not in this module");
  follower_.bus().select(found);
}

Moment WindowFollow::here(const Moment& there) const {
  const Snapshot* here = follower_.session().current();
  const Snapshot* from = leader_.session().snapshot(there.snapshot);
  const Instruction* instruction = from == nullptr ? nullptr : from->module->instruction(there.instruction);
  if (here == nullptr || instruction == nullptr) return {};
  const Instruction* same = here->module->findInstruction(instruction->name());
  return same == nullptr ? Moment() : Moment{here->id, same->id(), there.part};
}

}  // namespace hilo
