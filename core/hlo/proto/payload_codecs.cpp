// Attributes with a structure of their own.
#include "core/hlo/proto/attribute_codec.h"
#include "core/hlo/proto/literal_proto.h"
#include "core/hlo/proto/payload_proto.h"
#include "core/hlo/proto/shape_proto.h"
#include "core/hlo/proto/sharding_proto.h"

namespace hilo {
namespace {

// Puts a payload whose spans already live in the module's storage.
template <Attr A, typename Payload>
void putPayload(ReadContext& in, const Payload& payload) {
  in.instruction.attributeList().append(in.arena, {.key = A, .pointer = in.arena.create<Payload>(payload)});
}

void readConstant(ReadContext& in) {
  if (!in.proto.has_literal()) {
    put<Attr::Literal>(in, in.instruction.module().own(Literal::elided(in.instruction.shape())));
    return;
  }
  auto literal = readLiteral(in.proto.literal());
  in.proto.clear_literal();
  if (!literal) {
    in.problems.error(literal.error());
    literal = Literal::elided(in.instruction.shape());
  }
  put<Attr::Literal>(in, in.instruction.module().own(*std::move(literal)));
}
void writeConstant(WriteContext& out) {
  const Literal* literal = out.instruction.get<Attr::Literal>();
  if (literal != nullptr && !literal->isElided()) writeLiteral(*literal, *out.proto.mutable_literal());
}

void readCustomCallLiteral(ReadContext& in) {
  if (!in.proto.has_literal()) return;
  auto literal = readLiteral(in.proto.literal());
  if (!literal) {
    in.problems.error(literal.error());
    return;
  }
  put<Attr::CustomCallLiteral>(in, in.instruction.module().own(*std::move(literal)));
  in.proto.clear_literal();
}
void writeCustomCallLiteral(WriteContext& out) {
  const Literal* literal = out.instruction.get<Attr::CustomCallLiteral>();
  if (literal != nullptr) writeLiteral(*literal, *out.proto.mutable_literal());
}

void readWindowAttribute(ReadContext& in) {
  const bool isOptional = in.instruction.opcode() != Opcode::CustomCall;
  if (!in.proto.has_window() || (isOptional && in.proto.window().dimensions().empty())) {
    in.proto.clear_window();
    return;
  }
  putPayload<Attr::Window>(in, readWindow(in.proto.window(), in.arena));
  in.proto.clear_window();
}
void writeWindowAttribute(WriteContext& out) {
  if (const Window* window = out.instruction.get<Attr::Window>())
    writeWindow(*window, *out.proto.mutable_window());
}

void readDimLabels(ReadContext& in) {
  if (!in.proto.has_convolution_dimension_numbers()) return;
  putPayload<Attr::DimLabels>(in,
                              readConvolutionDimensions(in.proto.convolution_dimension_numbers(), in.arena));
  in.proto.clear_convolution_dimension_numbers();
}
void writeDimLabels(WriteContext& out) {
  const auto* numbers = out.instruction.get<Attr::DimLabels>();
  if (numbers) writeConvolutionDimensions(*numbers, *out.proto.mutable_convolution_dimension_numbers());
}

void readPrecision(ReadContext& in) {
  std::vector<Precision> precisions;
  bool allDefault = true;
  for (int number : in.proto.precision_config().operand_precision()) {
    const auto precision = enumFromNumber<Precision>(number);
    if (!precision) {
      // The whole list stays in the message, which then replaces what the writer would give.
      in.problems.warning("unknown-enum",
                          fmt::format("operand precision {} is not known; kept as it is", number));
      return;
    }
    precisions.push_back(*precision);
    allDefault &= *precision == Precision::Default;
  }
  if (!allDefault) put<Attr::OperandPrecision>(in, std::span<const Precision>(precisions));
  if (in.proto.has_precision_config()) in.proto.mutable_precision_config()->clear_operand_precision();
}
// How many precisions XLA writes for an instruction that names none.
size_t precisionCount(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::RaggedDot:
    case Opcode::ScaledDot:
      return 2;
    default:
      return instruction.operandCount();
  }
}
void writePrecision(WriteContext& out) {
  auto& config = *out.proto.mutable_precision_config();
  for (Precision precision : out.instruction.get<Attr::OperandPrecision>()) {
    config.add_operand_precision(static_cast<pb::PrecisionConfig::Precision>(precision));
  }
  if (!config.operand_precision().empty()) return;
  for (size_t i = 0; i < precisionCount(out.instruction); ++i) {
    config.add_operand_precision(pb::PrecisionConfig::DEFAULT);
  }
}

void readAlgorithm(ReadContext& in) {
  const auto algorithm = enumFromNumber<DotAlgorithm>(in.proto.precision_config().algorithm());
  if (!algorithm) {
    in.problems.warning("unknown-enum", fmt::format("dot algorithm {} is not known; kept as it is",
                                                    int(in.proto.precision_config().algorithm())));
    return;
  }
  if (*algorithm != DotAlgorithm::Unset) put<Attr::Algorithm>(in, *algorithm);
  if (!in.proto.has_precision_config()) return;
  in.proto.mutable_precision_config()->clear_algorithm();
  if (in.proto.precision_config().ByteSizeLong() == 0) in.proto.clear_precision_config();
}
void writeAlgorithm(WriteContext& out) {
  const auto algorithm = out.instruction.get<Attr::Algorithm>();
  if (algorithm) {
    out.proto.mutable_precision_config()->set_algorithm(
        static_cast<pb::PrecisionConfig::Algorithm>(*algorithm));
  }
}

void readSparsityAttribute(ReadContext& in) {
  if (in.proto.sparsity_config().has_lhs() || in.proto.sparsity_config().has_rhs()) {
    const SparsityConfig config = readSparsity(in.proto.sparsity_config());
    put<Attr::SparsityConfig>(in, &config);
  }
  in.proto.clear_sparsity_config();
}
void writeSparsityAttribute(WriteContext& out) {
  const auto* config = out.instruction.get<Attr::SparsityConfig>();
  if (config != nullptr) writeSparsity(*config, *out.proto.mutable_sparsity_config());
}

void readGroups(ReadContext& in) {
  putPayload<Attr::ReplicaGroups>(in, readReplicaGroups(in.proto, in.arena));
  in.proto.clear_replica_group_list();
  in.proto.clear_replica_groups();
}
void writeGroups(WriteContext& out) {
  if (const auto* groups = out.instruction.get<Attr::ReplicaGroups>()) writeReplicaGroups(*groups, out.proto);
}

void readOutfeedShape(ReadContext& in) {
  if (!in.proto.has_outfeed_shape()) return;
  const auto shape = readShape(in.proto.outfeed_shape());
  if (!shape) {
    in.problems.error(shape.error());
    return;
  }
  put<Attr::OutfeedShape>(in, *shape);
  in.proto.clear_outfeed_shape();
}
void writeOutfeedShape(WriteContext& out) {
  if (const auto shape = out.instruction.get<Attr::OutfeedShape>())
    writeShape(*shape, *out.proto.mutable_outfeed_shape());
}

void readOperandLayouts(ReadContext& in) {
  if (!in.proto.constrain_layout()) return;
  std::vector<Shape> shapes;
  for (const auto& proto : in.proto.operand_shapes_with_layout()) {
    const auto shape = readShape(proto);
    if (!shape) {
      in.problems.error(shape.error());
      return;
    }
    shapes.push_back(*shape);
  }
  put<Attr::OperandLayoutConstraints>(in, std::span<const Shape>(shapes));
  in.proto.clear_constrain_layout();
  in.proto.clear_operand_shapes_with_layout();
}
void writeOperandLayouts(WriteContext& out) {
  if (!out.instruction.has(Attr::OperandLayoutConstraints)) return;
  out.proto.set_constrain_layout(true);
  for (Shape shape : out.instruction.get<Attr::OperandLayoutConstraints>()) {
    writeShape(shape, *out.proto.add_operand_shapes_with_layout());
  }
}

void readAliasing(ReadContext& in) {
  if (in.proto.output_operand_aliasing().empty()) return;
  const auto view = [](const google::protobuf::RepeatedField<int64_t>& numbers) {
    return std::span<const int64_t>(numbers.data(), numbers.size());
  };
  std::vector<AliasEntry> entries;
  for (const auto& proto : in.proto.output_operand_aliasing()) {
    entries.push_back({.outputIndex = view(proto.output_shape_index()),
                       .parameter = proto.operand_index(),
                       .parameterIndex = view(proto.operand_shape_index())});
  }
  put<Attr::OutputToOperandAliasing>(in, std::span<const AliasEntry>(entries));
  in.proto.clear_output_operand_aliasing();
}
void writeAliasing(WriteContext& out) {
  for (const AliasEntry& entry : out.instruction.get<Attr::OutputToOperandAliasing>()) {
    auto& proto = *out.proto.add_output_operand_aliasing();
    proto.mutable_output_shape_index()->Add(entry.outputIndex.begin(), entry.outputIndex.end());
    proto.set_operand_index(entry.parameter);
    proto.mutable_operand_shape_index()->Add(entry.parameterIndex.begin(), entry.parameterIndex.end());
  }
}

// The entry side in text is the users' side, which the proto calls exit (HloDomainInstruction::ToProto).
void readDomain(ReadContext& in) {
  auto entry = readSharding(in.proto.domain_exit_sharding(), in.arena);
  auto exit = readSharding(in.proto.domain_entry_sharding(), in.arena);
  if (!entry || !exit) {
    in.problems.error(entry ? exit.error() : entry.error());
    return;
  }
  putPayload<Attr::Domain>(in, Domain{.kind = "sharding", .entry = *entry, .exit = *exit});
  in.proto.clear_domain_entry_sharding();
  in.proto.clear_domain_exit_sharding();
}
void writeDomain(WriteContext& out) {
  const Domain* domain = out.instruction.get<Attr::Domain>();
  if (domain == nullptr) return;
  writeSharding(domain->exit, *out.proto.mutable_domain_entry_sharding());
  writeSharding(domain->entry, *out.proto.mutable_domain_exit_sharding());
}

void readShardingAttribute(ReadContext& in) {
  if (!in.proto.has_sharding()) return;
  const auto sharding = readSharding(in.proto.sharding(), in.arena);
  if (!sharding) {
    in.problems.error(sharding.error());
    return;
  }
  putPayload<Attr::Sharding>(in, *sharding);
  in.proto.clear_sharding();
}
void writeShardingAttribute(WriteContext& out) {
  const Sharding* sharding = out.instruction.get<Attr::Sharding>();
  if (sharding != nullptr) writeSharding(*sharding, *out.proto.mutable_sharding());
}

void readFrontend(ReadContext& in) {
  const auto attributes = readFrontendAttributes(in.proto.frontend_attributes(), in.arena);
  if (!attributes.empty()) put<Attr::FrontendAttributes>(in, attributes);
  in.proto.clear_frontend_attributes();
}
void writeFrontend(WriteContext& out) {
  writeFrontendAttributes(out.instruction.get<Attr::FrontendAttributes>(),
                          *out.proto.mutable_frontend_attributes());
}

void readParameterReplication(ReadContext& in) {
  if (!in.proto.has_parameter_replication()) return;
  const auto& flags = in.proto.parameter_replication().replicated_at_leaf_buffers();
  put<Attr::ParameterReplication>(in, std::span<const bool>(flags.data(), flags.size()));
  in.proto.clear_parameter_replication();
}
void writeParameterReplication(WriteContext& out) {
  if (!out.instruction.has(Attr::ParameterReplication)) return;
  auto& proto = *out.proto.mutable_parameter_replication();
  for (bool flag : out.instruction.get<Attr::ParameterReplication>())
    proto.add_replicated_at_leaf_buffers(flag);
}

void readStatistics(ReadContext& in) {
  const auto& proto = in.proto.statistics_viz();
  if (!proto.statistics().empty()) {
    std::vector<Statistic> statistics;
    for (const auto& s : proto.statistics()) statistics.push_back({s.stat_name(), s.stat_val()});
    const StatisticsViz viz{proto.stat_index_to_visualize(), statistics};
    put<Attr::Statistics>(in, &viz);
  }
  in.proto.clear_statistics_viz();
}
void writeStatistics(WriteContext& out) {
  auto& proto = *out.proto.mutable_statistics_viz();
  const StatisticsViz* viz = out.instruction.get<Attr::Statistics>();
  if (viz == nullptr) return;
  proto.set_stat_index_to_visualize(viz->indexToVisualize);
  for (const Statistic& statistic : viz->statistics) {
    auto& added = *proto.add_statistics();
    added.set_stat_name(std::string(statistic.name));
    added.set_stat_val(statistic.value);
  }
}

void readResultAccuracy(ReadContext& in) {
  const auto& proto = in.proto.result_accuracy();
  ResultAccuracy accuracy;
  accuracy.hasTolerance = proto.has_tolerance();
  accuracy.mode = proto.mode();
  accuracy.atol = proto.tolerance().atol();
  accuracy.rtol = proto.tolerance().rtol();
  accuracy.ulps = proto.tolerance().ulps();
  if (accuracy.hasTolerance || accuracy.mode != 0) put<Attr::ResultAccuracy>(in, &accuracy);
  if (accuracy.hasTolerance || accuracy.mode != 0) in.proto.clear_result_accuracy();
}
void writeResultAccuracy(WriteContext& out) {
  const ResultAccuracy* accuracy = out.instruction.get<Attr::ResultAccuracy>();
  if (accuracy == nullptr) return;
  auto& proto = *out.proto.mutable_result_accuracy();
  if (!accuracy->hasTolerance) {
    proto.set_mode(static_cast<pb::ResultAccuracy::Mode>(accuracy->mode));
    return;
  }
  proto.mutable_tolerance()->set_atol(accuracy->atol);
  proto.mutable_tolerance()->set_rtol(accuracy->rtol);
  proto.mutable_tolerance()->set_ulps(accuracy->ulps);
}

void readOrigin(ReadContext& in) {
  if (!in.proto.has_original_value()) return;
  const auto value = readOriginalValue(in.proto.original_value(), in.arena);
  if (!value) {
    in.problems.warning("bad-original-value",
                        "the indices of the original value make no tree; kept as they are");
    return;
  }
  putPayload<Attr::Origin>(in, *value);
  in.proto.clear_original_value();
}
void writeOrigin(WriteContext& out) {
  const OriginalValue* value = out.instruction.get<Attr::Origin>();
  if (value != nullptr) writeOriginalValue(*value, *out.proto.mutable_original_value());
}

void readMetadataAttribute(ReadContext& in) {
  if (!in.proto.has_metadata()) return;
  pb::OpMetadata& proto = *in.proto.mutable_metadata();
  if (proto.metadata_payload().has_id()) {
    const int64_t id = proto.metadata_payload().id();
    if (id >= 0 && id < static_cast<int64_t>(in.payloads.size())) {
      proto.mutable_metadata_payload()->set_value(in.payloads[id]);
    } else {
      in.problems.error("bad-payload", fmt::format("metadata payload {} of {}", id, in.payloads.size()));
    }
  }
  if (proto.ByteSizeLong() > 0) putPayload<Attr::Metadata>(in, readMetadata(proto, in.arena));
  clearReadMetadata(proto);
  if (proto.ByteSizeLong() == 0) in.proto.clear_metadata();
}
void writeMetadataAttribute(WriteContext& out) {
  auto& proto = *out.proto.mutable_metadata();
  if (const OpMetadata* metadata = out.instruction.get<Attr::Metadata>()) writeMetadata(*metadata, proto);
}

void readBackendConfig(ReadContext& in) {
  std::string_view config = in.proto.backend_config();
  const auto& payload = in.proto.backend_config_payload();
  if (payload.has_value()) config = payload.value();
  if (payload.has_id()) {
    if (payload.id() < 0 || payload.id() >= static_cast<int64_t>(in.payloads.size())) {
      in.problems.error("bad-payload",
                        fmt::format("backend config payload {} of {}", payload.id(), in.payloads.size()));
      return;
    }
    config = in.payloads[payload.id()];
  }
  if (!config.empty()) put<Attr::BackendConfig>(in, config);
  in.proto.clear_backend_config();
  in.proto.clear_backend_config_payload();
}
void writeBackendConfig(WriteContext& out) {
  out.proto.set_backend_config(std::string(out.instruction.get<Attr::BackendConfig>()));
}

constexpr AttributeCodec kCodecs[] = {
    {Attr::Literal, readConstant, writeConstant},
    {Attr::CustomCallLiteral, readCustomCallLiteral, writeCustomCallLiteral},
    {Attr::Window, readWindowAttribute, writeWindowAttribute},
    {Attr::DimLabels, readDimLabels, writeDimLabels},
    {Attr::OperandPrecision, readPrecision, writePrecision},
    {Attr::Algorithm, readAlgorithm, writeAlgorithm},
    {Attr::SparsityConfig, readSparsityAttribute, writeSparsityAttribute},
    {Attr::ReplicaGroups, readGroups, writeGroups},
    {Attr::OutfeedShape, readOutfeedShape, writeOutfeedShape},
    {Attr::OperandLayoutConstraints, readOperandLayouts, writeOperandLayouts},
    {Attr::OutputToOperandAliasing, readAliasing, writeAliasing},
    {Attr::Domain, readDomain, writeDomain},
    {Attr::Sharding, readShardingAttribute, writeShardingAttribute},
    {Attr::FrontendAttributes, readFrontend, writeFrontend},
    {Attr::ParameterReplication, readParameterReplication, writeParameterReplication},
    {Attr::Statistics, readStatistics, writeStatistics},
    {Attr::ResultAccuracy, readResultAccuracy, writeResultAccuracy},
    {Attr::Origin, readOrigin, writeOrigin},
    {Attr::Metadata, readMetadataAttribute, writeMetadataAttribute},
    {Attr::BackendConfig, readBackendConfig, writeBackendConfig},
};

}  // namespace

std::span<const AttributeCodec> payloadCodecs() { return kCodecs; }

}  // namespace hilo
