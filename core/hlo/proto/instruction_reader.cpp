#include "core/hlo/proto/instruction_reader.h"

#include "core/hlo/proto/shape_proto.h"

namespace hilo {
namespace {

// Comparisons were opcodes of their own once.
constexpr std::pair<std::string_view, ComparisonDirection> kOldComparisons[] = {
    {"equal-to", ComparisonDirection::Eq},
    {"not-equal-to", ComparisonDirection::Ne},
    {"greater-than-or-equal-to", ComparisonDirection::Ge},
    {"greater-than", ComparisonDirection::Gt},
    {"less-than-or-equal-to", ComparisonDirection::Le},
    {"less-than", ComparisonDirection::Lt},
};

Opcode readOpcode(pb::HloInstructionProto& proto) {
  if (const auto opcode = opcodeFromName(proto.opcode())) return *opcode;
  for (const auto& [name, direction] : kOldComparisons) {
    if (proto.opcode() != name) continue;
    proto.set_comparison_direction(std::string(enumText(direction)));
    return Opcode::Compare;
  }
  return Opcode::Opaque;
}

// How many computations an opcode must call; more are wrong too, where the number is fixed.
struct CalleeCount {
  size_t least = 0;
  size_t most = 0;
};
CalleeCount calleeCount(Opcode opcode) {
  constexpr size_t kAny = std::numeric_limits<size_t>::max();
  size_t named = 0;
  for (Attr attr : opcodeAttributes(opcode)) named += attrKind(attr) == AttrKind::Computation;
  switch (opcode) {
    case Opcode::Conditional:
      return {1, kAny};
    case Opcode::CustomCall:
    case Opcode::Opaque:
      return {0, kAny};
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
      return {0, 1};
    default:
      return {named, named};
  }
}

class InstructionReader {
 public:
  InstructionReader(pb::HloInstructionProto& proto, InstructionScope& scope) : proto_(proto), scope_(scope) {}

  Instruction* read() {
    opcode_ = readOpcode(proto_);
    if (opcode_ == Opcode::Opaque) warnOfOpcode();
    readOperands();
    readCallees();
    const Shape shape = readInstructionShape();
    checkParameterNumber();
    if (!isSound_) opcode_ = Opcode::Opaque;
    Instruction* instruction = scope_.computation.create(opcode_, shape, operands_, instructionName());
    instruction_ = instruction;
    readAttributes();
    finish();
    return instruction;
  }

 private:
  void unsound(std::string kind, std::string message) {
    scope_.problems.error(std::move(kind), std::move(message));
    isSound_ = false;
  }

  void warnOfOpcode() {
    if (proto_.opcode().empty()) return unsound("missing-opcode", "the instruction has no opcode");
    scope_.problems.warning("unknown-opcode",
                            fmt::format("'{}' is not an opcode Hilo knows; kept as it is", proto_.opcode()));
  }

  // A name of its own for an instruction without one, so that messages can name it.
  std::string instructionName() {
    if (!proto_.name().empty()) return proto_.name();
    scope_.problems.error("missing-name", fmt::format("instruction with id {} has no name", proto_.id()));
    return fmt::format("unnamed.{}", proto_.id());
  }

  void readOperands() {
    for (int64_t id : proto_.operand_ids()) {
      const auto found = scope_.instructions.find(localId(id));
      if (found == scope_.instructions.end()) {
        unsound("missing-operand", fmt::format("operand {} is not an instruction before this one", id));
      } else {
        operands_.push_back(found->second);
      }
    }
    const auto arity = opcodeArity(opcode_);
    if (arity && isSound_ && operands_.size() != static_cast<size_t>(*arity)) {
      unsound("operand-count",
              fmt::format("{} takes {} operands, {} are given", proto_.opcode(), *arity, operands_.size()));
    }
  }

  void readCallees() {
    for (int64_t id : proto_.called_computation_ids()) {
      const auto found = scope_.callees.find(id);
      if (found == scope_.callees.end()) {
        unsound("missing-computation",
                fmt::format("called computation {} is not defined before this one", id));
      } else {
        callees_.push_back(found->second);
      }
    }
    const CalleeCount count = calleeCount(opcode_);
    if (isSound_ && (callees_.size() < count.least || (callees_.size() > count.most && count.most > 0))) {
      unsound("called-computations", fmt::format("{} calls {} computations, {} are given", proto_.opcode(),
                                                 count.least, callees_.size()));
    }
    const bool needsBoth = opcode_ == Opcode::Conditional && !operands_.empty() &&
                           operands_[0]->shape().elementType() == ElementType::Pred;
    if (isSound_ && needsBoth && callees_.size() != 2) {
      unsound("called-computations",
              fmt::format("a conditional on a pred has 2 branches, {} are given", callees_.size()));
    }
  }

  Shape readInstructionShape() {
    if (!proto_.has_shape()) {
      unsound("missing-shape", "the instruction has no shape");
      return {};
    }
    const auto shape = readShape(proto_.shape());
    if (shape) return *shape;
    unsound(shape.error().kind, shape.error().message);
    return {};
  }

  void checkParameterNumber() {
    if (opcode_ != Opcode::Parameter) return;
    const int64_t number = proto_.parameter_number();
    if (number < 0 || number >= static_cast<int64_t>(scope_.instructionCount)) {
      unsound("parameter-number", fmt::format("parameter number {} is out of range", number));
      return;
    }
    const auto parameters = scope_.computation.parameters();
    if (number < static_cast<int64_t>(parameters.size()) && parameters[number] != nullptr) {
      unsound("duplicate-parameter",
              fmt::format("parameter {} is also '{}'", number, parameters[number]->name()));
    }
  }

  void readAttributes() {
    const InstructionsById& before = scope_.instructions;
    ReadContext in{.proto = proto_,
                   .instruction = *instruction_,
                   .arena = instruction_->module().arena(),
                   .callees = callees_,
                   .instructions = before,
                   .payloads = scope_.payloads,
                   .problems = scope_.problems};
    put<Attr::UniqueId>(in, proto_.id());
    if (opcode_ == Opcode::Opaque) put<Attr::OpaqueOpcode>(in, proto_.opcode());
    for (Attr attr : opcodeAttributes(opcode_)) {
      if (const AttributeCodec* codec = codecOf(attr)) codec->read(in);
    }
    // Callees of an opcode that has no attribute for them.
    if (in.calleesUsed < callees_.size()) codecOf(Attr::CalledComputations)->read(in);
    clearReadMessages();
    for (int i = static_cast<int>(Attr::Sharding); i < kAttrCount; ++i) {
      if (const AttributeCodec* codec = codecOf(static_cast<Attr>(i))) codec->read(in);
    }
    if (opcode_ == Opcode::Parameter) scope_.parameters.push_back(instruction_);
    if (opcode_ == Opcode::Constant) checkLiteralShape(in);
  }

  void checkLiteralShape(ReadContext& in) {
    const Shape literalShape = instruction_->literal().shape();
    if (literalShape.withoutLayout() == instruction_->shape().withoutLayout()) return;
    scope_.problems.error("literal-shape",
                          fmt::format("a literal of shape {} for a constant of shape {}",
                                      toString(literalShape), toString(instruction_->shape())));
    const Literal* elided = instruction_->module().own(Literal::elided(instruction_->shape()));
    instruction_->erase(Attr::Literal);
    put<Attr::Literal>(in, elided);
  }

  // Messages that several attributes were read from.
  void clearReadMessages() {
    for (Attr attr : opcodeAttributes(opcode_)) {
      switch (attr) {
        case Attr::LhsContractingDims:
          proto_.clear_dot_dimension_numbers();
          proto_.clear_ragged_dot_dimension_numbers();
          break;
        case Attr::OffsetDims:
          proto_.clear_gather_dimension_numbers();
          break;
        case Attr::SliceSizes:
          proto_.clear_gather_slice_sizes();
          break;
        case Attr::UpdateWindowDims:
          proto_.clear_scatter_dimension_numbers();
          break;
        case Attr::DynamicSliceSizes:
          proto_.clear_dynamic_slice_sizes();
          break;
        case Attr::FftLength:
          proto_.clear_fft_length();
          break;
        case Attr::Lower:
          proto_.clear_cholesky_options();
          proto_.clear_triangular_solve_options();
          break;
        default:
          break;
      }
    }
  }

  // What is left in the message is what the IR has no place for.
  void finish() {
    proto_.clear_name();
    proto_.clear_opcode();
    proto_.clear_id();
    if (isSound_) {
      proto_.clear_shape();
      proto_.clear_operand_ids();
      proto_.clear_called_computation_ids();
    }
    if (proto_.ByteSizeLong() == 0) return;
    instruction_->set<Attr::UnknownFields>(proto_.SerializeAsString());
  }

  pb::HloInstructionProto& proto_;
  InstructionScope& scope_;
  Opcode opcode_ = Opcode::Opaque;
  std::vector<Instruction*> operands_;
  std::vector<Computation*> callees_;
  Instruction* instruction_ = nullptr;
  bool isSound_ = true;
};

}  // namespace

Instruction* readInstruction(pb::HloInstructionProto& proto, InstructionScope& scope) {
  scope.problems.enterInstruction(proto.name());
  return InstructionReader(proto, scope).read();
}

}  // namespace hilo
