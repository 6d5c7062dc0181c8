// The value of one attribute, by its kind.

#include "core/hlo/text/escape.h"
#include "core/hlo/text/print_values.h"
#include "core/hlo/text/printer.h"
#include "core/hlo/text/sorted_json.h"

namespace hilo {
namespace {

using EnumPrinter = std::string_view (*)(int64_t);

template <typename T>
constexpr EnumPrinter enumPrinter() {
  if constexpr (std::is_enum_v<T>) {
    return [](int64_t value) { return enumText<T>(static_cast<T>(value)); };
  } else {
    return nullptr;
  }
}

constexpr EnumPrinter kEnumPrinters[] = {
#define ATTRIBUTE(name, text, kind, ...) enumPrinter<AttrTraits<Attr::name>::Type>(),
#include "core/hlo/ir/attributes.def"
};

template <typename T>
const T& payload(const Attribute& attribute) {
  return *static_cast<const T*>(attribute.pointer);
}

template <typename T>
std::span<const T> list(const Attribute& attribute) {
  return {static_cast<const T*>(attribute.pointer), attribute.count};
}

std::string_view text(const Attribute& attribute) {
  return {static_cast<const char*>(attribute.pointer), attribute.count};
}

void appendSlices(std::string& out, std::span<const SliceRange> ranges) {
  const bool strides = std::ranges::any_of(ranges, [](const SliceRange& range) { return range.stride != 1; });
  out += '{';
  for (size_t i = 0; i < ranges.size(); ++i) {
    out += i == 0 ? "[" : ", [";
    appendInt(out, ranges[i].start);
    out += ':';
    appendInt(out, ranges[i].limit);
    if (strides) {
      out += ':';
      appendInt(out, ranges[i].stride);
    }
    out += ']';
  }
  out += '}';
}

// `ofModule`: with the kind of each entry, and spaces inside the braces.
void appendAliasing(std::string& out, std::span<const AliasEntry> entries, bool ofModule) {
  out += ofModule ? "{ " : "{";
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i != 0) out += ", ";
    appendBraced(out, entries[i].outputIndex);
    out += ": (";
    appendInt(out, entries[i].parameter);
    out += ", ";
    appendBraced(out, entries[i].parameterIndex);
    if (ofModule) out += entries[i].kind == AliasEntry::Kind::Must ? ", must-alias" : ", may-alias";
    out += ')';
  }
  out += ofModule ? " }" : "}";
}

void appendDonors(std::string& out, std::span<const BufferDonor> donors) {
  out += "{ ";
  for (size_t i = 0; i < donors.size(); ++i) {
    out += i == 0 ? "(" : ", (";
    appendInt(out, donors[i].parameter);
    out += ", ";
    appendBraced(out, donors[i].parameterIndex);
    out += ')';
  }
  out += " }";
}

void appendStatistics(std::string& out, const StatisticsViz& statistics) {
  if (statistics.statistics.empty()) {
    out += "{}";
    return;
  }
  out += "{visualizing_index=";
  appendInt(out, statistics.indexToVisualize);
  for (const Statistic& statistic : statistics.statistics) {
    out += ',';
    out += statistic.name;
    out += '=';
    appendShortFloat(out, statistic.value);
  }
  out += '}';
}

void appendResultAccuracy(std::string& out, const ResultAccuracy& accuracy) {
  if (!accuracy.hasTolerance) {
    out += accuracy.mode == 1 ? "{mode=highest}" : "{mode=default}";
    return;
  }
  out += "{tolerance={atol=";
  appendShortFloat(out, accuracy.atol);
  out += ",rtol=";
  appendShortFloat(out, accuracy.rtol);
  out += ",ulps=";
  appendInt(out, accuracy.ulps);
  out += "}}";
}

void appendTensorSparsity(std::string& out, std::string_view name, const TensorSparsity& sparsity) {
  fmt::format_to(std::back_inserter(out), "{}={{sparsity={}x{} dimension={} stride={}}}", name,
                 sparsity.numNonZero, sparsity.blockSize, sparsity.dimension, sparsity.stride);
}

void appendSparsityConfig(std::string& out, const SparsityConfig& config) {
  out += '{';
  if (config.lhs) appendTensorSparsity(out, "lhs", *config.lhs);
  if (config.lhs && config.rhs) out += ' ';
  if (config.rhs) appendTensorSparsity(out, "rhs", *config.rhs);
  out += '}';
}

void appendBools(std::string& out, std::span<const bool> values) {
  out += '{';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ',';
    out += values[i] ? "true" : "false";
  }
  out += '}';
}

void appendQuoted(std::string& out, std::string_view value) {
  out += '"';
  appendEscaped(out, value);
  out += '"';
}

void appendExpandedGroups(std::string& out, const ReplicaGroups& groups) {
  out += '{';
  bool first = true;
  for (const auto& group : expandReplicaGroups(groups)) {
    if (!std::exchange(first, false)) out += ',';
    appendBraced(out, group);
  }
  out += '}';
}

void appendDomain(std::string& out, const Domain& domain) {
  out += "{kind=";
  appendQuoted(out, domain.kind);
  out += ", entry=";
  appendSharding(out, domain.entry);
  out += ", exit=";
  appendSharding(out, domain.exit);
  out += '}';
}

}  // namespace

void Printer::printComputationReference(const Computation* computation) {
  if (computation == nullptr) {
    out_ += "null";
  } else if (options_.subcomputations == PrintOptions::Subcomputations::FullBodies) {
    out_ += '\n';
    printComputation(*computation, indent_, true);
  } else {
    printName(computation->name());
  }
}

void Printer::printComputationList(std::span<Computation* const> list) {
  const bool bodies = options_.subcomputations == PrintOptions::Subcomputations::FullBodies;
  out_ += bodies ? "{\n" : "{";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i != 0) out_ += bodies ? ",\n" : ", ";
    if (bodies && list[i] != nullptr) {
      printComputation(*list[i], indent_, true);
    } else {
      printComputationReference(list[i]);
    }
  }
  out_ += bodies ? "\n}" : "}";
}

void Printer::printMetadata(const OpMetadata& metadata) {
  out_ += '{';
  if (options_.inlineStackFrames && metadata.stackFrameId != 0 && module_ != nullptr) {
    OpMetadata inlined = metadata;
    inlined.stackFrameId = 0;
    const auto stack = sourceStack(module_->stackFrames(), metadata.stackFrameId);
    if (!stack.empty()) {
      inlined.sourceFile = stack[0].file;
      inlined.sourceLine = stack[0].line;
      inlined.sourceColumn = stack[0].column;
    }
    appendOpMetadata(out_, inlined, options_.metadataOnlyOpName);
  } else {
    appendOpMetadata(out_, metadata, options_.metadataOnlyOpName);
  }
  out_ += '}';
}

void Printer::printConfig(std::string_view value) {
  if (!options_.quotedJsonConfigs && isJsonObject(value)) {
    out_ += options_.sortBackendConfig ? sortedJson(value) : std::string(value);
  } else {
    appendQuoted(out_, value);
  }
}

void Printer::printFrontendAttributes(std::span<const FrontendAttribute> attributes) {
  out_ += '{';
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (i != 0) out_ += ',';
    out_ += attributes[i].name;
    out_ += '=';
    if (!options_.quotedJsonConfigs && isJsonObject(attributes[i].value)) {
      out_ += attributes[i].value;
    } else {
      appendQuoted(out_, attributes[i].value);
    }
  }
  out_ += '}';
}

void Printer::printProgramShape(const ProgramShape& shape) {
  out_ += "{(";
  for (size_t i = 0; i < shape.parameters.size(); ++i) {
    if (i != 0) out_ += options_.compactEntryLayout ? "," : ", ";
    if (i != 0 && i % 5 == 0 && !options_.compactEntryLayout) appendIndexComment(out_, i);
    appendShape(out_, shape.parameters[i], true);
  }
  out_ += ")->";
  appendShape(out_, shape.result, true);
  out_ += '}';
}

void Printer::printScalar(const Attribute& attribute) {
  switch (attrKind(attribute.key)) {
    case AttrKind::Bool:
      out_ += attribute.integer != 0 ? "true" : "false";
      break;
    case AttrKind::Int64:
      appendInt(out_, attribute.integer);
      break;
    case AttrKind::Float:
      appendShortFloat(out_, attribute.real);
      break;
    case AttrKind::Enum:
      out_ += kEnumPrinters[static_cast<size_t>(attribute.key)](attribute.integer);
      break;
    case AttrKind::String:
      appendQuoted(out_, text(attribute));
      break;
    case AttrKind::RawBlock:
      out_ += text(attribute);
      break;
    default:
      break;
  }
}

void Printer::printAttributeValue(const Attribute& attribute) {
  switch (attrKind(attribute.key)) {
    case AttrKind::RawConfig:
      return printConfig(text(attribute));
    case AttrKind::Int64List:
      return appendBraced(out_, list<int64_t>(attribute));
    case AttrKind::Int64ListList:
      return appendIntLists(out_, list<std::span<const int64_t>>(attribute));
    case AttrKind::BoolList:
      return appendBools(out_, list<bool>(attribute));
    case AttrKind::PrecisionList: {
      out_ += '{';
      const auto precisions = list<Precision>(attribute);
      for (size_t i = 0; i < precisions.size(); ++i) {
        if (i != 0) out_ += ',';
        out_ += enumText<Precision>(precisions[i]);
      }
      out_ += '}';
      return;
    }
    case AttrKind::Computation:
      return printComputationReference(static_cast<const Computation*>(attribute.pointer));
    case AttrKind::ComputationList:
      return printComputationList({static_cast<Computation* const*>(attribute.pointer), attribute.count});
    case AttrKind::InstructionList: {
      out_ += '{';
      const std::span<Instruction* const> instructions(static_cast<Instruction* const*>(attribute.pointer),
                                                       attribute.count);
      for (size_t i = 0; i < instructions.size(); ++i) {
        if (i != 0) out_ += ", ";
        printInstructionName(*instructions[i]);
      }
      out_ += '}';
      return;
    }
    case AttrKind::Shape:
      return appendShape(out_, payload<Shape>(attribute), true);
    case AttrKind::ShapeList: {
      out_ += '{';
      const auto shapes = list<Shape>(attribute);
      for (size_t i = 0; i < shapes.size(); ++i) {
        if (i != 0) out_ += ", ";
        appendShape(out_, shapes[i], true);
      }
      out_ += '}';
      return;
    }
    case AttrKind::Literal:
      return appendShapedLiteral(out_, payload<Literal>(attribute));
    case AttrKind::Window:
      out_ += '{';
      appendWindow(out_, payload<Window>(attribute));
      out_ += '}';
      return;
    case AttrKind::ConvolutionDimensionNumbers:
      return appendDimLabels(out_, payload<ConvolutionDimensionNumbers>(attribute));
    case AttrKind::Padding:
      return appendPadding(out_, list<PaddingDimension>(attribute));
    case AttrKind::SliceRanges:
      return appendSlices(out_, list<SliceRange>(attribute));
    case AttrKind::Sharding:
      return appendSharding(out_, payload<Sharding>(attribute), options_.metadata);
    case AttrKind::FrontendAttributes:
      return printFrontendAttributes(list<FrontendAttribute>(attribute));
    case AttrKind::Metadata:
      return printMetadata(payload<OpMetadata>(attribute));
    case AttrKind::StatisticsViz:
      return appendStatistics(out_, payload<StatisticsViz>(attribute));
    case AttrKind::ReplicaGroups:
      return options_.fullReplicaGroups ? appendExpandedGroups(out_, payload<ReplicaGroups>(attribute))
                                        : appendReplicaGroups(out_, payload<ReplicaGroups>(attribute));
    case AttrKind::Aliasing:
      return appendAliasing(out_, list<AliasEntry>(attribute), true);
    case AttrKind::InstructionAliasing:
      return appendAliasing(out_, list<AliasEntry>(attribute), false);
    case AttrKind::BufferDonorList:
      return appendDonors(out_, list<BufferDonor>(attribute));
    case AttrKind::ProgramShape:
      return printProgramShape(payload<ProgramShape>(attribute));
    case AttrKind::Domain:
      return appendDomain(out_, payload<Domain>(attribute));
    case AttrKind::OriginalValue:
      return appendOriginalValue(out_, payload<OriginalValue>(attribute));
    case AttrKind::ResultAccuracy:
      return appendResultAccuracy(out_, payload<ResultAccuracy>(attribute));
    case AttrKind::SparsityConfig:
      return appendSparsityConfig(out_, payload<SparsityConfig>(attribute));
    case AttrKind::Opaque:
      out_ += payload<OpaqueAttribute>(attribute).text;
      return;
    default:
      return printScalar(attribute);
  }
}

void appendAttributeValue(std::string& out, const Attribute& attribute, const PrintOptions& options) {
  Printer(out, options).printAttributeValue(attribute);
}

}  // namespace hilo
