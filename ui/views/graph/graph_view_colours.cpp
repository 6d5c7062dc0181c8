// What the graph view's colours say: the menu of facts, columns of files, queries.
#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QVBoxLayout>

#include "ui/views/graph/graph_view.h"
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

// Data of the actions: the palettes below zero, the overlays by their number.
void GraphView::buildColourMenu() {
  colourMenu_ = addMenuButton(tr("Colour"), tr("What the colours of nodes say"));
  auto* group = new QActionGroup(colourMenu_);
  addChoice(colourMenu_, group, tr("Opcode classes"), paletteData(NodePalette::kOpcodeClass), true);
  addChoice(colourMenu_, group, tr("XLA's colours"), paletteData(NodePalette::kXla), false);
  colourMenu_->addSeparator();
  for (const OverlayChoice& choice : kOverlays)
    addChoice(colourMenu_, group, tr(choice.text), static_cast<int>(choice.kind), false);
  QAction* queries = addChoice(colourMenu_, group, tr("What matches queries…"), kQueriesData, false);
  queries->setToolTip(tr("Several queries, each with a colour"));
  QAction* column = addChoice(colourMenu_, group, tr("Column of a file…"), kColumnData, false);
  column->setToolTip(tr("Numbers by instruction name, from a CSV or JSON file"));
  columnMenu_ = colourMenu_->addMenu(tr("Other columns"));
  columnMenu_->menuAction()->setVisible(false);
  colours_ = group;
  connect(group, &QActionGroup::triggered, this, [this](QAction* action) {
    const int data = action->data().toInt();
    if (data < 0) return setNodePalette(static_cast<NodePalette>(-data - 1));
    if (data < kColumnData) return setOverlay(static_cast<OverlayKind>(data));
    // Checked once the colours are there.
    checkColours();
    if (data == kColumnData) return askColumn();
    if (data == kQueriesData) return askQueries();
    givenBy_ = data;
    colourSources_[static_cast<size_t>(data - kFirstSource)].ask();
  });
}

void GraphView::addColourSource(const QString& name, const QString& text, std::function<void()> ask) {
  addChoice(colourMenu_, colours_, text, kFirstSource + static_cast<int>(colourSources_.size()), false);
  colourSources_.push_back({name, std::move(ask)});
}

void GraphView::checkColours() {
  const int data = overlay_ == OverlayKind::None    ? paletteData(canvas_->nodePalette())
                   : overlay_ == OverlayKind::Given ? givenBy_
                                                    : static_cast<int>(overlay_);
  for (QAction* action : colourMenu_->actions()) {
    if (action->data().isValid()) action->setChecked(action->data().toInt() == data);
  }
}

void GraphView::askColumn() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Numbers by instruction name"), {},
                                                    tr("CSV or JSON (*.csv *.json);;All files (*)"));
  if (!path.isEmpty()) readColumn(path, {});
}

void GraphView::readColumn(const QString& path, const QString& column) {
  if (module_ == nullptr) return;
  jobs_.submit(
      worker_.tag() + ".column", "Read numbers from " + path.toStdString(),
      [path, column, module = module_](JobContext&) { return readColumnFile(*module, path, column); },
      [this, module = module_, path, column](Result<ColumnFile> read) {
        if (module != module_) return;
        if (!read) return setStatus(QString::fromStdString(read.error().message));
        offerColumns(path, read->columns);
        columnName_ = column.isEmpty() ? path : path + u'#' + column;
        givenBy_ = kColumnData;
        setOverlay(std::move(read->overlay));
      },
      &scope_, JobLane::Prompt);
}

// The others of the file are a click away.
void GraphView::offerColumns(const QString& path, const QStringList& columns) {
  columnMenu_->clear();
  for (const QString& column : columns)
    columnMenu_->addAction(column, this, [this, path, column] { readColumn(path, column); });
  columnMenu_->setTitle(tr("Columns of %1").arg(path.section(u'/', -1)));
  columnMenu_->menuAction()->setVisible(columns.size() > 1);
}

// Above the canvas.
QueryColours& GraphView::queryLines() {
  if (queryLines_ != nullptr) return *queryLines_;
  queryLines_ = new QueryColours([this] { return module_; });
  queryLines_->hide();
  static_cast<QVBoxLayout*>(layout())->insertWidget(1, queryLines_);
  connect(queryLines_, &QueryColours::queriesChanged, this, &GraphView::colourByQueries);
  connect(queryLines_, &QueryColours::closed, this, &GraphView::dropQueries);
  return *queryLines_;
}

void GraphView::askQueries() {
  queryLines().show();
  queryLines().takeFocus();
}

QStringList GraphView::queries() const { return queries_.empty() ? QStringList() : queryLines_->queries(); }

Status GraphView::setQueries(const QStringList& queries) {
  std::vector<Query> parsed;
  for (const QString& text : queries) {
    TRY(parsed.emplace_back(), parseQuery(text.toStdString()));
  }
  queryLines().setQueries(queries);
  queryLines().setVisible(!queries.isEmpty());
  colourByQueries(std::move(parsed));
  return {};
}

void GraphView::colourByQueries(std::vector<Query> queries) {
  queries_ = std::move(queries);
  if (queries_.empty()) {
    if (overlay_ == OverlayKind::Given && given_->areQueries) setOverlay(OverlayKind::None);
    return;
  }
  matchQueries();
}

void GraphView::dropQueries() {
  queryLines_->hide();
  canvas_->setFocus();
  queryLines_->setQueries({});
  colourByQueries({});
}

// The newest queries win; what is matched for others is dropped.
void GraphView::matchQueries() {
  if (module_ == nullptr || queries_.empty()) return;
  isMatching_ = true;
  jobs_.submit(
      worker_.tag() + ".queries", "Colour by queries",
      [module = module_, cost = cost_, queries = queries_](JobContext&) -> Result<Overlay> {
        return makeQueryOverlay(*module, queries, cost.get());
      },
      [this, module = module_](Result<Overlay> overlay) {
        isMatching_ = false;
        if (!overlay || module != module_ || queries_.empty()) return;
        givenBy_ = kQueriesData;
        setOverlay(*std::move(overlay));
      },
      &scope_, JobLane::Prompt);
}

Status GraphView::colourBy(const QString& name) {
  if (name == QLatin1String("xla")) {
    setNodePalette(NodePalette::kXla);
    return {};
  }
  for (const OverlayChoice& choice : kOverlays) {
    if (name != QLatin1String(choice.name)) continue;
    setOverlay(choice.kind);
    return {};
  }
  if (module_ == nullptr) return fail("nothing-open", "no module is shown");
  for (size_t source = 0; source < colourSources_.size(); ++source) {
    if (name != colourSources_[source].name) continue;
    givenBy_ = kFirstSource + static_cast<int>(source);
    colourSources_[source].ask();
    return {};
  }
  const bool whole = !name.contains(u'#') || QFile::exists(name);
  const QString path = whole ? name : name.section(u'#', 0, -2);
  TRY(ColumnFile read, readColumnFile(*module_, path, whole ? QString() : name.section(u'#', -1)));
  offerColumns(path, read.columns);
  columnName_ = name;
  givenBy_ = kColumnData;
  setOverlay(std::move(read.overlay));
  return {};
}

QString GraphView::colourName() const {
  if (overlay_ == OverlayKind::None && canvas_->nodePalette() == NodePalette::kXla)
    return QStringLiteral("xla");
  for (const OverlayChoice& choice : kOverlays) {
    if (choice.kind == overlay_) return QLatin1String(choice.name);
  }
  if (overlay_ != OverlayKind::Given) return {};
  return givenBy_ >= kFirstSource  ? colourSources_[static_cast<size_t>(givenBy_ - kFirstSource)].name
         : givenBy_ == kColumnData ? columnName_
                                   : QString();
}

}  // namespace hilo
