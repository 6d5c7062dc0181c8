#include "ui/models/attribute_rows.h"

#include <fmt/format.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/base/enum_table.h"
#include "core/base/number_text.h"
#include "ui/models/literal_text.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr int kJsonDepthShown = 64;

template <typename T>
QString listText(std::span<const T> items) {
  return qs(fmt::format("{{{}}}", fmt::join(items, ", ")));
}

QString plainList(std::span<const int64_t> items) { return listText(items); }

InspectorRow listOfLists(InspectorRow row, std::span<const std::span<const int64_t>> lists) {
  for (size_t i = 0; i < lists.size(); ++i) row.add({QString::number(i), plainList(lists[i])});
  row.value = countOf(lists.size(), "entry", "entries");
  return row;
}

InspectorRow windowRow(InspectorRow row, const Window& window) {
  QStringList sizes;
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    const WindowDimension& d = window.dimensions[i];
    sizes << QString::number(d.size);
    InspectorRow& child = row.add({QString("dimension %1").arg(i), QString("size %1").arg(d.size)});
    child.add({"stride", QString::number(d.stride)});
    child.add({"padding", QString("%1 low, %2 high").arg(d.paddingLow).arg(d.paddingHigh)});
    child.add({"window dilation", QString::number(d.windowDilation)});
    child.add({"base dilation", QString::number(d.baseDilation)});
    child.add({"reversed", d.windowReversal ? "yes" : "no"});
  }
  row.value = sizes.join("x");
  return row;
}

InspectorRow convolutionRow(InspectorRow row, const ConvolutionDimensionNumbers& n) {
  row.value = QString("%1 spatial dimensions").arg(n.inputSpatial.size());
  InspectorRow& input = row.add({"input"});
  input.add({"batch", QString::number(n.inputBatch)});
  input.add({"feature", QString::number(n.inputFeature)});
  input.add({"spatial", plainList(n.inputSpatial)});
  InspectorRow& kernel = row.add({"kernel"});
  kernel.add({"input feature", QString::number(n.kernelInputFeature)});
  kernel.add({"output feature", QString::number(n.kernelOutputFeature)});
  kernel.add({"spatial", plainList(n.kernelSpatial)});
  InspectorRow& output = row.add({"output"});
  output.add({"batch", QString::number(n.outputBatch)});
  output.add({"feature", QString::number(n.outputFeature)});
  output.add({"spatial", plainList(n.outputSpatial)});
  return row;
}

InspectorRow paddingRow(InspectorRow row, std::span<const PaddingDimension> dimensions) {
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const PaddingDimension& d = dimensions[i];
    row.add({QString("dimension %1").arg(i),
             QString("low %1, high %2, interior %3").arg(d.low).arg(d.high).arg(d.interior)});
  }
  return row;
}

InspectorRow sliceRow(InspectorRow row, std::span<const SliceRange> ranges) {
  QStringList parts;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const SliceRange& r = ranges[i];
    const QString stride = r.stride == 1 ? QString() : QString(":%1").arg(r.stride);
    parts << QString("[%1:%2%3]").arg(r.start).arg(r.limit).arg(stride);
    row.add({QString("dimension %1").arg(i),
             QString("from %1 to %2, stride %3").arg(r.start).arg(r.limit).arg(r.stride)});
  }
  row.value = parts.join(", ");
  return row;
}

InspectorRow replicaGroupsRow(InspectorRow row, const ReplicaGroups& groups) {
  const auto lists = expandReplicaGroups(groups);
  if (lists.empty()) {
    row.value = groups.form == ReplicaGroups::Form::List ? "all devices in one group" : "not decodable";
    return row;
  }
  row.value = QString("%1 groups of %2").arg(lists.size()).arg(lists.front().size());
  if (groups.form == ReplicaGroups::Form::Iota) {
    row.add({"form", QString("[%1,%2]<=%3")
                         .arg(groups.groupCount)
                         .arg(groups.groupSize)
                         .arg(plainList(groups.iota.reshapeDimensions))});
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    row.add({QString("group %1").arg(i), plainList(std::span<const int64_t>(lists[i]))});
  }
  return row;
}

const char* aliasKindText(AliasEntry::Kind kind) {
  switch (kind) {
    case AliasEntry::Kind::Undefined:
      return "undefined";
    case AliasEntry::Kind::May:
      return "may alias";
    case AliasEntry::Kind::Must:
      return "must alias";
  }
  return "";
}

InspectorRow aliasingRow(InspectorRow row, std::span<const AliasEntry> entries, bool ofModule) {
  for (const AliasEntry& e : entries) {
    QString value = QString("%1 %2 at %3")
                        .arg(ofModule ? "parameter" : "operand")
                        .arg(e.parameter)
                        .arg(plainList(e.parameterIndex));
    if (ofModule) value += QString(", %1").arg(aliasKindText(e.kind));
    row.add({QString("output %1").arg(plainList(e.outputIndex)), value});
  }
  row.value = countOf(entries.size(), "entry", "entries");
  return row;
}

InspectorRow originRow(QString name, const OriginalValueNode& node, int depth) {
  InspectorRow row{std::move(name)};
  if (!node.isTuple) {
    row.value = node.hasArray ? qs(node.instruction) + " " + plainList(node.shapeIndex) : "no origin";
    return row;
  }
  row.value = QString("tuple of %1").arg(node.elements.size());
  if (depth >= kJsonDepthShown) return row;
  for (size_t i = 0; i < node.elements.size(); ++i) {
    row.add(originRow(QString::number(i), node.elements[i], depth + 1));
  }
  return row;
}

InspectorRow sparsityRow(InspectorRow row, const SparsityConfig& config) {
  const auto side = [&](const char* name, const std::optional<TensorSparsity>& s) {
    if (!s) return;
    row.add({name, QString("%1 of %2 non-zero, dimension %3, stride %4")
                       .arg(s->numNonZero)
                       .arg(s->blockSize)
                       .arg(s->dimension)
                       .arg(s->stride)});
  };
  side("lhs", config.lhs);
  side("rhs", config.rhs);
  return row;
}

InspectorRow programShapeRow(InspectorRow row, const ProgramShape& shape) {
  row.value = countOf(shape.parameters.size(), "parameter");
  for (size_t i = 0; i < shape.parameters.size(); ++i) {
    row.add(shapeRow(QString("parameter %1").arg(i), shape.parameters[i]));
  }
  row.add(shapeRow("result", shape.result));
  return row;
}

InspectorRow resultAccuracyRow(InspectorRow row, const ResultAccuracy& a) {
  if (!a.hasTolerance) {
    row.value = a.mode == 1 ? "highest" : "default";
    return row;
  }
  row.add({"absolute tolerance", QString::number(a.atol)});
  row.add({"relative tolerance", QString::number(a.rtol)});
  row.add({"ULPs", QString::number(a.ulps)});
  return row;
}

template <AttrKind kind, typename T>
QString textIfEnum(int64_t value) {
  if constexpr (kind == AttrKind::Enum) return qs(enumText<T>(static_cast<T>(value)));
  return {};
}

// Each enum attribute has a C++ type, and with it a table, of its own.
QString enumValueText(const Attribute& attribute) {
  switch (attribute.key) {
#define ATTRIBUTE(name, text, kind, type) \
  case Attr::name:                        \
    return textIfEnum<AttrKind::kind, type>(attribute.integer);
#include "core/hlo/ir/attributes.def"
  }
  return {};
}

template <typename T>
T valueOf(const Attribute& attribute) {
  return attr_detail::unpack<T>(attribute);
}

// Attributes whose value is one line.
std::optional<QString> scalarText(const Attribute& a) {
  switch (attrKind(a.key)) {
    case AttrKind::Bool:
      return a.integer != 0 ? "true" : "false";
    case AttrKind::Int64:
      return QString::number(a.integer);
    case AttrKind::Float:
      return QString::number(a.real);
    case AttrKind::Enum:
      return enumValueText(a);
    case AttrKind::String:
      return qs(valueOf<std::string_view>(a));
    case AttrKind::Int64List:
      return plainList(valueOf<std::span<const int64_t>>(a));
    case AttrKind::BoolList:
      return listText(valueOf<std::span<const bool>>(a));
    default:
      return std::nullopt;
  }
}

InspectorRow referencesRow(InspectorRow row, const Attribute& a) {
  switch (attrKind(a.key)) {
    case AttrKind::Computation: {
      const auto* computation = valueOf<Computation*>(a);
      if (computation == nullptr) return row;
      row.value = qs(computation->name());
      row.link = linkTo(*computation);
      return row;
    }
    case AttrKind::ComputationList:
      for (const Computation* c : valueOf<std::span<Computation* const>>(a)) {
        row.add({QString::number(row.children.size()), qs(c->name()), linkTo(*c)});
      }
      break;
    default:
      for (const Instruction* i : valueOf<std::span<Instruction* const>>(a)) {
        row.add({QString::number(row.children.size()), qs(i->name()), linkTo(*i)});
      }
  }
  row.value = countOf(row.children.size(), "entry", "entries");
  return row;
}

InspectorRow smallListRow(InspectorRow row, const Attribute& a) {
  switch (attrKind(a.key)) {
    case AttrKind::PrecisionList: {
      QStringList parts;
      for (Precision p : valueOf<std::span<const Precision>>(a)) parts << qs(enumText(p));
      row.value = parts.join(", ");
      return row;
    }
    case AttrKind::ShapeList:
      for (Shape s : valueOf<std::span<const Shape>>(a)) {
        row.add(shapeRow(QString::number(row.children.size()), s));
      }
      break;
    case AttrKind::FrontendAttributes:
      for (const FrontendAttribute& f : valueOf<std::span<const FrontendAttribute>>(a)) {
        addConfigRows(row.add({qs(f.name)}), f.value);
      }
      break;
    case AttrKind::BufferDonorList:
      for (const BufferDonor& d : valueOf<std::span<const BufferDonor>>(a)) {
        row.add({QString("parameter %1").arg(d.parameter), "at " + plainList(d.parameterIndex)});
      }
      break;
    case AttrKind::CrossProgramPrefetchList:
      for (const CrossProgramPrefetch& p : valueOf<std::span<const CrossProgramPrefetch>>(a)) {
        row.add({QString("parameter %1").arg(p.parameter),
                 QString("at %1, offset %2").arg(plainList(p.index)).arg(p.offset)});
      }
      break;
    default:
      break;
  }
  row.value = countOf(row.children.size(), "entry", "entries");
  return row;
}

InspectorRow structuredRow(InspectorRow row, const Attribute& a, const Module& owner) {
  switch (attrKind(a.key)) {
    case AttrKind::RawConfig:
    case AttrKind::RawBlock:
      addConfigRows(row, valueOf<std::string_view>(a));
      return row;
    case AttrKind::Shape:
      return shapeRow(row.name, valueOf<Shape>(a));
    case AttrKind::Literal:
      row.value = literalText(*valueOf<const Literal*>(a));
      return row;
    case AttrKind::Window:
      return windowRow(std::move(row), *valueOf<const Window*>(a));
    case AttrKind::ConvolutionDimensionNumbers:
      return convolutionRow(std::move(row), *valueOf<const ConvolutionDimensionNumbers*>(a));
    case AttrKind::Padding:
      return paddingRow(std::move(row), valueOf<std::span<const PaddingDimension>>(a));
    case AttrKind::SliceRanges:
      return sliceRow(std::move(row), valueOf<std::span<const SliceRange>>(a));
    case AttrKind::Int64ListList:
      return listOfLists(std::move(row), valueOf<std::span<const std::span<const int64_t>>>(a));
    case AttrKind::Sharding:
      addShardingRows(row, *valueOf<const Sharding*>(a));
      return row;
    case AttrKind::Metadata:
      row.children = metadataRows(*valueOf<const OpMetadata*>(a), owner);
      row.value = qs(valueOf<const OpMetadata*>(a)->opName);
      return row;
    case AttrKind::StatisticsViz:
      for (const Statistic& s : valueOf<const StatisticsViz*>(a)->statistics) {
        row.add({qs(s.name), QString::number(s.value)});
      }
      return row;
    case AttrKind::ReplicaGroups:
      return replicaGroupsRow(std::move(row), *valueOf<const ReplicaGroups*>(a));
    case AttrKind::Aliasing:
      return aliasingRow(std::move(row), valueOf<std::span<const AliasEntry>>(a), true);
    case AttrKind::InstructionAliasing:
      return aliasingRow(std::move(row), valueOf<std::span<const AliasEntry>>(a), false);
    case AttrKind::ProgramShape:
      return programShapeRow(std::move(row), *valueOf<const ProgramShape*>(a));
    case AttrKind::Domain: {
      const auto* domain = valueOf<const Domain*>(a);
      row.value = qs(domain->kind);
      addShardingRows(row.add({"entry"}), domain->entry);
      addShardingRows(row.add({"exit"}), domain->exit);
      return row;
    }
    case AttrKind::OriginalValue: {
      const auto* value = valueOf<const OriginalValue*>(a);
      if (value->isSyntheticCall) {
        row.value = "synthetic call";
        return row;
      }
      return originRow(row.name, value->root, 0);
    }
    case AttrKind::ResultAccuracy:
      return resultAccuracyRow(std::move(row), *valueOf<const ResultAccuracy*>(a));
    case AttrKind::SparsityConfig:
      return sparsityRow(std::move(row), *valueOf<const SparsityConfig*>(a));
    case AttrKind::Opaque: {
      const auto* opaque = valueOf<const OpaqueAttribute*>(a);
      row.name = qs(opaque->name);
      row.value = qs(opaque->text);
      row.add({"note", "an attribute Hilo does not know, kept as read"});
      return row;
    }
    default:
      return row;
  }
}

void addJson(InspectorRow& row, const QJsonValue& value, int depth) {
  if (depth > kJsonDepthShown) {
    row.value = "nested too deep to show";
  } else if (value.isObject()) {
    const QJsonObject object = value.toObject();
    row.value = object.isEmpty() ? "{}" : countOf(static_cast<size_t>(object.size()), "field");
    for (auto it = object.begin(); it != object.end(); ++it)
      addJson(row.add({it.key()}), it.value(), depth + 1);
  } else if (value.isArray()) {
    const QJsonArray array = value.toArray();
    const bool flat = std::ranges::none_of(array, [](QJsonValue v) { return v.isObject() || v.isArray(); });
    if (flat && array.size() <= 16) {
      row.value = QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
      return;
    }
    row.value = countOf(static_cast<size_t>(array.size()), "item");
    int index = 0;
    for (const QJsonValue& item : array) addJson(row.add({QString::number(index++)}), item, depth + 1);
  } else if (value.isString()) {
    row.value = value.toString();
  } else {
    row.value = value.toVariant().toString();
    if (value.isNull()) row.value = "null";
  }
}

QString tileText(std::span<const int64_t> dimensions) {
  return qs(fmt::format("[{}]", fmt::join(dimensions, ",")));
}

void addTiledRows(InspectorRow& row, const Sharding& sharding) {
  row.value = QString("tiled %1").arg(tileText(sharding.tileDimensions));
  if (sharding.replicateOnLastTileDim) row.value += ", replicated over the last tile dimension";
  if (!sharding.subgroupTypes.empty()) {
    static constexpr EnumTable<Sharding::Type, const char*> kTypeNames(
        {"replicated", "maximal", "tuple", "tiled", "manual", "unknown", "unreduced"});
    QStringList types;
    for (Sharding::Type type : sharding.subgroupTypes) types << kTypeNames[type];
    row.add({"subgroup dimensions", types.join(", ")});
  }
  if (sharding.hasIota) {
    row.add({"iota", QString("%1, transposed %2")
                         .arg(tileText(sharding.iota.reshapeDimensions),
                              tileText(sharding.iota.transposePermutation))});
  }
  const std::vector<int64_t> devices = tileDevices(sharding);
  row.add({"devices", devices.empty() ? QString("the numbers do not fit together")
                                      : plainList(std::span<const int64_t>(devices))});
}

void addNamedRows(InspectorRow& row, const NamedSharding& named) {
  const auto axisText = [&](std::span<const AxisRef> axes) {
    QStringList parts;
    for (const AxisRef& ref : axes) {
      const bool known = ref.axis >= 0 && ref.axis < static_cast<int64_t>(named.mesh.axes.size());
      QString part = known ? qs(named.mesh.axes[static_cast<size_t>(ref.axis)].name) : "?";
      if (ref.subSize != 0) part += QString(":(%1)%2").arg(ref.subPreSize).arg(ref.subSize);
      parts << part;
    }
    return parts.isEmpty() ? QString("none") : parts.join(", ");
  };
  InspectorRow& mesh = row.add({"mesh", countOf(named.mesh.axes.size(), "axis", "axes")});
  for (const MeshAxis& axis : named.mesh.axes) mesh.add({qs(axis.name), QString::number(axis.size)});
  for (size_t i = 0; i < named.dimensions.size(); ++i) {
    const QString open = named.dimensions[i].isClosed ? "" : " (open)";
    row.add({QString("dimension %1").arg(i), axisText(named.dimensions[i].axes) + open});
  }
  row.add({"replicated over", axisText(named.replicatedAxes)});
  row.add({"unreduced over", axisText(named.unreducedAxes)});
  row.add({"manual over", axisText(named.manualAxes)});
}

}  // namespace

void addConfigRows(InspectorRow& row, std::string_view text) {
  QJsonParseError error;
  const QByteArray bytes(text.data(), static_cast<qsizetype>(text.size()));
  const QJsonDocument document = QJsonDocument::fromJson(bytes, &error);
  if (error.error != QJsonParseError::NoError) {
    row.value = qs(text);
    return;
  }
  addJson(row, document.isObject() ? QJsonValue(document.object()) : QJsonValue(document.array()), 0);
}

void addShardingRows(InspectorRow& row, const Sharding& sharding) {
  switch (sharding.type) {
    case Sharding::Type::Replicated:
      row.value = "replicated";
      break;
    case Sharding::Type::Maximal:
      row.value = QString("on device %1").arg(sharding.maximalDevice);
      break;
    case Sharding::Type::Manual:
      row.value = "manual";
      break;
    case Sharding::Type::Unknown:
      row.value = "unknown";
      break;
    case Sharding::Type::Unreduced:
      row.value = "unreduced";
      break;
    case Sharding::Type::Tiled:
      if (sharding.named == nullptr) addTiledRows(row, sharding);
      break;
    case Sharding::Type::Tuple:
      row.value = QString("tuple of %1").arg(sharding.elements.size());
      for (size_t i = 0; i < sharding.elements.size(); ++i) {
        addShardingRows(row.add({QString::number(i)}), sharding.elements[i]);
      }
      break;
  }
  if (sharding.named != nullptr) {
    if (sharding.type == Sharding::Type::Tiled) row.value = "over named mesh axes";
    addNamedRows(row, *sharding.named);
  }
  if (sharding.shardGroup != Sharding::ShardGroup::None) {
    row.add({"shard group", QString("%1 %2")
                                .arg(sharding.shardGroup == Sharding::ShardGroup::As ? "as" : "like")
                                .arg(sharding.shardGroupId)});
  }
}

std::vector<InspectorRow> metadataRows(const OpMetadata& m, const Module& owner) {
  std::vector<InspectorRow> rows;
  const auto text = [&](const char* name, std::string_view value) {
    if (!value.empty()) rows.push_back({name, qs(value)});
  };
  text("op_name", m.opName);
  text("op_type", m.opType);
  if (!m.sourceFile.empty()) {
    RowLink link{RowLink::Kind::kSource, {}, {}, qs(m.sourceFile), m.sourceLine};
    QString place = qs(m.sourceFile);
    if (m.sourceLine > 0) place += QString(":%1").arg(m.sourceLine);
    if (m.sourceColumn > 0) place += QString(":%1").arg(m.sourceColumn);
    rows.push_back({"source", place, link});
  }
  if (m.stackFrameId > 0) {
    InspectorRow stack{"stack frames"};
    for (const SourceFrame& frame : sourceStack(owner.stackFrames(), m.stackFrameId)) {
      RowLink link{RowLink::Kind::kSource, {}, {}, qs(frame.file), frame.line};
      stack.add({qs(frame.function),
                 QString("%1:%2:%3").arg(qs(frame.file)).arg(frame.line).arg(frame.column), link});
    }
    stack.value = stack.children.empty()
                      ? QString("frame %1 is not in the module's tables").arg(m.stackFrameId)
                      : QString("%1 frames, innermost first").arg(stack.children.size());
    rows.push_back(std::move(stack));
  }
  if (!m.profileType.empty()) rows.push_back({"profile_type", plainList(m.profileType)});
  text("deduplicated_name", m.deduplicatedName);
  text("scheduling_name", m.schedulingName);
  text("payload", m.payload);
  if (m.sizeOfGeneratedCodeInBytes > 0) {
    rows.push_back({"generated code", bytesText(m.sizeOfGeneratedCodeInBytes)});
  }
  if (m.sizeOfMemoryWorkingSetInBytes > 0) {
    rows.push_back({"memory working set", bytesText(m.sizeOfMemoryWorkingSetInBytes)});
  }
  return rows;
}

InspectorRow attributeRow(const Attribute& attribute, const Module& owner) {
  InspectorRow row{qs(attrName(attribute.key))};
  if (attribute.key == Attr::UnknownFields) {
    row.value = countOf(valueOf<std::string_view>(attribute).size(), "byte") +
                " of a newer XLA's fields, kept as read";
    return row;
  }
  if (auto text = scalarText(attribute)) {
    row.value = *std::move(text);
    return row;
  }
  switch (attrKind(attribute.key)) {
    case AttrKind::Computation:
    case AttrKind::ComputationList:
    case AttrKind::InstructionList:
      return referencesRow(std::move(row), attribute);
    case AttrKind::PrecisionList:
    case AttrKind::ShapeList:
    case AttrKind::FrontendAttributes:
    case AttrKind::BufferDonorList:
    case AttrKind::CrossProgramPrefetchList:
      return smallListRow(std::move(row), attribute);
    default:
      return structuredRow(std::move(row), attribute, owner);
  }
}

}  // namespace hilo
