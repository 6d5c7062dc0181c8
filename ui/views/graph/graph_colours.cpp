#include "ui/views/graph/graph_colours.h"

#include <QFile>
#include <QFileDialog>

#include "ui/views/graph/menu_choice.h"
#include "ui/views/graph/query_colours.h"

namespace hilo {
namespace {

constexpr qint64 kMaxColumnBytes = 256 << 20;

struct OverlayChoice {
  OverlayKind kind;
  const char* name;
  const char* text;
};
constexpr OverlayChoice kOverlays[] = {{OverlayKind::OutputBytes, "bytes", "Output bytes"},
                                       {OverlayKind::BytesAccessed, "accessed", "Bytes accessed"},
                                       {OverlayKind::Flops, "flops", "Flops"},
                                       {OverlayKind::Sharding, "sharding", "Sharding"},
                                       {OverlayKind::Layout, "layout", "Layout"},
                                       {OverlayKind::Precision, "type", "Element type"}};

// Menu data besides palettes and overlays.
constexpr int kColumnData = 500;
constexpr int kQueriesData = 501;
constexpr int kFirstSource = 1'000;  // of added colour sources

int paletteData(NodePalette palette) { return -1 - static_cast<int>(palette); }

struct ColumnFile {
  Overlay overlay;
  QStringList columns;  // all that hold numbers
};

// `column` empty: the first that holds numbers.
Result<ColumnFile> readColumnFile(const Module& module, const QString& path, const QString& column) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly) || file.size() > kMaxColumnBytes)
    return fail("unreadable-column", fmt::format("{} cannot be read, or is too large", path.toStdString()));
  const QByteArray bytes = file.readAll();
  const std::string_view text(bytes.constData(), static_cast<size_t>(bytes.size()));
  ColumnFile read;
  TRY(const std::vector<std::string> columns, overlayColumns(text));
  for (const std::string& name : columns) read.columns << QString::fromStdString(name);
  TRY(read.overlay, readOverlayColumn(module, text, column.toStdString()));
  return read;
}

}  // namespace

GraphColours::GraphColours(JobQueue& jobs, std::string tag, CanvasWidget& canvas, QMenu* menu,
                           QVBoxLayout& above, QObject* parent)
    : QObject(parent), jobs_(jobs), tag_(std::move(tag)), canvas_(canvas), menu_(menu), above_(above) {
  buildMenu();
}

bool GraphColours::areQueries() const { return kind_ == OverlayKind::Given && given_->areQueries; }

// What was given was of the module before.
void GraphColours::setModule(std::shared_ptr<const Module> module) {
  if (module != module_) cost_ = nullptr;
  module_ = std::move(module);
  given_ = nullptr;
  if (kind_ != OverlayKind::Given) return;
  kind_ = OverlayKind::None;
  Q_EMIT explained(!queries_.empty());
  check();
}

void GraphColours::setPalette(NodePalette palette) {
  canvas_.setNodePalette(palette);
  if (kind_ != OverlayKind::None) return set(OverlayKind::None);
  check();
  Q_EMIT paletteChanged();
}

void GraphColours::set(OverlayKind kind) {
  kind_ = kind;
  if (!areQueries()) {
    queries_.clear();
    if (lines_ != nullptr) lines_->hide();
  }
  Q_EMIT explained(kind != OverlayKind::None);
  check();
  Q_EMIT changed();
}

void GraphColours::set(Overlay given) {
  given_ = std::make_shared<const Overlay>(std::move(given));
  set(OverlayKind::Given);
}

void GraphColours::showCounts(std::span<const uint32_t> counts) {
  if (areQueries()) lines_->setCounts(counts);
}

// Data of the actions: the palettes below zero, the overlays by their number.
void GraphColours::buildMenu() {
  auto* group = new QActionGroup(menu_);
  addChoice(menu_, group, tr("Opcode classes"), paletteData(NodePalette::kOpcodeClass), true);
  addChoice(menu_, group, tr("XLA's colours"), paletteData(NodePalette::kXla), false);
  menu_->addSeparator();
  for (const OverlayChoice& choice : kOverlays)
    addChoice(menu_, group, tr(choice.text), static_cast<int>(choice.kind), false);
  QAction* queries = addChoice(menu_, group, tr("What matches queries…"), kQueriesData, false);
  queries->setToolTip(tr("Several queries, each with a colour"));
  QAction* column = addChoice(menu_, group, tr("Column of a file…"), kColumnData, false);
  column->setToolTip(tr("Numbers by instruction name, from a CSV or JSON file"));
  columnMenu_ = menu_->addMenu(tr("Other columns"));
  columnMenu_->menuAction()->setVisible(false);
  group_ = group;
  connect(group, &QActionGroup::triggered, this, [this](QAction* action) {
    const int data = action->data().toInt();
    if (data < 0) return setPalette(static_cast<NodePalette>(-data - 1));
    if (data < kColumnData) return set(static_cast<OverlayKind>(data));
    // Checked once the colours are there.
    check();
    if (data == kColumnData) return askColumn();
    if (data == kQueriesData) return askQueries();
    givenBy_ = data;
    sources_[static_cast<size_t>(data - kFirstSource)].ask();
  });
}

void GraphColours::addSource(const QString& name, const QString& text, std::function<void()> ask) {
  addChoice(menu_, group_, text, kFirstSource + static_cast<int>(sources_.size()), false);
  sources_.push_back({name, std::move(ask)});
}

void GraphColours::check() {
  const int data = kind_ == OverlayKind::None    ? paletteData(canvas_.nodePalette())
                   : kind_ == OverlayKind::Given ? givenBy_
                                                 : static_cast<int>(kind_);
  for (QAction* action : menu_->actions()) {
    if (action->data().isValid()) action->setChecked(action->data().toInt() == data);
  }
}

void GraphColours::askColumn() {
  const QString path = QFileDialog::getOpenFileName(&canvas_, tr("Numbers by instruction name"), {},
                                                    tr("CSV or JSON (*.csv *.json);;All files (*)"));
  if (!path.isEmpty()) readColumn(path, {});
}

void GraphColours::readColumn(const QString& path, const QString& column) {
  if (module_ == nullptr) return;
  jobs_.submit(
      tag_ + ".column", "Read numbers from " + path.toStdString(),
      [path, column, module = module_](JobContext&) { return readColumnFile(*module, path, column); },
      [this, module = module_, path, column](Result<ColumnFile> read) {
        if (module != module_) return;
        if (!read) return said(QString::fromStdString(read.error().message));
        offerColumns(path, read->columns);
        columnName_ = column.isEmpty() ? path : path + u'#' + column;
        givenBy_ = kColumnData;
        set(std::move(read->overlay));
      },
      &scope_, JobLane::Prompt);
}

// The others of the file are a click away.
void GraphColours::offerColumns(const QString& path, const QStringList& columns) {
  columnMenu_->clear();
  for (const QString& column : columns)
    columnMenu_->addAction(column, this, [this, path, column] { readColumn(path, column); });
  columnMenu_->setTitle(tr("Columns of %1").arg(path.section(u'/', -1)));
  columnMenu_->menuAction()->setVisible(columns.size() > 1);
}

// Above the canvas.
QueryColours& GraphColours::lines() {
  if (lines_ != nullptr) return *lines_;
  lines_ = new QueryColours([this] { return module_; });
  lines_->hide();
  above_.insertWidget(1, lines_);
  connect(lines_, &QueryColours::queriesChanged, this, &GraphColours::colourByQueries);
  connect(lines_, &QueryColours::closed, this, &GraphColours::dropQueries);
  return *lines_;
}

void GraphColours::askQueries() {
  lines().show();
  lines().takeFocus();
}

QStringList GraphColours::queries() const { return queries_.empty() ? QStringList() : lines_->queries(); }

Status GraphColours::setQueries(const QStringList& queries) {
  std::vector<Query> parsed;
  for (const QString& text : queries) {
    TRY(parsed.emplace_back(), parseQuery(text.toStdString()));
  }
  lines().setQueries(queries);
  lines().setVisible(!queries.isEmpty());
  colourByQueries(std::move(parsed));
  return {};
}

void GraphColours::colourByQueries(std::vector<Query> queries) {
  queries_ = std::move(queries);
  if (queries_.empty()) {
    if (areQueries()) set(OverlayKind::None);
    return;
  }
  match();
}

void GraphColours::dropQueries() {
  lines_->hide();
  canvas_.setFocus();
  lines_->setQueries({});
  colourByQueries({});
}

// The newest queries win; what is matched for others is dropped.
void GraphColours::match() {
  if (module_ == nullptr || queries_.empty()) return;
  isMatching_ = true;
  jobs_.submit(
      tag_ + ".queries", "Colour by queries",
      [module = module_, cost = cost_, queries = queries_](JobContext&) -> Result<Overlay> {
        return makeQueryOverlay(*module, queries, cost.get());
      },
      [this, module = module_](Result<Overlay> overlay) {
        isMatching_ = false;
        if (!overlay || module != module_ || queries_.empty()) return;
        givenBy_ = kQueriesData;
        set(*std::move(overlay));
      },
      &scope_, JobLane::Prompt);
}

Status GraphColours::by(const QString& name) {
  if (name == QLatin1String("xla")) {
    setPalette(NodePalette::kXla);
    return {};
  }
  for (const OverlayChoice& choice : kOverlays) {
    if (name != QLatin1String(choice.name)) continue;
    set(choice.kind);
    return {};
  }
  if (module_ == nullptr) return fail("nothing-open", "no module is shown");
  for (size_t source = 0; source < sources_.size(); ++source) {
    if (name != sources_[source].name) continue;
    givenBy_ = kFirstSource + static_cast<int>(source);
    sources_[source].ask();
    return {};
  }
  const bool whole = !name.contains(u'#') || QFile::exists(name);
  const QString path = whole ? name : name.section(u'#', 0, -2);
  TRY(ColumnFile read, readColumnFile(*module_, path, whole ? QString() : name.section(u'#', -1)));
  offerColumns(path, read.columns);
  columnName_ = name;
  givenBy_ = kColumnData;
  set(std::move(read.overlay));
  return {};
}

QString GraphColours::name() const {
  if (kind_ == OverlayKind::None && canvas_.nodePalette() == NodePalette::kXla) return QStringLiteral("xla");
  for (const OverlayChoice& choice : kOverlays) {
    if (choice.kind == kind_) return QLatin1String(choice.name);
  }
  if (kind_ != OverlayKind::Given) return {};
  return givenBy_ >= kFirstSource  ? sources_[static_cast<size_t>(givenBy_ - kFirstSource)].name
         : givenBy_ == kColumnData ? columnName_
                                   : QString();
}

}  // namespace hilo
