// Attributes that name other computations and instructions.
#include "core/hlo/proto/attribute_codec.h"

namespace hilo {
namespace {

// One callee, at its place in called_computation_ids (HloInstruction's k...ComputationIndex in XLA).
template <Attr A, size_t index>
constexpr AttributeCodec callee() {
  return {A,
          [](ReadContext& in) {
            if (index >= in.callees.size()) return;
            put<A>(in, in.callees[index]);
            ++in.calleesUsed;
          },
          [](WriteContext& out) {
            const Computation* computation = out.instruction.get<A>();
            if (computation == nullptr) return;
            auto& ids = *out.proto.mutable_called_computation_ids();
            while (ids.size() <= static_cast<int>(index)) ids.Add(0);
            ids.Set(index, out.idOf(computation));
          }};
}

template <Attr A>
void writeCallees(WriteContext& out) {
  for (const Computation* computation : out.instruction.get<A>()) {
    out.proto.add_called_computation_ids(out.idOf(computation));
  }
}

template <Attr A>
void readCallees(ReadContext& in) {
  if (in.callees.empty()) return;
  put<A>(in, in.callees);
  in.calleesUsed = in.callees.size();
}

// A conditional on a pred has two named branches, one on an index a list.
bool hasNamedBranches(const Instruction& conditional) {
  return conditional.operandCount() > 0 && conditional.operand(0)->shape().elementType() == ElementType::Pred;
}

template <Attr A, size_t index>
constexpr AttributeCodec namedBranch() {
  return {A,
          [](ReadContext& in) {
            if (hasNamedBranches(in.instruction)) callee<A, index>().read(in);
          },
          callee<A, index>().write};
}

void readBranches(ReadContext& in) {
  if (!hasNamedBranches(in.instruction)) readCallees<Attr::BranchComputations>(in);
}

// A custom call's callees are one list, however many.
void readToApply(ReadContext& in) {
  if (in.instruction.opcode() != Opcode::CustomCall) callee<Attr::ToApply, 0>().read(in);
}

void readControlPredecessors(ReadContext& in) {
  std::vector<Instruction*> predecessors;
  for (int64_t id : in.proto.control_predecessor_ids()) {
    const auto found = in.instructions.find(localId(id));
    if (found == in.instructions.end()) {
      in.problems.error("missing-predecessor", fmt::format("no instruction before this one has id {}", id));
    } else {
      predecessors.push_back(found->second);
    }
  }
  if (!predecessors.empty()) put<Attr::ControlPredecessors>(in, std::span<Instruction* const>(predecessors));
  in.proto.clear_control_predecessor_ids();
}
void writeControlPredecessors(WriteContext& out) {
  for (const Instruction* predecessor : out.instruction.get<Attr::ControlPredecessors>()) {
    out.proto.add_control_predecessor_ids(out.instructionIds[predecessor->id().value]);
  }
}

constexpr AttributeCodec kCodecs[] = {
    {Attr::ToApply, readToApply, callee<Attr::ToApply, 0>().write},
    callee<Attr::Calls, 0>(),
    callee<Attr::Body, 0>(),
    callee<Attr::Condition, 1>(),
    callee<Attr::Select, 0>(),
    callee<Attr::Scatter, 1>(),
    namedBranch<Attr::TrueComputation, 0>(),
    namedBranch<Attr::FalseComputation, 1>(),
    {Attr::BranchComputations, readBranches, writeCallees<Attr::BranchComputations>},
    {Attr::CalledComputations, readCallees<Attr::CalledComputations>, writeCallees<Attr::CalledComputations>},
    {Attr::ControlPredecessors, readControlPredecessors, writeControlPredecessors},
};

}  // namespace

std::span<const AttributeCodec> referenceCodecs() { return kCodecs; }

}  // namespace hilo
