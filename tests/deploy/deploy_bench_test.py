"""What `charm deploy bench` makes of answers and times, without engines."""

import importlib.machinery
import importlib.util
import sys
import unittest

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("deploy_bench", sys.argv.pop())
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("deploy_bench", loader))
loader.exec_module(bench)


class Queries(unittest.TestCase):
    def test_none_groups_by_a_name_of_its_own_select(self):
        text = "SELECT l_suppkey AS supplier_no FROM lineitem\nGROUP BY\n    supplier_no;\n"
        self.assertEqual(bench.standard_sql(text), "SELECT l_suppkey AS supplier_no FROM lineitem\nGROUP BY\n    l_suppkey")
        self.assertEqual(bench.standard_sql("SELECT 1;"), "SELECT 1")


class Answers(unittest.TestCase):
    def test_numbers_may_be_written_differently_and_differ_by_rounding(self):
        self.assertEqual(bench.difference([["312.0", "x"]], [["312", "x"]]), "")
        self.assertEqual(bench.difference([["0.30000000000000004"]], [["0.3"]]), "")
        self.assertIn("should be", bench.difference([["1000001"]], [["1000003"]]))
        self.assertIn("should be", bench.difference([["1995-03-01"]], [["1995-03-02"]]))

    def test_rows_that_tie_may_be_exchanged(self):
        self.assertEqual(bench.difference([["1", "b"], ["1", "a"]], [["1", "a"], ["1", "b"]]), "")
        self.assertIn("a row is", bench.difference([["1", "b"], ["1", "b"]], [["1", "a"], ["1", "b"]]))

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


if __name__ == "__main__":
    unittest.main()
