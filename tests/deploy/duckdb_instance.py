"""The instance of --target duckdb against DuckDB's own client: values of all types, random statements, errors, and clients
that go away. Arguments: duckdb_instance.py, and how many statements (300) and clients (100). Exit code 77: the packages
of scripts/engines duckdb_python are not there."""

import contextlib
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
packages = pathlib.Path(os.environ.get("CHARM_ENGINES") or data + "/charm/engines") / "duckdb_python"
if not (packages / "version").exists():
    print("no DuckDB for Python here (scripts/engines duckdb_python)")
    sys.exit(77)
sys.path.insert(0, str(packages))
import duckdb  # noqa: E402
import pyarrow  # noqa: E402
from random_sql import Statements  # noqa: E402

statements, clients = (int(each) for each in (sys.argv[2:] + ["300", "100"][len(sys.argv) - 2:]))

VALUES = """true 1::TINYINT -2::SMALLINT 3::INTEGER 4::BIGINT 5::UTINYINT 6::USMALLINT 7::UINTEGER 8::UBIGINT
170141183460469231731687303715884105727::HUGEINT 340282366920938463463374607431768211455::UHUGEINT
123456789012345678901234567890::BIGNUM 1.25::FLOAT 'nan'::DOUBLE '-inf'::DOUBLE 1.50::DECIMAL(4,2) -1.5::DECIMAL(38,10)
'text' '' 'a'||chr(0)||'b' 'ä€😀' '\\xAA\\x00'::BLOB '1010'::BIT '550e8400-e29b-41d4-a716-446655440000'::UUID
'{"a":[1,null]}'::JSON 'b'::ENUM('a','b') DATE'2024-02-29' DATE'infinity' TIME'12:34:56.789012' TIMETZ'12:30:00+02'
TIMESTAMP'2024-01-01' TIMESTAMP'-infinity' TIMESTAMP_S'2024-01-01' TIMESTAMP_MS'2024-01-01' TIMESTAMP_NS'2262-01-01'
TIMESTAMPTZ'2024-06-01' '1month'::INTERVAL [1,NULL,3] []::INTEGER[] [[1],NULL,[]] {'x':1,'y':[{'z':NULL}]} MAP{'k':[1]}
array_value(1,2,3) union_value(num:=2) [DATE'2020-01-01'] {'u':'550e8400-e29b-41d4-a716-446655440000'::UUID} NULL""".split()
LONG = "SELECT count(*) FROM range(100000000) a, range(10000) b WHERE a.range * b.range % 7 = 3"


def connected():
    connection = http.client.HTTPConnection("instance")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(folder + "/socket")
    return connection


def ask(sql, path="/", method="POST", headers=None, chunked=False):
    connection = connected()
    body = sql and sql.encode()
    body = iter([body]) if chunked else body
    connection.request(method, path, body, headers or {}, encode_chunked=chunked)
    answer = connection.getresponse()
    return answer.status, answer.read()


def until(condition):
    end = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < end, "in vain"
        time.sleep(0.02)


def running():
    return json.loads(ask(None, "/queries", "GET")[1])


def reachable():
    with contextlib.suppress(OSError):
        return ask(None, "/health", "GET") == (200, b'{"answers": true}')


def check_types():
    stock = duckdb.connect()
    for value in VALUES:
        for sql in (f"SELECT {value} AS v", f"SELECT 1 AS a, v, [v] AS l FROM (SELECT {value} AS v UNION ALL SELECT NULL)"):
            names = "CAST(COLUMNS(*) AS VARCHAR)"
            wanted = [list(row) for row in stock.execute(f"SELECT {names} FROM ({sql})").fetchall()]
            types = [str(d[1]) for d in stock.execute(sql).description]
            status, body = ask(sql, chunked=True)
            got = json.loads(body)
            assert status == 200 and sorted(map(str, got["rows"])) == sorted(map(str, wanted)), (sql, body, wanted)
            assert got["types"] == types, (sql, got["types"], types)
            status, body = ask(sql, headers={"Accept": "application/vnd.apache.arrow.stream"})
            with pyarrow.ipc.open_stream(body) as stream:
                assert stream.read_all().num_rows == len(wanted), sql


def said_by(stock, sql):
    """What DuckDB's own client has as an answer: types and rows, or the kind of error."""
    try:
        described = stock.execute(sql).description
        types = [str(d[1]) for d in described or []]
        if not sql.startswith("SELECT"):
            return 200, types, None
        rows = stock.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ({sql})").fetchall()
        return 200, types, sorted_rows(rows, types)
    except duckdb.Error as error:
        return 400, str(error).partition(":")[0], None
    except UnicodeDecodeError:  # its message has bytes of a blob, which the client cannot pass on
        return 400, None, None


def sorted_rows(rows, types):
    """Arrow, through which answers go, cannot tell a union whose member is NULL from a NULL."""
    def plain(value, of):
        return None if of.startswith("UNION") and value == "NULL" else value
    return sorted(str([plain(value, of) for value, of in zip(row, types)]) for row in rows)


def check_random_statements():
    stock, random_sql, failed = duckdb.connect(), Statements(seed=7), 0
    stock.execute("SET TimeZone = 'UTC'")
    for number in range(statements):
        sql = random_sql.next()
        wanted, (status, body) = said_by(stock, sql), ask("SET TimeZone = 'UTC'; " + sql)
        answer = json.loads(body)
        if wanted[0] == 200:
            assert status == 200 and "error" not in answer and answer["types"] == wanted[1], (number, sql, body, wanted)
            if sql.startswith("SELECT"):
                assert sorted_rows(answer["rows"], wanted[1]) == wanted[2], (number, sql, body, wanted)
        else:
            failed += 1
            assert wanted[1] is None or answer.get("kind") == wanted[1], (number, sql, body, wanted)
            assert "error" in answer, (number, sql, body)
    assert failed < statements / 2 + 10, f"{failed} of {statements} statements mean nothing"
    print(f"{statements} statements, of which {failed} failed in both", flush=True)


def check_errors():
    ask("CREATE TABLE once (i INTEGER PRIMARY KEY)")
    assert ask("INSERT INTO once VALUES (1)")[0] == 200
    for sql, status, kind in [("SELEC 1", 400, "Parser Error"), ("SELECT nothing", 400, "Binder Error"),
                              ("INSERT INTO once VALUES (1)", 400, "Constraint Error"), ("FROM nowhere", 400, "Catalog Error"),
                              ("COMMIT", 400, "TransactionContext Error")]:
        got = ask(sql)
        assert got[0] == status and json.loads(got[1])["kind"] == kind, got
    assert ask("")[0] == 200
    assert ask(LONG, headers={"Time-Limit": "0.2"})[0] == 408
    assert ask("SELECT 1", headers={"Time-Limit": "soon"})[0] == 400
    assert ask("x", "/queries/none", "DELETE")[0] == 404
    late = json.loads(ask("SELECT CASE WHEN i = 3000000 THEN error('late') ELSE i END FROM range(4000000) t(i)")[1])
    assert late["rows"] and "late" in late["error"], late["error"]


def check_clients_that_go():
    for i in range(clients):
        connection = connected()
        connection.request("POST", "/", LONG)
        time.sleep(i % 3 * 0.003)
        connection.sock.close()
    until(lambda: not running())
    connection = connected()  # one that takes only a part of its answer
    connection.request("POST", "/", "SELECT repeat('x', 1000) FROM range(10000000)")
    connection.getresponse().read(1000)
    most = int(next(line for line in open(f"/proc/{instance.pid}/status") if line.startswith("VmRSS")).split()[1])
    assert most < 1000000, f"{most} KiB"
    connection.sock.close()
    connection = connected()
    connection.request("POST", "/", LONG)
    until(running)
    assert ask(None, "/queries/" + running()[-1]["id"], "DELETE")[0] == 204
    assert connection.getresponse().status == 503


with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "settings.sql").write_text("SET threads = 2; SET memory_limit = '512MiB';")
    instance = subprocess.Popen([sys.executable, sys.argv[1], str(packages), folder])
    try:
        until(reachable)
        check_types()
        check_random_statements()
        check_errors()
        check_clients_that_go()
        last = connected()
        last.request("POST", "/", LONG)
        until(running)
        instance.terminate()
        assert instance.wait(60) == 0
    finally:
        instance.kill()
        instance.wait()
