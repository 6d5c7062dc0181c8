// How instructions and groups are named and coloured in the graph.
#pragma once

#include <QSizeF>
#include <QString>
#include <QStringList>

#include "core/analysis/cost_facts.h"
#include "core/analysis/grouping/grouping.h"
#include "ui/style/node_role.h"

namespace hilo {

NodeRole nodeRole(const GroupNode& node);

struct NodeText {
  QString title;
  QString subtitle;
  QStringList tags;
  bool group = false;
};
NodeText nodeText(const GroupNode& node);
// What is most worth knowing of a closed group's content: "4 dot", "2 all-reduce"; a loop's trip count.
QStringList groupTags(const Grouping& grouping, GroupId id);
// Enough for the text, within limits, at a scale of 1; for a group more, so that its name can be
// read from afar.
QSizeF nodeSize(const NodeText& text);

// Rich text for the hover card.
// With `cost`, what it costs.
QString instructionHtml(const Instruction& instruction, const CostFacts* cost = nullptr);
QString groupHtml(const NodeText& text, std::span<const std::pair<Opcode, uint32_t>> opcodes);
// The most frequent opcodes in a group, most first; of what is called only one level.
std::vector<std::pair<Opcode, uint32_t>> opcodesIn(const Grouping& grouping, GroupId id);

}  // namespace hilo
