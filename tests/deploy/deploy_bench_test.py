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


class Policies(unittest.TestCase):
    def test_are_options_of_deploy_up(self):
        self.assertEqual(bench.policy_words("win", 2), ["--policy", "win"])
        self.assertEqual(bench.policy_words("wicp", 1), ["--policy", "wicp"])
        self.assertEqual(bench.policy_words("wicp-mixed", 2), ["--policy", "wicp", "--shape", "mixed", "--per-chiplet", "2"])


class Pieces(unittest.TestCase):
    """Of a table's file, as Trino's connector of text files reads them: it divides lines at commas and trims them."""

    def test_hold_every_line_once_and_are_short(self):
        with tempfile.TemporaryDirectory() as folder:
            file, lines = pathlib.Path(folder) / "t.csv", [f"{i}|it's {i}, and more \n" for i in range(100)]
            file.write_text("".join(lines))
            made = deploy_clients.pieces(file, pathlib.Path(folder), most=500)
            self.assertGreater(len(made), 4)
            texts = [pathlib.Path(each).read_text() for each in made]
            for each in texts:
                self.assertLess(len(each), 600)
            self.assertNotIn(",", "".join(texts))
            back = [line.strip().replace("\1", ",").split("|") for line in "".join(texts).splitlines()]
            self.assertEqual(back, [line.rstrip("\n").split("|") + [""] for line in lines])

    def test_of_nothing_are_none(self):
        with tempfile.NamedTemporaryFile() as empty:
            self.assertEqual(deploy_clients.pieces(empty.name, pathlib.Path("/nowhere")), [])


class Catalogs(unittest.TestCase):
    """Of Trino, which the command gives to `charm deploy up` beside the engine itself."""

    def test_are_in_a_folder_that_refers_to_the_engine(self):
        with tempfile.TemporaryDirectory() as folder:
            home, data = pathlib.Path(folder) / "trino", pathlib.Path(folder) / "data of it"
            os.environ["TRINO_HOME"] = str(home)
            self.addCleanup(os.environ.pop, "TRINO_HOME")
            data.mkdir()
            for table in deploy_clients.TABLES:
                (data / f"{table}.csv").write_text("1|a\n")
            with self.assertRaisesRegex(deploy_clients.Missing, "scripts/engines trino"):
                deploy_clients.Trino.prepare(data)
            for part in ("lib", "plugin/example-http"):
                (home / part).mkdir(parents=True)
            mine = pathlib.Path(deploy_clients.Trino.prepare(data)["TRINO_HOME"])
            self.assertEqual(deploy_clients.Trino.prepare(data)["TRINO_HOME"], str(mine), "once for all policies")
            self.assertTrue((mine / "plugin" / "example-http").exists())
            tables = json.loads((mine / "tables.json").read_text())["default"]
            self.assertEqual([each["name"] for each in tables], deploy_clients.TABLES)
            self.assertRegex(tables[0]["sources"][0], "^file://localhost/.*/data%20of%20it/trino-home/files/customer.0$")


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


class Reasons(unittest.TestCase):
    def test_are_the_causes_and_not_the_end_of_a_stack(self):
        text = "job failed\n\tat a\nCaused by: no library\n\tat b\nCaused by: no library\n\t... 57 more\n"
        self.assertEqual(deploy_clients.reason(text), "Caused by: no library")
        self.assertEqual(deploy_clients.reason("one\ntwo\n\n"), "one\n  two")


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


if __name__ == "__main__":
    unittest.main()
