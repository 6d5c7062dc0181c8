// Faults planted in good kernels: each is found, as what it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/kernel_checks/kernel_checks.h"
#include "tests/unit/analysis/kernel_checks/good_kernels.h"

namespace hilo {
namespace {

struct Edit {
  std::string from, to;
};
struct Fault {
  std::string kernel, what, kind;
  std::vector<Edit> edits;
};

const std::vector<Fault> kFaults = {
    {"pipeline",
     "expects too few bytes",
     "deadlock",
     {{"expect full[{i % 2}] 16384", "expect full[{i % 2}] 12288"}}},
    {"pipeline",
     "expects too many bytes",
     "deadlock",
     {{"expect full[{i % 2}] 16384", "expect full[{i % 2}] 20480"}}},
    {"pipeline", "never gives tiles back", "deadlock", {{"  arrive empty[{i % 2}]\n", ""}}},
    {"pipeline",
     "waits for the other phase of full",
     "unordered-accesses",
     {{"{i / 2 % 2}", "{(i / 2 + 1) % 2}"}}},
    {"pipeline", "waits for the other phase of empty", "deadlock", {{"{(i / 2 + 1) % 2}", "{i / 2 % 2}"}}},
    {"pipeline",
     "never waits for empty",
     "unordered-accesses",
     {{"  wait empty[{i % 2}] {(i / 2 + 1) % 2}\n", ""}}},
    {"pipeline",
     "gives tiles back before the product read them",
     "unordered-accesses",
     {{"  wait-multiply 0\n", ""}}},
    {"pipeline",
     "waits for the product before",
     "unordered-accesses",
     {{"wait-multiply 0", "wait-multiply 1"}}},
    {"pipeline",
     "tells the copy to the next slot",
     "unordered-accesses",
     {{"copy-in b[{i % 2 * 8192}:8192] full[{i % 2}]",
       "copy-in b[{i % 2 * 8192}:8192] full[{(i + 1) % 2}]"}}},
    {"pipeline", "always gives back slot 0", "deadlock", {{"arrive empty[{i % 2}]", "arrive empty[0]"}}},
    {"pipeline",
     "a barrier of one arrival too many",
     "deadlock",
     {{"empty slots 2 arrivals 1", "empty slots 2 arrivals 2"}}},
    {"pipeline",
     "gives back before it multiplies",
     "unordered-accesses",
     {{"  arrive empty[{i % 2}]\n", ""}, {"  multiply", "  arrive empty[{i % 2}]\n  multiply"}}},
    {"pipeline",
     "multiplies once more than is loaded",
     "deadlock",
     {{"group multiply\nrepeat i 6", "group multiply\nrepeat i 7"}}},
    {"pipeline",
     "all tiles in one place",
     "unordered-accesses",
     {{"copy-in a[{i % 2 * 8192}:8192]", "copy-in a[0:8192]"}}},
    {"pipeline", "starts the copy and never arrives", "deadlock", {{"  expect full[{i % 2}] 16384\n", ""}}},
    {"delayed release",
     "gives back later than there are tiles",
     "deadlock",
     {{"group multiply\nwait full[0] 0\nmultiply a[0:8192]\nrepeat i 5\n  wait full[{(i + 1) % 3}] {(i + 1) "
       "/ 3 % 2}",
       "group multiply\nwait full[0] 0\nwait full[1] 0\nwait full[2] 0\nrepeat i 3\n  wait full[{i % 3}] "
       "1"}}},
    {"delayed release",
     "gives back the tile that is read",
     "unordered-accesses",
     {{"  arrive empty[{i % 3}]", "  arrive empty[{(i + 1) % 3}]"},
      {"wait full[0] 0", "arrive empty[0]\nwait full[0] 0"}}},
    {"pointwise", "no fence", "missing-fence", {{"  fence\n", ""}}},
    {"pointwise",
     "the fence before the store",
     "missing-fence",
     {{"  write out\n  fence\n", "  fence\n  write out\n"}}},
    {"pointwise", "reads before the copy came", "unordered-accesses", {{"  wait full 0\n", ""}}},
    {"pointwise", "waits for a phase that is over", "unordered-accesses", {{"wait full 0", "wait full 1"}}},
    {"pointwise", "arrives and expects nothing", "unordered-accesses", {{"expect full 4096", "arrive full"}}},
    {"pointwise", "ends before the copy has read", "unfinished-copy", {{"  wait-copies 0\n", ""}}},
    {"pointwise",
     "writes what is being copied",
     "unordered-accesses",
     {{"  wait-copies 0\n", "  write out\n  wait-copies 0\n"}}},
    {"pointwise", "the copy is in no group", "missing-commit", {{"copy-out out", "copy-out-pending out"}}},
    {"pointwise",
     "the result lies in the operand",
     "overlapping-refs",
     {{"ref out shared 4096", "ref out shared 2048"}, {"  read in\n  write out", "  write out\n  read in"}}},
    {"two copies in a group", "no commit", "missing-commit", {{"  commit\n", ""}}},
    {"two copies in a group",
     "waits for all but one group",
     "unordered-accesses",
     {{"wait-copies 0", "wait-copies 1"}}},
    {"two copies in a group", "a fence too few", "missing-fence", {{"  write b\n  fence\n", "  write b\n"}}},
    {"cluster", "does not wait", "cluster-barrier", {{"  cluster-wait\n  read a", "  read a"}}},
    {"cluster", "waits without arriving", "cluster-barrier", {{"two\n  cluster-arrive\n", "two\n"}}},
    {"cluster",
     "arrives twice",
     "cluster-barrier",
     {{"two\n  cluster-arrive\n", "two\n  cluster-arrive\n  cluster-arrive\n"}}},
    {"cluster", "reads before the barrier", "unordered-accesses", {{"two\n", "two\n  read a\n"}}},
    {"semaphore", "takes more than is given", "deadlock", {{"await ready 1", "await ready 2"}}},
    {"semaphore", "gives more than is taken", "semaphore-left", {{"signal ready 1", "signal ready 2"}}},
    {"semaphore",
     "reads before it is told",
     "unordered-accesses",
     {{"  await ready 1\n  read a", "  read a\n  await ready 1"}}},
    {"tensor cores", "reads before the product is done", "unordered-accesses", {{"  wait done 0\n", ""}}},
    {"tensor cores",
     "commits before the product",
     "unordered-accesses",
     {{"  tensor-multiply sum a b\n  tensor-commit done\n",
       "  tensor-commit done\n  tensor-multiply sum a b\n"}}},
    {"tensor cores", "never frees", "tensor-memory-left", {{"  free sum\n", ""}}},
    {"tensor cores",
     "reads what it freed",
     "used-after-free",
     {{"  read sum\n  free sum\n", "  free sum\n  read sum\n"}}},
    {"tensor cores",
     "allocates after the product",
     "used-before-alloc",
     {{"  alloc sum\n", ""}, {"  wait done 0\n", "  wait done 0\n  alloc sum\n"}}},
    {"tensor cores", "more columns than there are", "tensor-memory-full", {{"tensor 0 64", "tensor 0 640"}}},
    {"tensor cores", "no bytes come", "deadlock", {{"  copy-in b full 8192\n", ""}}},
    {"halves",
     "one group does not meet the other",
     "unordered-accesses",
     {{"  sync\n  read a[0:2048]", "  read a[0:2048]"}}},
    {"halves", "both write the same", "unordered-accesses", {{"write a[2048:2048]", "write a[1024:2048]"}}},
};

std::string edited(const Fault& fault) {
  std::string text = kGoodKernels.at(fault.kernel);
  for (const Edit& edit : fault.edits) {
    const size_t at = text.find(edit.from);
    EXPECT_NE(at, text.npos) << edit.from;
    if (at != text.npos) text.replace(at, edit.from.size(), edit.to);
  }
  return text;
}

Diagnostics check(const std::string& text) {
  const auto program = parseKernelProgram(text);
  EXPECT_TRUE(program) << toString(program.error());
  return program ? checkKernel(*program) : Diagnostics();
}

TEST(PlantedFaults, AreFoundAsWhatTheyAre) {
  EXPECT_GE(kFaults.size(), 30u);
  for (const Fault& fault : kFaults) {
    const Diagnostics found = check(edited(fault));
    EXPECT_THAT(found, testing::Contains(testing::Field(&Diagnostic::kind, fault.kind)))
        << fault.kernel << ": " << fault.what
        << (found.empty() ? ": nothing found" : ": " + toString(found[0]));
  }
}

TEST(PlantedFaults, GoodKernelsHaveNone) {
  for (const auto& [name, text] : kGoodKernels) {
    for (const Diagnostic& found : check(text)) ADD_FAILURE() << name << ": " << toString(found);
  }
}

TEST(PlantedFaults, ADeadlockNamesTheSlot) {
  const Diagnostics found = check(edited(kFaults[2]));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "load waits for empty[0], phase 0 of parity 0: 1 of 1 arrival missing");
  ASSERT_EQ(found[0].notes.size(), 1u);
  EXPECT_EQ(found[0].notes[0], "multiply waits for full[0], phase 1 of parity 1: 1 of 1 arrival missing");
}

// Which group is listed first must make no difference.
TEST(PlantedFaults, GroupsMayStandInAnyOrder) {
  for (const auto& [name, text] : kGoodKernels) {
    const size_t first = text.find("group "), second = text.find("group ", first + 1);
    if (second == text.npos) continue;
    const std::string swapped =
        text.substr(0, first) + text.substr(second) + text.substr(first, second - first);
    for (const Diagnostic& found : check(swapped)) ADD_FAILURE() << name << ": " << toString(found);
  }
}

}  // namespace
}  // namespace hilo
