#include "plugins/stablehlo/bare_operations.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>

namespace hilo::stablehlo {
namespace {

// The text with comments, strings and what stands in braces as blanks.
std::string bareText(llvm::StringRef text) {
  std::string bare = text.str();
  int depth = 0;
  bool isString = false;
  for (size_t at = 0; at < bare.size(); ++at) {
    const char c = bare[at];
    if (isString && c == '\\') {
      bare[at++] = ' ';
    } else if (c == '"') {
      isString = !isString;
    } else if (!isString && llvm::StringRef(bare).substr(at).starts_with("//")) {
      for (; at < bare.size() && bare[at] != '\n'; ++at) bare[at] = ' ';
      continue;
    } else if (!isString && c == '{') {
      ++depth;
    } else if (!isString && c == '}') {
      --depth;
      bare[at] = ' ';
    }
    if (at < bare.size() && (isString || depth > 0 || c == '"')) bare[at] = ' ';
  }
  return bare;
}

// Where the text is at no depth of brackets, `visit` is asked of each place whether to end there.
size_t findOutside(llvm::StringRef text, llvm::function_ref<bool(size_t)> visit) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && visit(at)) return at;
    if (c == '-' && text.substr(at).starts_with("->")) {
      ++at;
    } else if (c == '(' || c == '[' || c == '<') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '>') {
      --depth;
    }
  }
  return llvm::StringRef::npos;
}

// "(A, B)" or "A, B" as A and B.
std::vector<std::string> typesOf(llvm::StringRef list) {
  list = list.trim();
  if (list.consume_front("(")) list.consume_back(")");
  std::vector<std::string> types;
  while (!list.trim().empty()) {
    const size_t comma = findOutside(list, [&](size_t at) { return list[at] == ','; });
    types.push_back(list.take_front(comma).trim().str());
    list = comma == llvm::StringRef::npos ? llvm::StringRef() : list.substr(comma + 1);
  }
  return types;
}

std::vector<std::string> valuesIn(llvm::StringRef text) {
  std::vector<std::string> names;
  for (size_t at = 0; (at = text.find('%', at)) != llvm::StringRef::npos;) {
    const auto rest = text.substr(at + 1);
    const auto name =
        rest.take_while([](char c) { return llvm::isAlnum(c) || llvm::is_contained("_$.-", c); });
    names.push_back("%" + name.str());
    at += 1 + name.size();
  }
  return names;
}

struct Statement {
  std::vector<std::string> results, operands, resultTypes, operandTypes;
  bool returns = false;
};

Statement statementOf(llvm::StringRef text) {
  Statement statement;
  const size_t equals = findOutside(text, [&](size_t at) { return text[at] == '='; });
  if (equals != llvm::StringRef::npos) {
    statement.results = valuesIn(text.take_front(equals));
    text = text.substr(equals + 1);
  }
  text = text.trim();
  statement.returns = text.starts_with("return") || text.starts_with("func.return");
  size_t colon = llvm::StringRef::npos;
  findOutside(text, [&](size_t at) {
    if (text[at] == ':') colon = at;
    return false;
  });
  statement.operands = valuesIn(text.take_front(colon));
  if (colon == llvm::StringRef::npos) return statement;
  const llvm::StringRef signature = text.substr(colon + 1);
  const size_t arrow =
      findOutside(signature, [&](size_t at) { return signature.substr(at).starts_with("->"); });
  statement.operandTypes = typesOf(signature.take_front(arrow));
  statement.resultTypes = arrow == llvm::StringRef::npos
                              ? std::vector(statement.operandTypes.end() - !statement.operandTypes.empty(),
                                            statement.operandTypes.end())
                              : typesOf(signature.substr(arrow + 2));
  return statement;
}

// An operation begins on a line of its own with its results, or returns.
std::vector<Statement> statementsOf(llvm::StringRef bare) {
  std::vector<Statement> statements;
  std::string open;
  const auto end = [&] {
    if (!open.empty()) statements.push_back(statementOf(open));
    open.clear();
  };
  for (llvm::StringRef line : llvm::split(bare, '\n')) {
    line = line.trim();
    if (line.starts_with("%") || line.starts_with("return") || line.starts_with("func.return")) end();
    if (!line.empty()) open += (line + " ").str();
  }
  end();
  return statements;
}

}  // namespace

std::optional<FunctionAround> functionAround(llvm::StringRef text) {
  if (const llvm::StringRef begin = text.ltrim(); !begin.starts_with("%") && !begin.starts_with("//"))
    return {};
  const std::string bare = bareText(text);
  if (!llvm::StringRef(bare).ltrim().starts_with("%")) return {};
  const std::vector<Statement> statements = statementsOf(bare);
  FunctionAround around;
  llvm::StringSet<> known;
  for (const Statement& statement : statements) {
    for (size_t n = 0; n < statement.operands.size(); ++n) {
      if (!known.insert(statement.operands[n]).second) continue;
      if (statement.operandTypes.empty()) return {};
      // One type stands for all operands, the last of several for the rest of them, as of a select.
      const size_t type = std::min(n, statement.operandTypes.size() - 1);
      around.parameters.push_back(statement.operands[n] + ": " + statement.operandTypes[type]);
    }
    for (const std::string& result : statement.results) known.insert(result);
  }
  llvm::sort(around.parameters,
             [](llvm::StringRef a, llvm::StringRef b) { return a.compare_numeric(b) < 0; });
  const Statement& last = statements.back();
  const std::string types = llvm::join(last.returns ? last.operandTypes : last.resultTypes, ", ");
  if (types.empty()) return {};
  around.text =
      "func.func @main(" + llvm::join(around.parameters, ", ") + ") -> (" + types + ") {\n" + text.str();
  if (!last.returns) {
    std::string values = llvm::join(last.results, ", ");
    if (last.results.size() == 1 && last.resultTypes.size() > 1) {
      values.clear();
      for (size_t n = 0; n < last.resultTypes.size(); ++n)
        values += (n > 0 ? ", " : "") + last.results[0] + "#" + std::to_string(n);
    }
    around.text += "\nreturn " + values + " : " + types;
  }
  around.text += "\n}\n";
  return around;
}

}  // namespace hilo::stablehlo
