#include "ui/shell/command_palette.h"

#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/shell/fuzzy_match.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {

CommandPalette::CommandPalette(const ViewContext& context,
                               std::function<std::vector<PaletteCommand>()> commands,
                               std::function<void(const QString&)> search, QWidget* parent)
    : QWidget(parent), context_(context), askCommands_(std::move(commands)), search_(std::move(search)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kSpace, kSpace, kSpace, kSpace);
  box_ = new QLineEdit(this);
  box_->setPlaceholderText("Action, view, file, pass, instruction, computation or query");
  box_->setAccessibleName("Command palette");
  list_ = new QListWidget(this);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setUniformItemSizes(true);
  list_->setFrameShape(QFrame::NoFrame);
  layout->addWidget(box_);
  layout->addWidget(list_, 1);
  box_->installEventFilter(this);
  connect(box_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::accept);
  hide();
}

void CommandPalette::open() {
  const QSize room = parentWidget()->size();
  const int width = std::min(640, room.width() - 2 * kSpaceLarge);
  const int height = std::min(420, room.height() - 2 * kSpaceLarge);
  setGeometry((room.width() - width) / 2, std::min(80, room.height() / 10), width, height);
  commands_ = askCommands_();
  box_->clear();
  fill();
  show();
  raise();
  box_->setFocus();
}

namespace {

// Longer than a frame takes beyond this many: looked through in a job then.
constexpr size_t kNamesAtOnce = 50'000;

}  // namespace

std::vector<CommandPalette::NameHit> CommandPalette::findNames(const Module& module, const std::string& typed,
                                                               const CancelToken& cancel) {
  std::vector<NameHit> hits;
  for (const Computation* c : module.computations()) {
    if (cancel.cancelled()) return {};
    if (const int score = fuzzyScore(typed, c->name()); score >= 0) hits.push_back({score + 5, c->id(), {}});
    for (const Instruction* i : c->instructions()) {
      if (const int score = fuzzyScore(typed, i->name()); score >= 0)
        hits.push_back({score, c->id(), i->id()});
    }
  }
  const auto better = [](const NameHit& a, const NameHit& b) { return a.score > b.score; };
  const auto end = hits.begin() + std::ptrdiff_t(std::min(kShown, hits.size()));
  std::partial_sort(hits.begin(), end, hits.end(), better);
  hits.erase(end, hits.end());
  return hits;
}

void CommandPalette::addNames(const Snapshot& snapshot, const std::vector<NameHit>& hits,
                              std::vector<Entry>& entries) const {
  for (const NameHit& hit : hits) {
    const Computation& c = *snapshot.module->computation(hit.computation);
    if (!hit.instruction.valid()) {
      entries.push_back({hit.score, qs(c.name()), "computation", {}, selectionOf(snapshot, c)});
      continue;
    }
    const Instruction& i = *snapshot.module->instruction(hit.instruction);
    entries.push_back({hit.score,
                       qs(i.name()),
                       QString("%1 in %2").arg(qs(i.opcodeText()), qs(c.name())),
                       {},
                       selectionOf(snapshot, i)});
  }
}

std::vector<CommandPalette::Entry> CommandPalette::foundCommands(const std::string& typed) const {
  std::vector<Entry> entries;
  for (const PaletteCommand& command : commands_) {
    const int score = fuzzyScore(typed, toStd(command.text));
    // Commands go before names that fit as well: there are few of them.
    if (score >= 0) entries.push_back({score + 250, command.text, command.detail, command.run, {}});
  }
  return entries;
}

void CommandPalette::fill() {
  const std::string typed = toStd(box_->text().trimmed());
  const Snapshot* snapshot = context_.session.current();
  context_.jobs.cancelTag("palette");
  if (snapshot == nullptr || typed.empty()) return showEntries(foundCommands(typed), typed);
  if (snapshot->module->instructionCount() <= kNamesAtOnce) {
    std::vector<Entry> entries = foundCommands(typed);
    addNames(*snapshot, findNames(*snapshot->module, typed, {}), entries);
    return showEntries(std::move(entries), typed);
  }
  showEntries(foundCommands(typed), typed);
  context_.jobs.submit(
      "palette", "Look for " + typed,
      [module = snapshot->module, typed](JobContext& job) -> Result<std::vector<NameHit>> {
        return findNames(*module, typed, job.cancel());
      },
      [this, id = snapshot->id, typed](Result<std::vector<NameHit>> hits) {
        const Snapshot* snapshot = context_.session.snapshot(id);
        if (!hits || snapshot == nullptr || !isVisible()) return;
        std::vector<Entry> entries = foundCommands(typed);
        addNames(*snapshot, *hits, entries);
        showEntries(std::move(entries), typed);
      },
      &scope_);
}

void CommandPalette::showEntries(std::vector<Entry> entries, const std::string& typed) {
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.text < b.text;
  });
  if (entries.size() > kShown) entries.resize(kShown);
  if (!typed.empty() && context_.session.current() != nullptr) {
    const QString query = qs(typed);
    entries.push_back({0, "Search for " + query, "query", [this, query] { search_(query); }, {}});
  }
  entries_ = std::move(entries);
  list_->clear();
  for (const Entry& entry : entries_) {
    const QString detail = entry.detail.isEmpty() ? QString() : "    " + entry.detail;
    list_->addItem(entry.text + detail);
  }
  if (entries_.empty()) {
    list_->addItem("Nothing fits");
    list_->item(0)->setFlags(Qt::NoItemFlags);
  }
  list_->setCurrentRow(entries_.empty() ? -1 : 0);
}

void CommandPalette::accept() {
  const int row = list_->currentRow();
  hide();
  if (row < 0 || static_cast<size_t>(row) >= entries_.size()) return;
  const Entry entry = entries_[static_cast<size_t>(row)];
  if (entry.run) {
    entry.run();
  } else {
    context_.bus.activate(entry.selection);
  }
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != box_) return QWidget::eventFilter(watched, event);
  if (event->type() == QEvent::FocusOut) hide();
  if (event->type() != QEvent::KeyPress) return false;
  const int rows = static_cast<int>(entries_.size());
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Escape:
      hide();
      parentWidget()->setFocus();
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      accept();
      return true;
    case Qt::Key_Down:
      list_->setCurrentRow(std::min(rows - 1, list_->currentRow() + 1));
      return true;
    case Qt::Key_Up:
      list_->setCurrentRow(std::max(0, list_->currentRow() - 1));
      return true;
    case Qt::Key_PageDown:
      list_->setCurrentRow(std::min(rows - 1, list_->currentRow() + 10));
      return true;
    case Qt::Key_PageUp:
      list_->setCurrentRow(std::max(0, list_->currentRow() - 10));
      return true;
    default:
      return false;
  }
}

void CommandPalette::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.setPen(theme.colour(ColourRole::kAccent));
  painter.setBrush(theme.colour(ColourRole::kSurfaceRaised));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace hilo
