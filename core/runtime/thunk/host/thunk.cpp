#include "core/runtime/thunk/host/thunk.h"

#include "core/base/check.h"

namespace hilo {

Status execute(const Thunk& thunk, const ThunkContext& context) {
  switch (thunk.kind()) {
#define THUNK(name, ...) \
  case ThunkKind::name:  \
    return execute(std::get<name##Thunk>(thunk.body), context);
    HILO_THUNKS(THUNK)
#undef THUNK
  }
  checkFailed(__FILE__, __LINE__, "kind of thunk", thunk.name);
}

}  // namespace hilo
