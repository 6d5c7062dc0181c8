#include "ui/views/graph/node_look.h"

#include <algorithm>

#include <QFontMetricsF>

#include "core/analysis/instruction_card.h"
#include "ui/canvas/scene.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr double kMinWidth = 64;
constexpr double kMaxWidth = 230;
constexpr int64_t kLargeParameterElements = 4096;
// How much of a group its card looks at.
constexpr size_t kHistogramLimit = 50'000;

QString qt(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

NodeRole dataMovementRole(Opcode opcode) {
  switch (opcode) {
    case Opcode::Broadcast:
      return NodeRole::kBroadcast;
    case Opcode::DynamicUpdateSlice:
      return NodeRole::kDynamicUpdateSlice;
    case Opcode::Copy:
      return NodeRole::kCopy;
    case Opcode::Bitcast:
      return NodeRole::kBitcast;
    case Opcode::Gather:
      return NodeRole::kReduce;
    case Opcode::Slice:
    case Opcode::Pad:
    case Opcode::Iota:
    case Opcode::GetDimensionSize:
    case Opcode::SetDimensionSize:
      return NodeRole::kSlice;
    default:
      return NodeRole::kDataMovement;
  }
}

}  // namespace

NodeRole nodeRole(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  switch (opcodeClass(opcode)) {
    case OpcodeClass::ElementwiseUnary:
    case OpcodeClass::ElementwiseBinary:
    case OpcodeClass::ElementwiseTernary:
      return NodeRole::kElementwise;
    case OpcodeClass::DataMovement:
      return dataMovementRole(opcode);
    case OpcodeClass::Contraction:
      return NodeRole::kMatmul;
    case OpcodeClass::Reduction:
      return opcode == Opcode::Sort || opcode == Opcode::TopK ? NodeRole::kSort : NodeRole::kReduce;
    case OpcodeClass::Collective:
      return NodeRole::kCollective;
    case OpcodeClass::Communication:
      return NodeRole::kTransfer;
    case OpcodeClass::ControlFlow:
      return NodeRole::kControlFlow;
    case OpcodeClass::Fusion:
      return NodeRole::kFusion;
    case OpcodeClass::CustomCall:
      return opcode == Opcode::Opaque ? NodeRole::kUnknown : NodeRole::kCustomCall;
    case OpcodeClass::Async:
      return opcode == Opcode::CopyStart || opcode == Opcode::CopyDone ? NodeRole::kCopy : NodeRole::kAsync;
    case OpcodeClass::Random:
      return NodeRole::kRandom;
    case OpcodeClass::Tuple:
      return NodeRole::kTuple;
    case OpcodeClass::Leaf:
      if (opcode == Opcode::Constant) return NodeRole::kConstant;
      return instruction.shape().isArray() && instruction.shape().elementCount() >= kLargeParameterElements
                 ? NodeRole::kLargeParameter
                 : NodeRole::kParameter;
    case OpcodeClass::Ordering:
      return opcode == Opcode::PartitionId || opcode == Opcode::ReplicaId ? NodeRole::kCollective
                                                                          : NodeRole::kTuple;
  }
  return NodeRole::kUnknown;
}

NodeRole nodeRole(const GroupNode& node) {
  if (node.instruction != nullptr) return nodeRole(*node.instruction);
  return node.kind == GroupKind::Parameters ? NodeRole::kParameter : NodeRole::kScope;
}

QString shapeText(Shape shape) {
  if (!shape.isTuple()) return QString::fromStdString(toString(shape.withoutLayout()));
  const QString bytes = bytesText(shape.byteSize());
  const QString count = QStringLiteral("%1 values").arg(shape.tupleShapes().size());
  return bytes.isEmpty() ? count : count + QStringLiteral(", ") + bytes;
}

NodeText nodeText(const GroupNode& node) {
  const QString inside = node.instructionCount == 1
                             ? QStringLiteral("1 instruction")
                             : QStringLiteral("%1 instructions").arg(node.instructionCount);
  switch (node.kind) {
    case GroupKind::Computation:
      return {qt(node.label), inside};
    case GroupKind::Scope:
    case GroupKind::Page:
      return {qt(node.label), inside};
    case GroupKind::Parameters:
      return {QStringLiteral("parameters"), QStringLiteral("%1").arg(node.instructionCount)};
    case GroupKind::Instruction:
      break;
  }
  const Instruction& instruction = *node.instruction;
  const QString name = qt(instruction.name());
  const QString opcode = qt(instruction.opcodeText());
  // Most names say the opcode already.
  const QString shape = shapeText(instruction.shape());
  return {name, name.contains(opcode) ? shape : opcode + QStringLiteral("  ") + shape};
}

QSizeF nodeSize(const NodeText& text) {
  static const QFontMetricsF title(uiFont(13));
  static const QFontMetricsF subtitle(uiFont(11));
  const double wanted =
      std::max(title.horizontalAdvance(text.title), subtitle.horizontalAdvance(text.subtitle)) + 18;
  return {std::clamp(std::ceil(wanted), kMinWidth, kMaxWidth), 40};
}

QString instructionHtml(const Instruction& instruction) {
  const InstructionCard card = instructionCard(instruction);
  QString html = QStringLiteral("<b>%1</b> &nbsp;%2<table cellspacing='2'>")
                     .arg(qt(card.title).toHtmlEscaped(), qt(card.opcode).toHtmlEscaped());
  for (const auto& [label, value] : card.facts) {
    // Long values break at their separators.
    QString text = qt(value).toHtmlEscaped();
    text.replace(u',', QStringLiteral(",\u200b"));
    text.replace(u'/', QStringLiteral("/\u200b"));
    html +=
        QStringLiteral("<tr><td><i>%1</i>&nbsp;</td><td>%2</td></tr>").arg(qt(label).toHtmlEscaped(), text);
  }
  return html + QStringLiteral("</table>");
}

QString groupHtml(const Grouping& grouping, GroupId id) {
  const GroupNode& node = grouping.node(id);
  const NodeText text = nodeText(node);
  QString html =
      QStringLiteral("<b>%1</b><br>%2").arg(text.title.toHtmlEscaped(), text.subtitle.toHtmlEscaped());
  std::array<uint32_t, kOpcodeCount> counts{};
  std::vector<GroupId> waiting{id};
  for (size_t looked = 0; !waiting.empty() && looked < kHistogramLimit; ++looked) {
    const GroupNode& at = grouping.node(waiting.back());
    waiting.pop_back();
    if (at.instruction != nullptr) ++counts[static_cast<size_t>(at.instruction->opcode())];
    waiting.insert(waiting.end(), at.children.begin(), at.children.end());
  }
  std::vector<size_t> order(kOpcodeCount);
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::pair(counts[b], a) < std::pair(counts[a], b); });
  html += QStringLiteral("<table cellspacing='2'>");
  for (size_t i = 0; i < 6 && counts[order[i]] > 0; ++i) {
    html += QStringLiteral("<tr><td align='right'>%1&nbsp;</td><td>%2</td></tr>")
                .arg(counts[order[i]])
                .arg(qt(opcodeName(static_cast<Opcode>(order[i]))));
  }
  return html + QStringLiteral("</table>");
}

}  // namespace hilo
