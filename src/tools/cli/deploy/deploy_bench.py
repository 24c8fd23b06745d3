#!/usr/bin/env python3
"""charm deploy bench: TPC-H on Spark or Trino, deployed in one policy after the other (OLAP on chiplets, Fig. 7, 8, 12).

For every policy the workers are started by `charm deploy up` and their binding is proven by `charm deploy verify`,
before and after the queries. Every answer is compared with the one that DuckDB's TPC-H extension publishes (scale
factors 0.01, 0.1 and 1). The table shows how many times as fast as under the first policy each query ran, and the
geometric mean. `charm deploy bench` becomes this program and has checked its options.

Exit code 0: all answers were right and all workers bound. 1: they were not. 2: something is missing.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # beside the programs of a package
from deploy_clients import CLIENTS, TABLES, Failed, Missing, engines_folder, wait_for
from deploy_report import difference, modelled_runs, rows_of, table

def standard_sql(query):
    """DuckDB's text of a TPC-H query as other engines read it: q15 groups by the name that its own SELECT gives."""
    return re.sub(r"(GROUP\s+BY\s+)supplier_no", r"\1l_suppkey", query.strip().rstrip(";"), flags=re.IGNORECASE)


class Duckdb:
    """DuckDB's client for Python: the data, the text of the queries, and the right answers."""

    def __init__(self):
        tpch, packages = engines_folder() / "duckdb" / "tpch.duckdb_extension", engines_folder() / "duckdb_python"
        if not tpch.exists() or not (packages / "duckdb").exists():
            raise Missing("DuckDB is not installed; run 'scripts/engines duckdb duckdb_python'")
        sys.path.insert(0, str(packages))
        import duckdb
        self.errors, self.connection = duckdb.Error, duckdb.connect()
        self.rows(f"LOAD '{tpch}'")

    def rows(self, sql):
        try:
            return self.connection.execute(sql).fetchall()
        except self.errors as error:
            raise Failed(f"DuckDB: {error}") from error

    def queries(self):
        return {number: standard_sql(text) for number, text in self.rows("FROM tpch_queries()")}

    def answers(self, scale):
        found = self.rows(f"SELECT query_nr, answer FROM tpch_answers() WHERE scale_factor = {scale}")
        return {number: rows_of(text) for number, text in found}

    def columns(self, table):
        """Names and types, decimals as doubles: an engine's mean of decimals has as many places as it likes."""
        found = self.rows(f"SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = '{table}'")
        return [(name, "DOUBLE" if kind.startswith("DECIMAL") else kind) for name, kind in found]

    def generate(self, scale):
        self.rows(f"CALL dbgen(sf = {scale})")

    def write(self, folder, form):
        """The tables as files, TABLE.parquet or, with fields separated by '|', TABLE.csv."""
        # Spark's library for snappy, the default, does not load where musl is installed beside glibc.
        options = {"parquet": "FORMAT parquet, COMPRESSION zstd", "csv": "FORMAT csv, HEADER false, DELIMITER '|', QUOTE '', ESCAPE ''"}[form]
        for table in TABLES:
            chosen = ", ".join(f"{name}::{kind} AS {name}" for name, kind in self.columns(table))
            self.rows(f"COPY (SELECT {chosen} FROM {table}) TO '{folder}/{table}.{form}' ({options})")


def telling(lines, most=5):
    """The lines of a server's log that say why it has ended, else the last ones."""
    why = [line for line in lines if "Terminating due to" in line or "OutOfMemoryError" in line or "\tERROR\t" in line]
    return (why or lines)[-most:]


def policy_words(policy, per_chiplet):
    """Options of `charm deploy up`; the other policies refuse --per-chiplet."""
    words = ["--policy", policy.partition("-")[0]]
    words += ["--shape", "mixed"] if policy.endswith("-mixed") else []
    return words + (["--per-chiplet", str(per_chiplet)] if policy.startswith("wicp") and per_chiplet > 1 else [])


class Deployment:
    """The workers of one policy, from `charm deploy up` to `charm deploy down`."""

    def __init__(self, tool, engine, policy, folder, more, patience, variables, per_chiplet=1):
        self.tool, self.folder, self.patience = tool, folder, patience
        self.log = open(str(folder) + ".log", "w")
        words = [tool, "deploy", "up", "--target", engine, "--dir", str(folder), *policy_words(policy, per_chiplet)]
        self.up = subprocess.Popen(words + more, stderr=self.log, stdout=self.log, env=os.environ | variables)

    def __enter__(self):
        def started():
            if self.up.poll() is not None:
                raise Missing(pathlib.Path(self.log.name).read_text().strip().removeprefix("charm: "))
            return all(each["phase"] == "running" for each in self.state()["workers"])
        wait_for("charm deploy up", self.patience, started)
        return self

    def __exit__(self, *_):
        subprocess.run([self.tool, "deploy", "down", "--dir", str(self.folder), "-q"], check=False)
        self.up.wait()
        self.log.close()

    def state(self):
        return json.loads((self.folder / "state.json").read_text())

    def ends(self):
        """Which processes have ended since the workers were started, each with the end of its log; or nothing."""
        try:
            state = self.state()
        except (OSError, ValueError):
            return ""
        text = ""
        for planned, worker in zip(state["plan"]["workers"], state["workers"]):
            if not worker["last_end"]:
                continue
            text += f"\n{planned['name']} has ended: {worker['last_end']}"
            log = self.folder / planned["name"] / "log"
            if log.exists():
                lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
                text += "".join(f"\n  {line[:200]}" for line in telling(lines))
        return text

    @property
    def workers(self):
        return [each for each in self.state()["plan"]["workers"] if each["name"] != "coordinator"]

    def find(self, name, key):
        return next(each[key] for each in self.state()["plan"]["workers"] if each["name"] == name)

    def port(self, name):
        return self.find(name, "port")

    def web_port(self, name):
        return self.find(name, "web_port")

    def verify(self):
        done = subprocess.run([self.tool, "deploy", "verify", "--dir", str(self.folder), "--json"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"charm deploy verify: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)["workers"]


def run_policy(args, engine, policy, duckdb, queries, data, folder):
    more = ["--port", str(args.port), *args.up]
    variables = CLIENTS[engine].prepare(data)
    with Deployment(args.charm, engine, policy, folder, more, args.patience, variables, args.per_chiplet) as deployment:
        try:
            client = CLIENTS[engine](deployment, duckdb, data)
            deployment.verify()
            answers, seconds = client.run(queries, args.trials)
            proof = deployment.verify()
        except (Failed, OSError) as failed:
            time.sleep(1)  # until the end of a process is noticed
            raise Failed(f"{engine} {policy}: {failed}{deployment.ends()}") from failed
        if ends := deployment.ends():
            print(f"{engine} {policy}: not all ran through:{ends}", file=sys.stderr)
        workers = len(deployment.workers)
    right = duckdb.answers(args.scale)
    wrong = {number: text for number in queries if (text := difference(answers.get(number, []), right[number]))}
    print(f"{engine} {policy} (workers: {workers}): {len(queries) - len(wrong)} of {len(queries)} answers right, "
          f"{sum(statistics.median(each) for each in seconds.values()):.1f} s", file=sys.stderr, flush=True)
    for number, text in wrong.items():
        print(f"{engine} {policy}: q{number} is wrong: {text}", file=sys.stderr)
    return {"engine": engine, "policy": policy, "workers": workers, "right": len(queries) - len(wrong),
            "threads": sum(each["threads"] for each in proof),
            "seconds": {number: statistics.median(each) for number, each in seconds.items()}}


def measured_runs(args, engines, queries, duckdb):
    by_engine = {}
    with tempfile.TemporaryDirectory(prefix="charm-deploy-bench.") as scratch:
        folder = pathlib.Path(scratch)
        duckdb.generate(args.scale)
        for form in sorted({CLIENTS[engine].form for engine in engines}):
            duckdb.write(scratch, form)
        for engine in engines:
            by_engine[engine] = [
                run_policy(args, engine, policy, duckdb, queries, scratch, folder / f"{engine}-{policy}")
                for policy in args.policy.split(",")]
            if not args.json:
                print(table(by_engine[engine], queries), flush=True)
    return by_engine


def main():
    parser = argparse.ArgumentParser(prog="charm deploy bench", description=__doc__.split("\n")[0])
    parser.add_argument("--charm", required=True)
    parser.add_argument("--engine", default="")
    parser.add_argument("--modelled", default="[]")
    parser.add_argument("--policy", default="wim,win,wicp,wic")
    parser.add_argument("--query", default="")
    parser.add_argument("--scale", default="0.1")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--port", type=int, default=20000)
    parser.add_argument("--per-chiplet", type=int, default=1)
    parser.add_argument("--patience", type=float, default=300)
    parser.add_argument("--report", default="")
    parser.add_argument("--command", default="charm deploy bench")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("up", nargs="*", help="options of charm deploy up")
    args = parser.parse_args()
    engines = [each for each in args.engine.split(",") if each]
    by_engine, by_count, numbers = modelled_runs(args.modelled)
    if not args.json:
        for title, runs in by_engine.items():
            print(table(runs, numbers, by_count[title]), flush=True)
    if engines:
        duckdb = Duckdb()
        wanted = [int(each) for each in args.query.replace("q", "").split(",") if each] or list(range(1, 23))
        queries = {number: text for number, text in duckdb.queries().items() if number in wanted}
        by_engine = measured_runs(args, engines, queries, duckdb) | by_engine
        numbers = list(queries)
    runs = [run for each in by_engine.values() for run in each]
    results = json.dumps({"scale": args.scale, "trials": args.trials, "runs": runs, "by_processes": by_count}, indent=2)
    if args.json:
        print(results)
    if args.report:
        draw = [args.charm, "deploy", "bench", "--page-of", args.command, "--report", args.report]
        if subprocess.run(draw, input=results, text=True).returncode != 0:
            return 1
    return 0 if all(run["right"] == len(numbers) for run in runs if "right" in run) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # the workers are ended on the way
    try:
        sys.exit(main())
    except Missing as missing:
        print(f"charm: {missing}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except (Failed, OSError) as failed:
        print(f"charm: {failed}", file=sys.stderr)
        sys.exit(1)
