// Sorts against the evaluator: comparators that are orders of keys, as compilers write them, and some that
// are none; every special float, lines in every direction, the first of each line alone.
#include <gtest/gtest.h>

#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

std::shared_ptr<const Module> parsed(const std::string& text) {
  auto module = parseModuleStrictly("HloModule m\n" + text);
  EXPECT_TRUE(module.has_value()) << (module ? "" : toString(module.error())) << text;
  return module ? std::shared_ptr<const Module>(*std::move(module)) : nullptr;
}

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// An array of the values in turn, by a generator.
Literal arrayOf(const std::string& type, int64_t size, std::span<const char* const> values) {
  std::string text;
  uint32_t state = 1;
  for (int64_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    text += std::string(i == 0 ? "" : ", ") + values[(state >> 16) % values.size()];
  }
  const auto module = parsed(fmt::format("ENTRY e {{ ROOT x = {}[{}] constant({{{}}}) }}", type, size, text));
  return *evaluate(*module, {});
}

struct Type {
  const char* name;
  std::vector<const char*> values;
};
const std::vector<const char*> kFloats = {"0",   "-0",   "1", "-1", "2.5", "-2.5",
                                          "inf", "-inf", "4", "3",  "-8",  "0.5"};
const std::vector<const char*> kFloatsAndNan = {"0", "-0", "1", "nan", "2.5", "-nan", "inf", "-inf", "-3"};
const std::vector<const char*> kIntegers = {"0", "1", "2", "-1", "-2", "7", "-7"};
const Type kTypes[] = {
    {"f32", kFloats},
    {"f32", kFloatsAndNan},
    {"f64", kFloatsAndNan},
    {"bf16", kFloats},
    {"f16", kFloats},
    {"f16", kFloatsAndNan},
    {"bf16", kFloatsAndNan},
    {"f8e5m2", kFloatsAndNan},
    {"s32", kIntegers},
    {"s8", kIntegers},
    {"s64", kIntegers},
    {"s4", kIntegers},
    {"u16", {"0", "9", "65535"}},
    {"pred", {"true", "false"}},
    {"f8e4m3fnuz", {"0", "1", "nan", "-2"}},
};

// Of a sort of T along with its places.
struct Comparator {
  const char* text;
  bool isKeys = true;
  bool isForFloats = false;
};
const Comparator kComparators[] = {
    {"ROOT r = pred[] compare(a, b), direction=LT"},
    {"ROOT r = pred[] compare(a, b), direction=GT"},
    {"ROOT r = pred[] compare(b, a), direction=LT"},
    {"ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER", true, true},
    // NaN and zeros of one kind first
    {R"(zero = T[] constant(0)
        nan = T[] constant(nan)
        aZero = pred[] compare(a, zero), direction=EQ
        aOne = T[] select(aZero, zero, a)
        aNan = pred[] compare(a, a), direction=NE
        x = T[] select(aNan, nan, aOne)
        bZero = pred[] compare(b, zero), direction=EQ
        bOne = T[] select(bZero, zero, b)
        bNan = pred[] compare(b, b), direction=NE
        y = T[] select(bNan, nan, bOne)
        ROOT r = pred[] compare(x, y), direction=LT, type=TOTALORDER)",
     true, true},
    // and the later place before the earlier
    {R"(first = pred[] compare(a, b), direction=LT
        same = pred[] compare(a, b), direction=EQ
        later = pred[] compare(i, j), direction=GT
        both = pred[] and(same, later)
        ROOT r = pred[] or(first, both))"},
    {R"(first = pred[] compare(b, a), direction=LT
        differ = pred[] compare(a, b), direction=NE
        later = pred[] compare(j, i), direction=LT
        ROOT r = pred[] select(differ, first, later))"},
    // no order of keys
    {"ROOT r = pred[] compare(a, b), direction=LE", false},
    {R"(one = pred[] compare(a, b), direction=LT
        same = pred[] compare(i, j), direction=EQ
        later = pred[] compare(i, j), direction=GT
        both = pred[] and(same, later)
        ROOT r = pred[] or(one, both))",
     false},
};

struct Lines {
  const char *dimensions, *layout, *along;
  int64_t elements;
};
const Lines kLines[] = {{"40", "0", "0", 40},          {"3,70", "1,0", "1", 210},
                        {"300,3", "1,0", "0", 900},    {"3,130,4", "2,1,0", "1", 1560},
                        {"5,40,3", "0,2,1", "2", 600}, {"20,3,9", "1,0,2", "0", 540}};

std::string sortText(const Type& type, const Comparator& comparator, const Lines& lines) {
  const std::string text = R"(less { a = T[] parameter(0)
  b = T[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  COMPARE }
ENTRY e { flat = T[ELEMENTS] parameter(0)
  plain = T[SIZES] reshape(flat)
  x = T[SIZES]{LAYOUT} copy(plain)
  places = s32[SIZES]{LAYOUT} iota(), iota_dimension=ALONG
  ROOT s = (T[SIZES]{LAYOUT}, s32[SIZES]{LAYOUT}) sort(x, places), dimensions={ALONG}, is_stable=true, to_apply=less })";
  std::string made = replaced(text, "COMPARE", comparator.text);
  made = replaced(replaced(made, "SIZES", lines.dimensions), "LAYOUT", lines.layout);
  made = replaced(replaced(made, "ALONG", lines.along), "ELEMENTS", std::to_string(lines.elements));
  return replaced(replaced(made, "T[", std::string(type.name) + "["), "(T", "(" + std::string(type.name));
}

const SortThunk& sortOf(const Program& program) {
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      if (const auto* sort = std::get_if<SortThunk>(&thunk.body)) return *sort;
    }
  }
  ADD_FAILURE() << "no sort";
  static const SortThunk none;
  return none;
}

// Gives the program's sort.
SortThunk expectEvaluated(const std::string& text, const Literal& argument, bool runsPasses) {
  const auto module = parsed(text);
  const auto expected = evaluate(*module, {&argument, 1});
  EXPECT_TRUE(expected.has_value()) << toString(expected.error()) << text;
  auto compiled = compileProgram(module, {.usesCache = false, .runsPasses = runsPasses}, {});
  EXPECT_TRUE(compiled.has_value()) << toString(compiled.error()) << text;
  const SortThunk sort = sortOf(compiled->program);
  const auto executor = Executor::make(std::make_shared<const Program>(std::move(compiled->program)));
  const auto got = (*executor)->run({&argument, 1});
  EXPECT_TRUE(got.has_value()) << toString(got.error());
  const auto differences = compareLiterals(*got, *expected);
  EXPECT_TRUE(differences.has_value() && agrees(*differences)) << text;
  return sort;
}

// Every comparator on every type, each time on other lines.
TEST(CpuSorts, ByEveryComparator) {
  size_t turn = 0;
  for (const Type& type : kTypes) {
    for (const Comparator& comparator : kComparators) {
      const bool isFloatType = type.name[0] == 'f' || type.name[0] == 'b';
      if (comparator.isForFloats && !isFloatType) continue;
      const Lines& lines = kLines[turn++ % std::size(kLines)];
      const Literal argument = arrayOf(type.name, lines.elements, type.values);
      const SortThunk sort = expectEvaluated(sortText(type, comparator, lines), argument, false);
      EXPECT_EQ(!sort.keys.empty(), comparator.isKeys) << comparator.text;
      if (!isFloatType) EXPECT_EQ(sort.comparator.empty(), comparator.isKeys) << comparator.text;
    }
  }
}

constexpr const char* kFirst = R"(less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER }
ENTRY e { flat = f32[840] parameter(0)
  x = f32[3,70,4] reshape(flat)
  places = s32[3,70,4] iota(), iota_dimension=1
  s = (f32[3,70,4], s32[3,70,4]) sort(x, places), dimensions={1}, to_apply=less
  values = f32[3,70,4] get-tuple-element(s), index=0
  indices = s32[3,70,4] get-tuple-element(s), index=1
  v = f32[3,5,4] slice(values), slice={[0:3], [0:5], [0:4]}
  n = s32[3,5,4] slice(indices), slice={[0:3], [0:LIMIT], [0:4]}
  ROOT t = (f32[3,5,4], s32[3,5,4]) tuple(v, n) })";

TEST(CpuSorts, TheFirstOfEachLineAlone) {
  const Literal argument = arrayOf("f32", 840, kFloatsAndNan);
  const std::string text = replaced(kFirst, "LIMIT", "5");
  EXPECT_EQ(expectEvaluated(text, argument, false).kept, 70);
  EXPECT_EQ(expectEvaluated(text, argument, true).kept, 5);
  const std::string both = replaced(
      replaced(text, "(f32[3,5,4], s32[3,5,4]) tuple(v, n)", "(f32[3,5,4], s32[3,70,4]) tuple(v, indices)"),
      "  n =", "  unused =");
  EXPECT_EQ(expectEvaluated(both, argument, true).kept, 70);
}

TEST(CpuSorts, TopK) {
  const Literal argument = arrayOf("f32", 840, kFloatsAndNan);
  for (const char* k : {"1", "3", "200", "280"}) {
    for (const char* largest : {"true", "false"}) {
      const std::string text = replaced(replaced(R"(ENTRY e { flat = f32[840] parameter(0)
  x = f32[3,280] reshape(flat)
  ROOT t = (f32[3,K], s32[3,K]{0,1}) topk(x), k=K, largest=LARGEST })",
                                                 "K", k),
                                        "LARGEST", largest);
      const SortThunk sort = expectEvaluated(text, argument, true);
      EXPECT_EQ(std::to_string(sort.kept), k);
      EXPECT_TRUE(sort.comparator.empty());
    }
  }
}

}  // namespace
}  // namespace hilo
