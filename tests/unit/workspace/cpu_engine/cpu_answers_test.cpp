// Every case the evaluator is held to, through the cpu engine: the same answers, or a refusal by name of an
// opcode that stands in the list here.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/answers/answer_cases.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

// What the engine refuses, by the instruction named in the refusal.
class Refusals {
 public:
  explicit Refusals(bool quick) : quick_(quick) {}
  RunModule runner() {
    return [this](const std::shared_ptr<const Module>& module, std::span<const Literal> arguments) {
      last_.clear();
      auto result = runOnCpu(module, arguments, {.usesCache = false, .runsPasses = false, .quick = quick_});
      if (!result && result.error().kind.starts_with("unsupported-")) {
        const Instruction* named = module->findInstruction(result.error().place.instruction);
        last_ = named == nullptr ? "?" : std::string(named->opcodeText());
        opcodes_.insert(last_);
      }
      return result;
    };
  }
  bool wasRefused() const { return !last_.empty(); }
  const std::set<std::string>& opcodes() const { return opcodes_; }

 private:
  bool quick_;
  std::string last_;
  std::set<std::string> opcodes_;
};

TEST(CpuAnswers, Elementwise) {
  Refusals refusals(false);
  int wrong = 0, right = 0;
  for (const ElementwiseCase& c : elementwiseCases()) {
    const std::string difference = outcome(c, refusals.runner());
    if (refusals.wasRefused()) continue;
    EXPECT_EQ(difference, "") << c.line;
    difference.empty() ? ++right : ++wrong;
    if (wrong == 100) FAIL() << "and maybe more";
  }
  EXPECT_GT(right, 2000);
  EXPECT_EQ(refusals.opcodes(), (std::set<std::string>{"stochastic-convert"}));
}

// Compiled quickly: there are many.
TEST(CpuAnswers, Structural) {
  Refusals refusals(true);
  int wrong = 0, right = 0;
  for (const StructuralCase& c : structuralCases()) {
    const std::string difference = outcome(c, refusals.runner());
    if (refusals.wasRefused()) continue;
    EXPECT_EQ(difference, "") << c.name << ", line " << c.line << " of structural.txt\n" << c.text;
    difference.empty() ? ++right : ++wrong;
    if (wrong == 60) FAIL() << "and maybe more";
  }
  RecordProperty("right", right);
  // compare: complex numbers by order.
  EXPECT_EQ(refusals.opcodes(),
            (std::set<std::string>{"batch-norm-grad", "batch-norm-inference", "batch-norm-training",
                                   "cholesky", "compare", "fft", "ragged-dot", "scaled-dot", "scan",
                                   "set-dimension-size", "topk", "triangular-solve"}));
  EXPECT_GT(right, 1000);
}

}  // namespace
}  // namespace hilo
