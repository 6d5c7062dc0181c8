#include "ui/views/graph/node_look.h"

#include <algorithm>
#include <array>

#include <QFontMetricsF>

#include "core/analysis/instruction_card.h"
#include "core/analysis/while_loop.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr double kMinWidth = 64;
constexpr double kMaxWidth = 230;
// How much of a group its card looks at.
constexpr size_t kHistogramLimit = 50'000;

constexpr qsizetype kGroupTags = 3;
constexpr double kTagPadding = 12;
constexpr double kGroupTitleRoom = 1.9;

// What a module is run for, and what is bookkeeping around it.
bool isHeavy(OpcodeClass opcodeClass) {
  switch (opcodeClass) {
    case OpcodeClass::Contraction:
    case OpcodeClass::Collective:
    case OpcodeClass::Communication:
    case OpcodeClass::ControlFlow:
    case OpcodeClass::Fusion:
    case OpcodeClass::CustomCall:
      return true;
    default:
      return false;
  }
}

bool isLight(OpcodeClass opcodeClass) {
  return !isHeavy(opcodeClass) && opcodeClass != OpcodeClass::Tuple && opcodeClass != OpcodeClass::Leaf &&
         opcodeClass != OpcodeClass::Ordering;
}

}  // namespace

NodeRole nodeRole(const GroupNode& node) {
  if (node.instruction != nullptr) return nodeRole(*node.instruction);
  if (node.kind == GroupKind::Parameters) return NodeRole::kParameter;
  return isMargin(node.kind) ? NodeRole::kTuple : NodeRole::kScope;
}

namespace {

// "bf16[128,64]" without the layout; a tuple by its size: "12 values, 1.50 GiB".
QString shapeOrSize(Shape shape) {
  if (!shape.isTuple()) return QString::fromStdString(toString(shape.withoutLayout()));
  const QString count = QStringLiteral("%1 values").arg(shape.tupleShapes().size());
  const int64_t bytes = shape.byteSize();
  return bytes == 0 ? count : count + QStringLiteral(", ") + bytesText(bytes);
}

NodeText plainText(const GroupNode& node) {
  const QString inside = node.instructionCount == 1
                             ? QStringLiteral("1 instruction")
                             : QStringLiteral("%1 instructions").arg(node.instructionCount);
  switch (node.kind) {
    case GroupKind::Computation:
      return {qs(node.label), inside, {}, false};
    case GroupKind::Scope:
    case GroupKind::Names:
    case GroupKind::Repeats:
    case GroupKind::Repeat:
    case GroupKind::Page:
      return {qs(node.label), inside, {}, false};
    case GroupKind::Parameters:
    case GroupKind::Results:
    case GroupKind::Unused:
      return {qs(node.label), QStringLiteral("%1").arg(node.instructionCount), {}, false};
    case GroupKind::Instruction:
      break;
  }
  const Instruction& instruction = *node.instruction;
  const QString name = qs(instruction.name());
  // Of a custom call what it calls.
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  const QString opcode = qs(target.empty() ? instruction.opcodeText() : target);
  // Most names say the opcode already.
  const QString shape = shapeOrSize(instruction.shape());
  return {name, name.contains(opcode) ? shape : opcode + QStringLiteral("  ") + shape, {}, false};
}

}  // namespace

NodeText nodeText(const GroupNode& node) {
  NodeText text = plainText(node);
  text.group = node.group && node.kind != GroupKind::Instruction;
  return text;
}

std::vector<std::pair<Opcode, uint32_t>> opcodesIn(const Grouping& grouping, GroupId id) {
  std::array<uint32_t, kOpcodeCount> counts{};
  std::vector<GroupId> waiting{id};
  size_t looked = 0;
  auto countCalled = [&](const Instruction& caller) {
    for (const Computation* called : caller.calledComputations()) {
      for (const Instruction* instruction : called->instructions()) {
        if (++looked > kHistogramLimit) return;
        ++counts[static_cast<size_t>(instruction->opcode())];
      }
    }
  };
  while (!waiting.empty() && looked++ < kHistogramLimit) {
    const GroupNode& at = grouping.node(waiting.back());
    const bool itself = waiting.back() == id;
    waiting.pop_back();
    if (at.kind == GroupKind::Instruction) {
      if (!itself) ++counts[static_cast<size_t>(at.instruction->opcode())];
      if (itself) countCalled(*at.instruction);
    } else {
      waiting.insert(waiting.end(), at.children.begin(), at.children.end());
    }
  }
  std::vector<std::pair<Opcode, uint32_t>> opcodes;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) opcodes.emplace_back(static_cast<Opcode>(i), counts[i]);
  }
  std::sort(opcodes.begin(), opcodes.end(), [](const auto& a, const auto& b) {
    return std::pair(b.second, a.first) < std::pair(a.second, b.first);
  });
  return opcodes;
}

QStringList groupTags(const Grouping& grouping, GroupId id) {
  const GroupNode& node = grouping.node(id);
  QStringList tags;
  if (isMargin(node.kind)) return tags;
  if (node.instruction != nullptr && node.instruction->opcode() == Opcode::While) {
    const int64_t trips = tripCount(*node.instruction).value_or(-1);
    if (trips >= 0) tags.push_back(QStringLiteral("%1 trips").arg(trips));
  }
  const auto opcodes = opcodesIn(grouping, id);
  auto addWhere = [&](auto wanted) {
    for (const auto& [opcode, count] : opcodes) {
      if (tags.size() < kGroupTags && wanted(opcodeClass(opcode)))
        tags.push_back(QStringLiteral("%1 %2").arg(count).arg(qs(opcodeName(opcode))));
    }
  };
  addWhere(isHeavy);
  if (tags.isEmpty()) addWhere(isLight);
  return tags;
}

namespace {

// Widths of the characters most names are made of, measured once: measuring whole texts costs 10 times more.
class TextWidth {
 public:
  explicit TextWidth(int pixelSize) : metrics_(uiFont(pixelSize)) {
    for (size_t c = 0; c < widths_.size(); ++c)
      widths_[c] = metrics_.horizontalAdvance(QChar(static_cast<char16_t>(c)));
  }
  double of(const QString& text) const {
    double width = 0;
    for (QChar c : text) {
      if (c.unicode() >= widths_.size()) return metrics_.horizontalAdvance(text);
      width += widths_[c.unicode()];
    }
    return width;
  }

 private:
  QFontMetricsF metrics_;
  std::array<double, 128> widths_{};
};

}  // namespace

QSizeF nodeSize(const NodeText& text) {
  static const TextWidth title(13), subtitle(11), tag(10);
  double wanted =
      std::max(title.of(text.title) * (text.group ? kGroupTitleRoom : 1), subtitle.of(text.subtitle));
  double tags = 0;
  for (const QString& word : text.tags) tags += tag.of(word) + kTagPadding;
  wanted = std::max(wanted, tags) + 18;
  return {std::clamp(std::ceil(wanted), kMinWidth, kMaxWidth), text.tags.isEmpty() ? 40.0 : 56.0};
}

QString instructionHtml(const Instruction& instruction, const CostFacts* cost) {
  const InstructionCard card = instructionCard(instruction);
  QString html = QStringLiteral("<b>%1</b> &nbsp;%2<table cellspacing='2'>")
                     .arg(qs(card.title).toHtmlEscaped(), qs(card.opcode).toHtmlEscaped());
  auto add = [&](const QString& label, const QString& value) {
    html += QStringLiteral("<tr><td><i>%1</i>&nbsp;</td><td>%2</td></tr>").arg(label, value);
  };
  for (const auto& [label, value] : card.facts) {
    // Long values break at their separators.
    QString text = qs(value).toHtmlEscaped();
    text.replace(u',', QStringLiteral(",\u200b"));
    text.replace(u'/', QStringLiteral("/\u200b"));
    add(qs(label).toHtmlEscaped(), text);
  }
  if (cost != nullptr && cost->flops > 0)
    add(QStringLiteral("flops"), quantityText(static_cast<double>(cost->flops)));
  if (cost != nullptr && cost->bytesAccessed > 0)
    add(QStringLiteral("accesses"), bytesText(cost->bytesAccessed));
  return html + QStringLiteral("</table>");
}

QString groupHtml(const NodeText& text, std::span<const std::pair<Opcode, uint32_t>> opcodes) {
  QString html =
      QStringLiteral("<b>%1</b><br>%2").arg(text.title.toHtmlEscaped(), text.subtitle.toHtmlEscaped());
  html += QStringLiteral("<table cellspacing='2'>");
  for (const auto& [opcode, count] : opcodes.first(std::min<size_t>(opcodes.size(), 8))) {
    html += QStringLiteral("<tr><td align='right'>%1&nbsp;</td><td>%2</td></tr>")
                .arg(count)
                .arg(qs(opcodeName(opcode)));
  }
  return html + QStringLiteral("</table>");
}

}  // namespace hilo
