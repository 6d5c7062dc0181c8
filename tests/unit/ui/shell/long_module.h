// For tests of work under way, which the test ends.
#pragma once

#include <QByteArray>

#include "tests/support/module_text.h"

namespace hilo {

// Takes an f32 through two thousand million turns of a loop.
inline QByteArray longModule() {
  return QByteArray::fromStdString("HloModule long\n" +
                                   countingLoop("f32[]", 2'000'000'000, "w = f32[] sine(v)") + R"(
ENTRY e { zero = s32[] constant(0)
  x = f32[] parameter(0)
  start = (s32[], f32[]) tuple(zero, x)
  l = (s32[], f32[]) while(start), condition=condition, body=body
  ROOT r = f32[] get-tuple-element(l), index=1 }
)");
}

}  // namespace hilo
