#include "core/analysis/cost/profile_latency.h"

#include <charconv>

#include "core/analysis/async_chain.h"
#include "core/analysis/async_op.h"

namespace hilo {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<double> parseTime(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) return std::nullopt;
  return value;
}

// The text form: messages `costs {...}` and `latencies {...}` of `field: value`.
class TextProfile {
 public:
  TextProfile(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<LatencyProfile> read() {
    for (skipSpace(); at_ < text_.size(); skipSpace()) {
      const std::string_view name = word();
      skipSpace();
      if (peek() == ':') ++at_;
      skipSpace();
      if (name != "costs" && name != "latencies")
        return bad(fmt::format("'{}' is not costs or latencies", name));
      if (peek() != '{' && peek() != '<') return bad("'{' expected");
      ++at_;
      TRY_STATUS(entry(name == "costs"));
    }
    return std::move(profile_);
  }

 private:
  std::unexpected<Diagnostic> bad(std::string message) const {
    const auto line = 1 + std::ranges::count(text_.substr(0, std::min(at_, text_.size())), '\n');
    return fail("bad-profile", std::move(message), {.file = file_, .line = static_cast<uint32_t>(line)});
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skipSpace() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == ',' ||
                 text_[at_] == ';') {
        ++at_;
      } else {
        return;
      }
    }
  }
  std::string_view word() {
    const size_t start = at_;
    const auto isPart = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '+';
    };
    while (at_ < text_.size() && isPart(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  Result<std::string> value() {
    if (peek() != '"' && peek() != '\'') return std::string(word());
    const char quote = text_[at_++];
    std::string result;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      result += text_[at_++];
    }
    if (at_ == text_.size()) return bad("the text ends within quotes");
    ++at_;
    return result;
  }
  Status entry(bool isCost) {
    std::string first, second;
    double time = 0;
    for (skipSpace(); peek() != '}' && peek() != '>'; skipSpace()) {
      const std::string_view field = word();
      skipSpace();
      if (field.empty() || peek() != ':') return bad("'FIELD: VALUE' expected");
      ++at_;
      skipSpace();
      TRY(const std::string text, value());
      if (field == "name" || field == "source") {
        first = text;
      } else if (field == "target") {
        second = text;
      } else if (field == "cost_us" || field == "latency_us") {
        const auto parsed = parseTime(text);
        if (!parsed) return bad(fmt::format("'{}' is not a time", text));
        time = *parsed;
      } else {
        return bad(fmt::format("'{}' is not a field of a profile", field));
      }
    }
    ++at_;
    if (isCost) {
      profile_.costUs[first] = time;
    } else {
      profile_.latencyUs[{first, second}] = time;
    }
    return {};
  }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
  LatencyProfile profile_;
};

Result<LatencyProfile> parseTable(std::string_view text, const std::string& file) {
  LatencyProfile profile;
  for (uint32_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.empty() || row[0] == '#') continue;
    const size_t comma = row.rfind(',');
    const auto time =
        comma == std::string_view::npos ? std::nullopt : parseTime(trimmed(row.substr(comma + 1)));
    if (!time) return fail("bad-profile", "NAME,MICROSECONDS expected", {.file = file, .line = line});
    profile.costUs[std::string(trimmed(row.substr(0, comma)))] = *time;
  }
  return profile;
}

}  // namespace

Result<LatencyProfile> parseLatencyProfile(std::string_view text, const std::string& file) {
  const bool isText = text.find('{') != std::string_view::npos || text.find('<') != std::string_view::npos;
  return isText ? TextProfile(text, file).read() : parseTable(text, file);
}

double ProfileLatencyEstimator::costOf(const Instruction& instruction) const {
  const auto of = [&](std::string_view name) {
    const auto found = profile_.costUs.find(std::string(name));
    return found == profile_.costUs.end() ? -1.0 : found->second;
  };
  if (const double cost = of(instruction.name()); cost >= 0) return cost;
  if (!isAsyncLink(instruction)) return -1;
  const Instruction* wrapped = asyncWrappedInstruction(instruction);
  return wrapped == nullptr ? -1 : of(wrapped->name());
}

double ProfileLatencyEstimator::nodeCost(const Instruction& instruction) const {
  if (canonicalAsyncOp(instruction, true).role != AsyncRole::None && !isSyncCollective(instruction)) return 1;
  const double cost = costOf(instruction);
  return cost >= 0 ? cost * unitsPerMicrosecond() : fallback_.nodeCost(instruction);
}

double ProfileLatencyEstimator::latencyBetween(const Instruction& from, const Instruction& to) const {
  const auto measured = profile_.latencyUs.find(std::pair(std::string(from.name()), std::string(to.name())));
  if (measured != profile_.latencyUs.end()) return measured->second * unitsPerMicrosecond();
  const CanonicalAsyncOp start = canonicalAsyncOp(from, true), done = canonicalAsyncOp(to, true);
  const bool pair =
      start.role == AsyncRole::Start && done.role == AsyncRole::Done && start.inner == done.inner;
  const double cost = pair ? costOf(from) : -1;
  return cost >= 0 ? cost * unitsPerMicrosecond() : fallback_.latencyBetween(from, to);
}

}  // namespace hilo
