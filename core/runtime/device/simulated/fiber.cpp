#include "core/runtime/device/simulated/fiber.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>

#include "core/base/check.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HILO_FIBERS_TOLD 1
// Its locals must stay when AddressSanitizer's second stack of a fiber goes away, while it is left for good.
#define HILO_LEAVES_FIBER __attribute__((no_sanitize("address")))
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif
#endif
#ifndef HILO_LEAVES_FIBER
#define HILO_LEAVES_FIBER
#endif

namespace hilo {
namespace {

constexpr size_t kPage = 4096;

struct Switch {
  Fiber* from;
  Fiber* to;
  void* fakeStack = nullptr;
};

#ifdef HILO_FIBERS_TOLD
HILO_LEAVES_FIBER void tellLeave(Switch& leaving, bool forGood) {
  const void* bottom = leaving.to->stack;
  size_t bytes = leaving.to->stackBytes;
  if (bottom == nullptr) {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    void* lowest = nullptr;
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    bottom = lowest;
  }
  __sanitizer_start_switch_fiber(forGood ? nullptr : &leaving.fakeStack, bottom, bytes);
}
void tellArrival(void* fakeStack) { __sanitizer_finish_switch_fiber(fakeStack, nullptr, nullptr); }
#else
void tellLeave(Switch&, bool) {}
void tellArrival(void*) {}
#endif

void enter(boost::context::detail::transfer_t transfer) {
  tellArrival(nullptr);
  const Switch& arrived = *static_cast<const Switch*>(transfer.data);
  arrived.from->context = transfer.fctx;
  Fiber& self = *arrived.to;
  self.run(self.argument);
}

}  // namespace

void beginFiber(Fiber& fiber) {
  fiber.context =
      boost::context::detail::make_fcontext(fiber.stack + fiber.stackBytes, fiber.stackBytes, enter);
}

HILO_LEAVES_FIBER void switchFiber(Fiber& from, Fiber& to) {
  Switch leaving{&from, &to};
  tellLeave(leaving, false);
  const auto transfer = boost::context::detail::jump_fcontext(to.context, &leaving);
  tellArrival(leaving.fakeStack);
  static_cast<const Switch*>(transfer.data)->from->context = transfer.fctx;
}

HILO_LEAVES_FIBER void endFiber(Fiber& ended, Fiber& to) {
  Switch leaving{&ended, &to};
  tellLeave(leaving, true);
  boost::context::detail::jump_fcontext(to.context, &leaving);
  checkFailed(__FILE__, __LINE__, "a fiber that ended went on");
}

Status FiberStacks::make(size_t count, size_t bytes) {
  bytes_ = (bytes + kPage - 1) / kPage * kPage;
  pitch_ = bytes_ + kPage;
  count_ = count;
  void* memory = mmap(nullptr, count_ * pitch_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return fail("out-of-memory", fmt::format("no stacks of {} bytes for {} threads of a grid", bytes, count));
  base_ = static_cast<std::byte*>(memory);
  for (size_t i = 0; i < count_; ++i) {
    if (mprotect(base_ + i * pitch_, kPage, PROT_NONE) != 0)
      return fail("out-of-memory", fmt::format("{} stacks are more than the system keeps apart", count));
  }
  return {};
}

FiberStacks::~FiberStacks() {
  if (base_ != nullptr) munmap(base_, count_ * pitch_);
}

}  // namespace hilo
