// Random shardings by named axes (makeShardyModule of fuzz_shardings.h).
#include "tests/support/module_fuzzer/module_writer.h"
#include "tests/support/spmd/fuzz_shardings.h"

namespace hilo::fuzz {
namespace {

struct RandomAxis {
  std::string name;
  int64_t size = 2;
};

std::vector<RandomAxis> randomMesh(ModuleWriter& random) {
  std::vector<RandomAxis> axes;
  for (int64_t left = int64_t{2} << random.below(3); left > 1;) {
    const int64_t size = left > 2 && random.oneIn(2) ? 4 : 2;
    if (left % size != 0) continue;
    axes.push_back({std::string(1, static_cast<char>('a' + axes.size())), size});
    left /= size;
  }
  if (random.oneIn(4)) axes.push_back({"one", 1});
  return axes;
}

std::string meshText(std::span<const RandomAxis> axes) {
  std::string text;
  for (const RandomAxis& axis : axes)
    text += (text.empty() ? "" : ", ") + fmt::format("\"{}\"={}", axis.name, axis.size);
  return "{mesh = #sdy.mesh<[" + text + "]>}";
}

// Each axis, or both halves of one of 4, goes to a dimension, to the replicated ones, or is left open.
std::string randomSharding(ModuleWriter& random, std::span<const RandomAxis> axes, size_t rank) {
  std::vector<std::string> dimensions(rank);
  std::string replicated;
  const auto place = [&](const std::string& axis) {
    if (rank == 0 || random.oneIn(3)) return;
    std::string& list = random.oneIn(8) ? replicated : dimensions[random.below(rank)];
    list += (list.empty() ? "" : ", ") + axis;
  };
  for (const RandomAxis& axis : axes) {
    if (axis.size == 4 && random.oneIn(3)) {
      place(fmt::format("\"{}\":(2)2", axis.name));
    } else {
      place(fmt::format("\"{}\"", axis.name));
    }
  }
  std::string text;
  for (std::string& dimension : dimensions) {
    const bool isOpen = random.oneIn(2);
    const bool hasPriority = random.oneIn(6) && (isOpen || !dimension.empty());
    if (isOpen) dimension += dimension.empty() ? "?" : ", ?";
    text += (text.empty() ? "{" : ", {") + dimension + (hasPriority ? "}p1" : "}");
  }
  return fmt::format("<@mesh, [{}]{}>", text, replicated.empty() ? "" : ", replicated={" + replicated + "}");
}

void setAttribute(Instruction& instruction, std::string_view value) {
  const FrontendAttribute attribute{"xla.sdy.sharding", value};
  instruction.set<Attr::FrontendAttributes>(std::span(&attribute, 1));
}

void addConstraint(Instruction& of, const std::string& sharding) {
  Computation& computation = of.parent();
  Instruction* call = computation.create(Opcode::CustomCall, of.shape(), {&of}, {}, of.next());
  call->set<Attr::CustomCallTarget>("Sharding");
  setAttribute(*call, "#sdy.sharding_per_value<[" + sharding + "]>");
  const std::vector<Instruction*> users(of.users().begin(), of.users().end());
  for (Instruction* user : users) {
    for (size_t i = 0; user != call && i < user->operandCount(); ++i) {
      if (user->operand(i) == &of) user->setOperand(i, call);
    }
  }
  if (of.isRoot()) computation.setRoot(call);
}

}  // namespace

Result<std::shared_ptr<const Module>> makeShardyModule(uint64_t seed, int operations) {
  ModuleWriter writer({.seed = seed, .operations = operations, .exactOnly = true});
  TRY(const auto plain, readWritten(writer.write()));
  ModuleWriter random({.seed = seed + 2'000'000});
  const std::vector<RandomAxis> axes = randomMesh(random);
  std::shared_ptr<Module> module = plain->clone();
  int64_t partitions = 1;
  for (const RandomAxis& axis : axes) partitions *= axis.size;
  module->set<Attr::NumPartitions>(partitions);
  const std::string mesh = meshText(axes);
  const FrontendAttribute attribute{"xla.sdy.meshes", mesh};
  module->set<Attr::FrontendAttributes>(std::span(&attribute, 1));
  std::vector<Instruction*> arrays;
  for (Instruction* i : module->entry()->instructions()) {
    if (i->shape().isArray()) arrays.push_back(i);
  }
  for (Instruction* i : arrays) {
    const std::string sharding = randomSharding(random, axes, i->shape().rank());
    if (i->opcode() == Opcode::Parameter) {
      setAttribute(*i, "#sdy.sharding" + sharding);
    } else if (random.oneIn(3)) {
      addConstraint(*i, sharding);
    }
  }
  return module;
}

}  // namespace hilo::fuzz
