#include "app/pjrt/functions.h"

namespace hilo {
namespace {

PjrtError* errorOf(const PjrtEvent& event) { return event.error ? makeError(*event.error) : nullptr; }

Status destroy(PjrtEventArgs& in) {
  delete in.event;
  return {};
}

Status isReady(PjrtEventReady& in) {
  const std::lock_guard lock(in.event->mutex);
  in.isReady = in.event->isDone;
  return {};
}

Status error(PjrtEventArgs& in) {
  const std::lock_guard lock(in.event->mutex);
  if (!in.event->isDone) return fail("not-ready", "the event is not over yet");
  return in.event->error ? Status(std::unexpected(*in.event->error)) : Status();
}

Status await(PjrtEventArgs& in) {
  std::unique_lock lock(in.event->mutex);
  in.event->changed.wait(lock, [&] { return in.event->isDone; });
  return in.event->error ? Status(std::unexpected(*in.event->error)) : Status();
}

Status onReady(PjrtEventOnReady& in) {
  {
    const std::lock_guard lock(in.event->mutex);
    if (!in.event->isDone) {
      in.event->waiting.emplace_back(in.callback, in.user);
      return {};
    }
  }
  in.callback(errorOf(*in.event), in.user);
  return {};
}

Status create(PjrtEventArgs& in) {
  in.event = new PjrtEvent;
  return {};
}

Status set(PjrtEventSet& in) {
  decltype(in.event->waiting) waiting;
  {
    const std::lock_guard lock(in.event->mutex);
    if (in.event->isDone) return fail("event-set", "the event is over already");
    if (in.code != PjrtCode::Ok)
      in.event->error = fail("event", std::string(in.message.data, in.message.size)).error();
    in.event->isDone = true;
    waiting.swap(in.event->waiting);
  }
  in.event->changed.notify_all();
  for (const auto& [callback, user] : waiting) callback(errorOf(*in.event), user);
  return {};
}

}  // namespace

PjrtEvent* doneEvent() {
  auto* event = new PjrtEvent;
  event->isDone = true;
  return event;
}

std::span<const PjrtFunctionRow> eventRows() {
  using enum PjrtFunction;
  static constexpr PjrtFunctionRow kRows[] = {
      row<Event_Destroy, destroy>(), row<Event_IsReady, isReady>(), row<Event_Error, error>(),
      row<Event_Await, await>(),     row<Event_OnReady, onReady>(), row<Event_Create, create>(),
      row<Event_Set, set>(),
  };
  return kRows;
}

}  // namespace hilo
