#include "ui/views/graph/query_colours.h"

#include <algorithm>

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/analysis/overlay/overlay.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/query_box.h"

namespace hilo {
namespace {

constexpr int kSwatch = 14;
constexpr int kTypingMs = 200;

QPixmap swatch(size_t category, bool dark, double ratio) {
  QPixmap picture(QSize(kSwatch, kSwatch) * ratio);
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  const NodeColours colours = categoryColours(category, dark);
  painter.setPen(colours.border);
  painter.setBrush(colours.fill);
  painter.drawRoundedRect(QRectF(0.5, 0.5, kSwatch - 1, kSwatch - 1), 2, 2);
  return picture;
}

}  // namespace

QueryColours::QueryColours(std::function<std::shared_ptr<const Module>()> module, QWidget* parent)
    : QWidget(parent), module_(std::move(module)), column_(new QVBoxLayout(this)) {
  column_->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  column_->setSpacing(2);
  timer_.setSingleShot(true);
  timer_.setInterval(kTypingMs);
  connect(&timer_, &QTimer::timeout, this, &QueryColours::tell);
  addLine({});
}

void QueryColours::addLine(const QString& query) {
  Line line;
  line.widget = new QWidget(this);
  auto* row = new QHBoxLayout(line.widget);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(kSpaceSmall);
  line.swatch = new QLabel(line.widget);
  line.box = new QueryBox(line.widget);
  line.box->setModuleSource(module_);
  line.box->setText(query);
  line.count = new QLabel(line.widget);
  line.count->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("000,000 ")));
  line.count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  auto* drop = new QToolButton(line.widget);
  drop->setText(QStringLiteral("×"));
  drop->setAutoRaise(true);
  drop->setToolTip(tr("Without this query"));
  drop->setAccessibleName(tr("Without this query"));
  drop->setFocusPolicy(Qt::NoFocus);
  row->addWidget(line.swatch);
  row->addWidget(line.box, 1);
  row->addWidget(line.count);
  row->addWidget(drop);
  column_->addWidget(line.widget);
  connect(line.box, &QLineEdit::textChanged, this, [this] {
    keepOneEmpty();
    timer_.start();
  });
  connect(line.box, &QLineEdit::returnPressed, this, [this, box = line.box] {
    box->hideCompletions();
    tell();
    takeFocus();
  });
  connect(drop, &QToolButton::clicked, this, [this, widget = line.widget] { dropLine(widget); });
  lines_.push_back(line);
  paintSwatches();
}

// Without any query left there is nothing to colour by.
void QueryColours::dropLine(QWidget* widget) {
  std::erase_if(lines_, [&](const Line& line) { return line.widget == widget; });
  widget->hide();
  widget->deleteLater();
  keepOneEmpty();
  paintSwatches();
  if (queries().isEmpty()) {
    Q_EMIT closed();
  } else {
    tell();
  }
}

void QueryColours::keepOneEmpty() {
  const bool full = std::ranges::none_of(lines_, [](const Line& line) { return line.box->text().isEmpty(); });
  if (full && lines_.size() < Overlay::kMostCategories) addLine({});
}

void QueryColours::setQueries(const QStringList& queries) {
  for (const Line& line : lines_) {
    line.widget->hide();
    line.widget->deleteLater();
  }
  lines_.clear();
  for (const QString& query : queries) addLine(query);
  keepOneEmpty();
  timer_.stop();
}

QStringList QueryColours::queries() const {
  QStringList queries;
  for (const Line& line : lines_) {
    if (!line.box->text().trimmed().isEmpty()) queries << line.box->text();
  }
  return queries;
}

void QueryColours::tell() {
  timer_.stop();
  std::vector<Query> queries;
  bool readable = true;
  for (const Line& line : lines_) {
    line.box->clearError();
    line.count->clear();
    line.count->setToolTip({});
    if (line.box->text().trimmed().isEmpty()) continue;
    auto query = parseQuery(toStd(line.box->text()));
    if (query) {
      queries.push_back(std::move(*query));
      continue;
    }
    readable = false;
    line.box->showError(query.error());
    line.count->setText(tr("not read"));
    line.count->setToolTip(qs(query.error().message));
  }
  paintSwatches();
  if (readable) Q_EMIT queriesChanged(queries);
}

void QueryColours::setCounts(std::span<const uint32_t> counts) {
  size_t at = 0;
  for (const Line& line : lines_) {
    if (line.box->text().trimmed().isEmpty()) continue;
    line.count->setText(at < counts.size() ? countText(int64_t{counts[at]}) : QString());
    ++at;
  }
}

// Colours are by the order of the queries; an empty line has that of the next.
void QueryColours::paintSwatches() {
  const bool dark = themeOf(*this).dark;
  size_t category = 0;
  for (const Line& line : lines_) {
    line.swatch->setPixmap(swatch(category, dark, devicePixelRatioF()));
    category += !line.box->text().trimmed().isEmpty();
  }
}

void QueryColours::takeFocus() {
  for (const Line& line : lines_) {
    if (line.box->text().isEmpty()) return line.box->setFocus();
  }
  if (!lines_.empty()) lines_.back().box->setFocus();
}

void QueryColours::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    Q_EMIT closed();
    return;
  }
  // Keys of the graph are no keys of this.
  if (event->text().isEmpty()) QWidget::keyPressEvent(event);
}

void QueryColours::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) paintSwatches();
}

}  // namespace hilo
