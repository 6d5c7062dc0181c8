#include <dlfcn.h>

#include "core/base/check.h"
#include "tests/unit/runtime/device/cuda/fake_driver.h"

namespace hilo {

FakeDriver& newFakeDriver() {
  void* library = dlopen(HILO_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  CHECK(library != nullptr);
  auto* state = static_cast<FakeDriver*>(dlsym(library, "fakeDriverState"));
  CHECK(state != nullptr);
  *state = FakeDriver();
  // An H100 in what tests ask of it.
  state->attributes = {{1, 1024}, {8, 49152},   {10, 32}, {16, 132}, {75, 9},
                       {76, 0},   {97, 232448}, {115, 1}, {120, 1}};
  return *state;
}

std::shared_ptr<const Driver> loadFakeDriver() {
  auto driver = Driver::load(HILO_FAKE_DRIVER);
  CHECK(driver.has_value());
  return *driver;
}

}  // namespace hilo
