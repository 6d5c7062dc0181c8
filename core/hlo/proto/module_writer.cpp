#include <absl/container/flat_hash_set.h>

#include "core/hlo/proto/attribute_codec.h"
#include "core/hlo/proto/module_proto.h"
#include "core/hlo/proto/payload_proto.h"
#include "core/hlo/proto/shape_proto.h"

namespace hilo {
namespace {

// Parameter names a reader kept take the place of those made, as long as they are as many.
void mergeNames(pb::ProgramShapeProto& kept, pb::ProgramShapeProto& made) {
  if (kept.parameter_names_size() == made.parameter_names_size()) {
    made.clear_parameter_names();
  } else {
    kept.clear_parameter_names();
  }
}

pb::ProgramShapeProto& programShape(pb::HloModuleProto& proto) { return *proto.mutable_host_program_shape(); }
pb::ProgramShapeProto& programShape(pb::HloComputationProto& proto) { return *proto.mutable_program_shape(); }

// Merges the bytes a reader kept. `message` holds what the writer gave.
template <typename Message>
void mergeKept(std::string_view bytes, Message& message) {
  if (bytes.empty()) return;
  Message kept;
  // Kept bytes were written by the reader; a message that does not parse is not ours to repair.
  if (!kept.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  mergeNames(programShape(kept), programShape(message));
  message.MergeFrom(kept);
}

void add(std::span<const int64_t> numbers, google::protobuf::RepeatedField<int64_t>& field) {
  field.Add(numbers.begin(), numbers.end());
}

class ModuleWriter {
 public:
  ModuleWriter(const Module& module, pb::HloModuleProto& proto) : module_(module), proto_(proto) {}

  void write() {
    assignIds();
    findFusionComputations();
    proto_.set_name(std::string(module_.name()));
    proto_.set_id(module_.get<Attr::UniqueId>().value_or(0));
    for (const Computation* computation : module_.computations()) writeComputation(*computation);
    if (const Computation* entry = module_.entry()) {
      proto_.set_entry_computation_name(std::string(entry->name()));
      proto_.set_entry_computation_id(computationIds_.at(entry));
    }
    writeProgramShape();
    if (module_.isScheduled()) writeSchedule();
    writeAliases();
    writeFrontendAttributes(module_.get<Attr::FrontendAttributes>(), *proto_.mutable_frontend_attributes());
    if (!module_.stackFrames().empty())
      writeStackFrames(module_.stackFrames(), *proto_.mutable_stack_frame_index());
    writeHiloHeader();
    mergeKept(module_.get<Attr::UnknownFields>(), proto_);
  }

 private:
  // Ids that were read are kept; what is new gets ids above them, in XLA's form: the computation's id in the
  // high half, a number of its own in the low one.
  void assignIds() {
    int64_t nextComputation = 1;
    for (const Computation* computation : module_.computations()) {
      nextComputation =
          std::max(nextComputation, computation->attributes().get<Attr::UniqueId>().value_or(0) + 1);
    }
    instructionIds_.resize(module_.idLimit());
    for (const Computation* computation : module_.computations()) {
      const auto known = computation->attributes().get<Attr::UniqueId>();
      const bool isUsed = known && !usedComputationIds_.insert(*known).second;
      const int64_t id = known && !isUsed ? *known : nextComputation++;
      usedComputationIds_.insert(id);
      computationIds_.emplace(computation, id);
      assignInstructionIds(*computation, id);
    }
  }

  void assignInstructionIds(const Computation& computation, int64_t computationId) {
    int64_t nextLocal = 0;
    int64_t high = computationId << 32;
    for (const Instruction* instruction : computation.instructions()) {
      const auto known = instruction->get<Attr::UniqueId>();
      if (!known) continue;
      nextLocal = std::max<int64_t>(nextLocal, int64_t{localId(*known)} + 1);
      high = *known >> 32 << 32;
    }
    absl::flat_hash_set<int32_t> used;
    for (const Instruction* instruction : computation.instructions()) {
      const auto known = instruction->get<Attr::UniqueId>();
      const bool isKept = known && used.insert(localId(*known)).second;
      instructionIds_[instruction->id().value] = isKept ? *known : high | (nextLocal++ & 0x7fffffff);
    }
  }

  void findFusionComputations() {
    for (const Computation* computation : module_.computations()) {
      for (const Instruction* instruction : computation->instructions()) {
        if (instruction->opcode() == Opcode::Fusion) fusions_.insert(instruction->get<Attr::Calls>());
      }
    }
  }

  void writeComputation(const Computation& computation) {
    auto& proto = *proto_.add_computations();
    proto.set_name(std::string(computation.name()));
    proto.set_id(computationIds_.at(&computation));
    proto.set_is_fusion_computation(fusions_.contains(&computation));
    proto.set_execution_thread(std::string(computation.attributes().get<Attr::ExecutionThread>()));
    auto& shape = *proto.mutable_program_shape();
    for (const Instruction* parameter : computation.parameters()) {
      if (parameter == nullptr) continue;
      writeShape(parameter->shape(), *shape.add_parameters());
      shape.add_parameter_names(std::string(parameter->name()));
    }
    if (computation.root() != nullptr) {
      proto.set_root_id(instructionIds_[computation.root()->id().value]);
      writeShape(computation.root()->shape(), *shape.mutable_result());
    }
    for (const Instruction* instruction : computation.instructions()) {
      writeInstruction(*instruction, *proto.add_instructions());
    }
    mergeKept(computation.attributes().get<Attr::UnknownFields>(), proto);
  }

  void writeInstruction(const Instruction& instruction, pb::HloInstructionProto& proto) {
    const std::string_view kept = instruction.get<Attr::UnknownFields>();
    const bool isOpaque = instruction.opcode() == Opcode::Opaque;
    proto.set_name(std::string(instruction.name()));
    proto.set_id(instructionIds_[instruction.id().value]);
    proto.set_opcode(std::string(instruction.opcodeText()));
    pb::HloInstructionProto keptProto;
    if (!kept.empty()) keptProto.ParseFromArray(kept.data(), static_cast<int>(kept.size()));
    // A message that could not be read right kept its shape, operands and callees.
    const bool isWhole = isOpaque && (keptProto.has_shape() || !keptProto.operand_ids().empty() ||
                                      !keptProto.called_computation_ids().empty());
    if (!isWhole) {
      writeShape(instruction.shape(), *proto.mutable_shape());
      for (const Instruction* operand : instruction.operands()) {
        proto.add_operand_ids(instructionIds_[operand->id().value]);
      }
    }
    if (instruction.opcode() == Opcode::RaggedDot) proto.mutable_ragged_dot_dimension_numbers();
    WriteContext out{instruction, proto, computationIds_, instructionIds_};
    const auto own = opcodeAttributes(instruction.opcode());
    for (Attr attr : own) writeAttribute(attr, out);
    writeForeignAttributes(instruction, out, isWhole);
    for (int i = static_cast<int>(Attr::Sharding); i < kAttrCount; ++i) {
      // A common one that the opcode lists too, for its place in print, is written already.
      const Attr attr = static_cast<Attr>(i);
      if (std::ranges::find(own, attr) == own.end()) writeAttribute(attr, out);
    }
    if (keptProto.has_precision_config()) proto.clear_precision_config();
    if (!kept.empty()) proto.MergeFrom(keptProto);
  }

  // Attributes the opcode does not list: callees of an opcode Hilo does not know, for one.
  void writeForeignAttributes(const Instruction& instruction, WriteContext& out, bool isWhole) {
    const auto own = opcodeAttributes(instruction.opcode());
    for (const Attribute& attribute : instruction.attributes()) {
      if (attribute.key >= Attr::Sharding || std::ranges::find(own, attribute.key) != own.end()) continue;
      if (isWhole && attribute.key == Attr::CalledComputations) continue;
      writeAttribute(attribute.key, out);
    }
  }

  static void writeAttribute(Attr attr, WriteContext& out) {
    if (const AttributeCodec* codec = codecOf(attr)) codec->write(out);
  }

  void writeProgramShape() {
    const ProgramShape* layout = module_.get<Attr::EntryComputationLayout>();
    if (layout == nullptr && module_.entry() == nullptr) return;
    auto& shape = *proto_.mutable_host_program_shape();
    const auto addParameter = [&](Shape parameter) {
      shape.add_parameter_names(fmt::format("p{}", shape.parameters_size()));
      writeShape(parameter, *shape.add_parameters());
    };
    if (layout != nullptr) {
      for (Shape parameter : layout->parameters) addParameter(parameter);
      writeShape(layout->result, *shape.mutable_result());
      return;
    }
    for (const Instruction* parameter : module_.entry()->parameters()) {
      if (parameter != nullptr) addParameter(parameter->shape());
    }
    if (const Instruction* root = module_.entry()->root()) writeShape(root->shape(), *shape.mutable_result());
  }

  // Every computation but those inside fusions, in list order: the schedule is the list.
  void writeSchedule() {
    auto& sequences = *proto_.mutable_schedule()->mutable_sequences();
    for (const Computation* computation : module_.computations()) {
      if (fusions_.contains(computation)) continue;
      auto& sequence = sequences[computationIds_.at(computation)];
      for (const Instruction* instruction : computation->instructions()) {
        sequence.add_instruction_ids(instructionIds_[instruction->id().value]);
      }
    }
  }

  void writeAliases() {
    auto& aliases = *proto_.mutable_input_output_alias();
    for (const AliasEntry& entry : module_.get<Attr::InputOutputAlias>()) {
      auto& proto = *aliases.add_entries();
      add(entry.outputIndex, *proto.mutable_output_shape_index());
      proto.set_parameter_number(entry.parameter);
      add(entry.parameterIndex, *proto.mutable_parameter_shape_index());
      proto.set_kind(static_cast<pb::Kind>(entry.kind));
    }
    auto& donors = *proto_.mutable_buffer_donor();
    for (const BufferDonor& donor : module_.get<Attr::BufferDonor>()) {
      auto& proto = *donors.add_entries();
      proto.set_parameter_number(donor.parameter);
      add(donor.parameterIndex, *proto.mutable_parameter_shape_index());
    }
    for (const CrossProgramPrefetch& prefetch : module_.get<Attr::CrossProgramPrefetches>()) {
      auto& proto = *proto_.add_cross_program_prefetches();
      proto.set_parameter(prefetch.parameter);
      add(prefetch.index, *proto.mutable_index());
      proto.set_offset(prefetch.offset);
    }
  }

  void writeHiloHeader() {
    pb::HiloHeader header;
    header.set_alias_passthrough_params(module_.get<Attr::AliasPassthroughParams>().value_or(false));
    for (bool flag : module_.get<Attr::AllowSpmdShardingPropagationToParameters>()) {
      header.add_allow_spmd_sharding_propagation_to_parameters(flag);
    }
    for (bool flag : module_.get<Attr::AllowSpmdShardingPropagationToOutput>()) {
      header.add_allow_spmd_sharding_propagation_to_output(flag);
    }
    header.set_replica_count(module_.get<Attr::ReplicaCount>().value_or(0));
    header.set_num_partitions(module_.get<Attr::NumPartitions>().value_or(0));
    header.set_origin_recovery_table(std::string(module_.get<Attr::OriginRecoveryTable>()));
    header.set_debug_attributes(std::string(module_.get<Attr::DebugAttributes>()));
    header.set_implied_program_shape(!module_.attributes().has(Attr::EntryComputationLayout) &&
                                     module_.entry() != nullptr);
    if (header.ByteSizeLong() > 0) *proto_.mutable_hilo_header() = std::move(header);
  }

  const Module& module_;
  pb::HloModuleProto& proto_;
  absl::flat_hash_map<const Computation*, int64_t> computationIds_;
  absl::flat_hash_set<int64_t> usedComputationIds_;
  std::vector<int64_t> instructionIds_;  // by InstructionId
  absl::flat_hash_set<const Computation*> fusions_;
};

}  // namespace

void writeModule(const Module& module, pb::HloModuleProto& proto) { ModuleWriter(module, proto).write(); }

}  // namespace hilo
