#include "ui/shell/command_palette.h"

#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

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

void CommandPalette::addNames(const std::string& typed, std::vector<Entry>& entries) const {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr || typed.empty()) return;
  struct Hit {
    int score;
    const Computation* computation;
    const Instruction* instruction;
  };
  std::vector<Hit> hits;
  for (const Computation* c : snapshot->module->computations()) {
    if (const int score = fuzzyScore(typed, c->name()); score >= 0) hits.push_back({score + 5, c, nullptr});
    for (const Instruction* i : c->instructions()) {
      if (const int score = fuzzyScore(typed, i->name()); score >= 0) hits.push_back({score, c, i});
    }
  }
  const auto better = [](const Hit& a, const Hit& b) { return a.score > b.score; };
  const auto end = hits.begin() + std::ptrdiff_t(std::min(kShown, hits.size()));
  std::partial_sort(hits.begin(), end, hits.end(), better);
  for (auto hit = hits.begin(); hit != end; ++hit) {
    if (hit->instruction != nullptr) {
      const QString detail =
          QString("%1 in %2").arg(qs(hit->instruction->opcodeText()), qs(hit->computation->name()));
      entries.push_back({hit->score,
                         qs(hit->instruction->name()),
                         detail,
                         {},
                         context_.session.selectionOf(*snapshot, *hit->instruction)});
    } else {
      entries.push_back({hit->score,
                         qs(hit->computation->name()),
                         "computation",
                         {},
                         context_.session.selectionOf(*snapshot, *hit->computation)});
    }
  }
}

std::vector<CommandPalette::Entry> CommandPalette::found(const std::string& typed) const {
  std::vector<Entry> entries;
  for (const PaletteCommand& command : commands_) {
    const int score = fuzzyScore(typed, toStd(command.text));
    // Commands go before names that fit as well: there are few of them.
    if (score >= 0) entries.push_back({score + 250, command.text, command.detail, command.run, {}});
  }
  addNames(typed, entries);
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.text < b.text;
  });
  if (entries.size() > kShown) entries.resize(kShown);
  if (!typed.empty() && context_.session.current() != nullptr) {
    const QString query = qs(typed);
    entries.push_back({0, "Search for " + query, "query", [this, query] { search_(query); }, {}});
  }
  return entries;
}

void CommandPalette::fill() {
  entries_ = found(toStd(box_->text().trimmed()));
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
