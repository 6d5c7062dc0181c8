// What leaves the graph view: pictures of all, of what is in sight or of the selection, and parts of the
// module as modules of their own.
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>

#include "core/workspace/text/extract.h"
#include "ui/canvas/scene_export.h"
#include "ui/models/text_of.h"
#include "ui/views/graph/graph_view.h"

namespace hilo {
namespace {

bool isWithin(const Scene& scene, uint32_t node, uint32_t group) {
  while (node != kNoIndex && node != group) node = scene.nodes[node].parent;
  return node == group;
}

}  // namespace

Status GraphView::exportTo(const QString& path, ExportPart part) const {
  const Scene& all = canvas_->scene();
  const uint32_t main = canvas_->index().find(canvas_->selected());
  Scene some;
  if (part == ExportPart::Selection) {
    if (main == kNoIndex) return fail("nothing-selected", "nothing is selected in the graph");
    some = partOf(all, [&](uint32_t node) { return isWithin(all, node, main); });
  } else if (part == ExportPart::InSight) {
    const QRectF seen = canvas_->view().toScene(QRectF(canvas_->rect()));
    some = partOf(
        all, [&](uint32_t node) { return !all.nodes[node].open && all.nodes[node].rect.intersects(seen); });
  }
  const Scene& scene = part == ExportPart::All ? all : some;
  PaintOptions options{.theme = &themeOf(*this), .palette = canvas_->nodePalette()};
  const std::array<uint32_t, 1> selected{main};
  if (main != kNoIndex && part == ExportPart::All) options.selected = selected;
  auto ends = [&](const char* ending) { return path.endsWith(QLatin1String(ending), Qt::CaseInsensitive); };
  if (ends(".svg")) return writeSceneSvg(scene, options, path);
  if (ends(".pdf")) return writeScenePdf(scene, options, path);
  if (ends(".png")) return writeScenePng(scene, options, path, 2);
  if (ends(".dot")) return writeSceneDot(scene, options, path);
  return fail("unknown-format", fmt::format("{} ends in none of .svg, .pdf, .png, .dot", path.toStdString()));
}

void GraphView::askExport(ExportPart part) {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Export the graph"), tr("graph.svg"),
                                   tr("SVG (*.svg);;PDF (*.pdf);;PNG (*.png);;Graphviz DOT (*.dot)"));
  if (path.isEmpty()) return;
  const Status written = exportTo(path, part);
  setStatus(written ? tr("written: %1").arg(path) : QString::fromStdString(written.error().message));
}

void GraphView::extract(uint64_t key, std::function<void(const Result<std::string>&)> answer) {
  if (module_ != nullptr) worker_.extract(module_, key, std::move(answer));
}

void GraphView::copyAsModule(uint64_t key) {
  extract(key, [this](const Result<std::string>& text) {
    if (!text) return setStatus(QString::fromStdString(text.error().message));
    QApplication::clipboard()->setText(QString::fromStdString(*text));
    setStatus(tr("copied as an HLO module: %1")
                  .arg(countOf(static_cast<size_t>(std::ranges::count(*text, '\n')), "line")));
  });
}

void GraphView::saveAsModule(uint64_t key) {
  const QString path = QFileDialog::getSaveFileName(this, tr("Save as an HLO module"), tr("part.hlo"),
                                                    tr("HLO text (*.hlo *.txt)"));
  if (path.isEmpty()) return;
  extract(key, [this, path](const Result<std::string>& text) {
    if (!text) return setStatus(QString::fromStdString(text.error().message));
    QFile file(path);
    const auto size = static_cast<qint64>(text->size());
    const bool written =
        file.open(QIODevice::WriteOnly) && file.write(text->data(), size) == size && file.flush();
    setStatus(written ? tr("written: %1").arg(path)
                      : tr("%1 could not be written: %2").arg(path, file.errorString()));
  });
}

}  // namespace hilo
