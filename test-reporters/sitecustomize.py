"""Loaded into the Python processes of a test command. Adds a report to unittest and pytest."""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def restore_environment():
    """Removes what was added to the environment: runners that the tests start add nothing to the report."""
    added = json.loads(os.environ.pop("ROBOSMITH_ADDED", "{}"))
    for name, value in added.items():
        if name in os.environ:
            rest = os.environ[name].replace(value, "").strip(":; ")
            if rest:
                os.environ[name] = rest
            else:
                del os.environ[name]


class Report:
    """A report of this process: one JSON object per line. The last line is `end`."""

    def __init__(self, runner):
        self.file = open(os.path.join(HERE, "%s-%d.jsonl" % (runner, os.getpid())), "a", encoding="utf-8")
        self.write(type="begin", runner=runner, folder=os.getcwd())

    def write(self, **fields):
        self.file.write(json.dumps(fields) + "\n")
        self.file.flush()


def fields_of(trace):
    """Returns the message of a traceback, and its places with the innermost first."""
    frames = re.findall(r'^  File "(.+)", line (\d+)', trace, re.MULTILINE)
    lines = trace[trace.rfind('\n  File "') + 1 :].split("\n")[1:]
    while lines and lines[0].startswith("    "):
        del lines[0]
    return {"message": "\n".join(lines).strip(), "places": [[file, int(line)] for file, line in reversed(frames)]}


def record_unittest(module):
    """Makes the runner of unittest write its results into a report."""
    run = module.TextTestRunner.run

    def run_and_report(self, test):
        if "ROBOSMITH_ADDED" not in os.environ:
            return run(self, test)
        restore_environment()
        report = Report("unittest")
        result = run(self, test)
        failed = list(result.failures) + list(result.errors)
        unexpected = list(getattr(result, "unexpectedSuccesses", []))
        for case, trace in failed:
            report.write(type="test", status="failed", name=[case.id()], **fields_of(trace))
        for case in unexpected:
            report.write(type="test", status="failed", name=[case.id()], message="unexpected success")
        skipped = len(result.skipped) + len(getattr(result, "expectedFailures", []))
        passed = max(0, result.testsRun - len(failed) - len(unexpected) - skipped)
        report.write(type="counts", passed=passed, skipped=skipped)
        report.write(type="end")
        return result

    module.TextTestRunner.run = run_and_report


class PytestReport:
    """A plugin of pytest that writes a report."""

    def __init__(self):
        self.report = None
        self.frames = {}

    def pytest_runtest_makereport(self, item, call):
        """Keeps the frames of a failure: a report has them only with some values of `--tb`."""
        if self.report is not None and call.excinfo is not None:
            self.frames[item.nodeid] = [[str(one.path), one.lineno + 1] for one in call.excinfo.traceback]

    def pytest_configure(self, config):
        if not hasattr(config, "workerinput"):
            restore_environment()
            self.report = Report("pytest")
            self.root = str(config.rootpath) if hasattr(config, "rootpath") else os.getcwd()

    def failed(self, report, **fields):
        crash = getattr(report.longrepr, "reprcrash", None)
        entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", [])
        frames = [getattr(entry, "reprfileloc", None) for entry in entries]
        places = [[os.path.join(self.root, frame.path), frame.lineno] for frame in frames if frame is not None]
        places.extend(self.frames.pop(report.nodeid, []))
        if crash is not None:
            places.append([str(crash.path), crash.lineno])
        text = str(report.longrepr)
        syntax = re.search(r'^E +File "(.+)", line (\d+)$', text, re.MULTILINE)
        if syntax is not None:
            places.append([syntax.group(1), int(syntax.group(2))])
        if crash is not None:
            fields["message"] = crash.message
        else:
            marked = [line[1:].strip() for line in text.split("\n") if re.match("E( |$)", line)]
            fields["message"] = "\n".join(marked) or text[-20000:]
        self.report.write(places=places[::-1], **fields)

    def pytest_runtest_logreport(self, report):
        if self.report is None:
            return
        file = os.path.join(self.root, report.location[0])
        name = report.nodeid.split("::", 1)[-1].split("::") if "[" not in report.nodeid else self.name_of(report.nodeid)
        if report.failed:
            self.failed(report, type="test", status="failed", name=name, file=file, testLine=(report.location[1] or 0) + 1)
        elif report.skipped:
            self.report.write(type="test", status="skipped", name=name)
        elif report.when == "call":
            self.report.write(type="test", status="passed", name=name)

    def name_of(self, nodeid):
        """Returns the names in a test's id. Its parameters, in brackets, may contain any text."""
        names, bracket, parameters = nodeid.partition("[")
        parts = names.split("::")[1:]
        return parts[:-1] + [parts[-1] + bracket + parameters] if parts else [nodeid]

    def pytest_collectreport(self, report):
        if self.report is not None and report.failed:
            self.failed(report, type="error", file=os.path.join(self.root, str(report.fspath)))

    def pytest_sessionfinish(self):
        if self.report is not None:
            self.report.write(type="end")


def record_pytest(module):
    """Adds the plugin to the runs of pytest that this process starts."""
    create = module.get_config

    def with_report(*args, **kwargs):
        config = create(*args, **kwargs)
        if "ROBOSMITH_ADDED" in os.environ:
            config.pluginmanager.register(PytestReport(), "robosmith_report")
        return config

    module.get_config = with_report


HOOKS = {"unittest.runner": record_unittest, "_pytest.config": record_pytest}


class Finder:
    """Finds the modules of `HOOKS` by the other finders, and changes them after they were loaded."""

    def find_spec(self, name, path=None, target=None):
        if name not in HOOKS or "ROBOSMITH_ADDED" not in os.environ:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                execute = spec.loader.exec_module

                def execute_and_record(module):
                    execute(module)
                    try:
                        HOOKS[name](module)
                    except Exception:
                        pass

                spec.loader.exec_module = execute_and_record
                return spec
        return None


if "ROBOSMITH_ADDED" in os.environ:
    sys.meta_path.insert(0, Finder())

# Another `sitecustomize` that this file hides is loaded as well.
if HERE in sys.path:
    sys.path.remove(HERE)
own = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize  # noqa: F401
except ImportError:
    sys.modules["sitecustomize"] = own
