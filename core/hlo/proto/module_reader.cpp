#include <absl/container/flat_hash_set.h>

#include "core/hlo/ir/parameters.h"
#include "core/hlo/proto/instruction_reader.h"
#include "core/hlo/proto/module_proto.h"
#include "core/hlo/proto/payload_proto.h"
#include "core/hlo/proto/shape_proto.h"

namespace hilo {
namespace {

std::span<const int64_t> view(const google::protobuf::RepeatedField<int64_t>& numbers) {
  return {numbers.data(), static_cast<size_t>(numbers.size())};
}

class ModuleReader {
 public:
  ModuleReader(pb::HloModuleProto& proto, const std::string& file)
      : proto_(proto), problems_(result_.diagnostics, file) {}

  ProtoReadResult read() {
    if (proto_.computations().empty()) {
      problems_.error("no-computations", "the message holds no computation");
      return std::move(result_);
    }
    result_.module = std::make_unique<Module>(proto_.name());
    for (auto& computation : *proto_.mutable_computations()) {
      if (problems_.full()) break;
      readComputation(computation);
    }
    problems_.enterComputation({});
    readEntry();
    readSchedule();
    readHeader();
    module().stackFrames() = readStackFrames(proto_.stack_frame_index(), module().arena());
    keepTheRest();
    return std::move(result_);
  }

 private:
  Module& module() { return *result_.module; }

  void readComputation(pb::HloComputationProto& proto) {
    Computation& computation = *module().createComputation(proto.name());
    problems_.enterComputation(computation.name());
    InstructionScope scope{.computation = computation,
                           .callees = computations_,
                           .instructions = {},
                           .instructionCount = static_cast<size_t>(proto.instructions_size()),
                           .payloads = payloads(),
                           .problems = problems_,
                           .parameters = {}};
    scope.instructions.reserve(proto.instructions_size());
    for (auto& instruction : *proto.mutable_instructions()) {
      const int64_t id = instruction.id();
      Instruction* made = readInstruction(instruction, scope);
      if (!scope.instructions.emplace(localId(id), made).second) {
        problems_.error("duplicate-id", fmt::format("id {} is another instruction's too", id));
      }
    }
    problems_.enterInstruction({});
    registerParameters(computation, scope.parameters);
    readRoot(proto, computation, scope);
    readComputationRest(proto, computation);
    if (!computations_.emplace(proto.id(), &computation).second) {
      problems_.error("duplicate-id",
                      fmt::format("computation id {} is another computation's too", proto.id()));
    }
    instructions_.push_back(std::move(scope.instructions));
  }

  // Views into the message outlive it nowhere: every attribute copies.
  std::span<const std::string> payloads() {
    if (payloads_.empty()) payloads_.assign(proto_.payloads().begin(), proto_.payloads().end());
    return payloads_;
  }

  void readRoot(const pb::HloComputationProto& proto, Computation& computation,
                const InstructionScope& scope) {
    const auto root = scope.instructions.find(localId(proto.root_id()));
    if (root != scope.instructions.end()) {
      computation.setRoot(root->second);
      return;
    }
    problems_.error("missing-root", fmt::format("no instruction has the root's id {}", proto.root_id()));
    if (computation.last() != nullptr) computation.setRoot(computation.last());
  }

  void readComputationRest(pb::HloComputationProto& proto, Computation& computation) {
    Arena& arena = module().arena();
    AttributeList& attributes = computation.attributes();
    attributes.append(arena, packAttribute<Attr::UniqueId>(arena, proto.id()));
    if (!proto.execution_thread().empty()) {
      attributes.append(arena, packAttribute<Attr::ExecutionThread>(arena, proto.execution_thread()));
    }
    const int64_t id = proto.id();
    proto.clear_name();
    proto.clear_instructions();
    keepParameterNames(computation.parameters(), *proto.mutable_program_shape());
    if (proto.program_shape().ByteSizeLong() == 0) proto.clear_program_shape();
    proto.clear_id();
    proto.clear_root_id();
    proto.clear_is_fusion_computation();
    proto.clear_execution_thread();
    if (proto.ByteSizeLong() > 0) {
      attributes.append(arena, packAttribute<Attr::UnknownFields>(arena, proto.SerializeAsString()));
    }
    proto.set_id(id);
  }

  // Shapes are the parameters' and the root's own. Names are too, in most versions of XLA; others are kept.
  static void keepParameterNames(std::span<Instruction* const> parameters, pb::ProgramShapeProto& proto) {
    const auto isOwn = [](const Instruction* parameter, const std::string& name) {
      return parameter != nullptr && parameter->name() == name;
    };
    if (std::ranges::equal(parameters, proto.parameter_names(), isOwn)) proto.clear_parameter_names();
    proto.clear_parameters();
    proto.clear_result();
  }

  void readEntry() {
    const auto entry = computations_.find(proto_.entry_computation_id());
    if (entry != computations_.end()) {
      module().setEntry(entry->second);
      return;
    }
    // Very old modules name it only.
    if (Computation* named = module().findComputation(proto_.entry_computation_name())) {
      module().setEntry(named);
      return;
    }
    problems_.error("missing-entry",
                    fmt::format("no computation has the entry's id {}", proto_.entry_computation_id()));
    module().setEntry(module().computations().back());
  }

  void readSchedule() {
    if (!proto_.has_schedule()) return;
    module().set<Attr::IsScheduled>(true);
    const auto computations = module().computations();
    for (size_t i = 0; i < computations.size(); ++i) {
      const auto& sequences = proto_.schedule().sequences();
      const auto sequence = sequences.find(proto_.computations(static_cast<int>(i)).id());
      if (sequence == sequences.end()) continue;
      problems_.enterComputation(computations[i]->name());
      applySequence(view(sequence->second.instruction_ids()), *computations[i], instructions_[i]);
    }
    problems_.enterComputation({});
  }

  // What is wrong is told in the words and the order of XLA's HloSchedule::Verify.
  void applySequence(std::span<const int64_t> ids, Computation& computation,
                     const InstructionsById& instructions) {
    std::vector<Instruction*> order;
    absl::flat_hash_map<const Instruction*, size_t> place;
    order.reserve(ids.size());
    for (int64_t id : ids) {
      const auto found = instructions.find(localId(id));
      if (found == instructions.end()) {
        problems_.error("bad-schedule", fmt::format("the schedule names id {}, which is no instruction", id));
        return;
      }
      if (!place.emplace(found->second, order.size()).second) {
        problems_.enterInstruction(found->second->name());
        problems_.error("bad-schedule", fmt::format("Instruction {} appears more than once in the schedule",
                                                    found->second->name()));
        return;
      }
      order.push_back(found->second);
    }
    if (order.size() != computation.instructionCount()) {
      problems_.error("bad-schedule",
                      fmt::format("Schedule for computation {} has {} instructions, expected {}",
                                  computation.name(), order.size(), computation.instructionCount()));
      return;
    }
    for (const Instruction* instruction : order) {
      for (const Instruction* operand : instruction->operands()) {
        const auto before = place.find(operand);
        if (before != place.end() && before->second < place.at(instruction)) continue;
        problems_.enterInstruction(instruction->name());
        problems_.error("bad-schedule", fmt::format("Instruction {} is not scheduled after its operand {}",
                                                    instruction->name(), operand->name()));
        return;
      }
    }
    computation.reorder(order);
  }

  void readHeader() {
    module().set<Attr::UniqueId>(proto_.id());
    readAliases();
    readProgramShape();
    const auto frontend = readFrontendAttributes(proto_.frontend_attributes(), module().arena());
    if (!frontend.empty()) module().set<Attr::FrontendAttributes>(frontend);
    std::vector<CrossProgramPrefetch> prefetches;
    for (const auto& prefetch : proto_.cross_program_prefetches()) {
      prefetches.push_back({prefetch.parameter(), view(prefetch.index()), prefetch.offset()});
    }
    if (!prefetches.empty()) {
      module().set<Attr::CrossProgramPrefetches>(std::span<const CrossProgramPrefetch>(prefetches));
    }
    readHiloHeader(proto_.hilo_header());
  }

  void readAliases() {
    std::vector<AliasEntry> aliases;
    for (const auto& entry : proto_.input_output_alias().entries()) {
      aliases.push_back({.outputIndex = view(entry.output_shape_index()),
                         .parameter = entry.parameter_number(),
                         .parameterIndex = view(entry.parameter_shape_index()),
                         .kind = static_cast<AliasEntry::Kind>(std::clamp<int>(entry.kind(), 0, 2))});
    }
    if (!aliases.empty()) module().set<Attr::InputOutputAlias>(std::span<const AliasEntry>(aliases));
    std::vector<BufferDonor> donors;
    for (const auto& entry : proto_.buffer_donor().entries()) {
      donors.push_back({entry.parameter_number(), view(entry.parameter_shape_index())});
    }
    if (!donors.empty()) module().set<Attr::BufferDonor>(std::span<const BufferDonor>(donors));
  }

  void readProgramShape() {
    if (!proto_.has_host_program_shape() || proto_.hilo_header().implied_program_shape()) return;
    std::vector<Shape> parameters;
    for (const auto& parameter : proto_.host_program_shape().parameters()) {
      const auto shape = readShape(parameter);
      if (!shape) return problems_.error(shape.error());
      parameters.push_back(*shape);
    }
    const auto resultShape = readShape(proto_.host_program_shape().result());
    if (!resultShape) return problems_.error(resultShape.error());
    const ProgramShape shape{parameters, *resultShape};
    module().set<Attr::EntryComputationLayout>(&shape);
  }

  void readHiloHeader(const pb::HiloHeader& header) {
    if (header.alias_passthrough_params()) module().set<Attr::AliasPassthroughParams>(true);
    const auto flags = [](const google::protobuf::RepeatedField<bool>& field) {
      return std::span<const bool>(field.data(), field.size());
    };
    const auto parameters = flags(header.allow_spmd_sharding_propagation_to_parameters());
    if (!parameters.empty()) module().set<Attr::AllowSpmdShardingPropagationToParameters>(parameters);
    const auto output = flags(header.allow_spmd_sharding_propagation_to_output());
    if (!output.empty()) module().set<Attr::AllowSpmdShardingPropagationToOutput>(output);
    if (header.replica_count() != 0) module().set<Attr::ReplicaCount>(header.replica_count());
    if (header.num_partitions() != 0) module().set<Attr::NumPartitions>(header.num_partitions());
    // What text says in these two stays text: a recovery table holds whole modules, whose text is their own.
    // What XLA's own fields say stays in its bytes, and a text has no place for it.
    if (proto_.has_original_value_recovery_table() || proto_.debug_attributes_size() > 0) {
      problems_.warning("not-in-text",
                        "original_value_recovery_table and debug_attributes are kept for protobufs only");
    }
    if (!header.origin_recovery_table().empty()) {
      module().set<Attr::OriginRecoveryTable>(header.origin_recovery_table());
    }
    if (!header.debug_attributes().empty()) module().set<Attr::DebugAttributes>(header.debug_attributes());
  }

  // XLA calls them p0, p1, ...; other writers have names of their own.
  void keepHostParameterNames() {
    auto& shape = *proto_.mutable_host_program_shape();
    bool isUsual = true;
    for (int i = 0; i < shape.parameter_names_size(); ++i)
      isUsual &= shape.parameter_names(i) == fmt::format("p{}", i);
    if (isUsual) {
      proto_.clear_host_program_shape();
      return;
    }
    shape.clear_parameters();
    shape.clear_result();
  }

  // Everything the IR has no place for stays as it came.
  void keepTheRest() {
    proto_.clear_name();
    proto_.clear_entry_computation_name();
    proto_.clear_computations();
    keepHostParameterNames();
    proto_.clear_id();
    proto_.clear_entry_computation_id();
    proto_.clear_schedule();
    proto_.clear_input_output_alias();
    proto_.clear_buffer_donor();
    proto_.clear_cross_program_prefetches();
    proto_.clear_stack_frame_index();
    proto_.clear_frontend_attributes();
    proto_.clear_payloads();
    proto_.clear_hilo_header();
    if (proto_.ByteSizeLong() > 0) module().set<Attr::UnknownFields>(proto_.SerializeAsString());
  }

  pb::HloModuleProto& proto_;
  ProtoReadResult result_;
  ProtoProblems problems_;
  std::vector<std::string> payloads_;
  absl::flat_hash_map<int64_t, Computation*> computations_;
  std::vector<InstructionsById> instructions_;  // a computation each
};

}  // namespace

ProtoReadResult readModule(pb::HloModuleProto& proto, const std::string& file) {
  return ModuleReader(proto, file).read();
}

}  // namespace hilo
