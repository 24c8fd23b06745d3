"""A DuckDB instance of `charm deploy up --target duckdb`: answers SQL by HTTP on a socket in its folder.

    curl --unix-socket charm-deploy/w0/socket --data 'SELECT 42 AS answer' http://w0/
    {"columns": ["answer"], "types": ["INTEGER"], "rows": [["42"]]}

Values are DuckDB's own text of them, or null. With "Accept: application/vnd.apache.arrow.stream" the answer is a stream
of Arrow, which keeps the types. Rows are sent as DuckDB yields them and as the client takes them. What goes wrong is
{"error": "...", "kind": "Constraint Error"} with status 400, 409 (a conflict: try again), 507 (out of memory or disk),
408 (Time-Limit: SECONDS of the request), 503 (cancelled, or the instance ends) or 500 (DuckDB itself failed); after the first rows it is the answer's last member.

    GET /health           200 if a query is answered
    GET /queries          the queries that run: id, seconds, SQL
    DELETE /queries/ID    cancels one; a client that goes cancels its own

Only the user who runs the instance may open the socket or read the database. Arguments: the folder of the Python
packages duckdb, pyarrow and aiohttp, and the instance's own folder, which has settings.sql and gets data.duckdb.
"""

import asyncio
import concurrent.futures
import contextlib
import itertools
import json
import os
import sys
import time

packages, folder = sys.argv[1:]
sys.path.insert(0, packages)

import duckdb  # noqa: E402
import pyarrow  # noqa: E402
from aiohttp import web  # noqa: E402

ARROW = "application/vnd.apache.arrow.stream"
BATCH_ROWS = 8192
MOST_QUERIES = 64  # at once; more wait
MOST_SQL = 64 << 20  # bytes
STATUS = {"Out of Memory Error": 507, "INTERRUPT Error": 503, "INTERNAL Error": 500, "FATAL Error": 500}


class Query:
    """One request's statements. Its methods block: they run on a thread of the pool."""

    numbers = itertools.count(1)

    def __init__(self, connection, sql):
        self.id, self.sql, self.since = str(next(self.numbers)), sql, time.monotonic()
        self.connection, self.text_of = connection, connection.cursor()
        self.why, self.ended = None, False  # why it was cancelled

    def run(self):
        """Runs all statements. Returns names, types and a reader of batches of the last one's result."""
        self.connection.execute(self.sql)
        described = self.connection.description
        if not described:  # no statement, or one without a result
            return [], [], pyarrow.RecordBatchReader.from_batches(pyarrow.schema([]), [])
        return [d[0] for d in described], [str(d[1]) for d in described], self.connection.to_arrow_reader(BATCH_ROWS)

    def rows(self, batch):
        """DuckDB's text of all values: what it is told of their types survives the way through Arrow."""
        names = [f"c{i}" for i in range(batch.num_columns)]
        fields = [field.with_name(name) for field, name in zip(batch.schema, names)]
        self.text_of.register("batch", pyarrow.Table.from_arrays(batch.columns, schema=pyarrow.schema(fields)))
        return self.text_of.execute("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM batch").fetchall()

    def cancel(self, why):
        """Again and again until it has ended: an interruption is lost on a connection that runs nothing yet."""
        self.why = self.why or why
        if self.ended:
            return
        self.connection.interrupt()
        self.text_of.interrupt()
        asyncio.get_running_loop().call_later(0.05, self.cancel, why)

    def close(self):
        self.ended = True
        self.text_of.close()
        self.connection.close()


class Instance:
    def __init__(self):
        # Left to itself DuckDB binds its threads on machines with many cpus, whatever the mask of the process.
        self.database = duckdb.connect(folder + "/data.duckdb", config={"pin_threads": "off"})
        with open(folder + "/settings.sql", encoding="utf-8") as settings:
            self.database.execute(settings.read())
        self.database.execute("SET arrow_lossless_conversion = true")
        self.running, self.ending = {}, False
        self.pool = concurrent.futures.ThreadPoolExecutor(MOST_QUERIES + 1)  # one for the health
        self.turn = asyncio.Semaphore(MOST_QUERIES)

    def blocking(self, function, *arguments):
        return asyncio.get_running_loop().run_in_executor(self.pool, function, *arguments)

    async def post(self, request):
        sql = await request.text()
        limit = seconds_of(request.headers.get("Time-Limit", "inf"))
        query = Query(self.database.cursor(), sql)
        work = asyncio.ensure_future(self.serve(request, query, limit))
        work.add_done_callback(lambda done: done.cancelled() or done.exception())  # writing to a client that has gone: nothing to report
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            query.cancel("the client has gone")
            raise

    async def serve(self, request, query, limit):
        """Goes on when the client has gone: the query's thread uses its connection to the end."""
        try:
            async with self.turn:
                if query.why or self.ending:
                    return failed(duckdb.InterruptException("INTERRUPT Error: it has not begun"), query.why or "the instance is ending")
                self.running[query.id] = query
                late = asyncio.get_running_loop().call_later(min(limit, 1e9), query.cancel, "Time-Limit")
                try:
                    return await self.answer(request, query)
                finally:
                    late.cancel()
                    del self.running[query.id]
        finally:
            query.close()

    async def answer(self, request, query):
        response = None
        try:
            names, types, reader = await self.blocking(query.run)
            as_arrow = ARROW in request.headers.get("Accept", "")
            form = arrow_of(reader) if as_arrow else json_of(query, names, types, reader)
            part = await self.blocking(next, form, None)  # what fails at once has a status of its own
            response = web.StreamResponse(headers={"Query-Id": query.id})
            response.content_type = ARROW if as_arrow else "application/json"
            await response.prepare(request)
            while part is not None:
                await response.write(part)
                part = await self.blocking(next, form, None)
        except duckdb.Error as error:
            if response is None:
                return failed(error, query.why)
            if as_arrow:  # a stream without its end, which readers refuse
                request.transport.abort()
                return response
            await response.write(b"], " + text_of(error, query.why)[1:])
        await response.write_eof()
        return response

    async def queries(self, _request):
        now = time.monotonic()
        return web.json_response([{"id": q.id, "seconds": round(now - q.since, 3), "sql": q.sql[:1000]}
                                  for q in self.running.values()])

    async def cancel(self, request):
        query = self.running.get(request.match_info["id"])
        if query is None:
            raise web.HTTPNotFound(text="no such query runs\n")
        query.cancel("cancelled")
        return web.Response(status=204)

    async def health(self, _request):
        def ask():
            with self.database.cursor() as connection:
                return connection.execute("SELECT 42").fetchone()
        return web.json_response({"answers": await self.blocking(ask) == (42,)})

    async def end(self, _app):
        """Queries that run are ended, so that everything is written to the file in time."""
        self.ending = True
        for query in self.running.values():
            query.cancel("the instance is ending")


def seconds_of(text):
    with contextlib.suppress(ValueError):
        if (seconds := float(text)) > 0:
            return seconds
    raise ValueError(f"Bad Request: Time-Limit is no positive number of seconds: {text[:40]}")


def batches(reader):
    """What Arrow makes of DuckDB's errors is again one of DuckDB's."""
    try:
        yield from reader
    except (OSError, pyarrow.ArrowException) as error:
        raise duckdb.Error(str(error)) from error


def json_of(query, names, types, reader):
    yield f'{{"columns": {json.dumps(names)}, "types": {json.dumps(types)}, "rows": ['.encode()
    between = ""
    for batch in batches(reader):
        rows = query.rows(batch)
        if rows:
            yield (between + json.dumps(rows)[1:-1]).encode()
            between = ", "
    yield b"]}\n"


def arrow_of(reader):
    sink = Chunks()
    with pyarrow.ipc.new_stream(sink, reader.schema) as stream:
        for batch in batches(reader):
            stream.write_batch(batch)
            yield sink.taken()
    yield sink.taken()


class Chunks:
    """A file whose bytes are taken out again."""

    closed = False

    def __init__(self):
        self.parts = []

    def write(self, data):
        self.parts.append(bytes(data))
        return len(data)

    def flush(self):
        pass

    def taken(self):
        whole, self.parts = b"".join(self.parts), []
        return whole


def kind_of(error):
    """"Binder Error" of "Binder Error: Referenced column ..."."""
    return str(error).partition(":")[0]


def status_of(error):
    said, kind = str(error), kind_of(error)
    if kind == "TransactionContext Error" and "onflict" in said:  # others are ROLLBACK without BEGIN and the like
        return 409
    return 507 if kind == "IO Error" and "No space left" in said else STATUS.get(kind, 400)


def text_of(error, why=None):
    said = f"{why}: {error}" if why else str(error)
    return json.dumps({"error": said, "kind": kind_of(error)}).encode() + b"\n"


def failed(error, why=None):
    status = 408 if why == "Time-Limit" else status_of(error)
    return web.Response(status=status, body=text_of(error, why), content_type="application/json")


@web.middleware
async def refusals(request, handler):
    try:
        return await handler(request)
    except (ValueError, duckdb.Error) as error:
        return failed(error)


async def application():
    instance = Instance()
    app = web.Application(middlewares=[refusals], client_max_size=MOST_SQL)
    app.add_routes([web.post("/", instance.post), web.get("/health", instance.health),
                    web.get("/queries", instance.queries), web.delete("/queries/{id}", instance.cancel)])
    app.on_shutdown.append(instance.end)

    async def close(_app):
        instance.pool.shutdown()
        instance.database.close()
        os.unlink(folder + "/socket")
    app.on_cleanup.append(close)
    return app


if __name__ == "__main__":
    os.umask(0o077)
    path = folder + "/socket"
    if os.path.lexists(path):
        os.unlink(path)
    web.run_app(application(), path=path, print=None, handler_cancellation=True, access_log=None, shutdown_timeout=5)
