#include "ui/views/graph/graph_export.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>

#include "core/workspace/text/extract.h"
#include "ui/canvas/scene_export.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

bool isWithin(const Scene& scene, uint32_t node, uint32_t group) {
  while (node != kNoIndex && node != group) node = scene.nodes[node].parent;
  return node == group;
}

}  // namespace

Status GraphExport::write(const QString& path, Part part) const {
  const Scene& all = canvas_.scene();
  const uint32_t main = canvas_.index().find(canvas_.selected());
  Scene some;
  if (part == Part::Selection) {
    if (main == kNoIndex) return fail("nothing-selected", "nothing is selected in the graph");
    some = partOf(all, [&](uint32_t node) { return isWithin(all, node, main); });
  } else if (part == Part::InSight) {
    const QRectF seen = canvas_.view().toScene(QRectF(canvas_.rect()));
    some = partOf(
        all, [&](uint32_t node) { return !all.nodes[node].open && all.nodes[node].rect.intersects(seen); });
  }
  const Scene& scene = part == Part::All ? all : some;
  PaintOptions options{.theme = &themeOf(canvas_), .palette = canvas_.nodePalette()};
  const std::array<uint32_t, 1> selected{main};
  if (main != kNoIndex && part == Part::All) options.selected = selected;
  auto ends = [&](const char* ending) { return path.endsWith(QLatin1String(ending), Qt::CaseInsensitive); };
  if (ends(".svg")) return writeSceneSvg(scene, options, path);
  if (ends(".pdf")) return writeScenePdf(scene, options, path);
  if (ends(".png")) return writeScenePng(scene, options, path, 2);
  if (ends(".dot")) return writeSceneDot(scene, options, path);
  return fail("unknown-format", fmt::format("{} ends in none of .svg, .pdf, .png, .dot", path.toStdString()));
}

void GraphExport::ask(Part part) {
  const QString path = QFileDialog::getSaveFileName(
      &canvas_, QObject::tr("Export the graph"), QObject::tr("graph.svg"),
      QObject::tr("SVG (*.svg);;PDF (*.pdf);;PNG (*.png);;Graphviz DOT (*.dot)"));
  if (path.isEmpty()) return;
  const Status written = write(path, part);
  say_(written ? QObject::tr("written: %1").arg(path) : QString::fromStdString(written.error().message));
}

void GraphExport::extract(uint64_t key, std::function<void(const Result<std::string>&)> answer) {
  if (module_ != nullptr) worker_.extract(module_, key, std::move(answer));
}

void GraphExport::copyAsModule(uint64_t key) {
  extract(key, [this](const Result<std::string>& text) {
    if (!text) return say_(QString::fromStdString(text.error().message));
    QApplication::clipboard()->setText(QString::fromStdString(*text));
    say_(QObject::tr("copied as an HLO module: %1")
             .arg(countOf(static_cast<size_t>(std::ranges::count(*text, '\n')), "line")));
  });
}

void GraphExport::saveAsModule(uint64_t key) {
  const QString path =
      QFileDialog::getSaveFileName(&canvas_, QObject::tr("Save as an HLO module"), QObject::tr("part.hlo"),
                                   QObject::tr("HLO text (*.hlo *.txt)"));
  if (path.isEmpty()) return;
  extract(key, [this, path](const Result<std::string>& text) {
    if (!text) return say_(QString::fromStdString(text.error().message));
    QFile file(path);
    const auto size = static_cast<qint64>(text->size());
    const bool written =
        file.open(QIODevice::WriteOnly) && file.write(text->data(), size) == size && file.flush();
    say_(written ? QObject::tr("written: %1").arg(path)
                 : QObject::tr("%1 could not be written: %2").arg(path, file.errorString()));
  });
}

}  // namespace hilo
