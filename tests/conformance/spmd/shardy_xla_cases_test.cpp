// What XLA's shardy_xla_pass_test.cc expects: which instruction has which sharding afterwards. The table says
// so; the modules are XLA's, read from its sources (HILO_XLA_SOURCE). Most state HLO's shardings, which XLA
// takes for axes in that test alone: here each becomes axes of a mesh of two devices an axis.
#include "core/compiler/spmd/shardy/shardy_xla.h"
#include "core/compiler/spmd/tiling.h"
#include "core/hlo/text/print.h"
#include "tests/conformance/spmd/xla_cases.h"

namespace hilo {
namespace {

constexpr const char* kSource = "xla/service/spmd/shardy/shardy_xla_pass_test.cc";

using Row = std::vector<std::string>;  // test, allowed to parameters, to output, instruction, sharding

std::vector<size_t> take(std::vector<size_t>& axes, int64_t size) {
  std::vector<size_t> taken;
  for (; size > 1; size /= 2) {
    taken.push_back(axes.front());
    axes.erase(axes.begin());
  }
  return taken;
}

// "<@mesh, [{\"0\"}, {}]>" of tiles over 2^n devices, axis 0 outermost.
std::string axesOf(const Sharding& sharding, size_t rank, int64_t devices, bool isOpen) {
  std::vector<size_t> axes;
  for (int64_t left = devices; left > 1; left /= 2) axes.push_back(axes.size());
  std::vector<std::vector<size_t>> ofReshape;
  std::vector<size_t> order;
  for (int64_t size : sharding.iota.reshapeDimensions) ofReshape.push_back(take(axes, size));
  for (size_t i = 0; i < ofReshape.size(); ++i) {
    const auto permutation = sharding.iota.transposePermutation;
    const auto& part = ofReshape[permutation.empty() ? i : static_cast<size_t>(permutation[i])];
    order.insert(order.end(), part.begin(), part.end());
  }
  std::string text;
  for (size_t d = 0; d < rank; ++d) {
    std::string list;
    const int64_t tiles = sharding.type == Sharding::Type::Tiled ? sharding.tileDimensions[d] : 1;
    for (size_t axis : take(order, tiles)) list += (list.empty() ? "" : ", ") + fmt::format("\"{}\"", axis);
    if (isOpen) list += list.empty() ? "?" : ", ?";
    text += (text.empty() ? "{" : ", {") + list + "}";
  }
  return "<@mesh, [" + text + "]>";
}

void addAttribute(Instruction& instruction, std::string_view text) {
  const FrontendAttribute attribute{"xla.sdy.sharding", text};
  instruction.set<Attr::FrontendAttributes>(std::span(&attribute, 1));
}

void stateByAxes(Module& module) {
  const int64_t devices = module.partitionCount();
  std::string mesh;
  for (int64_t left = devices, n = 0; left > 1; left /= 2, ++n)
    mesh += (mesh.empty() ? "" : ", ") + fmt::format("\"{}\"=2", n);
  mesh = "{mesh = #sdy.mesh<[" + mesh + "]>}";
  const FrontendAttribute attribute{"xla.sdy.meshes", mesh};
  module.set<Attr::FrontendAttributes>(std::span(&attribute, 1));
  const auto allowed = module.get<Attr::AllowSpmdShardingPropagationToParameters>();
  for (Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) {
      const Sharding* sharding = i->get<Attr::Sharding>();
      if (sharding == nullptr) continue;
      const bool isParameter = i->opcode() == Opcode::Parameter;
      const auto number = isParameter ? static_cast<size_t>(i->parameterNumber()) : 0;
      const bool isOpen = isParameter && number < allowed.size() && allowed[number];
      std::string text;
      const auto leaves = leavesOf(i->shape());
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        const Sharding& of = sharding->type == Sharding::Type::Tuple ? sharding->elements[leaf] : *sharding;
        text += (text.empty() ? "" : ", ") + axesOf(of, leaves[leaf].rank(), devices, isOpen);
      }
      addAttribute(*i, isParameter ? "#sdy.sharding" + text : "#sdy.sharding_per_value<[" + text + "]>");
      i->erase(Attr::Sharding);
    }
  }
}

const Instruction* subjectOf(const Module& module, const std::string& name) {
  if (name == "<root>") return module.entry()->root();
  if (name.starts_with("<parameter "))
    return module.entry()->parameters()[static_cast<size_t>(std::stoi(name.substr(11)))];
  if (!name.starts_with("<first ")) return module.findInstruction(name);
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if ("<first " + std::string(i->opcodeText()) + ">" == name) return i;
    }
  }
  return nullptr;
}

int64_t devicesOfMeshes(const std::string& text) {
  const size_t at = text.find("mesh<["), end = text.find(']', at);
  int64_t devices = 1;
  for (size_t i = at; at != text.npos && i < end; ++i) {
    if (text[i] == '=') devices *= std::stoll(text.substr(i + 1));
  }
  return devices;
}

std::string problemOf(const std::vector<Row>& rows) {
  const std::string text = textOfXlaTest(kSource, rows[0][0]);
  auto parsed = parseXlaText(text);
  if (!parsed) return toString(parsed.error());
  Module& module = **parsed;
  const bool isShardys = text.find("xla.sdy.") != text.npos;
  module.set<Attr::NumPartitions>(isShardys ? devicesOfMeshes(text)
                                            : devicesOf(text, devicesOf(rows[0][4], 2)));
  if (!isShardys) stateByAxes(module);
  const auto decisions = spreadShardy(module);
  if (!decisions) return toString(decisions.error());
  for (const Row& row : rows) {
    const Instruction* subject = subjectOf(module, row[3]);
    if (subject == nullptr) return "no instruction " + row[3];
    std::string has;
    if (const Sharding* sharding = subject->get<Attr::Sharding>()) appendSharding(has, *sharding);
    if (has == row[4] || has == "{" + row[4] + "}") continue;
    return row[3] + " has " + has + ", expected " + row[4];
  }
  return "";
}

// Tests that held when the table was made.
constexpr size_t kHold = 15;

TEST(XlaShardyTests, HoldAsManyAsBefore) {
  std::map<std::string, std::vector<Row>> tests;
  for (Row& row : readTable("shardy_xla_cases.tsv")) tests[row[0]].push_back(std::move(row));
  if (std::getenv("HILO_XLA_SOURCE") == nullptr) GTEST_SKIP() << "HILO_XLA_SOURCE is not set";
  size_t hold = 0;
  for (const auto& [name, rows] : tests) {
    const std::string problem = problemOf(rows);
    hold += problem.empty() ? 1 : 0;
    if (!problem.empty()) fmt::print("does not hold: {}: {}\n", name, problem);
  }
  fmt::print("{} of {} tests hold\n", hold, tests.size());
  EXPECT_GE(hold, kHold);
}

}  // namespace
}  // namespace hilo
