"""How long until a new process has its first answer, and how much memory does that take?

python benchmarks/startup.py [--runs 9] [--out startup.json]
"""

import json
import subprocess
import sys

from report import arguments, emit, spread

QUESTION = "How long until a new process has its first answer?"

STEPS = {
    "python itself": "pass",
    "import numpy": "import numpy",
    "import menpai": "import menpai",
    "divisions": "from menpai.address import divisions; divisions.load()",
    "load": "import menpai; menpai.load()",
    "first parse": "import menpai; menpai.load().parse('浙江省杭州市余杭区望湖路12号')",
    "first compare": "import menpai; menpai.load().compare('杭州余杭望湖路12号', '望湖路十二号')",
}

PROBE = """
import json, time
started = time.perf_counter()
{step}
took = time.perf_counter() - started
lines = open("/proc/self/status").read().splitlines()
peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
print(json.dumps([took, peak * 1024]))
"""


def main() -> None:
    """Run every step in new processes, in turns, so that a slow moment hits all of them."""
    parser = arguments(QUESTION, needs_data=False)
    parser.add_argument("--runs", type=int, default=9, help="processes per step")
    args = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in STEPS}
    peaks: dict[str, int] = {}
    for run in range(args.runs + 1):
        for name, step in STEPS.items():
            code = [sys.executable, "-c", PROBE.format(step=step)]
            done = subprocess.run(code, capture_output=True, text=True, check=True)  # noqa: S603
            took, peaks[name] = json.loads(done.stdout)
            if run:  # the first round warms the file cache
                times[name].append(took)
    rows = [
        {
            "step": name,
            **{f"{key}_ms": value for key, value in spread(times[name], 1000).items()},
            "peak_rss_mb": round(peaks[name] / 2**20, 1),
        }
        for name in STEPS
    ]
    emit(QUESTION, rows, args.out)


if __name__ == "__main__":
    main()
