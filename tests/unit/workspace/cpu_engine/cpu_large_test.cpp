// Arrays large enough for kernels of their own form against the evaluator: many lines, of which several are
// folded at once; columns by the unit and in part, and with rows shared out; work on arrays past the second
// cache, which asks for memory ahead, to the last element of lines of any length.
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

namespace hilo {
namespace {

TEST(CpuLarge, LinesFoldedSeveralAtOnceGiveWhatTheEvaluatorGives) {
  struct Lines {
    std::string operation, type, operand, result, folded;
  };
  for (const Lines& lines : {Lines{"add", "f32", "[263,70]", "[263]", "1"},
                             {"maximum", "f32", "[256,33]", "[256]", "1"},
                             {"add", "s32", "[257,40]", "[257]", "1"},
                             {"add", "f64", "[264,33]", "[264]", "1"},
                             {"minimum", "u8", "[259,200]", "[259]", "1"},
                             {"xor", "u16", "[300,77]", "[300]", "1"},
                             {"add", "bf16", "[300,77]", "[300]", "1"},
                             {"add", "f32", "[30,10,5,20]", "[30,10]", "2,3"},
                             {"add", "f32", "[10,5,30,20]", "[10,30]", "1,3"},
                             {"add", "f32", "[30,10,40]{2,0,1}", "[30,10]{0,1}", "2"},
                             {"add", "f32", "[30,10,40]{2,0,1}", "[30,10]{1,0}", "2"},
                             {"add", "f32", "[100,300]{0,1}", "[300]", "0"},
                             {"add", "f32", "[258,20000]", "[258]", "1"}}) {
    expectEvaluated(
        fmt::format("f {{\n a = {0}[] parameter(0)\n b = {0}[] parameter(1)\n ROOT c = {0}[] {1}(a, b)\n}}\n"
                    "ENTRY e {{\n x = {0}{2} parameter(0)\n start = {0}[] constant(3)\n"
                    " ROOT y = {0}{3} reduce(x, start), dimensions={{{4}}}, to_apply=f\n}}\n",
                    lines.type, lines.operation, lines.operand, lines.result, lines.folded));
  }
}

TEST(CpuLarge, ColumnsByTheUnitAndInPartGiveWhatTheEvaluatorGives) {
  for (const std::string_view sizes : {"7,511", "9,512", "20,1537", "12,2048", "5,5000"}) {
    const std::string columns(sizes.substr(sizes.find(',') + 1));
    for (const std::string_view operation : {"add", "maximum"}) {
      expectEvaluated(
          fmt::format("f {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] {}(a, b)\n}}\n"
                      "ENTRY e {{\n x = f32[3,{}] parameter(0)\n start = f32[] constant(0.5)\n"
                      " ROOT y = f32[3,{}] reduce(x, start), dimensions={{1}}, to_apply=f\n}}\n",
                      operation, sizes, columns));
    }
  }
}

// Sums of columns whose rows are shared out in eight or seven parts: what they start with counts once.
TEST(CpuLarge, ColumnsOfManyRowsGiveWhatTheEvaluatorGives) {
  for (const std::string_view type : {"f32", "bf16", "f64"}) {
    for (const std::string_view sizes : {"4608,66", "3605,70"}) {
      const std::string columns(sizes.substr(sizes.find(',') + 1));
      expectEvaluated(fmt::format(
          "f {{\n a = {0}[] parameter(0)\n b = {0}[] parameter(1)\n ROOT c = {0}[] add(a, b)\n}}\n"
          "ENTRY e {{\n x = {0}[2,{1}] parameter(0)\n z = {0}[2,{1}] parameter(1)\n"
          " product = {0}[2,{1}] multiply(x, z)\n start = {0}[] constant(0.5)\n"
          " one = {0}[2,{2}] reduce(product, start), dimensions={{1}}, to_apply=f\n"
          " two = {0}[2,{2}] reduce(x, start), dimensions={{1}}, to_apply=f\n"
          " ROOT y = {0}[2,{2}] subtract(one, two)\n}}\n",
          type, sizes, columns));
    }
  }
}

TEST(CpuLarge, WorkThatAsksForMemoryAheadReachesEveryElement) {
  for (const std::string_view sizes : {"512,1024", "513,1031", "3,300000"}) {
    const std::string columns(sizes.substr(sizes.find(',') + 1));
    expectEvaluated(
        fmt::format("ENTRY e {{\n x = f32[{0}] parameter(0)\n row = f32[{1}] parameter(1)\n"
                    " rows = f32[{0}] broadcast(row), dimensions={{1}}\n sum = f32[{0}] add(x, rows)\n"
                    " ROOT y = f32[{0}] tanh(sum)\n}}\n",
                    sizes, columns));
    expectEvaluated(
        fmt::format("ENTRY e {{\n x = f32[{0}] parameter(0)\n z = f32[{0}] parameter(1)\n"
                    " t = f32[{0}] tanh(x)\n ROOT y = f32[{0}] add(t, z)\n}}\n",
                    sizes));
  }
}

TEST(CpuLarge, RowsInStagesAskForTheNextRow) {
  for (const std::string_view sizes : {"300,1025", "9,40000"}) {
    const std::string rows(sizes.substr(0, sizes.find(',')));
    expectEvaluated(fmt::format(
        "add {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}}\n"
        "ENTRY e {{\n x = f32[{0}] parameter(0)\n zero = f32[] constant(0)\n part = f32[] constant(0.001)\n"
        " parts = f32[{1}] broadcast(part), dimensions={{}}\n"
        " sum = f32[{1}] reduce(x, zero), dimensions={{1}}, to_apply=add\n mean = f32[{1}] multiply(sum, "
        "parts)\n"
        " means = f32[{0}] broadcast(mean), dimensions={{0}}\n centred = f32[{0}] subtract(x, means)\n"
        " squares = f32[{0}] multiply(centred, centred)\n"
        " square = f32[{1}] reduce(squares, zero), dimensions={{1}}, to_apply=add\n"
        " of = f32[{1}] multiply(square, parts)\n inverse = f32[{1}] rsqrt(of)\n"
        " inverses = f32[{0}] broadcast(inverse), dimensions={{0}}\n"
        " ROOT y = f32[{0}] multiply(centred, inverses)\n}}\n",
        sizes, rows));
  }
}

// Squares of 16 and, of elements of 2 bytes, of 32, whole ones and what is left over.
TEST(CpuLarge, TransposesPastTheCachesReachEveryElement) {
  struct Case {
    const char* type;
    int64_t rows, columns;
  };
  for (const auto& [type, rows, columns] : {Case{"f32", 1040, 2064},
                                            {"f32", 1048, 2096},
                                            {"bf16", 2080, 2112},
                                            {"f16", 2072, 2050},
                                            {"u8", 3000, 2808}}) {
    expectEvaluated(
        fmt::format("ENTRY e {{\n x = {0}[{1},{2}] parameter(0)\n"
                    " ROOT y = {0}[{2},{1}] transpose(x), dimensions={{1,0}}\n}}\n",
                    type, rows, columns));
  }
}

TEST(CpuLarge, WorkPastTheCachesReachesEveryElement) {
  for (const std::string_view array : {"f32[6160,1024]", "f64[49,64,1024]{2,0,1}"}) {
    expectEvaluated(
        fmt::format("ENTRY e {{\n x = {0} parameter(0)\n z = {0} parameter(1)\n"
                    " t = {0} rsqrt(x)\n ROOT y = {0} add(t, z)\n}}\n",
                    array));
  }
}

}  // namespace
}  // namespace hilo
