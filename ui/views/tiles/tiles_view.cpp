#include "ui/views/tiles/tiles_view.h"

#include <QVBoxLayout>

#include "core/analysis/tile_program/configured_tiles.h"
#include "core/analysis/tiling/suggested_sizes.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/tiles/tileable.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr const char* kNothingOpen = "Open a module to see the tiles of its fusions.";
constexpr const char* kNoFusion = "This module has no fusion. Select an instruction to see its tiles.";

}  // namespace

TilesView::TilesView(const ViewContext& context, QWidget* parent)
    : View(context, parent), model_(tileColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  head_ = new QLabel(kNothingOpen, this);
  head_->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  head_->setWordWrap(true);
  head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(head_);
  sizes_ = new SizeControls(this);
  layout->addWidget(sizes_);
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  split_ = new QSplitter(Qt::Vertical, this);
  split_->setChildrenCollapsible(false);
  picture_ = new TilePicture(split_);
  buildTable();
  buildDetails();
  split_->setSizes({340, 200, 220});
  split_->setStretchFactor(0, 3);
  split_->setStretchFactor(1, 2);
  layout->addWidget(split_, 1);
  layout->addStretch();
  connect(sizes_, &SizeControls::changed, this, &TilesView::answer);
  connect(picture_, &TilePicture::pointedAt, this, &TilesView::moveToElement);
  connect(picture_, &TilePicture::moved, this, &TilesView::moveBy);
  connect(picture_, &TilePicture::stepped, this,
          [this](int by) { program_->setValue(program_->value() + by); });
  connect(&context_.changes, &SessionChanges::currentShown, this, &TilesView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, &TilesView::refresh);
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &TilesView::follow);
  clear(kNothingOpen);
}

QWidget* TilesView::buildBar() {
  auto* bar = new QWidget(this);
  auto* row = new WrappingRow(kSpaceSmall);
  row->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  bar->setLayout(row);
  fusions_ = new QComboBox(bar);
  fusions_->setAccessibleName("Fusion");
  fusions_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  fusions_->setMinimumContentsLength(28);
  order_ = new QComboBox(bar);
  order_->setAccessibleName("Order of launch");
  order_->setToolTip("Which tile each program computes, in the order of their numbers");
  order_->addItem("row-major", static_cast<int>(LaunchOrder::kRowMajor));
  order_->addItem("transposed", static_cast<int>(LaunchOrder::kTransposed));
  order_->addItem("grouped for L2", static_cast<int>(LaunchOrder::kGrouped));
  program_ = new QSpinBox(bar);
  program_->setAccessibleName("Program");
  program_->setPrefix("program ");
  program_->setToolTip("The tile that is shown, by its number in the order of launch");
  nearest_ = new QPushButton("Nearest legal sizes", bar);
  nearest_->setToolTip("Change one size as little as makes them legal");
  for (QWidget* widget : {static_cast<QWidget*>(fusions_), static_cast<QWidget*>(order_),
                          static_cast<QWidget*>(program_), static_cast<QWidget*>(nearest_)})
    row->add(widget);
  connect(fusions_, &QComboBox::activated, this, [this] { goTo(fusions_->currentData().toString()); });
  connect(order_, &QComboBox::currentIndexChanged, this, [this] { moveTo(tile_); });
  connect(program_, &QSpinBox::valueChanged, this, [this](int number) {
    if (isLegal_) moveTo(tileAt(launchOrder(), tileCounts(space_, tiling_), number));
  });
  connect(nearest_, &QPushButton::clicked, this, [this] {
    if (const auto legal = nearestLegal(space_, sizes_->sizes())) sizes_->setSizes(*legal);
    answer();
  });
  return bar;
}

void TilesView::buildTable() {
  table_ = new TableView(split_);
  table_->setModel(&model_);
  table_->setAccessibleName("Instructions on a tile");
  table_->setEmptyText("No tile is shown.");
  table_->setColumnWidths({24, 12, 24, 14, 11, 9, 8, 20});
  model_.setForeground([this](const TileRow& row) {
    return row.isRead ? QVariant() : QVariant(themeOf(*this).colour(ColourRole::kTextFaint));
  });
  connect(table_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    const TileRow* row = model_.rowAt(index);
    const Snapshot* snapshot = context_.session.snapshot(shownOf_);
    if (row == nullptr || snapshot == nullptr) return;
    telling_ = true;
    context_.bus.select(selectionOf(*snapshot, *space_.instructions[row->number].instruction));
    telling_ = false;
  });
}

void TilesView::buildDetails() {
  details_ = new QTabWidget(split_);
  details_->setDocumentMode(true);
  details_->setAccessibleName("Tile details");
  split_->setCollapsible(split_->indexOf(details_), true);
  ranking_ = new TileRanking(context_, details_);
  details_->addTab(ranking_, "Estimates");
  constexpr const char* kTitles[] = {"Tile program", "LLVM IR", "PTX"};
  for (size_t i = 0; i < codes_.size(); ++i) {
    codes_[i] = new TileCode(context_, static_cast<TileCode::Form>(i), details_);
    details_->addTab(codes_[i], kTitles[i]);
  }
  tuned_ = new TunedKernels(context_, details_);
  details_->addTab(tuned_, "Tuned kernels");
  connect(ranking_, &TileRanking::chosen, this, [this](const std::vector<int64_t>& sizes, LaunchOrder order) {
    const QSignalBlocker quiet(order_);
    order_->setCurrentIndex(order_->findData(static_cast<int>(order)));
    sizes_->setSizes(sizes);
    answer();
  });
  connect(tuned_, &TunedKernels::chosen, this, [this](const std::vector<int64_t>& sizes) {
    if (sizes.size() != space_.tiled().size()) return;
    sizes_->setSizes(sizes);
    answer();
  });
}

void TilesView::showCode() {
  for (TileCode* code : codes_) {
    if (isLegal_) {
      code->setTiles(module_, instruction_, sizes_->sizes());
    } else {
      code->setTiles(nullptr, nullptr, {});
    }
  }
}

void TilesView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void TilesView::clear(const QString& text) {
  instruction_ = nullptr;
  module_ = nullptr;
  ranking_->setInstruction(nullptr, nullptr);
  tuned_->setInstruction(nullptr, nullptr);
  isLegal_ = false;
  showCode();
  space_ = {};
  tiling_ = {};
  tile_.clear();
  model_.setRows({});
  picture_->setContent({});
  sizes_->setSpace({}, {});
  head_->setText(text);
  message_->say({});
  split_->hide();
  nearest_->hide();
  program_->hide();
  order_->hide();
}

void TilesView::refresh() {
  const Snapshot* current = context_.session.current();
  if (current == nullptr) {
    shownOf_ = {};
    fusions_->clear();
    return clear(kNothingOpen);
  }
  if (!isVisible() || !context_.session.isShown()) return;
  if (current->module == module_) return follow(context_.bus.selected());
  shownOf_ = current->id;
  fusions_->clear();
  const auto fusions = fusionsOf(*current->module);
  for (const Instruction* fusion : fusions)
    fusions_->addItem(QString("%%1  %2").arg(qs(fusion->name()), shapeText(fusion->shape(), 40)),
                      qs(fusion->name()));
  clear(kNoFusion);
  module_ = current->module;
  follow(context_.bus.selected());
  if (instruction_ == nullptr && !fusions.empty()) choose(*fusions.front());
}

void TilesView::follow(const Selection& selection) {
  if (telling_ || module_ == nullptr || !isVisible()) return;
  const Snapshot* snapshot = snapshotFor(context_.session, selection);
  if (snapshot == nullptr || snapshot->module != module_) return;
  const Instruction* selected = instructionOf(*module_, selection);
  if (selected == nullptr) return;
  const Instruction& tiled = tiledFor(*module_, *selected);
  if (&tiled != instruction_ && tiled.opcode() != Opcode::Parameter) choose(tiled);
}

bool TilesView::goTo(const QString& name) {
  const Instruction* found = module_ == nullptr ? nullptr : module_->findInstruction(toStd(name));
  if (found == nullptr) return false;
  choose(*found);
  return true;
}

void TilesView::choose(const Instruction& instruction) {
  auto module = module_;
  clear({});
  module_ = std::move(module);
  instruction_ = &instruction;
  fusions_->setCurrentIndex(fusions_->findData(qs(instruction.name())));
  fusions_->setPlaceholderText("%" + qs(instruction.name()));  // of what is no fusion
  auto space = tilingSpace(instruction);
  if (!space) {
    head_->setText(QString("%%1 cannot be tiled").arg(qs(instruction.name())));
    return message_->sayWhy(space.error());
  }
  space_ = *std::move(space);
  ranking_->setInstruction(module_, &instruction);
  tuned_->setInstruction(module_, &instruction);
  const auto config = configuredSizes(instruction, space_);
  std::vector<int64_t> whole;
  for (const size_t i : space_.tiled()) whole.push_back(space_.variables[i].index.range.upper + 1);
  sizes_->setSpace(space_, config && *config ? (*config)->sizes : usualSizes(space_).value_or(whole));
  split_->show();
  answer();
  if (!config) message_->sayWhy(config.error());
}

void TilesView::answer() {
  if (instruction_ == nullptr) return;
  auto tiling = tilingWith(space_, sizes_->sizes());
  isLegal_ = tiling.has_value();
  nearest_->setVisible(!isLegal_);
  program_->setVisible(isLegal_);
  order_->setVisible(isLegal_);
  picture_->setEnabled(isLegal_);
  table_->setEnabled(isLegal_);
  sizes_->markNamed(isLegal_ ? QString() : qs(tiling.error().message));
  showCode();
  if (!isLegal_) {
    message_->sayWhy(tiling.error());
    return head_->setText(QString("%%1: these sizes are refused").arg(qs(instruction_->name())));
  }
  tiling_ = *std::move(tiling);
  const auto constraints = tilingConstraints(space_);
  QStringList lines;
  for (const std::string& constraint : constraints) lines << qs(constraint);
  message_->say(lines.isEmpty()
                    ? QString()
                    : "Legal where " + lines.first() +
                          (lines.size() > 1 ? QString(", and %1 more").arg(lines.size() - 1) : QString()));
  message_->setToolTip(lines.join('\n'));
  const auto counts = tileCounts(space_, tiling_);
  tile_.resize(counts.size(), 0);
  moveTo(tile_);
}

void TilesView::moveTo(std::vector<int64_t> tile) {
  if (!isLegal_) return;
  const auto counts = tileCounts(space_, tiling_);
  for (size_t d = 0; d < counts.size(); ++d) tile[d] = std::clamp<int64_t>(tile[d], 0, counts[d] - 1);
  tile_ = std::move(tile);
  const QSignalBlocker quiet(program_);
  const int64_t all = tiling_.independentTiles(space_);
  program_->setRange(0, static_cast<int>(std::min<int64_t>(all - 1, INT_MAX)));
  program_->setSuffix(QString(" of %1").arg(countText(all)));
  program_->setValue(static_cast<int>(std::min<int64_t>(programOf(launchOrder(), counts, tile_), INT_MAX)));
  showTile();
}

void TilesView::showTile() {
  const auto regions = regionsOf(space_, tiling_, tile_);
  model_.setRows(tileRowsOf(space_, tiling_, regions));
  picture_->setContent(pictureContent(regions));
  showHead();
}

void TilesView::showHead() {
  const double wasted = tiling_.wasted(space_);
  QString text = QString("%%1: %2").arg(
      qs(instruction_->name()),
      countOf(static_cast<size_t>(tiling_.independentTiles(space_)), "independent tile"));
  if (wasted > 0)
    text += QString(", %1% of their elements outside of the result").arg(100 * wasted, 0, 'f', 1);
  head_->setText(text);
}

void TilesView::moveToElement(qint64 row, qint64 column) {
  if (!isLegal_ || space_.roots.empty()) return;
  auto tile = tile_;
  const DrawnDimensions drawn = drawnOfResult();
  if (drawn.columns) tile[*drawn.columns] = column / tiling_.variables[*drawn.columns].tile;
  if (drawn.rows) tile[*drawn.rows] = row / tiling_.variables[*drawn.rows].tile;
  moveTo(std::move(tile));
}

void TilesView::moveBy(int rows, int columns) {
  if (!isLegal_ || space_.roots.empty()) return;
  auto tile = tile_;
  const DrawnDimensions drawn = drawnOfResult();
  if (drawn.columns) tile[*drawn.columns] += columns;
  if (drawn.rows) tile[*drawn.rows] += rows;
  moveTo(std::move(tile));
}

QString TilesView::commandLine(ShownState state) const {
  const ModuleInput input =
      instruction_ == nullptr || !isLegal_ ? ModuleInput() : pipedModule(context_.session);
  if (input.file.isEmpty()) return View::commandLine(std::move(state));
  QStringList sizes;
  for (const int64_t size : sizes_->sizes()) sizes << QString::number(size);
  QString line = input.before + "hilo tiles " + input.file + " --name " + shellWord(qs(instruction_->name()));
  return sizes.isEmpty() ? line : line + " --sizes " + sizes.join(',');
}

View* makeTilesView(const ViewContext& context) { return new TilesView(context); }

}  // namespace hilo
