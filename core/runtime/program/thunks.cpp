#include "core/runtime/program/thunks.h"

#include "core/base/check.h"
#include "core/base/enum_table.h"

namespace hilo {
namespace {

// Visits the fields of a thunk and keeps the slices among them.
struct UseCollector {
  std::vector<BufferUse> uses;

  void operator()(const char*, const ReadSlice& slice) { uses.push_back({slice, false}); }
  void operator()(const char*, const WriteSlice& slice) { uses.push_back({slice, true}); }
  template <typename T>
  void operator()(const char* name, const std::vector<T>& items) {
    for (const T& item : items) (*this)(name, item);
  }
  template <typename T>
  void operator()(const char*, const T& value) {
    if constexpr (requires { T::visit(value, *this); }) T::visit(value, *this);
  }
};

}  // namespace

const char* thunkKindName(ThunkKind kind) {
  static_assert(enumCount<ThunkKind>() == kThunkKindCount);
  static constexpr EnumTable<ThunkKind, const char*> kNames({
#define THUNK(name, text) text,
#include "core/runtime/program/thunks.def"
  });
  return kNames[kind];
}

const char* collectivePhaseName(CollectivePhase phase) {
  static_assert(enumCount<CollectivePhase>() == kCollectivePhaseCount);
  static constexpr EnumTable<CollectivePhase, const char*> kNames({"whole", "start", "done"});
  return kNames[phase];
}

std::vector<BufferUse> bufferUses(const Thunk& thunk) {
  UseCollector collector;
  std::visit(
      [&]<typename Body>(const Body& body) {
        if constexpr (!std::is_same_v<Body, std::monostate>) Body::visit(body, collector);
      },
      thunk.body);
  return std::move(collector.uses);
}

std::vector<uint32_t> nestedSequences(const Thunk& thunk) {
  if (const auto* loop = std::get_if<WhileThunk>(&thunk.body)) return {loop->condition, loop->body};
  if (const auto* choice = std::get_if<ConditionalThunk>(&thunk.body)) return choice->branches;
  return {};
}

bool hasOwnOrder(const Thunk& thunk) {
  switch (thunk.kind()) {
    case ThunkKind::Collective:
    case ThunkKind::Infeed:
    case ThunkKind::Outfeed:
    case ThunkKind::Send:
    case ThunkKind::Receive:
      return true;
    case ThunkKind::CustomCall:
      return std::get<CustomCallThunk>(thunk.body).hasSideEffect;
    default:
      return false;
  }
}

}  // namespace hilo
