// The kernel add_s32 of reducers.c as PTX: sum[i] += value[i] for every thread i.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace hilo {

inline constexpr std::string_view kAddPtx = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry add_s32(.param .u64 value, .param .u64 sum) {
  .reg .b32 %r<8>;
  .reg .b64 %a<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %a1, [value];
  ld.param.u64 %a2, [sum];
  mul.wide.u32 %a3, %r4, 4;
  add.u64 %a4, %a1, %a3;
  add.u64 %a5, %a2, %a3;
  ld.global.u32 %r5, [%a4];
  ld.global.u32 %r6, [%a5];
  add.u32 %r7, %r5, %r6;
  st.global.u32 [%a5], %r7;
  ret;
}
)";

inline std::vector<std::byte> addPtx() {
  const auto bytes = std::as_bytes(std::span(kAddPtx));
  return {bytes.begin(), bytes.end()};
}

}  // namespace hilo
