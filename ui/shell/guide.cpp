#include "ui/shell/guide.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDialog>
#include <QDir>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBlock>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "ui/style/metrics.h"

namespace hilo {
namespace {

// Goes to headings, which Qt gives no anchors, and to other pages. Pictures are as wide as there is room.
class GuidePage : public QTextBrowser {
 public:
  explicit GuidePage(QWidget* parent) : QTextBrowser(parent) {
    setAccessibleName("Guide");
    setOpenLinks(false);
    setSearchPaths({guideFolder()});
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) { follow(link); });
  }
  void follow(const QUrl& link) {
    if (!link.scheme().isEmpty() && !link.isLocalFile()) {
      QDesktopServices::openUrl(link);
      return;
    }
    const QString page = QFileInfo(link.path()).fileName();
    if (!page.isEmpty())
      setSource(QUrl::fromLocalFile(guideFolder() + '/' + page), QTextDocument::MarkdownResource);
    if (!link.fragment().isEmpty()) goToHeading(link.fragment());
  }
  QVariant loadResource(int type, const QUrl& name) override {
    const QVariant found = QTextBrowser::loadResource(type, name);
    if (type != QTextDocument::ImageResource) return found;
    QImage picture;
    if (!picture.loadFromData(found.toByteArray())) return found;
    const int room = std::max(200, viewport()->width() - 2 * kSpace);
    return picture.width() > room ? picture.scaledToWidth(room, Qt::SmoothTransformation) : picture;
  }

 protected:
  // As one change: else Qt lays a table out anew for every row that it reads.
  void doSetSource(const QUrl& name, QTextDocument::ResourceType type) override {
    QTextCursor change(document());
    change.beginEditBlock();
    QTextBrowser::doSetSource(name, type);
    change.endEditBlock();
  }

 private:
  void goToHeading(const QString& anchor) {
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
      if (block.blockFormat().headingLevel() == 0 || headingAnchor(block.text()) != anchor) continue;
      QTextCursor end(document());
      end.movePosition(QTextCursor::End);
      setTextCursor(end);  // so that the heading comes to the top
      setTextCursor(QTextCursor(block));
      return;
    }
  }
};

}  // namespace

// Installed: bin/ beside share/hilo/guide. Built: build/PRESET/app/studio in the checkout.
// In a package share/hilo/guide beside bin; in a checkout docs, some folders above what was built.
QString guideFolder() {
  QDir above(QCoreApplication::applicationDirPath());
  do {
    for (const char* place : {"share/hilo/guide", "docs"}) {
      const QDir folder(above.filePath(place));
      if (folder.exists("studio.md")) return QDir::cleanPath(folder.absolutePath());
    }
  } while (above.cdUp());
  return {};
}

QString headingAnchor(const QString& heading) {
  QString anchor;
  for (const QChar c : heading.trimmed().toLower()) {
    if (c.isLetterOrNumber() || c == '_' || c == '-') anchor += c;
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

void showGuide(QWidget& window, const QString& view, const QString& firstPage) {
  auto* dialog = new QDialog(&window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle("User guide");
  dialog->resize(900, 720);
  auto* page = new GuidePage(dialog);
  auto* back = new QPushButton("Back", dialog);
  auto* pages = new QComboBox(dialog);
  pages->setAccessibleName("Page");
  pages->addItems(QDir(guideFolder()).entryList({"*.md"}, QDir::Files, QDir::Name));
  auto* words = new QLineEdit(dialog);
  words->setPlaceholderText("Find in this page");
  words->setAccessibleName("Find in the guide");
  back->setAutoDefault(false);
  auto* bar = new QHBoxLayout;
  bar->addWidget(back);
  bar->addWidget(pages);
  bar->addWidget(words, 1);
  auto* column = new QVBoxLayout(dialog);
  column->addLayout(bar);
  column->addWidget(page, 1);
  back->setEnabled(false);
  QObject::connect(back, &QPushButton::clicked, page, &QTextBrowser::backward);
  QObject::connect(page, &QTextBrowser::backwardAvailable, back, &QPushButton::setEnabled);
  QObject::connect(pages, &QComboBox::textActivated, page,
                   [page](const QString& name) { page->follow(QUrl(name)); });
  QObject::connect(page, &QTextBrowser::sourceChanged, pages,
                   [pages](const QUrl& at) { pages->setCurrentText(at.fileName()); });
  QObject::connect(words, &QLineEdit::returnPressed, page, [page, words] {
    if (page->find(words->text())) return;
    page->moveCursor(QTextCursor::Start);
    page->find(words->text());
  });
  dialog->show();
  page->follow(QUrl(firstPage + "#" + headingAnchor(view)));
}

}  // namespace hilo
