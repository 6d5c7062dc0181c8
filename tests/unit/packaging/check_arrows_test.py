"""The arrow check must find each kind of forbidden include, and nothing else, in a small tree."""

import os
import subprocess
import sys
import tempfile
import unittest

REPOSITORY_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
CHECK = os.path.join(REPOSITORY_ROOT, "packaging", "dev", "check_arrows.py")
sys.path.insert(0, os.path.dirname(CHECK))
import check_arrows  # noqa: E402  (found by the line above)


class CheckArrowsTest(unittest.TestCase):
    def check(self, files):
        """Writes `files` (path -> text) as a tree; returns the exit status and the printed violations."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()[:-1]

    def assert_refused(self, path, include, message):
        status, lines = self.check({path: f"#pragma once\n#include {include}\n"})
        self.assertEqual(status, 1)
        self.assertEqual(lines, [f"{path}:2: {message}"])

    def test_allowed_arrows_pass(self):
        status, lines = self.check({
            "core/base/result.h": "#include <string>\n",
            "core/hlo/text/parser.cpp": '#include "core/hlo/text/lexer.h"\n#include "core/hlo/ir/shape.h"\n',
            "core/workspace/jobs.h": '#include "core/compiler/pass/pass.h"\n#include "core/base/result.h"\n',
            "ui/views/graph/graph_view.cpp": '#include <QWidget>\n#include "ui/canvas/view_transform.h"\n',
            "ui/shell/main_window.cpp": '#include "ui/views/graph/graph_view.h"\n',
            "app/cli/opt.cpp": '#include "core/workspace/workspace.h"\n#include <fmt/format.h>\n',
            "plugins/pjrt/plugin.cpp": '#include "plugins/sdk/plugin.h"\n',
        })
        self.assertEqual((status, lines), (0, []))

    def test_lower_room_includes_higher(self):
        self.assert_refused("core/hlo/ir/module.h", '"core/hlo/text/parser.h"',
                            'core/hlo/ir may not include core/hlo/text ("core/hlo/text/parser.h")')

    def test_runtime_includes_compiler(self):
        self.assert_refused("core/runtime/engine/engine.h", '"core/compiler/pass/pass.h"',
                            'core/runtime/engine may not include core/compiler/pass ("core/compiler/pass/pass.h")')

    def test_view_includes_other_view(self):
        self.assert_refused("ui/views/text/text_view.h", '"ui/views/graph/graph_view.h"',
                            'ui/views/text may not include ui/views/graph ("ui/views/graph/graph_view.h")')

    def test_ui_includes_passes(self):
        self.assert_refused("ui/shell/actions.cpp", '"core/compiler/passes/simplify/dce.h"',
                            'ui/shell may not include core/compiler/passes ("core/compiler/passes/simplify/dce.h")')

    def test_qt_in_core(self):
        self.assert_refused("core/base/text.h", "<QString>", "Qt header <QString> is allowed only under ui/, app/studio/")

    def test_qt_module_header_in_cli(self):
        self.assert_refused("app/cli/main.cpp", "<QtCore/QFile>",
                            "Qt header <QtCore/QFile> is allowed only under ui/, app/studio/")

    def test_llvm_outside_codegen(self):
        self.assert_refused("core/analysis/cost.h", '"llvm/IR/Module.h"',
                            "LLVM header <llvm/IR/Module.h> is allowed only under core/compiler/codegen/, "
                            "plugins/stablehlo/, plugins/mosaic/")

    def test_plugin_includes_core(self):
        self.assert_refused("plugins/pjrt/plugin.h", '"core/base/result.h"',
                            'plugins/pjrt may not include core/base ("core/base/result.h")')

    def test_product_includes_tests(self):
        self.assert_refused("core/base/arena.h", '"tests/support/test_files.h"',
                            '"tests/support/test_files.h" lies in no room that may be included')

    def test_room_of_the_workspace_includes_one_above_it(self):
        self.assert_refused("core/workspace/run/runs.h", '"core/workspace/values/value_walk.h"',
                            'core/workspace/run may not include core/workspace/values ("core/workspace/values/value_walk.h")')

    def test_folder_of_the_workspace_without_a_row(self):
        status, lines = self.check({"core/workspace/attic/old.h": ""})
        self.assertEqual((status, lines), (1, ["core/workspace/attic/old.h:1: lies in no room; add one to "
                                               "packaging/dev/check_arrows.py or move it"]))

    def test_single_header_of_a_room_that_is_not_open(self):
        self.assertEqual(self.check({"ui/shell/a.cpp": '#include "core/compiler/pass/pass.h"\n'}), (0, []))
        self.assert_refused("ui/shell/a.cpp", '"core/compiler/pass/pass_runner.h"',
                            'ui/shell may not include core/compiler/pass ("core/compiler/pass/pass_runner.h")')

    def test_cycles_are_found_whatever_leads_to_them(self):
        self.assertEqual(check_arrows.cycle_in({"x": {"a"}, "a": {"b"}, "b": {"c"}, "c": {"a"}}), ["a", "b", "c", "a"])
        self.assertIsNone(check_arrows.cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}))

    def test_includes_that_lead_back_are_a_cycle(self):
        status, lines = self.check({"core/hlo/ir/module.h": '#include "core/hlo/text/parser.h"\n',
                                    "core/hlo/text/parser.h": '#include "core/hlo/ir/module.h"\n'})
        self.assertEqual(status, 1)
        self.assertEqual(lines[-1], "a cycle in the includes: core/hlo/ir -> core/hlo/text -> core/hlo/ir")

    def test_relative_include(self):
        status, lines = self.check({"core/base/a.h": "", "core/base/b.h": '#include "a.h"\n'})
        self.assertEqual((status, lines), (1, ['core/base/b.h:1: "a.h" must be written from the repository root']))

    def test_folder_outside_every_room(self):
        status, lines = self.check({"core/extras/x.cpp": ""})
        self.assertEqual(status, 1)
        self.assertIn("core/extras/x.cpp:1: lies in no room", lines[0])


if __name__ == "__main__":
    unittest.main()
