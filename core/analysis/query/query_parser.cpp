#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/query/query.h"
#include "core/analysis/query/query_node.h"

namespace hilo {
namespace {

constexpr int kMaxDepth = 100;

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isKeyChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

class QueryParser {
 public:
  explicit QueryParser(std::string_view text) : text_(text) {}

  Result<QueryNode> parse() {
    if (atEnd()) return QueryNode{};
    TRY(QueryNode node, parseOr(0));
    if (!atEnd()) return error("unexpected ')'");
    return node;
  }

 private:
  std::unexpected<Diagnostic> errorAt(size_t at, std::string message) const {
    Place place;
    place.line = 1;
    place.column = static_cast<uint32_t>(at + 1);
    return fail("query-syntax", std::move(message), std::move(place));
  }
  std::unexpected<Diagnostic> error(std::string message) const { return errorAt(at_, std::move(message)); }
  // An error that a pattern gave, at the place of its text.
  static std::unexpected<Diagnostic> moved(Diagnostic diagnostic, size_t at) {
    diagnostic.place.line = 1;
    diagnostic.place.column = static_cast<uint32_t>(at + 1);
    return std::unexpected(std::move(diagnostic));
  }

  bool atEnd() {
    while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
    return at_ == text_.size();
  }
  char peek() { return atEnd() ? '\0' : text_[at_]; }
  // A word that is an operator: whole, and not the start of a term.
  bool eatOperator(std::string_view word) {
    if (atEnd() || !text_.substr(at_).starts_with(word)) return false;
    const size_t end = at_ + word.size();
    const bool letters = isKeyChar(word[0]);
    if (letters && end < text_.size() && !isSpace(text_[end]) && text_[end] != '(') return false;
    at_ = end;
    return true;
  }

  Result<QueryNode> parseOr(int depth) {
    if (depth > kMaxDepth) return error("nested too deeply");
    return parseList(QueryNode::Kind::Or, depth, &QueryParser::parseAnd,
                     [this] { return eatOperator("or") || eatOperator("OR") || eatOperator("||"); });
  }
  Result<QueryNode> parseAnd(int depth) {
    return parseList(QueryNode::Kind::And, depth, &QueryParser::parseNot, [this] {
      if (eatOperator("and") || eatOperator("AND") || eatOperator("&&")) return true;
      return !atEnd() && text_[at_] != ')' && !comesOr();
    });
  }
  bool comesOr() {
    const size_t before = at_;
    const bool is = eatOperator("or") || eatOperator("OR") || eatOperator("||");
    at_ = before;
    return is;
  }

  template <typename Separator>
  Result<QueryNode> parseList(QueryNode::Kind kind, int depth, Result<QueryNode> (QueryParser::*item)(int),
                              Separator separator) {
    TRY(QueryNode first, (this->*item)(depth));
    QueryNode list{.kind = kind};
    list.children.push_back(std::move(first));
    while (separator()) {
      TRY(QueryNode next, (this->*item)(depth));
      list.children.push_back(std::move(next));
    }
    if (list.children.size() > 1) return list;
    QueryNode only = std::move(list.children[0]);
    return only;
  }

  Result<QueryNode> parseNot(int depth) {
    bool negated = false;
    while (eatOperator("not") || eatOperator("NOT") || eatOperator("!")) negated = !negated;
    TRY(QueryNode node, parsePrimary(depth));
    if (!negated) return node;
    QueryNode inverse{.kind = QueryNode::Kind::Not};
    inverse.children.push_back(std::move(node));
    return inverse;
  }

  Result<QueryNode> parsePrimary(int depth) {
    if (atEnd()) return error("a term is missing here");
    if (text_[at_] == ')') return error("a term is missing before ')'");
    if (text_[at_] == '(') return parseGroup(depth);
    const size_t start = at_;
    TRY(QueryNode term, parseTerm(depth));
    term.text = std::string(text_.substr(start, at_ - start));
    return term;
  }

  Result<QueryNode> parseGroup(int depth) {
    const size_t open = at_++;
    TRY(QueryNode node, parseOr(depth + 1));
    if (peek() != ')') return errorAt(open, "this '(' is not closed");
    ++at_;
    return node;
  }

  // Text up to white space or a ')' that closes no '(' inside it, or what quotes hold.
  Result<std::string> readValue() {
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) return readQuoted();
    const size_t start = at_;
    int open = 0;
    for (; at_ < text_.size() && !isSpace(text_[at_]); ++at_) {
      if (text_[at_] == '(') ++open;
      if (text_[at_] == ')' && open-- == 0) break;
    }
    return std::string(text_.substr(start, at_ - start));
  }

  Result<std::string> readQuoted() {
    const size_t start = at_;
    const char quote = text_[at_++];
    std::string value;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == quote || text_[at_ + 1] == '\\'))
        ++at_;
      value += text_[at_++];
    }
    if (at_ == text_.size()) return errorAt(start, "this quote is not closed");
    ++at_;
    return value;
  }

  Result<QueryNode> parseTerm(int depth) {
    const size_t start = at_;
    size_t end = at_;
    while (end < text_.size() && isKeyChar(text_[end])) ++end;
    const std::string_view key = text_.substr(start, end - start);
    const char after = end < text_.size() ? text_[end] : '\0';
    const bool compares =
        after == '<' || after == '>' || after == '=' || (after == '!' && text_.substr(end).starts_with("!="));
    if (!key.empty() && (after == ':' || compares)) {
      const QueryKeyInfo* info = findQueryKey(key);
      if (info == nullptr) {
        return errorAt(start,
                       fmt::format("no key '{}': put quotes around a text that holds '{}'", key, after));
      }
      at_ = end;
      return compares ? parseComparison(*info) : parseKeyed(*info, depth);
    }
    TRY(const std::string word, readValue());
    if (word.empty() && text_[start] != '"' && text_[start] != '\'')
      return errorAt(start, "a term is missing here");
    QueryNode node{.kind = QueryNode::Kind::AnyText};
    node.pattern = TextPattern::contained(word.starts_with('%') ? std::string_view(word).substr(1) : word);
    return node;
  }

  Result<QueryNode> parseComparison(const QueryKeyInfo& key) {
    const size_t start = at_;
    if (!key.numeric)
      return error(fmt::format("'{0}' is no number: write {0}:VALUE or {0}:~REGEX", key.name));
    static constexpr std::pair<std::string_view, Comparison> kOperators[] = {
        {"<=", Comparison::LessEqual}, {">=", Comparison::GreaterEqual}, {"==", Comparison::Equal},
        {"!=", Comparison::NotEqual},  {"<", Comparison::Less},          {">", Comparison::Greater},
        {"=", Comparison::Equal}};
    QueryNode node{.kind = QueryNode::Kind::Number, .field = key.field};
    for (const auto& [text, comparison] : kOperators) {
      if (!text_.substr(at_).starts_with(text)) continue;
      node.comparison = comparison;
      at_ += text.size();
      break;
    }
    if (atEnd()) return errorAt(start, fmt::format("a number is missing after '{}'", key.name));
    const size_t numberAt = at_;
    TRY(const std::string value, readValue());
    auto number = parseQuantity(value);
    if (!number) return moved(std::move(number).error(), numberAt);
    node.number = *number;
    return node;
  }

  Result<QueryNode> parseKeyed(const QueryKeyInfo& key, int depth) {
    ++at_;  // ':'
    if (key.numeric) {
      // rank:2 is as good as rank=2.
      const size_t numberAt = at_;
      TRY(const std::string value, readValue());
      auto number = parseQuantity(value);
      if (!number) return moved(std::move(number).error(), numberAt);
      return QueryNode{.kind = QueryNode::Kind::Number, .field = key.field, .number = *number};
    }
    if (key.field == QueryField::Path) return parsePath(depth);
    const bool related = key.field == QueryField::Operand || key.field == QueryField::User;
    if (related && at_ < text_.size() && text_[at_] == '(') {
      TRY(QueryNode inner, parseGroup(depth));
      QueryNode node{.kind = QueryNode::Kind::Related, .field = key.field};
      node.children.push_back(std::move(inner));
      return node;
    }
    const bool regex = at_ < text_.size() && text_[at_] == '~';
    if (regex) ++at_;
    const size_t valueAt = at_;
    TRY(const std::string value, readValue());
    if (value.empty()) return errorAt(valueAt, fmt::format("a value is missing after '{}:'", key.name));
    auto node = keyedNode(key, value, regex);
    if (!node) return moved(std::move(node).error(), valueAt);
    return node;
  }

  Result<QueryNode> parsePath(int depth) {
    const size_t start = at_;
    QueryNode node{.kind = QueryNode::Kind::Path, .field = QueryField::Path, .pathIndex = pathCount_++};
    TRY(QueryNode from, parseEnd(depth, "->"));
    if (!text_.substr(at_).starts_with("->")) return errorAt(start, "a path has two ends: path:a->b");
    at_ += 2;
    TRY(QueryNode to, parseEnd(depth, ""));
    node.children.push_back(std::move(from));
    node.children.push_back(std::move(to));
    return node;
  }

  // One end of a path: a query in parentheses, or a name or opcode that reaches to `stop`.
  Result<QueryNode> parseEnd(int depth, std::string_view stop) {
    if (at_ < text_.size() && text_[at_] == '(') return parseGroup(depth);
    const size_t start = at_;
    TRY(std::string value, readValue());
    if (const size_t cut = stop.empty() ? std::string::npos : value.find(stop); cut != std::string::npos) {
      value.resize(cut);
      at_ = start + cut;
    }
    if (value.empty()) return errorAt(start, "an end of the path is missing: path:a->b");
    QueryNode end{.kind = QueryNode::Kind::Or};
    for (const QueryField field : {QueryField::Name, QueryField::Opcode}) {
      QueryNode& each = end.children.emplace_back(QueryNode{.kind = QueryNode::Kind::Text, .field = field});
      each.pattern = TextPattern::equal(value.starts_with('%') ? std::string_view(value).substr(1) : value);
    }
    return end;
  }

  Result<QueryNode> keyedNode(const QueryKeyInfo& key, const std::string& value, bool regex) {
    QueryNode node{.kind = QueryNode::Kind::Text, .field = key.field};
    const bool fixed = key.field == QueryField::Type || key.field == QueryField::Shape ||
                       key.field == QueryField::Has || key.field == QueryField::Is;
    if (regex && fixed)
      return fail("query-syntax", fmt::format("'{}' takes no regular expression", key.name));
    switch (key.field) {
      case QueryField::Type: {
        const auto type = elementTypeFromName(value);
        if (!type) return fail("query-syntax", fmt::format("no element type '{}'", value));
        node.kind = QueryNode::Kind::Type;
        node.type = *type;
        return node;
      }
      case QueryField::Shape: {
        node.kind = QueryNode::Kind::Shape;
        TRY(node.shape, ShapePattern::parse(value));
        return node;
      }
      case QueryField::Has:
        node.kind = QueryNode::Kind::Has;
        for (int i = 0; i < kAttrCount; ++i) {
          if (attrName(static_cast<Attr>(i)) == value) node.attributes.push_back(static_cast<Attr>(i));
        }
        if (node.attributes.empty()) return fail("query-syntax", fmt::format("no attribute '{}'", value));
        return node;
      case QueryField::Is: {
        const auto word = std::ranges::find(queryIsWords(), std::string_view(value), &QueryWord::name);
        if (word == queryIsWords().end()) return fail("query-syntax", fmt::format("nothing is '{}'", value));
        node.kind = QueryNode::Kind::Is;
        node.is = word->is;
        return node;
      }
      default:
        break;
    }
    const std::string_view bare =
        value.starts_with('%') ? std::string_view(value).substr(1) : std::string_view(value);
    if (regex) {
      TRY(node.pattern, TextPattern::regex(value));
    } else {
      node.pattern = TextPattern::equal(bare);
      if (key.field == QueryField::Opcode) node.opcode = opcodeFromName(bare);
    }
    if (key.field == QueryField::In) node.inIndex = inCount_++;
    return node;
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t inCount_ = 0;
  uint32_t pathCount_ = 0;
};

}  // namespace

Result<Query> parseQuery(std::string_view text) {
  TRY(QueryNode root, QueryParser(text).parse());
  Query query;
  query.text_ = text;
  query.root_ = std::make_shared<const QueryNode>(std::move(root));
  return query;
}

}  // namespace hilo
