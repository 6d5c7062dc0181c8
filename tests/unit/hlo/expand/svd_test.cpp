// Singular values known beforehand, U S V* = A, and columns at right angles, for every form and type.
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

struct Form {
  const char* target;
  const char* type;
  int m, n;
  const char* config;
  int uColumns, vColumns;  // as many as the results have
  enum { AdjointLast, AdjointFirst, Plain } order = AdjointLast;
};
void PrintTo(const Form& f, std::ostream* out) {
  *out << f.target << " " << f.type << " " << f.m << "x" << f.n;
}

class Svd : public testing::TestWithParam<Form> {};

// A call on two matrices; behind it |U S V* - A|, |U* U - 1| and |V* V - 1| as sums of magnitudes, and S.
std::string module(const Form& f) {
  const std::string t = f.type, r = t == "c64" ? "f32" : t == "c128" ? "f64" : t;
  const int k = std::min(f.m, f.n);
  const std::string u = fmt::format("{}[2,{},{}]", t, f.m, f.uColumns),
                    v = fmt::format("{}[2,{},{}]", t, f.n, f.vColumns),
                    adjoint = fmt::format("{}[2,{},{}]", t, f.vColumns, f.n),
                    a = fmt::format("{}[2,{},{}]", t, f.m, f.n), s = fmt::format("{}[2,{}]", r, k);
  const std::string third = f.order == Form::AdjointFirst ? adjoint : u,
                    fourth = f.order == Form::AdjointFirst ? u
                             : f.order == Form::Plain      ? v
                                                           : adjoint;
  const bool isComplex = t[0] == 'c';
  const auto conjugate = [&](const std::string& name, const std::string& of, const std::string& shape) {
    if (!isComplex) return fmt::format("{} = {} copy({})\n", name, shape, of);
    const std::string parts = r + shape.substr(shape.find('['));
    return fmt::format(
        "{0}r = {2} real({1})\n{0}i = {2} imag({1})\n{0}n = {2} negate({0}i)\n{0} = {3} complex({0}r, "
        "{0}n)\n",
        name, of, parts, shape);
  };
  std::string text = "HloModule m\nsum { p = " + r + "[] parameter(0)\nq = " + r +
                     "[] parameter(1)\nROOT z = " + r + "[] add(p, q) }\nENTRY e {\na = " + a +
                     " parameter(0)\n";
  text += fmt::format(
      "c = ({}, {}, {}, {}, s32[2]) custom-call(a), custom_call_target=\"{}\", "
      "api_version=API_VERSION_TYPED_FFI, "
      "backend_config={{{}}}\ns = {} get-tuple-element(c), index=1\nx = {} get-tuple-element(c), index=2\n"
      "y = {} get-tuple-element(c), index=3\n",
      a, s, third, fourth, f.target, f.config, s, third, fourth);
  text += f.order == Form::AdjointFirst ? "u = " + u + " copy(y)\nva = " + adjoint + " copy(x)\n"
                                        : "u = " + u + " copy(x)\n";
  if (f.order == Form::AdjointLast) text += "va = " + adjoint + " copy(y)\n";
  if (f.order == Form::Plain)
    text +=
        fmt::format("vt = {} transpose(y), dimensions={{0,2,1}}\n", adjoint) + conjugate("va", "vt", adjoint);
  text += fmt::format(
      "us = {0}[2,{1},{2}] slice(u), slice={{[0:2], [0:{1}], [0:{2}]}}\nvs = {0}[2,{2},{3}] slice(va), "
      "slice={{[0:2], [0:{2}], "
      "[0:{3}]}}\nsc = {0}[2,{2}] convert(s)\nsw = {0}[2,{1},{2}] broadcast(sc), dimensions={{0,2}}\nw = "
      "{0}[2,{1},{2}] "
      "multiply(us, sw)\nmade = {4} dot(w, vs), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, "
      "lhs_contracting_dims={{2}}, "
      "rhs_contracting_dims={{1}}\noff = {4} subtract(made, a)\n",
      t, f.m, k, f.n, a);
  const auto identity = [&](const std::string& name, const std::string& of, const std::string& shape,
                            int summed, int size) {
    const std::string square = fmt::format("{}[2,{},{}]", t, size, size);
    text += conjugate(name + "c", of, shape);
    text += fmt::format(
        "{0}p = {1} dot({0}c, {2}), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, "
        "lhs_contracting_dims={{{3}}}, "
        "rhs_contracting_dims={{{3}}}\n{0}x = s32[2,{4},{4}] iota(), iota_dimension=1\n{0}y = s32[2,{4},{4}] "
        "iota(), "
        "iota_dimension=2\n{0}e = pred[2,{4},{4}] compare({0}x, {0}y), direction=EQ\n{0}1 = {1} "
        "convert({0}e)\n{0}o = {1} "
        "subtract({0}p, {0}1)\n",
        name, square, of, summed, size);
    return square;
  };
  const std::string uu = identity("uu", "u", u, 1, f.uColumns),
                    vv = identity("vv", "va", adjoint, 2, f.vColumns);
  std::string results = "zero = " + r + "[] constant(0)\n";
  for (const auto& [name, shape] : {std::pair{std::string("off"), a}, std::pair{std::string("uuo"), uu},
                                    std::pair{std::string("vvo"), vv}}) {
    results += fmt::format(
        "{0}m = {1} abs({0})\n{0}s = {2}[] reduce({0}m, zero), dimensions={{0,1,2}}, to_apply=sum\n", name,
        r + shape.substr(shape.find('[')), r);
  }
  return text + results +
         fmt::format("ROOT t = ({0}[], {0}[], {0}[], {1}) tuple(offs, uuos, vvos, s)\n}}\n", r, s);
}

// The second one of rank one.
std::string argument(const Form& f) {
  std::string text = fmt::format("{}[2,{},{}] {{", f.type, f.m, f.n);
  for (int b = 0; b < 2; ++b) {
    text += b == 0 ? "{" : ",{";
    for (int i = 0; i < f.m; ++i) {
      text += i == 0 ? "{" : ",{";
      for (int j = 0; j < f.n; ++j) {
        const double re = b == 0 ? (i * 7 + j * 5 + i * j) % 11 - 5 : (i + 1) * (j - 2),
                     im = b == 0 ? (i * 3 + j) % 5 - 2 : 0;
        text += j == 0 ? "" : ",";
        text += f.type[0] == 'c' ? fmt::format("({},{})", re, im) : fmt::format("{}", re);
      }
      text += "}";
    }
    text += "}";
  }
  return text + "}";
}

TEST_P(Svd, MakesTheMatrix) {
  const Form& f = GetParam();
  const auto got = evalText(module(f), {argument(f)});
  ASSERT_TRUE(got.has_value()) << toString(got.error());
  const bool isWide = std::string_view(f.type) == "f64" || std::string_view(f.type) == "c128";
  for (const size_t i : {0, 1, 2}) EXPECT_LT(valuesOf(got->elements()[i])[0], isWide ? 1e-12 : 2e-3) << i;
  const auto values = valuesOf(got->elements()[3]);
  const auto k = static_cast<size_t>(std::min(f.m, f.n));
  for (size_t i = 1; i < k; ++i) EXPECT_LE(values[i], values[i - 1]);
  // Of rank one the only value is the product of both vectors' lengths.
  double rows = 0, columns = 0;
  for (int i = 0; i < f.m; ++i) rows += (i + 1) * (i + 1);
  for (int j = 0; j < f.n; ++j) columns += (j - 2) * (j - 2);
  EXPECT_NEAR(values[k], std::sqrt(rows * columns), isWide ? 1e-12 : 1e-4);
  if (k > 1) EXPECT_NEAR(values[k + 1], 0, isWide ? 1e-12 : 1e-4);
}

const char* const kWhole = "compute_uv = true, full_matrices = true, transposed = false";
INSTANTIATE_TEST_SUITE_P(Forms, Svd,
                         testing::Values(Form{"lapack_dgesdd_ffi", "f64", 5, 3, "mode = 83 : ui8", 3, 3},
                                         Form{"lapack_dgesdd_ffi", "f64", 5, 3, "mode = 65 : ui8", 5, 3},
                                         Form{"lapack_dgesdd_ffi", "f64", 3, 6, "mode = 65 : ui8", 3, 6},
                                         Form{"lapack_sgesdd_ffi", "f32", 4, 4, "mode = 65 : ui8", 4, 4},
                                         Form{"lapack_zgesdd_ffi", "c128", 3, 6, "mode = 83 : ui8", 3, 3},
                                         Form{"lapack_cgesdd_ffi", "c64", 6, 4, "mode = 83 : ui8", 4, 4},
                                         Form{"lapack_dgesdd_ffi", "f64", 4, 1, "mode = 65 : ui8", 4, 1},
                                         Form{"cusolver_gesvd_ffi", "c128", 5, 4, kWhole, 5, 4},
                                         Form{"cusolver_gesvd_ffi", "c128", 3, 5,
                                              "compute_uv = true, full_matrices = true, transposed = true", 3,
                                              5, Form::AdjointFirst},
                                         Form{"hipsolver_gesdd_ffi", "f64", 4, 4, kWhole, 4, 4},
                                         Form{"cusolver_gesvdj_ffi", "c128", 4, 3,
                                              "compute_uv = true, full_matrices = true", 4, 3, Form::Plain},
                                         Form{"cusolver_gesvdj_ffi", "f64", 3, 7,
                                              "compute_uv = true, full_matrices = false", 3, 3,
                                              Form::Plain}));

// [[3,0],[4,5]] has the values sqrt(45) and sqrt(5).
TEST(SingularValues, Known) {
  const auto call = [](const std::string& config) {
    return "a = f64[2,2] parameter(0)\nROOT c = (f64[2,2], f64[2], f64[2,2], f64[2,2], s32[]) "
           "custom-call(a), "
           "custom_call_target=\"lapack_dgesdd_ffi\", api_version=API_VERSION_TYPED_FFI, backend_config={" +
           config + "}";
  };
  expectNear(call("mode = 65 : ui8"), {"f64[2,2] {{3,0},{4,5}}"}, {std::sqrt(45), std::sqrt(5)}, 1e-14, 1);
  expectNear(call("mode = 78 : ui8"), {"f64[2,2] {{3,0},{4,5}}"}, {std::sqrt(45), std::sqrt(5)}, 1e-14, 1);
  expectNear(call("mode = 78 : ui8"), {"f64[2,2] {{3,0},{4,5}}"}, {0, 0, 0, 0}, 0, 2);
  // Small and large numbers alike.
  expectNear(call("mode = 78 : ui8"), {"f64[2,2] {{3e-200,0},{4e-200,5e-200}}"},
             {std::sqrt(45) * 1e-200, std::sqrt(5) * 1e-200}, 1e-214, 1);
  expectNear(call("mode = 78 : ui8"), {"f64[2,2] {{0,0},{0,0}}"}, {0, 0}, 0, 1);
}

TEST(SingularValues, OneMatrixIsAsInABatch) {
  const auto text = [](const std::string& batch, const std::string& values, const std::string& info) {
    return fmt::format(
        "a = f32[{0}3,3] parameter(0)\nROOT c = (f32[{0}3,3], f32[{1}], f32[{0}3,3], f32[{0}3,3], s32[{2}]) "
        "custom-call(a), custom_call_target=\"lapack_sgesdd_ffi\", api_version=API_VERSION_TYPED_FFI, "
        "backend_config={{mode = 65 : ui8}}",
        batch, values, info);
  };
  const std::vector<std::string> matrices = {"{{1,2,3},{4,5,6},{7,8,10}}", "{{2,0,1},{0,3,0},{1,0,2}}",
                                             "{{1,1,1},{0,1,1},{0,0,1}}"};
  const auto together =
      evalText(text("3,", "3,3", "3"), {fmt::format("f32[3,3,3] {{{}}}", fmt::join(matrices, ","))});
  ASSERT_TRUE(together.has_value());
  for (size_t i = 0; i < 3; ++i) {
    const auto alone = evalText(text("", "3", ""), {"f32[3,3] " + matrices[i]});
    ASSERT_TRUE(alone.has_value());
    for (const size_t result : {1, 2, 3}) {
      const auto all = valuesOf(together->elements()[result]), own = valuesOf(alone->elements()[result]);
      const size_t size = own.size();
      for (size_t n = 0; n < size; ++n) EXPECT_NEAR(all[i * size + n], own[n], 2e-6) << result;
    }
  }
}

}  // namespace
}  // namespace hilo
