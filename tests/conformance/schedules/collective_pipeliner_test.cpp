// XLA's tests of its collective pipeliner: what each asserts holds of a module of ours, and of XLA's where it
// is at hand, and results stay the same.
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/devices.h"
#include "tests/conformance/schedules/pipeliner_cases.h"
#include "tests/conformance/schedules/xla_test_modules.h"

namespace hilo {
namespace {

constexpr const char* kFile = "xla/service/collective_pipeliner_test.cc";

int64_t argumentBytes(const Module& module) {
  int64_t bytes = 0;
  for (const Instruction* parameter : module.entry()->parameters()) bytes += parameter->shape().byteSize();
  return bytes;
}

// The outputs on all devices; nullopt when the module cannot be run (custom calls, transfers).
std::optional<std::vector<Literal>> outputsOf(const Module& module, DeviceGrid grid,
                                              const GeneratedArguments& arguments) {
  if (!checkRunnable(module, grid).empty()) return std::nullopt;
  EvalOptions options;
  options.constants = &arguments.constants;
  auto outputs = evaluateOnDevices(module, grid, {&arguments.arguments, 1}, options);
  return outputs ? std::optional(*std::move(outputs)) : std::nullopt;
}

std::set<std::string> errorsOf(const Module& module) {
  std::set<std::string> kinds;
  for (const Diagnostic& problem : verify(module)) {
    if (problem.severity == Severity::kError) kinds.insert(problem.kind);
  }
  return kinds;
}

// Results of the entry's loop that nothing reads are read, so that nothing of what was moved is dead.
void readAllResults(Module& module) {
  Computation& entry = *module.entry();
  Instruction* loop = findOpcode(entry, Opcode::While);
  if (loop == nullptr || entry.root()->opcode() != Opcode::GetTupleElement ||
      entry.root()->operand(0) != loop)
    return;
  std::vector<Instruction*> elements;
  for (size_t i = 0; i < loop->shape().tupleShapes().size(); ++i) {
    elements.push_back(entry.create(Opcode::GetTupleElement, loop->shape().tupleShapes()[i], {loop}));
    elements.back()->set<Attr::Index>(static_cast<int64_t>(i));
  }
  entry.setRoot(entry.create(Opcode::Tuple, loop->shape(), elements));
  module.attributes().erase(Attr::EntryComputationLayout);
}

// Runs the passes of the case and looks at what it asserts; true where results were compared, too.
bool holds(const PipelinerCase& c, Module& module) {
  module.set<Attr::ReplicaCount>(c.grid.replicas);
  module.set<Attr::NumPartitions>(c.grid.partitions);
  if (c.readAll) readAllResults(module);
  const std::set<std::string> errors = errorsOf(module);
  std::optional<GeneratedArguments> arguments;
  if (argumentBytes(module) <= 1 << 20) {
    auto made = makeArguments(module, 11);
    EXPECT_TRUE(made) << toString(made.error());
    if (made) arguments = *std::move(made);
  }
  const auto before = arguments ? outputsOf(module, c.grid, *arguments) : std::nullopt;
  bool compares = before.has_value();
  for (const PipelinerRun& run : c.runs) {
    PassContext context;
    const auto changed = pipelineCollectives(module, context, run.options);
    EXPECT_TRUE(changed) << toString(changed.error());
    std::string remarks;
    for (const Remark& remark : context.remarks()) remarks += remark.name + ": " + remark.message + "\n";
    EXPECT_EQ(changed.value_or(!run.changes), run.changes) << remarks;
    EXPECT_EQ(errorsOf(module), errors);
    compares &= run.options.lastRun;
  }
  if (c.check && !testing::Test::HasFailure()) c.check(module);
  if (compares) EXPECT_TRUE(outputsOf(module, c.grid, *arguments) == before) << "other results";
  return compares;
}

class PipelinerConformance : public testing::TestWithParam<PipelinerCase> {};

TEST_P(PipelinerConformance, HoldsOfOurModule) {
  const auto module = moduleNamed(GetParam().test);
  ASSERT_NE(module, nullptr);
  const bool compares = holds(GetParam(), *module);
  noteConformance(GetParam().test, HasFailure() ? "does not hold"
                                   : compares   ? "holds, equal results"
                                                : "holds");
}

TEST_P(PipelinerConformance, HoldsOfXlasModule) {
  const std::string text = textOfXlaTest(kFile, GetParam().test);
  if (text.empty()) GTEST_SKIP() << "no module: set HILO_XLA_SOURCE or HILO_CORPUS";
  const auto module = parseXlaModule(text);
  ASSERT_NE(module, nullptr);
  holds(GetParam(), *module);
}

INSTANTIATE_TEST_SUITE_P(Each, PipelinerConformance, testing::ValuesIn(pipelinerCases()),
                         [](const auto& c) { return c.param.test; });

}  // namespace
}  // namespace hilo
