#include "ui/views/graph/graph_card.h"

#include <QObject>

#include "ui/models/text_of.h"
#include "ui/views/graph/node_look.h"

namespace hilo {
namespace {

// What the bar at the foot of a group says.
QString sharesHtml(const SceneNode& group, const GraphPicture& picture) {
  if (!picture.legend || group.parts.empty()) return {};
  QString html =
      QStringLiteral("<i>%1</i><table cellspacing='2'>").arg(picture.legend->title.toHtmlEscaped());
  for (const auto& [category, share] : group.parts) {
    html += QStringLiteral("<tr><td align='right'>%1%&nbsp;</td><td>%2</td></tr>")
                .arg(100 * share, 0, 'f', 1)
                .arg(picture.legend->categories.value(category).toHtmlEscaped());
  }
  return html + QStringLiteral("</table>");
}

}  // namespace

QString nodeHtml(const GraphPicture& picture, const SceneNode& shown, uint32_t node, const ModuleCost* cost) {
  if (const Instruction* instruction = picture.instructions[node]; instruction != nullptr)
    return instructionHtml(*instruction, cost == nullptr ? nullptr : &cost->of(*instruction));
  const auto opcodes = picture.opcodes.find(node);
  return groupHtml({shown.title, shown.subtitle, {}, true},
                   opcodes == picture.opcodes.end() ? std::span<const std::pair<Opcode, uint32_t>>()
                                                    : opcodes->second) +
         sharesHtml(shown, picture);
}

QString edgeHtml(const Scene& scene, const SceneEdge& edge) {
  QString html = QStringLiteral("%1 → %2").arg(scene.nodes[edge.from].title.toHtmlEscaped(),
                                               scene.nodes[edge.to].title.toHtmlEscaped());
  if (edge.kind == SceneEdgeKind::kControl) return html + QObject::tr("<br>control dependency");
  if (edge.count > 1) html += QObject::tr("<br>%1 values").arg(edge.count);
  if (edge.bytes > 0) html += QStringLiteral("<br>") + bytesText(edge.bytes);
  if (edge.note >= 0)
    html += QStringLiteral("<br>") +
            scene.edgeNotes.value(edge.note).toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"));
  return html;
}

QString countsText(const GraphPicture& picture, const std::optional<GraphFocus>& focus, size_t instructions) {
  if (!picture.hasEntry) return QObject::tr("This module has no entry computation.");
  QString status;
  if (focus) {
    switch (focus->kind) {
      case FocusKind::Hops:
        status = QObject::tr("%1 around").arg(countOf(focus->hops, "hop"));
        break;
      case FocusKind::Operands:
        status = QObject::tr("operands, transitive");
        break;
      case FocusKind::Users:
        status = QObject::tr("users, transitive");
        break;
      case FocusKind::Paths:
        status = picture.instructions.empty() ? QObject::tr("no path between the two")
                                              : QObject::tr("all paths between");
        break;
    }
    if (picture.focusCut) status += QObject::tr(", the nearest of more");
    status += QObject::tr(" · Esc leaves · ");
  }
  status += QObject::tr("%1 nodes, %2 edges of %3 instructions")
                .arg(picture.instructions.size())
                .arg(picture.edgeCount)
                .arg(instructions);
  if (!picture.allOpened) status += QObject::tr(" · too large to open all of it");
  for (const Diagnostic& note : picture.notes)
    status += QStringLiteral(" · ") + QString::fromStdString(note.message);
  return status;
}

}  // namespace hilo
