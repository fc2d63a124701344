"""`python -m course_lib.runs NAME [--seed N]`: make a run and write its record."""

import argparse
import shutil
import time
from pathlib import Path

from course_lib import records
from course_lib.runs import Run
from course_lib.runs.distillation import distilbert, tinybert
from course_lib.runs.gpt import gpt
from course_lib.runs.language import chinese_mlm, english_mlm
from course_lib.runs.reviews import reviews

RUNS: dict[str, Run] = {
    "english-mlm": english_mlm,
    "chinese-mlm": chinese_mlm,
    "reviews": reviews,
    "distilbert": distilbert,
    "tinybert": tinybert,
    "gpt": gpt,
}


def main() -> None:
    """Parse the command line, run, and save."""
    parser = argparse.ArgumentParser(prog="python -m course_lib.runs", description=__doc__)
    parser.add_argument("name", choices=RUNS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, default=Path("_runs"), help="checkpoints and logs")
    parser.add_argument("--records", type=Path, default=records.FOLDER)
    arguments = parser.parse_args()
    run = RUNS[arguments.name]
    # What this run trains starts anew; what an earlier run of another name trained is used again.
    shutil.rmtree(arguments.work / arguments.name, ignore_errors=True)
    commit, started = records.commit(), time.process_time()
    found = run(arguments.seed, arguments.work)
    record = records.Record(
        name=arguments.name,
        command=f"python -m course_lib.runs {arguments.name} --seed {arguments.seed}",
        seed=arguments.seed,
        commit=commit,
        machine=records.machine(),
        date=records.today(),
        seconds=round(time.process_time() - started, 1),
        numbers=found.numbers,
        curves=found.curves,
        texts=found.texts,
    )
    print(record)
    print(f"\nwritten to {records.save(record, arguments.records)}")


if __name__ == "__main__":
    main()
