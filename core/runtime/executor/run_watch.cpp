#include "core/runtime/executor/run_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo {
namespace {

thread_local const RunWatch::Frame* innermostFrame = nullptr;

}  // namespace

RunWatch::Frame::Frame(RunWatch* watch, int64_t device)
    : watch_(watch), device_(device), outer_(innermostFrame) {
  if (watch_ == nullptr) return;
  innermostFrame = this;
  const std::lock_guard lock(watch_->mutex_);
  watch_->frames_.push_back(this);
}

RunWatch::Frame::~Frame() {
  if (watch_ == nullptr) return;
  innermostFrame = outer_;
  const std::lock_guard lock(watch_->mutex_);
  std::erase(watch_->frames_, this);
}

const Thunk* RunWatch::innermost() {
  return innermostFrame == nullptr ? nullptr : innermostFrame->thunk_.load(std::memory_order_relaxed);
}

void RunWatch::setCommunicator(const Communicator* communicator) {
  const std::lock_guard lock(mutex_);
  communicator_ = communicator;
}

std::vector<std::string> RunWatch::describe() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  if (communicator_ == nullptr) return lines;
  for (const Frame* frame : frames_) {
    const bool isInner = std::ranges::none_of(frames_, [&](const Frame* f) { return f->outer_ == frame; });
    if (!isInner) continue;
    std::string chain;
    for (const Frame* at = frame; at != nullptr; at = at->outer_) {
      const Thunk* thunk = at->thunk_.load(std::memory_order_relaxed);
      if (thunk == nullptr) continue;
      chain = fmt::format("{} ({}){}{}", thunk->name, thunkKindName(thunk->kind()),
                          chain.empty() ? "" : " > ", chain);
    }
    if (chain.empty()) continue;
    const std::string wait = communicator_->waitOf(frame->device_);
    lines.push_back(fmt::format("{}: {}{}{}", communicator_->nameOf(frame->device_), chain,
                                wait.empty() ? "" : ", ", wait));
  }
  std::ranges::sort(lines);
  return lines;
}

}  // namespace hilo
