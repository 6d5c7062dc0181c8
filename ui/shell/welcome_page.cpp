#include "ui/shell/welcome_page.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QFontMetrics>
#include <QLabel>
#include <QPushButton>

#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

QLabel* heading(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setFont(uiFont(15));
  return label;
}

}  // namespace

WelcomePage::WelcomePage(QWidget* parent) : QScrollArea(parent) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);
  auto* content = new QWidget;
  auto* outer = new QHBoxLayout(content);
  outer->addStretch(1);
  auto* column = new QVBoxLayout;
  outer->addLayout(column, 3);
  outer->addStretch(1);
  column->addStretch(1);
  auto* title = new QLabel("Drop an HLO file or a dump directory here", this);
  title->setFont(uiFont(22));
  title->setWordWrap(true);
  title_ = title;
  column->addWidget(title);
  auto* hint = new QLabel(
      "HLO text, HloProto, snapshots and .hilo documents open as they are, gzipped or not. "
      "XLA_FLAGS=--xla_dump_to=DIR writes a dump directory.",
      this);
  hint->setWordWrap(true);
  hint->setForegroundRole(QPalette::PlaceholderText);
  column->addWidget(hint);
  // One below the other: side by side they would make the window wide.
  auto* buttons = new QVBoxLayout;
  auto* openFile = new QPushButton("Open file...  (Ctrl+O)", this);
  auto* openFolder = new QPushButton("Open dump directory...  (Ctrl+Shift+O)", this);
  buttons->addWidget(openFile, 0, Qt::AlignLeft);
  buttons->addWidget(openFolder, 0, Qt::AlignLeft);
  reopen_ = new QPushButton(this);
  buttons->addWidget(reopen_, 0, Qt::AlignLeft);
  column->addSpacing(kSpaceLarge);
  column->addLayout(buttons);
  column->addSpacing(kSpaceLarge);
  column->addWidget(heading("Samples", this));
  samples_ = new QVBoxLayout;
  column->addLayout(samples_);
  column->addSpacing(kSpaceLarge);
  column->addWidget(heading("Recent", this));
  recent_ = new QVBoxLayout;
  column->addLayout(recent_);
  column->addStretch(2);
  connect(openFile, &QPushButton::clicked, this, &WelcomePage::openFileAsked);
  connect(openFolder, &QPushButton::clicked, this, &WelcomePage::openFolderAsked);
  connect(reopen_, &QPushButton::clicked, this, &WelcomePage::reopenAsked);
  setWidget(content);
  setLast({});
  setRecent({});
  setSamples(bundledSamples());
}

void WelcomePage::fill(QVBoxLayout* list, const QStringList& paths, const QString& whenNone) {
  while (QLayoutItem* item = list->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (const QString& path : paths) {
    const QFileInfo info(path);
    auto* link = new QPushButton(this);
    link->setFlat(true);
    link->setCursor(Qt::PointingHandCursor);
    link->setStyleSheet("text-align: left; padding: 3px;");
    const QString folder = fontMetrics().elidedText(info.path(), Qt::ElideMiddle, 420);
    link->setText(QString("%1    %2").arg(info.fileName(), folder));
    link->setToolTip(path);
    link->setMinimumWidth(1);  // a long path is cut rather than the window made wide
    list->addWidget(link);
    connect(link, &QPushButton::clicked, this, [this, path] { Q_EMIT openAsked(path); });
  }
  if (paths.isEmpty()) {
    auto* none = new QLabel(whenNone, this);
    none->setForegroundRole(QPalette::PlaceholderText);
    list->addWidget(none);
  }
}

void WelcomePage::setRecent(const QStringList& paths) { fill(recent_, paths, "Nothing yet."); }
void WelcomePage::setLast(const QStringList& paths) {
  reopen_->setVisible(!paths.isEmpty());
  reopen_->setText(paths.size() == 1
                       ? QString("Reopen %1  (Ctrl+Shift+T)").arg(QFileInfo(paths.front()).fileName())
                       : QString("Reopen the last %1  (Ctrl+Shift+T)").arg(paths.size()));
  reopen_->setToolTip(paths.join('\n'));
}
void WelcomePage::setSamples(const QStringList& paths) {
  fill(samples_, paths, "No samples were installed.");
}

void WelcomePage::setBusy(const QString& what) {
  static_cast<QLabel*>(title_)->setText(what.isEmpty() ? "Drop an HLO file or a dump directory here"
                                                       : "Reading " + what + " ...");
}

// In a package share/hilo/samples beside bin; in a checkout resources/samples, above what was built.
QStringList bundledSamples() {
  QDir above(QCoreApplication::applicationDirPath());
  do {
    for (const char* place : {"share/hilo/samples", "resources/samples"}) {
      const QDir samples(above.filePath(place));
      QStringList found;
      for (const QString& name : samples.entryList({"*.hlo"}, QDir::Files, QDir::Name))
        found << QDir::cleanPath(samples.absoluteFilePath(name));
      if (!found.isEmpty()) return found;
    }
  } while (above.cdUp());
  return {};
}

}  // namespace hilo
