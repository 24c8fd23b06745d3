"""What `charm deploy bench` makes of answers and times, without engines."""

import http.server
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
program = sys.argv.pop()
sys.path.insert(0, os.path.dirname(program))
import deploy_clients

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
        all_of_it = list(deploy_clients.insertions("t", self.columns, lines, most=500))
        self.assertGreater(len(all_of_it), 4)
        for each in all_of_it:
            self.assertLess(len(each), 1000)
        self.assertIn("CAST(f[1] AS BIGINT), f[2], CAST(f[3] AS DATE)", all_of_it[0])
        found = re.findall(r"(\d+)\|it''s (\d+)\|1995-03-15", "".join(all_of_it))
        self.assertEqual(found, [(str(i), str(i)) for i in range(100)])

    def test_of_nothing_are_none(self):
        self.assertEqual(list(deploy_clients.insertions("t", self.columns, [])), [])


class Cores(unittest.TestCase):
    """Of a worker, which `charm deploy` writes as a list of ids: Spark waits for ever for an executor with too many."""

    def test_are_counted_by_id_and_not_by_character(self):
        self.assertEqual([deploy_clients.count_of(ids) for ids in ("0", "0-1", "0-3,8", "16-23,80-87", "")], [1, 2, 5, 16, 0])


class FakeTrino(http.server.ThreadingHTTPServer):
    """Answers every statement with 42, on its second page. `troubles` come before that: a status, or 0 for a connection
    that is closed without a response."""

    def __init__(self, troubles):
        self.troubles, self.statements, self.asked = list(troubles), [], 0
        super().__init__(("127.0.0.1", 0), FakePage)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class FakePage(http.server.BaseHTTPRequestHandler):
    def answer(self, page):
        self.server.asked += 1
        if self.server.troubles:
            if status := self.server.troubles.pop(0):
                self.send_error(status)
            self.close_connection = True
            return
        text = json.dumps(page).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        sql = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.statements.append(sql)
        self.answer({"nextUri": f"http://127.0.0.1:{self.server.server_port}/second"})

    def do_GET(self):
        self.answer({"data": [[len(self.server.statements[-1]) and 42]]})

    def log_message(self, *_):
        pass


class FakeDeployment:
    patience, workers, ended = 1, [], ""

    def ends(self):
        return self.ended


class LostConnections(unittest.TestCase):
    def client(self, troubles):
        self.server = FakeTrino(troubles)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        client = deploy_clients.Trino.__new__(deploy_clients.Trino)
        client.deployment, client.again_for, client.before, client.end = FakeDeployment(), 60, "", 0
        client.url = f"http://127.0.0.1:{self.server.server_port}"
        return client

    def test_are_asked_again(self):
        self.assertEqual(self.client([0, 503, 0]).ask("SELECT 42"), [["42"]])
        self.assertEqual(self.server.asked, 5)

    def test_of_a_server_that_has_ended_are_told_at_once_with_the_query(self):
        client = self.client([0, 0, 0])
        client.deployment.ended = "\ncoordinator has ended: signal 9"
        with self.assertRaisesRegex(deploy_clients.Failed, "q3: Trino does not answer.*without response"):
            client.run({3: "SELECT 42"}, 1)
        self.assertEqual(self.server.asked, 1)

    def test_are_no_refusals(self):
        with self.assertRaisesRegex(deploy_clients.Failed, "HTTP status 404"):
            self.client([404]).ask("SELECT 42")


class Ends(unittest.TestCase):
    """Of processes, which a failure names with what their logs say."""

    def test_come_with_the_reason_from_the_log(self):
        with tempfile.TemporaryDirectory() as folder:
            deployment = bench.Deployment.__new__(bench.Deployment)
            deployment.folder = pathlib.Path(folder)
            self.assertEqual(deployment.ends(), "")
            ends = [{"last_end": ""}, {"last_end": "exit code 3"}]
            state = {"plan": {"workers": [{"name": "w0"}, {"name": "coordinator"}]}, "workers": ends}
            (deployment.folder / "state.json").write_text(json.dumps(state))
            (deployment.folder / "coordinator").mkdir()
            (deployment.folder / "coordinator" / "log").write_text("fine\nTerminating due to OutOfMemoryError\nother\n")
            self.assertEqual(deployment.ends(),
                             "\ncoordinator has ended: exit code 3\n  Terminating due to OutOfMemoryError")

    def test_have_the_last_lines_where_none_says_why(self):
        self.assertEqual(bench.telling(["a", "b", "c"], most=2), ["b", "c"])


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
