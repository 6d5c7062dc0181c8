// How each attribute of an instruction stands in HloInstructionProto: one row an attribute, to read and to
// write. Which rows apply to an instruction follows from its opcode (ops.def) and the common attributes.
//
// An attribute is set when XLA would print it (the PrintExtraAttributesImpl of its instruction
// classes), so that a module read from a proto prints as the same module read from text. What a row has
// read it clears; what is left in the message after all rows is what the IR cannot hold, and is kept as
// bytes (Attr::UnknownFields).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <span>

#include "core/base/check.h"
#include "core/hlo/ir/module.h"
#include "core/hlo/proto/schema/hlo.pb.h"

namespace hilo {

// Collects what is wrong with a message, each with the names of its computation and instruction.
class ProtoProblems {
 public:
  ProtoProblems(Diagnostics& diagnostics, const std::string& file) : diagnostics_(diagnostics), file_(file) {}
  void enterComputation(std::string_view name) {
    computation_ = name;
    instruction_ = {};
  }
  void enterInstruction(std::string_view name) { instruction_ = name; }
  void error(std::string kind, std::string message) {
    add(Severity::kError, std::move(kind), std::move(message));
  }
  void warning(std::string kind, std::string message) {
    add(Severity::kWarning, std::move(kind), std::move(message));
  }
  void error(const Diagnostic& problem) { error(problem.kind, problem.message); }
  // As many errors as are kept were met: what is wrong with the rest would not be told.
  bool full() const { return errorCount_ >= kMaxProblems; }

 private:
  void add(Severity severity, std::string kind, std::string message);

  static constexpr size_t kMaxProblems = 100;  // errors, and as many warnings

  Diagnostics& diagnostics_;
  const std::string& file_;
  size_t errorCount_ = 0;
  size_t warningCount_ = 0;
  std::string_view computation_;
  std::string_view instruction_;
};

// Instructions of one computation by the low half of their id, which is unique there in every version of XLA.
using InstructionsById = absl::flat_hash_map<int32_t, Instruction*>;
inline int32_t localId(int64_t id) { return static_cast<int32_t>(id); }

struct ReadContext {
  pb::HloInstructionProto& proto;
  Instruction& instruction;
  Arena& arena;
  std::span<Computation* const> callees;  // in the order of called_computation_ids
  const InstructionsById& instructions;   // those before this one
  std::span<const std::string> payloads;  // of the module
  ProtoProblems& problems;
  size_t calleesUsed = 0;
};

struct WriteContext {
  const Instruction& instruction;
  pb::HloInstructionProto& proto;
  const absl::flat_hash_map<const Computation*, int64_t>& computationIds;
  std::span<const int64_t> instructionIds;  // by InstructionId

  int64_t idOf(const Computation* computation) const {
    const auto found = computationIds.find(computation);
    CHECK(found != computationIds.end(), "an instruction calls a computation that is not in the module");
    return found->second;
  }
};

struct AttributeCodec {
  Attr attr;
  void (*read)(ReadContext& in);
  void (*write)(WriteContext& out);
};

// nullptr for attributes that instructions do not have.
const AttributeCodec* codecOf(Attr attr);

// The rows, by topic; codecOf looks through all of them.
std::span<const AttributeCodec> scalarCodecs();
std::span<const AttributeCodec> dimensionCodecs();
std::span<const AttributeCodec> payloadCodecs();
std::span<const AttributeCodec> referenceCodecs();

// Appends a value; rows are visited in print order, so attributes end up in it.
template <Attr A>
void put(ReadContext& in, const typename AttrTraits<A>::Type& value) {
  in.instruction.attributeList().append(in.arena, packAttribute<A>(in.arena, value));
}

}  // namespace hilo
