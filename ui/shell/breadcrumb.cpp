#include "ui/shell/breadcrumb.h"

#include <algorithm>

#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr const char* kModuleLink = "module";
constexpr const char* kBetween = " › ";

const Instruction* firstCaller(const Computation& computation) {
  for (const Computation* each : computation.module().computations()) {
    for (const Instruction* i : each->instructions()) {
      const auto called = i->calledComputations();
      if (std::ranges::find(called, &computation) != called.end()) return i;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<const Computation*> computationsAround(const Computation& computation) {
  std::vector<const Computation*> around = {&computation};
  while (around.back() != computation.module().entry()) {
    const Instruction* caller = firstCaller(*around.back());
    const bool isLoop = caller != nullptr && std::ranges::find(around, &caller->parent()) != around.end();
    if (caller == nullptr || isLoop) break;
    around.push_back(&caller->parent());
  }
  std::ranges::reverse(around);
  return around;
}

Breadcrumb::Breadcrumb(const ViewContext& context, QWidget* parent) : QLabel(parent), context_(context) {
  setObjectName("breadcrumb");
  setAccessibleName("Where the selection lies");
  setTextFormat(Qt::RichText);
  setContentsMargins(kSpace, kSpaceTiny, kSpace, kSpaceTiny);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &Breadcrumb::show);
  connect(&context_.changes, &SessionChanges::currentChanged, this,
          [this] { show(context_.bus.selected()); });
  connect(this, &QLabel::linkActivated, this, [this](const QString& link) {
    const Snapshot* shown = context_.session.current();
    if (shown == nullptr) return;
    const ComputationId computation =
        link == kModuleLink ? ComputationId() : ComputationId{static_cast<uint32_t>(link.toULong())};
    context_.bus.activate({shown->document, shown->id, computation, {}});
  });
}

void Breadcrumb::show(const Selection& selection) {
  const Snapshot* shown = context_.session.current();
  parts_.clear();
  if (shown == nullptr) return clear();
  const Module& module = *shown->module;
  const bool isHere = !selection.snapshot.valid() || selection.snapshot == shown->id;
  parts_.clear();
  const auto add = [&](std::string_view name, const QString& link) {
    parts_ << QString("<a style=\"color:%1; text-decoration:none\" href=\"%2\">%3</a>")
                  .arg(themeOf(*this).colour(ColourRole::kTextDim).name(), link.toHtmlEscaped(),
                       qs(name).toHtmlEscaped());
  };
  add(module.name(), kModuleLink);
  if (const Computation* inner = isHere ? computationOf(module, selection) : nullptr) {
    for (const Computation* each : computationsAround(*inner))
      add(each->name(), QString::number(each->id().value));
  }
  if (const Instruction* instruction = isHere ? instructionOf(module, selection) : nullptr)
    parts_ << "<b>" + qs(instruction->name()).toHtmlEscaped() + "</b>";
  setToolTip(parts_.join("<br>› "));
  fit();
}

// Where not all fits, what lies between the module and the innermost parts is left out.
void Breadcrumb::fit() {
  setText(parts_.join(kBetween));
  for (qsizetype kept = parts_.size() - 2; kept > 0 && sizeHint().width() > width(); --kept)
    setText((QStringList{parts_.front(), "…"} + parts_.last(kept)).join(kBetween));
}

QSize Breadcrumb::minimumSizeHint() const { return {0, QLabel::minimumSizeHint().height()}; }

void Breadcrumb::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  fit();
}

}  // namespace hilo
