"""How `charm deploy bench` asks Trino and Spark, once they are deployed."""

import http.client
import json
import os
import pathlib
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

TABLES = ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"]


class Missing(Exception):
    """Something that is not installed; the text says how to get it."""


class Failed(Exception):
    """What went wrong while engines ran."""


class NoWorkers(Failed):
    """Trino has no workers at the moment."""


def engines_folder():
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return pathlib.Path(os.environ.get("CHARM_ENGINES") or data + "/charm/engines")


def get(url, data=None, headers=None):
    request = urllib.request.Request(url, data=data, headers=headers or {})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def wait_for(what, seconds, condition):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if condition():
                return
        except (OSError, ValueError, KeyError, http.client.HTTPException, Failed):
            pass  # not yet
        time.sleep(0.3)
    raise Failed(f"{what}: not started within {seconds:g} s; give --patience more seconds")


def pieces(file, folder, most=16_000_000):
    """A file of lines "a|b|c" in pieces of so many bytes, for Trino's connector of text files, which divides lines at
    commas and takes blanks away: commas become the character 1, and a line ends with '|'."""
    made, piece, size = [], None, 0
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            if piece is None or size + len(line) > most:
                if piece:
                    piece.close()
                piece, size = open(folder / f"{pathlib.Path(file).stem}.{len(made)}", "w", encoding="utf-8"), 0
                made.append(piece.name)
            piece.write(line.rstrip("\n").replace(",", "\1") + "|\n")
            size += len(line) + 2
    if piece:
        piece.close()
    return made


def trino_home():
    return pathlib.Path(os.environ.get("TRINO_HOME") or engines_folder() / "trino")


class Trino:
    """The coordinator's REST interface. The tables are copied into the workers' memory once, from DuckDB's files: the
    comments that Trino's own connector tpch makes up are others, and so are its answers to q13. The coordinator reads
    no data: it keeps statements for a while, and many long INSERT statements filled its heap."""

    form = "csv"

    @staticmethod
    def prepare(data):
        """What `charm deploy up` needs in its environment: the installation, with catalogs of its own."""
        home, mine = trino_home(), pathlib.Path(data).resolve() / "trino-home"
        if not (home / "plugin" / "example-http").exists():
            raise Missing(f"'{home}' has no connector example-http; run 'scripts/engines trino'")
        if mine.exists():
            return {"TRINO_HOME": str(mine)}
        files, catalogs = mine / "files", mine / "etc" / "catalog"
        for folder in (files, catalogs):
            folder.mkdir(parents=True)
        for part in ("lib", "plugin"):
            (mine / part).symlink_to((home / part).resolve())
        line = [{"name": "line", "type": "varchar"}]
        (mine / "tables.json").write_text(json.dumps({"default": [
            {"name": table, "columns": line,
             "sources": ["file://localhost" + urllib.parse.quote(each) for each in pieces(f"{data}/{table}.csv", files)]}
            for table in TABLES]}))
        (catalogs / "memory.properties").write_text("connector.name=memory\nmemory.max-data-per-node=1TB\n")
        (catalogs / "files.properties").write_text(
            f"connector.name=example-http\nmetadata-uri={(mine / 'tables.json').as_uri()}\n")
        return {"TRINO_HOME": str(mine)}

    def __init__(self, deployment, duckdb, _data):
        self.deployment = deployment
        self.url = f"http://127.0.0.1:{deployment.port('coordinator')}"
        self.end, self.seconds, self.again_for, self.before = time.monotonic() + 10 * deployment.patience, 0, 0, ""
        workers = len(deployment.workers)
        ready = "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active' AND NOT coordinator"
        wait_for("Trino's workers", deployment.patience, lambda: self.ask_once(ready) == [[str(workers)]])
        self.again_for, self.before = 60, deployment.ends()
        for table in TABLES:
            try:
                self.fill(table, duckdb.columns(table))
                there, wanted = (int(each(f"SELECT count(*) FROM {table}")[0][0]) for each in (self.ask, duckdb.rows))
            except Failed as failed:
                raise Failed(f"while table {table} was filled: {failed}") from failed
            if there != wanted:
                raise Failed(f"Trino: {table} has {there} rows where DuckDB has {wanted}")

    def fill(self, table, columns):
        self.ask(f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns)})")
        fields = ", ".join(f"f[{i}]" if kind == "VARCHAR" else f"CAST(f[{i}] AS {kind})"
                           for i, (_, kind) in enumerate(columns, start=1))
        self.ask(f"INSERT INTO {table} SELECT {fields} FROM (SELECT split(replace(line, chr(1), ','), '|') AS f "
                 f"FROM files.default.{table})")

    def ask(self, sql):
        """Rows of text. On a busy machine Trino misses heartbeats and has no workers for a while; it is asked again."""
        while True:
            try:
                begin = time.monotonic()
                rows = self.ask_once(sql)
                self.seconds = time.monotonic() - begin
                return rows
            except NoWorkers:
                if time.monotonic() > self.end:
                    raise
                time.sleep(1)

    def ask_once(self, sql):
        headers = {"X-Trino-User": "charm", "X-Trino-Catalog": "memory", "X-Trino-Schema": "default"}
        answer, rows = self.get(self.url + "/v1/statement", sql.encode(), headers), []
        while True:
            if "error" in answer:
                error = answer["error"]
                raise (NoWorkers if error.get("errorName") == "NO_NODES_AVAILABLE" else Failed)(
                    f"Trino: {error['message']}")
            rows += [["NULL" if value is None else str(value) for value in row] for row in answer.get("data", [])]
            if "nextUri" not in answer:
                return rows
            answer = self.get(answer["nextUri"])

    def get(self, url, data=None, headers=None):
        """Asked again where the server has closed the connection or is busy, as Trino's protocol allows for pages of an
        answer. It allows it for a statement too, which Trino runs when its first page is asked for. A server that has
        ended is not asked again: it has lost query and tables."""
        end = time.monotonic() + self.again_for
        while True:
            try:
                return get(url, data, headers)
            except (OSError, http.client.HTTPException) as lost:
                if isinstance(lost, urllib.error.HTTPError) and lost.code not in (502, 503, 504):
                    raise Failed(f"Trino: HTTP status {lost.code}") from lost
                if time.monotonic() > end or self.deployment.ends() != self.before:
                    raise Failed(f"Trino does not answer ({lost or type(lost).__name__})") from lost
                time.sleep(0.5)

    def run(self, queries, trials):
        answers, seconds = {}, {number: [] for number in queries}
        for _ in range(trials):
            for number, text in queries.items():
                try:
                    answers[number] = self.ask(text)
                except Failed as failed:
                    raise Failed(f"q{number}: {failed}") from failed
                seconds[number].append(self.seconds)
        return answers, seconds


def count_of(ids):
    """How many ids a list such as "0-3,8" has."""
    bounds = [part.split("-") for part in ids.split(",") if part]
    return sum(int(each[-1]) - int(each[0]) + 1 for each in bounds)


def reason(text, most=3):
    """Of what a Java program wrote: the causes that it gives, each once, else the last lines."""
    lines = [line.strip()[:300] for line in text.splitlines() if line.strip()]
    causes = list(dict.fromkeys(line for line in lines if line.startswith("Caused by: ")))
    return "\n  ".join((causes or lines)[-most:])


class Spark:
    """spark-sql, which runs all queries in one session and tells how long each took."""

    form = "parquet"

    @staticmethod
    def prepare(_data):
        return {}

    def __init__(self, deployment, _duckdb, data):
        self.deployment, self.data = deployment, data
        url = f"http://127.0.0.1:{deployment.web_port('coordinator')}/json/"
        wait_for("Spark's workers", deployment.patience, lambda: get(url)["aliveworkers"] == len(deployment.workers))

    def run(self, queries, trials):
        workers = self.deployment.workers
        script = "".join(
            f"CREATE TEMPORARY VIEW {t} USING parquet OPTIONS (path '{self.data}/{t}.parquet');\n" for t in TABLES)
        order = list(queries) * trials
        for number in order:
            script += f"SELECT '=== {number}';\n{queries[number]};\n"
        (self.deployment.folder / "queries.sql").write_text(script)
        cores = [count_of(each["cores"]) for each in workers]
        heap_mb = min(each["heap_bytes"] for each in workers) >> 20
        # Spark 4 adds a tenth, at least 384 MiB, and starts no executor where a worker has less than both.
        executor_mb = max(min(heap_mb * 85 // 100, heap_mb - 512), heap_mb // 2)
        settings = {
            "spark.executor.cores": min(cores),
            "spark.executor.memory": f"{executor_mb}m",
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
            "spark.scheduler.minRegisteredResourcesRatio": 1, "spark.sql.shuffle.partitions": 2 * sum(cores),
            "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.warehouse.dir": self.deployment.folder / "warehouse"}
        home = os.environ.get("SPARK_HOME") or str(engines_folder() / "spark")
        words = [home + "/bin/spark-sql", "--properties-file", str(self.deployment.folder / "coordinator/client.conf")]
        for name, value in settings.items():
            words += ["--conf", f"{name}={value}"]
        done = subprocess.run(words + ["-f", str(self.deployment.folder / "queries.sql")], cwd=self.deployment.folder,
                              env=os.environ | {"SPARK_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1"},
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed("spark-sql: " + reason(done.stderr))
        answers, number = {}, None
        for line in done.stdout.splitlines():
            if line.startswith("=== "):
                number = int(line[4:])
                answers[number] = []
            elif number is not None:
                answers[number].append(line.split("\t"))
        taken = [float(line.split()[2]) for line in done.stderr.splitlines() if line.startswith("Time taken:")]
        seconds = {number: [] for number in queries}
        for place, number in enumerate(order):  # of the views, and of the line before each query
            seconds[number].append(taken[len(TABLES) + 2 * place + 1])
        return answers, seconds


CLIENTS = {"spark": Spark, "trino": Trino}
