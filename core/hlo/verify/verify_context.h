// What the verifier's rules share: the report they add to, and facts about the module gathered once.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <memory>

#include "core/hlo/verify/kinds.h"
#include "core/hlo/verify/verify.h"

namespace hilo {

// Collects findings, up to the limit of errors and as many warnings, and gives them their place.
class VerifyReport {
 public:
  VerifyReport(const Module& module, const VerifyOptions& options) : module_(module), options_(options) {}

  bool isFull() const { return errorCount_ >= options_.errorLimit; }
  void error(VerifyKind kind, const Instruction& at, std::string message, std::string note = {});
  void error(VerifyKind kind, const Computation& at, std::string message, std::string note = {});
  void error(VerifyKind kind, std::string message, std::string note = {});
  void warning(VerifyKind kind, const Instruction& at, std::string message);
  void add(Severity severity, VerifyKind kind, const Instruction& at, std::string message);
  // A rule's refusal, at `at`.
  void add(Diagnostic&& diagnostic, const Instruction& at);
  // What was found, in the order it was, with lines and columns. Ends the report.
  Diagnostics take();

 private:
  void add(Diagnostic&& diagnostic, uint32_t sourceOffset, const Computation* computation,
           const Instruction* instruction);

  const Module& module_;
  const VerifyOptions& options_;
  struct Finding {
    Diagnostic diagnostic;
    uint32_t sourceOffset;
  };
  std::vector<Finding> findings_;
  size_t errorCount_ = 0;
  size_t warningCount_ = 0;
};

struct CallSite {
  const Instruction* caller;
  Attr attribute;
};

// What the verifier asks of a shape, computed once a distinct shape.
struct ShapeFacts {
  std::string layoutProblem;  // empty when none
  bool hasUnbounded = false;
  bool hasBuffer = false;
};

class VerifyContext {
 public:
  VerifyContext(const Module& module, const VerifyOptions& options);

  const Module& module;
  const VerifyOptions& options;
  VerifyReport report;
  // The module's, which its header holds.
  const int64_t replicaCount = module.replicaCount();
  const int64_t partitionCount = module.partitionCount();

  // Who calls a computation. Async updates and dones repeat the call of their start and are not listed.
  std::span<const CallSite> callers(const Computation& computation) const {
    return callers_[computation.id().value];
  }
  bool isCalledBy(const Computation& computation, Opcode opcode) const;
  bool isOwn(const Computation* computation) const {
    return computation != nullptr && module.computation(computation->id()) == computation;
  }
  // Where the module lists a computation of its own.
  size_t positionOf(const Computation& computation) const { return positions_[computation.id().value]; }
  const ShapeFacts& facts(Shape shape);
  // The thread a computation runs on: the one it says, or else that of the async start it is called
  // through, or "main".
  std::string_view threadOf(const Computation& computation);

  // Room for operand shapes that one instruction after another uses.
  std::vector<Shape> operandShapes;
  // By instruction id: whether the instruction has been passed in its computation's list.
  std::vector<bool> passed;

 private:
  std::vector<absl::InlinedVector<CallSite, 1>> callers_;  // by computation id
  std::vector<size_t> positions_;                          // by computation id
  std::vector<std::string_view> threads_;                  // by computation id; empty until asked for
  absl::flat_hash_map<Shape, std::unique_ptr<ShapeFacts>> facts_;
};

// The computations an attribute names; none when it names none.
absl::InlinedVector<Computation*, 2> computationsOf(const Attribute& attribute);
bool hasFrontendAttribute(const Instruction& instruction, std::string_view name);

}  // namespace hilo
