#include <gtest/gtest.h>

#include "tests/unit/hlo/verify/op_sample.h"

namespace hilo {
namespace {

using Ints = std::vector<int64_t>;

TEST(InferCalls, CallAndFusion) {
  OpSample call, fusion;
  call.with<Attr::ToApply>(call.computation({f32({2}), s32({})}, f32({3})));
  EXPECT_EQ(call.text(Opcode::Call, {f32({2}), s32({})}), "f32[3]");
  EXPECT_EQ(call.text(Opcode::Call, {f32({2})}), "called-signature");
  fusion.with<Attr::Calls>(fusion.computation({f32({2})}, f32({3})));
  EXPECT_EQ(fusion.text(Opcode::Fusion, {f32({2})}), "f32[3]");
  EXPECT_EQ(fusion.text(Opcode::Fusion, {f32({4})}), "called-signature");
}

TEST(InferCalls, While) {
  const Shape state = tupleOf({s32({}), f32({4})});
  OpSample loop, notPred, grows;
  loop.with<Attr::Condition>(loop.computation({state}, pred({})))
      .with<Attr::Body>(loop.computation({state}, state));
  EXPECT_EQ(loop.text(Opcode::While, {state}), "(s32[], f32[4])");
  EXPECT_EQ(loop.text(Opcode::While, {f32({4})}), "called-signature");
  notPred.with<Attr::Condition>(notPred.computation({state}, s32({})));
  notPred.with<Attr::Body>(notPred.computation({state}, state));
  EXPECT_EQ(notPred.text(Opcode::While, {state}), "called-signature");
  grows.with<Attr::Condition>(grows.computation({state}, pred({})));
  grows.with<Attr::Body>(grows.computation({state}, tupleOf({s32({}), f32({5})})));
  EXPECT_EQ(grows.text(Opcode::While, {state}), "called-signature");
}

TEST(InferCalls, Conditional) {
  OpSample op;
  const std::vector<Computation*> branches = {op.computation({f32({2})}, f32({4})),
                                              op.computation({s32({})}, dynamicF32({4}, {true}))};
  op.with<Attr::BranchComputations>(branches);
  EXPECT_EQ(op.text(Opcode::Conditional, {s32({}), f32({2}), s32({})}), "f32[<=4]");
  EXPECT_EQ(op.text(Opcode::Conditional, {f32({}), f32({2}), s32({})}), "operand-type");
  EXPECT_EQ(op.text(Opcode::Conditional, {s32({}), f32({2})}), "operand-count");
  EXPECT_EQ(op.text(Opcode::Conditional, {s32({}), s32({}), s32({})}), "called-signature");
}

TEST(InferCollectives, GatherAndScatterByGroups) {
  const Ints four = {0, 1, 2, 3};
  const std::vector<std::span<const int64_t>> lists = {four};
  const ReplicaGroups groups{.groups = lists};
  OpSample op;
  op.with<Attr::ReplicaGroups>(&groups).with<Attr::Dimensions>(Ints{0});
  EXPECT_EQ(op.text(Opcode::AllGather, {f32({3, 2})}), "f32[12,2]");
  EXPECT_EQ(op.text(Opcode::AllGather, {f32({3, 2}), s32({1})}), "(f32[12,2], s32[4])");
  EXPECT_EQ(op.text(Opcode::AllGather, {f32({3, 2})}, f32({6, 2})), "replica-groups");
  EXPECT_EQ(op.text(Opcode::AllGatherStart, {f32({3, 2})}), "(f32[3,2], f32[12,2])");
  EXPECT_EQ(op.text(Opcode::ReduceScatter, {f32({12, 2})}), "f32[3,2]");
  EXPECT_EQ(op.text(Opcode::ReduceScatter, {f32({10, 2})}), "operand-shape");
  EXPECT_EQ(op.text(Opcode::AllToAll, {f32({8, 2})}), "f32[8,2]");
  EXPECT_EQ(op.text(Opcode::AllToAll, {f32({7, 2})}), "operand-shape");
}

TEST(InferCollectives, ReduceAndPermute) {
  EXPECT_EQ(OpSample().text(Opcode::AllReduce, {f32({2}), s32({3})}), "(f32[2], s32[3])");
  EXPECT_EQ(OpSample().text(Opcode::CollectivePermute, {f32({2})}), "f32[2]");
  const Shape withContext =
      tupleOf({f32({2}), f32({2}), array(ElementType::U32, {}), array(ElementType::U32, {})});
  EXPECT_EQ(OpSample().text(Opcode::CollectivePermuteStart, {f32({2})}, withContext),
            "(f32[2], f32[2], u32[], u32[])");
  EXPECT_EQ(OpSample().text(Opcode::CollectivePermuteDone, {withContext}), "f32[2]");
}

TEST(InferAsync, ChainsOfWrappedComputations) {
  OpSample op;
  op.with<Attr::Calls>(op.computation({f32({2})}, f32({3})));
  EXPECT_EQ(op.text(Opcode::AsyncStart, {f32({2})}), "((f32[2]), f32[3])");
  const Shape state = tupleOf({tupleOf({f32({2})}), f32({3}), s32({})});
  EXPECT_EQ(op.text(Opcode::AsyncStart, {f32({2})}, state), toString(state));
  EXPECT_EQ(op.text(Opcode::AsyncUpdate, {state}, state), toString(state));
  EXPECT_EQ(op.text(Opcode::AsyncDone, {state}), "f32[3]");
  EXPECT_EQ(op.text(Opcode::AsyncStart, {f32({4})}, state), "operand-shape");
  EXPECT_EQ(op.text(Opcode::AsyncDone, {f32({3})}), "result-shape");
}

TEST(InferAsync, CopiesAndTransfers) {
  EXPECT_EQ(OpSample().text(Opcode::CopyStart, {f32({2})}), "(f32[2], f32[2], u32[])");
  EXPECT_EQ(OpSample().text(Opcode::CopyDone, {tupleOf({f32({2}), f32({2}), array(ElementType::U32, {})})}),
            "f32[2]");
  const Shape token = Shape::token();
  EXPECT_EQ(OpSample().text(Opcode::Send, {f32({2}), token}), "(f32[2], u32[], token[])");
  EXPECT_EQ(OpSample().text(Opcode::Send, {f32({2}), f32({2})}), "operand-type");
  EXPECT_EQ(OpSample().text(Opcode::Recv, {token}), "shape-not-inferable");
  EXPECT_EQ(OpSample().text(Opcode::RecvDone, {tupleOf({f32({2}), array(ElementType::U32, {}), token})}),
            "(f32[2], token[])");
}

TEST(InferTuple, ElementsAndIndexes) {
  OpSample op;
  op.with<Attr::Index>(1);
  EXPECT_EQ(op.text(Opcode::GetTupleElement, {tupleOf({f32({2}), s32({})})}), "s32[]");
  EXPECT_EQ(op.text(Opcode::GetTupleElement, {tupleOf({f32({2})})}), "tuple-index");
  EXPECT_EQ(OpSample().text(Opcode::Tuple, {f32({2}), Shape::token()}), "(f32[2], token[])");
  EXPECT_EQ(OpSample().text(Opcode::AfterAll, {}), "token[]");
  EXPECT_EQ(OpSample().text(Opcode::Parameter, {}), "shape-not-inferable");
}

}  // namespace
}  // namespace hilo
