// Modules of our own in a short form, as own_cases.txt, own_propagation.txt and own_shardy.txt have them.
// A paragraph is a module:
//   its tests and what else the file says of it, between ": "
//   header TEXT            more of the module's header
//   in NAME                what follows is of this computation, up to the next such line
//   entry                  what follows is of the entry, which needs no line where it is alone
//   name = shape           a parameter
//   name = shape op(...)   any other instruction; the last of a computation is its root
//   ... @ SHARDING         its sharding
//   ... @@ [{"a"}, {}]     its sharding as Shardy states it, on the module's mesh "mesh"
//   > TEXT                 what holds afterwards
// A line "let NAME = TEXT" lets $NAME stand for the text in what follows. "#" begins a remark.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace hilo {

struct OwnModule {
  std::vector<std::string> heading;
  std::string header, computations;
  std::vector<std::string> expected;

  std::vector<std::string> tests() const;
  // As HLO, for so many devices.
  std::string text(const std::string& devices) const {
    return fmt::format("HloModule own, num_partitions={}{}\n{}", devices, header, computations);
  }
};

inline std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at = text.find(by); at != text.npos; at = text.find(by, from)) {
    parts.push_back(text.substr(from, at - from));
    from = at + by.size();
  }
  parts.push_back(text.substr(from));
  return parts;
}

inline std::vector<std::string> OwnModule::tests() const { return split(heading[0], " "); }

// What own modules call: sums, the larger one, pairs of both, whether the first is the smaller one.
inline constexpr const char* kOwnComputations = R"(
add { x.0 = f32[] parameter(0)  y.0 = f32[] parameter(1)  ROOT z.0 = f32[] add(x.0, y.0) }
adds { x.0 = s32[] parameter(0)  y.0 = s32[] parameter(1)  ROOT z.0 = s32[] add(x.0, y.0) }
max { x.0 = f32[] parameter(0)  y.0 = f32[] parameter(1)  ROOT z.0 = f32[] maximum(x.0, y.0) }
min { x.0 = f32[] parameter(0)  y.0 = f32[] parameter(1)  ROOT z.0 = f32[] minimum(x.0, y.0) }
less { x.0 = f32[] parameter(0)  y.0 = f32[] parameter(1)  ROOT z.0 = pred[] compare(x.0, y.0), direction=LT }
ge { x.0 = f32[] parameter(0)  y.0 = f32[] parameter(1)  ROOT z.0 = pred[] compare(x.0, y.0), direction=GE }
lesskey { x.0 = f32[] parameter(0)  y.0 = f32[] parameter(1)  i.0 = s32[] parameter(2)  j.0 = s32[] parameter(3)
  ROOT z.0 = pred[] compare(x.0, y.0), direction=LT }
both { x.0 = f32[] parameter(0)  u.0 = f32[] parameter(1)  y.0 = f32[] parameter(2)  v.0 = f32[] parameter(3)
  s.0 = f32[] add(x.0, y.0)  t.0 = f32[] add(u.0, v.0)  ROOT z.0 = (f32[], f32[]) tuple(s.0, t.0) }
boths { x.0 = s32[] parameter(0)  u.0 = s32[] parameter(1)  y.0 = s32[] parameter(2)  v.0 = s32[] parameter(3)
  s.0 = s32[] add(x.0, y.0)  t.0 = s32[] add(u.0, v.0)  ROOT z.0 = (s32[], s32[]) tuple(s.0, t.0) }
most { x.0 = f32[] parameter(0)  i.0 = s32[] parameter(1)  y.0 = f32[] parameter(2)  j.0 = s32[] parameter(3)
  c.0 = pred[] compare(x.0, y.0), direction=GT  s.0 = f32[] select(c.0, x.0, y.0)  k.0 = s32[] select(c.0, i.0, j.0)
  ROOT z.0 = (f32[], s32[]) tuple(s.0, k.0) }
)";

// One past the shape that a text begins with.
inline size_t endOfShape(const std::string& text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    if (depth == 0 && (text[i] == ' ' || text[i] == ',')) return i;
  }
  return text.size();
}

// Of a parameter or of what an instruction gives.
inline std::string shardysText(const std::string& dimensions, bool isParameter) {
  const std::string sharding = "<@mesh, " + dimensions + ">";
  std::string quoted;
  for (char c : isParameter ? "#sdy.sharding" + sharding : "#sdy.sharding_per_value<[" + sharding + "]>")
    quoted += c == '"' ? "\\\"" : std::string(1, c);
  return fmt::format(", frontend_attributes={{xla.sdy.sharding=\"{}\"}}", quoted);
}

inline std::string ownInstruction(const std::string& line, size_t parameter) {
  const auto shardys = split(line, " @@ ");
  const auto sides = split(shardys[0], " @ ");
  const size_t shape = sides[0].find(" = ") + 3;
  const size_t end = shape + endOfShape(sides[0].substr(shape));
  const std::string rest = sides[0].substr(end);
  const bool isParameter = rest.empty() || rest[0] == ',';
  return sides[0].substr(0, end) + (isParameter ? fmt::format(" parameter({})", parameter) : "") + rest +
         (sides.size() > 1 ? ", sharding=" + sides[1] : "") +
         (shardys.size() > 1 ? shardysText(shardys[1], isParameter) : "");
}

inline std::string ownComputation(const std::string& name, const std::vector<std::string>& lines) {
  std::string text = name + " {\n";
  size_t parameters = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string instruction = ownInstruction(lines[i], parameters);
    if (instruction.find(fmt::format(" parameter({})", parameters)) != instruction.npos) ++parameters;
    text += (i + 1 == lines.size() ? "  ROOT " : "  ") + instruction + "\n";
  }
  return text + "}\n";
}

inline OwnModule ownModule(const std::vector<std::string>& lines) {
  OwnModule made{
      .heading = split(lines[0], ": "), .header = "", .computations = kOwnComputations, .expected = {}};
  std::string name = "ENTRY main";
  std::vector<std::string> instructions;
  const auto end = [&] {
    if (!instructions.empty()) made.computations += ownComputation(name, instructions);
    instructions.clear();
  };
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.starts_with("> ")) {
      made.expected.push_back(line.substr(2));
    } else if (line.starts_with("header ")) {
      made.header += ", " + line.substr(7);
    } else if (line.starts_with("in ") || line == "entry") {
      end();
      name = line == "entry" ? "ENTRY main" : line.substr(3);
    } else {
      instructions.push_back(line);
    }
  }
  end();
  return made;
}

// Longer names before shorter ones that they begin with: "$rows2" is not "$rows" and a 2.
using OwnTexts = std::map<std::string, std::string, std::greater<>>;

inline std::string written(std::string line, const OwnTexts& texts) {
  for (const auto& [name, text] : texts) {
    for (size_t at = line.find('$' + name); at != line.npos; at = line.find('$' + name, at + text.size()))
      line.replace(at, name.size() + 1, text);
  }
  return line;
}

// `file`: in this folder.
inline std::vector<OwnModule> ownModules(const std::string& file) {
  std::ifstream stream("tests/conformance/spmd/" + file);
  std::vector<OwnModule> modules;
  std::vector<std::string> lines;
  OwnTexts texts;
  const auto end = [&] {
    if (!lines.empty()) modules.push_back(ownModule(lines));
    lines.clear();
  };
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) {
      end();
    } else if (line.starts_with("let ")) {
      const size_t equals = line.find(" = ");
      texts[line.substr(4, equals - 4)] = written(line.substr(equals + 3), texts);
    } else if (!line.starts_with('#')) {
      lines.push_back(written(line, texts));
    }
  }
  end();
  return modules;
}

}  // namespace hilo
