"""`python -m bench.logs`: how fast `podproof log` reads and judges a log at --v=4, and with how much memory.

One line in so many is about a worker; the others are what a kubelet writes of probes, volumes and statuses.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

from podproof.queries.log_reader import Reader
from podproof.queries.logs import judge

CASES = ((17, 1_000), (17, 10_000), (3, 10_000), (1, 100_000))
"""One line in so many matters, and how many pods there are."""
LIFE = (
    ("Pod is being synced for the first time", ' updateType="create"'),
    ("Notifying pod of pending update", ' workType="sync"'),
    ("Processing pod event", ' updateType="sync"'),
    ("Processing pod event done", ' updateType="sync"'),
    ("Pod is marked for graceful deletion, begin teardown", ' updateType="update"'),
    ("Notifying pod of pending update", ' workType="terminating"'),
    ("Cancelling current pod sync", ' workType="terminating"'),
    ("Processing pod event", ' updateType="terminating"'),
    ("Pod worker has observed request to terminate", ""),
    ("Pod terminated all containers successfully", ""),
    ("Pending update already queued", ""),
    ("Processing pod event done", ' updateType="terminating"'),
)
NOISE = (
    'prober.go:107] "Probe succeeded" probeType="Liveness" pod="{pod}" podUID="{uid}" containerName="app" body="ok ok"'
)


def write(file: Path, one_in: int, pods: int) -> int:
    """A log of that many pods, each with one life; how many bytes it has."""
    with file.open("w", encoding="utf-8") as out:
        out.write('I1121 08:00:00.000000       9 server.go:484] "Kubelet version" kubeletVersion="v1.29.6"\n')
        for number in range(pods):
            uid, pod = f"{number:08x}-0000-4000-8000-{number:012x}", f"default/web-{number}"
            second = number // 100
            header = (
                f"I1121 {8 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.{number % 100:02}0000       9 "
            )
            if number % 200 == 0:
                out.write(f'{header}kubelet.go:1] "SyncLoop (housekeeping)"\n')
            for message, told in LIFE:
                out.write(f'{header}pod_workers.go:768] "{message}" pod="{pod}" podUID="{uid}"{told}\n')
                out.write(f"{header}{NOISE.format(pod=pod, uid=uid)}\n" * (one_in - 1))
    return file.stat().st_size


def measure(file: Path) -> tuple[float, float, int]:
    """Processor seconds to read and to read and judge, and MB resident at most."""
    begin = time.process_time()
    Reader().read(file)
    read = time.process_time() - begin
    begin = time.process_time()
    judge([file])
    return read, time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def main() -> None:
    print(f"{'one line in':>12} {'pods':>8} {'MB':>6} {'read MB/s':>10} {'judged MB/s':>12} {'resident MB':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for one_in, pods in CASES:
            file = Path(folder) / "kubelet.log"
            size = write(file, one_in, pods) / 1e6
            with get_context("spawn").Pool(1) as pool:
                read, judged, resident = pool.apply(measure, (file,))
            told = f"{one_in:>12} {pods:>8,} {size:>6.0f} {size / read:>10.0f} {size / judged:>12.0f} {resident:>12}"
            print(told, flush=True)


if __name__ == "__main__":
    sys.exit(main())
