// Thunks written as XLA's protos: what XLA wrote comes back whole, and our own program's as XLA would say it.
#include "core/workspace/thunks/write_thunks.h"

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/hlo/proto/message_io.h"
#include "core/workspace/thunks/program_thunks.h"
#include "core/workspace/thunks/thunk_diff.h"
#include "core/workspace/thunks/xla_thunks.h"
#include "tests/support/module_text.h"
#include "tests/support/xla_executable.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class WriteThunksTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "hilo_write_thunks_test";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const char* name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

pb::cpu::ThunkSequenceProto plainSequence() {
  pb::cpu::ThunkSequenceProto sequence;
  auto& copy = *sequence.add_thunks();
  copy.set_kind("copy");
  copy.mutable_copy_thunk()->mutable_src_buffer_shape()->mutable_slice()->set_size(8);
  auto& kernel = *sequence.add_thunks();
  kernel.set_kind("kernel");
  kernel.mutable_kernel_thunk()->set_kernel_name("fusion.1");
  kernel.mutable_kernel_thunk()->mutable_min_alignment()->set_value(16);
  return sequence;
}

// A kind and a field of a later XLA.
pb::cpu::ThunkSequenceProto newerSequence() {
  pb::cpu::ThunkSequenceProto sequence = plainSequence();
  auto& newer = *sequence.add_thunks();
  newer.set_kind("onednn-fusion");
  newer.GetReflection()->MutableUnknownFields(&newer)->AddLengthDelimited(70, "all it says");
  auto& copy = *sequence.mutable_thunks(0)->mutable_copy_thunk();
  copy.GetReflection()->MutableUnknownFields(&copy)->AddVarint(9, 3);
  return sequence;
}

TEST_F(WriteThunksTest, whatIsNotKnownComesBackInBinaryAndIsRefusedAsText) {
  const std::string bytes = *toBinaryProto(newerSequence());
  const std::string path = write("newer.pb", bytes);
  const auto written = writtenThunksOfFile(path, "out.pb");
  ASSERT_TRUE(written) << toString(written.error());
  EXPECT_EQ(written->bytes, bytes);
  const auto study = studyThunksAlone(path);
  ASSERT_TRUE(study);
  EXPECT_EQ(study->thunks[2].kind, "onednn-fusion");
  EXPECT_EQ(study->notes[0].kind, "unknown-thunk-kind");
  const auto text = writtenThunksOfFile(path, "out.txtpb");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, "not-writable");
}

TEST_F(WriteThunksTest, textAndBinarySayTheSame) {
  const std::string bytes = *toBinaryProto(plainSequence());
  const auto text = writtenThunksOfFile(write("plain.pb", bytes), "out.txtpb");
  ASSERT_TRUE(text) << toString(text.error());
  EXPECT_THAT(text->bytes, HasSubstr("min_alignment"));
  const auto binary = writtenThunksOfFile(write("plain.textproto", text->bytes), "out.pb");
  ASSERT_TRUE(binary) << toString(binary.error());
  EXPECT_EQ(binary->bytes, bytes);
}

TEST_F(WriteThunksTest, aFieldOfTheTextThatIsNotKnownIsRefused) {
  const auto written = writtenThunksOfFile(
      write("newer.textproto", toTextProto(plainSequence()) + "newer_field: 3\n"), "out.txtpb");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("newer_field"));
}

TEST_F(WriteThunksTest, ofAnExecutableItsThunks) {
  pb::CompilationResultProto executable = xlaExecutable();
  *executable.mutable_thunk_sequence() = plainSequence();
  const auto written = writtenThunksOfFile(write("executable.pb", *toBinaryProto(executable)), "out.pb");
  ASSERT_TRUE(written) << toString(written.error());
  EXPECT_EQ(written->bytes, *toBinaryProto(plainSequence()));
}

// Every way of running thunks, a product of a turned matrix, and a sort.
std::shared_ptr<Module> programModule() {
  return moduleOf(countingLoop("f32[64]", 3, "w = f32[64] tanh(v)") + R"(
up { a = f32[64] parameter(0)
  ROOT e = f32[64] exponential(a) }
down { b = f32[64] parameter(0)
  ROOT s = f32[64] sine(b) }
order { l = f32[] parameter(0)
  g = f32[] parameter(1)
  ROOT lt = pred[] compare(l, g), direction=LT }
ENTRY main { x = f32[64] parameter(0)
  which = pred[] parameter(1)
  p = f32[64,128] parameter(2)
  q = f32[96,128]{0,1} parameter(3)
  sorted = f32[64] sort(x), dimensions={0}, to_apply=order
  zero = s32[] constant(0)
  start = (s32[], f32[64]) tuple(zero, sorted)
  loop = (s32[], f32[64]) while(start), condition=condition, body=body
  got = f32[64] get-tuple-element(loop), index=1
  chosen = f32[64] conditional(which, got, got), true_computation=up, false_computation=down
  product = f32[64,96] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1}, frontend_attributes={hilo_dot_method="library"}
  ROOT out = (f32[64], f32[64,96]) tuple(chosen, product) }
)");
}

TEST_F(WriteThunksTest, aProgramIsTheSameThunksWhereXlaHasSuch) {
  const auto study = compileThunks(programModule(), {});
  ASSERT_TRUE(study) << toString(study.error());
  const auto written = writtenThunks(*study, "out.txtpb");
  ASSERT_TRUE(written) << toString(written.error());
  EXPECT_THAT(written->notes, ElementsAre(HasSubstr("sort sorted: has no counterpart")));
  const auto again = studyThunksAlone(write("program.textproto", written->bytes));
  ASSERT_TRUE(again) << toString(again.error());
  EXPECT_TRUE(again->notes.empty());
  ASSERT_EQ(again->thunks.size(), study->thunks.size());
  EXPECT_EQ(again->hazards.size(), study->hazards.size());
  std::vector<std::string> changes;
  for (const ThunkChange& change : diffThunks(*study, *again)) {
    const bool isGone = change.after == StudiedThunk::kNone;
    const StudiedThunk& of = isGone ? study->thunks[change.before] : again->thunks[change.after];
    changes.push_back(of.kind + " " + of.name);
  }
  // XLA counts what a loop looks at as written, and a custom call has no name of its own.
  EXPECT_THAT(changes, testing::UnorderedElementsAre("sort sorted", "custom-call sorted", "while loop"));
}

TEST_F(WriteThunksTest, aProductHasTheShapesItsStridesSay) {
  const auto study = compileThunks(programModule(), {});
  ASSERT_TRUE(study) << toString(study.error());
  const XlaThunks thunks = toXlaThunks(*programOf(*study));
  for (const auto& thunk : thunks.sequence.thunks()) {
    if (!thunk.has_dot_thunk()) continue;
    const auto& rhs = thunk.dot_thunk().rhs_buffer_shape();
    EXPECT_THAT(rhs.shape().dimensions(), ElementsAre(128, 96));
    EXPECT_THAT(rhs.shape().layout().minor_to_major(), ElementsAre(1, 0));
    EXPECT_EQ(rhs.slice().size(), 128 * 96 * 4);
    EXPECT_THAT(thunk.dot_thunk().dot_dimensions().lhs_contracting_dimensions(), ElementsAre(1));
    return;
  }
  ADD_FAILURE() << "no product";
}

TEST(ProgramThunks, whatMustKeepItsOrderIsACommunicators) {
  Program program;
  program.allocations = {{.kind = AllocationKind::Parameter, .sizeBytes = 8},
                         {.kind = AllocationKind::Temporary, .sizeBytes = 8}};
  program.collectives = {
      {.kind = CollectiveKind::AllReduce, .groups = {{0, 1}}, .reduction = ReductionKind::Sum, .outer = {1}},
      {.kind = CollectiveKind::Permute, .groups = {{0, 1}, {1, 0}}, .outer = {1}}};
  const ReadSlice from{{.allocation = 0, .sizeBytes = 8}};
  const WriteSlice to{{.allocation = 1, .sizeBytes = 8}};
  ThunkSequence& thunks = program.sequences.emplace_back();
  thunks.push_back(
      {.name = "sum", .body = CollectiveThunk{.collective = 0, .operands = {from}, .results = {to}}});
  thunks.push_back({.name = "copy", .body = CopyThunk{.source = from, .destination = to}});
  thunks.push_back(
      {.name = "turn", .body = CollectiveThunk{.collective = 1, .operands = {from}, .results = {to}}});
  const XlaThunks made = toXlaThunks(program);
  ASSERT_EQ(made.sequence.thunk_resources_size(), 1);
  EXPECT_THAT(made.sequence.thunk_resources(0).thunk_indices(), ElementsAre(0, 2));
  EXPECT_TRUE(made.notes.empty());
  const auto& sum = made.sequence.thunks(0).collective_thunk();
  EXPECT_EQ(sum.all_reduce_thunk().reduction_kind(), "sum");
  EXPECT_TRUE(sum.all_reduce_thunk().single_replica());
  EXPECT_THAT(sum.op_params().replica_group(0).replica_ids(), ElementsAre(0, 1));
  EXPECT_EQ(made.sequence.thunks(2).collective_thunk().collective_permute_thunk().source_target_pairs_size(),
            2);
}

// What each reduces by, in the words XLA's reader takes, and as a custom call where it has none.
TEST_F(WriteThunksTest, reductionsAreNamed) {
  const auto module = moduleOf(R"(add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(b, a) }
most { c = s32[] parameter(0)
  d = s32[] parameter(1)
  ROOT m = s32[] maximum(c, d) }
both { e = pred[] parameter(0)
  f = pred[] parameter(1)
  ROOT n = pred[] and(e, f) }
apart { g = s32[] parameter(0)
  h = s32[] parameter(1)
  ROOT o = s32[] xor(g, h) }
ENTRY main { x = f32[8] parameter(0)
  y = s32[8] parameter(1)
  z = pred[8] parameter(2)
  total = f32[8] all-reduce(x), replica_groups={}, to_apply=add
  highest = s32[4] reduce-scatter(y), replica_groups={{0,1}}, dimensions={0}, to_apply=most
  all = pred[8] all-reduce(z), replica_groups={}, to_apply=both
  odd = s32[8] all-reduce(y), replica_groups={}, to_apply=apart
  ROOT out = (f32[8], s32[4], pred[8], s32[8]) tuple(total, highest, all, odd) }
)");
  module->set<Attr::ReplicaCount>(2);
  const auto study = compileThunks(module, {});
  ASSERT_TRUE(study) << toString(study.error());
  const auto written = writtenThunks(*study, "out.txtpb");
  ASSERT_TRUE(written) << toString(written.error());
  EXPECT_THAT(written->notes, ElementsAre(HasSubstr("odd: has no counterpart")));
  const auto again = studyThunksAlone(write("reductions.textproto", written->bytes));
  ASSERT_TRUE(again) << toString(again.error());
  EXPECT_TRUE(again->notes.empty());
  std::vector<std::string> described;
  for (const StudiedThunk& thunk : again->thunks) described.push_back(thunk.name + ": " + thunk.description);
  for (const char* one : {"total: .*reduction_kind = \"sum\".*", "highest: .*reduction_kind = \"max\".*",
                          "all: .*reduction_kind = \"min\".*"})
    EXPECT_THAT(described, Contains(testing::MatchesRegex(one)));
}

}  // namespace
}  // namespace hilo
