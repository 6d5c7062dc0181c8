// The kinds of results.def and the types of what they hold.
#pragma once

#include <cstdint>

namespace hilo {

class ModuleCost;
class ValueStudy;
struct Divergence;
struct LayoutStudy;
struct ModuleBuffers;
struct ModuleCaveats;
struct Partitioning;
struct PeakStudy;

enum class ResultKind : uint8_t {
#define RESULT(kind, type, tag, title, failure) kind,
#define GIVEN(kind, type) kind,
#include "core/workspace/session/results.def"
#undef GIVEN
#undef RESULT
};

template <ResultKind kind>
struct ResultTraits;
#define GIVEN(kind, type)                 \
  template <>                             \
  struct ResultTraits<ResultKind::kind> { \
    using Type = type;                    \
  };
#define RESULT(kind, type, tag, title, failure) GIVEN(kind, type)
#include "core/workspace/session/results.def"
#undef GIVEN
#undef RESULT

// What a result of this kind is: `const ModuleCost` of ResultKind::Cost.
template <ResultKind kind>
using ResultOf = typename ResultTraits<kind>::Type;

}  // namespace hilo
