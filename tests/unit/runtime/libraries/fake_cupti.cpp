// A CUPTI for which each mark that is popped, if nothing was marked within, was the mark of two kernels and a
// copy: they ran for 100 ns each, one after the other, 1000 ns after those of the mark before. Records of
// what it was not told to keep it does not make.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "core/runtime/libraries/work_times.h"

namespace hilo::fake_cupti {

#define LIBRARY_FUNCTION(name, symbol, ...) int name(__VA_ARGS__) __asm__(symbol);
#include "core/runtime/libraries/cupti_functions.def"

constexpr size_t kRecordBytes = 128;
CuptiBufferWanted* wantedBuffer = nullptr;
CuptiBufferFilled* filledBuffer = nullptr;
std::set<int> kinds;
std::vector<uint64_t> marks;
std::vector<std::byte> records;
uint32_t calls = 0;
uint64_t now = 5000;
bool isInnermost = false;

template <typename T>
void put(std::byte* at, const T& value) {
  std::memcpy(at, &value, sizeof(T));
}

void addWork(CuptiKind kind, uint64_t mark) {
  if (!kinds.contains(static_cast<int>(kind)) || !kinds.contains(static_cast<int>(CuptiKind::Mark))) return;
  std::byte work[kRecordBytes] = {}, of[kRecordBytes] = {};
  put(work, CuptiWork{.kind = kind, .ofKind = {}, .startNs = now, .endNs = now + 100});
  put(work + (kind == CuptiKind::Kernel ? 92 : 44), ++calls);
  put(of, CuptiMark{CuptiKind::Mark, 3, mark, calls});
  // Of copies the mark comes behind the work.
  for (const std::byte* one : {kind == CuptiKind::Kernel ? of : work, kind == CuptiKind::Kernel ? work : of})
    records.insert(records.end(), one, one + kRecordBytes);
  now += 100;
}

int setCallbacks(CuptiBufferWanted* wanted, CuptiBufferFilled* filled) {
  wantedBuffer = wanted;
  filledBuffer = filled;
  return 0;
}
int enable(int kind) {
  kinds.insert(kind);
  return 0;
}
int disable(int kind) {
  kinds.erase(kind);
  return 0;
}
int push(int, uint64_t mark) {
  marks.push_back(mark);
  isInnermost = true;
  return 0;
}
int pop(int, uint64_t* mark) {
  if (marks.empty()) return 1;
  *mark = marks.back();
  marks.pop_back();
  if (!isInnermost) return 0;
  isInnermost = false;
  now += 700;
  for (const CuptiKind kind : {CuptiKind::Kernel, CuptiKind::Copy, CuptiKind::Kernel}) addWork(kind, *mark);
  return 0;
}
// A buffer for each three records.
int flush(uint32_t) {
  for (size_t from = 0; from < records.size(); from += 3 * kRecordBytes) {
    std::byte* buffer = nullptr;
    size_t bytes = 0, most = 0;
    wantedBuffer(&buffer, &bytes, &most);
    const size_t part = std::min(3 * kRecordBytes, records.size() - from);
    std::memcpy(buffer, records.data() + from, part);
    filledBuffer(nullptr, 0, buffer, bytes, part);
  }
  records.clear();
  return 0;
}
int next(std::byte* buffer, size_t bytes, std::byte** record) {
  *record = *record == nullptr ? buffer : *record + kRecordBytes;
  return *record < buffer + bytes ? 0 : 12;
}

}  // namespace hilo::fake_cupti
