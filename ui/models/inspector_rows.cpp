#include "ui/models/inspector_rows.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "core/analysis/implied_devices.h"
#include "core/analysis/physical_layout.h"
#include "core/analysis/saturating.h"
#include "ui/models/attribute_rows.h"
#include "ui/models/literal_text.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr int kTupleDepthShown = 16;
constexpr size_t kLinksShown = 2000;

QString joined(std::span<const int64_t> items) { return qs(fmt::format("{}", fmt::join(items, ", "))); }

QString dimensionsText(Shape shape) {
  QStringList parts;
  for (size_t i = 0; i < shape.rank(); ++i) {
    const int64_t size = shape.dimension(i);
    const QString text = size == kUnboundedSize ? QString("?") : countText(size);
    parts << (shape.isDynamicDimension(i) ? "<=" + text : text);
  }
  return parts.isEmpty() ? QString("scalar") : parts.join(" x ");
}

// Elements between neighbours of each dimension when the array is dense in the order of its layout.
std::vector<int64_t> stridesOf(Shape shape, const Layout& layout) {
  std::vector<int64_t> strides(shape.rank(), 0);
  int64_t stride = 1;
  for (int64_t dimension : layout.minorToMajor) {
    if (dimension < 0 || dimension >= static_cast<int64_t>(shape.rank())) return {};
    strides[static_cast<size_t>(dimension)] = stride;
    int64_t next = 0;
    const int64_t size = std::max<int64_t>(1, shape.dimension(static_cast<size_t>(dimension)));
    if (__builtin_mul_overflow(stride, size, &next)) return {};
    stride = next;
  }
  return strides;
}

void addLayoutRows(InspectorRow& row, Shape shape) {
  const Layout* layout = shape.layout();
  if (layout == nullptr) {
    row.add({"layout", "none given"});
    return;
  }
  InspectorRow& out = row.add({"layout", qs(toString(*layout))});
  QString order = "minor to major: " + joined(layout->minorToMajor);
  if (layout->isDescending()) order += " (row-major)";
  out.add({"order", order});
  const auto strides = stridesOf(shape, *layout);
  if (!strides.empty() && layout->tiles.empty()) {
    out.add({"strides in elements", joined(strides)});
    const int64_t bits =
        layout->elementSizeInBits != 0 ? layout->elementSizeInBits : elementBits(shape.elementType());
    if (bits % 8 == 0) {
      std::vector<int64_t> bytes;
      for (const int64_t stride : strides) bytes.push_back(saturatingMultiply(stride, bits / 8));
      out.add({"strides in bytes", joined(bytes)});
    }
  }
  for (const Tile& tile : layout->tiles) {
    QStringList parts;
    for (int64_t d : tile.dimensions) parts << (d == Tile::kCombineDimension ? "*" : QString::number(d));
    out.add({"tile", parts.join(" x ")});
  }
  if (const auto physical = physicalLayout(shape); physical && !layout->tiles.empty()) {
    out.add({"size in memory", qs(fmt::format("{} elements: {}", physical->paddedElements,
                                              fmt::join(physical->bounds, " x ")))});
    const int64_t padding = physical->paddedElements - shape.elementCount();
    out.add({"padding", padding == 0 ? "none"
                                     : QString("%1 elements, %2%")
                                           .arg(countText(padding))
                                           .arg(100.0 * static_cast<double>(padding) /
                                                    static_cast<double>(physical->paddedElements),
                                                0, 'f', 1)});
  }
  if (layout->elementSizeInBits != 0)
    out.add({"element size", QString("%1 bits").arg(layout->elementSizeInBits)});
  out.add({"memory space", layout->memorySpace == 0 ? "default (0)" : QString::number(layout->memorySpace)});
  if (layout->tailPaddingAlignment != 1) {
    out.add({"tail padding alignment", QString("%1 elements").arg(layout->tailPaddingAlignment)});
  }
  for (const SplitConfig& split : layout->splitConfigs) {
    out.add({"split", QString("dimension %1 at %2").arg(split.dimension).arg(joined(split.splitIndices))});
  }
  if (!layout->physicalShape.empty())
    out.add({"physical shape", qs(toString(layout->physicalShape.front()))});
}

InspectorRow shapeRowAt(QString name, Shape shape, int depth) {
  InspectorRow row{std::move(name), qs(toString(shape))};
  if (row.value.size() > 200) row.value = shapeText(shape, 160);
  if (shape.isBuffer()) {
    row.add(shapeRowAt("buffer of", shape.bufferShape(), depth + 1));
    return row;
  }
  if (shape.isTuple()) {
    row.add({"bytes", bytesText(shape.byteSize())});
    if (depth >= kTupleDepthShown) return row;
    for (size_t i = 0; i < shape.tupleShapes().size(); ++i) {
      row.add(shapeRowAt(QString("element %1").arg(i), shape.tupleShapes()[i], depth + 1));
    }
    return row;
  }
  if (!shape.isArray()) return row;
  row.add({"element type", qs(elementTypeName(shape.elementType()))});
  row.add({"dimensions", dimensionsText(shape)});
  row.add({"elements", countText(shape.elementCount())});
  const int64_t bytes = shape.byteSize();
  row.add({"bytes",
           bytes < 1024 ? bytesText(bytes) : QString("%1 (%2)").arg(bytesText(bytes), countText(bytes))});
  addLayoutRows(row, shape);
  return row;
}

template <typename Range>
InspectorRow linksRow(const char* name, const Range& instructions) {
  InspectorRow row{name, {}, {}, {}, true};
  size_t count = 0;
  for (const Instruction* i : instructions) {
    if (++count > kLinksShown) continue;
    InspectorRow& child = row.add({QString::number(count - 1)});
    if (i == nullptr) {
      child.value = "missing";
      continue;
    }
    child.value = QString("%1  %2").arg(qs(i->name()), shapeText(i->shape()));
    child.link = linkTo(*i);
  }
  if (count > kLinksShown) row.add({"...", QString("%1 more").arg(count - kLinksShown)});
  row.value = QString::number(count);
  return row;
}

InspectorRow calledRow(const Instruction& instruction) {
  InspectorRow row{"called computations", {}, {}, {}, true};
  for (const Computation* c : instruction.calledComputations()) {
    row.add({qs(c->name()), countOf(c->instructionCount(), "instruction"), linkTo(*c)});
  }
  row.value = QString::number(row.children.size());
  return row;
}

InspectorRow provenanceRow(const Instruction& instruction) {
  const Module& module = instruction.module();
  InspectorRow row{"provenance", {}, {}, {}, true};
  const Provenance* provenance = module.provenance(instruction.id());
  if (provenance == nullptr) {
    row.value = "in the input module";
    return row;
  }
  const auto passes = module.passNames();
  row.value = provenance->pass < passes.size() ? "made by " + qs(passes[provenance->pass])
                                               : "made by an unknown pass";
  for (InstructionId id : provenance->from) {
    const Instruction* from = module.instruction(id);
    if (from != nullptr) {
      row.add({"from", qs(from->name()), linkTo(*from)});
    } else {
      row.add({"from", QString("instruction %1, no longer in the module").arg(id.value)});
    }
  }
  return row;
}

// The entries of the module's input_output_alias that speak of this entry parameter, or of this entry root.
InspectorRow aliasRow(const Instruction& instruction) {
  InspectorRow row{"aliases", {}, {}, {}, true};
  const Module& module = instruction.module();
  if (&instruction.parent() != module.entry()) return row;
  const bool isParameter = instruction.opcode() == Opcode::Parameter;
  for (const AliasEntry& e : module.get<Attr::InputOutputAlias>()) {
    const bool ofThis = isParameter ? e.parameter == instruction.get<Attr::ParameterNumber>().value_or(-1)
                                    : instruction.isRoot();
    if (!ofThis) continue;
    row.add({QString("output {%1}").arg(joined(e.outputIndex)),
             QString("parameter %1 at {%2}").arg(e.parameter).arg(joined(e.parameterIndex))});
  }
  row.value = QString::number(row.children.size());
  return row;
}

void addMetadata(std::vector<InspectorRow>& rows, const Instruction& instruction) {
  const OpMetadata* metadata = instruction.get<Attr::Metadata>();
  if (metadata == nullptr) return;
  InspectorRow row{"metadata", {}, {}, {}, true};
  row.children = metadataRows(*metadata, instruction.module());
  rows.push_back(std::move(row));
}

void addAttributes(std::vector<InspectorRow>& rows, std::span<const Attribute> attributes,
                   const Module& module, const char* title) {
  InspectorRow row{title, {}, {}, {}, true};
  for (const Attribute& a : attributes) {
    if (a.key != Attr::Metadata) row.add(attributeRow(a, module));
  }
  if (row.children.empty()) return;
  row.value = QString::number(row.children.size());
  rows.push_back(std::move(row));
}

using OpcodeCounts = absl::flat_hash_map<std::string_view, int64_t>;

InspectorRow histogramRow(const OpcodeCounts& counts) {
  std::vector<std::pair<QString, int64_t>> sorted;
  for (const auto& [opcode, count] : counts) sorted.emplace_back(qs(opcode), count);
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  InspectorRow row{"opcodes", QString::number(sorted.size()), {}, {}, true};
  for (const auto& [opcode, count] : sorted) row.add({opcode, countText(count)});
  return row;
}

}  // namespace

RowLink linkTo(const Instruction& instruction) {
  return {RowLink::Kind::kInstruction, instruction.id(), instruction.parent().id(), {}, 0, {}};
}
RowLink linkTo(const Computation& computation) {
  return {RowLink::Kind::kComputation, {}, computation.id(), {}, 0, {}};
}

InspectorRow shapeRow(QString name, Shape shape) { return shapeRowAt(std::move(name), shape, 0); }

std::vector<InspectorRow> instructionRows(const Instruction& instruction) {
  std::vector<InspectorRow> rows;
  InspectorRow head{"instruction", qs(instruction.name()), {}, {}, true};
  head.add({"opcode", qs(instruction.opcodeText())});
  head.add({"class", qs(opcodeClassName(opcodeClass(instruction.opcode())))});
  head.add({"computation", qs(instruction.parent().name()), linkTo(instruction.parent())});
  head.add({"root", instruction.isRoot() ? "yes" : "no"});
  head.add({"id", QString::number(instruction.id().value)});
  if (instruction.opcode() == Opcode::Constant) {
    if (const Literal* literal = instruction.get<Attr::Literal>()) head.add({"value", literalText(*literal)});
  }
  rows.push_back(std::move(head));
  InspectorRow shape = shapeRow("shape", instruction.shape());
  shape.section = true;
  rows.push_back(std::move(shape));
  rows.push_back(linksRow("operands", instruction.operands()));
  rows.push_back(linksRow("users", instruction.users()));
  if (auto called = calledRow(instruction); !called.children.empty()) rows.push_back(std::move(called));
  addAttributes(rows, instruction.attributes(), instruction.module(), "attributes");
  addMetadata(rows, instruction);
  rows.push_back(provenanceRow(instruction));
  if (auto alias = aliasRow(instruction); !alias.children.empty()) rows.push_back(std::move(alias));
  return rows;
}

std::vector<InspectorRow> computationRows(const Computation& computation) {
  std::vector<InspectorRow> rows;
  InspectorRow head{"computation", qs(computation.name()), {}, {}, true};
  head.add({"entry", computation.isEntry() ? "yes" : "no"});
  head.add({"instructions", countText(static_cast<int64_t>(computation.instructionCount()))});
  if (const Instruction* root = computation.root()) head.add({"root", qs(root->name()), linkTo(*root)});
  rows.push_back(std::move(head));
  rows.push_back(linksRow("parameters", computation.parameters()));
  std::vector<const Instruction*> callers;
  OpcodeCounts opcodes;
  for (const Computation* other : computation.module().computations()) {
    for (const Instruction* i : other->instructions()) {
      const auto called = i->calledComputations();
      if (std::ranges::find(called, &computation) != called.end()) callers.push_back(i);
      if (other == &computation) ++opcodes[i->opcodeText()];
    }
  }
  rows.push_back(linksRow("callers", callers));
  addAttributes(rows, computation.attributes().all(), computation.module(), "attributes");
  rows.push_back(histogramRow(opcodes));
  return rows;
}

std::vector<InspectorRow> moduleRows(const Module& module) {
  std::vector<InspectorRow> rows;
  InspectorRow head{"module", qs(module.name()), {}, {}, true};
  head.add({"computations", countText(static_cast<int64_t>(module.computations().size()))});
  head.add({"instructions", countText(static_cast<int64_t>(module.instructionCount()))});
  if (const Computation* entry = module.entry()) head.add({"entry", qs(entry->name()), linkTo(*entry)});
  head.add({"scheduled", module.isScheduled() ? "yes" : "no"});
  head.add({"partitions", QString::number(module.partitionCount())});
  head.add({"replicas", QString::number(module.replicaCount())});
  if (const int64_t implied = impliedGrid(module).count(); implied > gridOf(module).count())
    head.add({"devices", QString("%1 by its collectives; the header does not say").arg(implied)});
  rows.push_back(std::move(head));
  addAttributes(rows, module.attributes().all(), module, "header attributes");
  OpcodeCounts opcodes;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) ++opcodes[i->opcodeText()];
  }
  rows.push_back(histogramRow(opcodes));
  return rows;
}

QString rowsAsText(const std::vector<InspectorRow>& rows, int depth) {
  QString out;
  for (const InspectorRow& row : rows) {
    out += QString(depth * 2, ' ') + row.name;
    if (!row.value.isEmpty()) out += ": " + row.value;
    out += '\n';
    out += rowsAsText(row.children, depth + 1);
  }
  return out;
}

}  // namespace hilo
