#include "tests/support/layered_module.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr int kPerLayer = 20;

std::string layer(int n) {
  return fmt::format(R"(
  d.{0} = f32[8,16] dot(h.{0}, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  b.{0} = f32[8,16] broadcast(bias), dimensions={{1}}
  s.{0} = f32[8,16] add(d.{0}, b.{0})
  t.{0} = f32[8,16] tanh(s.{0})
  n.{0} = f32[8,16] negate(t.{0})
  e.{0} = f32[8,16] exponential(n.{0})
  one.{0} = f32[] constant(1)
  ones.{0} = f32[8,16] broadcast(one.{0}), dimensions={{}}
  p.{0} = f32[8,16] add(e.{0}, ones.{0})
  q.{0} = f32[8,16] divide(ones.{0}, p.{0})
  m.{0} = f32[8,16] multiply(t.{0}, q.{0})
  low.{0} = f32[] constant(-100)
  top.{0} = f32[8] reduce(m.{0}, low.{0}), dimensions={{1}}, to_apply=max
  tops.{0} = f32[8,16] broadcast(top.{0}), dimensions={{0}}
  z.{0} = f32[8,16] subtract(m.{0}, tops.{0})
  turned.{0} = f32[16,8] transpose(z.{0}), dimensions={{1,0}}
  flat.{0} = f32[128] reshape(turned.{0})
  back.{0} = f32[16,8] reshape(flat.{0})
  y.{0} = f32[8,16] transpose(back.{0}), dimensions={{1,0}}
  h.{1} = f32[8,16] add(h.{0}, y.{0})
)",
                     n, n + 1);
}

}  // namespace

std::unique_ptr<Module> makeLayeredModule(int instructions) {
  const int layers = (instructions + kPerLayer - 1) / kPerLayer;
  std::string text = R"(HloModule layers
max {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b)
}
ENTRY main {
  h.0 = f32[8,16] parameter(0)
  w = f32[16,16] parameter(1)
  bias = f32[16] parameter(2)
)";
  for (int n = 0; n < layers; ++n) text += layer(n);
  text += fmt::format("  ROOT out = f32[8,16] copy(h.{})\n}}\n", layers);
  auto module = parseModuleStrictly(text);
  CHECK(module.has_value());
  return std::move(*module);
}

}  // namespace hilo
