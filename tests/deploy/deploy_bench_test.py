"""What `charm deploy bench` makes of answers and times, without engines."""

import importlib.machinery
import importlib.util
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
program = sys.argv.pop()
sys.path.insert(0, os.path.dirname(program))
loader = importlib.machinery.SourceFileLoader("deploy_bench", program)
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("deploy_bench", loader))
loader.exec_module(bench)


class Queries(unittest.TestCase):
    def test_none_groups_by_a_name_of_its_own_select(self):
        text = "SELECT l_suppkey AS supplier_no FROM lineitem\nGROUP BY\n    supplier_no;\n"
        self.assertEqual(bench.standard_sql(text), "SELECT l_suppkey AS supplier_no FROM lineitem\nGROUP BY\n    l_suppkey")
        self.assertEqual(bench.standard_sql("SELECT 1;"), "SELECT 1")


class Insertions(unittest.TestCase):
    columns = [("k", "BIGINT"), ("v", "VARCHAR"), ("d", "DATE")]

    def test_hold_every_line_once_and_stay_short(self):
        lines = [f"{i}|it's {i}|1995-03-15\n" for i in range(100)]
        all_of_it = list(bench.insertions("t", self.columns, lines, most=500))
        self.assertGreater(len(all_of_it), 4)
        for each in all_of_it:
            self.assertLess(len(each), 1000)
        self.assertIn("CAST(f[1] AS BIGINT), f[2], CAST(f[3] AS DATE)", all_of_it[0])
        found = re.findall(r"(\d+)\|it''s (\d+)\|1995-03-15", "".join(all_of_it))
        self.assertEqual(found, [(str(i), str(i)) for i in range(100)])

    def test_of_nothing_are_none(self):
        self.assertEqual(list(bench.insertions("t", self.columns, [])), [])


class Cores(unittest.TestCase):
    """Of a worker, which `charm deploy` writes as a list of ids: Spark waits for ever for an executor with too many."""

    def test_are_counted_by_id_and_not_by_character(self):
        self.assertEqual([bench.count_of(ids) for ids in ("0", "0-1", "0-3,8", "16-23,80-87", "")], [1, 2, 5, 16, 0])


class Answers(unittest.TestCase):
    def test_numbers_may_be_written_differently_and_differ_by_rounding(self):
        self.assertEqual(bench.difference([["312.0", "x"]], [["312", "x"]]), "")
        self.assertEqual(bench.difference([["0.30000000000000004"]], [["0.3"]]), "")
        self.assertIn("should be", bench.difference([["1000001"]], [["1000003"]]))
        self.assertIn("should be", bench.difference([["1995-03-01"]], [["1995-03-02"]]))

    def test_rows_that_tie_may_be_exchanged(self):
        self.assertEqual(bench.difference([["1", "b"], ["1", "a"]], [["1", "a"], ["1", "b"]]), "")
        self.assertIn("a row is", bench.difference([["1", "b"], ["1", "b"]], [["1", "a"], ["1", "b"]]))

    def test_may_be_null_alone(self):
        self.assertEqual(bench.rows_of("avg_yearly\n\n"), [[""]])
        self.assertEqual(bench.difference([["NULL"]], bench.rows_of("avg_yearly\n\n")), "")
        self.assertEqual(bench.rows_of("a|b\n"), [])
        self.assertEqual(bench.rows_of("a|b\n1|x y\n2|\n"), [["1", "x y"], ["2", ""]])
        self.assertNotEqual(bench.difference([["NULL"]], [["0"]]), "")

    def test_missing_rows_and_columns_are_seen(self):
        self.assertEqual(bench.difference([], [["1"]]), "0 rows where 1 are right")
        self.assertIn("should be", bench.difference([["1"]], [["1", "2"]]))


def run(policy, seconds, right=2):
    return {"engine": "trino", "policy": policy, "workers": 2, "right": right, "threads": 9, "seconds": seconds}


class Speedups(unittest.TestCase):
    runs = [run("wim", {1: 2.0, 6: 1.0}), run("wicp", {1: 1.0, 6: 2.0}, 1)]

    def test_are_over_the_first_policy(self):
        lines = bench.table(self.runs, [1, 6]).splitlines()
        self.assertEqual(lines[3].split(), ["q1", "2.00", "1.00", "2.00"])
        self.assertEqual(lines[4].split(), ["q6", "1.00", "1.00", "0.50"])
        self.assertEqual(lines[5].split(), ["geometric", "mean", "1.00", "1.00"])
        self.assertEqual(lines[7].split(), ["right", "answers", "2", "1"])

    def test_are_drawn_with_the_mean(self):
        page = bench.report({"trino": self.runs}, [1, 6], "0.1")
        self.assertEqual(page.count("<rect"), 6)
        self.assertIn("q1, wicp: 2.00", page)
        self.assertIn("mean, wicp: 1.00", page)


class Modelled(unittest.TestCase):
    text = ('[{"machine": "M", "scale": 100, "runs": [{"policy": "wim", "workers": 1, "seconds": {"1": 4}}, '
            '{"policy": "win", "workers": 2, "seconds": {"1": 2}}], "by_count": [[1, 1.0], [2, 2.5]]}]')

    def test_runs_are_marked_and_have_no_answers(self):
        runs, counts, queries = bench.modelled_runs(self.text)
        title = "M, modelled at scale factor 100"
        self.assertEqual((list(runs), queries), ([title], [1]))
        text = bench.table(runs[title], queries, counts[title])
        self.assertIn("modelled", text)
        self.assertNotIn("right answers", text)
        self.assertEqual(text.splitlines()[-1].split(), ["speed-up", "1.00", "2.50"])
        page = bench.report(runs, queries, "", counts)
        self.assertIn("Modelled, not measured", page)
        self.assertIn("2 processes: 2.50", page)
        self.assertIn("q1, win: 2.00", page)


if __name__ == "__main__":
    unittest.main()
