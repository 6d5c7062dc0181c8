#include "core/compiler/passes/fusion/reader_ends.h"

#include <algorithm>
#include <deque>

namespace hilo {
namespace {

constexpr size_t kFew = 16;      // their pairs are as quickly looked at
constexpr size_t kNear = 32;     // readers that may stand in front of those behind one
constexpr size_t kWidest = 128;  // readers of which none lies behind another

// Which of the later readers one leads to, each asked once.
class Behind {
 public:
  Behind(const Instruction& of, KernelOrder& order) : of_(of), order_(order) {}

  bool operator()(const Instruction* later) {
    const auto [found, isNew] = known_.try_emplace(later, false);
    if (isNew) found->second = order_.leadsTo(of_, *later);
    return found->second;
  }

 private:
  const Instruction& of_;
  KernelOrder& order_;
  absl::flat_hash_map<const Instruction*, bool> known_;
};

}  // namespace

std::vector<size_t> readerEnds(std::span<const Instruction* const> readers, KernelOrder& order) {
  std::vector<size_t> ends(readers.size(), readers.size());
  if (readers.size() <= kFew) return ends;
  // From a place on those that lie behind no other, for the next places; behind all of these lie all.
  std::deque<std::vector<const Instruction*>> firsts{{}};
  for (size_t place = readers.size(); place-- > 0;) {
    Behind behind(*readers[place], order);
    const auto end = std::ranges::find_if(
        firsts, [&](const auto& those) { return std::ranges::all_of(those, std::ref(behind)); });
    if (end != firsts.end()) ends[place] = place + 1 + static_cast<size_t>(end - firsts.begin());
    std::vector<const Instruction*> those = firsts.front();
    std::erase_if(those, std::ref(behind));
    those.push_back(readers[place]);
    if (those.size() > kWidest) break;
    firsts.push_front(std::move(those));
    if (firsts.size() > kNear) firsts.pop_back();
  }
  return ends;
}

}  // namespace hilo
