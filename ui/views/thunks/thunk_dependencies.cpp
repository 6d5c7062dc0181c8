#include "ui/views/thunks/thunk_dependencies.h"

#include <QHeaderView>
#include <QPlainTextEdit>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/thunks/thunk_scene.h"

namespace hilo {
namespace {

constexpr int kValueColumn = 3;

std::vector<TableColumn<ThunkUse>> columns() {
  return {{"", [](const ThunkUse& use) { return use.writes ? QString("writes") : QString("reads"); }},
          {"where", [](const ThunkUse& use) { return qs(use.place); }},
          {"bytes", [](const ThunkUse& use) { return bytesText(use.sizeBytes); },
           [](const ThunkUse& use) { return static_cast<double>(use.sizeBytes); }},
          {"value", [](const ThunkUse& use) { return qs(use.value); }}};
}

QStringList racesOf(const ThunkStudy& study, uint32_t thunk) {
  QStringList lines;
  for (const ThunkRace& race : study.races) {
    if (race.first == thunk || race.second == thunk)
      lines << QStringLiteral("race   ") + qs(diagnosticOf(study, race).message);
  }
  return lines;
}

QStringList hazardsOf(const ThunkStudy& study, uint32_t thunk) {
  QStringList lines;
  for (const ThunkHazard& hazard : study.hazards) {
    if (hazard.to == thunk)
      lines << QStringLiteral("after  %1: %2").arg(qs(study.thunks[hazard.from].name), hazardText(hazard));
    if (hazard.from == thunk)
      lines
          << QStringLiteral("before %1, which %2").arg(qs(study.thunks[hazard.to].name), hazardText(hazard));
  }
  return lines;
}

}  // namespace

ThunkDependencies::ThunkDependencies(QWidget* parent) : QSplitter(Qt::Horizontal, parent), uses_(columns()) {
  setChildrenCollapsible(false);
  usesTable_ = new TableView(this);
  usesTable_->setModel(&uses_);
  usesTable_->setEmptyText("Buffer slices unknown.");
  usesTable_->setColumnWidths({7, 34, 9, 20});
  usesTable_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  usesTable_->setAccessibleName("Bytes of the thunk");
  text_ = new QPlainTextEdit(this);
  text_->setReadOnly(true);
  text_->setFont(codeFont(12));
  text_->setFrameShape(QFrame::NoFrame);
  text_->setAccessibleName("Dependencies of the thunk");
  setSizes({640, 460});
  connect(usesTable_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    const ThunkUse* use = uses_.rowAt(index);
    if (use != nullptr && !use->value.empty()) Q_EMIT valueActivated(qs(use->value).section(u'{', 0, 0));
  });
}

void ThunkDependencies::showThunk(const ThunkStudy& study, uint32_t index, const QString& origin) {
  const StudiedThunk& thunk = study.thunks[index];
  uses_.setRows(thunk.uses);
  const bool showsValues =
      std::ranges::any_of(thunk.uses, [](const ThunkUse& use) { return !use.value.empty(); });
  usesTable_->setColumnHidden(kValueColumn, !showsValues);
  usesTable_->header()->setStretchLastSection(showsValues);
  QStringList lines{QStringLiteral("of     ") + origin};
  if (!thunk.description.empty()) lines << qs(thunk.description);
  lines << racesOf(study, index) << hazardsOf(study, index);
  text_->setPlainText(lines.join(u'\n'));
}

void ThunkDependencies::clear() {
  uses_.setRows({});
  text_->clear();
}

QString ThunkDependencies::text() const { return text_->toPlainText(); }

}  // namespace hilo
