#include "ui/canvas/scene_export.h"

#include <QFile>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <fmt/format.h>

namespace hilo {
namespace {

constexpr double kMargin = 16;

void draw(QPainter& painter, const Scene& scene, PaintOptions options, const ViewTransform& view,
          QSize size) {
  const SceneIndex index(scene);
  ScenePainter scenePainter;
  options.everything = detailLevel(index.typicalHeight() * view.scale) == DetailLevel::kFull;
  painter.fillRect(QRect(QPoint(0, 0), size), options.theme->colour(ColourRole::kSurface));
  scenePainter.paint(painter, scene, index, view, size, options);
}

std::unexpected<Diagnostic> notWritten(const QString& path, const QString& why) {
  return fail("file-not-written",
              fmt::format("{} could not be written: {}", path.toStdString(), why.toStdString()));
}

std::string escaped(const QString& text) {
  std::string result;
  for (char c : text.toStdString()) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else if (c != '\0') {
      result += c;
    }
  }
  return result;
}

class DotWriter {
 public:
  DotWriter(const Scene& scene, const PaintOptions& options) : scene_(scene), options_(options) {
    children_.resize(scene.nodes.size());
    for (uint32_t i = 0; i < scene.nodes.size(); ++i) {
      if (scene.nodes[i].parent != kNoIndex) children_[scene.nodes[i].parent].push_back(i);
    }
  }

  std::string run() {
    text_ =
        "digraph scene {\n  compound=true;\n  node [shape=box, style=\"filled,rounded\", "
        "fontname=\"sans-serif\"];\n";
    for (uint32_t i = 0; i < scene_.nodes.size(); ++i) {
      if (scene_.nodes[i].parent == kNoIndex) writeTree(i);
    }
    for (const SceneEdge& edge : scene_.edges) writeEdge(edge);
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  // With a stack of its own: groups may nest deeper than the call stack should.
  void writeTree(uint32_t root) {
    struct Frame {
      uint32_t node;
      size_t next;
    };
    std::vector<Frame> stack{{root, 0}};
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const std::string indent(2 * stack.size(), ' ');
      if (next == 0) openNode(node, indent);
      if (next < children_[node].size()) {
        stack.push_back({children_[node][next++], 0});
        continue;
      }
      if (scene_.nodes[node].open) text_ += indent + "}\n";
      stack.pop_back();
    }
  }

  void openNode(uint32_t index, const std::string& indent) {
    const SceneNode& node = scene_.nodes[index];
    const NodeColours colours = nodeColours(options_.palette, node.role, options_.theme->dark);
    std::string label = escaped(node.title);
    if (!node.subtitle.isEmpty()) label += "\\n" + escaped(node.subtitle);
    auto out = std::back_inserter(text_);
    if (node.open) {
      fmt::format_to(out, "{}subgraph cluster_{} {{\n{}  label=\"{}\"; style=rounded;\n", indent, index,
                     indent, label);
      // An edge to the group itself needs a node to end at.
      fmt::format_to(out, "{}  n{} [style=invis, shape=point];\n", indent, index);
      return;
    }
    fmt::format_to(out, "{}n{} [label=\"{}\", fillcolor=\"{}\", color=\"{}\", fontcolor=\"{}\"{}];\n", indent,
                   index, label, colours.fill.name().toStdString(), colours.border.name().toStdString(),
                   colours.text.name().toStdString(), node.group ? ", peripheries=2" : "");
  }

  void writeEdge(const SceneEdge& edge) {
    std::string attributes;
    auto add = [&](std::string attribute) { attributes += (attributes.empty() ? "" : ", ") + attribute; };
    if (edge.count > 1) add(fmt::format("label=\"x{}\"", edge.count));
    if (edge.kind == SceneEdgeKind::kControl) add("style=dotted");
    if (edge.kind == SceneEdgeKind::kAlias) add("style=dashed, constraint=false");
    if (edge.kind == SceneEdgeKind::kMissing) add("style=dotted, dir=none, color=red");
    if (scene_.nodes[edge.from].open) add(fmt::format("ltail=cluster_{}", edge.from));
    if (scene_.nodes[edge.to].open) add(fmt::format("lhead=cluster_{}", edge.to));
    fmt::format_to(std::back_inserter(text_), "  n{} -> n{}{};\n", edge.from, edge.to,
                   attributes.empty() ? "" : fmt::format(" [{}]", attributes));
  }

  const Scene& scene_;
  const PaintOptions& options_;
  std::vector<std::vector<uint32_t>> children_;
  std::string text_;
};

}  // namespace

Status writeSceneSvg(const Scene& scene, const PaintOptions& options, const QString& path) {
  const QRectF bounds = scene.bounds().adjusted(-kMargin, -kMargin, kMargin, kMargin);
  const QSize size = bounds.size().toSize();
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return notWritten(path, file.errorString());
  QSvgGenerator generator;
  generator.setOutputDevice(&file);
  generator.setSize(size);
  generator.setViewBox(QRect(QPoint(0, 0), size));
  QPainter painter;
  if (!painter.begin(&generator)) return notWritten(path, QStringLiteral("no SVG could be started"));
  draw(painter, scene, options, ViewTransform{1, -bounds.topLeft()}, size);
  painter.end();
  file.flush();
  if (file.error() != QFileDevice::NoError) return notWritten(path, file.errorString());
  return {};
}

QImage sceneImage(const Scene& scene, const PaintOptions& options, double scale) {
  const QRectF bounds = scene.bounds().adjusted(-kMargin, -kMargin, kMargin, kMargin);
  const double side = std::max(bounds.width(), bounds.height());
  scale = std::min(scale, 16'384 / side);
  scale = std::min(scale, std::sqrt(100e6 / (bounds.width() * bounds.height())));
  const QSize size = (bounds.size() * scale).toSize().expandedTo(QSize(1, 1));
  QImage image(size, QImage::Format_RGB32);
  QPainter painter(&image);
  draw(painter, scene, options, ViewTransform{scale, -bounds.topLeft() * scale}, size);
  return image;
}

Status writeScenePng(const Scene& scene, const PaintOptions& options, const QString& path, double scale) {
  if (!sceneImage(scene, options, scale).save(path, "PNG")) {
    return notWritten(path, QStringLiteral("the folder is missing or not writable"));
  }
  return {};
}

Status writeScenePdf(const Scene& scene, const PaintOptions& options, const QString& path) {
  const QRectF bounds = scene.bounds().adjusted(-kMargin, -kMargin, kMargin, kMargin);
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return notWritten(path, file.errorString());
  QPdfWriter writer(&file);
  // A page has at most 14,400 points a side.
  constexpr double kMaxPoints = 14'400;
  const double scale = std::min(1.0, kMaxPoints / std::max(bounds.width(), bounds.height()));
  writer.setResolution(72);
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  writer.setPageSize(QPageSize(bounds.size() * scale, QPageSize::Point));
  QPainter painter;
  if (!painter.begin(&writer)) return notWritten(path, QStringLiteral("no PDF could be started"));
  draw(painter, scene, options, ViewTransform{scale, -bounds.topLeft() * scale},
       (bounds.size() * scale).toSize());
  painter.end();
  return {};
}

std::string sceneDot(const Scene& scene, const PaintOptions& options) {
  return DotWriter(scene, options).run();
}

Status writeSceneDot(const Scene& scene, const PaintOptions& options, const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return notWritten(path, file.errorString());
  const std::string text = sceneDot(scene, options);
  if (file.write(text.data(), static_cast<qint64>(text.size())) != static_cast<qint64>(text.size())) {
    return notWritten(path, file.errorString());
  }
  return {};
}

}  // namespace hilo
