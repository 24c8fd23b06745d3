"""Random statements of DuckDB's SQL: mostly valid, some not; the same for the same seed."""

import random

LITERALS = {
    "BOOLEAN": ["true", "false"],
    "TINYINT": ["0", "-128", "127"],
    "INTEGER": ["0", "1", "-7", "2147483647"],
    "BIGINT": ["42", "-9223372036854775808"],
    "UBIGINT": ["18446744073709551615", "3"],
    "HUGEINT": ["170141183460469231731687303715884105727", "-1"],
    "DOUBLE": ["0.5", "-1e300", "'nan'", "'inf'", "3"],
    "DECIMAL(18,3)": ["1.5", "-0.001", "99999.999"],
    "VARCHAR": ["''", "'text'", "'it''s'", "'ä€😀'", "'a'||chr(0)||'b'", "'12'"],
    "BLOB": ["'\\xAA\\x00'", "''"],
    "DATE": ["'2024-02-29'", "'infinity'", "'0044-03-15 (BC)'"],
    "TIME": ["'12:34:56.789'"],
    "TIMESTAMP": ["'2024-01-01 01:02:03'", "'-infinity'"],
    "TIMESTAMPTZ": ["'2024-06-01 12:00:00+02'"],
    "TIMESTAMP_NS": ["'2024-01-01 00:00:00.123456789'"],
    "INTERVAL": ["'1 month 2 days'", "'-3 hours'"],
    "UUID": ["'550e8400-e29b-41d4-a716-446655440000'"],
    "BIT": ["'1010'"],
    "INTEGER[]": ["[1, NULL, 3]", "[]"],
    "VARCHAR[]": ["['a', 'b']"],
    "STRUCT(x INTEGER, y VARCHAR)": ["{'x': 1, 'y': 'z'}"],
    "MAP(VARCHAR, INTEGER)": ["MAP {'k': 1}", "MAP {}"],
    "UNION(num INTEGER, str VARCHAR)": ["union_value(num := 2)", "union_value(str := 'two')"],
    "INTEGER[3]": ["array_value(1, 2, 3)"],
    "ENUM('a', 'b')": ["'a'", "'b'"],
}
AGGREGATES = ["count", "min", "max", "sum", "avg", "any_value", "count_if", "bit_xor", "median", "mode"]
FUNCTIONS = ["abs({0})", "length({0})", "upper({0})", "{0}::VARCHAR", "typeof({0})", "coalesce({0}, {1})", "[{0}]", "{{'v': {0}}}",
             "nullif({0}, {1})", "greatest({0}, {1})", "{0} + {1}", "{0} = {1}", "{0} < {1}", "CASE WHEN {0} IS NULL THEN 1 ELSE 2 END",
             "concat({0}, {1})", "hash({0}) % 2 = 0", "year({0})", "{0} IN ({1}, {0})", "list_reverse([{0}, {1}])", "TRY_CAST({0} AS INTEGER)"]


class Statements:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.tables = {}  # columns by name, as types
        self.made = 0

    def literal(self, kind=None):
        kind = kind or self.draw.choice(list(LITERALS))
        text = "NULL" if self.draw.random() < 0.1 else self.draw.choice(LITERALS[kind])
        return f"CAST({text} AS {kind})"

    def value(self, columns):
        if columns and self.draw.random() < 0.6:
            return self.draw.choice(columns)
        return self.literal()

    def expression(self, columns, depth=2):
        if depth == 0 or self.draw.random() < 0.3:
            return self.value(columns)
        form = self.draw.choice(FUNCTIONS)
        return form.format(self.expression(columns, depth - 1), self.expression(columns, depth - 1))

    def source(self):
        if self.tables and self.draw.random() < 0.7:
            name = self.draw.choice(list(self.tables))
            return name, [f"c{i}" for i in range(len(self.tables[name]))]
        return f"(SELECT range AS c0, {self.literal()} AS c1 FROM range({self.draw.choice([0, 1, 5, 100])}))", ["c0", "c1"]

    def select(self):
        source, columns = self.source()
        shape = self.draw.random()
        where = f" WHERE {self.expression(columns, 1)} IS NOT NULL" if self.draw.random() < 0.3 else ""
        if shape < 0.5:
            chosen = ", ".join(f"{self.expression(columns)} AS v{i}" for i in range(self.draw.randint(1, 3)))
            return f"SELECT {chosen} FROM {source}{where}"
        if shape < 0.75:
            aggregate = f"{self.draw.choice(AGGREGATES)}({self.draw.choice(columns)})"
            return f"SELECT {self.draw.choice(columns)} AS g, {aggregate} AS a FROM {source}{where} GROUP BY g"
        if shape < 0.85:
            return f"SELECT * FROM {source} JOIN (SELECT 1 AS one) ON true{where}"
        if shape < 0.95:
            return f"SELECT {columns[0]} FROM {source} UNION ALL SELECT {self.value([])}"
        return f"SELECT row_number() OVER (ORDER BY {columns[0]}) AS n, count(*) OVER () AS c FROM {source}"

    def create(self):
        name, kinds = f"t{self.made}", self.draw.sample(list(LITERALS), self.draw.randint(1, 4))
        self.made += 1
        self.tables[name] = kinds
        key = " PRIMARY KEY" if kinds[0] in ("INTEGER", "VARCHAR", "DATE") and self.draw.random() < 0.5 else ""
        return f"CREATE TABLE {name} (" + ", ".join(f"c{i} {kind}{key if i == 0 else ''}" for i, kind in enumerate(kinds)) + ")"

    def change(self):
        name = self.draw.choice(list(self.tables))
        kinds, shape = self.tables[name], self.draw.random()
        if shape < 0.7:
            row = ", ".join(self.literal(kind) for kind in kinds)
            return f"INSERT INTO {name} VALUES ({row})"
        if shape < 0.85:
            return f"UPDATE {name} SET c0 = {self.literal(kinds[0])}"
        if shape < 0.95:
            return f"DELETE FROM {name} WHERE c0 IS NULL"
        del self.tables[name]
        return f"DROP TABLE {name}"

    def broken(self):
        words = self.select().split()
        del words[self.draw.randrange(len(words))]
        return " ".join(words)

    def next(self):
        shape = self.draw.random()
        if len(self.tables) < 3 or (shape < 0.05 and len(self.tables) < 20):
            return self.create()
        if shape < 0.3:
            return self.change()
        return self.broken() if shape < 0.35 else self.select()
