"""A DuckDB instance of `charm deploy up --target duckdb`: answers SQL by HTTP on a socket in its folder.

    curl --unix-socket charm-deploy/w0/socket --data 'SELECT 42' http://w0/

The answer is {"columns": [...], "rows": [[...], ...]} with values as text, or status 400 and {"error": "..."}. Each
request has a connection of its own. Only the user who runs the instance may open the socket.
Arguments: the folder of libduckdb.so, and the instance's own folder, which has settings.sql and gets data.duckdb.
"""

import ctypes
import http.server
import json
import os
import signal
import socketserver
import sys
import threading

engine, folder = sys.argv[1:]


class Result(ctypes.Structure):
    _fields_ = [("opaque", ctypes.c_uint64 * 6)]


c = ctypes.CDLL(engine + "/libduckdb.so")
for name in ["duckdb_row_count", "duckdb_column_count"]:
    getattr(c, name).restype = ctypes.c_uint64
for name in ["duckdb_result_error", "duckdb_column_name"]:
    getattr(c, name).restype = ctypes.c_char_p
c.duckdb_value_varchar.restype = ctypes.c_void_p


def answer(connection, sql):
    """Columns and rows of the last statement. Raises ValueError with DuckDB's message."""
    result = Result()
    place = ctypes.byref(result)
    try:
        if c.duckdb_query(connection, sql.encode(), place):
            raise ValueError((c.duckdb_result_error(place) or b"the query failed").decode())
        columns = [c.duckdb_column_name(place, ctypes.c_uint64(i)).decode() for i in range(c.duckdb_column_count(place))]
        rows = []
        for row in range(c.duckdb_row_count(place)):
            rows.append([])
            for column in range(len(columns)):
                pointer = c.duckdb_value_varchar(place, ctypes.c_uint64(column), ctypes.c_uint64(row))
                rows[-1].append(ctypes.string_at(pointer).decode() if pointer else None)
                c.duckdb_free(ctypes.c_void_p(pointer))
        return {"columns": columns, "rows": rows}
    finally:
        c.duckdb_destroy_result(place)


class Database:
    """The file data.duckdb, with the settings of the plan; connections are counted, so that it is closed after them."""

    def __init__(self):
        self.handle, self.busy, self.lock = ctypes.c_void_p(), set(), threading.Lock()
        config, why = ctypes.c_void_p(), ctypes.c_char_p()
        c.duckdb_create_config(ctypes.byref(config))
        # Left to itself DuckDB binds its threads on machines with many cpus, whatever the mask of the process.
        c.duckdb_set_config(config, b"pin_threads", b"off")
        if c.duckdb_open_ext((folder + "/data.duckdb").encode(), ctypes.byref(self.handle), config, ctypes.byref(why)):
            sys.exit(why.value.decode())
        c.duckdb_destroy_config(ctypes.byref(config))
        with open(folder + "/settings.sql", encoding="utf-8") as settings:
            self.run(settings.read())

    def run(self, sql):
        connection = ctypes.c_void_p()
        with self.lock:
            if not self.handle or c.duckdb_connect(self.handle, ctypes.byref(connection)):
                raise ValueError("the instance is ending")
            self.busy.add(connection.value)
        try:
            return answer(connection, sql)
        finally:
            with self.lock:
                self.busy.discard(connection.value)
                c.duckdb_disconnect(ctypes.byref(connection))

    def close(self):
        """Ends the queries that run, and writes everything to the file."""
        with self.lock:
            for connection in self.busy:
                c.duckdb_interrupt(ctypes.c_void_p(connection))
        while self.busy:
            threading.Event().wait(0.01)
        with self.lock:
            c.duckdb_close(ctypes.byref(self.handle))


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        sql = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        try:
            status, body = 200, database.run(sql)
        except ValueError as wrong:
            status, body = 400, {"error": str(wrong)}
        data = json.dumps(body).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def address_string(self):
        return "socket"


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


if __name__ == "__main__":
    database = Database()
    path = folder + "/socket"
    if os.path.lexists(path):
        os.unlink(path)
    os.umask(0o177)
    server = Server(path, Handler)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever()
    os.unlink(path)
    database.close()
