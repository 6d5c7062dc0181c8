#include "core/analysis/diff/line_diff.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>

namespace hilo {

std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    lines.push_back(text.substr(0, newline));
    if (newline == std::string_view::npos) break;
    text.remove_prefix(newline + 1);
  }
  return lines;
}

namespace {

// Lines as small numbers: equal lines have equal numbers on both sides.
using Symbols = std::vector<uint32_t>;

struct Range {
  uint32_t begin, end;
  uint32_t size() const { return end - begin; }
};

// Work a stretch between anchors may cost: all its searches together. Beyond that it is shown as replaced.
constexpr int64_t kMaxWork = 4'000'000;
// Stretches of at most this many lines are matched without anchors.
constexpr uint32_t kExactLines = 1000;
// Differences looked for in one search.
constexpr int kMaxEdits = 2000;

class Differ {
 public:
  Differ(Symbols left, Symbols right) : left_(std::move(left)), right_(std::move(right)) {}

  // partner of each left line, kNoLine where there is none; increasing.
  std::vector<uint32_t> match() {
    partner_.assign(left_.size(), DiffRow::kNoLine);
    std::vector<std::pair<Range, Range>> open;
    open.push_back({{0, static_cast<uint32_t>(left_.size())}, {0, static_cast<uint32_t>(right_.size())}});
    while (!open.empty()) {
      auto [l, r] = open.back();
      open.pop_back();
      trimEnds(l, r);
      if (l.size() == 0 || r.size() == 0) continue;
      // Anchors cost little and cut a long text into short ones; a short one is matched at its best.
      const auto anchors = l.size() + r.size() > kExactLines ? uniqueAnchors(l, r) : Anchors();
      if (anchors.empty()) {
        matchMyers(l, r);
        continue;
      }
      Range restL = l, restR = r;
      for (const auto& [a, b] : anchors) {
        partner_[a] = b;
        open.push_back({{restL.begin, a}, {restR.begin, b}});
        restL.begin = a + 1;
        restR.begin = b + 1;
      }
      open.push_back({restL, restR});
    }
    return std::move(partner_);
  }

 private:
  void trimEnds(Range& l, Range& r) {
    while (l.size() > 0 && r.size() > 0 && left_[l.begin] == right_[r.begin]) partner_[l.begin++] = r.begin++;
    while (l.size() > 0 && r.size() > 0 && left_[l.end - 1] == right_[r.end - 1]) partner_[--l.end] = --r.end;
  }

  // Lines found once in each stretch, those that keep their order: the longest increasing run
  // by right position.
  using Anchors = std::vector<std::pair<uint32_t, uint32_t>>;
  Anchors uniqueAnchors(Range l, Range r) {
    struct Seen {
      uint32_t leftCount = 0, rightCount = 0, right = 0;
    };
    absl::flat_hash_map<uint32_t, Seen> seen;
    seen.reserve(l.size());
    for (uint32_t i = l.begin; i < l.end; ++i) ++seen[left_[i]].leftCount;
    for (uint32_t j = r.begin; j < r.end; ++j) {
      const auto found = seen.find(right_[j]);
      if (found == seen.end()) continue;
      ++found->second.rightCount;
      found->second.right = j;
    }
    Anchors unique;
    for (uint32_t i = l.begin; i < l.end; ++i) {
      const Seen& line = seen[left_[i]];
      if (line.leftCount == 1 && line.rightCount == 1) unique.push_back({i, line.right});
    }
    return longestIncreasing(unique);
  }

  static Anchors longestIncreasing(const Anchors& pairs) {
    std::vector<uint32_t> tails;  // index into pairs of the smallest last right position for each length
    std::vector<uint32_t> before(pairs.size(), DiffRow::kNoLine);
    for (uint32_t n = 0; n < pairs.size(); ++n) {
      const auto place =
          std::ranges::lower_bound(tails, pairs[n].second, {}, [&](uint32_t k) { return pairs[k].second; });
      if (place != tails.begin()) before[n] = *std::prev(place);
      if (place == tails.end()) {
        tails.push_back(n);
      } else {
        *place = n;
      }
    }
    Anchors run;
    for (uint32_t n = tails.empty() ? DiffRow::kNoLine : tails.back(); n != DiffRow::kNoLine; n = before[n]) {
      run.push_back(pairs[n]);
    }
    std::ranges::reverse(run);
    return run;
  }

  struct Split {
    uint32_t x, y;
  };

  // One direction of Myers' search: the furthest x reached on each diagonal k = x - y.
  struct Front {
    std::vector<int> reached;
    int zero = 0;
    // Diagonals that ran off the grid, at either end.
    int skipLow = 0, skipHigh = 0;

    void reset(int most) {
      zero = most + 1;
      reached.assign(2 * most + 4, -1);
      reached[zero + 1] = 0;
      skipLow = skipHigh = 0;
    }
    int start(int k, int d) const {
      const bool down = k == -d || (k != d && reached[zero + k - 1] < reached[zero + k + 1]);
      return down ? reached[zero + k + 1] : reached[zero + k - 1] + 1;
    }
    int at(int k) const {
      const int index = zero + k;
      return index >= 0 && index < static_cast<int>(reached.size()) ? reached[index] : -1;
    }
  };

  // One more edit for one front. `same(x, y)`: do the lines at these distances from the front's corner agree.
  // Gives the place where this front has met the other, which lies on a shortest edit script.
  template <typename Same>
  static std::optional<Split> advance(Front& front, const Front& other, int d, int n, int m, bool mayMeet,
                                      Same same) {
    for (int k = -d + front.skipLow; k <= d - front.skipHigh; k += 2) {
      int x = front.start(k, d);
      int y = x - k;
      while (x < n && y < m && same(x, y)) ++x, ++y;
      front.reached[front.zero + k] = x;
      if (x > n) {
        front.skipHigh += 2;
      } else if (y > m) {
        front.skipLow += 2;
      } else if (mayMeet) {
        const int opposite = other.at(n - m - k);
        if (opposite >= 0 && x + opposite >= n)
          return Split{static_cast<uint32_t>(x), static_cast<uint32_t>(y)};
      }
    }
    return std::nullopt;
  }

  // A place in the middle of a shortest edit script (Myers 1986, section 4b), searched from both ends. Gives
  // up after kMaxEdits steps or when the stretch's work is spent.
  std::optional<Split> middle(Range l, Range r, int64_t& work) {
    const int n = static_cast<int>(l.size()), m = static_cast<int>(r.size());
    const int most = static_cast<int>(std::min<int64_t>((int64_t{n} + m + 1) / 2, kMaxEdits));
    const bool odd = (n - m) % 2 != 0;
    forward_.reset(most);
    backward_.reset(most);
    for (int d = 0; d < most; ++d) {
      work -= 2 * d + 1;
      if (work < 0) return std::nullopt;
      const auto met = advance(forward_, backward_, d, n, m, odd,
                               [&](int x, int y) { return left_[l.begin + x] == right_[r.begin + y]; });
      if (met) return met;
      const auto metBack = advance(backward_, forward_, d, n, m, !odd, [&](int x, int y) {
        return left_[l.end - 1 - x] == right_[r.end - 1 - y];
      });
      if (metBack) return Split{static_cast<uint32_t>(n) - metBack->x, static_cast<uint32_t>(m) - metBack->y};
    }
    return std::nullopt;
  }

  void matchMyers(Range l, Range r) {
    int64_t work = kMaxWork;
    std::vector<std::pair<Range, Range>> open{{l, r}};
    while (!open.empty()) {
      auto [a, b] = open.back();
      open.pop_back();
      trimEnds(a, b);
      if (a.size() == 0 || b.size() == 0) continue;
      const auto split = middle(a, b, work);
      if (!split) continue;
      const uint32_t x = a.begin + split->x, y = b.begin + split->y;
      // A split that takes nothing away would never end.
      if ((x == a.begin && y == b.begin) || (x == a.end && y == b.end)) continue;
      open.push_back({{a.begin, x}, {b.begin, y}});
      open.push_back({{x, a.end}, {y, b.end}});
    }
  }

  Symbols left_, right_;
  std::vector<uint32_t> partner_;
  Front forward_, backward_;
};

// Rows of a stretch whose lines have no partner: paired from the top as changed, the rest added or removed.
void appendReplaced(LineDiff& diff, Range l, Range r) {
  while (l.size() > 0 || r.size() > 0) {
    DiffRow row;
    if (l.size() > 0) row.left = l.begin++;
    if (r.size() > 0) row.right = r.begin++;
    const bool both = row.left != DiffRow::kNoLine && row.right != DiffRow::kNoLine;
    row.kind = both ? DiffKind::Changed : row.left != DiffRow::kNoLine ? DiffKind::Removed : DiffKind::Added;
    ++(both ? diff.changed : row.left != DiffRow::kNoLine ? diff.removed : diff.added);
    diff.rows.push_back(row);
  }
}

}  // namespace

LineDiff diffLines(const std::vector<std::string_view>& left, const std::vector<std::string_view>& right) {
  absl::flat_hash_map<std::string_view, uint32_t> numbers;
  const auto symbolsOf = [&](const std::vector<std::string_view>& lines) {
    Symbols symbols;
    symbols.reserve(lines.size());
    for (const std::string_view line : lines) {
      symbols.push_back(numbers.try_emplace(line, static_cast<uint32_t>(numbers.size())).first->second);
    }
    return symbols;
  };
  Symbols leftSymbols = symbolsOf(left), rightSymbols = symbolsOf(right);
  const auto partner = Differ(std::move(leftSymbols), std::move(rightSymbols)).match();
  LineDiff diff;
  uint32_t l = 0, r = 0;
  for (uint32_t i = 0; i < partner.size(); ++i) {
    if (partner[i] == DiffRow::kNoLine) continue;
    appendReplaced(diff, {l, i}, {r, partner[i]});
    diff.rows.push_back({DiffKind::Same, i, partner[i]});
    l = i + 1;
    r = partner[i] + 1;
  }
  appendReplaced(diff, {l, static_cast<uint32_t>(left.size())}, {r, static_cast<uint32_t>(right.size())});
  return diff;
}

}  // namespace hilo
