"""The figures of packaging/dev/structure on small files and trees whose figures are known."""

import os
import subprocess
import sys
import tempfile
import unittest

DEV = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "packaging", "dev")
sys.path.insert(0, DEV)
from cpp_source import Source, orphans_in  # noqa: E402


class FunctionsTest(unittest.TestCase):
    def functions(self, text):
        return Source(text).functions

    def test_name_first_line_and_lines(self):
        text = "namespace a {\n\nint f(int x) {\n  if (x) {\n    return 1;\n  }\n  return 2;\n}\n\n}\n"
        self.assertEqual(self.functions(text), [("f", 3, 6)])

    def test_constructor_with_initialisers(self):
        text = "A::A(int x) : x_(x), y_{1} {\n  run();\n}\nint last() { return 1; }\n"
        self.assertEqual([name for name, _, _ in self.functions(text)], ["A::A", "last"])

    def test_tables_and_lambdas_are_none(self):
        text = "const int kTable[] = {1, 2};\nconst auto kSum = [](int a) { return a; };\n"
        self.assertEqual(self.functions(text), [])

    def test_braces_in_literals_and_comments(self):
        text = 'int f() {  // }\n  const char* a = "}}";\n  return R"({{)" != nullptr && \'{\' == 1;\n}\nint g() { return 1; }\n'
        self.assertEqual(self.functions(text), [("f", 1, 4), ("g", 5, 1)])


class ClassesTest(unittest.TestCase):
    def test_member_functions_and_not_members(self):
        text = """class A : public B<int> {
 public:
  explicit A(int x);
  ~A() override = default;
  int get() const { return x_; }
  std::function<void(int)> called;
  A& operator=(const A&) = delete;
  Q_OBJECT(a)
  friend void f(A&);
  using Call = int(int);

 private:
  int x_ = f(3);
  int later_ = 0, other_{4};
};
"""
        self.assertEqual(Source(text).classes, {"A": 4})

    def test_class_within_a_class(self):
        self.assertEqual(Source("struct A { struct B { int f(); int g(); }; int h(); };").classes, {"A": 1, "B": 2})

    def test_final_is_no_name(self):
        self.assertEqual(Source("class A final : public C { int f(); }; struct B final { int g(); };").classes,
                         {"A": 1, "B": 1})


class OrphansTest(unittest.TestCase):
    LONG = "// " + "word " * 21 + "as"  # 110 characters

    def test_short_line_behind_a_full_one(self):
        self.assertEqual(len(self.LONG), 110)
        self.assertEqual(orphans_in([self.LONG, "// end.", "int x;"]), [2])

    def test_three_words_are_none(self):
        self.assertEqual(orphans_in([self.LONG, "// at the end.", "int x;"]), [])

    def test_short_line_behind_a_short_one(self):
        self.assertEqual(orphans_in(["// What follows:", "// first", "// second"]), [])


class CheckTest(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run([sys.executable, os.path.join(DEV, "structure"), "--check", "--root", root],
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()[:-1]

    def test_cycle_between_rooms(self):
        status, lines = self.check({
            "core/hlo/ir/module.h": '#include "core/hlo/text/parse.h"\n',
            "core/hlo/text/parse.h": '#include "core/hlo/verify/verify.h"\n',
            "core/hlo/verify/verify.h": '#include "core/hlo/ir/module.h"\n',
        })
        knot = "core/hlo/ir core/hlo/text core/hlo/verify"
        self.assertEqual((status, lines), (1, [f"cycle between rooms: {knot}", f"cycle between folders: {knot}"]))

    def test_cycle_between_folders_of_one_room(self):
        status, lines = self.check({
            "core/compiler/passes/dots/a.h": '#include "core/compiler/passes/fusion/b.h"\n',
            "core/compiler/passes/fusion/b.h": '#include "core/compiler/passes/dots/a.h"\n',
        })
        knot = "core/compiler/passes/dots core/compiler/passes/fusion"
        self.assertEqual((status, lines), (1, [f"cycle between folders: {knot}"]))

    def test_large_class_in_the_compiler_and_the_studio(self):
        members = "".join(f"  int f{i}();\n" for i in range(41))
        status, lines = self.check({"core/compiler/pass/a.h": f"class A {{\n{members}}};\n",
                                    "ui/models/b.h": f"class B {{\n{members}}};\n",
                                    "core/hlo/ir/c.h": f"class C {{\n{members}}};\n"})
        self.assertEqual((status, lines), (1, ["ui/models/b.h: class B has 41 member functions, 40 at most",
                                               "core/compiler/pass/a.h: class A has 41 member functions, 40 at most"]))

    def test_orphan_words(self):
        text = OrphansTest.LONG + "\n// end.\nint x;\n"
        status, lines = self.check({"core/base/a.h": text})
        self.assertEqual(status, 1)
        self.assertEqual(lines, ["core/base/a.h:2: orphan words in a comment; fill the lines above less"])

    def test_engine_named_outside_its_rooms(self):
        text = "// The cpu, in a comment.\nbool runsOnCpu();\n"
        status, lines = self.check({"core/analysis/a.h": text, "core/compiler/codegen/cpu/b.h": text})
        self.assertEqual((status, lines), (1, ["core/analysis/a.h:2: runsOnCpu: take it from an engine or a table"]))

    def test_thunk_in_five_files(self):
        table = "core/runtime/program/thunks.h"
        switch = "int f(ThunkKind k) {\n  switch (k) {\n    case ThunkKind::Copy: return 1;\n  }\n}\n"
        files = {table: "#define HILO_THUNKS(THUNK) \\\n  THUNK(Copy, 1)\n",
                 **{f"core/runtime/{name}.cpp": switch for name in "abc"}}
        self.assertEqual(self.check(files), (0, []))
        files["core/runtime/d.cpp"] = switch
        self.assertEqual(self.check(files), (1, ["a new thunk is added to 5 files in the median, 4 at most"]))

    def test_rooms_in_one_direction(self):
        files = {"core/hlo/text/parse.h": '#include "core/hlo/ir/module.h"\n', "core/hlo/ir/module.h": "// A module.\n"}
        self.assertEqual(self.check(files), (0, []))


if __name__ == "__main__":
    unittest.main()
