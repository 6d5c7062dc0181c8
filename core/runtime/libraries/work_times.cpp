#include "core/runtime/libraries/work_times.h"

#include <cstring>
#include <mutex>
#include <new>

namespace hilo {
namespace {

constexpr CuptiKind kKinds[] = {CuptiKind::Mark, CuptiKind::Kernel, CuptiKind::Copy, CuptiKind::Fill};
constexpr size_t kBufferBytes = size_t{1} << 20;

// What CUPTI told. Its callbacks are given nothing of ours, so there is one for the process.
struct Told {
  std::mutex switching;  // CUPTI on and off; never taken by its callbacks
  uint32_t runs = 0, living = 0;
  CuptiFunctions functions;
  std::mutex mutex;                    // of what follows
  std::map<uint32_t, uint64_t> marks;  // by call
  std::map<uint32_t, WorkSpan> works;  // by call
};
Told& told() {
  static Told all;
  return all;
}

template <typename Record>
Record readAs(const std::byte* record) {
  Record read;
  std::memcpy(&read, record, sizeof(Record));
  return read;
}

void take(Told& to, const std::byte* record) {
  const auto kind = readAs<CuptiKind>(record);
  if (kind == CuptiKind::Mark) {
    const auto mark = readAs<CuptiMark>(record);
    if (mark.kindOfMark == kCuptiOwnMarks) to.marks[mark.call] = mark.mark;
    return;
  }
  if (kind != CuptiKind::Kernel && kind != CuptiKind::Copy && kind != CuptiKind::Fill) return;
  const auto work = readAs<CuptiWork>(record);
  const auto call = readAs<uint32_t>(record + (kind == CuptiKind::Kernel ? kCallOfKernel : kCallOfCopy));
  if (work.startNs == 0 || work.endNs < work.startNs) return;
  to.works[call] = {static_cast<int64_t>(work.startNs), static_cast<int64_t>(work.endNs)};
}

void bufferWanted(std::byte** buffer, size_t* bytes, size_t* mostRecords) {
  *buffer = new (std::nothrow) std::byte[kBufferBytes];
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *mostRecords = 0;  // as many as fit
}

void bufferFilled(void*, uint32_t, std::byte* buffer, size_t, size_t filled) {
  const std::unique_ptr<std::byte[]> owned(buffer);
  Told& to = told();
  const std::lock_guard lock(to.mutex);
  std::byte* record = nullptr;
  while (filled > 0 && to.functions.next.pointer(buffer, filled, &record) == 0) take(to, record);
}

Status enableAll(const LoadedLibrary& library, const CuptiFunctions& functions) {
  TRY_STATUS(library.call(functions.setCallbacks, &bufferWanted, &bufferFilled));
  for (const CuptiKind kind : kKinds) {
    const Status enabled = library.call(functions.enable, static_cast<int>(kind));
    if (enabled) continue;
    for (const CuptiKind earlier : kKinds) functions.disable.pointer(static_cast<int>(earlier));
    return enabled;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<WorkTimes>> WorkTimes::start(const LibrarySearch& search) {
  TRY(LoadedLibrary library,
      LoadedLibrary::open("Cupti", "CUPTI",
                          "the CUDA toolkit (cuda-cupti), or the Python package nvidia-cuda-cupti", search));
  CuptiFunctions functions;
#define LIBRARY_FUNCTION HILO_LIBRARY_FIND
#include "core/runtime/libraries/cupti_functions.def"
  Told& all = told();
  const std::lock_guard lock(all.switching);
  if (all.living == 0) {
    all.functions = functions;
    TRY_STATUS(enableAll(library, functions));
  }
  ++all.living;
  return std::unique_ptr<WorkTimes>(new WorkTimes(std::move(library), functions, ++all.runs));
}

// Records that come later are of nobody.
WorkTimes::~WorkTimes() {
  Told& all = told();
  const std::lock_guard lock(all.switching);
  if (--all.living > 0) return;
  for (const CuptiKind kind : kKinds) functions_.disable.pointer(static_cast<int>(kind));
  const std::lock_guard emptying(all.mutex);
  all.marks.clear();
  all.works.clear();
}

Status WorkTimes::mark(uint32_t number, const std::function<Status()>& work) const {
  const uint64_t mark = (static_cast<uint64_t>(run_) << 32) | number;
  TRY_STATUS(library_.call(functions_.push, kCuptiOwnMarks, mark));
  Status done = work();
  uint64_t popped = 0;
  const Status ended = library_.call(functions_.pop, kCuptiOwnMarks, &popped);
  return done ? ended : done;
}

Result<std::map<uint32_t, WorkSpan>> WorkTimes::spans() const {
  TRY_STATUS(library_.call(functions_.flush, uint32_t{0}));
  Told& all = told();
  const std::lock_guard lock(all.mutex);
  std::map<uint32_t, WorkSpan> spans;
  for (const auto& [call, mark] : all.marks) {
    const auto work = all.works.find(call);
    if (mark >> 32 != run_ || work == all.works.end()) continue;
    const auto [span, isFirst] = spans.try_emplace(static_cast<uint32_t>(mark), work->second);
    if (isFirst) continue;
    span->second.startNs = std::min(span->second.startNs, work->second.startNs);
    span->second.endNs = std::max(span->second.endNs, work->second.endNs);
  }
  return spans;
}

}  // namespace hilo
