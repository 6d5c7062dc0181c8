// How instructions and groups are named and coloured in the graph.
#pragma once

#include <QSizeF>
#include <QString>

#include "core/analysis/grouping.h"
#include "ui/style/colours.h"

namespace hilo {

NodeRole nodeRole(const Instruction& instruction);
NodeRole nodeRole(const GroupNode& node);

struct NodeText {
  QString title;
  QString subtitle;
};
NodeText nodeText(const GroupNode& node);
// Enough for the text, within limits, at a scale of 1.
QSizeF nodeSize(const NodeText& text);

// "bf16[128,64]" without the layout; a tuple by its size: "12 values, 1.5 GB".
QString shapeText(Shape shape);

// Rich text for the hover card.
QString instructionHtml(const Instruction& instruction);
QString groupHtml(const Grouping& grouping, GroupId id);

}  // namespace hilo
