#include "core/compiler/spmd/shardy/attribute_scanner.h"

#include <charconv>

namespace hilo::sdy {
namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool isOfWord(char c) {
  const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return isLetter || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$' || c == '-';
}

}  // namespace

std::unexpected<Diagnostic> invalidSharding(Owner owner, std::string why) {
  const bool isHeader = owner == nullptr;
  Place place;
  if (!isHeader)
    place = {.computation = std::string(owner->parent().name()), .instruction = std::string(owner->name())};
  return fail("sharding-invalid",
              isHeader ? fmt::format("xla.sdy.meshes: {}", why)
                       : fmt::format("the sharding of {}: {}", owner->name(), why),
              std::move(place), {"change the xla.sdy attribute, or xla.sdy.meshes of the module"});
}

void Scanner::skipBlanks() const {
  while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
}

bool Scanner::sees(std::string_view token) const {
  skipBlanks();
  return text_.substr(at_).starts_with(token);
}

bool Scanner::take(std::string_view token) {
  if (!sees(token)) return false;
  at_ += token.size();
  return true;
}

std::unexpected<Diagnostic> Scanner::error(std::string why) const {
  return invalidSharding(owner_,
                         fmt::format("{} at \"{}\"", why, text_.substr(std::min(at_, text_.size()), 24)));
}

Status Scanner::expect(std::string_view token) {
  if (take(token)) return {};
  return error(fmt::format("expected \"{}\"", token));
}

Status Scanner::expectEnd() {
  skipBlanks();
  if (at_ == text_.size()) return {};
  return error("expected the end");
}

Result<std::string> Scanner::quoted() {
  TRY_STATUS(expect("\""));
  std::string result;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    result += text_[at_++];
  }
  if (at_ == text_.size()) return error("a name without its closing quote");
  ++at_;
  return result;
}

Result<int64_t> Scanner::number() {
  skipBlanks();
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (problem != std::errc()) return error("expected a number");
  at_ = static_cast<size_t>(end - text_.data());
  return value;
}

std::string_view Scanner::word() {
  skipBlanks();
  const size_t start = at_;
  // The '-' of "->" is no part of a word.
  while (at_ < text_.size() && isOfWord(text_[at_]) && !text_.substr(at_).starts_with("->")) ++at_;
  return text_.substr(start, at_ - start);
}

}  // namespace hilo::sdy
