// Eigenvalues known beforehand, and V D V* = A.
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

std::string call(const std::string& type, const std::string& real, const std::string& sizes,
                 const std::string& many, const std::string& config) {
  return fmt::format(
      "a = {0}[{2}] parameter(0)\nROOT c = ({0}[{2}], {1}[{3}], s32[{4}]) custom-call(a), "
      "custom_call_target=\"cusolver_syevd_ffi\", api_version=API_VERSION_TYPED_FFI, "
      "backend_config={{algorithm = 0 : ui8, {5}}}",
      type, real, sizes, many, many.find(',') == many.npos ? "" : many.substr(0, many.find(',')), config);
}

TEST(Eigen, OfTwoByTwo) {
  // [[2,1],[1,2]] has 1 and 3; only the triangle that is asked for is read.
  expectNear(call("f64", "f64", "2,2", "2", "lower = true"), {"f64[2,2] {{2,9},{1,2}}"}, {1, 3}, 1e-14, 1);
  expectNear(call("f64", "f64", "2,2", "2", "lower = false"), {"f64[2,2] {{2,1},{9,2}}"}, {1, 3}, 1e-14, 1);
  // [[1,-2i],[2i,1]] has -1 and 3.
  expectNear(call("c64", "f32", "2,2", "2", "lower = true"), {"c64[2,2] {{(1,0),(0,0)},{(0,2),(1,0)}}"},
             {-1, 3}, 1e-6, 1);
}

TEST(Eigen, OfOneNumberAndOfDiagonals) {
  expectEval(call("f32", "f32", "1,1", "1", "lower = true"), {"f32[1,1] {{5}}"},
             {"f32[1,1] {{1}}", "f32[1] {5}", "s32[] 0"});
  expectEval(call("f32", "f32", "3,3", "3", "lower = true"), {"f32[3,3] {{3,0,0},{0,1,0},{0,0,2}}"},
             {"f32[3,3] {{0,0,1},{1,0,0},{0,1,0}}", "f32[3] {1,2,3}", "s32[] 0"});
}

// The path of n places: 2 - 2 cos(k pi / (n + 1)), for an odd and an even n, two matrices at a time.
TEST(Eigen, OfChains) {
  for (const int n : {5, 8}) {
    std::string rows, two;
    for (int i = 0; i < n; ++i) {
      rows += i == 0 ? "{" : ",{";
      for (int j = 0; j < n; ++j)
        rows += fmt::format("{}{}", j == 0 ? "" : ",", i == j ? 2 : std::abs(i - j) == 1 ? -1 : 0);
      rows += "}";
    }
    std::vector<double> expected;
    for (int k = 1; k <= n; ++k) expected.push_back(2 - 2 * std::cos(k * M_PI / (n + 1)));
    const std::vector<double> one = expected;
    expected.insert(expected.end(), one.begin(), one.end());
    expectNear(call("f64", "f64", fmt::format("2,{0},{0}", n), fmt::format("2,{}", n), "lower = true"),
               {fmt::format("f64[2,{0},{0}] {{{{{1}}},{{{1}}}}}", n, rows)}, expected, 1e-13, 1);
  }
}

TEST(Eigen, VectorsMakeTheMatrix) {
  const std::string text = R"(a = c128[3,3] parameter(0)
f = (c128[3,3], f64[3], s32[]) custom-call(a), custom_call_target="lapack_zheevd_ffi", api_version=API_VERSION_TYPED_FFI, backend_config={mode = 86 : ui8, uplo = 76 : ui8}
v = c128[3,3] get-tuple-element(f), index=0
d = f64[3] get-tuple-element(f), index=1
z = f64[] constant(0)
zs = f64[3] broadcast(z), dimensions={}
dc = c128[3] complex(d, zs)
dw = c128[3,3] broadcast(dc), dimensions={1}
vd = c128[3,3] multiply(v, dw)
re = f64[3,3] real(v)
im = f64[3,3] imag(v)
minus = f64[3,3] negate(im)
bar = c128[3,3] complex(re, minus)
made = c128[3,3] dot(vd, bar), lhs_contracting_dims={1}, rhs_contracting_dims={1}
off = c128[3,3] subtract(made, a)
size = f64[3,3] abs(off)
vv = c128[3,3] dot(bar, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}
vr = f64[3,3] abs(vv)
ROOT t = (f64[3,3], f64[3,3]) tuple(size, vr))";
  const std::string a = "c128[3,3] {{(2,0),(1,-1),(0,0.5)},{(1,1),(-1,0),(3,-2)},{(0,-0.5),(3,2),(0.5,0)}}";
  expectNear(text, {a}, std::vector<double>(9, 0.0), 1e-14, 0);
  expectNear(text, {a}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, 1e-14, 1);
}

}  // namespace
}  // namespace hilo
