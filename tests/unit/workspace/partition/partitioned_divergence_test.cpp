// Faults planted in the program of one device are named at their instruction; where there is none, none is.
#include "core/workspace/partition/partitioned_divergence.h"

#include <gmock/gmock.h>

#include "tests/support/spmd/fuzz_shardings.h"
#include "tests/unit/workspace/partition/sharded_modules.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLoop = R"(HloModule loop, num_partitions=2
body {
  s = (s32[], f32[8]) parameter(0), sharding={{replicated}, {devices=[2]<=[2]}}
  i = s32[] get-tuple-element(s), index=0, sharding={replicated}
  one = s32[] constant(1)
  next = s32[] add(i, one), sharding={replicated}
  a = f32[8] get-tuple-element(s), index=1, sharding={devices=[2]<=[2]}
  f = f32[] convert(i), sharding={replicated}
  b = f32[8] broadcast(f), dimensions={}, sharding={devices=[2]<=[2]}
  n = f32[8] add(a, b), sharding={devices=[2]<=[2]}
  ROOT t = (s32[], f32[8]) tuple(next, n), sharding={{replicated}, {devices=[2]<=[2]}}
}
condition {
  s = (s32[], f32[8]) parameter(0), sharding={{replicated}, {devices=[2]<=[2]}}
  i = s32[] get-tuple-element(s), index=0
  limit = s32[] constant(4)
  ROOT goes = pred[] compare(i, limit), direction=LT
}
ENTRY e {
  x = f32[8] parameter(0), sharding={devices=[2]<=[2]}
  zero = s32[] constant(0)
  t = (s32[], f32[8]) tuple(zero, x), sharding={{replicated}, {devices=[2]<=[2]}}
  loop = (s32[], f32[8]) while(t), condition=condition, body=body, sharding={{replicated}, {devices=[2]<=[2]}}
  ROOT r = f32[8] get-tuple-element(loop), index=1, sharding={devices=[2]<=[2]}
}
)";

constexpr const char* kCopies = R"(HloModule copies, num_partitions=2
ENTRY e {
  x = f32[8] parameter(0), sharding={replicated}
  a = f32[8] negate(x), sharding={replicated}
  ROOT r = f32[8] abs(a), sharding={replicated}
}
)";

using Plant = std::function<void(Module& local)>;

Divergence divergenceOf(const char* text, const Plant& plant = {}) {
  const auto pair = partitionedPair({.module = shardedModule(text)}, JobContext());
  if (!pair) {
    ADD_FAILURE() << toString(pair.error());
    return {};
  }
  std::shared_ptr<Module> local = pair->local->clone();
  if (plant) plant(*local);
  const auto found = findPartitionedDivergence(
      {.spread = pair->spread, .local = local, .arguments = {.seed = 5}}, JobContext());
  if (!found) ADD_FAILURE() << toString(found.error());
  return found ? *found : Divergence();
}

Plant becomes(const char* name, Opcode opcode) {
  return [=](Module& local) {
    Instruction* i = local.findInstruction(name);
    ASSERT_NE(i, nullptr);
    i->become(opcode, std::vector<Instruction*>(i->operands().begin(), i->operands().end()));
  };
}

TEST(PartitionedDivergence, ThereIsNoneWithoutAFault) {
  for (const char* text : {kGathersWeights, kLoop, kCopies}) {
    const Divergence divergence = divergenceOf(text);
    EXPECT_FALSE(divergence.found) << text << divergence.step.name;
    EXPECT_FALSE(divergence.steps.empty());
  }
}

TEST(PartitionedDivergence, AWrongOperationIsNamed) {
  const Divergence divergence = divergenceOf(kGathersWeights, becomes("v", Opcode::Abs));
  ASSERT_TRUE(divergence.found);
  EXPECT_THAT(divergence.path, ElementsAre("v"));
  EXPECT_GT(divergence.step.worst.mismatches, 0);
  EXPECT_THAT(divergence.operands, ElementsAre(HasSubstr("w: f32[8,32]")));
}

// What came wrong to an instruction is found at it, not at the last one that is off by it.
TEST(PartitionedDivergence, AWrongGatherIsNamedByTheInstructionItWasMadeFor) {
  const Divergence divergence = divergenceOf(kGathersWeights, [](Module& local) {
    const int64_t devices[] = {3, 2, 1, 0};
    const std::span<const int64_t> lists[] = {devices};
    const ReplicaGroups groups{.groups = lists};
    for (Instruction* i : local.entry()->instructions()) {
      if (i->opcode() == Opcode::AllGather) i->set<Attr::ReplicaGroups>(&groups);
    }
  });
  ASSERT_TRUE(divergence.found);
  EXPECT_THAT(divergence.path, ElementsAre("d"));
}

// 0 added is 0 taken away: the first turn agrees.
TEST(PartitionedDivergence, InALoopTheTurnIsNamedToo) {
  const Divergence divergence = divergenceOf(kLoop, becomes("n", Opcode::Subtract));
  ASSERT_TRUE(divergence.found);
  EXPECT_THAT(divergence.path, ElementsAre("loop (turn 1)", "n"));
}

TEST(PartitionedDivergence, CopiesThatDifferAreOne) {
  const Divergence divergence = divergenceOf(kCopies, [](Module& local) {
    Computation& entry = *local.entry();
    Instruction* r = local.findInstruction("r");
    Instruction* id = entry.create(Opcode::PartitionId, Shape::scalar(ElementType::U32), {}, {}, r);
    Instruction* number = entry.create(Opcode::Convert, Shape::scalar(ElementType::F32), {id}, {}, r);
    Instruction* all = entry.create(Opcode::Broadcast, r->shape(), {number}, {}, r);
    all->set<Attr::Dimensions>({});
    r->setOperand(0, all);
  });
  ASSERT_TRUE(divergence.found);
  EXPECT_THAT(divergence.path, ElementsAre("r"));
}

TEST(PartitionedDivergence, RandomModulesHaveNone) {
  size_t compared = 0;
  for (uint64_t seed = 0; seed < 25; ++seed) {
    const auto module = fuzz::makeShardedModule(seed, 10);
    ASSERT_TRUE(module);
    const auto pair = partitionedPair({.module = *module}, JobContext());
    if (!pair) continue;
    const auto divergence = findPartitionedDivergence(
        {.spread = pair->spread, .local = pair->local, .arguments = {.seed = seed}}, JobContext());
    if (!divergence) continue;  // an operation that the evaluator does not know
    EXPECT_FALSE(divergence->found) << seed << " " << divergence->step.name;
    compared += divergence->steps.size();
  }
  EXPECT_GT(compared, 60u);
}

}  // namespace
}  // namespace hilo
