// Rows of a list that say the same, as the layers of a model do, under one of them.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/amount_text.h"

namespace hilo {

// `amount`: a function of a row, or a field of it.
template <typename Row, typename Amount>
double sumOf(const std::vector<const Row*>& rows, Amount amount) {
  double sum = 0;
  for (const Row* row : rows) sum += std::invoke(amount, *row);
  return sum;
}

// Behind the name of the first of so many: " and 1,023 more alike"; "" of one.
inline std::string moreAlike(size_t count) {
  return count < 2 ? "" : " and " + amount::count(static_cast<int64_t>(count - 1)) + " more alike";
}

// Groups of rows with equal `key`, that whose `amount` adds up to most first.
template <typename Row, typename Key, typename Amount>
std::vector<std::vector<const Row*>> alikeRows(std::span<const Row> rows, Key key, Amount amount) {
  std::vector<std::vector<const Row*>> groups;
  std::map<decltype(key(rows[0])), size_t> known;
  for (const Row& row : rows) {
    const auto [at, isNew] = known.try_emplace(key(row), groups.size());
    if (isNew) groups.emplace_back();
    groups[at->second].push_back(&row);
  }
  std::ranges::stable_sort(groups, std::greater(),
                           [&](const std::vector<const Row*>& group) { return sumOf(group, amount); });
  return groups;
}

}  // namespace hilo
