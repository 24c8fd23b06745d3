# CHARM's tasks in gdb, in a live process or a core dump:
#   charm tasks      the tasks that have a stack of their own: number, state, what they wait for, name or place
#   charm bt N       the stack of task N
#   charm workers    the workers: worker_core, what they do
#   (gdb) source PREFIX/share/charm/gdb/charm-gdb.py
# It reads the table charm_gdb_layout of the library, so the program needs no debug information (backtraces have lines only
# with it). "charm bt" in a live process lends a thread's registers to gdb for the time of the backtrace and puts them
# back; the process must be stopped, and nothing runs meanwhile. A core dump's registers cannot be set: there, it walks
# the frame pointers.
import gdb

WAITS = ["", "a task", "a group", "a mutex", "a condition", "a semaphore", "a latch", "room in a channel",
         "a channel's value", "a barrier", "time to pass", "the kernel", "a shared mutex", "one of several channels"]
STATES = ["idle", "running", "ready", "waiting"]
SLOTS = ["parked", "running", "guest parked", "run by the thread that called init()"]


def number(address, size=8, signed=False):
    memory = gdb.selected_inferior().read_memory(address, size).tobytes()
    return int.from_bytes(memory, "little", signed=signed)


def address_of(symbol):
    for name in (symbol, "'" + symbol + "'"):
        try:
            return int(gdb.parse_and_eval("(unsigned long)&" + name))
        except gdb.error:
            pass
    raise gdb.GdbError("no " + symbol + " in this program: it does not use CHARM, or is stripped of its symbols")


class Layout:
    """The library's table, and what stands where it says."""

    def __init__(self):
        self.offsets = {}
        entry = address_of("charm_gdb_layout")
        while number(entry):
            name = gdb.selected_inferior().read_memory(number(entry), 40).tobytes().split(b"\0")[0].decode()
            self.offsets[name] = number(entry + 8, signed=True)
            entry += 16
        if self.offsets.get("version") != 1:
            raise gdb.GdbError("this script reads version 1 of the library's table, the program has another")
        self.runtime = number(address_of("charm::sched::Runtime::gate"))
        if not self.runtime:
            raise gdb.GdbError("the runtime is not running")

    def has(self, name):
        return self.offsets.get(name, -1) >= 0

    def at(self, base, name, size=8, signed=False):
        return number(base + self.offsets[name], size, signed)

    def pointers(self, vector):
        first, last = number(vector), number(vector + 8)
        return [number(p) for p in range(first, last, 8)]

    def runtimes(self):
        """The process's own runtime and those of its arenas, each with what follows a worker's number."""
        yield self.runtime, ""
        if not self.has("runtime.arenas"):
            return
        for state in self.pointers(self.runtime + self.offsets["runtime.arenas"])[::2]:  # shared_ptr: two words
            runtime = self.at(state, "arena.runtime")
            text = state + self.offsets["arena.name"]  # std::string: where the text is, and its length
            name = gdb.selected_inferior().read_memory(number(text), number(text + 8)).tobytes() if number(text + 8) else b""
            if runtime:
                yield runtime, " of arena " + (name.decode("utf-8", "replace") or hex(runtime))

    def workers(self):
        """Each worker, with what tells it from those of other runtimes."""
        for runtime, of in self.runtimes():
            for worker in self.pointers(runtime + self.offsets["runtime.workers"]):
                yield worker, of

    def pools(self):
        return [p for runtime, _ in self.runtimes() for p in self.pointers(runtime + self.offsets["runtime.pools"])]


def symbol(address):
    text = gdb.execute("info symbol " + hex(address), to_string=True).strip()
    return hex(address) if text.startswith("No symbol") else text.split(" in section")[0]


class Task:
    """A fiber that holds a task."""

    def __init__(self, layout, address, worker):
        self.address = address
        self.context = layout.at(address, "fiber.context")
        self.worker = worker
        self.bound = layout.at(address, "fiber.bound", 4, True)
        self.state = "running" if worker is not None else "waiting"
        self.wait = ""
        self.name = ""
        self.id = address
        if layout.has("card.state"):
            self.id = layout.at(address, "card.id")
            if worker is None:
                self.state = STATES[layout.at(address, "card.state", 1) % len(STATES)]
            kind = layout.at(address, "card.wait", 1)
            if self.state == "waiting" and kind:
                self.wait = WAITS[kind] if kind < len(WAITS) else "something"
                if layout.at(address, "card.object"):
                    self.wait += " at " + hex(layout.at(address, "card.object"))
            text = gdb.selected_inferior().read_memory(address + layout.offsets["card.name"], 32).tobytes()
            self.name = text.split(b"\0")[0].decode("utf-8", "replace")
            function = layout.at(address, "card.function")
            if not self.name and function:
                self.name = symbol(function)


def tasks(layout):
    """Every fiber but those in store, oldest first."""
    if not layout.has("set.first"):
        raise gdb.GdbError("the library was built with a C++ library whose sets this script does not know")
    idle, running = set(), {}
    for worker, of in layout.workers():
        running[layout.at(worker, "worker.current")] = "%d%s" % (layout.at(worker, "worker.id", 4, True), of)
        fiber = layout.at(worker, "worker.free_fibers")
        while fiber:
            idle.add(fiber)
            fiber = layout.at(fiber, "fiber.next")
    found = []
    for pool in layout.pools():
        idle.update(layout.pointers(pool + layout.offsets["pool.idle"]))
        node = layout.at(pool + layout.offsets["pool.all"], "set.first")
        while node:
            found.append(number(node + 8))
            node = number(node)
    held = [Task(layout, f, running.get(f)) for f in found if f not in idle]
    # A worker that searches is on a fiber, too, and one may be between two jobs; they hold no task. Without cards they
    # cannot be told apart.
    if layout.has("card.function"):
        held = [t for t in held if layout.at(t.address, "card.function")]
    return sorted(held, key=lambda t: (t.id, t.address))


def saved_registers(context):
    """What boost::context's jump_fcontext pushed, by architecture."""
    machine = gdb.selected_frame().architecture().name()
    if machine.startswith("i386:x86-64"):
        names = {"r12": 0x08, "r13": 0x10, "r14": 0x18, "r15": 0x20, "rbx": 0x28, "rbp": 0x30, "rip": 0x38}
        values = {name: number(context + offset) for name, offset in names.items()}
        values["rsp"] = context + 0x40
    elif machine.startswith("aarch64"):
        values = {"x%d" % (19 + i): number(context + 0x40 + 8 * i) for i in range(10)}
        values.update(x29=number(context + 0x90), x30=number(context + 0x98), pc=number(context + 0xa0))
        values["sp"] = context + 0xb0
    else:
        raise gdb.GdbError("no knowledge of suspended tasks on " + machine)
    return values


def backtrace(context):
    registers = saved_registers(context)
    gdb.execute("frame 0", to_string=True)
    before = {name: int(gdb.parse_and_eval("(unsigned long)$" + name)) for name in registers}
    try:
        try:
            for name, value in registers.items():
                gdb.execute("set $%s = %d" % (name, value), to_string=True)
        except gdb.error:
            return walk(registers)
        return gdb.execute("backtrace", to_string=True)
    finally:
        for name, value in before.items():
            try:
                gdb.execute("set $%s = %d" % (name, value), to_string=True)
            except gdb.error:
                pass


def walk(registers):
    """By frame pointers, for a core dump; frames of functions compiled without them are passed over."""
    pc = registers.get("rip", registers.get("pc"))
    frame = registers.get("rbp", registers.get("x29"))
    low = registers.get("rsp", registers.get("sp"))
    lines, count = [], 0
    while pc and count < 200:
        lines.append("#%-2d 0x%016x %s" % (count, pc, symbol(pc)))
        count += 1
        if frame < low:
            break
        try:
            low, pc, frame = frame + 1, number(frame + 8), number(frame)
        except gdb.MemoryError:
            break
    return "\n".join(lines) + "\n"


class Charm(gdb.Command):
    """CHARM's tasks and workers: charm tasks, charm bt N, charm workers."""

    def __init__(self):
        super().__init__("charm", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, True)


class Tasks(gdb.Command):
    """The tasks that have a stack of their own: number, state, worker, what they wait for, name."""

    def __init__(self):
        super().__init__("charm tasks", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        found = tasks(Layout())
        print("%d tasks" % len(found))
        for index, task in enumerate(found, 1):
            where = "on worker " + task.worker if task.worker is not None else ""
            if task.worker is None and task.bound >= 0:
                where = "bound to worker %d" % task.bound
            parts = [task.state, where, "for " + task.wait if task.wait else "", task.name]
            print("%4d  %s" % (index, "  ".join(p for p in parts if p)))


class Backtrace(gdb.Command):
    """The stack of task N of `charm tasks`."""

    def __init__(self):
        super().__init__("charm bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        found = tasks(Layout())
        if not argument.isdigit() or not 1 <= int(argument) <= len(found):
            raise gdb.GdbError("charm bt N, with a number that `charm tasks` shows")
        task = found[int(argument) - 1]
        if task.worker is not None:
            print("task %s runs on worker %s: see the thread of that worker, or the one that called init()"
                  % (argument, task.worker))
        else:
            print(backtrace(task.context), end="")


class Workers(gdb.Command):
    """The workers: their cores, and what they do."""

    def __init__(self):
        super().__init__("charm workers", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        layout = Layout()
        for worker, of in layout.workers():
            worker_core = [layout.at(worker, "worker." + part, 4, True) for part in ("cpu", "chiplet", "node")]
            where = "cpu %d, chiplet %d, node %d" % tuple(worker_core) if worker_core[0] >= 0 else "not bound"
            print("worker %d%s (%s): %s, %d jobs so far"
                  % (layout.at(worker, "worker.id", 4, True), of, where,
                     SLOTS[number(worker + layout.offsets["worker.slot"], 1) & 3], layout.at(worker, "worker.jobs")))


Charm()
Tasks()
Backtrace()
Workers()
