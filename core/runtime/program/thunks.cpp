#include "core/runtime/program/thunks.h"

#include "core/base/enum_table.h"

namespace hilo {
namespace {

// Visits all fields, those of what a field holds too.
template <typename Collector>
struct EveryField {
  template <typename T>
  void operator()(const char* name, const std::vector<T>& items) {
    for (const T& item : items) static_cast<Collector&>(*this)(name, item);
  }
  template <typename T>
  void operator()(const char*, const T& value) {
    if constexpr (requires { T::visit(value, static_cast<Collector&>(*this)); })
      T::visit(value, static_cast<Collector&>(*this));
  }
};

struct UseCollector : EveryField<UseCollector> {
  std::vector<BufferUse> uses;

  using EveryField::operator();
  void operator()(const char*, const ReadSlice& slice) { uses.push_back({slice, false}); }
  void operator()(const char*, const WriteSlice& slice) { uses.push_back({slice, true}); }
};

struct SequenceCollector : EveryField<SequenceCollector> {
  std::vector<uint32_t> sequences;

  using EveryField::operator();
  void operator()(const char*, SequencePlace place) { sequences.push_back(place); }
};

}  // namespace

const char* thunkKindName(ThunkKind kind) {
  static_assert(enumCount<ThunkKind>() == kThunkKindCount);
#define THUNK(name, text, ...) text,
  static constexpr EnumTable<ThunkKind, const char*> kNames({HILO_THUNKS(THUNK)});
#undef THUNK
  return kNames[kind];
}

OnStream onStream(ThunkKind kind) {
#define THUNK(name, text, order, onStream) OnStream::onStream,
  static constexpr EnumTable<ThunkKind, OnStream> kHow({HILO_THUNKS(THUNK)});
#undef THUNK
  return kHow[kind];
}

const char* collectivePhaseName(CollectivePhase phase) {
  static_assert(enumCount<CollectivePhase>() == kCollectivePhaseCount);
  static constexpr EnumTable<CollectivePhase, const char*> kNames({"whole", "start", "done"});
  return kNames[phase];
}

std::vector<BufferUse> bufferUses(const Thunk& thunk) {
  UseCollector collector;
  visitFields(thunk, collector);
  return std::move(collector.uses);
}

std::vector<uint32_t> nestedSequences(const Thunk& thunk) {
  SequenceCollector collector;
  visitFields(thunk, collector);
  return std::move(collector.sequences);
}

bool hasOwnOrder(const Thunk& thunk) {
#define THUNK(name, text, order, ...) ThunkOrder::order,
  static constexpr EnumTable<ThunkKind, ThunkOrder> kOrders({HILO_THUNKS(THUNK)});
#undef THUNK
  const ThunkOrder order = kOrders[thunk.kind()];
  if (order != ThunkOrder::KeptWithEffect) return order == ThunkOrder::Kept;
  return std::visit(
      []<typename Body>(const Body& body) {
        if constexpr (requires { body.hasSideEffect; }) return body.hasSideEffect;
        return true;
      },
      thunk.body);
}

}  // namespace hilo
