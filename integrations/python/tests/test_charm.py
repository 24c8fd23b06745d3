"""The module charm, as it is installed. The machine that the tests describe is CHARM_TOPOLOGY's where they set it."""

import concurrent.futures
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import unittest

import charm
from charm import dask_worker

here = os.sched_getaffinity(0)


def mask(_=None):
    return sorted(os.sched_getaffinity(0))


class Topology(unittest.TestCase):
    def test_this_machine(self):
        machine = charm.topology()
        self.assertEqual({cpu for core in machine.cores for cpu in core.cpus}, here)
        self.assertEqual({cpu for chiplet in machine.chiplets for cpu in chiplet.all_cpus}, here)
        for chiplet in machine.chiplets:
            self.assertEqual(len(chiplet.cpus), len(chiplet.cores))

    def test_a_described_machine(self):
        machine = charm.topology("pack:2 l3:4 core:6 pu:2")
        self.assertEqual(len(machine.chiplets), 8)
        self.assertEqual(len(machine.chiplets[1].cpus), 6)
        self.assertEqual(len(machine.chiplets[1].all_cpus), 12)
        self.assertEqual(machine.cores[7].chiplet, 1)
        self.assertEqual(sum(len(node.all_cpus) for node in machine.nodes), 96)

    def test_what_cannot_be_read(self):
        with self.assertRaisesRegex(ValueError, "no:such"):
            charm.topology("no:such thing")

    def test_placement(self):
        places = charm.placement(1)
        self.assertIn(places[0].cpu, here)
        with self.assertRaises(ValueError):
            charm.placement(0)
        with self.assertRaisesRegex(ValueError, "nonsense"):
            charm.placement(1, "nonsense")


class Binding(unittest.TestCase):
    def test_on_a_chiplet(self):
        before = mask()
        with charm.on(chiplet=0) as cpus:
            self.assertTrue(set(cpus) <= set(mask()))
            seen = []
            thread = threading.Thread(target=lambda: seen.append(mask()))
            thread.start()
            thread.join()
            self.assertEqual(seen, [sorted(charm.topology().chiplets[0].all_cpus)])
        self.assertEqual(mask(), before)
        with self.assertRaises(ZeroDivisionError), charm.on(node=0):
            1 / 0
        self.assertEqual(mask(), before)

    def test_refusals(self):
        for wrong in ({"chiplet": 10_000}, {"chiplet": -1}, {"node": 10_000}, {}, {"chiplet": 0, "node": 0}):
            with self.assertRaises(ValueError), charm.on(**wrong):
                pass
        with self.assertRaisesRegex(ValueError, "100000"):
            charm.bind([100_000])
        with self.assertRaisesRegex(ValueError, "socket"):
            charm.Places("socket")
        self.assertEqual(set(mask()), here)

    def test_map(self):
        cpus = charm.map(mask, range(20), workers=1)
        self.assertEqual({len(cpu) for cpu in cpus}, {1})
        self.assertEqual(charm.map(lambda x: x * x, range(50)), [x * x for x in range(50)])
        with self.assertRaises(ZeroDivisionError):
            charm.map(lambda x: 1 // x, [1, 0, 2])
        self.assertEqual(set(mask()), here)

    def test_processes_take_places_in_turns(self):
        places = charm.Places("core")
        self.assertEqual(len(places), len(charm.topology().cores))
        with concurrent.futures.ProcessPoolExecutor(len(places), initializer=places.take) as pool:
            masks = set(map(tuple, pool.map(mask, range(200), chunksize=1)))
        self.assertTrue(masks <= {places[place] for place in range(len(places))})
        for method in ("spawn", "fork"):
            context = multiprocessing.get_context(method)
            with concurrent.futures.ProcessPoolExecutor(1, mp_context=context, initializer=charm.Places("core").take) as pool:
                self.assertEqual(tuple(pool.submit(mask).result()), places[0])

    def test_places_are_taken_once_each(self):
        places = charm.Places("core")
        again = pickle.loads(pickle.dumps(places))
        order = [places.take(), again.take(), places.take()]
        os.sched_setaffinity(0, here)
        self.assertEqual(order, [number % len(places) for number in range(3)])
        del places
        with self.assertRaisesRegex(ValueError, "keep the object"):
            again.take()

    def test_joblib(self):
        try:
            import joblib
        except ImportError:
            self.skipTest("no joblib here")
        places = charm.Places("core")
        with joblib.parallel_config(backend="loky", n_jobs=len(places), initializer=places.take):
            masks = set(map(tuple, joblib.Parallel()(joblib.delayed(mask)() for _ in range(50))))
        self.assertTrue(masks <= {places[place] for place in range(len(places))})

    def test_dask_workers(self):
        self.assertEqual(dask_worker.place_of("host-3", 17, 4), 3)
        self.assertEqual(dask_worker.place_of("tcp://host-11", 17, 4), 3)
        self.assertEqual(dask_worker.place_of("", 17, 4), 1)

        class Worker:
            name = "w-0"

        dask_worker.dask_setup(Worker())
        self.assertEqual(mask(), sorted(charm.topology().chiplets[0].all_cpus))
        os.sched_setaffinity(0, here)


class Command(unittest.TestCase):
    def test_is_installed(self):
        command = os.path.join(os.path.dirname(sys.executable), "charm")
        if sys.prefix == sys.base_prefix:
            self.skipTest("not in an environment of its own")
        said = subprocess.run([command, "topo", "--from", "pack:1 l3:2 core:2 pu:1", "--json"], capture_output=True, text=True, check=True)
        self.assertEqual(len(json.loads(said.stdout)["chiplets"]), 2)
        said = subprocess.run([command, "run", "--", "sh", "-c", "exit 7"], capture_output=True, check=False)
        self.assertEqual(said.returncode, 7)


if __name__ == "__main__":
    unittest.main()
