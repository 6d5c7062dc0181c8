// A few random modules through the cpu engine, the same ones every time. `engine_fuzzer` runs more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "core/hlo/eval/devices.h"
#include "tests/support/module_fuzzer/fuzz_devices.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

std::string described(const fuzz::Report& report) {
  std::string text;
  for (const fuzz::Finding& finding : report.findings) {
    text += fmt::format("seed {}: {}\n", finding.seed, finding.why);
    if (finding.small.module != nullptr) text += fuzz::toText(finding.small);
  }
  for (const std::string& refusal : report.refusals) text += refusal + "\n";
  return text;
}

TEST(EngineFuzz, TheCpuEngineAgreesOnAFewModules) {
  const auto run = [](bool passes) {
    return [passes](const std::shared_ptr<const Module>& module, std::span<const Literal> arguments) {
      return runOnCpu(module, arguments, {.usesCache = false, .runsPasses = passes, .quick = true});
    };
  };
  const fuzz::Report report = fuzz::fuzzEngine({run(false), run(true)}, {.modules = 16, .operations = 8});
  EXPECT_TRUE(report.findings.empty()) << described(report);
  EXPECT_EQ(report.refused, 0) << described(report);
}

TEST(EngineFuzz, TheCpuEngineAgreesOnAFewModulesOfSeveralDevices) {
  const auto run = [](bool passes) {
    return [passes](const std::shared_ptr<const Module>& module, DeviceGrid grid,
                    const fuzz::DeviceArguments& arguments) {
      return runOnCpuDevices(module, grid, arguments,
                             {.usesCache = false, .runsPasses = passes, .quick = true});
    };
  };
  const fuzz::Report report = fuzz::fuzzDevices({run(false), run(true)}, {.modules = 12, .operations = 8}, 8);
  EXPECT_TRUE(report.findings.empty()) << described(report);
  EXPECT_EQ(report.refused, 0) << described(report);
}

// Takes maximum for minimum, in applied computations too.
std::shared_ptr<const Module> mistaken(const Module& module) {
  const std::shared_ptr<Module> copy = module.clone();
  for (Computation* computation : copy->computations()) {
    for (Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::Maximum) continue;
      Instruction* wrong = computation->create(Opcode::Minimum, instruction->shape(), instruction->operands(),
                                               {}, instruction);
      computation->replaceAllUses(instruction, wrong);
    }
  }
  return copy;
}

Result<Literal> wrongEngine(const std::shared_ptr<const Module>& module, std::span<const Literal> arguments) {
  return evaluate(*mistaken(*module), arguments);
}

Result<std::vector<Literal>> wrongOnDevices(const std::shared_ptr<const Module>& module, DeviceGrid grid,
                                            const fuzz::DeviceArguments& arguments) {
  return fuzz::evaluateCase(*mistaken(*module), grid, arguments);
}

TEST(EngineFuzz, FindsAPlantedMistakeAndMakesItSmall) {
  const fuzz::Report report =
      fuzz::fuzzEngine({wrongEngine, wrongEngine}, {.modules = 400, .operations = 20, .mostFindings = 4});
  ASSERT_EQ(report.findings.size(), 4u);
  for (const fuzz::Finding& finding : report.findings) {
    const std::string text = fuzz::toText(finding.small);
    EXPECT_NE(text.find("maximum"), std::string::npos) << text;
    int instructions = 0;
    for (const Instruction* instruction : finding.small.module->entry()->instructions())
      instructions += instruction->opcode() == Opcode::Parameter ? 0 : 1;
    EXPECT_LE(instructions, 3) << text;
  }
}

TEST(EngineFuzz, FindsAPlantedMistakeOnSeveralDevices) {
  const fuzz::Report report =
      fuzz::fuzzDevices({wrongOnDevices}, {.modules = 400, .operations = 12, .mostFindings = 2}, 4);
  ASSERT_EQ(report.findings.size(), 2u);
  for (const fuzz::Finding& finding : report.findings) {
    EXPECT_NE(fuzz::toText(finding.small).find("maximum"), std::string::npos) << finding.why;
    EXPECT_LT(finding.small.module->instructionCount(), finding.whole.module->instructionCount());
  }
}

TEST(EngineFuzz, WhatItWritesForSeveralDevicesIsWellFormed) {
  std::set<std::string_view> opcodes;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto made = fuzz::makeDeviceCase(seed, 12, 8);
    ASSERT_TRUE(made.has_value()) << "seed " << seed << "\n" << toString(made.error());
    for (const Computation* computation : made->module->computations()) {
      for (const Instruction* instruction : computation->instructions())
        opcodes.insert(instruction->opcodeText());
    }
  }
  for (const char* opcode :
       {"all-gather", "all-gather-start", "all-reduce", "all-reduce-start", "all-to-all",
        "collective-broadcast", "collective-permute", "collective-permute-start", "infeed", "outfeed",
        "partition-id", "ragged-all-to-all", "recv", "reduce-scatter", "replica-id", "send", "async-start"})
    EXPECT_TRUE(opcodes.contains(opcode)) << opcode;
}

TEST(EngineFuzz, WhatItWritesIsWellFormed) {
  std::set<std::string_view> opcodes;
  std::set<ElementType> types;
  for (uint64_t seed = 1000; seed < 1300; ++seed) {
    const auto made = fuzz::makeCase(seed, 20);
    ASSERT_TRUE(made.has_value()) << "seed " << seed << "\n" << toString(made.error());
    for (const Computation* computation : made->module->computations()) {
      for (const Instruction* instruction : computation->instructions()) {
        opcodes.insert(instruction->opcodeText());
        if (instruction->shape().isArray()) types.insert(instruction->shape().elementType());
      }
    }
  }
  EXPECT_GT(opcodes.size(), 100u);
  EXPECT_EQ(types.size(), 32u);  // all
}

}  // namespace
}  // namespace hilo
