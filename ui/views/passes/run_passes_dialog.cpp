#include "ui/views/passes/run_passes_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <ranges>

#include "core/base/files.h"
#include "core/workspace/passes/pass_file.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

// The name of a pass, and behind it, in a column, what it does.
class PassLine : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    constexpr int kNameCharacters = 34, kBoxPx = 24, kGapPx = 12;
    const QFontMetrics& metrics = option.fontMetrics;
    const int name = metrics.horizontalAdvance(index.data().toString());
    QRect room = option.rect.adjusted(kBoxPx, 0, -kSpaceTiny, 0);
    room.setLeft(room.left() + kGapPx + std::max(name, kNameCharacters * metrics.averageCharWidth()));
    if (room.width() < kNameCharacters) return;
    painter->setPen(option.palette.color(QPalette::PlaceholderText));
    painter->drawText(
        room, Qt::AlignLeft | Qt::AlignVCenter,
        metrics.elidedText(index.data(Qt::ToolTipRole).toString(), Qt::ElideRight, room.width()));
  }
};

}  // namespace

RunPassesDialog::RunPassesDialog(std::shared_ptr<const Module> module, QWidget* parent)
    : QDialog(parent), module_(std::move(module)) {
  setWindowTitle("Run passes");
  resize(1020, 480);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(new QLabel("Pipeline", this));
  pipeline_ = new QComboBox(this);
  pipeline_->setAccessibleName("Pipeline");
  for (const Pipeline& p : listPipelines()) pipeline_->addItem(qs(p.name) + "  -  " + qs(p.summary));
  pipeline_->addItem("chosen passes, in the order below");
  layout->addWidget(pipeline_);
  layout->addWidget(new QLabel("Passes (drag to reorder; untick to leave out) and their settings", this));
  auto* split = new QSplitter(Qt::Horizontal, this);
  auto* list = new QWidget(split);
  auto* column = new QVBoxLayout(list);
  column->setContentsMargins(0, 0, 0, 0);
  addFilter(*column);
  chosen_ = new QListWidget(list);
  column->addWidget(chosen_, 1);
  chosen_->setAccessibleName("Passes");
  chosen_->setDragDropMode(QAbstractItemView::InternalMove);
  chosen_->setItemDelegate(new PassLine(chosen_));
  addSettings(*split);
  split->setSizes({540, 480});
  layout->addWidget(split, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  buttons->button(QDialogButtonBox::Ok)->setText("Run");
  addFiles(*buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
  connect(pipeline_, &QComboBox::currentIndexChanged, this, &RunPassesDialog::showPipeline);
  connect(chosen_, &QListWidget::currentRowChanged, this, &RunPassesDialog::showSettings);
  showPipeline(pipeline_->currentIndex());
}

void RunPassesDialog::addFilter(QVBoxLayout& column) {
  auto* line = new QHBoxLayout;
  filter_ = new QLineEdit(this);
  filter_->setPlaceholderText("Filter: a word of the name, or of what the pass does");
  filter_->setAccessibleName("Filter of passes");
  filter_->setClearButtonEnabled(true);
  auto* again = new QPushButton("Run again", this);
  again->setToolTip("Add the pass that is current once more, behind where it stands");
  again->setAutoDefault(false);
  line->addWidget(filter_, 1);
  line->addWidget(again);
  column.addLayout(line);
  connect(filter_, &QLineEdit::textChanged, this, &RunPassesDialog::showMatching);
  connect(again, &QPushButton::clicked, this, &RunPassesDialog::runAgain);
}

// Hidden passes run all the same where they are ticked.
void RunPassesDialog::showMatching(const QString& words) {
  bool anyShown = false;
  for (int row = 0; row < chosen_->count(); ++row) {
    const QString text = chosen_->item(row)->text() + ' ' + chosen_->item(row)->toolTip();
    const QStringList all = words.split(' ', Qt::SkipEmptyParts);
    const bool isShown = std::ranges::all_of(
        all, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
    chosen_->item(row)->setHidden(!isShown);
    anyShown |= isShown;
  }
  if (!anyShown)
    note_->setText(QString("No pass of this list has \"%1\": \"chosen passes\" lists all.").arg(words));
}

void RunPassesDialog::runAgain() {
  const QListWidgetItem* current = chosen_->currentItem();
  if (current == nullptr || !(current->flags() & Qt::ItemIsEnabled)) return;
  QListWidgetItem* copy = current->clone();
  copy->setCheckState(Qt::Checked);
  chosen_->insertItem(chosen_->currentRow() + 1, copy);
  chosen_->setCurrentItem(copy);
}

void RunPassesDialog::addSettings(QWidget& parent) {
  auto* side = new QWidget(&parent);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  settings_ = new PassSettingsTable(side);
  note_ = new QLabel(side);
  note_->setWordWrap(true);
  layout->addWidget(settings_, 1);
  layout->addWidget(note_);
  connect(settings_, &PassSettingsTable::refused, note_, &QLabel::setText);
  connect(settings_, &PassSettingsTable::passChanged, this, [this](const QString& text) {
    note_->clear();
    if (QListWidgetItem* item = chosen_->currentItem()) item->setText(text);
  });
}

const Pipeline* RunPassesDialog::chosenPipeline() const {
  const auto index = static_cast<size_t>(pipeline_->currentIndex());
  return index < listPipelines().size() ? &listPipelines()[index] : nullptr;
}

void RunPassesDialog::addFiles(QDialogButtonBox& buttons) {
  const auto add = [&](const QString& text, const QString& tip, QFileDialog::AcceptMode mode, auto chosen) {
    auto* button = buttons.addButton(text, QDialogButtonBox::ActionRole);
    button->setToolTip(tip);
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, this, [this, text, mode, chosen] {
      auto* dialog = new QFileDialog(this, text, {}, "Passes (*.passes);;All files (*)");
      dialog->setAttribute(Qt::WA_DeleteOnClose);
      dialog->setAcceptMode(mode);
      dialog->setDefaultSuffix("passes");
      connect(dialog, &QFileDialog::fileSelected, this, chosen);
      dialog->open();
    });
  };
  add("Open passes...", "Tick the passes of a file, in its order", QFileDialog::AcceptOpen,
      [this](const QString& path) { openFile(path); });
  add("Save passes...", "Keep the ticked passes with their settings as a file, for here and for hilo opt",
      QFileDialog::AcceptSave, [this](const QString& path) { saveFile(path); });
}

void RunPassesDialog::saveFile(const QString& path) {
  const Status written = writeBytes(toStd(path), passFileText(tickedPasses()));
  note_->setText(written ? "Saved as " + path : qs(toString(written.error())));
}

void RunPassesDialog::openFile(const QString& path) {
  const auto passes = readPassFile(toStd(path));
  if (!passes) return note_->setText(qs(toString(passes.error())));
  pipeline_->setCurrentIndex(pipeline_->count() - 1);
  showPipeline(pipeline_->currentIndex());
  QStringList others;
  for (int row = 0; row < chosen_->count(); ++row) others << chosen_->item(row)->text();
  chosen_->clear();
  for (const std::string& pass : *passes) addPass(*configuredPass(pass), Qt::Checked);
  for (const QString& pass : others) addPass(*configuredPass(toStd(pass)), Qt::Unchecked);
  chosen_->setCurrentRow(0);
  showMatching(filter_->text());
}

// One that is not there yet stands where XLA runs it, without a box.
void RunPassesDialog::addPass(const ConfiguredPass& configured, Qt::CheckState state) {
  auto* item = new QListWidgetItem(qs(passText(configured)), chosen_);
  item->setToolTip(qs(configured.pass->summary));
  if (!configured.pass->isThere()) return item->setFlags(Qt::NoItemFlags);
  item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
  item->setCheckState(state);
}

void RunPassesDialog::showPipeline(int) {
  chosen_->clear();
  if (const Pipeline* pipeline = chosenPipeline()) {
    for (const ConfiguredPass& configured : pipeline->passes) addPass(configured, Qt::Checked);
  } else {
    for (const Pass& pass : listPasses()) addPass(&pass, Qt::Unchecked);
  }
  chosen_->setCurrentRow(0);
  showMatching(filter_->text());
}

void RunPassesDialog::showSettings(int row) {
  note_->clear();
  if (row < 0) return settings_->setNoPass();
  const auto configured = configuredPass(toStd(chosen_->item(row)->text()));
  if (!configured) {
    settings_->setNoPass();
    return note_->setText(qs(configured.error().message));
  }
  settings_->setPass(*configured, *module_);
  if (configured->pass->settings.empty()) note_->setText(qs(configured->pass->name) + " has no settings.");
}

std::vector<std::string> RunPassesDialog::tickedPasses() const {
  std::vector<std::string> order;
  for (int row = 0; row < chosen_->count(); ++row) {
    if (chosen_->item(row)->checkState() == Qt::Checked) order.push_back(toStd(chosen_->item(row)->text()));
  }
  return order;
}

OptimizeRequest RunPassesDialog::request() const {
  OptimizeRequest request{.module = module_};
  std::vector<std::string> order = tickedPasses();
  // A pipeline taken as it is keeps its name in the series; a changed one is a list of passes.
  const Pipeline* pipeline = chosenPipeline();
  const auto isThere = [](const ConfiguredPass& configured) { return configured.pass->isThere(); };
  const auto text = [](const ConfiguredPass& configured) { return passText(configured); };
  if (pipeline != nullptr &&
      std::ranges::equal(order, pipeline->passes | std::views::filter(isThere), {}, {}, text)) {
    request.pipeline = pipeline->name;
  } else {
    request.passes = std::move(order);
  }
  return request;
}

}  // namespace hilo
